"""Built-in stories and stories in run files: list, print as text, build."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gems_engine.errors import InputError
from gems_engine.files import RUN_SUFFIX, read_run, write_run
from gems_engine.parameters import unknown_name
from gems_engine.talk.bound_story import BoundStory
from gems_engine.talk.shipped import SHIPPED
from gems_engine.terminal import plural, print_json
from gems_engine.trace import Trace
from gems_gui.assets import asset
from gems_gui.commands.arguments import STORIES
from gems_gui.talk.moment_text import where_text

ACTIONS = ("list", "show", "build")


def perform(action: str, story: str | None, folder: Path, as_json: bool = False) -> int:
    """Perform an action; returns the exit code."""
    if action not in ACTIONS:
        raise unknown_name("action", action, ACTIONS)
    if action == "build":
        return build(folder, as_json)
    return show(story, as_json) if action == "show" else list_stories(as_json)


def list_stories(as_json: bool = False) -> int:
    """Print names, titles and descriptions."""
    if as_json:
        print_json([{"name": name, "title": each.title, "about": each.about} for name, each in SHIPPED.items()])
        return 0
    width = max(map(len, SHIPPED))
    for name, shipped in SHIPPED.items():
        print(f"{name.ljust(width)}  {shipped.title}\n{' ' * width}  {shipped.about}")
    return 0


def story_of(word: str | None) -> Trace:
    """The run of a built-in story or of a run file with a story."""
    name = next(iter(SHIPPED)) if word is None else word
    if name in SHIPPED:
        return read_run(asset(f"stories/{name}.gems"))
    if Path(name).suffix.lower() != RUN_SUFFIX and not Path(name).is_file():
        raise unknown_name("story", name, SHIPPED)
    trace = read_run(name)
    if trace.story is None or not trace.story.moments:
        raise InputError(f"{name} has no story. Open it in the window and press M to add moments.")
    return trace


def show(word: str | None, as_json: bool = False) -> int:
    """Print a story: every moment with its caption and notes."""
    bound_story = BoundStory(story_of(word))
    if as_json:
        print_json(_as_dict(bound_story))
        return 0
    print(f"{bound_story.story.title}\n{bound_story.story.about}\n")
    for at in range(len(bound_story)):
        views = ", ".join(bound_story[at].views)
        print(f"{at + 1:3}  {bound_story.caption(at)}\n     ({where_text(bound_story, at)}; {views})")
        for line in bound_story[at].notes.splitlines():
            print(f"     {line}")
    print(f"\n{plural(len(bound_story), 'moment')}, {bound_story.duration:.0f} seconds to read.")
    return 0


def _as_dict(bound_story: BoundStory) -> dict[str, Any]:
    """A story as plain values for JSON."""
    return {
        "title": bound_story.story.title,
        "about": bound_story.story.about,
        "seconds": bound_story.duration,
        "moments": [
            {
                "caption": bound_story.caption(at),
                "events": bound_story.cursor(at),
                "views": list(bound_story[at].views),
                "notes": bound_story[at].notes,
            }
            for at in range(len(bound_story))
        ],
    }


def build(folder: Path, as_json: bool = False) -> int:
    """Run every story again and write its file."""
    if not folder.is_dir():
        raise InputError(f"-o {folder}: the folder does not exist. In a checkout, use {STORIES}.")
    files = []
    for name, shipped in SHIPPED.items():
        file = folder / f"{name}.gems"
        write_run(file, shipped.build())
        files.append({"file": str(file), "title": shipped.title})
        if not as_json:
            print(f"{file}: {shipped.title}")
    if as_json:
        print_json(files)
    return 0
