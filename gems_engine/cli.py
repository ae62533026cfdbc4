"""The command `gems`: reads a command line, runs a subcommand, says what went wrong in one sentence."""

from __future__ import annotations

import argparse
import errno
import io
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from gems_engine.commands import WINDOW, commands
from gems_engine.commands.command import Command
from gems_engine.errors import Cancelled, InputError
from gems_engine.processes import one_thread_each
from gems_engine.version import own_version

DESCRIPTION = (
    """Model selection for pure exploration in linear bandits: GEMS, RAGE, and the optimal designs under them."""
)
EXAMPLES = (
    ("gems demo", "a story of a minute"),
    ("gems run paper-hard -o run.gems", "GEMS on the paper's hard instance"),
    ("gems verify run.gems", "and the same again from its seed"),
    ("gems", "the window; gems doctor says why it does not open"),
)
"""Command lines to begin with, which work when they are pasted one after the other, and what each does."""


def main(words: Sequence[str] | None = None) -> int:
    """Run `gems` with these words (default: those of the process) and return its exit code.

    Without any it opens the window, where a package has brought that command, and shows the help otherwise.
    """
    prepare()
    words = list(sys.argv[1:] if words is None else words)
    known = commands()
    if not words and WINDOW in known:
        words = [WINDOW]
    return execute(_parser(known, words), words)


def prepare() -> None:
    """Set the process up for a command line; before a parser is made, because some of them load the engine."""
    one_thread_each()
    sys.stdout = sys.stdout or io.StringIO()  # closed by whoever started us
    sys.stderr = sys.stderr or io.StringIO()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # ρ⋆ on a terminal that cannot show it is no reason to fail


def execute(parser: argparse.ArgumentParser, words: Sequence[str]) -> int:
    """Read words by a parser, do what its default ``execute`` says, and return the exit code.

    0 is success, 2 bad input (one sentence on stderr), 130 interrupted.
    """
    try:
        arguments = parser.parse_args(words)
    except SystemExit as end:  # argparse has said why
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
        print("gems: There is not enough memory for that.", file=sys.stderr)
        return 2
    except BrokenPipeError:  # whoever read our output has seen enough
        _forget_output()
        return 0
    except OSError as error:  # a full disk under our output, for example; files have sentences of their own
        if error.errno == errno.ENAMETOOLONG:
            print(
                "gems: A word of the command is too long to be the name of a file or of anything else.", file=sys.stderr
            )
            return 2
        _forget_output()
        print(f"gems: The output could not be written: {error.strerror or error}.", file=sys.stderr)
        return 2
    return int(code)


def _forget_output() -> None:
    """What is still buffered goes nowhere, instead of failing once more when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser(known: Mapping[str, Command], words: Sequence[str]) -> argparse.ArgumentParser:
    """The parser; only a command that is named gets its arguments, so that the others load nothing."""
    width = max(len(line) for line, _ in EXAMPLES)
    examples = "\n".join(f"  {line.ljust(width)}  {what}" for line, what in EXAMPLES)
    parser = Parser(
        prog="gems",
        description=DESCRIPTION,
        epilog=f"Examples:\n{examples}\n\nEach command says more: gems run --help",
        formatter_class=_ExampleInOneLine,
    )
    parser.add_argument("--version", action="version", version=f"gems {_version()}")
    # Subparsers are made with the class of their parent.
    choices = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, command in known.items():
        each = choices.add_parser(
            name,
            help=command.summary,
            **help_around(command),
        )
        if name in words:
            command.configure(each)
        each.set_defaults(execute=command.run)
    return parser


def help_around(command: Command) -> dict[str, Any]:
    """What the help of a command says before and after its arguments, for a parser of it."""
    first, rest = command.summary[:1], command.summary[1:]
    sentence = f"{first.upper() if first.isascii() else first}{rest}"  # the paper's letters have no other case
    return {
        "description": sentence if sentence.endswith("?") else f"{sentence}.",
        "epilog": f"Example: {command.example}",
        "formatter_class": _ExampleInOneLine,
    }


class _ExampleInOneLine(argparse.HelpFormatter):
    """Leaves the example as it is: a line that is broken cannot be pasted."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if text.startswith("Example") else super()._fill_text(text, width, indent)


class Parser(argparse.ArgumentParser):
    """Arguments whose errors are one line, without the usage that buries them."""

    def error(self, message: str) -> None:  # type: ignore[override]
        """Say it in one line and end with code 2."""
        print(f"gems: {message[:1].upper()}{message[1:]}; {self.prog} --help shows what is possible.", file=sys.stderr)
        raise SystemExit(2)


def _version() -> str:
    return own_version() or "(not installed)"


if __name__ == "__main__":
    sys.exit(main())
