"""What events amount to, against what a reader of the events would say."""

import dataclasses

import numpy as np
import pytest

from gems_engine import events as ev
from gems_engine.errors import InputError
from gems_engine.events import Place
from gems_engine.state import _FOLDS, fold, initial_state
from tests.engine.synthetic_runs import same_states, small_instance, synthetic, wide_instance

INSTANCE = small_instance()


def folded(events, instance=INSTANCE):
    state = initial_state(instance)
    for event in events:
        state = fold(state, event)
    return state


def started():
    return ev.RunStarted(Place(), INSTANCE.digest, "a", {}, 0, "best arm", {})


def subroutine(ell=1, i=1):
    return ev.SubroutineStarted(Place(ell, i), "gems-c", 4, 16.0, 0.05, 0.0)


def test_before_the_first_event():
    state = initial_state(INSTANCE)
    assert (state.cursor, state.samples, state.d, state.algorithm, state.recommendation) == (0, 0, 0, "", None)
    assert state.survivors.tolist() == list(range(len(INSTANCE.targets)))
    for fate in (state.fate_event, state.fate_round, state.fate_by):
        assert fate.tolist() == [-1] * len(INSTANCE.targets)
    assert state.theta is None
    assert state.sums is None
    assert not state.counts.any()
    assert not state.round_counts.any()
    assert not len(state.eliminated_now)


def test_every_kind_of_event_has_its_fold():
    assert set(_FOLDS) == set(ev.EVENTS.values())


def test_agrees_with_a_plain_account():
    """Lists and sets, event by event."""
    state = initial_state(INSTANCE)
    K, n = len(INSTANCE.arms), len(INSTANCE.targets)
    run, here, this_round = [0] * K, [0] * K, [0] * K
    alive, fates, probes, kept, asked, place, validated = set(range(n)), {}, 0, [], None, None, False
    for at, event in enumerate(synthetic(INSTANCE, loops=3, subroutines=2, rounds=5, support=2)):
        if isinstance(event, ev.SubroutineStarted):
            here, this_round, alive, fates, probes = [0] * K, [0] * K, set(range(n)), {}, 0
        elif isinstance(event, ev.DimensionProbed | ev.DesignSolved | ev.Allocated | ev.IdleRounds):
            if event.place != place:
                this_round, probes = [0] * K, 0
            place = event.place
            probes += isinstance(event, ev.DimensionProbed)
            asked = event if isinstance(event, ev.Allocated) else asked
        elif isinstance(event, ev.Pulled):
            for arm, count in zip(asked.arms, asked.counts, strict=True):
                run[arm] += count
                this_round[arm] += count
                here[arm] += count if event.place.k else 0
        elif isinstance(event, ev.Eliminated):
            alive -= set(event.targets.tolist())
            fates |= {z: (at, event.place.k, by) for z, by in zip(event.targets.tolist(), event.by, strict=True)}
        elif isinstance(event, ev.CandidateKept):
            kept = [] if validated else kept
            validated = False
            kept += [event.target] if event.target not in kept else []
        elif isinstance(event, ev.Validated):
            validated = True
        state = fold(state, event)
        assert state.cursor == at + 1
        assert state.place == event.place
        assert state.counts.tolist() == run
        assert state.subroutine_counts.tolist() == here
        assert state.round_counts.tolist() == this_round
        assert state.survivors.tolist() == sorted(alive)
        assert state.candidates == tuple(kept)
        assert len(state.probes) == probes
        for z in range(n):
            assert (state.fate_event[z], state.fate_round[z], state.fate_by[z]) == fates.get(z, (-1, -1, -1))
    assert state.finished.why == ev.CAP
    assert state.recommendation == state.recommended.target == state.verifiable.target
    assert state.samples == sum(run) + 3 * 30  # one idle event of thirty samples in each loop


def test_within_a_round_what_came_stays_and_a_new_round_begins_empty():
    at, arms = Place(1, 1, 1), np.array([0, 2])
    design = ev.DesignSolved(at, 2, arms, np.array([0.5, 0.5]), 3.0, 3.0, 3.0, 12.0, "optimal", "", 1, "auto", 1e-6)
    allocated = ev.Allocated(at, 2, arms, np.array([4, 6]), 1.0, True)
    pulled = ev.Pulled(at, np.array([1.0, 2.0]), 10)
    estimated = ev.Estimated(at, np.array([0.1, 0.2]))
    none = np.array([], dtype=np.int64)
    eliminated = ev.Eliminated(at, none, none, np.array([]), np.array([]), 4)
    state = folded([started(), subroutine(), design, allocated, pulled, estimated, eliminated])
    assert (state.design, state.allocation, state.d) == (design, allocated, 2)
    assert state.theta.tolist() == [0.1, 0.2]
    assert state.sums.tolist() == [1.0, 2.0]
    assert state.round_counts.tolist() == [4, 0, 6, 0]
    after = fold(state, ev.DimensionProbed(Place(1, 1, 2), 1, 0.0, 1.0, 4.0, "fits", "", 0))
    assert (after.design, after.allocation, after.pulled, after.estimated, after.eliminated) == (None,) * 5
    assert after.d == 0
    assert after.counts.tolist() == [4, 0, 6, 0]
    idle = fold(after, ev.IdleRounds(Place(1, 1, 3), 3, 9, 1, 70, 80, "equal"))
    assert (idle.idle.last, idle.samples, idle.d, idle.probes) == (9, 80, 1, ())


def test_asked_for_but_not_yet_pulled_counts_nothing():
    state = folded([started(), ev.Allocated(Place(1, 1, 1), 1, np.array([0]), np.array([9]), 1.0, True)])
    assert not state.round_counts.any()
    assert not state.counts.any()


def test_an_arm_asked_for_twice_counts_twice():
    asked = ev.Allocated(Place(), 0, np.array([1, 1]), np.array([5, 5]), 1.0, True)
    state = folded([started(), asked, ev.Pulled(Place(), np.array([1.0, 2.0]), 10)])
    assert state.counts.tolist() == [0, 10, 0, 0]
    assert state.round_counts.tolist() == [0, 10, 0, 0]
    assert not state.subroutine_counts.any()  # a validation belongs to no subroutine


@pytest.mark.parametrize("before", [[], ["asked"], ["asked", "pulled"]])
def test_sums_that_fit_no_allocation_are_refused(before):
    asked = ev.Allocated(Place(1, 1, 1), 1, np.array([0, 1]), np.array([1, 1]), 1.0, True)
    pulled = ev.Pulled(Place(1, 1, 1), np.array([0.0, 0.0]), 2)
    known = {"asked": asked, "pulled": pulled}
    last = pulled if len(before) != 1 else ev.Pulled(Place(1, 1, 1), np.array([0.0]), 2)
    with pytest.raises(InputError, match="do not match the last allocation"):
        folded([started(), *(known[name] for name in before), last])


def test_fold_is_pure_and_its_arrays_are_closed():
    state = initial_state(INSTANCE)
    for event in synthetic(INSTANCE):
        copy = dataclasses.replace(state)
        again, after = fold(state, event), fold(state, event)
        assert same_states(state, copy)
        assert same_states(again, after)
        for name, value in after.__dict__.items():
            if isinstance(value, np.ndarray):
                assert not value.flags.writeable, name
                assert value.dtype == (np.float64 if name == "features" else np.int64)
        state = after
    with pytest.raises(dataclasses.FrozenInstanceError):
        state.samples = 0


def test_what_does_not_change_is_shared():
    wide = wide_instance(200)
    state = initial_state(wide)
    for event in synthetic(wide, loops=1, support=20):
        after = fold(state, event)
        if not isinstance(event, ev.Pulled):
            assert after.counts is state.counts
        if not isinstance(event, ev.Eliminated | ev.SubroutineStarted | ev.SubroutineFinished | ev.RunFinished):
            assert after.survivors is state.survivors
            assert after.fate_event is state.fate_event
        state = after


def test_it_says_where_it_is():
    assert repr(folded([started(), subroutine(2, 1)])) == (
        "<State after 2 events: ℓ 2 · i 1 · k 0, 4 survivors, 0 samples>"
    )
