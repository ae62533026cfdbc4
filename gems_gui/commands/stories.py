"""`gems stories`: the stories that come with the program: list them, read one, build their files anew."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from gems_engine.commands.command import Command
from gems_gui.commands.arguments import STORIES


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("action", nargs="?", default="list", metavar="ACTION", help="list (default), show or build")
    parser.add_argument(
        "story", nargs="?", metavar="STORY|RUN.gems", help="show: a story by its name, or a run with one"
    )
    parser.add_argument(
        "-o", "--output", metavar="FOLDER", default=STORIES, help=f"build: where the files go (default {STORIES})"
    )


def _run(arguments: Namespace) -> int:
    from gems_gui.commands import story_files  # brings the engine, which the list of commands does without

    return story_files.perform(arguments.action, arguments.story, Path(arguments.output))


COMMAND = Command(
    summary="the stories that come with the program: list, show, build",
    example="gems stories show why-model-selection",
    configure=_configure,
    run=_run,
)
