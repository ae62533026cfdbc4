"""The pseudo-code at a snapshot: the call stack, and every line as pieces that can be typeset."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from gems_engine.algorithms import algorithm_named
from gems_engine.algorithms.frames import Frame, frames
from gems_engine.algorithms.pseudocode import REMARK, Line, Listing
from gems_engine.algorithms.symbols import SYMBOLS, Numbers, Value
from gems_engine.errors import InputError
from gems_engine.terminal import number, short_number
from gems_gui.series.axis import subroutine_label
from gems_gui.series.table import Table
from gems_gui.series.wordings import Phrasings
from gems_gui.snapshot import Snapshot

CURRENT, CALLING, PASSED = "current", "calling", "passed"
"""Roles of a line at a snapshot: that of the event, one whose call contains the event, or one executed before."""
KEYWORD, SYMBOL, NOTE = "keyword", "symbol", "remark"
"""Styles of pieces."""
_SCRIPTS = "_^"
_PRIMES = "′″"
_DIGITS = 4  # of a number that is rounded to fit


@dataclass(frozen=True)
class Piece:
    """A part of a line in one font.

    Attributes
    ----------
    text
        The text.
    scripts
        Levels from the outside: ``_`` for an index, ``^`` for an exponent.
    style
        A keyword, a symbol, a comment, or nothing.
    symbol
        The symbol that contains it.
    """

    text: str
    scripts: str = ""
    style: str = ""
    symbol: str = ""


@dataclass(frozen=True, eq=False)
class PseudocodeSeries:
    """What the view shows.

    Attributes
    ----------
    stack
        The calls, the outermost first; empty if the algorithm has no pseudo-code.
    calls
        At the end of a run that the cap cut off: the completed call that is shown, and the one that was cut off.
    """

    stack: tuple[Frame, ...]
    calls: tuple[str, ...] = ()

    def rows(self, depth: int = 0) -> Iterator[tuple[int, Line]]:
        """Lines from the top, called listings below the calling line, each with its depth on the stack."""
        for line in self.stack[depth].listing.lines if self.stack else ():
            yield depth, line
            if depth + 1 < len(self.stack) and self.stack[depth + 1].caller == line.id:
                yield from self.rows(depth + 1)

    def part_of(self, depth: int, line: str) -> str:
        """The role of a line at the cursor: current, calling, passed, or nothing."""
        frame = self.stack[depth]
        if frame.line == line:
            below = self.stack[depth + 1] if depth + 1 < len(self.stack) else None
            return CALLING if below is not None and below.line and below.caller == line else CURRENT
        return PASSED if line in frame.passed else ""

    @property
    def current(self) -> tuple[int, Line] | None:
        """The line of the event at the cursor, with its depth on the stack."""
        running = [depth for depth, frame in enumerate(self.stack) if frame.line]
        return (running[-1], self.stack[running[-1]].listing[self.stack[running[-1]].line]) if running else None

    def table(self, snapshot: Snapshot) -> Table:
        """A row for each value, and one for each line without values."""
        rows: list[tuple[Any, ...]] = []
        for depth, line in self.rows():
            frame = self.stack[depth]
            where = (depth, frame.listing.name, frame.listing.number_of(line.id) or None, line.id)
            what = (*where, line.text.replace("**", ""), self.part_of(depth, line.id))
            values = [(*what, name, value) for (at, name), value in frame.values.items() if at == line.id]
            rows += values or [(*what, None, None)]
        return Table(("depth", "call", "number", "line", "text", "state", "symbol", "value"), rows)


def listing_of(snapshot: Snapshot) -> Listing | None:
    """The pseudo-code of a run's algorithm; None if it has none, or is not installed."""
    started = snapshot.trace.started
    return None if started is None else listing_named(started.algorithm)


def listing_named(algorithm: str) -> Listing | None:
    """The pseudo-code of an algorithm; None if it has none, or is not installed."""
    try:
        return algorithm_named(algorithm).listing
    except InputError:
        return None


def pseudocode(snapshot: Snapshot, listing: Listing | None) -> PseudocodeSeries:
    """The stack at the cursor; a call that has returned is folded into the line that called it.

    At the end of a run that the cap cut off, the stack at the end of the last completed call.
    """
    state, calls = snapshot.state, tuple[str, ...]()
    if snapshot.completed >= 0:
        state = snapshot.trace.state_at(snapshot.call_end)
        calls = tuple(subroutine_label(snapshot, row) for row in (snapshot.completed, snapshot.cut_row))
    stack = frames(listing, snapshot.trace, state, snapshot.truth) if listing else ()
    return PseudocodeSeries(tuple(frame for frame in stack if frame.line or not frame.listing.folds), calls)


def unstarted(listing: Listing) -> PseudocodeSeries:
    """The lines of an algorithm that is not running: no line is marked, no symbol has a value."""
    return PseudocodeSeries((Frame(listing, "", "", frozenset(), {}),))


def value_text(value: Value) -> str:
    """A value as text."""
    return value if isinstance(value, str) else number(value)


def value_phrasings(value: Value) -> Phrasings:
    """A value as text, then with fewer and fewer digits."""
    digits = range(_DIGITS, 0, -1)
    if isinstance(value, Numbers):
        return (value, *map(value.rounded, digits))
    return (value,) if isinstance(value, str) else (number(value), *(short_number(value, each) for each in digits))


def as_text(series: PseudocodeSeries) -> str:
    """The whole stack for the clipboard or a screen reader: the current line is marked, values follow lines."""
    lines = []
    for depth, line in series.rows():
        frame = series.stack[depth]
        if line is frame.listing.lines[0]:
            lines.append(f"{'    ' * depth}{frame.listing.name}: {frame.listing.title}")
        mark = {CURRENT: "=>", CALLING: " >"}.get(series.part_of(depth, line.id), "  ")
        values = [f"{name} = {value_text(value)}" for (at, name), value in frame.values.items() if at == line.id]
        shown = f"    [{', '.join(values)}]" if values else ""
        lines.append(f"{'    ' * depth}{mark} {'  ' * line.indent}{line.text.replace('**', '')}{shown}")
    return "\n".join(lines) + "\n"


# -- pieces --------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _names(own: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Symbols by their first letter, the longest first."""
    found: dict[str, list[str]] = {}
    for name in sorted({*SYMBOLS, *own}, key=len, reverse=True):
        found.setdefault(name[0], []).append(name)
    return {first: tuple(names) for first, names in found.items()}


def pieces(text: str, listing: Listing) -> tuple[Piece, ...]:
    """A line in pieces: keywords, indices and the symbols of its listing."""
    return _line_pieces(text, tuple(listing.symbols))


@lru_cache(maxsize=1024)
def _line_pieces(text: str, own: tuple[str, ...]) -> tuple[Piece, ...]:
    body, sign, remark = text.partition(REMARK)
    names = _names(own)
    found = [*_pieces(body.rstrip() if sign else body, names)]
    if sign:
        found += [Piece(f"  {REMARK}", style=NOTE), *_pieces(remark, names, style=NOTE)]
    return tuple(found)


def symbol_pieces(name: str) -> tuple[Piece, ...]:
    """A symbol alone; a word has no style."""
    if name.isascii() and len(name) > 1 and name.replace(" ", "").isalpha():
        return (Piece(name, symbol=name),)
    return tuple(_scripted(name, name, "", SYMBOL))


def _pieces(text: str, names: dict[str, tuple[str, ...]], scripts: str = "", style: str = "") -> Iterator[Piece]:
    at, plain, bold = 0, "", False

    def flush() -> Iterable[Piece]:
        nonlocal plain
        done, plain = plain, ""
        return (Piece(done, scripts, KEYWORD if bold else style),) if done else ()

    while at < len(text):
        symbol = "" if bold else _symbol_at(text, at, names)
        if text.startswith("**", at):
            yield from flush()
            bold, at = not bold, at + 2
        elif symbol:
            yield from flush()
            yield from _scripted(symbol, symbol, scripts, style or SYMBOL)
            at += len(symbol)
        elif text[at] in _SCRIPTS and at + 1 < len(text):
            yield from flush()
            inner, end = _group(text, at + 1)
            yield from _pieces(inner, names, scripts + text[at], style)
            at = end
        else:
            plain, at = plain + text[at], at + 1
    yield from flush()


def _scripted(text: str, symbol: str, scripts: str, style: str) -> Iterator[Piece]:
    """The pieces of one symbol."""
    at, plain = 0, ""
    while at < len(text):
        if text[at] in _SCRIPTS and at + 1 < len(text):
            if plain:
                yield Piece(plain, scripts, style, symbol)
            inner, end = _group(text, at + 1)
            yield from _scripted(inner, symbol, scripts + text[at], style)
            plain, at = "", end
        else:
            plain, at = plain + text[at], at + 1
    if plain:
        yield Piece(plain, scripts, style, symbol)


def _group(text: str, at: int) -> tuple[str, int]:
    """The content of braces, or one letter with its marks, and where it ends."""
    if text[at] != "{":
        end = at + 1
        while end < len(text) and unicodedata.combining(text[end]):
            end += 1
        return text[at:end], end
    depth, end = 1, at + 1
    while end < len(text) and depth:
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
    return text[at + 1 : end - 1], end


def _symbol_at(text: str, at: int, names: dict[str, tuple[str, ...]]) -> str:
    """The longest symbol that starts here and is not part of a word or of another symbol."""
    if at and text[at].isalpha() and text[at - 1].isalpha():
        return ""
    for name in names.get(text[at], ()):
        end = at + len(name)
        if not text.startswith(name, at):
            continue
        after = text[end : end + 1]
        if after and (
            (after.isalpha() and name[-1].isalpha()) or after in _PRIMES or after == "_" or unicodedata.combining(after)
        ):
            continue
        return name
    return ""
