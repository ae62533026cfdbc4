"""`gems window [FILE…]`, which is also bare `gems` and `gems-gui`: opens the window."""

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
        help="instances (.json, .npz, .csv), runs (.gems), and experiments (.toml, or a folder of results) to open",
    )
    parser.add_argument("--preset", metavar="NAME", help="put a preset into the form, by its name or its title")
    parser.add_argument("--play", action="store_true", help="run what the form has, or play the files, at once")
    parser.add_argument("--story", metavar="NAME", help="play a story of the program's, see gems stories")
    parser.add_argument("--screenshot", metavar="FILE.png", help="save a picture of the window, then end")
    parser.add_argument("--after", metavar="SECONDS", help="when to take the picture (default 1)")
    parser.add_argument("--size", metavar="WxH", help="size of the window on the picture (default: as it opens)")


def _run(arguments: Namespace) -> int:
    if obstacle := window_obstacle():
        return refuse(obstacle)
    missing = [name for name in arguments.files if not os.path.isfile(name) and not _holds_results(name)]
    if missing and (len(missing) == len(arguments.files) or arguments.screenshot is not None):
        raise InputError(f"There is no file {missing[0]}.")  # else the window opens the others and says which not
    if arguments.screenshot is None:
        for option in ("after", "size"):
            if getattr(arguments, option) is not None:
                raise InputError(f"--{option} is for a picture: give --screenshot FILE.png with it.")
    file = None if arguments.screenshot is None else picture_file(arguments.screenshot, "--screenshot")
    after = real(arguments.after, 1.0, "--after", 0.0, 3600.0)
    size = None if arguments.size is None else picture_size(arguments.size)
    if arguments.preset is not None:
        from gems_gui.drafts.presets import preset_named  # brings numpy, which the list of commands does without

        arguments.preset = preset_named(arguments.preset).name
    if arguments.story is not None:
        _check_name("story", arguments.story, SHIPPED)

    from gems_engine.files import atomic_write  # brings numpy, which the list of commands does without
    from gems_gui.launch import Screenshot, show  # brings Qt, which is loaded after the checks only

    screenshot = None if file is None else Screenshot(after, size)
    code, picture = show(arguments.files, arguments.preset, arguments.play, screenshot, arguments.story)
    if file is not None and picture:
        atomic_write(file, picture)
        print(f"{file}: the window.")
    return code


def _holds_results(name: str) -> bool:
    """Whether it is a folder of an experiment."""
    if not os.path.isdir(name):
        return False
    from gems_engine.experiment.folder import holds_results  # brings numpy; few windows open a folder

    if not holds_results(name):
        raise InputError(f"{name}: it is a folder, and holds no results of an experiment.")
    return True


def _check_name(kind: str, name: str, known: Iterable[str]) -> None:
    if name not in (names := tuple(known)):
        from gems_engine.parameters import unknown_name  # brings numpy, which the list of commands does without

        raise unknown_name(kind, name, names)


COMMAND = Command(
    summary="open the window, with files if there are any (gems alone does the same)",
    example="gems window --preset paper-hard --play",
    configure=_configure,
    run=_run,
)
