"""Finding a line by some of its letters; knows no Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")

_START = 8  # a letter that begins a word
_NEXT = 5  # a letter right after the one before
_WHOLE = 12  # the letters stand together


def score(query: str, text: str) -> float | None:
    """How well a text answers a query, more is better; None if it lacks letters of it in their order.

    Each word of the query is looked for by itself, wherever it stands; capitals do not matter.
    """
    total = 0.0
    folded = text.casefold()
    for word in query.casefold().split():
        found = _score_word(word, folded)
        if found is None:
            return None
        total += found
    return total - 0.01 * len(text)


def _score_word(word: str, text: str) -> float | None:
    whole = text.find(word)
    starts = [at for at in range(len(text)) if text.startswith(word, at) and _begins(text, at)]
    if starts:
        return _WHOLE * 2.0 + _START * len(word) - 0.1 * starts[0]
    if whole >= 0:
        return _WHOLE + _NEXT * len(word) - 0.1 * whole
    return _scattered(word, text)


def _scattered(word: str, text: str) -> float | None:
    """Letters one after another, each where it is worth most: at the start of a word, or right after the one before."""
    before: dict[int, float] = {-1: 0.0}  # from where the last letter stands to what it is worth so far
    for letter in word:
        now: dict[int, float] = {}
        for at in (at for at, each in enumerate(text) if each == letter):
            start = _START / 2 if _begins(text, at) else 1.0
            ways = [
                worth + (_NEXT if last == at - 1 and last >= 0 else start)
                for last, worth in before.items()
                if last < at
            ]
            if ways:
                now[at] = max(ways)
        before = now
    return max(before.values(), default=None)


def _begins(text: str, at: int) -> bool:
    return at == 0 or not text[at - 1].isalnum()


def best_first(query: str, items: Iterable[Item], text_of: Callable[[Item], str]) -> list[Item]:
    """The items that answer a query, the best first; all of them in their order if it is empty."""
    found = [(score(query, text_of(item)), item) for item in items]
    kept = [(value, item) for value, item in found if value is not None]
    if query.split():
        kept.sort(key=lambda pair: -pair[0])
    return [item for _, item in kept]
