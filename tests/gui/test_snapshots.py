"""One painted picture of each view, compared with the one that was looked at.

After a change that is meant to be seen, paint them again and look at what changed:

    python -m tests.gui.test_snapshots --renew
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

if __name__ == "__main__":  # before anything else knows of a screen
    os.environ["QT_QPA_PLATFORM"] = "offscreen"

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from gems_gui.painting.frames import shows_several
from gems_gui.painting.render import paint
from gems_gui.theme import LIGHT
from gems_gui.views import DESIGN_VIEWS, EVERY_VIEW
from tests.gui.sample_runs import race_seeds, replicates_of, run, snapshot_of

FOLDER = Path(__file__).parent.parent / "data" / "snapshots"
SIZE = (700, 320)
SIZES = {"design-table": (700, 200), "compare-table": (420, 200)}  # where the window gives another shape
# Fonts are drawn a little differently by each FreeType, and that at the edges of letters only.
MOST_MEAN = 2.0  # of 255
MOST_SHARE = 0.02  # of the pixels
DIFFERS = 48  # of 255: a pixel that no smoothing explains
RUN = "paper-hard"
DESIGN_RUN = "sphere"
COMPARED = "fixed-budget"  # on the same instance
RUNS = {"replicates": "sphere", "tau": "fixed-budget"}
"""Views of more seeds, and where seeds make a difference; at another snapshot there are none, since that shows most."""


def cursor(view=""):
    """Inside a later round of a subroutine, when all is known about it but who leaves.

    For the views of a design right after the one that took most iterations.
    """
    if view in RUNS:
        return len(run(RUNS[view]))
    if view in DESIGN_VIEWS:
        trace = run(DESIGN_RUN)
        return int(max(trace.positions("design solved"), key=lambda at: trace[int(at)].iterations)) + 1
    later = [at for at in run(RUN).positions("estimated").tolist() if run(RUN)[at].place.k > 1]
    return later[-2] + 1


def painted(view: str, at: int) -> QImage:
    snapshot = snapshot_of(RUNS.get(view, DESIGN_RUN if view in DESIGN_VIEWS else RUN), at)
    if shows_several((view,)):
        snapshot = snapshot.with_runs([snapshot, snapshot_of(COMPARED)])
    if view in RUNS and at == cursor(view):
        snapshot = replace(snapshot, replicates=replicates_of(RUNS[view]))
    if view == "seeds" and at == cursor(view):
        snapshot = replace(snapshot, seeds=race_seeds())
    return paint(snapshot, view, SIZES.get(view, SIZE), LIGHT)


def pixels(image: QImage) -> np.ndarray:
    plain = image.convertToFormat(QImage.Format.Format_RGB32)
    rows = np.frombuffer(plain.constBits(), np.uint8).reshape(plain.height(), plain.bytesPerLine())
    return rows[:, : 4 * plain.width()].reshape(plain.height(), plain.width(), 4)[:, :, :3].astype(int)


def difference(one: QImage, other: QImage) -> tuple[float, float]:
    """Mean absolute difference of the colours, and the share of the pixels that truly differ."""
    if one.size() != other.size():
        return 255.0, 1.0
    apart = np.abs(pixels(one) - pixels(other))
    return float(apart.mean()), float((apart.max(axis=2) > DIFFERS).mean())


def alike(one: QImage, other: QImage) -> bool:
    mean, share = difference(one, other)
    return mean <= MOST_MEAN and share <= MOST_SHARE


def snapshot(view):
    kept = FOLDER / f"{view}.png"
    assert kept.exists(), (
        f"there is no snapshot of {view}: `python -m tests.gui.test_snapshots --renew {view}` writes "
        f"tests/data/snapshots/{kept.name}; look at it before you add it"
    )
    return kept


@pytest.mark.parametrize("view", EVERY_VIEW)
def test_a_view_looks_as_it_did(qapp, view, tmp_path):
    kept = snapshot(view)
    now = painted(view, cursor(view))
    if not alike(now, QImage(str(kept))):
        now.save(str(tmp_path / kept.name))
        mean, share = difference(now, QImage(str(kept)))
        pytest.fail(f"{view} looks different (mean {mean:.2f}, {share:.1%} of the pixels): {tmp_path / kept.name}")


@pytest.mark.parametrize("view", EVERY_VIEW)
def test_another_moment_looks_different(qapp, view):
    # Of these only a few digits are others half the way.
    early = {"design-table": 3, "problems": 3, "geometry": 3, "compare-table": 3, "difference": 0}
    other, kept = painted(view, early.get(view, cursor(view) // 2)), QImage(str(snapshot(view)))
    assert other.size() == kept.size()
    assert not alike(other, kept)


def test_every_snapshot_is_of_a_view():
    left_over = {each.stem for each in FOLDER.glob("*.png")} - set(EVERY_VIEW)
    assert left_over == set(), "remove these files from tests/data/snapshots: there are no views of that name"


def renew(*views: str) -> None:
    """Paint these snapshots again, or all."""
    application = QApplication.instance() or QApplication([])
    assert application is not None
    FOLDER.mkdir(parents=True, exist_ok=True)
    for view in views or EVERY_VIEW:
        kept = FOLDER / f"{view}.png"
        painted(view, cursor(view)).save(str(kept))
        print(kept)


if __name__ == "__main__":
    if sys.argv[1:2] != ["--renew"]:
        sys.exit("usage: python -m tests.gui.test_snapshots --renew [VIEW ...]")
    renew(*sys.argv[2:])
