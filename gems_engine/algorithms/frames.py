"""The position of a run in its pseudo-code: the stack of calls at a cursor, their lines and their symbols."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from gems_engine.algorithms.pseudocode import LOOP, ROUND, RUN, SUBROUTINE, Line, Listing
from gems_engine.algorithms.symbols import Known, Value
from gems_engine.state import State
from gems_engine.trace import Trace

_BACK = 16  # events to look back: more than pass between two calls


@dataclass(frozen=True)
class Frame:
    """One call on the stack.

    Attributes
    ----------
    listing
        The pseudo-code of the call.
    caller
        The line of the previous frame that calls it; empty for the outermost.
    line
        The current line; empty before the first event and after the call has returned.
    passed
        Lines without events of their own that were passed before the event at the cursor; for a call that has
        returned, the line at which its caller's event ended it.
    values
        The values known at the cursor, by line and symbol.
    """

    listing: Listing
    caller: str
    line: str
    passed: frozenset[str]
    values: Mapping[tuple[str, str], Value]


def frames(listing: Listing, trace: Trace, state: State, truth: bool = True) -> tuple[Frame, ...]:
    """The stack of calls at the cursor of a state, outermost first.

    The last call stays on it without a line until the next call, because its values still apply.
    """
    event = trace[state.cursor - 1] if state.cursor else None
    path = listing.path_of(event)
    begun = _begun(trace, state.cursor)
    found: list[Frame] = []
    for depth, (each, caller) in enumerate(_open(listing, trace, state.cursor)):
        line = path[depth][1].id if depth < len(path) and path[depth][0] is each else ""
        passed = frozenset(x.id for x in each.lines if (_passes(x, line, begun) if line else x.says(event, False)))
        known = Known(trace, state, truth, each.lines[0], alone=not depth)
        found.append(Frame(each, caller, line, passed, _values(each, known)))
    return tuple(found)


def _open(listing: Listing, trace: Trace, cursor: int) -> list[tuple[Listing, str]]:
    """The listings on the stack with the lines that call them: for each caller its last call."""
    chain = [(listing, "")]
    for event in reversed(trace[max(0, cursor - _BACK) : cursor]):
        depth, path = len(chain), listing.path_of(event)
        if len(path) > depth and path[depth - 1][0] is chain[-1][0]:
            chain += [(path[at][0], path[at - 1][1].id) for at in range(depth, len(path))]
        if not any(line.calls for line in chain[-1][0].lines):
            break
    return chain


def _begun(trace: Trace, cursor: int) -> frozenset[str]:
    """The units that the event at the cursor starts."""
    at = cursor - 1
    firsts = {
        ROUND: trace.round_starts,
        SUBROUTINE: trace.subroutine_starts,
        LOOP: trace.loop_starts,
        RUN: trace.subroutine_starts[:1],
    }
    return frozenset(
        unit
        for unit, positions in firsts.items()
        if (found := int(np.searchsorted(positions, at))) < len(positions) and positions[found] == at
    )


def _passes(line: Line, current: str, begun: frozenset[str]) -> bool:
    if isinstance(line.passed, str):
        return line.passed in begun
    return current in line.passed


def _values(listing: Listing, known: Known) -> dict[tuple[str, str], Value]:
    """The known values of the symbols of a listing."""
    if known.state.started is None:
        return {}
    found: dict[tuple[str, str], Value] = {}
    for line in listing.lines:
        here = replace(known, line=line) if line.shows else known
        for name in line.shows:
            ask = listing.symbol(name).value
            value = ask(here) if ask is not None else None
            if value is not None:
                found[line.id, name] = value
    return found
