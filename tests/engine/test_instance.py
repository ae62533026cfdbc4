"""Instances: what they know follows its definition, nothing can be written, and bad input gets one sentence."""

import copy
import dataclasses
import pickle

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gems_engine.errors import InputError
from gems_engine.features import MAX_ENTRIES, linear_rewards
from gems_engine.gallery import make
from gems_engine.instance import TIE, Instance
from gems_engine.recipe import Recipe
from gems_engine.rewards import Noise
from gems_engine.span import Span

ARMS = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]]
THETA = [0.5, 0.25, 0.0]


def test_linear_instance_knows_itself():
    instance = Instance.linear(ARMS, THETA, name="small")
    np.testing.assert_array_equal(instance.rewards, [0.5, 0.25, 0.0, 0.75])
    np.testing.assert_array_equal(instance.gaps, [0.25, 0.5, 0.75, 0.0])
    assert (instance.D, instance.d_star, instance.best, instance.min_gap) == (3, 2, 3, 0.25)
    assert instance.best_is_unique
    np.testing.assert_array_equal(instance.target_arms, [0, 1, 2, 3])
    instance.require_unique_best()


def test_s_k_are_nested_and_shrink_to_the_best():
    instance = Instance.linear(ARMS, THETA)  # gaps 0.25, 0.5, 0.75, 0
    assert [instance.S(k).tolist() for k in (1, 2, 3, 4, 5)] == [[0, 1, 2, 3], [0, 1, 2, 3], [0, 3], [3], [3]]
    assert instance.S(10**9).tolist() == [3]  # 2^−k underflows long before
    far = Instance.from_rewards(np.eye(2), [0.0, 7.0])
    assert far.S(1).tolist() == [0, 1]  # S_1 is all of 𝒵 whatever the gaps
    for k in (0, -1, 1.5, True):
        with pytest.raises(InputError, match="S_k"):
            instance.S(k)


@settings(deadline=None)
@given(hnp.arrays(float, st.integers(2, 12), elements=st.floats(-1, 1, width=32)))
@example(np.array([-1.0, 0.0, 2.0**-52]))  # the first of two that are tied up to rounding is the best
def test_gaps_follow_their_definition(rewards):
    instance = Instance.from_rewards(np.eye(len(rewards)), rewards)
    assert instance.best == np.flatnonzero(rewards >= rewards.max() - TIE * np.abs(rewards).max())[0]
    np.testing.assert_allclose(instance.gaps, rewards.max() - rewards, atol=1e-12)
    assert instance.best_is_unique == ((instance.gaps == 0).sum() == 1)
    assert instance.min_gap == sorted(instance.gaps)[1]
    assert instance.best_is_unique == (instance.min_gap > 0)
    for k in (1, 2, 3, 7):
        expected = {i for i, gap in enumerate(instance.gaps) if k == 1 or gap < 4 * 2.0**-k}
        assert set(instance.S(k).tolist()) == expected


def test_ties_are_named():
    instance = Instance.from_rewards(np.eye(7), [1.0] * 7, arm_names=list("abcdefg"))
    assert not instance.best_is_unique
    assert instance.min_gap == 0
    with pytest.raises(InputError, match="a, b, c, d, e and 2 more are tied"):
        instance.require_unique_best()
    rounding = Instance.linear([[0.1, 0.2], [0.3, 0.0]], [1.0, 1.0])  # 0.1 + 0.2 ≠ 0.3 in floats
    with pytest.raises(InputError, match="arm 0 and arm 1 are tied"):
        rounding.require_unique_best()


def test_transductive_targets():
    instance = Instance.linear(np.eye(2), [1.0, 2.0], [[1.0, 1.0], [2.0, 0.0], [0.0, 1.0]])
    assert instance.target_arms is None
    np.testing.assert_array_equal(instance.target_rewards, [3.0, 2.0, 2.0])
    features, rewards = instance.union
    np.testing.assert_array_equal(features, [[1, 0], [0, 1], [1, 1], [2, 0]])  # (0, 1) is an arm already
    np.testing.assert_array_equal(rewards, [1, 2, 3, 2])


def test_targets_that_are_some_of_the_arms():
    instance = Instance.from_rewards(ARMS, [4.0, 3.0, 2.0, 1.0], [ARMS[2], [-0.0, 1.0, 0.0]])
    np.testing.assert_array_equal(instance.target_arms, [2, 1])
    np.testing.assert_array_equal(instance.target_rewards, [2.0, 3.0])
    assert instance.union[0] is instance.arms


def test_equal_arms_with_other_rewards_stay_apart():
    instance = Instance.from_rewards([[1.0], [1.0], [2.0]], [0.0, 1.0, 0.5])
    np.testing.assert_array_equal(instance.target_arms, [0, 1, 2])
    assert instance.d_star is None
    other = Instance.from_rewards([[1.0], [1.0], [2.0]], [0.0, 1.0, 0.5], [[1.0], [2.0]], [1.0, 0.5])
    np.testing.assert_array_equal(other.target_arms, [1, 2])


def test_d_star_from_theta_and_from_rewards():
    assert Instance.linear(ARMS, [0.0, 1.0, 0.0]).d_star == 2
    assert Instance.linear(ARMS, [0.0, 0.0, 0.0]).d_star == 1  # Θ_1 is the smallest class that there is
    assert Instance.from_rewards(ARMS, [0.5, 0.25, 0.0, 0.75]).d_star == 2
    assert Instance.from_rewards(ARMS, [0.5, 0.25, 0.0, 0.8]).d_star is None


def test_truncation_keeps_rewards():
    instance = Instance.linear(ARMS, THETA)
    exact = instance.truncated(2)
    assert exact.D == 2
    assert exact.theta is not None
    assert exact.d_star == 2
    np.testing.assert_array_equal(exact.rewards, instance.rewards)
    coarse = instance.truncated(1)
    assert coarse.theta is None
    assert coarse.d_star is None
    assert "first 1 features" in str(coarse.recipe)
    with pytest.raises(InputError, match="from 1 to 3"):
        instance.truncated(4)


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 6))
def test_rewards_do_not_depend_on_order_or_truncation(seed, d_star):
    generator = np.random.default_rng(seed)
    features = generator.standard_normal((9, 6))
    theta = np.where(np.arange(6) < d_star, generator.standard_normal(6), 0.0)
    rewards, order = linear_rewards(features, theta), generator.permutation(9)
    np.testing.assert_array_equal(linear_rewards(features[order], theta), rewards[order])
    np.testing.assert_array_equal(linear_rewards(features[:, :d_star], theta[:d_star]), rewards)
    np.testing.assert_allclose(rewards, features @ theta, atol=1e-12)


def test_noise_can_be_exchanged():
    instance = Instance.linear(ARMS, THETA).with_noise("gaussian:0.5")
    assert instance.noise == Noise("gaussian", 0.5)
    assert instance.with_noise(Noise("bernoulli")).noise.kind == "bernoulli"
    negative = Instance.linear(ARMS, [-1.0, 0.0, 0.0])
    with pytest.raises(InputError, match="arm 0 has -1"):
        negative.with_noise("bernoulli")


# -- immutability and identity ---------------------------------------------------------------------------------


def test_nothing_can_be_written():
    arms = np.array(ARMS)
    instance = Instance.linear(arms, THETA)
    arms[0, 0] = 99.0
    assert instance.arms[0, 0] == 1.0
    for array in (instance.arms, instance.targets, instance.rewards, instance.theta, instance.gaps, instance.S(2)):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        instance.name = "other"
    view = arms.view()
    view.flags.writeable = False  # read-only itself, but its base is not
    held = Instance.linear(view, THETA)
    arms[0, 0] = -99.0
    assert held.arms[0, 0] == 99.0


def test_equality_and_digest_are_by_value():
    first = Instance.linear(ARMS, THETA, name="a", arm_names=list("wxyz"))
    same = Instance.linear(np.array(ARMS), np.array(THETA), name="a", arm_names=tuple("wxyz"))
    assert first == same
    assert hash(first) == hash(same)
    assert first != "a"
    renamed = dataclasses.replace(first, name="b")
    assert renamed != first
    assert renamed.digest == first.digest  # names do not change a run
    for other in (
        first.with_noise("rademacher"),
        first.truncated(2),
        Instance.linear(ARMS, [0.5, 0.25, 1e-300]),
        Instance.from_rewards(ARMS, first.rewards),
        Instance.linear(ARMS, THETA, ARMS[:3]),
    ):
        assert other.digest != first.digest
        assert other != first
    negative_zero = Instance.linear(-np.array(ARMS) * -1, THETA, name="a", arm_names=list("wxyz"))
    assert negative_zero == first
    assert len(first.digest) == 64


def test_pickles_and_copies_are_equal_and_still_read_only():
    for instance in (make("misspecified"), make("transductive"), Instance.linear(ARMS, THETA, arm_names=list("wxyz"))):
        for twin in (pickle.loads(pickle.dumps(instance)), copy.deepcopy(instance)):
            assert twin == instance
            assert not twin.arms.flags.writeable
            assert (twin.targets is twin.arms) == (instance.targets is instance.arms)


def test_recipe_words():
    assert str(Recipe.of("sphere", {"D": 25, "min_gap": 0.08, "flat": True})) == "sphere:D=25,min_gap=0.08,flat=true"
    assert str(Recipe(file="a.csv", steps=("features standardised",))) == "file a.csv; features standardised"
    assert str(Recipe()) == "by hand"


# -- what is refused -------------------------------------------------------------------------------------------

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: Instance.linear([], [1.0]), "There are no arms"),
        (lambda: Instance.linear([[], []], []), "There are no arms"),
        (lambda: Instance.linear([1.0, 2.0], [1.0]), "arms must be a table"),
        (lambda: Instance.linear([[[1.0]]], [1.0]), "arms must be a table"),
        (lambda: Instance.linear([[1.0, 2.0], [1.0]], [1.0, 1.0]), r"arms\[1\] has 1 entry but arms\[0\] has 2"),
        (lambda: Instance.linear([[1.0], 2.0], [1.0]), r"arms\[1\] has one number but arms\[0\] has 1 entry"),
        (lambda: Instance.linear([[1.0, NAN], [1.0, 0.0]], [1.0, 1.0]), r"arms\[0\]\[1\] is nan"),
        (lambda: Instance.linear([[1.0], [-INF]], [1.0]), r"arms\[1\]\[0\] is -inf"),
        (lambda: Instance.linear([[1.0], ["x"]], [1.0]), r'arms\[1\]\[0\] is "x"'),
        (lambda: Instance.linear([[1.0], [10**400]], [1.0]), r"arms\[1\]\[0\] is a huge whole number"),
        (lambda: Instance.linear(np.array([[1j], [2]]), [1.0]), "arms has entries of the type complex"),
        (lambda: Instance.linear("arms", [1.0]), "arms must be numbers"),
        (lambda: Instance.linear([[1e101], [1.0]], [1.0]), "Feature 1 of the arms has the size 1e.101. Rescale"),
        (
            lambda: Instance.linear([[1.0, 1e101], [1.0, 0.0]], [1.0, 0.0], feature_names=("age", "mass")),
            "Feature mass of the arms has the size 1e.101",
        ),
        (lambda: Instance.linear([[1e-101], [0.0]], [1.0]), "Feature 1 of the arms has the size 1e-101. Rescale"),
        (lambda: Instance.linear([[1.0], [2.0]], [1.0, 2.0]), "theta has 2 numbers: it must have 1"),
        (lambda: Instance.linear([[1.0], [2.0]], [NAN]), r"theta\[0\] is nan"),
        (lambda: Instance.linear([[1e60], [2.0]], [1e60]), r"rewards\[0\] is 9.99\d*e\+119"),
        (
            lambda: Instance.linear([[1.0], [2.0]], [1.0], [[1.0, 2.0]] * 2),
            "targets have 2 features but the arms have 1",
        ),
        (lambda: Instance.from_rewards([[1.0]] * 2, [1.0, 2.0], [[1.0, 2.0]] * 2), "targets have 2 features"),
        (lambda: Instance.linear([[1.0]], [1.0]), "only one target"),
        (lambda: Instance.linear([[1.0], [2.0]], [1.0], [[1.0]]), "only one target"),
        (lambda: Instance.linear([[0.0], [0.0]], [1.0]), "Every feature of every arm is 0"),
        (lambda: Instance.from_rewards([[1.0], [2.0]], [1.0]), "rewards has 1 numbers: it must have 2"),
        (lambda: Instance.from_rewards([[1.0], [2.0]], [1.0, INF]), r"rewards\[1\] is inf"),
        (lambda: Instance.from_rewards([[1.0], [2.0]], [1.0, 2.0], [[1.0], [3.0]]), r"targets\[1\] is not one of"),
        (lambda: Instance.from_rewards([[1.0]] * 2, [1, 2], [[3.0]] * 2, [1.0]), "target_rewards has 1 numbers"),
        (lambda: Instance.linear(ARMS, THETA, arm_names=["a"]), "arm_names must be 4 texts"),
        (lambda: Instance.linear(ARMS, THETA, arm_names="abcd"), "arm_names must be 4 texts"),
        (lambda: Instance.linear(ARMS, THETA, arm_names=["a", "b", "c", 4]), r"arm_names\[3\] must be text, not 4"),
        (
            lambda: Instance.linear(ARMS, THETA, arm_names=["a", "b\n", "c", "d"]),
            r'arm_names\[1\] "b\\n" must be one',
        ),
        (lambda: Instance.linear(ARMS, THETA, name="x" * 1000), 'name "xxx.*at most 200 characters'),
        (
            lambda: Instance(ARMS, ARMS, [0, 0, 0, 1.0], [0, 0, 0, 1.0], THETA),
            r"rewards\[0\] is 0 but theta gives 0.5. Omit theta",
        ),
    ],
)
def test_bad_input_gets_one_sentence(call, sentence):
    with pytest.raises(InputError, match=sentence) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_huge_tables_are_refused_before_they_are_copied():
    huge = np.broadcast_to(np.float64(1.0), (MAX_ENTRIES // 100 + 1, 100))
    with pytest.raises(InputError, match=f"at most {MAX_ENTRIES} are allowed"):
        Instance.linear(huge, np.ones(100))


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_targets_outside_the_span_are_refused_at_any_scale(scale):
    arms = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]) * [1.0, scale, 1.0]
    inside = np.array([[2.0, 3.0, 3.0], [1.0, 0.0, 0.0]]) * [1.0, scale, 1.0]
    Instance.linear(arms, [1.0, 0.0, 0.0], inside)
    outside = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, -1.0]]) * [1.0, scale, 1.0]
    with pytest.raises(InputError, match=r"targets\[1\] lies outside the span of the arms"):
        Instance.linear(arms, [1.0, 0.0, 0.0], outside)
    with pytest.raises(InputError, match=r"targets\[0\] lies outside"):
        Instance.linear([[1.0, 0.0], [2.0, 0.0]], [1.0, 0.0], [[1.0, scale], [1.0, 0.0]])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 8))
def test_span_is_told_under_any_column_and_row_scale(seed, rank, rows):
    generator = np.random.default_rng(seed)
    columns, row_scale = (10.0 ** generator.uniform(-8, 8, size) for size in (5, (rows, 1)))
    basis = generator.standard_normal((rank, 5))
    table = (generator.standard_normal((rows, rank)) @ basis) * row_scale * columns
    span = Span(table)
    assert span.rank == min(rank, rows)
    mixed = (generator.standard_normal((3, rows)) / row_scale.T) @ table
    assert span.outside(mixed) == []
    strangers = generator.standard_normal((3, 5)) * columns
    assert span.outside(strangers) == ([0, 1, 2] if span.rank < 5 else [])


def test_near_duplicates_still_span():
    arms = np.array([[1.0, 1.0], [1.0, 1.0 + 1e-9]])
    assert Span(arms).rank == 2
    Instance.linear(arms, [1.0, 0.0], [[1.0, 0.0], [0.0, 1.0]])


# -- assumptions -----------------------------------------------------------------------------------------------


def failing(instance):
    return {assumption.name for assumption in instance.assumptions() if not assumption.holds}


def test_each_assumption_fails_alone():
    good = Instance.linear([*np.eye(2), [0.0, 0.0]], [1.0, 0.5])
    assert failing(good) == set()
    assert failing(Instance.linear(np.eye(2), [1.0, 0.5])) == {"differences-span"}
    assert failing(good.with_noise("gaussian:1.5")) == {"noise"}
    assert failing(Instance.linear([*np.eye(2), [0.0, 0.0]], [3.0, 0.5])) == {"gaps"}
    assert failing(Instance.linear([*np.eye(2), [0.0, 0.0]], [1.0, 1.0])) == {"unique-best"}
    flat = Instance.linear([[1.0, 0.0], [2.0, 0.0]], [1.0, 0.0])
    assert failing(flat) == {"arms-span", "differences-span"}


def test_failures_are_said_with_their_numbers():
    said = {a.name: a for a in make("paper-hard").assumptions()}
    assert list(said) == ["linear", "arms-span", "differences-span", "gaps", "unique-best", "noise"]
    assert said["differences-span"].statement == "The differences to the best target span only 9 of the 10 dimensions."
    assert "ρ⋆_d" in said["differences-span"].consequence
    assert said["unique-best"].statement == "The best target is unique: x_9."
    wide = {a.name: a for a in Instance.from_rewards(np.eye(3), [0.0, 2.5, 2.5]).assumptions()}
    assert wide["gaps"].statement == "The gap of arm 0 is 2.5, but the paper assumes gaps of at most 2."
    assert "arm 1 and arm 2 have the same" in wide["unique-best"].statement


def test_a_target_that_is_an_arm_is_called_as_that_is():
    arms = np.eye(3)
    some = Instance.linear(arms, [3.0, 2.0, 1.0], targets=arms[[2, 0]])
    assert [some.target_label(i) for i in range(2)] == ["arm 2", "arm 0"]
    named = dataclasses.replace(some, arm_names=("a", "b", "c"), target_names=("", "mine"))
    assert [named.target_label(i) for i in range(2)] == ["c", "mine"]
    other = Instance.linear(arms, [3.0, 2.0, 1.0], targets=[[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])
    assert [other.target_label(i) for i in range(2)] == ["target 0", "target 1"]
