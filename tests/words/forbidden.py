"""Words that texts avoid, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tests.words.python_texts import Entry, Kind


@dataclass(frozen=True)
class Rule:
    """A word or phrase to avoid."""

    name: str
    pattern: re.Pattern[str]
    instead: str


def _word(word: str, instead: str) -> Rule:
    return Rule(word, re.compile(rf"\b{word}\b", re.IGNORECASE), instead)


_BEFORE = "".join(
    rf"(?<!\b{word} )" for word in ("the", "to", "its", "on", "from", "upper", "lower", "or", "and", "columns")
)
_AFTER = "out|edge|end|side|half|margin|border|column|of|(?:to|and|or|and the) right|button|click|arrow|unchanged|as"
_LEFT = re.compile(rf"(?<![-+]){_BEFORE}\bleft\b(?!-|, right\b)(?! (?:{_AFTER})\b)")
"""The word, but not as a side, in "left out" and in "left as it is"; with a capital it is a key or a side."""

RULES = (
    _word("beside", "next to, with, alongside"),
    _word("nobody", "the thing as the subject, or 'you'"),
    _word("somebody", "the thing as the subject, or 'you'"),
    _word("someone", "the thing as the subject, or 'you'"),
    _word("whoever", "the thing as the subject, or 'you'"),
    _word("anew", "again, new, from scratch"),
    _word("so many", "n, a given number of, too many"),
    _word("how many-th", "how often"),
    _word("dear", "over budget, expensive"),
    Rule("stands", re.compile(r"\bstands?\b(?! for\b| out\b| still\b|-in\b)", re.IGNORECASE), "is, appears, is shown"),
    Rule("« »", re.compile("[«»]"), '"…"'),
    Rule("left", _LEFT, "an arm remains, or is eliminated; time remains; data are kept"),
    Rule("Left", re.compile(r"\b(?:arms?|targets?|survivors?) Left\b"), "an arm remains"),
    Rule(
        "leaves",
        re.compile(r"\b(?:arms?|targets?|survivors?) (?:that |which |has |have )?(?:leaves?|gone)\b", re.IGNORECASE),
        "an arm is eliminated",
    ),
    _word("in the race", "remains"),
    _word("right for good", "settles on the right arm; τ"),
    _word("affordable", "fits the budget"),
    _word("to speak of", "yet"),
)
CHECKED = (Kind.TEXT, Kind.DOCSTRING)
"""What the test looks at."""


def violations(entry: Entry) -> Iterator[Rule]:
    """The rules that a text breaks, once for each time."""
    prose = entry.prose
    for rule in RULES:
        for _ in rule.pattern.finditer(prose):
            yield rule
