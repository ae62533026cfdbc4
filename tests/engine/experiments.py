"""A small experiment that every test of the harness runs: two instances, two algorithms, milliseconds a trial."""

from gems_engine.experiment.toml_format import parse_specification

SMALL = """
title = "A small one"
about = "Two instances, and one algorithm < another."
trials = 4
seed = 5
x = "epsilon"

[instance]
family = "paper-hard"
d_star = 3
epsilon = [0.3, 0.01]

[stop]
samples = 15_000

[[algorithm]]
name = "fixed-confidence"
label = "GEMS"
base = 4

[[algorithm]]
name = "rage"
label = "RAGE"

[[paper]]
metric = "success"
label = "RAGE"
values = [1.0, 0.25]
where = "nowhere"

[[paper]]
metric = "runtime"
label = "RAGE"
values = [3.46, 7.87]
where = "nowhere"
"""


def small(trials=4, seed=5):
    return parse_specification(SMALL, "small").with_(trials, seed)


def by_index(rows):
    return sorted(rows, key=lambda row: row.index)
