"""What the two presets that are stepped through say: plain English, and symbols instead of names of Python."""

import re

import pytest

from gems_engine import instances
from gems_engine.events import DimensionProbed, Place
from gems_engine.explanation import explain
from gems_engine.explanation.text import as_text
from gems_engine.running import Run
from gems_engine.wording import describe

AVOIDED = re.compile(r"\b([Nn]obody|anew|too dear|leaves?|left|stays?)\b|[«»]")


@pytest.mark.parametrize(
    ("algorithm", "given"),
    [("gems-c", {"rounds": 8, "selection_budget": 80.0}), ("gems-b", {"budget": 12_000, "rounds": 6})],
)
def test_no_event_of_a_call_is_told_in_words_to_avoid(algorithm, given):
    instance = instances.make("sphere", D=5, d_star=2, n=8, min_gap=0.05, theta="flat", seed=6)
    trace = Run(instance, algorithm, 1, **given).finish()
    told = [describe(event, instance, algorithm) for event in trace]
    told += [as_text(explain(trace, cursor, truth=True)) for cursor in range(1, len(trace) + 1)]
    recorded = "the largest last estimate among those left"  # a reason as files have it
    assert [found[0] for each in told if (found := AVOIDED.search(each.replace(recorded, "")))] == []
    assert "n = " in told[0]
    assert not re.search(r"\w_\w+ = |True|False", told[0].partition("seed 1")[2].replace("r_d = ", ""))


def test_a_tie_is_told_once():
    instance = instances.make("paper-hard")
    tie = DimensionProbed(Place(1, 1, 1), 1, 2.0, 2.0, 8.0, "tie", "tie", 0)
    assert describe(tie, instance) == "d = 1 fits: its cost ties with B (ι in [2, 2], r_d = 8)"
