"""Annotations of a moment: an arrow with a text at a point of a plot, and a bracket between two points of an axis.

Positions are data positions, not pixels: a number, or a placeholder of captions such as ``{tau}`` or ``{RAGE.tau}``, so
that an annotation stays true when its run is computed again.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from gems_engine.errors import InputError
from gems_engine.parameters import shown
from gems_engine.talk.captions import Field, parse

MOST_ANNOTATIONS = 12
MOST_TEXT = 120
SIDES = ("above", "below", "left", "right")
"""Where the text of an arrow is, seen from the point."""
AXES = ("x", "y")
_VIEW = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_PLACEHOLDER = re.compile(r"\{[^{}]{1,120}\}")
_FACTOR = re.compile(r"\{factor(:[^{}]*)?\}")


@dataclass(frozen=True)
class Arrow:
    """An arrow with a text that points at a data position of a view.

    Attributes
    ----------
    view
        The view.
    x, y
        The position: a number, or a placeholder whose value is one.
    text
        The text at its end, with placeholders as in a caption.
    side
        Where the text is, seen from the point: one of :data:`SIDES`.
    second
        Whether it belongs to the plot of the second run, if a moment shows two.
    """

    view: str
    x: str
    y: str
    text: str = ""
    side: str = "above"
    second: bool = False

    def __post_init__(self) -> None:
        _check(self, ("x", "y"))
        if self.side not in SIDES:
            raise InputError(f"The side of an arrow is {shown(self.side)}: it must be one of {', '.join(SIDES)}.")


@dataclass(frozen=True)
class Bracket:
    """A bracket between two positions of an axis, with a text such as "× {factor}".

    Attributes
    ----------
    view
        The view.
    start, end
        The positions on the axis: numbers, or placeholders whose values are numbers.
    text
        The text at its middle, with placeholders as in a caption; {factor} is the end divided by the start, which must
        then be placeholders of the same name.
    axis
        The axis that it is parallel to: x or y.
    at
        Where it is across the plot: 0 at the axis, 1 at the opposite side.
    second
        Whether it belongs to the plot of the second run, if a moment shows two.
    """

    view: str
    start: str
    end: str
    text: str = ""
    axis: str = "x"
    at: float = 0.5
    second: bool = False

    def __post_init__(self) -> None:
        _check(self, ("start", "end"))
        if self.axis not in AXES:
            raise InputError(f"The axis of a bracket is {shown(self.axis)}: it must be x or y.")
        if isinstance(self.at, bool) or not isinstance(self.at, int | float) or not 0.0 <= self.at <= 1.0:
            raise InputError(f"A bracket is at {shown(self.at)}: it must be a number from 0 to 1, across the plot.")
        self.filled_text()

    def filled_text(self) -> str:
        """The text, with the quotient of both ends for {factor}."""
        if not _FACTOR.search(self.text):
            return self.text
        ends = [parse(each) for each in (self.end, self.start)]
        terms = [part[0] for part in ends if len(part) == 1 and isinstance(part[0], Field) and part[0].over is None]
        if len(terms) < 2 or terms[0].term.name != terms[1].term.name:
            raise InputError(
                "{factor} compares like with like: both ends of the bracket must be placeholders of the same name, "
                "such as {tau} and {RAGE.tau}."
            )
        above, below = (each[1:-1].partition(":")[0] for each in (self.end, self.start))
        return _FACTOR.sub(lambda found: f"{{{above}/{below}{found[1] or ''}}}", self.text)


Annotation = Arrow | Bracket
KINDS: dict[str, type[Arrow] | type[Bracket]] = {"arrow": Arrow, "bracket": Bracket}


@dataclass(frozen=True)
class Mark:
    """An annotation with its numbers, ready to be drawn.

    Attributes
    ----------
    points
        An arrow: its position. A bracket: both ends on its axis.
    side
        An arrow: where its text is. A bracket: its axis.
    at
        A bracket: where it is across the plot.
    """

    kind: str
    view: str
    second: bool
    points: tuple[float, float]
    text: str
    side: str
    at: float = 0.0


def mark_of(
    annotation: Annotation, value: Callable[[str], float | None], fill: Callable[[str], str | None]
) -> Mark | None:
    """An annotation with its numbers; None if one of them is hidden, unknown or not computed yet.

    Parameters
    ----------
    value
        The value of a placeholder.
    fill
        The text with its numbers; None if one of them is not available.
    """
    bracket = isinstance(annotation, Bracket)
    given = (annotation.start, annotation.end) if isinstance(annotation, Bracket) else (annotation.x, annotation.y)
    points = [float(each) if _NUMBER.fullmatch(each) else value(each) for each in given]
    text = fill(annotation.filled_text() if isinstance(annotation, Bracket) else annotation.text)
    first, last = points
    if text is None or first is None or last is None or not (math.isfinite(first) and math.isfinite(last)):
        return None
    return Mark(
        "bracket" if bracket else "arrow",
        annotation.view,
        annotation.second,
        (first, last),
        text,
        annotation.axis if isinstance(annotation, Bracket) else annotation.side,
        float(annotation.at) if isinstance(annotation, Bracket) else 0.0,
    )


def placeholders(annotation: Annotation) -> tuple[str, ...]:
    """The texts of an annotation in which placeholders may be."""
    if isinstance(annotation, Bracket):
        return annotation.start, annotation.end, annotation.filled_text()
    return annotation.x, annotation.y, annotation.text


def to_record(annotation: Annotation) -> dict[str, Any]:
    """The values of an annotation that differ from the default, with its kind."""
    kind = next(name for name, each in KINDS.items() if isinstance(annotation, each))
    values = {field.name: (getattr(annotation, field.name), field.default) for field in fields(annotation)}
    return {"kind": kind} | {name: value for name, (value, usual) in values.items() if value != usual}


def from_record(value: Any) -> Annotation:
    """The annotation in a record of a file."""
    if not isinstance(value, dict) or not isinstance(value.get("kind"), str) or value["kind"] not in KINDS:
        raise InputError(f"An annotation is {shown(value)}: it must have the kind arrow or bracket.")
    kind = KINDS[value["kind"]]
    given = {name: each for name, each in value.items() if name != "kind"}
    known = {field.name for field in fields(kind)}
    needed = ("view", "start", "end") if kind is Bracket else ("view", "x", "y")
    for name in needed:
        if name not in given:
            raise InputError(f"An annotation of the kind {value['kind']} needs the field {name}.")
    for name in given:
        if name not in known:
            raise InputError(f"An annotation of the kind {value['kind']} has no field {shown(name)}.")
    return kind(**given)


def _check(annotation: Annotation, positions: tuple[str, str]) -> None:
    if not isinstance(annotation.view, str) or not _VIEW.fullmatch(annotation.view):
        raise InputError(f"{shown(annotation.view)} is not the name of a view.")
    text = annotation.text
    if not isinstance(text, str) or len(text) > MOST_TEXT or not text.isprintable():
        raise InputError(
            f"The text {shown(text)} of an annotation must be one printable line of at most {MOST_TEXT} characters."
        )
    if not isinstance(annotation.second, bool):
        raise InputError(f"second is {shown(annotation.second)}: it must be true or false.")
    for name in positions:
        given = getattr(annotation, name)
        if not isinstance(given, str) or not (_NUMBER.fullmatch(given) or _PLACEHOLDER.fullmatch(given)):
            raise InputError(
                f"{name} is {shown(given)}: it must be a number such as 2.5, or a placeholder such as {{tau}}, in "
                "quotation marks."
            )
