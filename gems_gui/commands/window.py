"""`gems window [FILE…]`, which is also bare `gems` and `gems-gui`: opens the window."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace

from gems_engine.commands.command import Command, real
from gems_engine.errors import InputError
from gems_gui.commands.arguments import picture_file, picture_size, refuse
from gems_gui.start_checks import window_obstacle


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="*",
        help="instances (.json, .npz, .csv), runs (.gems), and experiments (.toml, or a folder of results) to open",
    )
    parser.add_argument("--preset", metavar="NAME", help="put a preset into the form, as in paper-hard")
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
        raise InputError(f"{missing[0]}: there is no such file.")  # else the window opens the others and says which not
    if arguments.screenshot is None:
        for option in ("after", "size"):
            if getattr(arguments, option) is not None:
                raise InputError(f"--{option} is for a picture: give --screenshot FILE.png with it.")
    file = None if arguments.screenshot is None else picture_file(arguments.screenshot, "--screenshot")
    after = real(arguments.after, 1.0, "--after", 0.0, 3600.0)
    size = None if arguments.size is None else picture_size(arguments.size)
    if arguments.preset is not None:
        _check_preset(arguments.preset)
    if arguments.story is not None:
        _check_story(arguments.story)

    from gems_engine.files import atomic_write
    from gems_gui.application import Screenshot, show

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
    from gems_engine.experiment.folder import holds_results

    if not holds_results(name):
        raise InputError(f"{name}: it is a folder, and holds no results of an experiment.")
    return True


def _check_preset(name: str) -> None:
    from gems_engine.parameters import unknown_name
    from gems_gui.drafts.presets import PRESETS

    if name not in PRESETS:
        raise unknown_name("preset", name, PRESETS)


def _check_story(name: str) -> None:
    from gems_engine.parameters import unknown_name
    from gems_engine.talk.shipped import SHIPPED

    if name not in SHIPPED:
        raise unknown_name("story", name, SHIPPED)


COMMAND = Command(
    summary="open the window, with files if there are any (gems alone does the same)",
    example="gems window --preset paper-hard --play",
    configure=_configure,
    run=_run,
)
