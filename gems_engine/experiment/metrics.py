"""What is measured of a trial: each metric a function of its row.

A new one is such a function and a line in `METRICS`.

A number that a trial did not reach is infinite: it is censored, and takes part in every quantile. Of τ these are the
trials that were wrong in the end, of the stop those that were cut off, of all those that failed. A trial that is cut
off while it is right has a τ: from there on it stayed right until it was cut off.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Literal

from gems_engine.events import ASKED, BUDGET_SPENT, CAP, LAST_LOOP
from gems_engine.experiment.trials import Row

Kind = Literal["share", "samples", "seconds"]


@dataclass(frozen=True)
class Metric:
    """One thing that is measured.

    Attributes
    ----------
    name
        As specifications and tables call it.
    title
        As a heading.
    says
        What it is, in a sentence.
    kind
        A share of the trials, a number of samples or a time.
    of
        From a row to the number; for a share, 1 or 0.
    """

    name: str
    title: str
    says: str
    kind: Kind
    of: Callable[[Row], float]


FORCED = (CAP, LAST_LOOP, ASKED, BUDGET_SPENT)
"""The ends of runs that did not stop by themselves."""


def at_least(kind: Kind, row: Row, cap: int | None) -> float:
    """The least that a number can be that a trial did not reach.

    Of one that failed nothing is known. One that was cut off would have gone on; its next step would have passed the
    cap. One that stopped by itself will never get there.
    """
    if row.error:
        return 0.0
    if row.finish not in FORCED:
        return inf
    if kind == "seconds":
        return row.seconds
    return float(max(row.samples or 0, (cap or 0) if row.finish == CAP else 0))


def _success(row: Row) -> float:
    return 1.0 if row.correct and not row.error else 0.0


def _tau(row: Row) -> float:
    return inf if row.error or row.tau is None else float(row.tau)


def _stopped(row: Row) -> float:
    return inf if row.error or row.samples is None or row.finish in FORCED else float(row.samples)


def _verified(row: Row) -> float:
    return inf if row.error or row.verified is None else float(row.verified)


def _runtime(row: Row) -> float:
    return inf if row.error or row.seconds_to_tau is None else row.seconds_to_tau


def _seconds(row: Row) -> float:
    return inf if row.error else row.seconds


METRICS: dict[str, Metric] = {
    each.name: each
    for each in (
        Metric("success", "Success", "How often the last recommendation is right.", "share", _success),
        Metric(
            "tau",
            "Sample complexity τ",
            "Samples from which on the recommendation stays right until the run ends, by itself or at the cap; 0 for a "
            "right first guess.",
            "samples",
            _tau,
        ),
        Metric("stopped", "Samples to the stop", "Samples by which it stopped by itself.", "samples", _stopped),
        Metric(
            "verified",
            "Samples to a verifiable answer",
            "Samples by which its recommendation was a singleton reached in R^D throughout.",
            "samples",
            _verified,
        ),
        Metric("runtime", "Runtime to τ", "Time up to τ, without making the instance.", "seconds", _runtime),
        Metric("seconds", "Runtime of a trial", "Time of a whole run, without its instance.", "seconds", _seconds),
    )
}
"""All metrics by name, in the order in which they are shown."""
