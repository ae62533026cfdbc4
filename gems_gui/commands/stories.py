"""`gems stories`: the stories that come with the program: list them, read one, build their files anew."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from gems_engine.commands.command import Command
from gems_engine.errors import InputError

if TYPE_CHECKING:
    from gems_engine.trace import Trace

ACTIONS = ("list", "show", "build")
FOLDER = "assets/stories"
"""Where the files of a checkout are."""


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("action", nargs="?", default="list", metavar="ACTION", help="list (default), show or build")
    parser.add_argument(
        "story", nargs="?", metavar="STORY|RUN.gems", help="show: a story by its name, or a run with one"
    )
    parser.add_argument(
        "-o", "--output", metavar="FOLDER", default=FOLDER, help=f"build: where the files go (default {FOLDER})"
    )


def _run(arguments: Namespace) -> int:
    if arguments.action not in ACTIONS:
        from gems_engine.parameters import unknown_name

        raise unknown_name("action", arguments.action, ACTIONS)
    if arguments.action == "build":
        return build(Path(arguments.output))
    return show(arguments.story) if arguments.action == "show" else list_stories()


def list_stories() -> int:
    """Names, titles and what there is to see."""
    from gems_engine.talk.shipped import SHIPPED

    width = max(map(len, SHIPPED))
    for name, shipped in SHIPPED.items():
        print(f"{name.ljust(width)}  {shipped.title}\n{' ' * width}  {shipped.about}")
    return 0


def story_of(word: str | None) -> Trace:
    """The run that a word means, with its story: one of the program's, or a file."""
    from gems_engine.files import RUN_SUFFIX, read_run
    from gems_engine.parameters import unknown_name
    from gems_engine.talk.shipped import SHIPPED
    from gems_gui.assets import asset

    name = next(iter(SHIPPED)) if word is None else word
    if name in SHIPPED:
        return read_run(asset(f"stories/{name}.gems"))
    if Path(name).suffix.lower() != RUN_SUFFIX and not Path(name).is_file():
        raise unknown_name("story", name, SHIPPED)
    trace = read_run(name)
    if trace.story is None or not trace.story.moments:
        raise InputError(f"{name}: the run has no story: M in the window adds the moment that is shown to one.")
    return trace


def show(word: str | None) -> int:
    """A story as a text: every moment with its caption and its notes."""
    from gems_engine.talk.telling import Telling
    from gems_gui.talk.moment_words import where_words

    telling = Telling(story_of(word))
    print(f"{telling.story.title}\n{telling.story.about}\n")
    for at in range(len(telling)):
        print(f"{at + 1:3}  {telling.caption(at)}\n     ({where_words(telling, at)}; {', '.join(telling[at].views)})")
        for line in telling[at].notes.splitlines():
            print(f"     {line}")
    print(f"\n{len(telling)} moments, {telling.duration:.0f} seconds to read.")
    return 0


def build(folder: Path) -> int:
    """Run every story anew and write its file."""
    from gems_engine.files import write_run
    from gems_engine.talk.shipped import SHIPPED

    if not folder.is_dir():
        raise InputError(f"-o {folder}: there is no such folder; in a checkout it is {FOLDER}.")
    for name, shipped in SHIPPED.items():
        file = folder / f"{name}.gems"
        write_run(file, shipped.build())
        print(f"{file}: {shipped.title}")
    return 0


COMMAND = Command(
    summary="the stories that come with the program: list, show, build",
    example="gems stories show why-model-selection",
    configure=_configure,
    run=_run,
)
