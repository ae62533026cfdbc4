"""`gems demo`: the first story of the program, played in the window; without a display, in words and pictures."""

from __future__ import annotations

import io
from argparse import ArgumentParser, Namespace
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

from gems_engine.commands import demo as words
from gems_engine.commands.command import Command
from gems_engine.errors import InputError
from gems_gui.commands.arguments import refuse
from gems_gui.start_checks import painting_obstacle, somebody_looks, window_obstacle

if TYPE_CHECKING:
    from gems_engine.trace import Trace

SIZE = (1600, 900)
"""Of the pictures, in pixels."""
PICTURES = "story"
"""The folder that they go to, inside that of the demo."""


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("--no-window", action="store_true", help="words and pictures, even where there is a display")
    parser.add_argument(
        "--output",
        metavar="FOLDER",
        default="gems-demo",
        help="where the pictures go (a new folder; default gems-demo)",
    )


def _run(arguments: Namespace) -> int:
    if arguments.no_window or not somebody_looks():
        return _without_window(arguments)
    if obstacle := window_obstacle():
        return refuse(obstacle)
    from gems_engine.talk.shipped import SHIPPED
    from gems_gui.application import show

    return show(story=next(iter(SHIPPED)))[0]


def _without_window(arguments: Namespace) -> int:
    """Words first: they need no Qt, so that they come even where nothing can be painted."""
    from gems_engine.files import atomic_write, write_run
    from gems_engine.summary import summarise
    from gems_engine.terminal import shown_json
    from gems_gui.commands.stories import story_of

    folder = new_folder(Path(arguments.output))
    said = io.StringIO()
    with redirect_stdout(said):
        words.COMMAND.run(arguments)
    print(said.getvalue(), end="", flush=True)
    trace = story_of(None)
    atomic_write(folder / "summary.txt", said.getvalue().encode())
    atomic_write(folder / "summary.json", shown_json(summarise(trace).as_dict()).encode())
    write_run(folder / "run.gems", trace)
    if obstacle := painting_obstacle():
        print(f"\nThe summary and a run of GEMS are in {folder}, but there are no pictures.", flush=True)
        return refuse(obstacle)
    count = paint_story(trace, folder / PICTURES)
    assert trace.story is not None
    print(
        f"\nThe story «{trace.story.title}» in {count} pictures is in {folder / PICTURES}; the summary and the run "
        f"that it tells of are in {folder}. Where there is a display, gems demo plays it."
    )
    return 0


def new_folder(wanted: Path) -> Path:
    """A folder of this name that is new or empty; where that is taken, with the next free number behind it."""
    number = 1
    while True:
        folder = wanted if number == 1 else wanted.with_name(f"{wanted.name}-{number}")
        try:
            folder.mkdir(parents=True)
            return folder
        except FileExistsError:
            if folder.is_dir() and not any(folder.iterdir()):
                return folder
            number += 1
        except OSError as error:
            reason = (error.strerror or type(error).__name__).lower()
            raise InputError(f"{folder}: the folder cannot be made: {reason}; --output names another.") from error


def paint_story(trace: Trace, folder: Path) -> int:
    """Paint the moments of a run's story as numbered pictures in a new folder; how many there are."""
    from gems_engine.talk.telling import Telling
    from gems_gui.commands.render import start_painting

    start_painting()
    from gems_gui.painting.export import export
    from gems_gui.painting.format import ExportJob
    from gems_gui.painting.frames import Look
    from gems_gui.painting.story_frames import story_frames

    telling = Telling(trace)
    frames = story_frames(telling)
    export(trace, ExportJob(folder, frames, Look(SIZE, captions=True, hall=True)), companions=telling.traces[1:])
    return len(frames)


COMMAND = Command(
    summary=words.COMMAND.summary,
    example="gems demo",
    configure=_configure,
    run=_run,
)
