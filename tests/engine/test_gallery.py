"""The families: each member is what the paper or its docstring says, and comes again from its recipe."""

import math
import time
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gems_engine.errors import InputError
from gems_engine.gallery import FAMILIES, make, make_from_spec, parse_spec
from gems_engine.instance import Instance
from gems_engine.terminal import THIN

SMALL = {
    "paper-hard": {"d_star": (1, 6), "epsilon": (1e-6, 0.5), "extra_arm": None},
    "sphere": {"D": (5, 9), "d_star": (1, 5), "n": (2, 30), "min_gap": (0.0, 0.01), "seed": (0, 99)},
    "verifiability": {"D": (2, 9), "case": (1, 2)},
    "soare": {"D": (2, 9), "omega": (0.001, 1.5)},
    "transductive": {"D": (5, 9), "d_star": (1, 5), "n": (2, 30), "seed": (0, 99)},
    "multivariate": {"m": (3, 5), "d_star": (1, 4), "seed": (0, 99)},
    "misspecified": {"D": (5, 9), "d_star": (1, 5), "n": (2, 30), "size": (0.01, 0.9), "decay": (0.0, 0.9)},
    "gaussian": {"D": (5, 9), "d_star": (1, 5), "n": (2, 30), "seed": (0, 99)},
    "diabetes": {"scale_rewards": None},
    "wine": {"scale_rewards": None},
}


def members(name):
    choices = {}
    for key, limits in SMALL[name].items():
        kind = st.booleans() if limits is None else st.integers(*limits) if isinstance(limits[0], int) else None
        choices[key] = kind if kind is not None else st.floats(*limits)
    needed = {key: choices.pop(key) for key in list(choices) if name == "multivariate"}  # defaults may not fit m
    return st.fixed_dictionaries(needed, optional=choices)


def test_the_registry_has_the_families_of_the_issue():
    assert list(FAMILIES) == list(SMALL), (
        "SMALL in tests/engine/test_gallery.py has a line for each family, in the order of _FAMILIES: "
        '"name": {"parameter": (smallest, largest), ...}, with None instead of the pair for a bool'
    )
    for family in FAMILIES.values():
        assert family.summary.endswith(".")
        assert family.make.__doc__
        assert all(parameter.help.endswith(".") for parameter in family.parameters)


@pytest.mark.parametrize("name", SMALL)
def test_every_member_is_reproducible_from_its_recipe(name):
    @settings(max_examples=15, deadline=None)
    @given(members(name))
    def check(given_parameters):
        instance = make(name, **given_parameters)
        assert instance.recipe.family == name
        assert given_parameters.items() <= instance.recipe.parameters.items()
        assert make_from_spec(instance.recipe.spec) == instance
        assert len(instance.assumptions()) == 6

    check()


def best_of(instance):
    return instance.target_label(instance.best)


@settings(deadline=None)
@given(st.integers(1, 12), st.floats(1e-8, 0.5), st.booleans())
def test_paper_hard_as_section_7_has_it(d_star, epsilon, extra_arm):
    instance = make("paper-hard", d_star=d_star, epsilon=epsilon, extra_arm=extra_arm)
    assert d_star + 1 == instance.D
    assert instance.d_star == d_star
    assert best_of(instance) == f"x_{d_star}"
    assert instance.min_gap == pytest.approx(epsilon, rel=1e-6)
    rewards = dict(zip(instance.arm_names, instance.rewards, strict=True))
    assert rewards.pop(f"x_{d_star}") == 1
    assert rewards.pop(f"x_{d_star + 1}") == 1 - epsilon
    assert set(rewards.values()) <= {0.0}
    assert instance.arms[d_star].tolist() == [*[0.0] * (d_star - 1), 1 - epsilon, 1.0]
    differences = next(a for a in instance.assumptions() if a.name == "differences-span")
    assert differences.holds == extra_arm  # what the footnote's arm is for
    if extra_arm:
        assert instance.arms[-1].tolist() == [*[0.0] * d_star, 0.5]


@pytest.mark.parametrize(("D", "theta"), [(5, "flat"), (25, "inverse-square"), (100, "inverse-square"), (40, "flat")])
def test_sphere_as_the_appendix_has_it(D, theta):
    instance = make("sphere", D=D, theta=theta, min_gap=0.05, n=60)
    assert instance.arms.shape == (60, D)
    np.testing.assert_allclose(np.linalg.norm(instance.arms, axis=1), 1, rtol=1e-12)
    assert instance.min_gap >= 0.05
    expected = [1, 1 / 4, 1 / 9, 1 / 16, 1 / 25] if theta == "inverse-square" else [1 / math.sqrt(5)] * 5
    np.testing.assert_allclose(instance.theta, expected + [0.0] * (D - 5), rtol=1e-15)


def test_sphere_arms_are_uniform_in_every_coordinate():
    """Head and tail are drawn apart: each coordinate must still have variance 1/D, and signs be free."""
    arms = make("sphere", D=8, d_star=3, n=20_000, min_gap=0.0).arms
    np.testing.assert_allclose((arms**2).mean(axis=0), 1 / 8, atol=0.004)
    np.testing.assert_allclose(arms.T @ arms / 20_000 - np.eye(8) / 8, 0, atol=0.004)
    np.testing.assert_allclose((arms**4).mean(axis=0), 3 / (8 * 10), atol=0.003)  # E x⁴ = 3/(D(D + 2))


def test_sphere_gives_up_with_a_sentence_and_soon():
    start = time.perf_counter()
    with pytest.raises(InputError, match=r"sphere: min_gap = 0\.6 was not reached in \d+ tries .*; the best try had 0"):
        make("sphere", D=100, n=50, d_star=2, min_gap=0.6)
    assert time.perf_counter() - start < 20
    with pytest.raises(InputError, match="differ by at most 2"):
        make("sphere", min_gap=3, theta="flat")


@pytest.mark.parametrize("D", [2, 5, 10])
def test_verifiability_cases_differ_in_the_last_coordinate_only(D):
    first, second = make("verifiability", D=D, case=1), make("verifiability", D=D, case=2)
    assert (best_of(first), best_of(second)) == ("e_1", f"e_{D}")
    assert (first.d_star, second.d_star) == (1, D)
    assert first.noise.kind == second.noise.kind == "deterministic"
    np.testing.assert_array_equal(first.rewards[:-1], second.rewards[:-1])
    assert second.rewards[-1] == 2


@settings(deadline=None)
@given(st.integers(2, 10), st.floats(0.001, 1.5))
def test_soare_geometry(D, omega):
    instance = make("soare", D=D, omega=omega)
    confusing = instance.arms[-1]
    assert np.linalg.norm(confusing) == pytest.approx(1)
    assert math.acos(min(1.0, confusing @ instance.arms[0])) == pytest.approx(omega, rel=1e-6)
    assert best_of(instance) == "e_1"
    assert instance.min_gap == pytest.approx(4 * math.sin(omega / 2) ** 2, rel=1e-6)  # 2(1 − cos ω)
    assert instance.d_star == 1


def test_transductive_pulls_the_basis():
    instance = make("transductive", D=7, d_star=3, n=12, seed=4)
    np.testing.assert_array_equal(instance.arms, np.eye(7))
    np.testing.assert_allclose(np.linalg.norm(instance.targets, axis=1), 1)
    assert instance.target_arms is None
    assert instance.d_star == 3
    np.testing.assert_allclose(instance.target_rewards, instance.targets[:, :3].sum(axis=1) / math.sqrt(3))


def test_multivariate_features_are_products_in_order():
    instance = make("multivariate", m=3, d_star=7, seed=1)
    assert instance.arms.shape == (8, 8)  # 1 + 3 + 3 + 1
    expected = {}
    for a, b, c in product((1, -1), repeat=3):
        expected["".join("+" if level > 0 else "-" for level in (a, b, c))] = [
            1,
            a,
            b,
            c,
            a * b,
            a * c,
            b * c,
            a * b * c,
        ]
    for name, row in zip(instance.arm_names, instance.arms, strict=True):
        assert row.tolist() == expected[name]
    np.testing.assert_array_equal(instance.arms.T @ instance.arms, 8 * np.eye(8))  # a full factorial is orthogonal
    assert instance.d_star == 7
    assert instance.gaps.max() == pytest.approx(2)
    assert make("multivariate", m=6, d_star=10).D == 1 + 6 + 15 + 20
    with pytest.raises(InputError, match="3 factors have only 8 features"):
        make("multivariate", m=3, d_star=9)
    assert not make("multivariate", m=4, d_star=3).best_is_unique  # two factors change nothing


def test_misspecified_rewards_are_bounded_and_not_linear():
    instance = make("misspecified", size=0.3, decay=0.7, seed=5)
    assert instance.theta is None
    assert instance.d_star is None
    assert np.abs(instance.rewards).max() <= 1
    assert make("misspecified", size=0.0).d_star == 4
    assert make("misspecified", decay=0.0).d_star == 5


def test_gaussian_parameter_is_a_unit_vector_of_d_star_coordinates():
    instance = make("gaussian", D=6, d_star=2, n=5000, seed=3)
    assert np.linalg.norm(instance.theta) == pytest.approx(1)
    assert instance.d_star == 2
    np.testing.assert_allclose(instance.arms.mean(axis=0), 0, atol=0.06)
    np.testing.assert_allclose(instance.arms.std(axis=0), 1, atol=0.05)


def test_seeds_matter():
    for name in ("sphere", "transductive", "multivariate", "misspecified", "gaussian"):
        assert make(name, seed=0) == make(name, seed=0)
        assert make(name, seed=0).digest != make(name, seed=1).digest


@pytest.mark.parametrize("name", ["sphere", "transductive", "misspecified", "gaussian"])
def test_more_features_that_matter_than_there_are(name):
    with pytest.raises(InputError, match=f"{name}: d_star = 9 is not allowed: it must be at most D = 5"):
        make(name, D=5, d_star=9)


def test_specs():
    family, values = parse_spec(" paper-hard : d_star=9, epsilon=1e-2 ,")
    assert (family.name, values) == ("paper-hard", {"d_star": 9, "epsilon": 0.01})
    assert parse_spec("sphere") == (FAMILIES["sphere"], {})
    assert isinstance(make_from_spec("soare:D=3"), Instance)
    assert make_from_spec("soare:D=3").name == "soare:D=3,omega=0.1"


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("paper-herd", r'Unknown family "paper-herd": did you mean "paper-hard"\?'),
        ("zzz", 'Unknown family "zzz": choose one of paper-hard, sphere'),
        ("", 'Unknown family ""'),
        ("paper-hard:dstar=9", r'paper-hard: Unknown parameter "dstar": did you mean "d_star"\?'),
        ("paper-hard:9", 'paper-hard: cannot read "9". Write name=value'),
        ("paper-hard:d_star=", 'paper-hard: d_star = "" is not allowed'),
        ("paper-hard:epsilon=0", "paper-hard: epsilon = 0 is not allowed: it must be a number from 1e-09 to 1"),
        ("paper-hard:d_star=3,d_star=4", "paper-hard: d_star is given twice"),
        ("gaussian:n=100000,D=1001", "gaussian: D = 1001 is not allowed"),
    ],
)
def test_bad_specs_are_refused(spec, sentence):
    with pytest.raises(InputError, match=sentence):
        make_from_spec(spec)


@given(st.text())
def test_any_text_is_a_spec_or_refused(text):
    for spec in (text, "soare:" + text, "soare:D=" + text):
        try:
            parse_spec(spec)
        except InputError as error:
            message = str(error)
        else:
            message = "."
        assert message.replace(THIN, "").isprintable()
