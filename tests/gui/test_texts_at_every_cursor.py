"""Every algorithm at every cursor: names and numbers on screen agree with a plain account of the events.

The account is kept here by hand, event by event, and knows nothing of states, histories and summaries.
"""

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from gems_engine import instances
from gems_engine.commands.run import _text
from gems_engine.errors import InputError
from gems_engine.explanation import explain
from gems_engine.explanation.text import as_text
from gems_engine.files import read_run
from gems_engine.history import History
from gems_engine.running import Run
from gems_engine.summary import Tally
from gems_engine.talk.captions import fill
from gems_engine.terminal import number, plural
from gems_gui.background.engines import _answer
from gems_gui.series.compare_table import result_series
from gems_gui.series.gaps import gap_series
from gems_gui.series.geometry import Sight, geometry_series
from gems_gui.series.race import lane_series
from gems_gui.series.recommendation import LINEAR, recommendation_series
from gems_gui.series.side_by_side import CURSOR
from gems_gui.series.status import status
from gems_gui.series.surviving_arms import INDEX, ROUNDS, SUBROUTINE, survival_series
from gems_gui.snapshot import Snapshot
from gems_gui.workbench.run_facts import result_text
from tests.engine.small_settings import SHORTER

RUNS = Path(__file__).parents[1] / "data" / "runs"
ONE_CALL = ("gems-c", "gems-b", "gems-m")
INSTANCES = {
    "hard": lambda: instances.make("paper-hard", d_star=5, epsilon=0.1),
    "sphere": lambda: instances.make("sphere", D=6, d_star=3, n=15, min_gap=0.05, seed=2),
    "soare": lambda: instances.make("soare", D=4, omega=0.4),
    "wide": lambda: instances.make("paper-hard", epsilon=0.3),
}
SEEDS = {"wide": 3}
VALIDATION = "the highest mean in validation"
MARKED = ("carried over", "first guess", "by validation")


class Account:
    """What has happened so far, read off the events one by one."""

    def __init__(self, instance, algorithm):
        self.instance, self.algorithm = instance, algorithm
        self.count = len(instance.targets)
        self.called = False  # whether there was a subroutine
        self.gone = set()
        self.samples = 0
        self.said = None  # what was recommended last
        self.origin = ""
        self.theta = None
        self.over = None
        self.candidates = []
        self.validates = False

    def read(self, event):
        self.samples = getattr(event, "samples", self.samples)
        if event.kind == "subroutine started":
            self.called = True
            self.gone, self.theta, self.validates = set(), None, False
            if self.said is not None and self.origin != "first guess":
                self.origin = "carried over"
        elif event.kind == "eliminated":
            self.gone |= set(event.targets.tolist())
            if self.said in self.gone and self.origin != "first guess":
                self.origin = "carried over"
        elif event.kind == "estimated":
            self.theta = event.theta
        elif event.kind == "candidate kept":
            self.candidates.append((event.place.ell, event.target))
        elif event.kind == "allocated" and self.candidates and not event.d:
            self.validates = True
        elif event.kind == "recommended":
            self.said = event.target
            self.origin = {"first guess": "first guess", VALIDATION: "by validation"}.get(event.why, "")
        elif event.kind == "run finished":
            self.over = event
            if not self.called:  # without subroutines nothing is eliminated, and the answer alone remains
                self.gone = set(range(self.count)) - {event.recommendation}

    @property
    def remain(self):
        return [z for z in range(self.count) if z not in self.gone]

    @property
    def leaders(self):
        """Those with the largest latest estimate, more than one where they tie."""
        if self.theta is None:
            return []
        estimates = {z: float(np.dot(self.instance.targets[z, : len(self.theta)], self.theta)) for z in self.remain}
        return [z for z, value in estimates.items() if value >= max(estimates.values()) - 1e-9]

    def name(self, target):
        return self.instance.target_label(target)

    @property
    def competing(self):
        """The candidates from a validation on, those of the last loop where each loop has its own."""
        last = None if self.algorithm == "fixed-budget" else self.candidates[-1][0]
        return {z for loop, z in self.candidates if last in (None, loop)}

    @property
    def contenders(self):
        count = len(self.competing) if self.validates else 0
        return f"{number(count)} candidate{'' if count == 1 else 's'}" if self.validates else self.survivors_text

    @property
    def survivors_text(self):
        remain, many = len(self.remain), self.count
        return f"{number(remain)} of {number(many)} arms remain{'s' if remain == 1 else ''}"


@cache
def recorded(name, place):
    try:
        return Run(INSTANCES[place](), name, SEEDS.get(place, 1), **SHORTER[name]).finish()
    except InputError:
        return None


def test_all_algorithms_are_looked_at():
    kinds = {
        (name, event.why) for name in ONE_CALL for event in recorded(name, "sphere") if event.kind == "run finished"
    }
    assert len(kinds) == 3
    ends = [recorded("gems-c", place).finished for place in INSTANCES]
    assert max(len(end.survivors) for end in ends) > 1, "a set of several arms is among what is looked at"


@pytest.mark.parametrize("place", INSTANCES)
@pytest.mark.parametrize("name", SHORTER)
def test_at_every_cursor_what_is_said_is_so(name, place):
    trace = recorded(name, place)
    assert trace is not None
    history = History(trace)
    account, tally = Account(trace.instance, name), Tally(trace.instance)
    for cursor, event in enumerate(trace, 1):
        account.read(event)
        tally.add(event)
        snapshot = Snapshot(trace, history, trace.state_at(cursor))
        check_state(account, snapshot.state)
        check_status(account, status(snapshot))
        check_run_list(account, result_text(tally.summary(), trace.instance, truth=True), tally.summary())
        check_captions(account, trace, snapshot.state)
        check_views(account, snapshot)
    check_end(account, trace, tally.summary())


def check_state(account, state):
    assert state.samples == account.samples
    assert state.survivors.tolist() == account.remain
    if account.algorithm in ONE_CALL and account.algorithm != "gems-c" and account.said is not None:
        assert state.recommendation == account.said  # at the end of one call
    elif account.algorithm in ONE_CALL:
        assert state.recommendation is None
    else:
        assert state.recommendation == account.said
    assert state.validates == account.validates
    if state.recommendation in account.gone:
        assert state.origin in MARKED
        assert state.recommendation_carried == (state.origin != "by validation")
    assert (state.leader is None) == (account.theta is None)
    assert state.leader is None or state.leader in account.leaders
    target, called = state.answer
    if target is None:
        assert called.startswith("leader" if account.algorithm in ONE_CALL else "recommended"), "what there may be"
    elif called == "leader":
        assert account.algorithm in ONE_CALL
        assert target in account.leaders
    else:
        assert called == ("recommended" if not account.origin else f"recommended, {account.origin}")


def expected_answer(account, state):
    """What is recommended with its origin, or the leader of one call."""
    if state.recommendation is not None:
        origin = f" ({account.origin})" if account.origin else ""
        return f"recommends {account.name(account.said)}{origin}"
    if account.algorithm in ONE_CALL and account.theta is not None:
        return f"leader {account.name(state.leader)}"
    return ""


def check_status(account, said):
    assert said.samples == f"samples {number(account.samples)}"
    assert said.survivors == account.contenders
    assert_not_eliminated(account, said.recommendation)
    if account.algorithm in ONE_CALL and not account.over:
        assert not said.recommendation.startswith("recommends") or account.said is not None
    for way in said.after_place:
        assert "left" not in way


def assert_not_eliminated(account, words):
    """Who is called recommended or leader is there, or is said to be carried over or a guess."""
    found = re.match(r"(recommends|leader) (.+?)(?: \((.+)\))?$", words)
    if not found:
        assert words == ""
        return
    target = next(z for z in range(account.count) if account.name(z) == found[2])
    if target in account.gone:
        assert found[1] == "recommends"
        assert found[3] in MARKED
    if found[1] == "recommends":
        assert account.algorithm != "gems-c"
        assert target == account.said
        assert (found[3] or "") == account.origin


def check_run_list(account, words, summary):
    assert words.endswith(f" {plural(account.samples, 'sample')}")
    assert list(summary.survivors) == account.remain
    assert summary.samples == account.samples
    if account.algorithm == "gems-c":
        assert words.startswith(account.survivors_text)
        assert "recommend" not in words
        assert ("leader" in words) == (account.over is not None and account.theta is not None)
    elif account.said is None:
        assert words.startswith(account.survivors_text if account.algorithm in ONE_CALL else "no recommendation yet")
    else:
        origin = f" ({account.origin})" if account.origin else ""
        right = "✓ right" if summary.correct else "✗ wrong"
        assert words.startswith(f"recommends {account.name(account.said)}{origin} {right}")


def check_captions(account, trace, state):
    said = fill("{samples}|{left}|{recommendation}|{leader}", trace, state)
    samples, remain, recommendation, leader = said.split("|")
    assert samples == number(account.samples)
    assert remain == number(len(account.remain))
    nothing = fill("{mean[0]}", trace, trace.state_at(0))  # how captions write what is not there
    if state.recommendation is None:
        assert recommendation == nothing
    else:
        marked = f" ({account.origin})" if account.origin else ""
        assert recommendation == account.name(account.said) + marked
    assert leader == (account.name(state.leader) if account.theta is not None else nothing)


def check_views(account, snapshot):
    state = snapshot.state
    target, called = state.answer
    survival = survival_series(snapshot, SUBROUTINE, INDEX, ROUNDS)
    assert survival.called == called
    assert (None if survival.recommended is None else int(survival.order[survival.recommended])) == target
    gaps = gap_series(snapshot)
    assert gaps.called == called
    assert gaps.recommended is None or int(gaps.targets[gaps.recommended]) == target
    path = recommendation_series(snapshot, LINEAR)
    if account.algorithm == "gems-c":
        assert len(path.path.targets) == (account.over is not None and account.theta is not None)
        assert path.placeholder == ("" if len(path.path.targets) else "GEMS-c returns a set and recommends no arm")
    elif state.recommendation is None:
        assert path.placeholder in ("no recommendation yet", "a single call recommends nothing before its end")
    else:
        assert int(path.path.targets[-1]) == account.said
        assert account.origin in path.subtitle[0]
        assert account.name(account.said) in path.subtitle[0]
    (row,) = result_series(snapshot, CURSOR).rows
    finds, samples, remain = row.cells[1], row.cells[4], row.cells[6]
    assert samples.removesuffix(" ■") == number(account.samples)
    assert remain == (account.contenders if account.validates else number(len(account.remain)))
    expected = expected_answer(account, state).removeprefix("recommends ")
    nothing = "no recommendation" if account.over else "no recommendation yet"
    assert finds.removesuffix(" ✓").removesuffix(" ✗") == (expected or nothing)
    (lane,) = lane_series(snapshot, LINEAR, CURSOR).lanes
    assert finds in lane.words[0]
    assert not account.validates or account.contenders in lane.words[0]


def check_end(account, trace, summary):
    end = account.over
    assert end.survivors.tolist() == account.remain
    told = as_text(explain(trace, len(trace), truth=True))
    text = _text(trace, summary, {})
    if account.algorithm == "gems-c":
        assert end.recommendation in account.leaders
        assert f"GEMS-c returns the set of surviving arms, {len(account.remain)} of {account.count}" in told
        assert f"{account.survivors_text}, leader {account.name(end.recommendation)}" in text
        assert _answer(trace, end) == f"{account.survivors_text}, leader {account.name(end.recommendation)}"
        assert "recommends" not in text
    else:
        assert end.recommendation == account.said
        origin = f" ({account.origin})" if account.origin else ""
        assert f"The recommendation is {account.name(account.said)}{origin}, after" in told
        assert f"recommends {account.name(account.said)}{origin}" in text
        assert _answer(trace, end) == f"it recommends {account.name(account.said)}{origin}"


def test_the_reported_case():
    """Of 100 arms five remained, and the eliminated first guess was called the recommendation."""
    trace = Run(instances.make("sphere"), "gems-c", 1, selection_budget=60.0).finish()
    history, account = History(trace), Account(trace.instance, "gems-c")
    said = []
    for cursor, event in enumerate(trace, 1):
        account.read(event)
        said.append(status(Snapshot(trace, history, trace.state_at(cursor))))
        check_status(account, said[-1])
    assert not any(each.recommendation.startswith("recommends") for each in said)
    assert said[-1].recommendation == f"leader {trace.instance.target_label(trace.finished.recommendation)}"
    assert {each.survivors for each in said} >= {"100 of 100 arms remain", account.survivors_text}


def test_an_eliminated_arm_that_a_validation_recommends_is_marked():
    """The last of the candidates' subroutines had eliminated x_2, and nothing said why it was recommended even so."""
    trace = recorded("fixed-budget", "wide")
    snapshot = Snapshot.of(trace, len(trace))
    assert snapshot.state.recommendation not in snapshot.state.survivors
    said = str(status(snapshot))
    assert said.startswith("ended: budget spent")
    assert said.endswith(" · 6 candidates · recommends x_2 (by validation)")
    survival = survival_series(snapshot, SUBROUTINE, INDEX, ROUNDS)
    assert (int(survival.order[survival.recommended]), survival.called) == (1, "recommended, by validation")


def test_a_validation_holds_until_the_next_subroutine():
    trace = recorded("misspecified", "hard")
    (at, *_) = trace.positions("validated")
    validated = trace.state_at(int(at) + 2)
    assert (validated.origin, validated.validates) == ("by validation", True)
    after = next(cursor for cursor in range(int(at) + 2, len(trace)) if trace[cursor].kind == "subroutine started")
    later = trace.state_at(after + 1)
    assert (later.origin, later.validates) == ("carried over", False)


@pytest.mark.parametrize("version", [0, 1, 2])
def test_files_of_all_versions_say_that_a_validation_decided(version):
    trace = read_run(RUNS / f"version-{version}-fixed-budget.gems")
    state = trace.state_at(len(trace))
    assert state.answer == (trace.finished.recommendation, "recommended, by validation")
    assert status(Snapshot.of(trace, len(trace))).survivors.endswith("candidates")


def test_a_geometry_marks_the_leader_of_one_call():
    trace = recorded("gems-c", "sphere")
    snapshot = Snapshot.of(trace, int(trace.positions("eliminated")[0]) + 1)
    series = geometry_series(snapshot, Sight())
    assert (series.recommended, series.called) == (snapshot.state.leader, "leader")
