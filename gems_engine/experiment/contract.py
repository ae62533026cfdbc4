"""The contracts of metrics and experiments of other packages."""

from __future__ import annotations

from collections.abc import Iterator

from gems_engine.experiment.executors import run_trials
from gems_engine.experiment.library import EXPERIMENTS, NamedExperiment
from gems_engine.experiment.metrics import METRICS, Metric
from gems_engine.experiment.trials import Row, repeated
from gems_engine.plugin_contract import Violation, findings, require_sentence
from gems_engine.self_test import Finding

_TRIALS = (
    ("soare:D=3", "rage", 20_000),
    ("paper-hard:epsilon=0.3", "rage", 100),
    ("soare:D=3", "fixed-confidence", 500),
)
"""Instances, algorithms and caps: trials that stop, are cut off, and may be wrong."""


def check_metric(name: str) -> Iterator[Finding]:
    """The findings about an installed metric."""
    metric = METRICS[name]
    return findings(
        (
            ("documented", lambda: _documented(metric)),
            ("numbers", lambda: _numbers(metric)),
        )
    )


def _documented(metric: Metric) -> str:
    require_sentence("description (says)", metric.says)
    if not metric.title.strip():
        raise Violation("It has no title. Give it a heading for tables.")
    return metric.title


def _numbers(metric: Metric) -> str:
    """It is a number of every trial, the same again; the guard around it raises InputError otherwise."""
    rows = [row for spec, name, cap in _TRIALS for row in run_trials(repeated(spec, name, 2, max_samples=cap))]
    rows.append(
        Row(0, "soare", "rage", 1, correct=False, recommendation=1, samples=10, changes=0, rounds=1, finish="cap")
    )
    values = [metric.of(row) for row in rows]
    if values != [metric.of(row) for row in rows]:
        raise Violation("The same trial has another number the second time. Use only the row.")
    known = sum(value < float("inf") for value in values)
    return f"{known} known and {len(values) - known} unknown of {len(values)} trials"


def check_experiment(name: str) -> Iterator[Finding]:
    """The findings about an installed experiment."""
    experiment = EXPERIMENTS[name]
    return findings(
        (
            ("documented", lambda: _described(experiment)),
            ("every cell", lambda: _cells(experiment)),
        )
    )


def _described(experiment: NamedExperiment) -> str:
    said = experiment.specification(rehearse=False)
    if said.title == said.name:
        raise Violation("It has no title. Add title = to its specification.")
    require_sentence("about", said.about)
    return said.title


def _cells(experiment: NamedExperiment) -> str:
    """The first trial of every cell can be made; the specification raises InputError otherwise."""
    said = experiment.specification()
    return f"{len(said.cells)} cells of {said.trials} trials can be run"
