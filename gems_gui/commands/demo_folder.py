"""`gems demo` without a display: text, and a folder with a summary, a run and the pictures of its story."""

from __future__ import annotations

import io
import sys
from argparse import Namespace
from contextlib import redirect_stdout
from pathlib import Path

from gems_engine.commands import demo as words
from gems_engine.errors import InputError
from gems_engine.files import atomic_write, write_run
from gems_engine.summary import summarise
from gems_engine.terminal import plural, shown_json
from gems_gui.commands.story_files import story_of
from gems_gui.start_checks import painting_obstacle

PICTURES = "story"
"""The folder of the pictures, inside that of the demo."""


def write_demo(arguments: Namespace) -> int:
    """Print the text first, as it needs no Qt and appears even if nothing can be painted; then write the files.

    Without Qt's libraries there are no pictures, and a sentence on stderr names the missing packages.
    """
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
        print(f"\nThe summary and the run are in {folder}. The pictures could not be painted.", flush=True)
        print(f"gems: {obstacle}", file=sys.stderr)
        return 0
    from gems_gui.commands.demo_pictures import paint_story  # imports Qt, only after the checks

    count = paint_story(trace, folder / PICTURES)
    assert trace.story is not None
    print(
        f'\nThe story "{trace.story.title}" is in {folder / PICTURES}: {plural(count, "picture")}. Its run and the '
        f"summary are in {folder}. With a display, gems demo opens the race in the window."
    )
    return 0


def new_folder(wanted: Path) -> Path:
    """Make a new or empty folder of this name, with the next free number appended if it exists."""
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
            raise InputError(f"Cannot create the folder {folder}: {reason}. Choose another with --output.") from error
