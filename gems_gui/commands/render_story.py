"""`gems render RUN --story`: the story of a run as a film, pages, or pictures."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from gems_engine.commands.command import real, whole
from gems_engine.errors import InputError
from gems_engine.formats import story_format
from gems_engine.talk.bound_story import BoundStory
from gems_engine.terminal import ProgressBar, plural
from gems_gui.commands.standard_output import STDOUT
from gems_gui.commands.story_files import story_of
from gems_gui.painting.export import export
from gems_gui.painting.format import ExportJob
from gems_gui.painting.formats import format_by_suffix, suffix_of
from gems_gui.painting.frames import PAPER, Look
from gems_gui.painting.limits import MOST_SCALE
from gems_gui.painting.picture_size import picture_size
from gems_gui.painting.story_frames import story_frames
from gems_gui.theme import LARGEST_SCALE

SIZE = "1920x1080"
_OWN = {
    "at": "--at",
    "first": "--from",
    "last": "--to",
    "every": "--every",
    "caption": "--caption",
    "arm": "--arm",
    "beside": "--with",
}
"""Options that a story determines."""


def render_story(arguments: Namespace, output: Path, fps: float) -> int:
    """Write the stories of runs, or built-in stories by name."""
    form = format_by_suffix(suffix_of(output))
    for name, option in _OWN.items():
        if (name, form.suffix) != ("every", ".html") and getattr(arguments, name) is not None:
            raise InputError(f"{option} cannot be used with --story: the story determines what is shown.")
    if arguments.style == PAPER:
        raise InputError("--style paper cannot be used with --story: a story is for a talk.")
    look = Look(
        picture_size(arguments.size or form.size or SIZE),
        real(arguments.scale, 1.0, "--scale", 0.0, MOST_SCALE),
        arguments.theme,
        real(arguments.text, 1.0, "--text", 0.0, LARGEST_SCALE),
        captions=True,
        truth=not arguments.hide_truth,
        projector=True,
        live_text=arguments.svg_text,
    )
    for count, source in enumerate(arguments.sources, 1):
        trace = story_of(source)
        bound_story = BoundStory(trace)
        frames = story_frames(bound_story, look.truth, fps if form.film else None, every=arguments.every)
        words = plural(len(bound_story), "moment")
        if arguments.story:
            at = whole(arguments.story, 1, "--story", 1, len(bound_story))
            frames = story_frames(bound_story, look.truth)[at - 1 : at]
            words = f"moment {at} of {len(bound_story)}"
        file = output if len(arguments.sources) == 1 else output.with_stem(f"{output.stem}-{count}")
        job = ExportJob(file, frames, look, fps, bound_story.story.title, story_format.to_json(bound_story.story))
        with ProgressBar(file.name) as bar:
            export(trace, job, bar, bound_story.traces[1:])
        print(f"{'standard output' if arguments.output == STDOUT else file}: {bound_story.story.title}, {words}")
        for note in trace.notes:
            print(f"  {note}")
    return 0
