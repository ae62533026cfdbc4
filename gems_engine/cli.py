"""The command `gems`: read a command line, run a subcommand, report an error in one sentence."""

from __future__ import annotations

import argparse
import errno
import io
import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from gems_engine.commands import BUILT_IN, WINDOW, broken_plugins, built_in_commands, commands, plugin_commands
from gems_engine.commands.command import Command
from gems_engine.errors import Cancelled, InputError, quoted
from gems_engine.plugins import BrokenPlugin, broken_list, in_words
from gems_engine.processes import one_thread_each
from gems_engine.version import own_version

DESCRIPTION = (
    """Model selection for pure exploration in linear bandits: GEMS, RAGE, and the optimal designs under them."""
)
EXAMPLES = (
    ("gems demo", "a one-minute demonstration"),
    ("gems run paper-hard -o run.gems", "run GEMS on the paper's hard instance"),
    ("gems verify run.gems", "run it again from its seed and compare"),
    ("gems", "open the window, with files if given; if it fails: gems doctor"),
)
"""Command lines to start with, and what each does; they work when pasted in this order."""
DEBUG = "GEMS_DEBUG"
"""The environment variable with which an unexpected error is raised, with its traceback."""


def main(words: Sequence[str] | None = None) -> int:
    """Run `gems` with these arguments (default: those of the process) and return its exit code.

    Without arguments, or with files instead of a command, it opens the window if a package provides that command;
    without arguments and without a window, it shows the help.
    """
    prepare()
    words = list(sys.argv[1:] if words is None else words)
    installed = plugin_commands()
    known = {**built_in_commands(), **installed.usable}
    if WINDOW in known and (not words or _opens(words[0], known)):
        words = [WINDOW, *words]
    broken = broken_plugins() if words[:1] in (["-h"], ["--help"]) else installed.broken
    try:
        parser = _parser(known, broken, words)
    except InputError as error:
        print(f"gems: {error}", file=sys.stderr)
        return 2
    return execute(parser, words)


def _opens(word: str, known: Mapping[str, Command]) -> bool:
    """Whether a word is a file or a folder to open in the window, rather than a command, misspelt or not."""
    if word in known or word.startswith("-"):
        return False
    return bool(os.path.splitext(word)[1]) or os.path.basename(word) != word or os.path.exists(word)


def prepare() -> None:
    """Set up the process for a command line; before a parser is made, because some parsers load the engine."""
    one_thread_each()
    sys.stdout = sys.stdout or io.StringIO()  # the parent process may have closed it
    sys.stderr = sys.stderr or io.StringIO()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # do not fail if the terminal cannot show ρ⋆


def execute(parser: argparse.ArgumentParser, words: Sequence[str]) -> int:
    """Parse the arguments, run the parser's default ``execute``, and return the exit code.

    0 is success, 1 an unexpected error (one sentence, and a report in a file), 2 bad input (one sentence on stderr),
    130 interrupted. With the environment variable ``GEMS_DEBUG`` an unexpected error is raised.
    """
    try:
        arguments = parser.parse_args(words)
    except SystemExit as end:  # argparse has printed why
        return int(end.code or 0)
    if not hasattr(arguments, "execute"):
        parser.print_help()
        return 0
    try:
        code = arguments.execute(arguments)
        sys.stdout.flush()
    except InputError as error:
        print(f"gems: {error}", file=sys.stderr)
        return 2
    except (KeyboardInterrupt, Cancelled):
        print("gems: interrupted.", file=sys.stderr)
        return 130
    except MemoryError:
        print("gems: Not enough memory.", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of our output has closed the pipe
        _forget_output()
        return 0
    except OSError as error:  # such as a full disk; files raise InputError
        if error.errno == errno.ENAMETOOLONG:
            print("gems: An argument is too long to be a file name or any other name.", file=sys.stderr)
            return 2
        _forget_output()
        print(f"gems: Cannot write the output: {error.strerror or error}.", file=sys.stderr)
        return 2
    except Exception as error:  # such as one in the steps of a plug-in
        if os.environ.get(DEBUG):
            raise
        print(f"gems: An unexpected error occurred: {in_words(error)} {_reported(error, words)}", file=sys.stderr)
        return 1
    return int(code)


def _reported(error: Exception, words: Sequence[str]) -> str:
    """Write a report about an error to a file that only its owner may read, and say where it is."""
    import tempfile
    import traceback

    report = f"gems {shlex.join(words)}\ngems-lab {_version()}, Python {sys.version}\n\n"
    report += "".join(traceback.format_exception(error))
    try:
        handle, path = tempfile.mkstemp(prefix="gems-report-", suffix=".txt")
        with open(handle, "w", encoding="utf-8", errors="replace") as file:
            file.write(report)
    except OSError:
        return f"Set {DEBUG}=1 to see where."
    return f"The report is in {path}."


def _forget_output() -> None:
    """Discard buffered output, which would fail again when Python exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def command_parser(name: str) -> argparse.ArgumentParser:
    """The parser of a command, as ``gems NAME --help`` shows it."""
    parser = _parser(commands(), [], [name])
    (subparsers,) = (each for each in parser._actions if isinstance(each, argparse._SubParsersAction))
    found = subparsers.choices[name]
    assert isinstance(found, argparse.ArgumentParser)
    return found


def _parser(
    known: Mapping[str, Command], broken: Sequence[BrokenPlugin], words: Sequence[str]
) -> argparse.ArgumentParser:
    """The parser; only the named command gets its arguments, so that the others load nothing."""
    for plugin in broken:
        if words[:1] == [plugin.name] and plugin.name not in known:  # a command
            raise InputError(plugin.sentence)
    width = max(len(line) for line, _ in EXAMPLES)
    examples = "\n".join(f"  {line.ljust(width)}  {what}" for line, what in EXAMPLES)
    parser = Parser(
        prog="gems",
        description=DESCRIPTION,
        epilog=f"Examples:\n{examples}\n\nEach command has its own help: gems run --help{broken_list(broken)}",
        formatter_class=_ExampleInOneLine,
    )
    parser.add_argument("--version", action="version", version=f"gems {_version()}")
    # Subparsers have the class of their parent.
    choices = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, command in known.items():
        each = choices.add_parser(
            name,
            help=command.summary.replace("%", "%%"),
            **help_around(command),
        )
        if words[:1] == [name]:
            _configure(name, command, each)
            if {"-h", "--help"} & set(words):
                each.epilog = f"{each.epilog or ''}{_broken_of(command)}"
        each.set_defaults(execute=command.run)
    return parser


def _broken_of(command: Command) -> str:
    """The broken plug-ins of a command, for the end of its help."""
    return broken_list(each for group in command.groups for each in group.find().broken)


def _configure(name: str, command: Command, parser: argparse.ArgumentParser) -> None:
    """Add the arguments of a command; one of another package may fail."""
    try:
        command.configure(parser)
    except Exception as error:
        if name in BUILT_IN:
            raise
        raise InputError(f'The command "{name}" cannot be used: {in_words(error)}') from error


def help_around(command: Command) -> dict[str, Any]:
    """The help text of a command before and after its arguments, as keyword arguments of a parser."""
    sentence = f"{command.summary[:1].upper()}{command.summary[1:]}"
    return {
        "description": sentence if sentence.endswith("?") else f"{sentence}.",
        "epilog": f"Example: {command.example}",
        "formatter_class": _ExampleInOneLine,
    }


class _ExampleInOneLine(argparse.HelpFormatter):
    """Does not wrap the example, so that it can be pasted."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if text.startswith("Example") else super()._fill_text(text, width, indent)


_PLAINER = (
    (r"the following arguments are required: (.*)", r"\1 is missing"),
    (r"argument (\S+): expected .*", r"\1 needs a value"),
    (r"ambiguous option: (\S+) could match (.*)", r"\1 could mean \2. Type more of its name"),
    (r"argument (\S+): ignored explicit argument .*", r"\1 takes no value"),
)
"""Messages of argparse, and the sentences shown instead."""


class Parser(argparse.ArgumentParser):
    """A parser that reports errors in one line, without the usage."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse the arguments; refuse unknown ones here, where the options of a subcommand are known."""
        found, extra = super().parse_known_args(args, namespace)
        if extra:
            self.error(self._unknown(extra[0]))
        return found, extra

    def _unknown(self, word: str) -> str:
        """The message about an argument that the parser does not have."""
        from gems_engine.parameters import closest_name  # imports numpy, which the help does not need

        if not word.startswith("-"):
            return f"Unexpected argument {quoted(word)}."
        near = closest_name(word.strip("-"), (name[2:] for name in self._option_string_actions if name[:2] == "--"))
        return f"Unknown option {quoted(word)}" + (f": did you mean {quoted(f'--{near}')}?" if near else ".")

    def error(self, message: str) -> None:  # type: ignore[override]
        """Print the message in one line and exit with code 2."""
        for pattern, plainer in _PLAINER:
            message = re.sub(pattern, plainer, message)
        end = "" if message.endswith((".", "?")) else "."
        print(f"gems: {message[:1].upper()}{message[1:]}{end} See {self.prog} --help.", file=sys.stderr)
        raise SystemExit(2)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse an unknown subcommand or choice with the closest known one."""
        if action.choices is None or value in action.choices:
            return
        from gems_engine.parameters import name_hint  # imports numpy, which the help does not need

        hint = name_hint(str(value), map(str, action.choices))
        if isinstance(action, argparse._SubParsersAction):
            raise argparse.ArgumentError(None, f"Unknown command {quoted(value)}: {hint}")
        name = "/".join(action.option_strings) or action.metavar
        raise argparse.ArgumentError(None, f"{name} {quoted(str(value))} is not allowed: {hint}")


def _version() -> str:
    return own_version() or "(not installed)"


if __name__ == "__main__":
    sys.exit(main())
