"""Settings that hold for the whole suite."""

import gc
import os
import sys

# Without compiled files, each worker compiles the whole suite again, and each process that a test starts our packages.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Before numpy is imported: one BLAS thread, as the program itself uses.
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["GEMS_DEBUG"] = "1"  # an unexpected error of a command fails its test

from gems_gui.start_checks import painting_obstacle  # noqa: E402

# Before pytest-qt imports Qt: one sentence instead of a traceback for every test.
if _obstacle := painting_obstacle():
    print(f"ERROR: {_obstacle}", file=sys.stderr)
    raise SystemExit(4)  # a usage error of pytest

from hypothesis import HealthCheck, settings  # noqa: E402

settings.register_profile(
    "suite",
    max_examples=50,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("suite")


def pytest_collection_finish():
    """Leave the modules and items of the suite out of every collection of garbage, and collect less often.

    They stay until the end, and to look through them again and again takes longer than many a test.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
