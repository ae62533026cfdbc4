"""The metrics of a trial, each a function of its row.

To add one, write such a function and add a line to `BUILT_IN`; other packages use the entry-point group
``gems.metrics``.

A number that a trial did not reach is infinite: it is censored, and is part of every quantile. For τ these are the
trials that were wrong in the end, for the stop those that were cut off, and for both those that failed. A trial that is
cut off while it is right has a τ, because it stayed right until the cut-off.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Any, Literal

from gems_engine.errors import InputError, quoted
from gems_engine.events import ASKED, BUDGET_SPENT, CAP, LAST_LOOP
from gems_engine.experiment.trials import Row
from gems_engine.plugins import Plugins, Registry, in_words

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Kind = Literal["share", "samples", "seconds"]


@dataclass(frozen=True)
class Metric:
    """One metric.

    Attributes
    ----------
    name
        The name in specifications and tables.
    title
        The heading.
    says
        A description in one sentence.
    kind
        A share of the trials, a number of samples or a time.
    of
        Maps a row to the number; for a share, 1 or 0.
    """

    name: str
    title: str
    says: str
    kind: Kind
    of: Callable[[Row], float]


FORCED = (CAP, LAST_LOOP, ASKED, BUDGET_SPENT)
"""The ends of runs that did not stop by themselves."""


def at_least(kind: Kind, row: Row, cap: int | None) -> float:
    """A lower bound on a number that a trial did not reach.

    Nothing is known about a failed trial. A trial that was cut off would have continued; its next step would have
    exceeded the cap. A trial that stopped by itself never reaches it.
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


BUILT_IN: dict[str, Metric] = {
    each.name: each
    for each in (
        Metric("success", "Success", "How often the last recommendation is right.", "share", _success),
        Metric(
            "tau",
            "Sample complexity τ",
            "The sample after which the recommendation stays right until the run ends, by itself or at the cap; 0 for "
            "a right first guess.",
            "samples",
            _tau,
        ),
        Metric("stopped", "Samples to the stop", "Samples until it stopped by itself.", "samples", _stopped),
        Metric(
            "verified",
            "Samples to a verifiable recommendation",
            "Samples until its recommendation was the only arm that remained, with d = D in every round.",
            "samples",
            _verified,
        ),
        Metric("runtime", "Runtime to τ", "Time up to τ, without making the instance.", "seconds", _runtime),
        Metric(
            "seconds", "Runtime of a trial", "Time of a whole run, without making the instance.", "seconds", _seconds
        ),
    )
}
"""The built-in metrics by name, in order of display."""


def taken_names() -> tuple[str, ...]:
    """The names that a metric of another package cannot have."""
    return (*BUILT_IN, *COLUMNS)


def plugin_metrics() -> Plugins[Metric]:
    """The metrics of other packages, with those that cannot be used."""
    return METRICS.plugins()


def _checked(entry: EntryPoint, found: Any) -> Metric:
    if not isinstance(found, Metric):
        raise InputError(f"it is of the type {type(found).__name__}, not a Metric.")
    if found.name != entry.name:
        raise InputError(f"the metric calls itself {quoted(str(found.name))}. Give the entry point the same name.")
    if not found.name.isidentifier() or found.name != found.name.lower():
        raise InputError("its name must be lower-case letters, digits and _, such as my_metric. Rename it.")
    if found.name in COLUMNS or found.name.startswith(OF_PARAMETERS):
        raise InputError("results.csv has another column of this name. Rename it.")
    if found.kind not in ("samples", "seconds"):
        raise InputError('its kind must be "samples" or "seconds".')
    if not (isinstance(found.title, str) and isinstance(found.says, str) and callable(found.of)):
        raise InputError("its title and says must be text, and of a function.")
    return replace(found, of=_guarded(found))


def _guarded(metric: Metric) -> Callable[[Row], float]:
    """The function of a metric; an error in it is one sentence, and its number is at least 0.

    It is not called for a failed trial, of which nothing is known.
    """

    def of(row: Row) -> float:
        if row.error:
            return inf
        try:
            number = float(metric.of(row))
        except Exception as error:
            raise InputError(
                f'The metric "{metric.name}" has an error at trial {row.index}: {in_words(error)} '
                "Correct it or uninstall its package; the trials are saved."
            ) from error
        if not number >= 0.0:  # also if it is not a number
            raise InputError(
                f'The metric "{metric.name}" is {number} at trial {row.index}, but must be at least 0, or infinite if '
                "it is unknown. Correct it or uninstall its package; the trials are saved."
            )
        return number

    return of


COLUMNS = frozenset(
    (
        "experiment",
        "cell",
        "label",
        "instance",
        "family",
        "algorithm",
        "trial",
        "experiment_seed",
        "seed",
        "success",
        "tau",
        "stop",
        "samples",
        "recommendation",
        "first_right",
        "changes",
        "rounds",
        "verifiable",
        "runtime_seconds",
        "runtime_to_tau_seconds",
        "tries",
        "error",
        "versions",
    )
)
"""The columns of results.csv, whose names a metric cannot have; `trial_table` fills them."""
OF_PARAMETERS = ("instance_", "algorithm_")
"""What the columns of parameters begin with."""


METRICS: Registry[Metric] = Registry("gems.metrics", "metric", _checked, BUILT_IN)
"""All metrics by name: the built-in ones, then those of other packages."""
