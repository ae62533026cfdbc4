"""Explanations: headed paragraphs of sentences and formulas, for a window or a terminal.

Sentences and formulas are plain text with light markup: ``<b>``, ``<sub>``, ``<sup>`` and, for colours, the name of a
role, as in ``<chosen>d = 9</chosen>``. Text from outside goes through :func:`escape_markup`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import escape, unescape

from gems_engine.terminal import subscript, superscript

ROLES = ("surviving", "now", "chosen", "best", "budget", "dim")
"""Roles of parts of a sentence; a window gives each its colour."""

NOTEBOOK_COLORS = {
    "surviving": "#0072B2",
    "now": "#D55E00",
    "chosen": "#009E73",
    "best": "#B87700",
    "budget": "#B0588C",
    "dim": "#808080",
}
"""Colours of the roles in a notebook: readable on white and on black."""

_SCRIPT = re.compile(r"<(su[bp])>(.*?)</\1>")
_TAG = re.compile(r"<[^<>]*>")
_ROLE = re.compile(rf"<({'|'.join(ROLES)})>")
_ROLE_END = re.compile(rf"</({'|'.join(ROLES)})>")


@dataclass(frozen=True)
class Paragraph:
    """One question and its answer.

    Attributes
    ----------
    heading
        What is explained.
    sentence
        The answer in words.
    formulas
        Inequalities or formulas with their numbers, one per line.
    """

    heading: str
    sentence: str
    formulas: tuple[str, ...] = ()


@dataclass(frozen=True)
class Explanation:
    """Why a step happened: first the step itself, then what led to it in its round."""

    title: str
    paragraphs: tuple[Paragraph, ...]

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        return f"<Explanation {plain(self.title)}>"

    def _repr_html_(self) -> str:
        return as_html(self, NOTEBOOK_COLORS)


def lines_of(explanation: Explanation) -> int:
    """The number of sentences and formulas, each of which is a line or a few."""
    return sum(1 + len(each.formulas) for each in explanation.paragraphs)


def cut_after(explanation: Explanation, lines: int) -> Explanation:
    """The start of an explanation: its first sentences and formulas, at least one."""
    paragraphs: list[Paragraph] = []
    left = max(1, lines)
    for each in explanation.paragraphs:
        if left <= 0:
            break
        paragraphs.append(replace(each, formulas=each.formulas[: left - 1]))
        left -= 1 + len(each.formulas)
    return replace(explanation, paragraphs=tuple(paragraphs))


def escape_markup(text: object) -> str:
    """Text from outside, such as the name of an arm, escaped so that it is never read as markup."""
    return escape(str(text), quote=False)


def plain(markup: str) -> str:
    """Markup as plain text for a terminal: "Nₖ", "R⁹", "2²ᵏ"; "r_d" and "β^{ℓ−i}" where Unicode lacks an index."""
    return unescape(_TAG.sub("", _SCRIPT.sub(_script, markup)))


def _script(found: re.Match[str]) -> str:
    inside = plain(found[2])
    sign, small = ("_", subscript) if found[1] == "sub" else ("^", superscript)
    if all(small(each) != each for each in inside):
        return small(inside)
    return f"{sign}{inside}" if len(inside) == 1 or inside.isdigit() else f"{sign}{{{inside}}}"


def as_text(explanation: Explanation) -> str:
    """The explanation as plain text, for a terminal or the clipboard."""
    lines = [plain(explanation.title)]
    for each in explanation.paragraphs:
        lines += ["", plain(each.heading), plain(each.sentence), *(f"    {plain(line)}" for line in each.formulas)]
    return "\n".join(lines) + "\n"


def as_html(explanation: Explanation, colors: Mapping[str, str], indent: int = 14, titled: bool = True) -> str:
    """The explanation as rich text; ``colors`` has one for each role."""
    kept = "white-space:pre-wrap;margin-bottom:0"  # otherwise Qt breaks lines at the thin spaces in numbers
    parts = [f'<p style="{kept}"><b>{explanation.title}</b></p>'] if titled else []
    for each in explanation.paragraphs:
        parts.append(
            f'<p style="{kept};margin-top:8px"><dim><b>{each.heading}</b></dim></p>'
            f'<p style="{kept};margin-top:2px">{each.sentence}</p>'
        )
        parts += [f'<p style="{kept};margin-top:2px;margin-left:{indent}px">{line}</p>' for line in each.formulas]
    whole = _ROLE.sub(lambda found: f'<span style="color:{colors[found[1]]}">', "".join(parts))
    whole = _ROLE_END.sub("</span>", whole)
    return whole.replace("θ̂", "<i>θ̂</i>")  # DejaVu Sans has no hat on the upright θ, and Qt drops it
