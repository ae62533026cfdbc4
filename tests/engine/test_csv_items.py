"""Tables of real items: what is read from them, and how features are treated."""

import argparse

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gems_engine import files
from gems_engine.commands.command import add_items, items_of
from gems_engine.errors import InputError
from gems_engine.formats import csv_format
from gems_engine.formats.item_options import FEATURES, ItemOptions, item_options
from gems_engine.instance import Instance

# -- real data -------------------------------------------------------------------------------------------------

ITEMS = """name,price,constant,size,reward
a,1,5,10,0.1
b,2,5,30,0.4
c,3,5,20,0.2
d,4,5,60,0.9
"""


@pytest.fixture
def items(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text(ITEMS)
    return path


@pytest.mark.parametrize(
    "text",
    [
        "name;x;y;reward\na;1,5;1,234;0,25\nb;-2;1000;1e-3\n",
        "\ufeffname\tx\ty\treward\r\na\t1.5\t1.234\t0.25\r\nb\t−2\t1 000\t1e−3\r\n",
        "name\tx\ty\treward\na\t1,5\t1,234\t0,25\nb\t-2\t1000\t0,001\n",
        'name,x,y,reward\na,"1,5","1,234","0,25"\nb,-2,1000,0.001\n',
    ],
)
def test_files_of_spreadsheets_are_read_with_their_separators_and_decimal_signs(tmp_path, text):
    path = tmp_path / "items.csv"
    path.write_text(text, encoding="utf-8", newline="")
    instance = files.read_instance(path)
    np.testing.assert_array_equal(instance.arms, [[1.5, 1.234], [-2, 1000]])
    np.testing.assert_array_equal(instance.rewards, [0.25, 0.001])
    assert instance.arm_names == ("a", "b")
    assert files.read_first_rows(path, 1)[0] == ("name", "x", "y", "reward")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("name,x;1,reward\na;b,1,2\nc,3,4\n", ("a;b", "c")),
        ("name,x,reward\na;b,1,2\nc;d,3,4\n", ("a;b", "c;d")),
        ("name;x, in m;reward\na;1;2\nc, d;3;4\n", ("a", "c, d")),
        ('name;"x, in m";reward\na, b;1,5;2\nc, d;3,5;4\n', ("a, b", "c, d")),
    ],
)
def test_a_name_with_another_separator_stays_one_name(tmp_path, text, names):
    (tmp_path / "items.csv").write_text(text)
    assert files.read_instance(tmp_path / "items.csv").arm_names == names


TABLE = np.array([[1, 5, 10], [2, 5, 30], [3, 5, 20], [4, 5, 60]], dtype=float)


def test_items_as_given(items):
    instance = files.read_items_csv(items)
    np.testing.assert_array_equal(instance.arms, TABLE)
    assert instance.target_label(instance.best) == "d"
    picked = files.read_items_csv(items, columns=["size", "price"], name="constant", reward="reward")
    np.testing.assert_array_equal(picked.arms, TABLE[:, [2, 0]])
    assert picked.arm_names == ("5",) * 4


def test_items_standardised(items):
    arms = files.read_items_csv(items, "standardised").arms
    varying = TABLE[:, [0, 2]]
    expected = (varying - varying.mean(axis=0)) / varying.std(axis=0)
    np.testing.assert_allclose(arms, np.column_stack([np.ones(4), expected]))  # the constant became the intercept
    plain = files.read_items_csv(items, "standardised", intercept=False).arms
    np.testing.assert_allclose(plain[:, [0, 2]], varying / varying.std(axis=0))
    np.testing.assert_allclose(plain[:, 1], 1)


def test_items_as_principal_components(items):
    instance = files.read_items_csv(items, "principal-components")
    assert instance.D == 3  # ones, and two directions that vary
    components = instance.arms[:, 1:]
    np.testing.assert_allclose(components.mean(axis=0), 0, atol=1e-12)
    variances = np.linalg.eigvalsh(np.cov(TABLE.T, bias=True))[::-1]
    np.testing.assert_allclose(components.T @ components / 4, np.diag(variances[:2]), atol=1e-10)
    plain = files.read_items_csv(items, "principal-components", intercept=False).arms
    np.testing.assert_allclose(plain @ plain.T, TABLE @ TABLE.T)  # a rotation
    np.testing.assert_allclose(plain.var(axis=0), variances, atol=1e-10)
    assert instance.recipe.steps == (
        "3 features as 2 principal components, with an intercept",
        "name: name, reward: reward",
    )
    assert instance.feature_names == ("intercept", "component 1", "component 2")


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(csv_format.FEATURES), st.booleans(), st.integers(2, 12))
def test_what_was_linear_stays_linear(seed, how, intercept, rows):
    generator = np.random.default_rng(seed)
    features = generator.standard_normal((rows, 4)) * 10.0 ** generator.integers(-3, 4, 4)
    features[:, 1] = 2.0
    made = csv_format.transform(features, how, intercept)
    rewards = features @ (generator.standard_normal(4) / np.abs(features).max(axis=0))
    scale = np.abs(made).max(axis=0)
    fit = np.linalg.lstsq(made / scale, rewards, rcond=None)[0]
    np.testing.assert_allclose(made / scale @ fit, rewards, atol=1e-8 * np.abs(rewards).max())


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"features": "whitened"}, 'Unknown treatment of features "whitened"'),
        ({"columns": ["prize"]}, r'Unknown column "prize": did you mean "price"\?'),
        ({"reward": "rewrd"}, r'Unknown column "rewrd": did you mean "reward"\?'),
        ({"name": "nam"}, r'Unknown column "nam": did you mean "name"\?'),
        ({"ignore": ["sise"]}, r'Unknown column "sise": did you mean "size"\?'),
        (
            {"columns": ["name", "price"]},
            'Line 2, column "name" is "a": it must be a finite number. If the column is not a feature',
        ),
        ({"columns": ["price", "price"]}, '"price" is listed twice among the features'),
        ({"columns": ["price"], "ignore": ["price"]}, '"price" is a feature and ignored'),
        ({"columns": ["price"], "reward": "price"}, '"price" is a feature and chosen for names or rewards'),
        ({"name": "size", "reward": "size"}, '"size" cannot have both'),
        ({"ignore": ["reward"], "scale_rewards": True}, "There are no rewards to scale"),
    ],
)
def test_bad_treatment_of_items(items, options, sentence):
    with pytest.raises(InputError, match=sentence):
        files.read_items_csv(items, **options)


def test_a_hundred_thousand_columns_are_read_in_one_pass():
    """Every name was looked for among all before it: a file of 1 MB took minutes."""
    names = [f"c{i}" for i in range(100_000)]
    data = "\n".join([",".join([*names, "reward"]), ",".join(["1"] * 100_001)]).encode()
    items = csv_format.read_items(data)
    assert items.features.shape == (1, 100_000)
    assert items.columns[-1] == "c99999"
    with pytest.raises(InputError, match='"c5" appears twice'):
        csv_format.read_items(",".join([*names, "c5", "reward"]).encode())
    with pytest.raises(InputError, match="more than 500000 lines"):
        csv_format.read_items(b"a,reward\n" + b"\n" * 500_000)


# -- options in flags, files and recipes -----------------------------------------------------------------------

NAMES = st.text(st.characters(blacklist_categories=("Cs",)), min_size=1, max_size=12).map(str.strip).filter(bool)
OPTIONS = st.builds(
    ItemOptions,
    features=st.sampled_from((*FEATURES, "as-given")),
    intercept=st.sampled_from((None, True, False)),
    name_column=NAMES,
    reward_column=NAMES,
    ignore=st.lists(NAMES, max_size=3).map(tuple),
    columns=st.none() | st.lists(NAMES, min_size=1, max_size=3).map(tuple),
    scale_rewards=st.booleans(),
)


@given(OPTIONS)
def test_options_come_back_from_flags_and_from_recipes(options):
    parser = argparse.ArgumentParser()
    add_items(parser)
    if all(each.isprintable() for each in (*options.ignore, *(options.columns or ()))):
        assert items_of(parser.parse_args(options.flags())) == options
        assert ItemOptions.of_settings(dict(options.settings())) == options or any(
            not each.isprintable() for each in (options.name_column, options.reward_column)
        )
    given_options = options.given()
    assert (
        item_options({key: list(each) if isinstance(each, tuple) else each for key, each in given_options.items()})
        == options
    )


def test_the_intercept_is_optional_and_columns_have_an_order_and_roles(items):
    instance = files.read_items_csv(items, intercept=True, columns=["size", "price"], name="constant", ignore=["name"])
    np.testing.assert_array_equal(instance.arms, np.column_stack([np.ones(4), TABLE[:, [2, 0]]]))
    assert instance.feature_names == ("intercept", "size", "price")
    assert instance.recipe.steps == (
        "2 features as they are, with an intercept",
        "name: constant, reward: reward",
        "ignored: name",
    )
    again = files.read_instance(items, ItemOptions.of_settings(instance.recipe.parameters))
    assert again == instance
    assert str(files.read_items_csv(items, "standardised").recipe) == (
        "file items.csv; 3 features standardised, 1 constant left out, with an intercept; name: name, reward: reward"
    )
    assert files.read_items_csv(items, ignore=["reward"]).has_rewards is False


def test_a_long_choice_of_columns_does_not_spoil_a_file(tmp_path):
    names = [f"a quite long name of a column {j}" for j in range(20)]
    table = np.random.default_rng(0).normal(size=(22, 20))
    lines = [",".join([*names, "reward"]), *(",".join(map(str, [*row, i])) for i, row in enumerate(table.tolist()))]
    (tmp_path / "a.csv").write_text("\n".join(lines))
    instance = files.read_items_csv(tmp_path / "a.csv", columns=names[::-1])
    files.write_instance(tmp_path / "a.json", instance)
    assert files.read_instance(tmp_path / "a.json").digest == instance.digest


# -- scaled rewards --------------------------------------------------------------------------------------------


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=6))
def test_scaled_rewards_have_gaps_of_at_most_two_and_stay_in_order(rewards):
    instance = Instance.from_rewards(np.eye(len(rewards)), rewards)
    scaled = instance.with_scaled_rewards()
    assert scaled.gaps.max() <= 2
    assert scaled.with_scaled_rewards() is scaled
    if instance.gaps.max() <= 2:
        assert scaled is instance
    else:
        assert scaled.gaps.max() > 1.97, "the number is rounded up to three digits"
        number = float(scaled.recipe.steps[-1].removeprefix("rewards divided by "))
        np.testing.assert_array_equal(scaled.rewards, instance.rewards / number)


def test_linear_rewards_stay_linear_when_scaled():
    instance = Instance.linear([[1.0, 0.0], [0.0, 1.0], [3.0, 40.0]], [2.0, 3.0])
    scaled = instance.with_scaled_rewards()
    assert scaled.d_star == 2
    assert scaled.theta is not None
    np.testing.assert_allclose(scaled.theta, np.array([2.0, 3.0]) / 62.0)
    assert scaled.noise == instance.noise, "the noise is in the new units"


# -- how far from linear ---------------------------------------------------------------------------------------


def test_how_far_from_linear_is_the_best_fit_in_all_features():
    points = np.linspace(-1, 1, 21)
    instance = Instance.from_rewards(np.column_stack([np.ones(21), points]), points**2)
    found = {each.name: each for each in instance.assumptions()}["linear"]
    assert instance.linear_fit.gamma_tilde == pytest.approx(0.5)  # Chebyshev: x² − 1/2
    assert instance.linear_fit.gamma_tilde == pytest.approx(instance.misspecification()[-1].gamma_tilde)
    assert not found.holds
    assert found.statement == "The best linear fit in R² misses the rewards by up to 0.5 (50\u202f% of their range)."
    line = Instance.from_rewards(np.column_stack([np.ones(21), points]), points)
    assert {each.name: each for each in line.assumptions()}["linear"].statement == "The rewards are linear in R²."


def test_a_large_table_is_fitted_by_least_squares(monkeypatch):
    monkeypatch.setattr("gems_engine.misspecification._MOST_ENTRIES", 10)
    points = np.linspace(0, 1, 21)
    instance = Instance.from_rewards(np.column_stack([np.ones(21), points]), points**2)
    statement = instance.assumptions()[0].statement
    assert statement.startswith("The linear fit of least squares in R² misses the rewards by up to 0.15")


def test_a_name_that_cannot_be_shown_is_found_by_its_line_and_column():
    with pytest.raises(
        InputError, match=r'^Line 4, column "item" is ".*": a name must be one printable line'
    ) as caught:
        csv_format.read_items(b'item,x,reward\na,1,2\n"two\nlines",3,4\n', ItemOptions(name_column="item"))
    assert "\n" not in str(caught.value)
