"""What a start loads: nothing heavy for the help, and of scipy only LAPACK for a run."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from gems_engine import clock
from gems_engine.design import DesignProblem, solve_design
from gems_engine.design.collinear import _by_program, _by_walk
from gems_engine.design.coordinates import _multiples
from gems_engine.processes import _THREADS

HEAVY = ("numpy", "scipy", "flint", "threadpoolctl")


def loaded_after(code: str, threads: str = "") -> set[str]:
    """Names of modules that a new process has loaded after some code, whose own output is not looked at."""
    script = f"import sys, io\nout, sys.stdout = sys.stdout, io.StringIO()\n{code}\nprint(*sys.modules, file=out)"
    environment = {**os.environ, **dict.fromkeys(_THREADS, threads)}
    if not threads:
        environment = {name: value for name, value in environment.items() if value}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "code", ["import gems_engine", "from gems_engine.cli import main\nmain(['--help'])\nmain(['--version'])"]
)
def test_the_package_and_its_help_load_nothing_heavy(code):
    assert loaded_after(code) & set(HEAVY) == set()


def test_a_run_on_the_papers_instance_loads_of_scipy_the_compiled_lapack_alone():
    loaded = loaded_after("from gems_engine.cli import main\nmain(['run', 'paper-hard'])")
    assert {"numpy", "scipy"} <= loaded
    packages = {"scipy.linalg", "scipy.optimize", "scipy.special", "scipy.sparse", "flint", "threadpoolctl"}
    assert loaded & packages == set()
    assert "scipy.linalg._flapack" in loaded
    assert "gems_engine.complexity.promises" not in loaded


def test_the_command_line_and_workers_have_one_thread_without_a_limit():
    asks = "import threadpoolctl\nfound = threadpoolctl.threadpool_info()\n"
    asks += "assert found and {each['num_threads'] for each in found} == {1}, found"
    loaded_after(f"from gems_engine.cli import main\nmain(['run', 'paper-hard'])\n{asks}")
    loaded_after(f"from gems_engine.processes import begin_worker\nbegin_worker()\nimport gems_engine.lapack\n{asks}")


def test_one_who_has_loaded_numpy_before_gets_a_limit():
    code = "import numpy, gems_engine.processes as p\np.one_thread_each()\nassert not p.one_thread_from_the_start()\n"
    loaded = loaded_after(f"{code}from gems_engine.blas import one_blas_thread\nwith one_blas_thread(): pass")
    assert "threadpoolctl" in loaded


def test_a_process_that_is_started_with_one_thread_needs_no_limit():
    code = "import numpy\nfrom gems_engine.blas import one_blas_thread\nwith one_blas_thread(): pass"
    assert "threadpoolctl" not in loaded_after(code, threads="1")
    assert "threadpoolctl" in loaded_after(code, threads="2")
    changed = "import os\nos.environ['OPENBLAS_NUM_THREADS'] = '4'\n"
    assert "threadpoolctl" in loaded_after(changed + code, threads="1")


def test_the_package_that_is_loaded_later_takes_the_same_lapack():
    for first, second in (("gems_engine.lapack", "scipy.linalg.lapack"), ("scipy.linalg.lapack", "gems_engine.lapack")):
        code = f"import {first}, {second}\nimport gems_engine.lapack as ours, scipy.linalg.lapack as theirs\n"
        code += "assert ours.dpotrf is theirs.dpotrf and ours.dtrtrs is theirs.dtrtrs\n"
        code += "import scipy.linalg\nassert scipy.linalg.cholesky([[4.0]])[0, 0] == 2.0"
        loaded_after(code)


# -- the clock of a design ----------------------------------------------------------------------------------------


def test_the_clock_stands_still_while_a_module_is_loaded(monkeypatch):
    ticks = iter([100.0, 107.0, 112.5])
    monkeypatch.setattr(clock, "_loading", 0.0)
    monkeypatch.setattr(clock.time, "perf_counter", lambda: next(ticks))
    monkeypatch.setattr(clock, "import_module", lambda name: name)
    assert clock.load("no.such.module") == "no.such.module"  # from 100 to 107
    assert clock.now() == 105.5
    assert clock.load("json") is json  # needs no look at the clock, which has no more ticks


SLOW = """
import json, time
from gems_engine import clock
from gems_engine.cli import main
loads, real, load = [], time.perf_counter, clock.import_module
time.perf_counter = lambda: real() + 1000.0 * len(loads)  # every load takes a thousand seconds
clock.import_module = lambda name: loads.append(name) or load(name)
"""


def test_the_seconds_of_a_design_and_of_events_are_without_the_loading_of_libraries():
    design = SLOW + "main(['design', 'sphere:D=5,n=9', '--survivors', '0,1', '--json'])\n"
    design += "assert 'gems_engine.lapack' in loads and 'scipy.optimize' not in loads, loads\n"
    design += "assert 0.0 < json.loads(sys.stdout.getvalue())['seconds'] < 500.0"
    loaded_after(design)
    run = SLOW + "from gems_engine import instances, run\n"
    run += "events = list(run(instances.make('sphere', D=5, n=9), 'fixed-confidence', max_samples=2000))\n"
    run += "assert 'gems_engine.lapack' in loads, loads\n"
    run += "assert 0.0 < sum(each.seconds for each in events if each.kind == 'design solved') < 500.0"
    loaded_after(run)
    steps = SLOW + "from gems_engine.design import DesignProblem, solve_design\nimport numpy as np\n"
    steps += "arms = np.random.default_rng(0).normal(size=(9, 5))\nassert not loads\n"
    steps += "seconds = solve_design(DesignProblem(arms, targets=arms)).seconds\n"
    steps += "assert 'gems_engine.lapack' in loads, loads\n"
    steps += "assert 0.0 < seconds[0] and seconds[-1] < 500.0, seconds"
    loaded_after(steps, threads="1")  # as in a worker


# -- what needs no program and no balls ---------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(40))
def test_a_walk_finds_what_the_linear_program_finds(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 9))
    count = d if seed % 4 == 0 else int(rng.integers(d, 60))
    rows = rng.standard_normal((count, d))
    y = rng.integers(-2, 3, count) @ rows if seed % 3 else rows[0] - rows[1]
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    unit, price = y / np.linalg.norm(y), np.exp(rng.uniform(0, 2, count))
    walked, program = _by_walk(rows, price, unit), _by_program(rows, price, unit)
    assert walked is not None
    assert np.abs(walked[0] - program[0]).max() < 1e-9
    assert (np.abs(rows @ walked[1]) <= price * (1 + 1e-9)).all()
    assert unit @ walked[1] == pytest.approx(price @ np.abs(walked[0]))


def test_a_walk_leaves_to_the_program_what_more_than_one_c_solves():
    rows = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    unit = np.array([1.0, 0.0])
    c, u = _by_walk(rows, np.array([1.0, 2.0, 1.0]), unit)
    assert c.tolist() == [1.0, 0.0, 0.0]
    assert u.tolist() == [1.0, 0.0]
    assert _by_walk(rows, np.array([2.0, 1.0, 2.0]), unit)[0].tolist() == [0.0, 1.0, 0.0], "the cheaper one"
    assert _by_walk(rows, np.ones(3), unit) is None, "two arms tie: the program chooses"
    oblique = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]])
    c, _ = _by_walk(oblique, np.array([1.0, 0.5, 0.1]), unit)
    assert c == pytest.approx([0.0, 1.25, -0.75]), "cheap arms near it do its part"
    corners = np.array([[1.0, 1.0], [1.0, -1.0], [1.0, 0.0]]) / np.array([[2**0.5], [2**0.5], [1.0]])
    assert _by_walk(corners, np.array([1.0, 1.0, 2**0.5]), unit) is None, "one arm or two others, at one price"


def test_two_targets_that_are_arms_need_no_linear_program(monkeypatch):
    def refuse(*given, **named):
        raise AssertionError

    monkeypatch.setattr("scipy.optimize.linprog", refuse)
    for count, d in ((10, 9), (100, 7), (60, 50), (100, 100)):
        arms = np.random.default_rng(d).standard_normal((count, d))
        assert solve_design(DesignProblem(arms, targets=arms[:2])).gap <= 1e-6


def test_targets_are_multiples_of_arms_only_if_exactly():
    arms = np.array([[3.0, 0.0, 1.5], [0.0, 0.1, 0.0]])
    found = _multiples(np.array([[3.0, 0.0, 1.5], [0.0, 0.3, 0.0], [1.5, 0.0, 0.75], [0.0, 0.0, 0.0]]), arms)
    assert found is None, "0.3 is no double times the double 0.1"
    found = _multiples(np.array([[3.0, 0.0, 1.5], [0.0, 0.2, 0.0], [1.5, 0.0, 0.75], [0.0, 0.0, 0.0]]), arms)
    assert found.tolist() == [[1.0, 0.0], [0.0, 2.0], [0.5, 0.0], [0.0, 0.0]]
    assert _multiples(np.array([[3.0, 0.0, np.nextafter(1.5, 2.0)]]), arms) is None
    assert _multiples(np.array([[3.0, 0.1, 1.5]]), arms) is None


def test_the_value_in_the_span_of_multiples_is_known():
    """One arm e and the targets e and e/4: the longest direction is 3e/4, and every pull is of e."""
    arms = np.array([[0.0, 2.0, 0.0]])
    design = solve_design(DesignProblem(arms, targets=np.array([[0.0, 2.0, 0.0], [0.0, 0.5, 0.0]])))
    assert design.value == pytest.approx(0.5625, rel=1e-15)
    assert design.lower_bound <= 0.5625 <= design.upper_bound
