"""The settings of the export dialog, with the request and the command line for them. Does not import Qt."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from gems_engine.commands.command import real
from gems_engine.errors import InputError
from gems_gui.exports.export_request import ExportRequest
from gems_gui.painting.cursor_parser import cursor_at
from gems_gui.painting.formats import FILMS, PAGE, SUFFIXES, format_by_suffix
from gems_gui.painting.frames import (
    PAPER,
    WINDOW,
    Frame,
    FrameRange,
    Look,
    paper_look,
    print_scale,
    shows_several,
    snapshot_at,
    step_caption,
    steps,
)
from gems_gui.painting.limits import MOST_FPS, MOST_SCALE
from gems_gui.painting.picture_size import picture_size
from gems_gui.painting.rows import BOARD
from gems_gui.snapshot import Snapshot

if TYPE_CHECKING:  # not needed to start the window
    from gems_engine.instance import Instance
    from gems_engine.talk.bound_story import BoundStory
    from gems_engine.talk.numbers import Lookup
    from gems_engine.trace import Trace

_BOARD = 5  # views of the first layout, shown if none are visible
_BOARD_ON_PAPER, _VIEW_ON_PAPER = "6.75 × 6.6 in", "3.25 × 2.2 in"  # a page wide, with a row of views each 2.2 in
_BOARD_SIZE, _VIEW_SIZE = "1600 × 1000", "800 × 500"  # pixels: text is readable in both


@dataclass(frozen=True)
class ExportChoice:
    """The fields of the dialog, with texts as typed.

    Attributes
    ----------
    what
        The name of a view, or the board.
    suffix
        The suffix of the format.
    several, story
        Whether to export a range of steps, or the story of the run; by default, the current step.
    first, last
        First and last step, as in :func:`gems_gui.painting.cursor_parser.cursor_at`; empty for start and end.
    captioned, words
        Whether there are captions, and their text; if empty, they say what has happened.
    style, paper_size
        ``window`` or ``paper``, and the size on paper.
    """

    what: str = BOARD
    suffix: str = ".png"
    size: str = _BOARD_SIZE
    scale: str = "1"
    theme: str = "light"
    several: bool = False
    first: str = ""
    last: str = ""
    every: str = "round"
    fps: str = "10"
    captioned: bool = False
    words: str = ""
    story: bool = False
    style: str = WINDOW
    paper_size: str = _BOARD_ON_PAPER

    @property
    def on_paper(self) -> bool:
        """Whether this is a figure for print; a story is for a talk, and a page or a table has no such style."""
        return self.style == PAPER and not self.story and self.suffix not in (PAGE, ".csv")

    @property
    def usual_size(self) -> str:
        """The size in pixels, unless another one is typed: that of the format, of all visible views, or of one."""
        each_view = format_by_suffix(self.suffix).size
        if each_view:
            return each_view.replace("x", " × ")
        return _BOARD_SIZE if self.what == BOARD or self.story else _VIEW_SIZE

    @property
    def usual_sizes(self) -> tuple[str, str]:
        """The sizes in pixels and on paper, unless others are typed."""
        return self.usual_size, _BOARD_ON_PAPER if self.what == BOARD else _VIEW_ON_PAPER

    def showing(self, what: str) -> ExportChoice:
        """The same settings for another view, in its usual sizes where the sizes are the usual ones."""
        other, mine = replace(self, what=what), (self.size, self.paper_size)
        sizes = zip(mine, self.usual_sizes, other.usual_sizes, strict=True)
        size, paper_size = (new if each == usual else each for each, usual, new in sizes)
        return replace(other, size=size, paper_size=paper_size)

    @classmethod
    def remembered(cls, values: Mapping[str, Any]) -> ExportChoice:
        """Restore saved settings; values that are not valid any more get their defaults."""
        plain = cls()
        known = {each.name: values[each.name] for each in fields(cls) if each.name in values}
        kept = {name: value for name, value in known.items() if type(value) is type(getattr(plain, name))}
        if kept.get("suffix", ".png") not in SUFFIXES or kept.get("theme", "light") not in ("light", "dark"):
            return plain
        return replace(plain, **kept)


@dataclass(frozen=True)
class Scene:
    """What the window shows.

    Attributes
    ----------
    snapshot
        The current snapshot.
    visible_views
        The visible views of the board.
    options
        The options of each view.
    text
        The scale of all text.
    bound_story
        The story of the run, if it has one.
    lookup
        Gives the numbers of captions that need a solver; if None, they are computed at once.
    """

    snapshot: Snapshot
    visible_views: tuple[str, ...] = ()
    options: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    text: float = 1.0
    bound_story: BoundStory | None = None
    lookup: Lookup | None = None

    @property
    def traces(self) -> tuple[Trace, ...]:
        """The current run; with a story, all of its runs."""
        return (self.snapshot.trace,) if self.bound_story is None else self.bound_story.traces


def tells(choice: ExportChoice, scene: Scene) -> bool:
    """Whether to export the story, and there is one."""
    return choice.story and scene.bound_story is not None


def traces_of(choice: ExportChoice, scene: Scene) -> tuple[Trace, ...]:
    """The runs that frames show, or that are compared with the current one."""
    if tells(choice, scene) or not shows_several(views_of(choice, scene)):
        return scene.traces if tells(choice, scene) else (scene.snapshot.trace,)
    return (
        scene.snapshot.trace,
        *(each.trace for each in scene.snapshot.compared if each.trace is not scene.snapshot.trace),
    )


def colors_of(snapshot: Snapshot) -> tuple[int, ...]:
    """The colours of the compared runs, the current one first."""
    own = [each.color for each in snapshot.compared if each.trace is snapshot.trace]
    return (*own, *(each.color for each in snapshot.compared if each.trace is not snapshot.trace))


def views_of(choice: ExportChoice, scene: Scene) -> tuple[str, ...]:
    """The views to export."""
    return scene.visible_views if choice.what == BOARD else (choice.what,)


def look_of(choice: ExportChoice, scene: Scene) -> Look:
    """Size, scale and theme; raises an InputError if they are not valid."""
    views, told = views_of(choice, scene), tells(choice, scene)
    options = {name: dict(chosen) for name, chosen in scene.options.items() if name in views or not views}
    if choice.on_paper:
        return paper_look(
            choice.paper_size,
            print_scale(choice.suffix),
            truth=not scene.snapshot.hides,
            options=options,
            colors=colors_of(scene.snapshot),
            what="The size on paper",
        )
    look = Look(
        picture_size(choice.size, "The size"),
        real(choice.scale.replace(",", "."), 1.0, "The scale", 0.0, MOST_SCALE),
        choice.theme,
        1.0 if told else scene.text,
        told or choice.captioned,
        not scene.snapshot.hides,
        {} if told else options,
        told,
        () if told else colors_of(scene.snapshot),
    )
    look.check()
    return look


def story_of(choice: ExportChoice, scene: Scene, fps: float) -> list[Frame]:
    """The frames of the story; raises an InputError if one of its numbers is not computed yet."""
    from gems_engine.talk.numbers import Wanted, compute  # loaded with the first export of a story
    from gems_gui.painting.story_frames import story_frames  # loaded with the first export of a story

    assert scene.bound_story is not None
    missing = []

    def look_up(instance: Instance, wanted: Wanted) -> float | None:
        value = (scene.lookup or compute)(instance, wanted)
        if value is None:
            missing.append(wanted)
        return value

    film = fps if choice.suffix in FILMS else None
    frames = story_frames(scene.bound_story, scene.snapshot.truth, film, look_up)
    if missing:
        raise InputError("A number in the story's captions is still being computed. Try again in a moment.")
    return frames


def steps_of(choice: ExportChoice, scene: Scene) -> FrameRange:
    """The steps to export; raises an InputError if the run does not have them."""
    snapshot = scene.snapshot
    first = last = snapshot.cursor
    if choice.several:
        first = cursor_at(snapshot.trace, choice.first.strip(), "From") if choice.first.strip() else 0
        last = cursor_at(snapshot.trace, choice.last.strip(), "To") if choice.last.strip() else snapshot.history.events
        steps(snapshot.history, first, last, choice.every)
    caption = (choice.words.strip() or None) if choice.captioned and not choice.on_paper else ""
    return FrameRange(first, last, choice.every, views_of(choice, scene), caption, snapshot.selection)


def count_of(asked: FrameRange, snapshot: Snapshot) -> int:
    """The number of frames."""
    return len(steps(snapshot.history, asked.first, asked.last, asked.every))


def request_of(choice: ExportChoice, scene: Scene, file: str) -> ExportRequest:
    """The export request; raises an InputError if the settings are not valid."""
    fps = real(choice.fps.replace(",", "."), 10.0, "Frames per second", 0.0, MOST_FPS)
    if tells(choice, scene) and scene.bound_story is not None:
        from gems_engine.formats import story_format  # loaded with the first export of a story

        story = scene.bound_story.story
        frames, look = story_of(choice, scene, fps), look_of(choice, scene)
        return ExportRequest(file, frames, look, fps, story.title, story_format.to_json(story))
    return ExportRequest(file, steps_of(choice, scene), look_of(choice, scene), fps)


def preview_of(choice: ExportChoice, scene: Scene) -> Frame:
    """The frame for the preview: the last one, or the first of a story."""
    if tells(choice, scene):
        return story_of(replace(choice, suffix=".pdf"), scene, 1.0)[0]
    asked = steps_of(choice, scene)
    frame = Frame(asked.last, asked.views, asked.caption or "", asked.selection)
    return (
        frame if asked.caption is not None else replace(frame, caption=step_caption(snapshot_at(scene.snapshot, frame)))
    )


def preview_look(choice: ExportChoice, scene: Scene, frame: Frame) -> Look:
    """The look of the preview; of a page, its views are arranged in a picture of their own."""
    look = look_of(choice, scene)
    if choice.suffix != PAGE:
        return look
    count = len(frame.views) or _BOARD
    columns = min(count, 2)
    width, height = look.size
    size = width * columns, height * -(-count // columns)
    return replace(look, size=size, scale=1.0, captions=False, projector=False)


def render_line(choice: ExportChoice, scene: Scene, run: str, file: str, others: Sequence[str] = ()) -> str:
    """The `gems render …` command that makes the same file from a run file, quoted for a shell.

    Parameters
    ----------
    others
        Files of the runs that it is compared with.
    """
    order = request_of(choice, scene, file)
    look, asked = order.look, order.what
    words = ["gems", "render", run, "-o", file]
    if not isinstance(asked, FrameRange):
        words += ["--story", "--size", f"{look.size[0]}x{look.size[1]}", "--theme", look.theme]
        words += ["--scale", f"{look.scale:g}"] if look.scale != 1 else []
        words += ["--fps", f"{order.fps:g}"] if choice.suffix in FILMS else []
        return shlex.join([*words, *([] if look.truth else ["--hide-truth"])])
    if asked.views:
        words += ["--view", ",".join(asked.views)]
    if shows_several(asked.views):
        words += [word for each in others for word in ("--with", each)]
    if not choice.several:
        words += ["--at", str(asked.first)]
    else:
        words += ["--from", str(asked.first), "--to", str(asked.last), "--every", asked.every]
        words += ["--fps", f"{order.fps:g}"]
    if look.inches is not None:
        words += ["--style", PAPER, "--size", f"{look.inches[0]:.6g}x{look.inches[1]:.6g}in"]
    else:
        words += ["--size", f"{look.size[0]}x{look.size[1]}", "--theme", look.theme]
    if look.inches is None and look.scale != 1:
        words += ["--scale", f"{look.scale:g}"]
    if look.text != 1:
        words += ["--text", repr(look.text)]
    if asked.selection.arm is not None:
        words += ["--arm", f"#{asked.selection.arm}"]  # a label could be a number
    if not look.truth:
        words.append("--hide-truth")
    for view, chosen in look.options.items():
        for name, value in chosen.items():
            words += ["--option", f"{view}.{name}={value}"]
    if look.captions:
        words += ["--caption", *([asked.caption] if asked.caption else [])]
    if asked.selection.arm is None and asked.selection.target is not None:
        raise InputError("The command cannot mark a target that is not an arm. Clear the selection first (Esc).")
    return shlex.join(words)
