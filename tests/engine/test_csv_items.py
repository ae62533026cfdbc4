"""Tables of real items: what is read from them, and how features are treated."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gems_engine import files
from gems_engine.errors import InputError
from gems_engine.formats import csv_format

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
    assert instance.recipe.steps == ("features principal-components",)


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
        ({"reward": "ctr"}, 'There is no column "ctr"'),
        ({"columns": ["name", "price"]}, 'Line 2, column "name" is "a": it must be a finite number'),
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
