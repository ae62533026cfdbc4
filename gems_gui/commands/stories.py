"""`gems stories`: lists the built-in stories, prints one, or builds their files."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from gems_engine.commands.command import Command, add_json
from gems_gui.commands.arguments import STORIES


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("action", nargs="?", default="list", metavar="ACTION", help="list (default), show or build")
    parser.add_argument(
        "story", nargs="?", metavar="STORY|RUN.gems", help="for show: the name of a story, or a run file with a story"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FOLDER",
        default=STORIES,
        help=f"for build: folder for the files (default: {STORIES})",
    )
    add_json(parser)


def _run(arguments: Namespace) -> int:
    from gems_gui.commands import story_files  # imports the engine, not needed to list commands

    return story_files.perform(arguments.action, arguments.story, Path(arguments.output), arguments.json)


COMMAND = Command(
    summary="list, show or build the built-in stories",
    example="gems stories show why-model-selection",
    configure=_configure,
    run=_run,
)
