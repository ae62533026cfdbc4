"""The command `gems`, as a person types it."""

import json
import re
import shlex
import subprocess
import sys

import numpy as np
import pytest

from gems_engine.cli import EXAMPLES, Parser, main
from gems_engine.commands import BUILT_IN, commands, instance
from gems_engine.files import read_instance
from gems_engine.gallery import FAMILIES, make


@pytest.fixture
def gems(capsys, monkeypatch):
    monkeypatch.setattr("gems_engine.plugins.entry_points", lambda group: [])  # the engine without the window

    def run(line, code=0):
        assert main(shlex.split(line)) == code
        out, err = capsys.readouterr()
        if code == 0:
            assert err == ""
        else:
            assert out == ""
            assert err.startswith("gems: ")
            assert len(err.strip().splitlines()) == 1
            assert "Traceback" not in err
        return out if code == 0 else err

    return run


def test_help_without_arguments_lists_every_command(gems):
    text = gems("")
    assert text.startswith("usage: gems")
    for name, command in commands().items():
        assert name in text
        assert " ".join(command.summary.split()[:3]) in " ".join(text.split())


def test_without_arguments_the_window_opens_where_there_is_one(gems, monkeypatch):
    from gems_engine.commands.command import Command

    class Entry:
        name = "window"
        value = "elsewhere:ENTRY"
        dist = None

        @staticmethod
        def load():
            return Command("open it", "gems window", lambda parser: None, lambda arguments: print("opened") or 0)

    monkeypatch.setattr("gems_engine.plugins.entry_points", lambda group: [Entry()])
    assert gems("") == "opened\n"
    assert gems("--help").startswith("usage: gems")


def pasted(line):
    """The commands of a line as a shell runs them, without the name of the program."""
    for command in line.split(" && "):
        program, _, rest = command.partition(" ")
        assert program == "gems"
        yield rest


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_example_works_when_pasted_into_an_empty_folder(gems, name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert gems(f"{name} --help").endswith(f"\n\nExample: {commands()[name].example}\n")
    *before, last = pasted(commands()[name].example)
    for command in before:
        gems(command)
    if name == "diff":
        assert main(shlex.split(last)) == 1  # they differ
        assert "differ" in capsys.readouterr().out
    else:
        assert gems(last.replace("bench --seconds 0.2", "bench --seconds 0.01"))  # the same, five seconds faster


def test_so_do_those_of_the_program_itself_and_of_the_actions_on_instances(gems, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for line, what in EXAMPLES:
        assert f"  {line}" in gems("--help")
        assert what in gems("--help")
        assert all(map(gems, pasted(line)))
    assert max(map(len, gems("--help").splitlines())) <= 100
    for action, line in instance.EXAMPLES.items():
        assert gems(f"instance {action} --help").endswith(f"\n\nExample: {line}\n")
        assert all(map(gems, pasted(line)))


def test_every_argument_is_explained_and_the_help_starts_with_a_sentence(gems):
    for command in commands().values():
        parser = Parser()
        command.configure(parser)
        assert all(action.help for action in parser._actions if action.metavar != "list | show | save")
    assert "\nCompute ρ⋆, ι⋆" in gems("complexity --help")


def test_help_does_not_load_numpy():
    code = "import sys, gems_engine.cli as c; c.main(['--help']); sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


@pytest.mark.parametrize("module", ["gems_engine", "gems_gui"])
def test_python_dash_m(module):
    answer = subprocess.run([sys.executable, "-m", module, "--help"], capture_output=True, text=True, encoding="utf-8")
    assert answer.returncode == 0
    assert "usage: gems" in answer.stdout


def test_demo_prints_the_certified_table(gems):
    text = gems("demo")
    low9, high9, low10, high10 = (float(each) for each in re.findall(r"\[([\d.]+), ([\d.]+)\]", text) for each in each)
    assert low9 <= (1 + np.sqrt(8)) ** 2 <= high9 <= low9 + 2e-6
    assert low10 <= (2 / 1e-4 + 2 * 1e-4) ** 2 <= high10 <= low10 + 2
    assert re.search(r"GEMS +10 of 10 +41\W986", text)
    assert re.search(r"RAGE in R¹⁰ +6 of 10", text)  # as the README says
    rows = [line.split() for line in text.splitlines() if re.match(r"\d+ ", line)]
    assert [int(row[0]) for row in rows] == list(range(1, 11))


def test_a_reader_that_leaves_early_is_no_error():
    one, two = shlex.quote(sys.executable), "-m gems_engine instance list"
    answer = subprocess.run(
        f"{one} {two} | head -n 1; exit ${{PIPESTATUS[0]}}", shell=True, capture_output=True, executable="/bin/bash"
    )
    assert answer.returncode == 0
    assert answer.stderr == b""


def test_instance_list_names_families_and_parameters(gems):
    text = gems("instance list")
    listed = json.loads(gems("instance list --json"))
    assert [family["name"] for family in listed] == list(FAMILIES)
    for family in FAMILIES.values():
        assert f"\n{family.name}\n" in f"\n{text}"
        for parameter in family.parameters:
            assert parameter.name in text


def test_instance_show(gems):
    shown = json.loads(gems("instance show paper-hard:d_star=5,epsilon=0.25 --json"))
    assert (shown["D"], shown["d_star"], shown["arms"], shown["best"]) == (6, 5, 6, 4)
    assert shown["min_gap"] == pytest.approx(0.25)
    assert {each["name"] for each in shown["assumptions"] if not each["holds"]} == {"differences-span"}
    text = gems("instance show paper-hard:d_star=5,epsilon=0.25")
    assert "✗ The differences to the best target span only 5 of the 6 dimensions" in text


@pytest.mark.parametrize("suffix", ["json", "npz", "csv"])
def test_instance_save_and_use_again(gems, tmp_path, suffix):
    file = tmp_path / f"sphere.{suffix}"
    gems(f"instance save sphere:D=6,d_star=3,n=12,min_gap=0.01,seed=4 -o {file}")
    made = make("sphere", D=6, d_star=3, n=12, min_gap=0.01, seed=4)
    assert np.array_equal(read_instance(file).arms, made.arms)
    first, second = (
        json.loads(gems(f"design {shlex.quote(str(each))} --dim 4 --json"))
        for each in (file, "sphere:D=6,d_star=3,n=12,min_gap=0.01,seed=4")
    )
    assert first["weights"] == second["weights"]


def test_items_become_principal_components(gems, tmp_path):
    rng = np.random.default_rng(0)
    items = rng.standard_normal((30, 4)) * [1.0, 10.0, 0.1, 3.0]
    file = tmp_path / "items.csv"
    lines = ["a,b,c,d,reward", *(",".join(f"{v!r}" for v in (*row, row[1] / 30)) for row in items.tolist())]
    file.write_text("\n".join(lines))
    out = tmp_path / "items.npz"
    gems(f"instance save {file} --features principal-components -o {out}")
    instance = read_instance(out)
    spread = instance.arms.std(axis=0)
    assert spread[0] == pytest.approx(0.0, abs=1e-12)  # the column of ones
    assert (np.diff(spread[1:]) <= 1e-12).all()
    assert "applies to a CSV" in gems("instance show paper-hard --features standardised", code=2)


def test_design_json(gems):
    design = json.loads(gems("design paper-hard --dim 9 --json"))
    assert design["value"] == pytest.approx(18.0, rel=1e-6)
    assert design["lower_bound"] <= 18.0 * (1 + 1e-12)
    assert design["gap"] <= 1e-6
    assert design["status"] == "certified"
    assert sum(design["weights"]) == pytest.approx(1.0)
    assert design["seconds"] > 0
    assert isinstance(design["iterations"], int)
    pair = json.loads(gems("design paper-hard --survivors 8,9 --json"))
    assert pair["value"] == pytest.approx(4.0)
    assert pair["dual"] == [{"pair": [8, 9], "weight": 1.0}]
    published = json.loads(gems("design paper-hard --solver frank-wolfe --json"))
    assert published["value"] == pytest.approx(35.7, abs=0.06)
    assert published["status"] == "as published"
    nothing = json.loads(gems("design paper-hard --dim 8 --survivors 8-9 --json"))
    assert (nothing["value"], nothing["status"]) == (0.0, "trivial")


def test_design_text_says_what_it_proves(gems):
    text = gems("design paper-hard --dim 9 --tolerance 1e-9")
    assert "certified" in text
    assert "18" in text
    assert "Not certified" in gems("design paper-hard --solver frank-wolfe")
    assert "no direction to estimate" in gems("design paper-hard --dim 8 --survivors 8,9")


@pytest.mark.parametrize("suffix", ["csv", "npz", "json"])
def test_certify_what_design_wrote(gems, tmp_path, suffix):
    file = tmp_path / f"w.{suffix}"
    gems(f"design sphere:D=8,n=30,seed=1 --dim 6 -o {file}")
    proof = json.loads(gems(f"certify sphere:D=8,n=30,seed=1 {file} --dim 6 --json"))
    assert proof["gap"] <= 1e-6
    assert max(each["g"] for each in proof["arms"]) <= 1 + 1e-3
    # In all 8 dimensions the same weights are not optimal, and the proof says by how much.
    other = json.loads(gems(f"certify sphere:D=8,n=30,seed=1 {file} --json"))
    assert other["gap"] > 1e-3 or other["value"] is None
    assert "above the optimum" in gems(f"certify sphere:D=8,n=30,seed=1 {file}") or other["value"] is None


def test_certify_json_of_design_json(gems, tmp_path):
    file = tmp_path / "design.json"
    file.write_text(gems("design paper-hard --json"))
    assert json.loads(gems(f"certify paper-hard {file} --json"))["gap"] <= 1e-6


def test_certify_weights_that_miss_a_direction(gems, tmp_path):
    file = tmp_path / "w.csv"
    file.write_text("weight\n" + "\n".join(["1"] + ["0"] * 9) + "\n")
    assert json.loads(gems(f"certify paper-hard {file} --json"))["value"] is None
    assert "Infinite" in gems(f"certify paper-hard {file}")


def test_complexity_json(gems):
    numbers = json.loads(gems("complexity paper-hard:epsilon=0.1 --json"))
    rows = numbers["dimensions"]
    assert [row["d"] for row in rows] == list(range(1, 11))
    assert set(rows[0]) >= {"d", "rho_star", "iota_star", "iota", "gamma_tilde", "rounding_samples"}
    assert rows[9]["rho_star"] == pytest.approx(408.040149, rel=1e-6)
    assert rows[8]["rho_star"] == pytest.approx((1 + np.sqrt(8)) ** 2, rel=1e-6)
    assert (rows[9]["iota"], rows[9]["iota_star"]) == (pytest.approx(20.0), pytest.approx(16.0, rel=1e-6))
    assert rows[8]["gamma_tilde"] == 0.0
    assert rows[8]["rounding_samples"] == 92.0
    assert numbers["guarantees"]["best_arm"]["ell_star"] >= 10


def test_complexity_text(gems):
    text = gems("complexity paper-hard --epsilon 0.05 --budget 200000 --delta 0.01 --base 4 --zeta 0.5")
    assert "9 d⋆" in text
    assert "14.65685" in text


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("dance", 'Unknown command "dance"'),
        ("runn", 'Unknown command "runn": did you mean "run"? See gems --help.'),
        ("run paper-hard --algorithm=", 'Unknown algorithm ""'),
        ("design paper-hard --survivors=", "--survivors is empty. Give at least two arms."),
        ("run Paper:hard", 'did you mean "paper-hard"?'),
        ("design", "INSTANCE is missing"),
        ("run paper-hard --sed 3", 'Unknown option "--sed": did you mean "--seed"? See gems run --help.'),
        ("run paper-hard hard", 'Unexpected argument "hard". See gems run --help.'),
        ("run paper-hard --seed", "--seed needs a value. See gems run --help."),
        ("run paper-hard --json=yes", "--json takes no value."),
        ("run paper-hard --sol certified --s 3", "--s could mean --seed, "),
        ("design paper-hard --solver cert", '--solver "cert" is not allowed: did you mean "certified"?'),
        ("design nowhere.json", "nowhere.json"),
        ("design paper-hrd", "paper-hard"),
        ("design paper-hard:epsilon=7", "epsilon"),
        ("design paper-hard:color=red", "color"),
        ("design paper-hard --dim 11", "whole number from 1 to 10"),
        ("design paper-hard --dim x", "whole number from 1 to 10"),
        ("design paper-hard --survivors 3", "at least two"),
        ("design paper-hard --survivors 3,99", "no target 99"),
        ("design paper-hard --survivors a,b", "there is no target a"),
        ("design paper-hard --tolerance 0", "above 0"),
        ("design paper-hard --solver magic", '--solver "magic" is not allowed: choose one of certified, frank-wolfe.'),
        ("certify paper-hard missing.csv", "missing.csv"),
        ("complexity paper-hard --zeta 2", "--zeta"),
        ("complexity paper-hard --delta 0", "--delta"),
        ("complexity paper-hard --budget many", "--budget"),
        ("complexity multivariate:m=4,d_star=2", "tie"),
        ("complexity paper-hard --epsilon 1e-200", "--epsilon"),
        ("complexity paper-hard --zeta 1e-300", "--zeta"),
        ("complexity paper-hard --base 1", "--base"),
        ("instance show verifiability:D=10000", "D = 10000"),
        ("instance show verifiability --noise loud", "loud"),
        ("instance save paper-hard -o x.txt", ".json"),
        ("instance save paper-hard -o no/such/folder/x.json", "folder"),
    ],
)
def test_bad_input_is_one_sentence_on_stderr_and_code_2(gems, line, words):
    assert words in gems(line, code=2)


def test_a_full_disk_and_a_closed_output():
    run = f"{shlex.quote(sys.executable)} -m gems_engine instance list"
    full = subprocess.run(f"{run} > /dev/full", shell=True, capture_output=True, executable="/bin/bash")
    assert full.returncode == 2
    assert full.stderr.startswith(b"gems: Cannot write the output")
    closed = subprocess.run(f"{run} >&-", shell=True, capture_output=True, executable="/bin/bash")
    assert b"Traceback" not in closed.stderr


def test_a_tied_best_target_has_complexities_for_an_epsilon_goal(gems):
    numbers = json.loads(gems("complexity multivariate:m=4,d_star=3 --epsilon 0.1 --json"))
    assert numbers["dimensions"][-1]["rho_star"] is None
    assert numbers["dimensions"][-1]["rho_star_epsilon"] > 0
    assert "ρ⋆_d(ε)" in gems("complexity multivariate:m=4,d_star=3 --epsilon 0.1")


def test_saving_to_csv_says_what_it_leaves_out(gems, tmp_path):
    assert "noise (deterministic)" in gems(f"instance save verifiability -o {tmp_path / 'v.csv'}")


def test_commands_of_other_packages_come_by_entry_point(monkeypatch, gems):
    from gems_engine import plugins
    from gems_engine.commands.command import Command

    def run(arguments):
        print(f"hello {arguments.name}")
        return 0

    class Entry:
        name = "hello"
        value = "elsewhere:ENTRY"
        dist = None

        @staticmethod
        def load():
            return Command("greet", "gems hello you", lambda parser: parser.add_argument("name"), run)

    monkeypatch.setattr(plugins, "entry_points", lambda group: [Entry()] if group == "gems.commands" else [])
    assert gems("hello you") == "hello you\n"


def test_interrupt(monkeypatch, capsys):
    import gems_engine.commands.verify as verify

    def run(arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(verify, "COMMAND", verify.Command("x", "gems verify", lambda p: None, run))
    assert main(["verify"]) == 130
    assert capsys.readouterr().err == "gems: interrupted.\n"
