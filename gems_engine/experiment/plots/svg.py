"""Pictures as SVG, written by hand: a few shapes, and the colours of the program by role.

Colours are attributes of the shapes, so that every viewer shows them; their classes let a dark page replace them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

SERIES = (
    ("#0072B2", "#56B4E9"),
    ("#D55E00", "#E8843A"),
    ("#009E73", "#2BBF97"),
    ("#CC79A7", "#DB94BC"),
    ("#B8860B", "#E69F00"),
    ("#8A63D2", "#A78BE0"),
    ("#1F8A8C", "#3FB5B8"),
    ("#7A8F1E", "#A5BC3F"),
)
"""Colours of series, on a light and on a dark background."""
ROLES = {
    "card": ("#FFFFFF", "#22272E"),
    "line": ("#DFE3E8", "#373E47"),
    "text": ("#1F2933", "#D5DCE4"),
    "dim": ("#66727F", "#8B96A3"),
    **{f"s{number}": pair for number, pair in enumerate(SERIES)},
}
"""Every role with its colour on a light and on a dark background."""
FONT = "DejaVu Sans, Verdana, sans-serif"


@dataclass(frozen=True)
class Sheet:
    """What a picture is drawn on.

    Attributes
    ----------
    width
        The width of the picture in pixels, unless its texts need more.
    paper
        Whether it is a figure for print: without a title and a subtitle, as narrow as possible.
    """

    width: float = 900.0
    paper: bool = False


def series_role(number: int) -> str:
    """The role of a series; colours repeat after the last one."""
    return f"s{number % len(SERIES)}"


def dark_rules() -> str:
    """The style sheet with which a dark page recolours its pictures."""
    fills = "".join(f".f-{role}{{fill:{dark}}}" for role, (_, dark) in ROLES.items())
    return fills + "".join(f".k-{role}{{stroke:{dark}}}" for role, (_, dark) in ROLES.items())


def text_width(text: str, size: float) -> float:
    """An upper estimate of the width of a text in DejaVu Sans."""
    return sum(0.36 if letter in " .,:;|il'()[]" or letter == "\u202f" else 0.66 for letter in text) * size


def wrapped(text: str, size: float, room: float) -> list[str]:
    """A text wrapped to a given width."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(longer, size) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def for_dark_theme(svg: str) -> str:
    """The same picture in its colours for a dark background, for viewers without style sheets."""
    dark = dict(ROLES.values())
    return re.sub(r'"(#[0-9A-F]{6})"', lambda found: f'"{dark.get(found[1], found[1])}"', svg)


class Canvas:
    """Shapes on a card.

    Parameters
    ----------
    width, height
        In pixels.
    title
        A description of the picture, for accessibility.
    """

    def __init__(self, width: float, height: float, title: str) -> None:
        self.width, self.height, self.title = width, height, title
        self._shapes: list[str] = []
        self.box(0, 0, width, height, "card", radius=6)

    def heading(self, title: str, lines: Sequence[str]) -> None:
        """The title, and lines below it."""
        self.text(18, 26, title, size=15, bold=True)
        for number, text in enumerate(lines):
            self.text(18, 46 + 16 * number, text, "dim", 12)

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        role: str,
        opacity: float = 1.0,
        radius: float = 0.0,
        name: str = "",
    ) -> None:
        """A filled rectangle; a name is its id, by which a window finds it."""
        more = f' rx="{_n(radius)}"' if radius else ""
        more += f' id="{escape(name)}"' if name else ""
        place = f'x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"'
        self._shapes.append(f"<rect {place}{more} {_look(role, opacity=opacity)}/>")

    def line(
        self,
        points: Sequence[tuple[float, float]],
        role: str,
        width: float = 1.0,
        dash: str = "",
        opacity: float = 1.0,
    ) -> None:
        """A line through points; nothing if they are all the same, which confuses readers of a PDF made from it."""
        if len(set(points)) < 2:
            return
        more = f' stroke-dasharray="{dash}"' if dash else ""
        more += f' stroke-opacity="{_n(opacity)}"' if opacity < 1.0 else ""
        path = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
        self._shapes.append(
            f'<polyline points="{path}" {_look(None, role)} stroke-width="{_n(width)}" stroke-linejoin="round"{more}/>'
        )

    def area(self, points: Sequence[tuple[float, float]], role: str, opacity: float = 0.15) -> None:
        """A filled polygon."""
        path = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
        self._shapes.append(f'<polygon points="{path}" {_look(role, opacity=opacity)}/>')

    def marker(self, x: float, y: float, role: str, shape: int = 0, size: float = 4.5, hollow: bool = False) -> None:
        """A point: a circle, square, diamond or triangle by number, to distinguish series without colour."""
        look = f'{_look(None, role)} stroke-width="1.6"' if hollow else _look(role)
        if shape % 4 == 0:
            self._shapes.append(f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(size)}" {look}/>')
            return
        corners = {
            1: [(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
            2: [(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)],
            3: [(0.0, -1.2), (1.15, 0.9), (-1.15, 0.9)],
        }[shape % 4]
        path = " ".join(f"{_n(x + size * dx)},{_n(y + size * dy)}" for dx, dy in corners)
        self._shapes.append(f'<polygon points="{path}" {look}/>')

    def text(
        self,
        x: float,
        y: float,
        text: str,
        role: str = "text",
        size: float = 12.0,
        anchor: str = "start",
        bold: bool = False,
        turned: bool = False,
    ) -> None:
        """A line of text with its baseline at y."""
        more = ' font-weight="bold"' if bold else ""
        more += f' transform="rotate(-90 {_n(x)} {_n(y)})"' if turned else ""
        self._shapes.append(
            f'<text x="{_n(x)}" y="{_n(y)}" font-size="{_n(size)}" text-anchor="{anchor}" {_look(role)}{more}>'
            f"{escape(text)}</text>"
        )

    def svg(self) -> str:
        """The picture as an element for a page or a file of its own."""
        size = f'width="{_n(self.width)}" height="{_n(self.height)}" viewBox="0 0 {_n(self.width)} {_n(self.height)}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="{FONT}">'
        return "\n".join([head, f"<title>{escape(self.title)}</title>", *self._shapes, "</svg>"])


def _look(fill: str | None, stroke: str | None = None, opacity: float = 1.0) -> str:
    """The colours of a shape, and the classes by which a dark page replaces them."""
    classes = [*([f"f-{fill}"] if fill else []), *([f"k-{stroke}"] if stroke else [])]
    parts = [f'class="{" ".join(classes)}"', f'fill="{ROLES[fill][0] if fill else "none"}"']
    if stroke:
        parts.append(f'stroke="{ROLES[stroke][0]}"')
    if opacity < 1.0:
        parts.append(f'fill-opacity="{_n(opacity)}"')
    return " ".join(parts)


def _n(number: float) -> str:
    """A coordinate in as few characters as needed."""
    return f"{number:.2f}".rstrip("0").rstrip(".")
