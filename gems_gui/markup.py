"""Converts help pages to rich text, and keeps other text from being read as such; independent of Qt.

Pages use a subset of Markdown: headings (``#``, ``##``), paragraphs, lists (``-``), formulas (``>``, a line each),
tables, ``**bold**``, ``*italic*``, `` `code` `` and links. Outside of code, ``g_k(d)``, ``R^{d_k}`` and the like become
indices; a page is readable without rendering.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape

from gems_engine.terminal import THIN

Link = Callable[[str], str]
"""Maps the target of a link in a page to that in the rich text."""

_INLINE = re.compile(r"`(?P<code>[^`]+)`|\[(?P<text>[^\]]+)\]\((?P<target>[^)\s]+)\)")
_BOLD = re.compile(r"\*\*(.+?)\*\*")
_ITALIC = re.compile(r"\*(?!\s)(.+?)\*")
_SCRIPT = re.compile(r"([_^])(?:\{((?:[^{}]|\{[^{}]*\})+)\}|(&\w+;|min\b|[^\s{}]))")
_HATS = re.compile("θ̂")
_LOWERED = str.maketrans("0123456789ijkln", "₀₁₂₃₄₅₆₇₈₉ᵢⱼₖₗₙ")
_RAISED = str.maketrans("0123456789−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_KEPT = "white-space:pre-wrap"  # otherwise Qt breaks lines at thin spaces in numbers
_INVISIBLE = "\N{ZERO WIDTH SPACE}"
_NO_BREAK, _HYPHEN = "\N{NO-BREAK SPACE}", "\N{NON-BREAKING HYPHEN}"
_JOINER = "\N{WORD JOINER}"
_LONG = 40  # characters of a formula
_BREAKS = re.compile(r" (?=[=≥≤<>≈←+/] |:= )|(?<=[a-z]{2})(?<!log|max|min|exp) ")
_JOINED = re.compile(r"(?<=[/|])(?=\S)|(?=′)|(?<=\))(?=\^)")  # where Qt would break a line
_BETWEEN = re.compile(r" (?=[=≥≤<>≈−+] )|(?<= [=≥≤<>≈−+]) |(?<=\b[^\W\d_]) (?=\()")
_SPACED = f'style="{_KEPT};margin-top:4px;margin-bottom:6px"'


def plain_text(text: str) -> str:
    """A text that Qt shows as it is where it would guess that a text is markup: tooltips and "What is this?".

    A name in a file may be ``<img src=…>``, which a tooltip would load. An invisible character keeps Qt from reading
    a tag or an entity.
    """
    text = text.replace("&lt;", f"&{_INVISIBLE}lt;")
    return text.replace("<", f"<{_INVISIBLE}") if ">" in text or "<!" in text else text


def label_text(text: str) -> str:
    """A text that a menu, a button or a tab shows as it is: a single "&" would mark a key."""
    return text.replace("&", "&&")


def title_of(text: str) -> str:
    """The first heading of a page."""
    first = text.partition("\n")[0]
    if not first.startswith("# "):
        raise ValueError(f'a help page must begin with "# title", not with {first!r}')
    return first[2:].strip()


def as_html(text: str, link: Link = lambda target: target, indent: int = 14) -> str:
    """A page as rich text; lengths are in pixels, colours are those of the browser."""
    return "".join(_block(lines, link, indent) for lines in _blocks(text))


def _blocks(text: str) -> Iterator[list[str]]:
    """Groups of lines: each heading alone, other lines up to an empty line."""
    block: list[str] = []
    for line in [*text.splitlines(), ""]:
        if block and (not line.strip() or line.startswith("#")):
            yield block
            block = []
        if line.startswith("#"):
            yield [line]
        elif line.strip():
            block.append(line.rstrip())


def _block(lines: list[str], link: Link, indent: int) -> str:
    first = lines[0]
    if first.startswith("#"):
        level = len(first) - len(first.lstrip("#"))
        return f'<p class="h{level}">{inline(first.lstrip("# "), link)}</p>'  # Qt scales the font of a heading element
    if first.startswith("> "):
        style = f'style="{_KEPT};margin-top:4px;margin-bottom:4px;margin-left:{indent}px"'
        return "".join(f"<p {style}>{inline(_unbroken(line.removeprefix('>').strip()), link)}</p>" for line in lines)
    if first.startswith("- "):
        items = re.split(r"(?:^|\n)- ", "\n".join(lines))[1:]
        listed = "".join(f"<li {_SPACED}>{inline(_joined(item), link)}</li>" for item in items)
        return f'<ul style="-qt-list-indent:0;margin-left:{indent}px">{listed}</ul>'
    if first.startswith("|"):
        return _table(lines, link)
    return f"<p {_SPACED}>{inline(_joined(' '.join(lines)), link)}</p>"


def _unbroken(formula: str) -> str:
    """A formula that breaks only between its parts, which the page separates by three spaces.

    A part that may be wider than the page also breaks before relations, + and /, and after words.
    """
    return "   ".join(_unbroken_part(part) for part in re.split(r"\s{2,}", formula))


def _unbroken_part(part: str) -> str:
    pieces = _BREAKS.split(part) if len(part) > _LONG else [part]
    return " ".join(piece.replace(" ", _NO_BREAK) for piece in pieces)


def unbroken_formulas(text: str) -> str:
    """A text that does not break within the formulas in it, such as "δ = 0.05" or "ε (instance)"."""
    return _BETWEEN.sub(_NO_BREAK, text)


def _joined(text: str) -> str:
    return " ".join(line.strip() for line in text.splitlines())


def _table(lines: list[str], link: Link) -> str:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if not set(line) <= set("|-: ")]
    shown = []
    for number, row in enumerate(rows):
        kind = "th" if number == 0 else "td"
        cells = "".join(f'<{kind} align="left" style="{_KEPT}">{inline(cell, link)}</{kind}>' for cell in row)
        shown.append(f"<tr>{cells}</tr>")
    return f'<table cellspacing="0" cellpadding="4">{"".join(shown)}</table>'


def inline(text: str, link: Link = lambda target: target) -> str:
    """A line as rich text: links, code, emphasis and indices."""
    parts, at = [], 0
    for found in _INLINE.finditer(text):
        parts.append(_words(text[at : found.start()]))
        if found["code"]:
            parts.append(f"<code>{escape(found['code'])}</code>")
        else:
            parts.append(f'<a href="{escape(link(found["target"]))}">{_words(found["text"])}</a>')
        at = found.end()
    return "".join([*parts, _words(text[at:])])


def _words(text: str) -> str:
    shown = _JOINED.sub(_JOINER, escape(text, quote=False))
    shown = re.sub(r"(?<=\w)-(?=\w)", _HYPHEN, shown)
    shown = re.sub(r"(?<=\d) (?=\d{3}\b)", THIN, shown)
    shown = _ITALIC.sub(r"<i>\1</i>", _BOLD.sub(r"<b>\1</b>", shown))
    # Upright DejaVu Sans cannot place the hat, and Qt drops it.
    return _HATS.sub("<i>θ̂</i>", _scripts(shown))


def _scripts(text: str, inside: bool = False) -> str:
    """Indices and powers. Qt supports one level: nested ones use Unicode subscripts."""

    def script(found: re.Match[str]) -> str:
        level, raised = found[2] or found[3], found[1] == "^"
        if inside:
            return level.translate(_RAISED if raised else _LOWERED)
        tag, level = "sup" if raised else "sub", level.replace("⋆", "★")  # a small star would look like a dot
        return f"<{tag}>{_scripts(level, inside=True)}</{tag}>"

    return _SCRIPT.sub(script, text)
