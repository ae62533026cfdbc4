"""Own data on the command line and in specifications: what is said first, roles of columns, and scaled rewards."""

import json
import shlex

import pytest

from gems_engine.cli import main
from gems_engine.commands.data_remarks import data_json
from gems_engine.experiment import read_experiment, run_experiment
from gems_engine.experiment.folder import read_specification
from gems_engine.files import read_instance, read_run
from gems_engine.formats.item_options import item_options
from gems_engine.instance import Instance

ITEMS = """item,x1,x2,id,score
a,1,5,7,0
b,2,3,8,40
c,3,4,9,20
d,4,5,1,200
e,4,3,1,100
"""
ROLES = "--name-column item --reward-column score --ignore id"


@pytest.fixture
def gems(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("gems_engine.plugins.entry_points", lambda group: [])  # the engine without the window
    monkeypatch.chdir(tmp_path)
    (tmp_path / "items.csv").write_text(ITEMS)

    def run(line, code=0):
        assert main(shlex.split(line)) == code
        return capsys.readouterr()

    return run


def test_a_run_says_first_what_was_made_of_the_columns_and_what_does_not_fit(gems):
    out, err = gems(f"run items.csv {ROLES} --features standardised --max-samples 1000")
    assert err.splitlines() == [
        "items.csv: 2 features standardised, with an intercept; name: item, reward: score; ignored: id.",
        "The best linear fit in R³ misses the rewards by up to 50 (25\u202f% of their range). --algorithm misspecified "
        "allows for that and looks for an arm within 2ε of the best; gems complexity --epsilon ε says whether that is "
        "guaranteed.",
        "The gap of a is 200, but the paper assumes gaps of at most 2. --scale-rewards divides all rewards by one "
        "number; the noise is then in these units.",
    ]
    assert out.startswith("GEMS (fixed confidence) on items")


def test_what_is_proposed_is_no_longer_said_and_the_run_repeats(gems):
    line = f"run items.csv {ROLES} --columns x2,x1 --scale-rewards --algorithm misspecified --max-samples 20000"
    out, err = gems(f"{line} -o run.gems --json")
    assert err == (
        "items.csv: 2 features as they are, without an intercept; name: item, reward: score; ignored: id; "
        "rewards divided by 100.\n"
    )
    data = json.loads(out)["data"]
    assert data["max_gap"] == data["reward_range"] == 2
    assert data["linear"] is False
    assert 0 < data["largest_residual"] < 2
    assert data["remarks"] == []
    instance = read_run("run.gems").instance
    assert instance.feature_names == ("x2", "x1")
    assert instance.recipe.parameters == {
        "name_column": "item",
        "reward_column": "score",
        "ignore": "id",
        "columns": "x2,x1",
        "scale_rewards": True,
    }
    assert "events are the same." in gems("verify run.gems").out
    remarks = json.loads(gems(f"run items.csv {ROLES} --max-samples 100 --json").out)["data"]["remarks"]
    assert [each["proposal"] for each in remarks] == ["--algorithm misspecified", "--scale-rewards"]


def test_linear_rewards_within_the_assumptions_need_no_remark(gems):
    assert gems("run paper-hard --max-samples 1000").err == ""
    shown = gems("instance show gaussian --scale-rewards --json").out
    assert json.loads(shown)["max_gap"] <= 2
    assert "The gap of" in gems("run gaussian --max-samples 1000").err


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("run items.csv --reward-column scor", 'items.csv: Unknown column "scor": did you mean "score"?'),
        ("run items.csv --name-column itm", 'items.csv: Unknown column "itm": did you mean "item"?'),
        ("run items.csv --columns x1,y2", 'items.csv: Unknown column "y2": did you mean "x2"?'),
        ("run items.csv --ignore idd", 'items.csv: Unknown column "idd": did you mean "id"?'),
        ("run items.csv --features pca", 'Unknown treatment of features "pca"'),
        ("run items.csv --reward-column score", "If the column is not a feature, use it for names or leave it out."),
        ("run paper-hard --columns x1", "--columns applies to a CSV file of items"),
        ("run items.json --intercept", "items.json: the option intercept is for the columns of a CSV file."),
        (f"design items.csv {ROLES} --ignore '\"a'", "Cannot read the list of columns"),
    ],
)
def test_a_wrong_choice_gets_one_sentence(gems, line, sentence):
    if "json" in line:
        gems(f"instance save items.csv {ROLES} -o items.json")
    out, err = gems(line, code=2)
    assert sentence in err
    assert len(err.splitlines()) == 1
    assert out == ""


def test_all_commands_take_the_same_options(gems):
    options = f"items.csv {ROLES} --features principal-components --no-intercept --scale-rewards"
    shown = json.loads(gems(f"instance show {options} --json").out)
    assert shown["D"] == 2
    assert shown["max_gap"] == 2
    assert "2 features as 2 principal components, without an intercept" in shown["recipe"]
    gems(f"instance save {options} -o made.npz")
    assert read_instance("made.npz").digest == shown["digest"]
    weights = [json.loads(gems(f"design {each} --json").out)["weights"] for each in (options, "made.npz")]
    assert weights[0] == weights[1]
    gems(f"design {options} -o weights.csv")
    assert "Optimal within" in gems(f"certify {options.replace('items.csv', 'items.csv weights.csv')}").out
    assert "γ̃" in gems(f"complexity {options}").out


def test_large_numbers_are_written_out(gems, tmp_path):
    (tmp_path / "large.csv").write_text("x,reward\n1,1\n2,20000000\n3,3\n")
    err = gems("run large.csv --max-samples 1000").err.replace("\u202f", " ")
    assert err.startswith("large.csv: 1 feature as it is, without an intercept; no names, reward: reward.\n")
    assert "misses the rewards by up to 11 999 999 (60 % of their range)." in err
    assert " is 19 999 999, but the paper assumes" in err


def test_an_algorithm_of_another_package_is_told_that_rewards_are_not_linear():
    instance = Instance.from_rewards([[1.0], [2.0]], [0.0, 1.0])
    assert [each["about"] for each in data_json(instance, "mine")["remarks"]] == ["linear"]
    assert data_json(instance, "gems-m")["remarks"] == []


def test_instances_of_one_file_are_told_apart_by_their_options(gems, tmp_path):
    same = 'file = "items.csv"\nname_column = "item"\nreward_column = "score"\nscale_rewards = true\n'
    more = ('features = "standardised"\n', 'columns = ["x2"]\n', "")
    algorithm = '[[algorithm]]\nname = "misspecified"\nmax_samples = 1000\n'
    text = "trials = 1\n" + "".join(f"[[instance]]\n{same}{each}" for each in more) + algorithm
    (tmp_path / "mine.toml").write_text(text)
    gems("experiment mine.toml -o results --jobs 0")
    results = read_experiment("results")
    assert [cell.varied["instance"] for cell in read_specification(tmp_path / "results/specification.toml").cells] == [
        "items:features=standardised,intercept=true",
        "items:features=as-is,intercept=false,columns=x2",
        "items:features=as-is,intercept=false",
    ]
    assert results["instance_file"].tolist() == 3 * ["items.csv"]
    assert results["instance_features"].tolist() == ["standardised", "as-is", "as-is"]
    assert results["instance_columns"].tolist() == [None, "x2", None]
    assert results["instance_scale_rewards"].all()


def test_specifications_take_them_as_keys(gems, tmp_path):
    text = """
trials = 1
[[instance]]
file = "items.csv"
features = "standardised"
intercept = false
name_column = "item"
reward_column = "score"
columns = ["x2", "x1"]
scale_rewards = true
[[algorithm]]
name = "misspecified"
max_samples = 1000
"""
    (tmp_path / "mine.toml").write_text(text)
    made = read_specification(tmp_path / "mine.toml").cells[0].instance
    gems(
        "instance save items.csv --features standardised --no-intercept --name-column item --reward-column score "
        "--columns x2,x1 --scale-rewards -o same.npz"
    )
    assert made.digest == read_instance("same.npz").digest
    gems("experiment mine.toml --jobs 0 -o results")
    kept = read_specification(tmp_path / "results" / "specification.toml").cells[0].instance
    assert kept.digest == made.digest, "the instance as it was made, not made again"
    for wrong, sentence in {
        'features = "pca"': 'instance 1: Unknown treatment of features "pca"',
        "intercept = 1": "instance 1: intercept = 1 is not allowed: it must be true or false.",
        'columns = "x1"': 'instance 1: columns = "x1" is not allowed: it must be a list of columns.',
        'ignor = ["id"]': 'instance 1: Unknown key "ignor": did you mean "ignore"?',
        'ignore = ["idd"]': 'Unknown column "idd": did you mean "id"?',
    }.items():
        (tmp_path / "bad.toml").write_text(f'[instance]\nfile = "items.csv"\n{wrong}\n[[algorithm]]\nname = "rage"')
        assert sentence in gems("experiment bad.toml", code=2).err


def test_an_experiment_from_python_reads_a_file_with_options(gems):
    options = {"name_column": "item", "reward_column": "score", "ignore": ["id"], "scale_rewards": True}
    spec = {"instance": {"file": "items.csv", **options}, "algorithm": {"name": "misspecified", "max_samples": 1000}}
    found = run_experiment(spec, trials=1)
    assert found.specification.cells[0].instance.digest == read_instance("items.csv", item_options(options)).digest
