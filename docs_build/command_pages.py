"""The reference of the command line, from the argument parsers."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator

from docs_build.markdown import cell, table
from docs_build.navigation import contents
from gems_engine.cli import EXAMPLES, command_parser
from gems_engine.commands import commands

FOLDER = "commands"
"""The folder of these pages in the site."""

_ERROR = (
    "| 1 | the answer is no (a difference, a failed check), or an unexpected error, such as one in a plug-in: one "
    "sentence with the file of its report, or with `GEMS_DEBUG=1` the traceback |"
)


def command_pages() -> dict[str, str]:
    """Markdown of a page for each command, by path, and of their list."""
    found = {f"{FOLDER}/{name}.md": _page(name) for name in commands()}
    return {f"{FOLDER}/index.md": _contents() + contents("", list(commands())), **found}


def _contents() -> str:
    rows = [(f"[`gems {name}`]({name}.md)", cell(_sentence(each.summary))) for name, each in commands().items()]
    return f"""# Command line

`gems` alone, or with files, opens the window; `gems-lab` is another name of `gems`. Each command has its own help,
`gems run --help`, from which these pages are made.

{table(("command", "what it does"), rows)}
Start with these:

```sh
{chr(10).join(f"{line}  # {what}" for line, what in EXAMPLES)}
```

INSTANCE is a file (`.json`, `.npz`, `.csv`) or a family with parameters, such as `paper-hard:d_star=9,epsilon=1e-4`;
[the families](../help/index.md#families-of-instances) have a page each.

## Output and exit codes

`--json` prints JSON instead of text, where a command has that option. Messages about problems are on standard error.

| code | meaning |
|---|---|
| 0 | success |
{_ERROR}
| 2 | bad input, said in one sentence |
| 3 | no window can be opened here |
| 130 | interrupted |
"""


def _sentence(summary: str) -> str:
    return f"{summary[:1].upper()}{summary[1:]}"


def _page(name: str) -> str:
    return "\n".join(_parts(command_parser(name), f"gems {name}", 1))


def _parts(parser: argparse.ArgumentParser, title: str, level: int, about: str = "") -> Iterator[str]:
    """The sections about a parser and its subcommands."""
    usage = re.sub(r"\s+", " ", parser.format_usage().removeprefix("usage: ")).strip()
    yield f"{'#' * level} {title}\n"
    yield f"{_escaped(parser.description or about)}\n"
    yield f"```text\n{_wrapped(usage)}\n```\n"
    inner: dict[str, tuple[argparse.ArgumentParser, str]] = {}
    for group in parser._action_groups:
        rows = []
        for action in group._group_actions:
            if isinstance(action, argparse._SubParsersAction):
                about = {each.dest: each.help or "" for each in action._choices_actions}
                inner = {name: (each, about.get(name, "")) for name, each in action.choices.items()}
            elif not isinstance(action, argparse._HelpAction) and action.help != argparse.SUPPRESS:
                rows.append((f"`{_invocation(parser, action)}`", _escaped(_expanded(parser, action))))
        if rows:
            yield f"**{group.title[:1].upper()}{group.title[1:]}**\n" if group.title else ""
            yield table(("argument", "meaning"), rows)
    example = (parser.epilog or "").removeprefix("Example: ")
    if example and example != parser.epilog:
        yield f"```sh\n{example}\n```\n"
    for name, (each, what) in inner.items():
        yield from _parts(each, f"{title} {name}", level + 1, f"{_sentence(what)}.")


def _wrapped(usage: str, width: int = 92) -> str:
    """A usage in lines that break before an argument."""
    words = re.findall(r"\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]\S*|\([^()]*\)|\S+", usage)
    lines, indent = [words[0]], "    "
    for word in words[1:]:
        if len(lines[-1]) + 1 + len(word) > width:
            lines.append(indent + word)
        else:
            lines[-1] += f" {word}"
    return "\n".join(lines)


def _invocation(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    return parser._get_formatter()._format_action_invocation(action).replace("|", "\\|")


def _expanded(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    return parser._get_formatter()._expand_help(action) if action.help else ""


def _escaped(text: str) -> str:
    """A text of the help, which has no markup."""
    return cell(re.sub(r"([*_`<\[\\])", r"\\\1", text))
