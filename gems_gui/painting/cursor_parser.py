"""Steps of a run as text: a number of events, or a position such as l=5,i=1,k=3; does not import Qt."""

from __future__ import annotations

from gems_engine.errors import InputError, quoted
from gems_engine.terminal import plural
from gems_engine.trace import Trace
from gems_engine.wording import place_names, place_text

_BUDGET_LETTERS = {"i": "ell", "j": "i", "k": "k"}
_LETTERS = {"l": "ell", "ℓ": "ell", "i": "i", "k": "k"}


def cursor_at(trace: Trace, text: str | None, what: str = "--at") -> int:
    """The cursor for a text: a number of events, or the end of a loop, subroutine or round; None is the end.

    Parameters
    ----------
    what
        The name of the option, for error messages.
    """
    if text is None:
        return len(trace)
    if "=" in text:
        return _end_of_place(trace, text, what)
    try:
        cursor = int(text)
    except ValueError:
        raise InputError(
            f"{what} {quoted(text)}: write a number of events, or a position such as l=5,i=1,k=3."
        ) from None
    if not 0 <= cursor <= len(trace):
        raise InputError(
            f"{what} {text}: the run has {plural(len(trace), 'event')}. Choose a number from 0 to {len(trace)}."
        )
    return cursor


def _end_of_place(trace: Trace, text: str, what: str) -> int:
    algorithm = trace.started.algorithm if trace.started is not None else ""
    names = place_names(algorithm)
    letters = _BUDGET_LETTERS if "j" in names else _LETTERS
    wanted: dict[str, int] = {}
    for part in text.split(","):
        letter, _, value = (each.strip() for each in part.partition("="))
        if letter not in letters or not value.isdecimal() or letters[letter] in wanted:
            example = "i=5,j=1,k=3" if "j" in names else "l=5,i=1,k=3" if all(names) else "k=3"
            said = f"{what} {quoted(text)}: {quoted(part.strip())}"
            raise InputError(f"{said} is not part of a position in this run, such as {example}.")
        wanted[letters[letter]] = int(value)
    found = trace.find(**wanted)
    if found is None:
        last = place_text(trace[int(trace.round_starts[-1])].place, algorithm) if len(trace.round_starts) else "nowhere"
        raise InputError(f"{what} {text}: the run does not reach this position; its last round is {last}.")
    depth = 3 if "k" in wanted else 2 if "i" in wanted else 1

    def place(at: int) -> tuple[int, ...]:
        where = trace[at].place
        return (where.ell, where.i, where.k)[:depth]

    end = found
    while end < len(trace) and place(end) == place(found):
        end += 1
    return end
