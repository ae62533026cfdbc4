"""Instances without rewards: legal for real experiments, and one sentence where the rewards are needed."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest

from gems_engine import Instance, Session, complexities, explain, instances, run, summarise
from gems_engine.algorithms import BUILT_IN
from gems_engine.commands.instance import _as_dict, _text
from gems_engine.complexity.run_theory import run_theory
from gems_engine.conditions import make_condition
from gems_engine.errors import InputError
from gems_engine.events import Eliminated
from gems_engine.files import read_items_csv, read_run, write_run
from gems_engine.gallery import make
from gems_engine.problems import problems
from gems_engine.talk.captions import UNKNOWN, fill
from gems_engine.verdict import promise_of, verdict_of
from gems_engine.verification import verify
from tests.engine.small_settings import SHORTER

ARMS = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8], [0.0, 1.0]])
MEANS = np.array([0.2, 0.5, 0.9, 0.5])
PILLS = Instance.from_features(ARMS, name="pills", arm_names=("red", "blue", "both", "blue too"))


def measure(arms, counts):
    """A function for the rewards of a real experiment."""
    return counts * MEANS[arms]


# -- what is legal ---------------------------------------------------------------------------------------------------


def test_it_has_features_and_names_and_no_rewards():
    assert not PILLS.has_rewards
    assert (PILLS.rewards, PILLS.target_rewards, PILLS.theta) == (None, None, None)
    assert PILLS.target_arms.tolist() == [0, 1, 2, 3]
    assert PILLS.target_label(3) == "blue too"
    some = Instance.from_features(ARMS, [ARMS[2], ARMS[3]], noise="gaussian:0.5")
    assert some.target_arms.tolist() == [2, 1]  # the first arm that equals it
    assert str(some.noise) == "gaussian:0.5"
    assert Instance.from_features(ARMS, [[2.0, 0.0], [0.0, 3.0]]).target_arms is None
    assert [each.name for each in PILLS.assumptions()] == ["arms-span", "noise"]


def test_it_is_another_instance_than_one_with_rewards():
    zeros = Instance.from_rewards(ARMS, np.zeros(4), name="pills", arm_names=PILLS.arm_names)
    assert zeros.has_rewards
    assert zeros.digest != PILLS.digest
    for again in (copy.copy(PILLS), copy.deepcopy(PILLS), pickle.loads(pickle.dumps(PILLS))):
        assert again == PILLS
        assert not again.has_rewards
    assert not replace(PILLS, noise="deterministic").has_rewards
    assert not PILLS.truncated(1).has_rewards
    assert not PILLS.comparing([0, 2]).has_rewards
    assert not PILLS.with_noise("bernoulli").has_rewards  # there are no means that it could not have


@pytest.mark.parametrize("given", [{"rewards": MEANS}, {"target_rewards": MEANS}, {"theta": [0.2, 0.5]}])
def test_rewards_are_all_given_or_none(given):
    with pytest.raises(InputError, match="must both be given, or neither"):
        Instance(ARMS, ARMS, **given)


@pytest.mark.parametrize("suffix", [".json", ".npz", ".csv"])
def test_it_is_written_and_read_again(tmp_path, suffix):
    instances.write(tmp_path / f"pills{suffix}", PILLS)
    again = instances.read(tmp_path / f"pills{suffix}")
    assert again.digest == PILLS.digest
    assert again.arm_names == PILLS.arm_names
    assert b"reward" not in (tmp_path / f"pills{suffix}").read_bytes()


def test_csv_without_rewards(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text("name,dose,age\na,1,30\nb,2,40\nc,3,60\n")
    found = read_items_csv(path, "standardised")
    assert not found.has_rewards
    assert found.D == 3
    assert found.arm_names == ("a", "b", "c")
    assert read_items_csv(path, columns=["age"]).arms.ravel().tolist() == [30, 40, 60]
    with pytest.raises(InputError, match='Unknown column "gain"'):
        read_items_csv(path, reward="gain")
    for name in ("Reward", "rewards", "mean reward", "REWARD"):
        path.write_text(f"{name},dose\n0.1,1\n0.2,2\n")
        with pytest.raises(InputError, match=f'There is no column "reward", but one called "{name}"'):
            read_items_csv(path)


def test_arrays_without_rewards(tmp_path):
    np.savez(tmp_path / "arms.npz", arms=ARMS)
    assert instances.read(tmp_path / "arms.npz").digest == PILLS.digest
    (tmp_path / "arms.json").write_text('{"format": "gems-instance", "version": 3, "arms": [[1.0], [2.0]]}')
    assert not instances.read(tmp_path / "arms.json").has_rewards


@pytest.mark.parametrize("algorithm", sorted(set(BUILT_IN) - {"rage-oracle", "static-oracle"}))
def test_every_algorithm_that_is_told_nothing_runs_with_rewards_from_outside(algorithm):
    given = SHORTER.get(algorithm, {})
    blind = run(PILLS, algorithm, seed=1, rewards=measure, **given).finish()
    seeing = run(
        Instance.from_rewards(ARMS[:3], MEANS[:3]), algorithm, seed=1, rewards=measure, **given
    ).finish()  # the same with rewards that it must not look at
    alike = run(Instance.from_features(ARMS[:3]), algorithm, seed=1, rewards=measure, **given).finish()
    assert list(alike)[1:-1] == list(seeing)[1:-1]
    assert blind.finished is not None
    assert verify(blind).same
    facts = summarise(blind)
    assert (facts.correct, facts.tau, facts.first_right) == (None, None, None)


def test_a_session_on_it_is_saved_read_explained_and_examined(tmp_path):
    session = Session(PILLS, "gems-c", rounds=4, selection_budget=40.0)
    while (batch := session.next_batch()) is not None:
        session.observe(measure(batch.arms, batch.counts))
    write_run(tmp_path / "pills.gems", session.trace)
    trace = read_run(tmp_path / "pills.gems")
    assert trace.instance == PILLS
    assert trace.finished.survivors.tolist() == [2]
    assert len(trace.positions(Eliminated))
    for cursor in range(1, len(trace) + 1):
        said = str(explain(trace, cursor, truth=True))
        assert not [word for word in ("right", "wrong", "d⋆", "true best", "best arm is") if word in said]
    assert not [each for each in problems(trace, truth=True) if each.truth]
    assert verdict_of(trace).correct is None
    assert promise_of(trace) == ""
    assert (
        fill("{d_star} {best} {gap[both]} {verdict} {rho_star[1]}", trace, trace.state_at(5)).split() == [UNKNOWN] * 5
    )


# -- what needs them -------------------------------------------------------------------------------------------------

NEEDING = {
    "gaps": lambda: PILLS.gaps,
    "best": lambda: PILLS.best,
    "best_is_unique": lambda: PILLS.best_is_unique,
    "min_gap": lambda: PILLS.min_gap,
    "d_star": lambda: PILLS.d_star,
    "S": lambda: PILLS.S(2),
    "misspecification": PILLS.misspecification,
    "complexities": lambda: complexities(PILLS),
    "a simulated run": lambda: run(PILLS),
    "a simulated run with an ε-goal": lambda: run(PILLS, "misspecified"),
    "an oracle": lambda: Session(PILLS, "rage-oracle"),
    "until the best is eliminated": lambda: make_condition("eliminated", {"who": "the true best"}, PILLS),
}


@pytest.mark.parametrize("use", NEEDING.values(), ids=NEEDING)
def test_what_needs_rewards_says_so_in_one_sentence_and_what_to_do(use):
    with pytest.raises(InputError) as refusal:
        use()
    assert str(refusal.value).startswith("The instance has no mean rewards, so ")
    assert "with a Session or a function from Python" in str(refusal.value)


def test_no_theorem_and_no_fact_about_the_truth():
    theory = run_theory(PILLS, "fixed-confidence", {}, rewards="outside")
    assert theory.bounds == ()
    assert theory.says == "The bounds depend on the mean rewards, which are not known."
    said = _as_dict(PILLS)
    assert {said[name] for name in ("d_star", "best", "min_gap", "max_gap", "gaps")} == {None}
    assert _as_dict(make("soare"))["best"] == 0
    text = _text(PILLS)
    assert "rewards      not known, so d⋆, the best target and the gaps are not known either" in text
    assert "gap Δ" not in text
    assert "assumptions that do not depend on the rewards" in text
