"""Arms are written by their labels and found by label or index: one parser, one formatter."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gems_engine.cli import main
from gems_engine.diff import FieldDifference
from gems_engine.diff_wording import side_by_side
from gems_engine.errors import InputError
from gems_engine.gallery import make
from gems_engine.index_text import Labels, parse_targets, targets_text
from gems_engine.instance import Instance


def labels(*names: str) -> Labels:
    return Labels(len(names), names.__getitem__, "arm")


PAPER = labels(*(f"x_{i}" for i in range(1, 11)))
PLAIN = labels(*(f"arm {i}" for i in range(10)))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("x_9", 8),
        (" X_9 ", 8),
        ("8", 8),
        ("#8", 8),
        ("x_11", None),
        ("10", None),
        ("-1", None),
        ("", None),
        ("²", None),
    ],
)
def test_one_is_found_by_label_or_index(text, found):
    assert PAPER.find(text) == found


def test_features_are_counted_from_1():
    features = Labels(3, ("age", "feature 2", "age").__getitem__, "feature", first=1)
    assert [features.find(text) for text in ("1", "3", "0", "4", "#2", "feature 2", "Age")] == [
        0,
        2,
        None,
        None,
        1,
        1,
        None,
    ]
    assert [features.written(index) for index in range(3)] == ["age", "2", "#3"]
    with pytest.raises(InputError, match="an index from 1 to 3"):
        features.one("weight")


def test_a_label_wins_over_an_index():
    years = labels("2", "1", "0", "x")
    assert [years.find(text) for text in ("2", "0", "#2", "3")] == [0, 2, 2, 3]
    assert [years.written(index) for index in range(4)] == ["2", "1", "0", "x"]


def test_a_label_that_two_have_is_written_as_an_index():
    twice = labels("a", "a", "A")
    assert [twice.written(index) for index in range(3)] == ["a", "#1", "A"]
    assert twice.find("a") == 0
    assert [twice.find(twice.written(index)) for index in range(3)] == [0, 1, 2]


def test_an_arm_without_a_name_is_written_by_its_index():
    assert PLAIN.written(7) == "7"
    assert PLAIN.find("arm 7") == 7
    assert labels("arm 5", "arm 2").written(0) == "arm 5"  # target 0 is arm 5


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("x_3,x_7", (2, 6)),
        ("x_7, 2", (2, 6)),
        ("x_1-x_3,x_9", (0, 1, 2, 8)),
        ("0-2,8", (0, 1, 2, 8)),
        ("x_1 - x_3", (0, 1, 2)),
    ],
)
def test_sets_are_read(text, found):
    assert parse_targets(text, PAPER, "--survivors") == found


def test_labels_with_commas_and_hyphens():
    odd = labels("red, large", "a-b", "a", "b", 'say "x"', "plain")
    assert parse_targets('"red, large",a-b', odd, "set") == (0, 1)
    assert parse_targets("a-plain", odd, "set") == (2, 3, 4, 5)
    assert targets_text((0, 1, 4), odd) == '"red, large",a-b,"say ""x"""'
    assert targets_text((2, 3, 4, 5), odd) == "a-plain"


def test_sets_are_written_with_labels():
    assert targets_text((8, 9), PAPER) == "x_9,x_10"
    assert targets_text(range(10), PAPER) == "x_1-x_10"
    assert targets_text((0, 1, 2, 5), PLAIN) == "0-2,5"
    assert targets_text((0, 1, 2, 5)) == "0-2,5"


NAMES = st.lists(st.text(st.sampled_from('ab-,"# 019é'), max_size=4), min_size=2, max_size=9)


@given(NAMES, st.data())
def test_what_is_written_is_read_again(names, data):
    known = labels(*(name.strip() or f"arm {at}" for at, name in enumerate(names)))
    chosen = data.draw(st.sets(st.integers(0, len(names) - 1), min_size=2))
    assert parse_targets(targets_text(chosen, known), known, "set") == tuple(sorted(chosen))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x_3,x_99", "set: there is no target x_99. Write them as x_1,x_10, or by their indices from 0 to 9."),
        ("x_3", "Give at least two"),
        ("x_3-x_1", "no target x_3-x_1"),
        ('"x_3', "cannot be read"),
        ("x_1,,x_2", "no target without a name"),
    ],
)
def test_what_means_nothing_is_refused(text, said):
    with pytest.raises(InputError) as caught:
        parse_targets(text, PAPER, "set")
    assert said in str(caught.value)


def test_an_instance_has_the_labels_of_its_arms_and_targets():
    hard = make("paper-hard")
    assert hard.target_labels.find("x_9") == 8
    own = Instance.linear(np.eye(2), [1.0, 0.0])
    with pytest.raises(InputError, match="There is no arm 5: write a name such as arm 1, or an index from 0 to 1"):
        own.arm_labels.one("arm 5")
    assert hard.arm_labels.one("arm 8") == 8


def test_the_command_line_takes_labels(capsys):
    assert main(["design", "paper-hard", "--survivors", "x_9,x_10", "--json"]) == 0
    by_label = capsys.readouterr().out
    assert json.loads(by_label)["survivors"] == [8, 9]
    assert main(["design", "paper-hard", "--survivors", "x_9,x_11"]) == 2
    assert "there is no target x_11" in capsys.readouterr().err


def test_differences_of_runs_are_shown_by_label():
    hard = make("paper-hard")
    none = np.array([], dtype=np.int64)
    fields = [
        FieldDifference("survivors", np.array([8, 9]), np.array([8]), none, none.astype(float), True),
        FieldDifference("target", 8, 9, none, none.astype(float), True),
        FieldDifference("arms", np.array([0, 1]), np.array([0, 2]), np.array([1]), none.astype(float), True),
        FieldDifference("algorithm", "fixed-confidence", "rage", none, none.astype(float), True),
    ]
    rows, more = side_by_side(fields, 9, (hard, hard))
    assert more == 0
    assert [row[:3] for row in rows] == [
        ("survivors", "(x_9, x_10)", "(x_9)"),
        ("target", "x_9", "x_10"),
        ("arms[1]", "x_2", "x_3"),
        ("algorithm", "GEMS (fixed confidence)", "RAGE"),
    ]
