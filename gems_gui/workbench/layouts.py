"""Layouts of the board: positions of views, which become tabs rather than being squeezed; independent of Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

LEAST = (260, 146)
"""Minimum width and height of a dock at which its view can be read, in pixels before font scaling."""
TAB_BAR = 28
"""Height of the tabs of views that share a place."""
GAP = 8
"""Gap between two views."""
WIDE = 1080
"""The least width of a board with a third column: that of a window of 1400 pixels, without the form."""


@dataclass(frozen=True)
class Tabs:
    """Views that share a position as tabs; the first is in front."""

    names: tuple[str, ...]


@dataclass(frozen=True)
class Split:
    """Parts side by side or one below the other, with their shares of the space."""

    way: Literal["across", "down"]
    parts: tuple[Part, ...]
    shares: tuple[int, ...]


Part = Tabs | Split


def tabs(*names: str) -> Tabs:
    """Views in one place."""
    return Tabs(names)


def row(*parts: Part | str, shares: tuple[int, ...] = ()) -> Split:
    """Parts from left to right."""
    return Split("across", _parts(parts), shares or (1,) * len(parts))


def column(*parts: Part | str, shares: tuple[int, ...] = ()) -> Split:
    """Parts from top to bottom."""
    return Split("down", _parts(parts), shares or (1,) * len(parts))


def _parts(parts: tuple[Part | str, ...]) -> tuple[Part, ...]:
    return tuple(Tabs((part,)) if isinstance(part, str) else part for part in parts)


def names_in(part: Part) -> tuple[str, ...]:
    """All views of a part, from the top left."""
    if isinstance(part, Tabs):
        return part.names
    return tuple(name for each in part.parts for name in names_in(each))


def fronts_of(part: Part) -> tuple[str, ...]:
    """The visible views of a part."""
    if isinstance(part, Tabs):
        return part.names[:1]
    return tuple(name for each in part.parts for name in fronts_of(each))


def least_size(part: Part) -> tuple[int, int]:
    """Width and height that a part needs, before font scaling."""
    if isinstance(part, Tabs):
        return LEAST[0], LEAST[1] + (TAB_BAR if len(part.names) > 1 else 0)
    widths, heights = zip(*map(least_size, part.parts), strict=True)
    gaps = GAP * (len(part.parts) - 1)
    return (sum(widths) + gaps, max(heights)) if part.way == "across" else (max(widths), sum(heights) + gaps)


def fitted(part: Part, width: float, height: float) -> Part:
    """The part as it fits: while it needs more room than there is, its last two parts become tabs of one place."""
    if isinstance(part, Tabs):
        return part
    parts, shares = list(part.parts), list(part.shares)
    while len(parts) > 1 and not _has_room(Split(part.way, tuple(parts), tuple(shares)), width, height):
        last, before = parts.pop(), parts.pop()
        parts.append(Tabs(_fronts_first(before, last)))
        shares[-2:] = [max(shares[-2:])]
    if len(parts) == 1:
        return fitted(parts[0], width, height)
    room = (width, height)
    fit = tuple(
        fitted(each, *_share(part.way, room, share / sum(shares))) for each, share in zip(parts, shares, strict=True)
    )
    return Split(part.way, fit, tuple(shares))


def _fronts_first(*parts: Part) -> tuple[str, ...]:
    """Combine two parts as tabs, with the views that were visible first."""
    fronts = [name for part in parts for name in fronts_of(part)]
    return (*fronts, *(name for part in parts for name in names_in(part) if name not in fronts))


def _has_room(part: Split, width: float, height: float) -> bool:
    """Whether its parts fit along its direction, each shrunk as far as possible."""
    return all(
        least <= room
        for least, room in zip(
            least_size(Split(part.way, tuple(map(_smallest, part.parts)), part.shares)), (width, height), strict=True
        )
    )


def _smallest(part: Part) -> Tabs:
    return Tabs(names_in(part))


def _share(way: str, room: tuple[float, float], share: float) -> tuple[float, float]:
    width, height = room
    return ((width - GAP) * share, height) if way == "across" else (width, (height - GAP) * share)


@dataclass(frozen=True)
class BoardLayout:
    """A named layout.

    Attributes
    ----------
    name, title, tip
        Name in code, title in menus, and tooltip.
    wide, narrow
        Positions of views on a wide board, and on one with room for two columns.
    """

    name: str
    title: str
    tip: str
    wide: Part
    narrow: Part

    def part(self, width: float, height: float) -> Part:
        """Positions of views on a board of this size, in pixels before font scaling."""
        return fitted(self.wide if width >= WIDE else self.narrow, width, height)


_EXPLORE = column("survivors", row("dimension", "cost"), row("weights", "counts"), shares=(9, 7, 7))
_COMPARE = column("race", row("compare-table", "compare-counts"), shares=(3, 2))
_RACE = column("race", "seeds", shares=(5, 2))
_TALK = column("survivors", row("dimension", "recommendation"), shares=(4, 3))
_TALK_TABS = column("survivors", row("dimension", tabs("recommendation", "pseudocode")), shares=(4, 3))

LAYOUTS: dict[str, BoardLayout] = {
    each.name: each
    for each in (
        BoardLayout(
            "explore",
            "Explore",
            "Show surviving arms, dimensions, designs and samples, with the pseudo-code",
            wide=row(
                _EXPLORE,
                column("pseudocode", tabs("gaps", "grid", "geometry", "theory", "budgets"), shares=(5, 2)),
                shares=(5, 3),
            ),
            narrow=column(
                "survivors",
                row(
                    tabs("dimension", "pseudocode", "grid", "theory", "budgets"),
                    tabs("cost", "gaps", "geometry", "dimensions"),
                ),
                row("weights", "counts"),
            ),
        ),
        BoardLayout(
            "debug",
            "Debug",
            "Show all views, with Why, Events and Problems in front and the others in tabs",
            wide=row(
                column(
                    "survivors",
                    tabs("dimension", "recommendation", "grid", "race", "seeds"),
                    tabs("weights", "counts", "shares", "geometry", "theory"),
                ),
                column(
                    tabs("why", "pseudocode", "story", "dimensions", "compare-table", "compare-counts"),
                    "cost",
                    "gaps",
                    shares=(4, 3, 3),
                ),
                column("events", tabs("problems", "budgets", "replicates", "tau"), shares=(3, 2)),
            ),
            narrow=column(
                "survivors",
                row(
                    tabs("why", "pseudocode", "cost", "story", "race", "seeds", "dimensions"),
                    tabs("dimension", "gaps", "grid", "geometry", "budgets", "tau"),
                ),
                row(
                    tabs("events", "weights", "recommendation", "compare-counts", "theory"),
                    tabs("problems", "counts", "shares", "compare-table", "replicates"),
                ),
            ),
        ),
        BoardLayout(
            "talk",
            "Talk",
            "Show a few views, large enough for an audience",
            wide=row(_TALK, "pseudocode", shares=(4, 3)),
            narrow=_TALK_TABS,
        ),
        BoardLayout(
            "compare",
            "Compare",
            "Show several runs side by side at the same number of samples",
            wide=_COMPARE,
            narrow=_COMPARE,
        ),
        BoardLayout(
            "race",
            "Race",
            "Show GEMS and RAGE on one clock, large enough for an audience, with more seeds below",
            wide=_RACE,
            narrow=_RACE,
        ),
    )
}
"""The built-in layouts by name; the first is the default."""
