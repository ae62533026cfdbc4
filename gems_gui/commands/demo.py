"""`gems demo`: the first story of the program, played in the window; without a display, in words and pictures."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from gems_engine.commands import demo as words
from gems_engine.commands.command import Command
from gems_engine.talk.shipped import SHIPPED
from gems_gui.commands.arguments import refuse
from gems_gui.start_checks import display_available, window_obstacle


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("--no-window", action="store_true", help="words and pictures, even where there is a display")
    parser.add_argument(
        "--output",
        metavar="FOLDER",
        default="gems-demo",
        help="where the pictures go (a new folder; default gems-demo)",
    )


def _run(arguments: Namespace) -> int:
    if arguments.no_window or not display_available():
        from gems_gui.commands.demo_folder import write_demo  # brings numpy, which the list of commands does without

        return write_demo(arguments)
    if obstacle := window_obstacle():
        return refuse(obstacle)
    from gems_gui.launch import show  # brings Qt, which is loaded after the checks only

    return show(story=next(iter(SHIPPED)))[0]


COMMAND = Command(
    summary=words.COMMAND.summary,
    example="gems demo",
    configure=_configure,
    run=_run,
)
