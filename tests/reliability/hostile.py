"""Gives hostile files to the `gems` command: each is refused with one sentence, in bounded time and memory.

    python -m tests.reliability hostile

Each command runs in a process of its own. The time is its processor time, the memory its largest resident size.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from gems_engine.files import write_instance
from gems_engine.formats import journal
from gems_engine.gallery import make
from gems_engine.instance import Instance
from tests.reliability.program import ROOT, table

SECONDS, MEGABYTES = 20.0, 300.0
"""What a command may take; on a quiet machine it is far less."""
_EXPERIMENT = """
trials = 1
[instance]
family = "soare"
[stop]
samples = 1000
[[algorithm]]
name = "rage"
"""


def _repeated(part: str, count: int, before: str = "", after: str = "") -> Callable[[Path], None]:
    """Writes a text with a part that is repeated."""

    def write(file: Path) -> None:
        file.write_text(before + part * count + after)

    return write


def _many_arms(file: Path) -> None:
    draws = np.random.default_rng(1)
    arms = draws.normal(size=(14_500, 100))
    write_instance(file, Instance.from_rewards(arms, arms[:, 0]))


def _many_events(file: Path) -> None:
    """A run file whose chunks have correct checksums and declare 4,096 events in 300 bytes each."""
    body = zlib.compress(bytes(300_000))
    piece = journal._framed(b"EVNT", body, 300_000, 4096)
    file.write_bytes(journal.header(make("soare")) + 8007 * piece)


def _long_integer(folder: Path) -> None:
    """The results of an experiment, with 400 digits in a row."""
    specification = folder.with_suffix(".toml")
    specification.write_text(_EXPERIMENT)
    _gems(folder.parent, "experiment", specification.name, "-o", folder.name)
    rows = folder / "rows.jsonl"
    rows.write_text(re.sub(r'"samples":\d+', f'"samples":{"7" * 400}', rows.read_text()))


Case = tuple[str, str, Callable[[Path], None], str]
CASES: tuple[Case, ...] = (
    ("60,000 letters and no value", "experiment letters.toml", _repeated("a", 60_000), "refused"),
    ("a key of 60,000 letters", "experiment key.toml", _repeated("a", 60_000, after=" = 1\ntrials = 1\n"), "refused"),
    ("a key of 30,001 parts", "experiment parts.toml", _repeated("a.", 30_000, "[[", "a]]\n"), "refused"),
    ("14,500 arms in 100 dimensions", "instance show arms.json", _many_arms, "shown"),
    (
        "15 million numbers in one row",
        "instance show ones.json",
        _repeated("1,", 15_000_000, '{"format":"gems-instance","version":1,"arms":[[', "1]]}"),
        "refused",
    ),
    (
        "7 million names",
        "instance show names.json",
        _repeated('"a",', 7_000_000, '{"arm_names":[', '"a"]}'),
        "refused",
    ),
    ("7 million empty lists", "instance show empty.json", _repeated("[],", 7_000_000, '{"a":[', "[]]}"), "refused"),
    ("15 million opening brackets", "instance show lists.json", _repeated("[", 15_000_000), "refused"),
    ("a run of 32,796,672 declared events", "verify events.gems", _many_events, "refused"),
    ("an integer of 400 digits in a row", "report results", _long_integer, "refused"),
)


_MEASURED = """
import json, resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([code, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / 1e6]))
"""  # in a small process: a child begins with the largest size of its parent


def _gems(folder: Path, *words: str) -> tuple[int, float, float, str]:
    """The exit code of a command, its seconds of processor time, its megabytes, and what it says."""
    command = [sys.executable, "-c", _MEASURED, sys.executable, "-m", "gems_engine", *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    code, seconds, megabytes = json.loads(done.stdout)
    return code, seconds, megabytes, done.stderr.strip()


def tried(case: Case, folder: Path) -> tuple[str, float, float, list[str]]:
    """What a command says about a file, its time and memory, and what is wrong."""
    _, command, make_file, expected = case
    *_, name = command.split()
    make_file(folder / name)
    code, seconds, megabytes, said = _gems(folder, *command.split())
    wrong = []
    if code != (2 if expected == "refused" else 0) or len(said.splitlines()) != (expected == "refused"):
        wrong.append(f"exit code {code}: {said[-300:]}")
    if seconds > SECONDS or megabytes > MEGABYTES:
        wrong.append("it takes too much")
    return said or expected, seconds, megabytes, wrong


def main(words: list[str]) -> int:
    """Print the table; the exit code says whether something is wrong."""
    argparse.ArgumentParser("python -m tests.reliability hostile", description=__doc__).parse_args(words)
    rows = []
    for case in CASES:
        with TemporaryDirectory(prefix="gems-reliability-") as folder:
            said, seconds, megabytes, wrong = tried(case, Path(folder))
            file = Path(folder) / case[1].split()[-1]
            size = f"{file.stat().st_size / 1e6:.1f} MB" if file.is_file() else ""
        shown = said if len(said) < 140 else f"{said[:60]} … {said[-70:]}"
        what = "; ".join(wrong) or "nothing"
        rows.append((case[0], size, f"`gems {case[1]}`", shown, f"{seconds:.2f} s", f"{megabytes:.0f} MB", what))
    print(table(("file", "size", "command", "it says", "time", "memory", "wrong"), rows))
    return int(any(row[-1] != "nothing" for row in rows))
