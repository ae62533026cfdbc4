"""How long a frame of a film takes at 1920 × 1080, painted and encoded, and how long one picture takes.

    python -m tests.bench.bench_film [--frames 150]
    python -m tests.bench.bench_film --release ../release    all views of 2,000 arms, against release 0.1.0: minutes

The time of the processor is given too, for a shared machine: that of the painting thread, which decides how many frames
there are in a second, and that of all threads with the encoder's.
"""

from __future__ import annotations

import argparse
import os
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
from tests.bench.release import command, in_turns

SIZE = (1920, 1080)
VIEWS = [
    "survivors",
    "dimension",
    "weights",
    "counts",
    "cost",
    "gaps",
    "grid",
    "recommendation",
    "geometry",
    "theory",
    "shares",
    "why",
    "story",
    "events",
    "problems",
    "dimensions",
    "budgets",
    "replicates",
    "tau",
    "design-table",
    "design-weights",
    "design-equivalence",
    "design-directions",
    "design-spectrum",
    "design-bounds",
    "design-rounding",
]
"""All views of one run that both releases have."""
MANY = "sphere:n=2000,D=30"


def against_the_release(release: Path) -> None:
    """`gems render` of all views, from start to end, with the run itself."""
    print(f"gems render {MANY}, all {len(VIEWS)} views, against release 0.1.0\n")
    print("| wall: 0.1.0 | ours | ratio | processor: 0.1.0 | ours | ratio |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        words = ("--view", ",".join(VIEWS), "-o", str(Path(folder) / "views.png"))
        few, many = (command("render", each, *words) for each in ("paper-hard", MANY))
        old, new, ratio = in_turns(release, many, 1, few)
    cells = [f"{old[clock]:.0f} s | {new[clock]:.0f} s | **{ratio[clock]:.1f}×**" for clock in ("wall", "processor")]
    print(f"| {' | '.join(cells)} |")


def runs() -> dict[str, Trace]:
    """Few arms and many rounds, many arms, very many arms."""
    hard = Run(make("paper-hard"), "fixed-confidence", 1, base=2, max_samples=10**12).finish()
    sphere = Run(make("sphere", n=200, D=50), "fixed-confidence", 1, max_samples=300_000).finish()
    large = Run(make("sphere", n=1000, D=20), "fixed-confidence", 1, max_samples=100_000).finish()
    return {"paper-hard, 10 arms": hard, "sphere, 200 arms, D = 50": sphere, "sphere, 1,000 arms, D = 20": large}


def filmed(trace: Trace, name: str, frames: int, folder: str) -> list[str]:
    """Events in a row, from the middle of the run on, where there is most to draw and every event changes something."""
    from gems_gui.painting.export import Export
    from gems_gui.painting.format import ExportJob
    from gems_gui.painting.frames import FrameRange, Look
    from gems_gui.snapshot import Snapshot

    first = max(0, min(len(trace) // 2, len(trace) - frames))
    shown = FrameRange(first, min(len(trace), first + frames - 1), "event", caption=None).frames(Snapshot.of(trace, 0))
    rows = [name, number(len(trace)), number(len(shown))]
    for suffix in (".mp4", ".gif"):
        made = Export(trace, ExportJob(Path(folder) / f"film{suffix}", shown, Look(SIZE, captions=True)))
        wall, all_threads, own = time.perf_counter(), time.process_time(), time.thread_time()
        while made.step():
            pass
        painted = (time.thread_time() - own) / len(shown)
        made.finish()
        wall, all_threads = (
            (time.perf_counter() - wall) / len(shown),
            (time.process_time() - all_threads) / len(shown),
        )
        rows += [f"{1e3 * painted:.0f} ms", f"{1e3 * all_threads:.0f} ms", f"{1 / wall:.0f}"]
    return rows


def pictured(trace: Trace, name: str, folder: str) -> list[str]:
    from gems_gui.painting.export import export
    from gems_gui.painting.format import ExportJob
    from gems_gui.painting.frames import Frame, Look

    row = [name]
    for suffix in (".png", ".svg", ".pdf"):
        wall, own = time.perf_counter(), time.process_time()
        export(trace, ExportJob(Path(folder) / f"picture{suffix}", [Frame(len(trace) // 2)], Look(SIZE)))
        row.append(f"{time.perf_counter() - wall:.2f} s ({time.process_time() - own:.2f} s)")
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--frames", type=int, default=150)
    parser.add_argument("--release", type=Path, help="a checkout of release 0.1.0: print only the table against it")
    arguments = parser.parse_args()
    if arguments.release:
        against_the_release(arguments.release.resolve())
        return
    frames = arguments.frames
    start_painting()
    traces = runs()
    with tempfile.TemporaryDirectory() as folder:
        header = [
            "run",
            "events",
            "frames",
            "MP4: painting",
            "all threads",
            "frames/s",
            "GIF: painting",
            "all",
            "frames/s",
        ]
        print(table(header, [filmed(trace, name, frames, folder) for name, trace in traces.items()], left=1))
        print()
        header = ["the board, wall (processor)", "PNG", "SVG", "PDF"]
        print(table(header, [pictured(trace, name, folder) for name, trace in traces.items()], left=1))


if __name__ == "__main__":
    main()
