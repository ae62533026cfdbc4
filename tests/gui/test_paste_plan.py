"""What pasting a sheet does: columns are recognised, all that is left out or marked is named, and the rest arrives."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gems_engine.errors import InputError
from gems_gui.drafts.instance_table import ARMS, REWARDS, TARGET_REWARDS, TARGETS, THETA, small_table
from gems_gui.drafts.paste_plan import APPEND, FEATURE, LEFT_OUT, OVER, REPLACE, REWARD, WEIGHT, PastePlan, meaning
from gems_gui.drafts.pasting import NAME


def plan_of(text, part=ARMS, at=(0, 0), **rest):
    return PastePlan.of(text, part, at, **rest)


@pytest.mark.parametrize(
    ("header", "role"),
    [
        *((word, NAME) for word in ("name", "NAME", " Arm ", "label", "Labels", "id", "item")),
        *((word, REWARD) for word in ("reward", "Rewards", "mean", "Mean reward", "mean_reward", "MEAN-REWARD", "μ")),
        *((word, "") for word in ("x1", "meaning", "rename", "", "price")),
    ],
)
def test_headers_say_what_a_column_is(header, role):
    assert meaning(header) == role


@pytest.mark.parametrize("separator", ["\t", ";", ","])
def test_columns_are_recognised_in_any_order_and_in_every_separation(separator):
    rows = (("x1", "Mean reward", "x2", "Label"), ("1", "0.5", "2", '"a b"'), ("3", "-1", "4", '"c ""d"""'))
    plan = plan_of("\r\n".join(map(separator.join, rows)) + "\r\n")
    assert plan.roles == (FEATURE, REWARD, FEATURE, NAME)
    table = plan.pasted(small_table())
    assert table.arms.tolist() == [[1, 2], [3, 4]]
    assert table.rewards.tolist() == [0.5, -1]
    assert table.arm_names == ("a b", 'c "d"')
    assert table.feature_names is None, "x1 and x2 only count"
    assert not table.linear
    assert table.instance().D == 2


def test_decimal_commas_and_escaped_cells_are_read():
    plan = plan_of("name;price;mean\n'=a;0,5;1\n'-b;1.234,5;0,25\n")
    table = plan.pasted(small_table())
    assert table.arm_names == ("=a", "-b")
    assert table.arms.tolist() == [[0.5], [1234.5]]
    assert table.rewards.tolist() == [1, 0.25]
    assert table.feature_names == ("price",)
    # The preview and what is pasted agree: the first price says what the comma of the rewards means.
    plan = plan_of("name;price;reward\na;0,5;1,234\nb;1;2,5x\n")
    table = plan.pasted(small_table())
    assert set(plan.bad) == {(2, 2)}
    assert table.bad == {(REWARDS, 1, 0): "2,5x"}
    assert table.sheet(REWARDS).values[0] == 1.234


def test_tables_of_other_programs():
    pandas = plan_of("\tu\tv\n0\t1\t2\n1\t3\t4\n")
    assert pandas.roles == (NAME, FEATURE, FEATURE)
    r = plan_of('"u" "v"\n"a" 1 2\n"b" 3 4\n'.replace(" ", "\t"))
    assert r.header == ("", "u", "v")
    assert "The header has one cell fewer than the rows: it begins with the second column." in r.sentences(
        small_table()
    )
    assert not any("header" in each for each in pandas.sentences(small_table()))
    assert r.roles == (NAME, FEATURE, FEATURE)
    assert plan_of("1\t2\n3\t4").header is None
    assert plan_of("a\t1\t2\nb\t3\t4").roles == (NAME, FEATURE, FEATURE)
    assert plan_of("arm\tkind\tu\na\tx\t1\nb\ty\t2").roles == (NAME, LEFT_OUT, FEATURE)
    own = plan_of("name\tfeature 1\tfeature 2\na\t1\t2\n")
    assert own.pasted(small_table()).feature_names is None


def test_without_rewards_those_of_the_table_stay_and_it_is_said():
    linear, given = small_table(), small_table().with_given_rewards()
    plan = plan_of("u\tv\tw\n1\t2\t3\n4\t5\t6\n7\t8\t9\n1\t1\t1\n")
    assert "θ⋆ stays, with 0 for the new features." in plan.sentences(linear)
    assert plan.pasted(linear).theta.tolist() == [1, 0, 0]
    added = replace(plan, where=APPEND)
    assert "No column has rewards: those of existing rows stay, and new rows have 0." in added.sentences(given)
    assert added.pasted(given).rewards.tolist() == [*given.rewards, 0, 0, 0, 0]
    same = plan_of("u\tv\tw\n1\t2\t3\n4\t5\t6\n7\t8\t9\n")
    assert any("and so do their rewards" in each for each in same.sentences(given))
    assert same.pasted(given).rewards.tolist() == given.rewards.tolist()


@pytest.mark.parametrize("text", ["u\tv\n1\t2\n4\t5\n", "name\tu\na\t1\nb\t2\nc\t3\n"])
def test_rows_that_replace_others_do_not_get_their_rewards(text):
    given, plan = small_table().with_given_rewards(), plan_of(text)
    assert any(each.startswith("No column has rewards, so the instance has none") for each in plan.sentences(given))
    assert not plan.pasted(given).has_rewards
    assert plan.pasted(small_table()).linear


def test_a_row_with_more_cells_than_the_header_is_refused():
    plan = plan_of("a,b,c\n1,5,0,2,3\n2,1,0,3,4\n", separator=",")
    with pytest.raises(InputError, match="Rows 2 and 3 have more cells than the header"):
        plan.pasted(small_table())
    narrow = plan.with_role(3, LEFT_OUT).with_role(4, LEFT_OUT)
    assert narrow.pasted(small_table()).arms.tolist() == [[1, 5, 0], [2, 1, 0]]
    assert plan.with_header(None).rows == plan.rows
    assert plan_of("a\tb\n1\t2\t\t\n3\t4\t\t\n").pasted(small_table()).arms.tolist() == [[1, 2], [3, 4]]


def test_rows_that_are_added_find_their_columns_by_name():
    table = plan_of("name\tPrice\tUnit weight\nold\t1\t2\n").pasted(small_table())

    def added(header, table=table):
        cells = "\t".join(str(3 + j) for j in range(header.count("\t") + 1))
        plan = replace(plan_of(f"{header}\n{cells}\n"), where=APPEND)
        return plan, plan.sentences(table), plan.pasted(table)

    plan, said, swapped = added("unit_weight\tPRICE")
    assert [plan.role_label(j, table) for j in range(2)] == ["→ Unit weight", "→ Price"]
    assert "Features go to the columns of the same name." in said
    assert swapped.arms.tolist() == [[1, 2], [4, 3]]
    assert swapped.feature_names == table.feature_names
    assert swapped.theta.tolist() == table.theta.tolist()

    plan, said, other = added("Size\tUnit weight")
    assert [plan.role_label(j, table) for j in range(2)] == ["feature 3", "→ Unit weight"]
    assert (
        'Features go to the columns of the same name. New rows have 0 for "Price". '
        "Rows that stay have 0 for the 1 new feature." in said
    )
    assert other.arms.tolist() == [[1, 2, 0], [0, 4, 3]]
    assert other.feature_names == ("Price", "Unit weight", "Size")

    for header in ("size\tsize", "Price\tprice"):
        plan, said, in_order = added(header)
        assert "The features of the table have other names: the columns go to them in order." in said
        assert [plan.role_label(j, table) for j in range(2)] == ["→ Price", "→ Unit weight"]
        assert in_order.arms.tolist() == [[1, 2], [3, 4]]

    for header in ("x2\tx1", "feature 2\tfeature 1"):
        assert added(header, small_table())[2].arms[-1].tolist() == [4, 3]
    assert added("x1\tx2\tx3", small_table())[2].feature_names is None

    over = replace(plan_of("Unit weight\tPRICE\n7\tx\n8\t9\n"), where=OVER)
    assert "Features go to the columns of the same name." in over.sentences(table)
    written = over.pasted(table)
    assert written.arms[:, 1].tolist() == [7, 8]
    assert written.arms[1, 0] == 9
    assert written.bad == {(ARMS, 0, 0): "x"}
    over = replace(plan_of("Unit weight\n7\n", at=(0, 0)), where=OVER)
    assert 'Columns go by position, not by name: "Unit weight" to Price.' in over.sentences(table)
    assert over.role_label(0, table) == "→ Price"
    assert over.pasted(table).arms.tolist() == [[7, 2]]

    bad = replace(plan_of("Unit weight\tPrice\n5\t6\nx\t7\n"), where=APPEND).pasted(table)
    assert bad.bad == {(ARMS, 2, 1): "x"}
    assert bad.arms[2, 0] == 7


def test_titles_above_the_header_are_left_out_and_named():
    plan = plan_of("My sheet, of today\n\nname\tprice\treward\na\t1\t0.3\nb\t2\t0.2\n")
    assert plan.roles == (NAME, FEATURE, REWARD)
    assert "Rows 1 and 2 above the header are left out." in plan.sentences(small_table())
    table = plan.pasted(small_table())
    assert (table.arms.tolist(), table.arm_names, table.feature_names) == ([[1], [2]], ("a", "b"), ("price",))
    assert plan.with_header(None).body == (0, 1, 2, 3, 4)
    assert plan_of("name\t\na\t1\nb\t2\n").top == 0
    assert plan_of("2024\t\t\nname\tu\tv\na\t1\t2\n").top == 1
    with pytest.raises(InputError) as error:
        plan_of("u\tv\n1\t2\t3\n1\t2\t3\n1\t2\n").pasted(small_table())
    assert "Leave out the columns without a header" in str(error.value)
    assert "commas" not in str(error.value)


def test_rows_of_the_same_name_are_said():
    said = plan_of("name\tu\na\t1\nb\t2\na\t3\n\t4\n\t5\n").sentences(small_table())
    assert 'Rows 2 and 4 have the same name, "a".' in said
    said = plan_of("name\tu\na\t1\nb\t2\na\t3\nb\t4\n").sentences(small_table())
    assert 'Rows 2 and 4 have the same name, "a", and 1 other name occurs more than once.' in said


def test_rows_replace_follow_or_overwrite():
    table = small_table().with_name(ARMS, 0, "old")
    plan = plan_of("u\tv\n5\t6\n\n7\t8\n", at=(2, 1))
    assert plan.where == REPLACE
    assert plan.sentences(table)[0] == "Replaces 3 arms with 2 features by 2 arms with 2 features."
    assert "Row 3 is empty and left out." in plan.sentences(table)
    replaced = plan.pasted(table)
    assert (replaced.arms.tolist(), replaced.arm_names) == ([[5, 6], [7, 8]], None), "names of other arms do not stay"
    added = replace(plan, where=APPEND).pasted(table)
    assert added.arms.tolist() == [*table.arms.tolist(), [5, 6], [7, 8]]
    assert added.arm_names == ("old", "", "", "", "")
    over = replace(plan, where=OVER)
    assert over.sentences(table)[0] == "Overwrites 1 row from arm 2, feature 2 on, and adds 2 rows."
    assert "Row 3 is empty and marked as empty." in over.sentences(table)
    written = over.pasted(table)
    assert written.arms.shape == (5, 3)
    assert written.arms[[2, 4], 1:].tolist() == [[5, 6], [7, 8]]
    assert set(written.bad) == {(ARMS, 3, 1), (ARMS, 3, 2)}


def test_separate_targets_have_rewards_of_their_own():
    table = small_table().with_own_targets(True)
    pasted = plan_of("name\tu\tv\treward\nz\t1\t1\t9\n", TARGETS).pasted(table)
    assert pasted.targets.tolist() == [[1, 1]]
    assert pasted.sheet(TARGET_REWARDS).values.tolist() == [[9]]
    assert pasted.rewards.tolist() == table.instance().rewards.tolist(), "computed from θ⋆ before it goes"
    arms = plan_of("name\tu\tv\treward\nz\t1\t1\t9\n").pasted(table)
    assert arms.rewards.tolist() == [9]
    assert arms.target_rewards.tolist() == table.instance().target_rewards.tolist()


def test_parts_with_one_column_take_one_and_name_the_others():
    given = small_table().with_given_rewards()
    plan = plan_of("name\tu\tmean reward\na\t5\t0.5\nb\t6\t0.25\n", REWARDS)
    assert plan.roles == (NAME, LEFT_OUT, REWARD)
    assert 'Left out: "u".' in plan.sentences(given)
    assert plan.pasted(given).rewards.tolist() == [0.5, 0.25, given.rewards[2]]
    theta = plan_of("feature\ttheta\na\t3\nb\t4\nc\t5\n", THETA)
    assert theta.roles == (LEFT_OUT, WEIGHT)
    assert theta.pasted(small_table()).theta.tolist() == [3, 4, 5]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"roles": (NAME, NAME, FEATURE)}, 'Both "a" and "b" are chosen as name'),
        ({"roles": (LEFT_OUT, NAME, REWARD)}, "Choose a column of features"),
        ({"roles": (LEFT_OUT,) * 3, "where": OVER}, "Choose a column of features"),
        ({"rows": (("a", "b", "c"), ("", "", ""))}, "no rows"),
    ],
)
def test_what_cannot_be_pasted_says_why(change, words):
    plan = plan_of("a\tb\tc\n1\t2\t3\n")
    with pytest.raises(InputError, match=words):
        replace(plan, **change).pasted(small_table())
    assert plan.sentences(small_table()), "and it is still described"


def test_many_lines_are_listed_shortly():
    text = "u\tv\tempty\n" + "".join(f"{i}\n" for i in range(20)) + "1\t2\t\n"
    said = plan_of(text).sentences(small_table())
    assert 'Left out: "empty" (empty).' in said
    assert any(each.startswith("Rows 2, 3, 4, 5 and 16 more have fewer cells") for each in said)
    assert all(len(each) < 200 for each in plan_of("x" * 5000 + "\tv\na\tb\nc\td\n").sentences(small_table()))


CELLS = st.sampled_from(("", " ", "1", "-2.5", "0,5", "x", "name", "reward", "'=1", '"q"', "1e999", "nan"))


@given(
    st.lists(st.lists(CELLS, min_size=1, max_size=4), min_size=1, max_size=5), st.sampled_from((REPLACE, APPEND, OVER))
)
def test_every_cell_arrives_is_named_or_is_left_out_with_its_column(rows, where):
    text = "\n".join("\t".join(row) for row in rows)
    try:
        plan = replace(plan_of(text), where=where)
        table = plan.pasted(small_table())
    except InputError:
        return
    said = " ".join(plan.sentences(small_table()))
    start = {REPLACE: 0, APPEND: 3, OVER: 0}[where]
    features = [j for j, role in enumerate(plan.roles) if role == FEATURE]
    for new, at in enumerate(plan.kept, start):
        for column, j in enumerate(features):
            bad = table.sheet(ARMS).bad.get((new, column))
            assert (bad is not None) == ((at, j) in plan.bad)
            assert bad is None or bad == plan.cell(at, j).strip()
            assert bad is not None or np.isfinite(table.arms[new, column])
    assert ("Left out" in said) == (LEFT_OUT in plan.roles)
    assert bool(plan.empty) == ("empty and" in said)
    assert bool(plan.bad) == ("It is kept and marked" in said)
    assert len(plan.kept) + len(plan.empty) * (where != OVER) + (plan.header is not None) + plan.top == len(plan.rows)
