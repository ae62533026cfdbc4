"""Every number of an event has a rule: a value outside it is refused with the event, the field and the value."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from gems_engine import events as ev
from gems_engine.algorithms.recorded import check_recorded
from gems_engine.errors import InputError
from gems_engine.events import EVENTS, Place
from gems_engine.formats import chunk
from gems_engine.formats.chunk import SCHEMAS
from gems_engine.formats.event_rules import RULES, Sizes
from gems_engine.running import Run
from gems_engine.trace import Trace
from tests.engine.small_settings import SHORTER
from tests.engine.synthetic_runs import small_instance, synthetic

INSTANCE = small_instance()  # four arms in R⁴
SIZES = Sizes.of(INSTANCE)
GOOD = {}
for event in synthetic(INSTANCE):
    if event.kind != "eliminated" or len(event.targets):
        GOOD.setdefault(event.kind, event)


def test_every_number_has_a_rule():
    for kind, schema in SCHEMAS.items():
        numbers = {name for name, type_ in schema.items() if type_ in ("int", "float", "floats", "integers")}
        assert set(RULES.get(kind, {})) == numbers, kind
    assert set(GOOD) == set(EVENTS)


def refused(event, before=0):
    with pytest.raises(InputError) as caught:
        chunk.encode([GOOD["recommended"]] * before + [event], SIZES)
    return str(caught.value)


@pytest.mark.parametrize(
    ("kind", "field", "value", "said"),
    [
        ("subroutine started", "delta", 1.0, "delta of event 3 (subroutine started) is 1.0: it must be at least 0"),
        ("subroutine started", "delta", 0.0, "delta of event 3 (subroutine started) is 0.0: it must be above 0 for"),
        ("subroutine started", "delta", math.nan, "is nan: it must be at least 0 and below 1."),
        ("subroutine started", "selection_budget", 0.0, "is 0.0: it must be above 0."),
        ("subroutine started", "budget", math.inf, "is inf: it must be from 0 to 1e+300."),
        ("subroutine started", "rounds", 2**1024, "is a huge whole number: it must be at least 0 and finite."),
        ("budget divided", "pulls", -1, "is -1: it must be from 0 to 9223372036854775807."),
        ("top dimension chosen", "rounding_samples", np.ones(3), "has 3 entries: it must have 4."),
        ("top dimension chosen", "rounding_samples", np.array([1, 2, np.nan, 3]), "rounding_samples[2] of event 3"),
        ("dimension probed", "lower", -1e-9, "is -1e-09: it must be at least 0."),
        ("dimension probed", "d", 0, "is 0: it must be from 1 to 4."),
        ("design solved", "weights", np.array([0.5, 0.3, 0.1]), "has the sum 0.9: it must be 1."),
        ("design solved", "weights", np.array([1.5, -0.5, 0.0]), "weights[0] of event 3 (design solved) is 1.5"),
        (
            "design solved",
            "support",
            np.array([1, 1, 2]),
            "support[1] of event 3 (design solved) is 1: it must",
        ),
        ("design solved", "support", np.array([2]), "fields support and weights of event 3 (design solved) must be eq"),
        ("design solved", "cost", math.inf, "is inf: it must be from 0 to 1e+300."),
        ("design solved", "tolerance", 0.0, "is 0.0: it must be above 0 and at most 1."),
        ("design solved", "seconds", math.inf, "is inf: it must be from -1e+300 to 1e+300."),
        ("allocated", "factor", 0.0, "is 0.0: it must be above 0."),
        ("pulled", "sums", np.array([1.0, math.inf, 2.0]), "sums[1] of event 3 (pulled) is inf: it must be from"),
        ("estimated", "theta", np.zeros(0), "has 0 entries: it must have from 1 to 4."),
        ("eliminated", "widths", np.array([-1.0]), "widths[0] of event 3 (eliminated) is -1.0"),
        ("eliminated", "left", 0, "is 0: it must be from 1 to 4."),
        ("idle rounds", "first", 1, "is 1: it must be its round, 5."),
        ("idle rounds", "last", 4, "is 4: it must be at least the first, 5."),
        ("subroutine finished", "survivors", np.array([2, 1]), "survivors[1] of event 3 (subroutine finished) is 1"),
        ("validated", "means", np.array([math.nan]), "means[0] of event 3 (validated) is nan"),
        ("run finished", "recommendation", -2, "is -2: it must be from -1 to 3."),
        ("recommended", "place", Place(0, 0, 2**31), "field k of event 3 (recommended) is 2147483648"),
    ],
)
def test_a_value_without_meaning_is_refused(kind, field, value, said):
    good = GOOD[kind]
    if field == "means":
        good = replace(good, targets=good.targets[:1])
    message = refused(replace(good, **{field: value}), before=2)
    assert said in message
    assert message.isprintable()


def test_the_first_of_many_is_named():
    events = [GOOD["pulled"], GOOD["design solved"], replace(GOOD["design solved"], value=-1.0)]
    with pytest.raises(InputError, match=re.escape("The field value of event 13 (design solved) is -1.0:")):
        chunk.encode(events, SIZES, first=10)


def test_what_is_not_known_may_be_missing():
    old = replace(GOOD["design solved"], upper_bound=math.nan)
    data, length = chunk.encode([old], SIZES)
    assert chunk.decode(data, length, 1, SIZES).events() == [old]
    unbounded = replace(GOOD["dimension probed"], upper=math.inf)
    data, length = chunk.encode([unbounded], SIZES)
    assert chunk.decode(data, length, 1, SIZES).events() == [unbounded]


# -- what an event may follow --------------------------------------------------------------------------------------


def following(*kinds):
    """The events of a run until the first of these kinds, and that one."""
    trace = Trace(INSTANCE)
    for event in synthetic(INSTANCE):
        if event.kind in kinds and (event.kind != "eliminated" or len(event.targets)):
            return trace, event
        trace.append(event)
    raise AssertionError(kinds)


def cannot_follow(trace, event):
    length = len(trace)
    with pytest.raises(InputError) as caught:
        trace.append(event)
    assert len(trace) == length
    assert trace.state_at(length).cursor == length
    assert str(caught.value).startswith(f"Event {length + 1} ({event.kind}) ")
    return str(caught.value)


def test_samples_never_decrease():
    trace, event = following("subroutine finished")
    words = cannot_follow(trace, replace(event, samples=event.samples - 1))
    assert f"has {event.samples - 1} samples, fewer than the {event.samples} before it." in words
    trace.append(event)


def test_targets_are_eliminated_once():
    trace, event = following("eliminated")
    assert "of 4 targets and says that 4 remain." in cannot_follow(trace, replace(event, left=4))
    trace.append(event)
    again = replace(event, left=event.left - len(event.targets))
    assert "names a target that was eliminated before." in cannot_follow(trace, again)
    by = replace(again, targets=event.by, by=event.targets)
    assert "names a target that was eliminated before." in cannot_follow(trace, by)
    kept = ev.SubroutineFinished(Place(1, 1), event.targets, "cap", trace.state_at(len(trace)).samples)
    assert "keeps a target that was eliminated before." in cannot_follow(trace, kept)


def test_without_calls_the_eliminations_of_all_rounds_may_be_mixed():
    trace, event = following("eliminated")
    free = Trace(INSTANCE)
    free.extend(each for each in trace if each.kind != "subroutine started")
    free.extend([event, event])
    assert free.state_at(len(free)).survivors.tolist() == [z for z in range(4) if z not in event.targets]


@pytest.mark.parametrize("kind", ["dimension probed", "design solved", "estimated", "eliminated"])
@pytest.mark.parametrize("place", [Place(1, 1, 0), Place(2, 1, 1), Place(1, 2, 1)])
def test_a_round_belongs_to_the_call_before_it(kind, place):
    trace, event = following(kind)
    assert "is not in a round of the current call, (ℓ, i) = (1, 1)." in cannot_follow(
        trace, replace(event, place=place)
    )


def test_a_round_starts_before_its_estimate():
    trace, event = following("estimated")
    words = cannot_follow(trace, replace(event, place=Place(1, 1, 2)))
    assert "is in round 2, which has not started." in words


def test_rewards_answer_an_allocation():
    trace, event = following("pulled")
    words = cannot_follow(trace, replace(event, sums=event.sums[1:]))
    assert "has 2 sums of rewards, which do not match the last allocation." in words
    assert "do not match the last allocation." in cannot_follow(trace, replace(event, place=Place(1, 1, 2)))


# -- settings ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", SHORTER)
def test_the_settings_of_a_run_are_those_that_a_run_accepts(algorithm):
    started = next(Run(INSTANCE, algorithm, 1, **SHORTER[algorithm]))
    check_recorded(started)
    check_recorded(replace(started, parameters={"epsilon": 0.1, "of_another_version": 1}))
    with pytest.raises(InputError, match="zeta = 0 is not allowed"):
        check_recorded(replace(started, parameters={**started.parameters, "zeta": 0}))
    with pytest.raises(InputError, match="The field goal of event 1"):
        check_recorded(replace(started, goal="any arm"))


def test_an_algorithm_of_another_package_has_its_own_parameters():
    started = replace(next(synthetic(INSTANCE)), parameters={"delta": 7, "word": "x"})
    check_recorded(started)
    for epsilon in (None, 0.0, math.nan, math.inf, "x", True):
        with pytest.raises(InputError, match=r"parameters\.epsilon of event 1"):
            check_recorded(replace(started, goal="epsilon", parameters={"epsilon": epsilon}))
