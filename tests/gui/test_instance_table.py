"""The table of an instance: its algebra, its bad cells, and the instance that comes out of it."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from gems_engine.errors import InputError
from gems_engine.features import linear_rewards
from gems_engine.files import read_instance, write_instance
from gems_engine.gallery import FAMILIES, make
from gems_engine.instance import Instance
from gems_gui.drafts.draft import D_FIELD, FAMILY_FIELD, Draft, FromFile, FromTable, build_instance
from gems_gui.drafts.instance_table import (
    ARMS,
    EDITED,
    REWARDS,
    TARGET_REWARDS,
    TARGETS,
    THETA,
    InstanceTable,
    fits_csv,
    small_table,
)
from gems_gui.drafts.pasting import PastedBlock

NUMBERS = st.floats(-1e6, 1e6, allow_nan=False).map(lambda value: round(value, 6))
NAMES = st.text("abc xyz", max_size=4).map(str.strip)


@st.composite
def tables(draw):
    """Any table: linear or not, with targets of its own or not, with names and bad cells or not."""
    K, D, n = draw(st.integers(1, 6)), draw(st.integers(1, 5)), draw(st.integers(1, 5))

    def numbers(*shape):
        return draw(arrays.arrays(np.float64, shape, elements=NUMBERS))

    own, linear = draw(st.booleans()), draw(st.booleans())
    table = InstanceTable.of(Instance.linear(np.eye(2), [1.0, 0.5])).with_D(D)
    table = table.insert_rows(ARMS, 0, K).remove_rows(ARMS, (K, K + 1))
    table = table.with_block(ARMS, 0, 0, PastedBlock(numbers(K, D), {}))
    if not linear:
        table = table.with_given_rewards().with_block(REWARDS, 0, 0, PastedBlock(numbers(K, 1), {}))
    else:
        table = table.with_theta(numbers(D))
    if own:
        table = table.with_own_targets(True)
        table = table.insert_rows(TARGETS, 0, n).remove_rows(TARGETS, range(n, n + K))
        table = table.with_block(TARGETS, 0, 0, PastedBlock(numbers(n, D), {}))
        table = table.with_name(TARGETS, draw(st.integers(0, n - 1)), draw(NAMES))
    for row in range(K):
        table = table.with_name(ARMS, row, draw(NAMES))
    for part in table.parts:
        height, width = table.sheet(part).shape
        if draw(st.booleans()):
            cell = draw(st.integers(0, height - 1)), draw(st.integers(0, width - 1))
            table = table.with_cell(part, *cell, draw(st.sampled_from(("a", "", "1,234", "nan"))))
    return table


def some(draw, length, least=0):
    return draw(st.sets(st.integers(0, length - 1), min_size=least, max_size=length))


# -- algebra --------------------------------------------------------------------------------------------------------


@given(tables(), st.data())
def test_removing_what_was_inserted_is_nothing(table, data):
    for part in table.parts:
        at, count = data.draw(st.integers(0, table.sheet(part).shape[0])), data.draw(st.integers(1, 3))
        longer = table.insert_rows(part, at, count)
        assert longer != table
        assert longer.remove_rows(part, range(at, at + count)) == table
    at = data.draw(st.integers(0, table.D))
    assert table.insert_columns(at, 2).remove_columns((at, at + 1)) == table


@given(tables(), st.data())
def test_removing_copies_is_nothing(table, data):
    for part in table.parts:
        rows = some(data.draw, table.sheet(part).shape[0], 1)
        after = max(rows) + 1
        assert table.duplicate_rows(part, rows).remove_rows(part, range(after, after + len(rows))) == table
    columns = some(data.draw, table.D, 1)
    after = max(columns) + 1
    assert table.duplicate_columns(columns).remove_columns(range(after, after + len(columns))) == table


@given(tables(), st.data())
def test_moving_there_and_back_is_nothing(table, data):
    for part in table.parts:
        length = table.sheet(part).shape[0]
        first = data.draw(st.integers(0, length - 1))
        size = data.draw(st.integers(1, length - first))
        by = data.draw(st.integers(-first, length - first - size))
        moved = table.move_rows(part, range(first, first + size), by)
        assert moved.move_rows(part, range(first + by, first + by + size), -by) == table
        assert table.move_rows(part, [first], 10**6) == table.move_rows(part, [first], length - 1 - first)
    last = table.D - 1
    assert table.move_columns([0], last).move_columns([last], -last) == table


@given(tables(), st.integers(1, 8))
def test_padding_can_be_cut_off_again(table, D):
    changed = table.with_D(D)
    assert changed.D == D
    assert np.array_equal(changed.arms[:, : table.D], table.arms[:, :D], equal_nan=True)
    assert not changed.arms[:, table.D :].any()
    if D >= table.D:
        assert changed.with_D(table.D) == table


@given(tables())
def test_a_pickled_table_is_the_same(table):
    again = pickle.loads(pickle.dumps(table))
    assert again == table
    assert hash(again) == hash(table)
    assert again.with_cell(ARMS, 0, 0, "0.125") == table.with_cell(ARMS, 0, 0, "0.125")


@given(tables(), st.data())
def test_rows_keep_their_names_rewards_and_marks(table, data):
    length = len(table.arms)
    row = data.draw(st.integers(0, length - 1))
    moved = table.move_rows(ARMS, [row], length - 1 - row)
    for part in (ARMS, REWARDS):
        if part in table.parts:
            assert moved.names(part)[-1] == table.names(part)[row]
            old, new = table.sheet(part), moved.sheet(part)
            columns = range(old.shape[1])
            assert [new.text(length - 1, j) for j in columns] == [old.text(row, j) for j in columns]
    assert len(moved.bad) == len(table.bad)
    assert moved.targets is table.targets


# -- instances ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
def test_the_table_of_every_family_gives_its_instance_again(family):
    instance = make(family)
    table = InstanceTable.of(instance)
    again = table.instance()
    assert again.digest == instance.digest
    assert (again.name, again.arm_names, again.target_names) == (
        f"{family}, edited",
        instance.arm_names,
        instance.target_names,
    )
    assert again.recipe == replace(instance.recipe, steps=(*instance.recipe.steps, EDITED))
    assert InstanceTable.of(again) == table, "edited twice is edited"
    assert (again.targets is again.arms) == (instance.targets is instance.arms)


def test_targets_with_other_names_than_the_arms_keep_them():
    instance = Instance.linear(np.eye(2), [1, 0], arm_names=("a", "b"), target_names=("c", "d"))
    assert InstanceTable.of(instance).instance().target_names == ("c", "d")


def test_rewards_follow_theta_or_stay():
    linear = InstanceTable.of(Instance.linear([[1, 0], [0, 1]], [1, 0.5]))
    assert linear.with_arm(1, [2, 2]).instance().rewards.tolist() == [1, 3]
    assert linear.with_theta([0, 1]).instance().rewards.tolist() == [0, 1]
    given_rewards = InstanceTable.of(Instance.from_rewards([[1, 0], [0, 1]], [1, 0.5]))
    assert given_rewards.with_arm(1, [2, 2]).instance().rewards.tolist() == [1, 0.5]
    assert given_rewards.with_theta([0, 1]).instance().rewards.tolist() == [0, 1]
    assert given_rewards.with_cell(REWARDS, 0, 0, "0,25").instance().rewards.tolist() == [0.25, 0.5]


def test_columns_that_come_change_no_reward():
    table = InstanceTable.of(make("paper-hard"))
    rewards = table.instance().rewards
    for changed in (table.insert_columns(2, 3), table.duplicate_columns([0, 1]), table.with_D(table.D + 2)):
        assert np.array_equal(changed.instance().rewards, rewards)
    assert np.array_equal(table.duplicate_columns([0]).arms[:, 1], table.arms[:, 0])


def test_theta_and_rewards_take_each_others_place():
    table = InstanceTable.of(make("sphere"))
    given_rewards = table.with_given_rewards()
    assert given_rewards.parts == (ARMS, REWARDS)
    assert np.array_equal(given_rewards.rewards, linear_rewards(table.arms, table.theta))
    fitted = given_rewards.with_fitted_theta()
    assert fitted.parts == (ARMS, THETA)
    assert np.allclose(fitted.instance().rewards, given_rewards.rewards, atol=1e-9)
    own = given_rewards.with_own_targets(True)
    assert own.parts == (ARMS, TARGETS, REWARDS, TARGET_REWARDS)
    assert own.with_fitted_theta().parts == (ARMS, TARGETS, THETA)
    assert own.with_own_targets(False) == given_rewards
    with pytest.raises(InputError, match=r"Correct the marked cells first\. Arm 1, feature 1: \"x\" is not a number\."):
        table.with_cell(ARMS, 1, 0, "x").with_given_rewards()


def test_a_bad_cell_is_kept_named_and_repaired():
    table = InstanceTable.of(Instance.linear(np.eye(2), [1, 0], arm_names=("left", "")))
    bad = table.with_cell(ARMS, 0, 1, " x y ").with_cell(THETA, 1, 0, "")
    assert bad.sheet(ARMS).text(0, 1) == "x y"
    assert bad.bad == {(ARMS, 0, 1): "x y", (THETA, 1, 0): ""}
    with pytest.raises(InputError, match=r"^left, feature 2: \"x y\" is not a number\. \(1 more cell marked\.\)$"):
        bad.instance()
    repaired = bad.with_cell(ARMS, 0, 1, "0")
    with pytest.raises(InputError, match=r"^θ⋆, feature 2: The cell is empty: enter a number\.$"):
        repaired.instance()
    assert repaired.with_cell(THETA, 1, 0, "0") == table


def test_what_cannot_be_says_why():
    table = InstanceTable.of(Instance.linear(np.eye(2), [1, 0]))
    for act, words in (
        (lambda: table.remove_rows(ARMS, (0, 1)), "Cannot remove the last arm"),
        (lambda: table.remove_columns((0, 1)), "Cannot remove the last feature"),
        (lambda: table.remove_rows(THETA, (0, 1)), "Cannot remove the last feature"),
        (lambda: table.sheet(REWARDS), "no rewards"),
        (lambda: table.with_theta([1.0]), "must have 2"),
        (lambda: table.with_block(THETA, 0, 0, PastedBlock(np.ones((2, 2)), {})), "has only one"),
        (lambda: table.remove_rows(ARMS, (0,)).instance(), "only one target"),
        (lambda: table.with_name(ARMS, 1, "a\nb").instance(), "Arm 1: .*one printable line"),
    ):
        with pytest.raises(InputError, match=words):
            act()


def test_a_new_instance_breaks_no_assumption():
    instance = small_table().instance()
    assert [each.name for each in instance.assumptions() if not each.holds] == []
    assert instance.best_is_unique
    assert instance.d_star == 1


def test_a_block_makes_the_room_it_needs_everywhere():
    table = small_table().with_own_targets(True)
    block = PastedBlock(np.arange(9.0).reshape(3, 3), {(2, 2): "x"}, ("a", "b", "c"))
    pasted = table.with_block(ARMS, 1, 1, block)
    assert pasted.arms.shape == (4, 4)
    assert pasted.targets.shape == (3, 4)
    assert pasted.theta.tolist() == [1, 0, 0, 0]
    assert pasted.arm_names == ("", "a", "b", "c")
    assert pasted.bad == {(ARMS, 3, 3): "x"}
    assert pasted.arms[1].tolist() == [0, 0, 1, 2]
    row = small_table().with_block(THETA, 0, 0, PastedBlock(np.array([[3.0, 4.0, 5.0]]), {(0, 2): "y"}))
    assert row.theta[:2].tolist() == [3, 4]
    assert row.bad == {(THETA, 2, 0): "y"}
    assert row.D == 3


def test_only_arms_rewards_and_names_fit_into_a_csv(tmp_path):
    rewards = Instance.from_rewards(np.eye(2), [1, 0.5], arm_names=("a", "b"))
    assert fits_csv(rewards)
    write_instance(tmp_path / "x.csv", rewards)
    assert read_instance(tmp_path / "x.csv").digest == rewards.digest
    assert not fits_csv(rewards.with_noise("gaussian:0.5"))
    assert not fits_csv(Instance.linear(np.eye(2), [1, 0]))
    assert not fits_csv(Instance.from_rewards(np.eye(2), [1, 0.5], targets=np.eye(2)[::-1]))


# -- drafts ---------------------------------------------------------------------------------------------------------


def test_an_edited_draft_says_what_it_was():
    draft = Draft.of("sphere")
    instance = build_instance(draft.source)
    table = InstanceTable.of(instance).with_cell(ARMS, 0, 0, "0.5")
    own = draft.with_table(table)
    assert own.source.title == "Custom instance (from sphere)"
    assert own.family is None
    assert own.errors() == {}
    assert build_instance(own.source).arms[0, 0] == 0.5
    assert own.instance_key() != draft.instance_key()
    assert own.with_table(table) is own
    opened = draft.with_instance(instance, "/some/mine.json").with_table(table)
    assert opened.source == FromTable(table, "/some/mine.json", "mine.json")
    assert replace(draft, source=FromTable(small_table())).source.title == "Custom instance"
    bad = own.with_table(table.with_cell(ARMS, 2, 1, "x"))
    assert bad.errors() == {FAMILY_FIELD: 'Arm 2, feature 2: "x" is not a number.'}
    assert bad.instance_key() is None


def test_a_typed_D_drops_nothing_until_the_table_is_edited():
    start = replace(Draft.of(), source=FromTable(InstanceTable.of(make("paper-hard"))))
    D = start.source.table.D
    draft = start
    for text in ("1", "", "x", "15", "0", str(D)):
        draft = draft.with_text(D_FIELD, text)
        assert draft.text(D_FIELD) == text
        assert (D_FIELD in draft.errors()) == (text in ("", "x", "0"))
    assert draft == start
    short = start.with_text(D_FIELD, "2")
    assert short.source.table == start.source.table.with_D(2)
    kept = short.with_table(short.source.table.with_cell(ARMS, 0, 0, "7"))
    assert not kept.with_text(D_FIELD, str(D)).source.table.arms[:, 2:].any()


@pytest.mark.parametrize("edited", [False, True])
@pytest.mark.parametrize(
    ("D", "sentence"),
    [
        ("13", "Add 3 features of zeros?"),
        ("11", "Add 1 feature of zeros?"),
        ("7", "Drop features 8…10?"),
        ("9", "Drop feature 10?"),
    ],
)
def test_another_D_of_a_file_is_asked_about(edited, D, sentence):
    instance = make("paper-hard", d_star=9)
    table = InstanceTable.of(instance).with_cell(ARMS, 0, 0, "2")
    start = Draft.of().with_instance(instance, "/x/mine.json")
    if edited:
        start = start.with_table(table)
    asks = start.with_text(D_FIELD, D)
    assert asks.question().sentence == sentence
    assert sentence in asks.errors()[D_FIELD]
    assert asks.source.D == 10, "nothing is changed without an answer"
    assert asks.answered(False) == start
    assert asks.with_text(D_FIELD, "10") == start
    agreed = asks.answered(True)
    assert agreed.errors() == {}
    assert agreed.source.path == "/x/mine.json"
    assert agreed.source.table == (table if edited else InstanceTable.of(instance)).with_D(int(D))
    assert agreed.question() is None


def test_a_source_of_a_file_is_not_asked_for_nonsense():
    draft = Draft.of().with_instance(make("paper-hard"), "/x/mine.json").with_text(D_FIELD, "many")
    assert draft.question() is None
    assert "D = many is not allowed" in draft.errors()[D_FIELD]
    assert isinstance(draft.source, FromFile)


def test_names_of_features_follow_their_columns():
    names = ("height", "weight", "age")
    instance = Instance.linear(np.eye(3), [1.0, 0.5, 0.0], feature_names=names)
    table = InstanceTable.of(instance)
    assert table.feature_label(0) == "height"
    assert table.instance().feature_names == names
    assert table.move_columns([0], 1).feature_names == ("weight", "height", "age")
    assert table.remove_columns([1]).feature_names == ("height", "age")
    assert table.insert_columns(1).feature_names == ("height", "", "weight", "age")
    assert table.duplicate_columns([0]).feature_names == ("height", "", "weight", "age")
    assert table.insert_columns(1).feature_label(1) == "feature 2"
    assert table.cell_label(ARMS, 0, 2) == "Arm 0, age"
    assert InstanceTable.of(Instance.linear(np.eye(2), [1.0, 0.0])).feature_names is None
