"""The size of a page to share, how long it takes to write, and what the same pictures take as separate files.

    python -m tests.bench.bench_html

The hard instance (ε = 10⁻³, a million samples, seed 1) with four plots of 800 × 500 pixels: every round, at most 3 MB,
and every event, at most 10 MB. Separate SVGs, compressed, and PNGs are counted for every seventh picture and scaled up.
"""

from __future__ import annotations

import gzip
import os
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

from gems_engine.gallery import make
from gems_engine.running import Run
from gems_engine.terminal import number, table
from gems_engine.trace import Trace
from gems_gui.painting.offscreen import start_painting

SIZE = (800, 500)
VIEWS = ("survivors", "dimension", "cost", "counts")
LIMITS = {"round": 3_000_000, "event": 10_000_000}
_SAMPLED = 7


def hard_run() -> Trace:
    """The run that is measured: 827 events."""
    return Run(make("paper-hard", epsilon=1e-3), "fixed-confidence", 1, max_samples=10**6).finish()


def megabytes(count: float) -> str:
    return f"{count / 1e6:.2f} MB"


def written(trace: Trace, every: str, folder: Path) -> tuple[list[str], int]:
    """A row of the table, and the size of the page."""
    from gems_gui.painting.export import Export
    from gems_gui.painting.format import ExportJob
    from gems_gui.painting.frames import FrameRange, Look
    from gems_gui.snapshot import Snapshot

    frames = FrameRange(0, len(trace), every, VIEWS).frames(Snapshot.of(trace, 0))
    file = folder / f"{every}.html"
    wall, own = time.perf_counter(), time.process_time()
    made = Export(trace, ExportJob(file, frames, Look(SIZE)))
    while made.step():
        pass
    made.finish()
    wall, own = time.perf_counter() - wall, time.process_time() - own
    size = file.stat().st_size
    row = [
        every,
        number(len(frames)),
        megabytes(size),
        f"{wall:.0f} s",
        f"{1e3 * own / len(frames) / len(VIEWS):.0f} ms",
    ]
    return [*row, *(megabytes(each) for each in separate(trace, frames, folder))], size


def separate(trace: Trace, frames: list, folder: Path) -> tuple[float, float]:
    """The bytes of the same pictures as compressed SVGs and as PNGs."""
    from gems_gui.painting.export import export
    from gems_gui.painting.format import ExportJob
    from gems_gui.painting.frames import Frame, Look

    pictures = [Frame(frame.cursor, (view,)) for frame in frames for view in VIEWS]
    some = pictures[::_SAMPLED]
    sizes = {".svg": 0, ".png": 0}
    for frame in some:
        for suffix in sizes:
            file = folder / f"one{suffix}"
            export(trace, ExportJob(file, [frame], Look(SIZE)))
            data = file.read_bytes()
            sizes[suffix] += len(gzip.compress(data, 9) if suffix == ".svg" else data)
    factor = len(pictures) / len(some)
    return sizes[".svg"] * factor, sizes[".png"] * factor


def main() -> None:
    """Print the table; the exit code says whether a page is too large."""
    start_painting()
    trace = hard_run()
    rows, sizes = [], {}
    with tempfile.TemporaryDirectory() as folder:
        for every in LIMITS:
            row, sizes[every] = written(trace, every, Path(folder))
            rows.append(row)
    header = ["every", "steps", "page", "time", "processor per picture", "separate SVG, gzip", "separate PNG"]
    print(table(header, rows, left=1))
    sys.exit(any(sizes[every] > most for every, most in LIMITS.items()))


if __name__ == "__main__":
    main()
