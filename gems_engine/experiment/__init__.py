"""Experiments: specifications of trials, their execution, their results as rows, and reports with intervals."""

from gems_engine.experiment.cluster import cluster_executor
from gems_engine.experiment.control import Control, Lost
from gems_engine.experiment.executors import run_trials
from gems_engine.experiment.local import local_executor
from gems_engine.experiment.runner import ExperimentResults, read_experiment, run_experiment
from gems_engine.experiment.statistics import Findings, Proportion, Quantile, findings, quantile, wilson
from gems_engine.experiment.trials import Row, Trial, repeated, run_trial, trial_seed

__all__ = [
    "Control",
    "ExperimentResults",
    "Findings",
    "Lost",
    "Proportion",
    "Quantile",
    "Row",
    "Trial",
    "cluster_executor",
    "findings",
    "local_executor",
    "quantile",
    "read_experiment",
    "repeated",
    "run_experiment",
    "run_trial",
    "run_trials",
    "trial_seed",
    "wilson",
]
