"""`gems certify`: what it prints of weights from files of every kind."""

import json

import numpy as np
import pytest

from gems_engine.cli import main
from gems_engine.design import DesignProblem, equivalence_of, solve_design
from gems_engine.gallery import make
from tests.engine.problems import listed_pairs, plain_value

SPHERE = "sphere:D=8,n=30,seed=1"


@pytest.fixture
def gems(capsys):
    def call(*words, code=0):
        assert main(list(map(str, words))) == code
        printed = capsys.readouterr()
        return printed.out if code == 0 else printed.err

    return call


def write(folder, weights, digits=None):
    """A file with one plain column."""
    path = folder / "w.csv"
    path.write_text("".join(f"{each:{digits}}\n" if digits else f"{each!r}\n" for each in np.asarray(weights).tolist()))
    return path


def test_json_has_every_arm_with_the_average_one_and_all_that_follows(gems, tmp_path):
    arms = make("sphere", D=8, n=30, seed=1).arms
    weights = np.arange(1.0, 31.0)
    said = json.loads(gems("certify", SPHERE, write(tmp_path, weights), "--json"))
    share = weights / weights.sum()
    assert [each["arm"] for each in said["arms"]] == list(range(30))
    assert [each["weight"] for each in said["arms"]] == pytest.approx(share)
    assert sum(each["weight"] * each["g"] for each in said["arms"]) == pytest.approx(1.0, abs=1e-9)
    assert not all(each["g"] > 1.0 for each in said["arms"])
    value = plain_value(arms, listed_pairs(arms), share)
    assert said["value"] == pytest.approx(value, rel=1e-9)
    assert said["lower_bound"] <= said["optimum"] <= said["upper_bound"]
    assert said["upper_bound"] == pytest.approx(value, rel=1e-6)
    assert (said["sum"], said["rescaled"]) == (465.0, True)
    assert sum(each["w"] for each in said["active"]) == pytest.approx(1.0)
    assert len(said["active"]) == said["active_count"]
    for each in said["active"]:
        i, j = each["pair"]
        assert each["norm"] == pytest.approx(plain_value(arms, [arms[i] - arms[j]], share), rel=1e-9)
        assert each["norm"] >= value * (1.0 - 1e-5)
    assert sum(each["share"] for each in said["improve"]) == pytest.approx(1.0)
    move = np.zeros(30)
    move[[each["arm"] for each in said["improve"]]] = [each["share"] for each in said["improve"]]
    nearby = plain_value(arms, listed_pairs(arms), share + 1e-7 * (move - share))
    assert said["slope"] == pytest.approx((nearby - value) / 1e-7, rel=1e-4)
    assert (said["lost"], said["lost_count"]) == ([], 0)


def test_optimal_weights_with_six_digits_stay_optimal_and_it_is_said_that_they_were_rescaled(gems, tmp_path):
    design = solve_design(
        DesignProblem(make("sphere", D=8, n=30, seed=1).arms, targets=make("sphere", D=8, n=30, seed=1).arms)
    )
    path = write(tmp_path, design.weights, ".6f")
    said = json.loads(gems("certify", SPHERE, path, "--json"))
    assert max(each["g"] for each in said["arms"]) <= 1.0 + 1e-3
    assert sum(each["weight"] * each["g"] for each in said["arms"]) == pytest.approx(1.0, abs=1e-9)
    total = np.round(design.weights, 6).sum()
    assert f"The weights sum to {total:.12g} and were divided by it." in gems("certify", SPHERE, path)
    exact = gems("certify", SPHERE, write(tmp_path, design.weights))
    assert "divided by it" not in exact
    assert "Optimal within 1e-06: proven." in exact


def test_text_lists_what_deserves_more_and_what_deserves_less(gems, tmp_path):
    instance = make("sphere", D=8, n=30, seed=1)
    problem = DesignProblem(instance.arms, targets=instance.arms)
    cut = solve_design(problem).weights.copy()
    arm = int(cut.argmax())
    cut[arm] *= 0.15
    text = gems("certify", SPHERE, write(tmp_path, cut))
    more, less = text.split("Arms that should have more weight (g above 1)\n")[1].split(
        "Arms that should have less weight (g below 1)\n"
    )
    seen = equivalence_of(problem, cut, 0.5)
    rows = [line.split("  ")[0].strip() for line in more.splitlines()[2:] if line and not line.startswith("…")]
    assert rows == [instance.arm_label(int(x)) for x in seen.more[:10]]
    assert rows[0] == instance.arm_label(arm)
    rows = [line.split("  ")[0].strip() for line in less.splitlines()[2:12]]
    assert rows == [instance.arm_label(int(x)) for x in seen.less[:10]]
    assert f"Move weight to: {instance.arm_label(arm)} 100 %." in less
    assert "The slope of the value in that direction is −" in less


def test_a_lost_direction_is_named_with_the_arm_that_restores_it(gems, tmp_path):
    weights = np.ones(10)
    weights[8] = 0.0
    path = write(tmp_path, weights)
    said = json.loads(gems("certify", "paper-hard", path, "--json"))
    assert said["value"] is None
    assert {each["g"] for each in said["arms"]} == {None}
    assert (said["slope"], said["active"]) == (None, [])
    assert said["improve"] == [{"arm": 8, "share": 1.0}]
    assert said["lost"] == [[i, 8] for i in range(8)] + [[8, 9]]
    text = gems("certify", "paper-hard", path)
    assert "these weights cannot estimate the difference of x_1 and x_9" in text
    assert "and of 4 more pairs" in text
    assert "To make the value finite, give this arm a positive weight: x_9." in text


def test_pairs_are_named_by_the_targets_of_the_instance(gems, tmp_path):
    path = write(tmp_path, np.ones(10))
    said = json.loads(gems("certify", "paper-hard", path, "--survivors", "2,5,7", "--json"))
    assert {tuple(each["pair"]) for each in said["active"]} == {(2, 5), (2, 7), (5, 7)}


def test_every_kind_of_file_says_the_same(gems, tmp_path):
    weights = np.arange(1.0, 11.0)
    np.save(tmp_path / "a.npy", weights)
    np.savez(tmp_path / "b.npz", anything=weights)
    (tmp_path / "c.csv").write_text(",".join(map(str, weights)) + "\n")
    (tmp_path / "d.json").write_text(json.dumps(weights.tolist()))
    texts = {gems("certify", "paper-hard", tmp_path / name, "--json") for name in ("a.npy", "b.npz", "c.csv", "d.json")}
    assert len(texts) == 1


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("w.npy", b"not numpy", "The array weights has a damaged header"),
        ("w.csv", b"1,2\n3,4\n", "There are several rows of numbers"),
        ("w.csv", b"1,2,3\n", "There are 3 weights: there must be 10"),
        ("w.txt", b"1\n", "must end in .json, .npz, .csv or .npy"),
    ],
)
def test_bad_weights_are_one_sentence(gems, tmp_path, name, data, sentence):
    (tmp_path / name).write_bytes(data)
    said = gems("certify", "paper-hard", tmp_path / name, code=2)
    assert sentence in said
    assert len(said.strip().splitlines()) == 1


def test_the_table_of_a_design_has_g(gems):
    text = gems("design", SPHERE)
    assert "g (1 at the optimum)" in text
    g = [float(line.split()[-1]) for line in text.splitlines() if line.startswith("arm ") and "weight" not in line]
    assert g
    assert max(g) <= 1.0 + 1e-3


def test_badly_scaled_arms_are_told_with_the_arithmetic(gems, tmp_path):
    path = tmp_path / "i.json"
    arms = [[1.1e13, 0.7e13, 1.3e13], [0.3, 1.2, -0.4], [1.1, 0.2, 0.9]]
    said = {"format": "gems-instance", "version": 1, "arms": arms, "theta": [1e-13, 0.0, 0.0]}
    path.write_text(json.dumps(said))
    said = gems("certify", path, write(tmp_path, [1.0, 1.0, 1.0]))
    assert "\n  Arm 0 is more than a million times longer than most" in said
    assert "\n  proof                   " in said
    data = json.loads(gems("certify", path, write(tmp_path, [1.0, 1.0, 1.0]), "--json"))
    assert data["warning"]
    assert data["proof"] in said


def test_weights_of_any_size_are_rescaled_and_it_is_said(gems, tmp_path):
    assert "The weights were rescaled to sum to 1." in gems("certify", SPHERE, write(tmp_path, np.full(30, 1e308)))
    assert "and were divided by it" in gems("certify", SPHERE, write(tmp_path, np.full(30, 1e-310)))


def test_the_proof_named_is_that_of_the_bounds_shown(gems, tmp_path):
    """On a line the optimum is proven in fractions; the value of other weights is not, and an infinite one has none."""
    path = tmp_path / "i.json"
    path.write_text(json.dumps({"format": "gems-instance", "version": 1, "arms": [[1.0], [2.0]], "theta": [1.0]}))
    how = "of the value: double precision with error bounds; of the lower bound: exact fractions"
    assert f"\n  proof                   {how}\n" in gems("certify", path, write(tmp_path, [1.0, 1.0]))
    assert json.loads(gems("certify", path, write(tmp_path, [1.0, 1.0]), "--json"))["proof"] == how
    path.write_text(
        json.dumps({"format": "gems-instance", "version": 1, "arms": [[1e30, 1.0], [1e-290, 0.0]], "theta": [1.0, 0.0]})
    )
    assert "\n  rank of A(λ)            2 of 2, condition above 1e308\n" in gems(
        "certify", path, write(tmp_path, [1.0, 2.0])
    )
    said = gems("certify", path, write(tmp_path, [1.0, 0.0]))
    assert "\n  proof                   of the lower bound: " in said
    assert "\n  Infinite: " in said
