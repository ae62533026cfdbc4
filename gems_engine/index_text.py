"""Arms, targets and features as text: the one parser and the one formatter.

A set is a comma-separated list, such as ``x_3,x_7`` or ``0-4,9``. An item is one of these:

- a label as it is shown, in any case if that is unambiguous;
- an index, counted from 0 (features from 1); ``#3`` is always an index; ``3`` and ``arm 3`` are unless they are labels;
- a range: two of the above with a hyphen in between.

A label with a comma or a quotation mark is written in double quotes, as in a CSV file: ``"red, large",x_7``.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable

from gems_engine.errors import InputError, quoted

_RANGE = 3  # neighbours from which on they are written as a range


class Labels:
    """The labels of the arms, targets or features of an instance, and how each is written and found.

    Parameters
    ----------
    count
        How many there are.
    label
        What each is called.
    kind
        What they are, in a word: arm, target or feature.
    first
        The index of the first one, as it is written.
    """

    def __init__(self, count: int, label: Callable[[int], str], kind: str = "target", first: int = 0) -> None:
        self.kind, self.first = kind, first
        self._names = [label(index) for index in range(count)]
        self._exact: dict[str, int] = {}
        self._folded: dict[str, int | None] = {}
        for index, name in enumerate(self._names):
            self._exact.setdefault(name, index)
            folded = name.casefold()
            self._folded[folded] = None if folded in self._folded else index

    def __len__(self) -> int:
        return len(self._names)

    def find(self, text: str) -> int | None:
        """The index that a label or an index means; None where it means nothing."""
        wanted = text.strip()
        if wanted in self._exact:
            return self._exact[wanted]
        folded = self._folded.get(wanted.casefold())
        if folded is not None:
            return folded
        digits = wanted.removeprefix(f"{self.kind} ").removeprefix("#")
        plain = digits.isascii() and digits.isdigit() and len(digits) <= 9
        found = int(digits) - self.first if plain else len(self)
        return found if 0 <= found < len(self) else None

    def one(self, text: str) -> int:
        """The index that a text means, or an InputError that says what could be written."""
        found = self.find(text)
        if found is None:
            name = text.strip().removeprefix(f"{self.kind} ").strip()[:40] or "without a name"
            raise InputError(f"There is no {self.kind} {name}: {self.advice}.")
        return found

    @property
    def advice(self) -> str:
        """What could be written, as the end of a sentence."""
        last = len(self) - 1
        return f"write a name such as {self._names[last]}, or an index from {self.first} to {self.first + last}"

    def written(self, index: int) -> str:
        """One as :meth:`find` reads it: its label; its index where that is all its label says."""
        name = self._names[index]
        plain = str(self.first + index)
        if name in (f"arm {plain}", f"target {plain}", f"feature {plain}") and self.find(plain) == index:
            return plain
        if self.find(name) != index:  # two have this label
            return f"#{plain}"
        return '"{}"'.format(name.replace('"', '""')) if set(name) & set(',"') else name

    def part(self, text: str) -> range | None:
        """The indices that a label, an index or a range means; None where it means nothing."""
        found = self.find(text)
        if found is not None:
            return range(found, found + 1)
        for at, letter in enumerate(text):
            if letter == "-":
                first, last = self.find(text[:at]), self.find(text[at + 1 :])
                if first is not None and last is not None and first <= last:
                    return range(first, last + 1)
        return None


def parse_targets(text: str, labels: Labels, what: str) -> tuple[int, ...]:
    """At least two targets, as sorted indices.

    Parameters
    ----------
    what
        The name of the input, for the error message.
    """
    if not text.strip():
        raise InputError(f"{what} is empty. Give at least two {labels.kind}s.")
    chosen: set[int] = set()
    for part in _parts(text, what):
        found = labels.part(part)
        if found is None:
            raise InputError(f"{what}: there is no target {part.strip()[:40] or 'without a name'}. {_advice(labels)}.")
        chosen.update(found)
    if len(chosen) < 2:
        raise InputError(f"{what}: a single target has no difference to estimate. Give at least two.")
    return tuple(sorted(chosen))


def targets_text(targets: Iterable[int], labels: Labels | None = None) -> str:
    """Targets in the form that :func:`parse_targets` reads, three or more consecutive ones as a range.

    Without labels, by index.
    """
    parts: list[str] = []
    run: list[int] = []
    for index in [*sorted(targets), None]:
        if run and index != run[-1] + 1:
            parts += _run_text(run, labels)
            run = []
        if index is not None:
            run.append(index)
    return ",".join(parts)


def _run_text(run: list[int], labels: Labels | None) -> list[str]:
    """Consecutive targets as one range, or one by one if the range would be ambiguous."""
    written = str if labels is None else labels.written
    if len(run) < _RANGE:
        return [written(index) for index in run]
    text = f"{written(run[0])}-{written(run[-1])}"
    if labels is None or ('"' not in text and labels.part(text) == range(run[0], run[-1] + 1)):
        return [text]
    return [written(index) for index in run]


def _parts(text: str, what: str) -> list[str]:
    try:
        return next(csv.reader([text.strip()], skipinitialspace=True, strict=True), [""])
    except csv.Error as error:
        said = f'{what}: {quoted(text.strip(), 40)} cannot be read. Quote a label with a comma: "a, b".'
        raise InputError(said) from error


def _advice(labels: Labels) -> str:
    last = len(labels) - 1
    if labels.written(0) == "0":
        return f"Write them as 0,3,7 or 0-4,9, from 0 to {last}"
    return f"Write them as {targets_text((0, last), labels)}, or by their indices from 0 to {last}"
