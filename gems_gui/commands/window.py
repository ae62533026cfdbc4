"""`gems window [FILE…]`, also `gems` and `gems-gui` without a command: opens the window."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable

from gems_engine.commands.command import Command, real
from gems_engine.errors import InputError
from gems_engine.talk.shipped import SHIPPED
from gems_gui.commands.arguments import picture_file, refuse
from gems_gui.painting.picture_size import picture_size
from gems_gui.start_checks import window_obstacle


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="*",
        help="instances (.json, .npz, .csv, .tsv), runs (.gems) and experiments (.toml, a folder of results) to open",
    )
    parser.add_argument("--preset", metavar="NAME", help="fill the form with a preset, by its name or title")
    parser.add_argument("--play", action="store_true", help="run the form, or play the files, immediately")
    parser.add_argument("--story", metavar="NAME", help="play a built-in story (see gems stories)")
    parser.add_argument("--screenshot", metavar="FILE.png", help="save a picture of the window, then exit")
    parser.add_argument("--after", metavar="SECONDS", help="when to take the picture (default: 1)")
    parser.add_argument("--size", metavar="WxH", help="size of the window in the picture (default: as it opens)")


def _run(arguments: Namespace) -> int:
    if obstacle := window_obstacle():
        return refuse(obstacle)
    missing = [name for name in arguments.files if not os.path.isfile(name) and not _holds_results(name)]
    if missing and (len(missing) == len(arguments.files) or arguments.screenshot is not None):
        # Otherwise the window opens the others and reports this one.
        raise InputError(f"There is no file {missing[0]}.")
    if arguments.screenshot is None:
        for option in ("after", "size"):
            if getattr(arguments, option) is not None:
                raise InputError(f"--{option} is for pictures. Use it with --screenshot FILE.png.")
    file = None if arguments.screenshot is None else picture_file(arguments.screenshot, "--screenshot")
    after = real(arguments.after, 1.0, "--after", 0.0, 3600.0)
    size = None if arguments.size is None else picture_size(arguments.size)
    if arguments.preset is not None:
        from gems_gui.drafts.presets import preset_named  # imports numpy, not needed to list commands

        arguments.preset = preset_named(arguments.preset).name
    if arguments.story is not None:
        _check_name("story", arguments.story, SHIPPED)

    from gems_engine.files import atomic_write  # imports numpy, not needed to list commands
    from gems_gui.launch import Screenshot, show  # imports Qt, only after the checks

    screenshot = None if file is None else Screenshot(after, size)
    code, picture = show(arguments.files, arguments.preset, arguments.play, screenshot, arguments.story)
    if file is not None and picture:
        atomic_write(file, picture)
        print(f"Saved a picture of the window as {file}.")
    return code


def _holds_results(name: str) -> bool:
    """Whether a folder contains results of an experiment."""
    if not os.path.isdir(name):
        return False
    from gems_engine.experiment.folder import holds_results  # imports numpy; needed only for a folder

    if not holds_results(name):
        raise InputError(f"The folder {name} contains no results of an experiment.")
    return True


def _check_name(kind: str, name: str, known: Iterable[str]) -> None:
    if name not in (names := tuple(known)):
        from gems_engine.parameters import unknown_name  # imports numpy, not needed to list commands

        raise unknown_name(kind, name, names)


COMMAND = Command(
    summary="open the window, with files if given (the default command)",
    example="gems window --preset paper-hard --play",
    configure=_configure,
    run=_run,
)
