"""What somebody has chosen in the dialog of exports, and the order and the command line that it means. Knows no Qt."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from gems_engine.commands.command import real
from gems_engine.errors import InputError
from gems_gui.commands.arguments import picture_size
from gems_gui.exports import SUFFIXES
from gems_gui.exports.frames import Frame, Look, Steps, moment_at, step_caption, steps
from gems_gui.exports.limits import MOST_FPS, MOST_SCALE
from gems_gui.exports.order import Order
from gems_gui.exports.places import cursor_at
from gems_gui.moment import Moment

BOARD = "board"


@dataclass(frozen=True)
class Choice:
    """The fields of the dialog, texts as they are typed.

    Attributes
    ----------
    what
        A view by its name, or the board.
    suffix
        Of the format.
    several
        Whether a range of steps is meant; without, the step that is shown.
    first, last
        Where it begins and ends, as in :func:`gems_gui.exports.places.cursor_at`; empty: the start and the end.
    captioned, words
        Whether there are captions, and what they say; nothing: what has happened.
    """

    what: str = BOARD
    suffix: str = ".png"
    size: str = "1600 × 1000"
    scale: str = "1"
    theme: str = "light"
    several: bool = False
    first: str = ""
    last: str = ""
    every: str = "round"
    fps: str = "10"
    captioned: bool = False
    words: str = ""

    @classmethod
    def remembered(cls, values: Mapping[str, Any]) -> Choice:
        """One that was made before; what makes no sense any more is as it is by default."""
        plain = cls()
        known = {each.name: values[each.name] for each in fields(cls) if each.name in values}
        kept = {name: value for name, value in known.items() if type(value) is type(getattr(plain, name))}
        if kept.get("suffix", ".png") not in SUFFIXES or kept.get("theme", "light") not in ("light", "dark"):
            return plain
        return replace(plain, **kept)


@dataclass(frozen=True)
class Scene:
    """What the window shows, of which something is to be exported.

    Attributes
    ----------
    moment
        Now.
    in_sight
        The views of the board that are.
    options
        What is chosen about each view.
    text
        Size of all text.
    """

    moment: Moment
    in_sight: tuple[str, ...] = ()
    options: Mapping[str, Mapping[str, str]] = ()  # type: ignore[assignment]
    text: float = 1.0


def views_of(choice: Choice, scene: Scene) -> tuple[str, ...]:
    """What is shown."""
    return scene.in_sight if choice.what == BOARD else (choice.what,)


def look_of(choice: Choice, scene: Scene) -> Look:
    """How it looks; an InputError where it cannot be painted."""
    views = views_of(choice, scene)
    look = Look(
        picture_size(choice.size, "The size"),
        real(choice.scale.replace(",", "."), 1.0, "The scale", 0.0, MOST_SCALE),
        choice.theme,
        scene.text,
        choice.captioned,
        scene.moment.truth,
        {name: dict(chosen) for name, chosen in dict(scene.options).items() if name in views or not views},
    )
    look.check()
    return look


def steps_of(choice: Choice, scene: Scene) -> Steps:
    """Which steps; an InputError where the run has none such."""
    moment = scene.moment
    first = last = moment.cursor
    if choice.several:
        first = cursor_at(moment.trace, choice.first.strip(), "From") if choice.first.strip() else 0
        last = cursor_at(moment.trace, choice.last.strip(), "To") if choice.last.strip() else moment.history.events
        steps(moment.history, first, last, choice.every)
    caption = (choice.words.strip() or None) if choice.captioned else ""
    return Steps(first, last, choice.every, views_of(choice, scene), caption, moment.selection)


def count_of(asked: Steps, moment: Moment) -> int:
    """How many frames these are."""
    return len(steps(moment.history, asked.first, asked.last, asked.every))


def order_of(choice: Choice, scene: Scene, file: str) -> Order:
    """The whole order; an InputError says what is wrong with the choice."""
    fps = real(choice.fps.replace(",", "."), 10.0, "Frames per second", 0.0, MOST_FPS)
    return Order(file, steps_of(choice, scene), look_of(choice, scene), fps)


def preview_of(choice: Choice, scene: Scene) -> Frame:
    """The frame by which one sees what it will be like: the last one."""
    asked = steps_of(choice, scene)
    frame = Frame(asked.last, asked.views, asked.caption or "", asked.selection)
    return frame if asked.caption is not None else replace(frame, caption=step_caption(moment_at(scene.moment, frame)))


def render_line(choice: Choice, scene: Scene, run: str, file: str) -> str:
    """The `gems render …` line that makes the same file of a run that is in one, quoted for a shell."""
    order = order_of(choice, scene, file)
    look, asked = order.look, order.what
    assert isinstance(asked, Steps)
    words = ["gems", "render", run, "-o", file]
    if asked.views:
        words += ["--view", ",".join(asked.views)]
    if not choice.several:
        words += ["--at", str(asked.first)]
    else:
        words += ["--from", str(asked.first), "--to", str(asked.last), "--every", asked.every]
        words += ["--fps", f"{order.fps:g}"]
    words += ["--size", f"{look.size[0]}x{look.size[1]}", "--theme", look.theme]
    if look.scale != 1:
        words += ["--scale", f"{look.scale:g}"]
    if look.text != 1:
        words += ["--text", repr(look.text)]
    if asked.selection.arm is not None:
        words += ["--arm", str(asked.selection.arm)]
    if not look.truth:
        words.append("--hide-truth")
    for view, chosen in look.options.items():
        for name, value in chosen.items():
            words += ["--option", f"{view}.{name}={value}"]
    if look.captions:
        words += ["--caption", *([asked.caption] if asked.caption else [])]
    if asked.selection.arm is None and asked.selection.target is not None:
        raise InputError("A target that is no arm is marked, which no command can say: let it go (Esc) first.")
    return shlex.join(words)
