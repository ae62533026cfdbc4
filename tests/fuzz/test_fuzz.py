"""The fuzz: a few thousand inputs in the suite, a hundred thousand behind the marker."""

import contextlib
import io
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from gems_engine.errors import InputError
from gems_engine.terminal import THIN
from tests.fuzz.mutations import mutated
from tests.fuzz.readers import READERS

ROOM = 500 * 2**20
"""Bytes that reading may take, over what the process had before."""
SECONDS = 1.0
BY_NAME = {reader.__name__: reader for reader in READERS}


def fuzz(reader, count, seed):
    """A number of inputs; an AssertionError with that which gives neither a value nor a sentence, or takes long."""
    random, real = Random(seed), READERS[reader]()
    assert real
    for data in real:
        reader(data)  # as they are, all of them can be read
    slowest = 0.0
    for number in range(count):
        data = mutated(random.choice(real), random) if number % 20 else random.randbytes(random.randint(0, 300))
        since = time.process_time()  # others use the machine too
        try:
            with contextlib.redirect_stderr(io.StringIO()):
                reader(data)
        except InputError as error:
            said = str(error)
            assert said.replace(THIN, "").isprintable(), data[:2000]
            assert said.endswith((".", "?")), (said, data[:2000])
        except BaseException as error:
            raise AssertionError(f"{type(error).__name__}: {error} from {data[:3000]!r}") from error
        slowest = max(slowest, time.process_time() - since)
        assert slowest < SECONDS, (slowest, data[:3000])
    return slowest


@pytest.mark.parametrize("name", BY_NAME)
def test_a_few_hundred_inputs_of_each_kind(name):
    fuzz(BY_NAME[name], 300, seed=1)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", BY_NAME)
def test_thousands_of_inputs_of_each_kind_in_a_process_with_little_memory(name, capsys):
    """Together more than 100,000."""
    code = f"from tests.fuzz.test_fuzz import in_little_memory; in_little_memory({name!r}, 8_500)"
    answer = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        encoding="utf-8",
    )
    assert answer.returncode == 0, answer.stderr[-5000:]
    with capsys.disabled():
        print(f"\n{answer.stdout.strip()}")


def in_little_memory(name, count):
    """Fuzz a reader where no more than the room allowed can be had, and say what it took."""
    reader = BY_NAME[name]
    for data in READERS[reader]():
        reader(data)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + ROOM
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    slowest = fuzz(reader, count, seed=2)
    more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(f"{name}: {count} inputs, the slowest {slowest * 1e3:.0f} ms, {more:.0f} MB more at the most")
