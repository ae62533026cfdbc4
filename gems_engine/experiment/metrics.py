"""What is measured of a trial. A new metric is a function of a row and a line in `METRICS`.

A number that a trial did not reach, because it was wrong in the end, cut off or failed, is infinite: it is censored,
and takes part in every quantile.
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


def _success(row: Row) -> float:
    return 1.0 if row.correct and not row.error else 0.0


def _tau(row: Row) -> float:
    return inf if row.error or row.tau is None else float(row.tau)


def _stopped(row: Row) -> float:
    forced = row.finish in (CAP, LAST_LOOP, ASKED, BUDGET_SPENT)
    return inf if row.error or row.samples is None or forced else float(row.samples)


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
            "Samples from which on the recommendation is right and never changes again; 0 for a right first guess.",
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
