"""What checks a change says the same everywhere: .ci/run, the hooks before a commit, the workflow, the classifiers."""

import re
import shlex
import tomllib
from pathlib import Path

import yaml  # installed with distributed

ROOT = Path(__file__).parents[1]
RUN = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
CHECKS = RUN.partition('step "ruff, mypy, import-linter"\n')[2].partition("\n\n")[0].splitlines()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CLASSIFIED = re.findall(
    r"^Programming Language :: Python :: (3\.\d+)$", "\n".join(PROJECT["classifiers"]), re.MULTILINE
)


def read(name):
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def steps(job):
    return [step.get("run") or step["uses"] for step in job["steps"]]


def test_the_hooks_are_the_checks_of_ci_and_need_no_network():
    (local,) = read(".pre-commit-config.yaml")["repos"]
    assert local["repo"] == "local"
    assert len(CHECKS) == 4
    assert [hook["entry"] for hook in local["hooks"]] == CHECKS
    for hook in local["hooks"]:
        assert hook["language"] == "system"
        assert hook["pass_filenames"] is False, "each check reads its own settings and looks at the whole tree"
        assert {"id", "name"} <= set(hook)
        assert re.compile(hook.get("files", ""))


def test_what_the_hooks_start_comes_with_the_test_extra():
    packages = {re.match(r"[\w-]+", each)[0] for each in PROJECT["optional-dependencies"]["test"]}
    programs = {shlex.split(check)[0] for check in CHECKS}
    assert {"lint-imports": "import-linter"}.keys() <= programs
    assert {program if program != "lint-imports" else "import-linter" for program in programs} <= packages


def test_the_workflow_runs_all_on_linux_and_the_test_command_elsewhere():
    workflow = read(".github/workflows/ci.yml")
    assert workflow["permissions"] == {"contents": "read"}
    assert all("permissions" not in job for job in workflow["jobs"].values())
    linux, tests = workflow["jobs"]["linux"], workflow["jobs"]["tests"]
    assert linux["runs-on"].startswith("ubuntu")
    assert steps(linux)[-1] == ".ci/run"
    assert [name.partition("-")[0] for name in tests["strategy"]["matrix"]["os"]] == ["windows", "macos"]
    assert steps(tests)[-2:] == ['pip install -e ".[test]"', "pytest"]
    assert 'step "pip install -e \\".[test]\\" && pytest"' in RUN, "the command is the one that .ci/run tries"
    used = [step["uses"] for job in workflow["jobs"].values() for step in job["steps"] if "uses" in step]
    assert used
    assert all(re.fullmatch(r"actions/[\w-]+@v\d+", each) for each in used)


def test_every_python_with_a_classifier_is_run_and_no_other_has_one():
    jobs = read(".github/workflows/ci.yml")["jobs"]
    (on_linux,) = (step["with"]["python-version"] for step in jobs["linux"]["steps"] if "python-version" in str(step))
    assert sorted(on_linux.split()) == CLASSIFIED
    assert on_linux.split()[-1] == CLASSIFIED[0], "the suite runs on the oldest, which is where most goes wrong"
    assert jobs["tests"]["strategy"]["matrix"]["python"] == CLASSIFIED
    looked_for = re.search(r"for minor in ([\d ]+); do", RUN)[1].split()
    assert set(CLASSIFIED) <= {f"3.{minor}" for minor in looked_for}
    assert f'requires-python = ">={CLASSIFIED[0]}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
