"""The program `gems-gui [FILE…]`: the command `gems window` under another name, for desktop menus."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from gems_engine.cli import Parser, execute, help_around, prepare
from gems_gui.commands.window import COMMAND


def main(words: Sequence[str] | None = None) -> int:
    """Open the window with these arguments (default: those of the process) and return its exit code."""
    prepare()
    parser = Parser(prog="gems-gui", **help_around(COMMAND))
    COMMAND.configure(parser)
    parser.set_defaults(execute=COMMAND.run)
    return execute(parser, sys.argv[1:] if words is None else words)
