"""Search of lines by words and abbreviations of words; independent of Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")

_START = 8  # a letter at the start of a word
_NEXT = 5  # a letter right after the one before
_WHOLE = 12  # all letters are adjacent


def score(query: str, text: str) -> float | None:
    """The score of a text for a query, higher is better; None if it lacks a word of the query or an abbreviation.

    Each word of the query is searched separately, at any position; case is ignored.
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
    return _score_abbreviation(word, text)


def _score_abbreviation(word: str, text: str) -> float | None:
    """The best score of letters in their order, each at the start of a word or in the word of the previous letter.

    Those that start a word or directly follow the previous one count more.
    """
    starts: list[int] = []  # of the word at each position
    for at in range(len(text)):
        starts.append(at if _begins(text, at) else starts[-1])
    before: dict[int, float] = {-1: 0.0}  # position of the last letter: best score so far
    for letter in word:
        now: dict[int, float] = {}
        for at in (at for at, each in enumerate(text) if each == letter):
            begins = starts[at] == at
            start = _START / 2 if begins else 1.0
            ways = [
                worth + (_NEXT if last == at - 1 and last >= 0 else start)
                for last, worth in before.items()
                if last < at and (begins or last >= starts[at])
            ]
            if ways:
                now[at] = max(ways)
        before = now
    return max(before.values(), default=None)


def _begins(text: str, at: int) -> bool:
    return at == 0 or not text[at - 1].isalnum()


def best_first(query: str, items: Iterable[Item], text_of: Callable[[Item], str]) -> list[Item]:
    """The items that match a query, the best first; all of them in their order if it is empty."""
    found = [(score(query, text_of(item)), item) for item in items]
    kept = [(value, item) for value, item in found if value is not None]
    if query.split():
        kept.sort(key=lambda pair: -pair[0])
    return [item for _, item in kept]
