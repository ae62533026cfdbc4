"""What an explanation is: headed paragraphs of sentences and formulas, for a window and for a terminal alike.

Sentences and formulas are plain text with a light markup: ``<b>``, ``<sub>``, ``<sup>`` and, for a colour that means
something, the name of a role, as in ``<chosen>d = 9</chosen>``. What comes from outside goes through
:func:`escape_markup`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape, unescape

ROLES = ("surviving", "now", "chosen", "best", "budget", "dim")
"""Roles that a part of a sentence may have; a window gives each its colour."""

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
        The inequality or the formula with its numbers, a line each.
    """

    heading: str
    sentence: str
    formulas: tuple[str, ...] = ()


@dataclass(frozen=True)
class Explanation:
    """Why a step happened: the step itself first, then what led to it in its round."""

    title: str
    paragraphs: tuple[Paragraph, ...]


def escape_markup(text: object) -> str:
    """Text that is not ours, as a name of an arm, so that it is never taken for markup."""
    return escape(str(text), quote=False)


def plain(markup: str) -> str:
    """Markup as a terminal has it: «N_k», «R^9», «2^{2k}»."""
    return unescape(_TAG.sub("", _SCRIPT.sub(_script, markup)))


def _script(found: re.Match[str]) -> str:
    sign, inside = "_" if found[1] == "sub" else "^", plain(found[2])
    return f"{sign}{inside}" if len(inside) == 1 or inside.isdigit() else f"{sign}{{{inside}}}"


def as_text(explanation: Explanation) -> str:
    """The whole explanation for a terminal or a clipboard."""
    lines = [plain(explanation.title)]
    for each in explanation.paragraphs:
        lines += ["", plain(each.heading), plain(each.sentence), *(f"    {plain(line)}" for line in each.formulas)]
    return "\n".join(lines) + "\n"


def as_html(explanation: Explanation, colors: Mapping[str, str], indent: int = 14, titled: bool = True) -> str:
    """The whole explanation as rich text; ``colors`` has one for each role."""
    kept = "white-space:pre-wrap;margin-bottom:0"  # or Qt makes the thin spaces in numbers into ones that break
    parts = [f'<p style="{kept}"><b>{explanation.title}</b></p>'] if titled else []
    for each in explanation.paragraphs:
        parts.append(
            f'<p style="{kept};margin-top:8px"><dim><b>{each.heading}</b></dim></p>'
            f'<p style="{kept};margin-top:2px">{each.sentence}</p>'
        )
        parts += [f'<p style="{kept};margin-top:2px;margin-left:{indent}px">{line}</p>' for line in each.formulas]
    whole = _ROLE.sub(lambda found: f'<span style="color:{colors[found[1]]}">', "".join(parts))
    whole = _ROLE_END.sub("</span>", whole)
    return whole.replace("θ̂", "<i>θ̂</i>")  # upright, DejaVu Sans has no place for the hat, and Qt loses it
