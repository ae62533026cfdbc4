"""Rewards as sums: their exact distributions, and independent streams for each arm."""

import numpy as np
import pytest
from scipy import stats

from gems_engine.errors import InputError
from gems_engine.rewards import MAX_PULLS, Noise, Rewards

GAUSSIAN, BERNOULLI, RADEMACHER = Noise("gaussian", 0.5), Noise("bernoulli"), Noise("rademacher")


def sums_by_many_arms(mean, noise, pulls, repeats, seed):
    """Independent sums of ``pulls`` rewards: equal arms have independent streams."""
    return Rewards(np.full(repeats, mean), noise, seed).pull(np.full(repeats, pulls))


def sums_by_single_draws(mean, noise, pulls, repeats, seed):
    """The same by brute force, with numpy's own distributions and one draw for every pull."""
    generator = np.random.default_rng(seed)
    shape = (repeats, pulls)
    if noise.kind == "gaussian":
        return generator.normal(mean, noise.sigma, shape).sum(axis=1)
    if noise.kind == "bernoulli":
        return (generator.random(shape) < mean).sum(axis=1).astype(float)
    return (mean + generator.choice([-1.0, 1.0], shape)).sum(axis=1)


def test_gaussian_sums_are_normal_with_variance_n_sigma_squared():
    sums = sums_by_many_arms(0.3, GAUSSIAN, 1000, 4000, seed=1)
    assert stats.kstest(sums, stats.norm(300, 0.5 * np.sqrt(1000)).cdf).pvalue > 0.01
    brute = sums_by_single_draws(0.3, GAUSSIAN, 1000, 2000, seed=2)
    assert stats.ks_2samp(sums, brute).pvalue > 0.01


@pytest.mark.parametrize(("noise", "pulls"), [(BERNOULLI, 12), (RADEMACHER, 12)])
def test_binomial_sums_have_the_exact_probabilities(noise, pulls):
    mean = 0.3
    sums = sums_by_many_arms(mean, noise, pulls, 6000, seed=3)
    k = np.arange(pulls + 1)
    if noise.kind == "bernoulli":
        values, chances = k.astype(float), stats.binom.pmf(k, pulls, mean)
    else:
        values, chances = pulls * mean + 2 * k - pulls, stats.binom.pmf(k, pulls, 0.5)
    counts = np.array([np.isclose(sums, value).sum() for value in values])
    assert counts.sum() == sums.size  # no other value appears
    big = chances * sums.size >= 5
    observed = np.append(counts[big], counts[~big].sum())
    expected = np.append(chances[big], chances[~big].sum()) * sums.size
    assert stats.chisquare(observed, expected).pvalue > 0.01


@pytest.mark.parametrize("noise", [BERNOULLI, RADEMACHER])
def test_sums_look_like_brute_force_sums(noise):
    sums = sums_by_many_arms(0.4, noise, 50, 4000, seed=4)
    brute = sums_by_single_draws(0.4, noise, 50, 4000, seed=5)
    values = np.unique(np.concatenate([sums, brute]).round(9))
    table = np.array([[np.isclose(x, v).sum() for v in values] for x in (sums, brute)])
    table = table[:, table.sum(axis=0) >= 10]
    assert stats.chi2_contingency(table).pvalue > 0.01


@pytest.mark.parametrize("noise", [GAUSSIAN, BERNOULLI, RADEMACHER])
def test_huge_counts_have_the_right_moments(noise):
    n, mean = MAX_PULLS, 0.25
    variance = {"gaussian": 0.25, "bernoulli": mean * (1 - mean), "rademacher": 1.0}[noise.kind]
    sums = sums_by_many_arms(mean, noise, n, 2000, seed=6)
    scores = (sums - n * mean) / np.sqrt(n * variance)
    assert stats.kstest(scores, "norm").pvalue > 0.01  # the sum of 1e15 is normal to far below a test's reach


def test_deterministic_rewards_are_the_means():
    means = [0.1, -2.0, 3.5]
    np.testing.assert_array_equal(Rewards(means, Noise("deterministic"), 0).pull([10, 0, 2]), [1.0, 0.0, 7.0])


def test_the_same_seed_gives_the_same_rewards_and_another_seed_others():
    def run(seed):
        rewards = Rewards([0.2, 0.5, 0.9], GAUSSIAN, seed)
        return np.array([rewards.pull([5, 0, 7]), rewards.pull([1, 2, 3])])

    np.testing.assert_array_equal(run(7), run(7))
    assert (run(7)[:, 0] != run(8)[:, 0]).all()


def test_an_arm_does_not_feel_the_other_arms():
    alone, together = Rewards([0.2, 0.5, 0.9], GAUSSIAN, 7), Rewards([0.2, 0.5, 0.9], GAUSSIAN, 7)
    mine = [alone.pull([0, n, 0])[1] for n in (3, 10, 1)]
    theirs = []
    for n in (3, 10, 1):
        together.pull([n, 0, 5])  # in between, the others are pulled
        theirs.append(together.pull([2, n, 0])[1])
    assert mine == theirs


def test_streams_of_arms_are_uncorrelated():
    rewards = Rewards(np.zeros(2), GAUSSIAN, 0)
    draws = np.array([rewards.pull([1, 1]) for _ in range(4000)])
    assert abs(np.corrcoef(draws.T)[0, 1]) < 4 / np.sqrt(4000)


def test_children_of_a_seed_sequence_are_trials_of_their_own():
    children = np.random.SeedSequence(3).spawn(2)
    first, second = (Rewards([0.0, 0.0], GAUSSIAN, child).pull([1, 1]) for child in children)
    assert len({*first, *second}) == 4
    again = Rewards([0.0, 0.0], GAUSSIAN, np.random.SeedSequence(3, spawn_key=(1,))).pull([1, 1])
    np.testing.assert_array_equal(again, second)


@pytest.mark.parametrize(
    ("text", "noise"),
    [
        ("gaussian", Noise("gaussian", 1.0)),
        ("gaussian:0.5", GAUSSIAN),
        (" gaussian: 2 ", Noise("gaussian", 2.0)),
        ("bernoulli", BERNOULLI),
        ("rademacher", RADEMACHER),
        ("deterministic", Noise("deterministic")),
    ],
)
def test_noise_text_round_trips(text, noise):
    assert Noise.parse(text) == noise
    assert Noise.parse(str(noise)) == noise


@pytest.mark.parametrize(
    "text", ["", "poisson", "gaussian:", "gaussian:x", "gaussian:0", "gaussian:-1", "gaussian:nan", "bernoulli:1", ":1"]
)
def test_bad_noise_is_refused(text):
    with pytest.raises(InputError, match="noise"):
        Noise.parse(text)


def test_only_large_sigma_warns():
    assert "σ = 1.5" in Noise("gaussian", 1.5).warning
    assert [Noise.parse(word).warning for word in ("gaussian:1", "bernoulli", "rademacher", "deterministic")] == [
        ""
    ] * 4


def test_bernoulli_means_are_probabilities():
    with pytest.raises(InputError, match=r"arm 1 has 1\.2"):
        Rewards([0.5, 1.2], BERNOULLI, 0)
    with pytest.raises(InputError, match=r"but b has -0\.1"):
        BERNOULLI.check_means(np.array([-0.1]), ["b"])
    np.testing.assert_array_equal(Rewards([0.0, 1.0], BERNOULLI, 0).pull([9, 9]), [0, 9])


@pytest.mark.parametrize("counts", [[1], [1, 2, 3], [1.0, 2.0], [-1, 0], [MAX_PULLS + 1, 0], [[1, 2]], ["1", "2"]])
def test_bad_counts_are_refused(counts):
    with pytest.raises(InputError, match="counts"):
        Rewards([0.1, 0.2], GAUSSIAN, 0).pull(counts)


@pytest.mark.parametrize("seed", [-1, 1.5, "1", True, None])
def test_bad_seeds_are_refused(seed):
    with pytest.raises(InputError, match="seed"):
        Rewards([0.1], GAUSSIAN, seed)
