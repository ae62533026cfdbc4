"""`gems demo` without a display: words, and a folder with a summary, a run and the pictures of its story."""

from __future__ import annotations

import io
from argparse import Namespace
from contextlib import redirect_stdout
from pathlib import Path

from gems_engine.commands import demo as words
from gems_engine.errors import InputError
from gems_engine.files import atomic_write, write_run
from gems_engine.summary import summarise
from gems_engine.terminal import shown_json
from gems_gui.commands.arguments import refuse
from gems_gui.commands.story_files import story_of
from gems_gui.start_checks import painting_obstacle

PICTURES = "story"
"""The folder that they go to, inside that of the demo."""


def write_demo(arguments: Namespace) -> int:
    """Words first: they need no Qt, so that they come even where nothing can be painted."""
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
    from gems_gui.commands.demo_pictures import paint_story  # brings Qt, which is loaded after the checks only

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
