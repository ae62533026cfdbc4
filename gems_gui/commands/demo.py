"""`gems demo`: the paper's hard instance, played in the window; without a display, in words and pictures."""

from __future__ import annotations

import io
from argparse import ArgumentParser, Namespace
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gems_engine.commands import demo as words
from gems_engine.commands.command import Command
from gems_engine.errors import InputError
from gems_gui.commands.arguments import refuse
from gems_gui.start_checks import painting_obstacle, somebody_looks, window_obstacle

if TYPE_CHECKING:
    from gems_engine.trace import Trace

PRESET = "paper-hard"
SIZE = (1600, 1000)
"""Of the pictures, in pixels."""


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
    from gems_gui.showing import show

    return show(preset=PRESET, play=True)[0]


def _without_window(arguments: Namespace) -> int:
    """Words first: they need no Qt, so that they come even where nothing can be painted."""
    from gems_engine.files import atomic_write, write_run
    from gems_engine.summary import summarise
    from gems_engine.terminal import shown_json

    folder = new_folder(Path(arguments.output))
    said = io.StringIO()
    with redirect_stdout(said):
        words.COMMAND.run(arguments)
    print(said.getvalue(), end="", flush=True)
    trace = preset_run()
    atomic_write(folder / "summary.txt", said.getvalue().encode())
    atomic_write(folder / "summary.json", shown_json(summarise(trace).as_dict()).encode())
    write_run(folder / "run.gems", trace)
    if obstacle := painting_obstacle():
        print(f"\nThe summary and a run of GEMS are in {folder}, but there are no pictures.", flush=True)
        return refuse(obstacle)
    names = paint_moments(trace, folder)
    print(
        f"\nPictures of a run of GEMS ({', '.join(names)}), the summary and the run itself are in {folder}. "
        f"Where there is a display, gems window {folder / 'run.gems'} opens it."
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


def preset_run() -> Trace:
    """The run that the window would play."""
    from gems_engine.running import Run
    from gems_gui.draft import build_instance
    from gems_gui.presets import PRESETS

    draft = PRESETS[PRESET].draft
    parameters: dict[str, Any] = draft.algorithm_values()
    return Run(build_instance(draft.source), draft.algorithm, draft.seed_value(), **parameters).finish()


def moments(trace: Trace) -> list[tuple[str, int]]:
    """What is worth a picture, with its cursor: the first elimination, right for good, the end."""
    from gems_engine.events import Eliminated, Recommended
    from gems_engine.summary import Tally

    found = []
    for at in map(int, trace.positions(Eliminated)):
        event = trace[at]
        assert isinstance(event, Eliminated)
        if len(event.targets):
            found.append(("first-elimination", at + 1))
            break
    tally = Tally(trace.instance)
    right = None
    for at, event in enumerate(trace):
        tally.add(event)
        if isinstance(event, Recommended):
            right = (at if right is None else right) if tally.right(event.target) else None
    if right is not None:
        found.append(("right-for-good", right + 1))
    return [*found, ("end", len(trace))]


def paint_moments(trace: Trace, folder: Path) -> list[str]:
    """Paint the board at these moments, and the end in the dark theme too; the names of the files."""
    from gems_engine.files import atomic_write
    from gems_gui.commands.render import start_painting

    start_painting()
    from gems_gui.render import picture

    scenes = [(name, cursor, "light") for name, cursor in moments(trace)]
    scenes.append(("end-dark", len(trace), "dark"))
    names = []
    for count, (name, cursor, theme) in enumerate(scenes, 1):
        names.append(f"{count}-{name}.png")
        atomic_write(folder / names[-1], picture(trace, cursor, "board", SIZE, theme, 1.0))
    return names


COMMAND = Command(
    summary=words.COMMAND.summary,
    example="gems demo",
    configure=_configure,
    run=_run,
)
