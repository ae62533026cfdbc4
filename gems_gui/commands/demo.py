"""`gems demo`: opens the race in the window; without a display, writes text and pictures."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from gems_engine.commands import demo as words
from gems_engine.commands.command import Command
from gems_gui.start_checks import display_available, painting_obstacle, window_obstacle


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("--no-window", action="store_true", help="write text and pictures, even if there is a display")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FOLDER",
        default="gems-demo",
        help="new folder for the pictures (default: gems-demo)",
    )


def _run(arguments: Namespace) -> int:
    wanted = not arguments.no_window and display_available()
    obstacle = window_obstacle() if wanted else ""
    if not wanted or obstacle:
        from gems_gui.commands.demo_folder import write_demo  # imports numpy, not needed to list commands

        if obstacle and obstacle != painting_obstacle():  # which follows the text
            print(f"gems: {obstacle}", file=sys.stderr)
        return write_demo(arguments)
    from gems_gui.drafts.presets import RACE  # imports numpy, not needed to list commands
    from gems_gui.launch import show  # imports Qt, only after the checks

    return show(preset=RACE, play=True)[0]


COMMAND = Command(
    summary=words.COMMAND.summary,
    example="gems demo",
    configure=_configure,
    run=_run,
)
