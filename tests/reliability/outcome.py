"""What a kill has cost, and the table of all kills."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from gems_engine.files import in_use, read_run
from tests.reliability.forms import reference
from tests.reliability.program import Home, Window, table

SECOND = 1.0
"""What a kill may cost, in seconds."""


@dataclass
class Outcome:
    """What one kill has cost.

    Attributes
    ----------
    moment
        When it was.
    lost
        The age of the oldest event that is lost, in seconds at the kill; 0 if none is.
    processes
        Processes that remain.
    files
        Locks, temporary files and recovery folders that remain.
    wrong
        Everything that is not as it must be, in words.
    """

    moment: str
    lost: float = 0.0
    processes: int = 0
    files: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def require(self, holds: object, words: str) -> None:
        """Note what is wrong unless something holds."""
        if not holds:
            self.wrong.append(words)


def note_loss(outcome: Outcome, window: Window, killed: float, kept: int) -> None:
    """Note how old the oldest lost event of a killed window is; a pause of the whole machine stops all clocks."""
    outcome.lost = max((killed - when for when, events in window.beats if events > kept), default=0.0)
    recent = [when for when, _ in window.beats if when > killed - 3 * SECOND]
    pause = float(np.diff([*recent, killed]).max(initial=0.0))
    outcome.require(outcome.lost <= SECOND + pause, f"{outcome.lost:.2f} s are lost ({kept} of {window.events} events)")


def note_rest(outcome: Outcome, home: Home) -> None:
    """Note what remains after all windows have ended."""
    outcome.processes = home.orphans()
    outcome.files += [f"recovery folder {name}" for name in home.left()]
    outcome.files += [f"lock of {each.name}" for each in home.path.rglob("*.jsonl") if in_use(each)]
    outcome.files += [each.name for each in home.path.rglob(".*.tmp")]


def note_run(outcome: Outcome, window: Window, number: int, form: str, file: Path) -> int:
    """Save a run of a window, compare it with the run that its seed gives, and return its number of events."""
    window("save", number, str(file))
    window.until(lambda state: state["runs"][number]["path"] == str(file), "the saved run")
    events = list(read_run(file))
    outcome.require(events == reference(form).first(len(events)), f"{len(events)} events are not those of the seed")
    file.unlink()
    return len(events)


def report(kinds: Sequence[tuple[str, Sequence[Outcome]]]) -> str:
    """One row for each kind of kill."""
    rows = []
    for kind, outcomes in kinds:
        worst = max(each.lost for each in outcomes)
        rows.append(
            (
                kind,
                len(outcomes),
                f"{worst:.2f} s" if worst else "nothing",
                sum(each.processes for each in outcomes),
                sum(len(each.files) for each in outcomes),
                "; ".join(word for each in outcomes for word in each.wrong) or "nothing",
            )
        )
    return table(("killed", "kills", "lost at most", "remaining processes", "remaining locks and files", "wrong"), rows)
