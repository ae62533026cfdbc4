"""Numbers and counts formatted for readers, and terminal output: tables, marks, JSON, progress bars."""

from __future__ import annotations

import json
import math
import re
import shutil
import sys
import time
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, TextIO

from gems_engine.plain_text import PlainOutput, printable, writes_unicode

THIN = "\N{NARROW NO-BREAK SPACE}"
PLAIN_FROM = 1e-3
"""The least size of a number that is written without a power of ten."""


def number(value: float | int | None, digits: int = 4) -> str:
    """A number formatted for readers: thin spaces for thousands, few digits, powers of ten only where they help."""
    if value is None:
        return "–"
    if not isinstance(value, int) and math.isnan(value):  # a whole number may be too large for a float
        return "not a number"
    if not isinstance(value, int) and math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"
    size = abs(value)
    if isinstance(value, int) or (float(value).is_integer() and size < 1e12):
        text = f"{int(value):,}"
    elif size >= 1e12 or size < PLAIN_FROM:
        return _with_exponent(value, max(digits, 2))
    else:
        decimals = max(0, digits - 1 - math.floor(math.log10(size)))
        text = f"{value:,.{decimals}f}"
        if decimals:
            text = text.rstrip("0").rstrip(".")
    return text.replace(",", THIN).replace("-", "−")


def short_number(value: float | int, digits: int) -> str:
    """A number rounded to a few digits, with a power of ten where that is shorter; also a whole number."""
    text = number(value, digits)
    return text if value in (math.inf, -math.inf) else min(text, _with_exponent(value, digits), key=len)


def _with_exponent(value: float | int, digits: int) -> str:
    mantissa, exponent = f"{Decimal(value):.{digits - 1}e}".split("e")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{mantissa}e{int(exponent)}".replace("-", "−")


_RAISED = str.maketrans("-−0123456789dDijk", "⁻⁻⁰¹²³⁴⁵⁶⁷⁸⁹ᵈᴰⁱʲᵏ")
_LOWERED = str.maketrans("0123456789ijk", "₀₁₂₃₄₅₆₇₈₉ᵢⱼₖ")
_POWER = re.compile(r"(?<=\bR)\^([0-9]+|[dD])(?![\w⋆])|(?<=\b[0-9])\^([0-9]+|[ijk])(?!\w)")
_INDEX = re.compile(r"\b([λdgNr])_([0-9]+|k)(?!\w)")


def plural(count: int, noun: str, plural_form: str = "") -> str:
    """A count with its noun: "1 round", "7 rounds"; the plural form only where it does not end in a bare s."""
    return f"{number(count)} {noun if count == 1 else plural_form or f'{noun}s'}"


def superscript(exponent: int | str) -> str:
    """A whole number or one of d, D, i, j and k as an exponent: ⁻⁵, ᵈ; other letters are not changed."""
    return str(exponent).translate(_RAISED)


def subscript(index: int | str) -> str:
    """A whole number or one of i, j and k as an index: ₁₀, ₖ; other letters are not changed."""
    return str(index).translate(_LOWERED)


def with_indices(text: str) -> str:
    """R^10, R^d, 2^k, d_k and g_1 in a text as R¹⁰, Rᵈ, 2ᵏ, dₖ and g₁; names of arms are not changed."""
    raised = _POWER.sub(lambda found: superscript(found[1] or found[2]), text)
    return _INDEX.sub(lambda found: f"{found[1]}{subscript(found[2])}", raised)


def power_of_ten(exponent: int) -> str:
    """A power of ten: 10⁻⁵."""
    return f"10{superscript(exponent)}"


def table(header: Sequence[str], rows: Sequence[Sequence[str]], left: int = 0) -> str:
    """A table with right-aligned columns; the first ``left`` columns are left-aligned."""
    lines = [[printable(cell) for cell in row] for row in (header, *rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        parts = [
            cell.ljust(w) if i < left else cell.rjust(w) for i, (cell, w) in enumerate(zip(cells, widths, strict=True))
        ]
        return "  ".join(parts).rstrip()

    return "\n".join([line(lines[0]), "  ".join("─" * w for w in widths), *(line(cells) for cells in lines[1:])])


def mark(holds: bool) -> str:
    """A mark that does not depend on colour."""
    return "✓" if holds else "✗"


def shown_json(value: Any) -> str:
    """Standard JSON: infinite and undefined numbers become null."""
    return _json(value)


def _json(value: Any, ascii_only: bool = False) -> str:
    return json.dumps(_plain(value), indent=2, ensure_ascii=ascii_only, allow_nan=False)


def print_json(value: Any) -> None:
    """Print a value as one JSON document; letters that the output lacks are escaped, as JSON allows."""
    print(_json(value, ascii_only=not writes_unicode()))


def print_document(text: str) -> None:
    """Print the text of a file: if it is redirected, in UTF-8 whatever the locale, so that it can be read again."""
    if isinstance(sys.stdout, PlainOutput) and not sys.stdout.isatty():
        sys.stdout.flush()
        sys.stdout.buffer.write(f"{text}\n".encode())
    else:
        print(text)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def bar(part: float) -> str:
    """A progress bar as text."""
    full = round(24 * part)
    return f"[{'█' * full}{'░' * (24 - full)}] {part:4.0%}"


class LiveLines:
    """Lines on stderr that are redrawn in place and erased at the end; nothing if stderr is not a terminal."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stderr
        self.seen = self.stream.isatty()
        self._due = time.monotonic() + 0.5
        self._up = 0

    def due(self) -> bool:
        """Whether it is time to redraw."""
        return self.seen and time.monotonic() >= self._due

    def draw(self, lines: Sequence[str]) -> None:
        """Draw as many lines as fit."""
        width, height = shutil.get_terminal_size()
        self.erase()
        shown = [printable(line)[: width - 1] for line in lines[: height - 1]]
        self.stream.write("\n".join(shown))
        self.stream.flush()
        self._up, self._due = len(shown) - 1, time.monotonic() + 0.25

    def print(self, sentence: str) -> None:
        """Print a sentence that remains above the lines, also if stderr is not a terminal."""
        if self.seen:
            self.erase()
        self.stream.write(f"gems: {sentence}\n")
        self.stream.flush()

    def erase(self) -> None:
        """Erase what was drawn."""
        self.stream.write("\r" + (f"\x1b[{self._up}A" if self._up else "") + "\x1b[J")
        self._up = 0

    def __enter__(self) -> LiveLines:
        return self

    def __exit__(self, *_: object) -> None:
        if self.seen:
            self.erase()
            self.stream.flush()


class ProgressBar:
    """A line on stderr, shown after half a second of work and erased at the end; nothing if it is not a terminal."""

    def __init__(self, what: str, stream: TextIO | None = None) -> None:
        self.what = what
        self.stream = stream or sys.stderr
        self.started = time.monotonic()
        self._drawn = self.started
        self._visible = False

    def __call__(self, done: int, total: int) -> bool:
        """Draw, at most ten times a second; return True, which means "continue"."""
        now = time.monotonic()
        if self.stream.isatty() and now - self.started > 0.5 and now - self._drawn > 0.1:
            part = done / total if total else 1.0
            seconds = (now - self.started) * (1 - part) / part if part > 0.02 else None
            remaining = f", about {seconds:.0f} s to go" if seconds is not None else ""
            self.stream.write(f"\r\x1b[K{self.what} {bar(part)}{remaining}")
            self.stream.flush()
            self._drawn, self._visible = now, True
        return True

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._visible:
            self.stream.write("\r\x1b[K")
            self.stream.flush()
