"""A picture that is painted to see whether this machine can, in a process of its own."""

from __future__ import annotations

import json
import time

from PySide6.QtGui import QFontMetrics

from gems_engine.gallery import make
from gems_engine.running import run
from gems_gui.painting.offscreen import start_painting
from gems_gui.painting.render import paint, png
from gems_gui.painting.rows import BOARD
from gems_gui.snapshot import Snapshot
from gems_gui.theme import LIGHT, family

LETTERS = "ρ⋆ι⋆γθλωεδζβψℓΔŜ𝒴τ₀₁₉⁻⁵≤≥→←⟨⟩‖·×∞±≈…«»✓✗"
"""Of the paper and of our texts: what a font has to have."""
SIZE = (1600, 1000)
"""Of the picture that is painted as a test."""


def painted_here() -> None:
    """Paint the board of a small run in this process, and print as JSON what it took and whether letters lack."""
    start_painting()
    trace = run(make("paper-hard", epsilon=0.3), "fixed-confidence", seed=1, max_samples=3000).finish()
    snapshot = Snapshot.of(trace)
    paint(snapshot, BOARD, SIZE, LIGHT)  # the first one loads what the others use too
    since = time.perf_counter()
    image = paint(snapshot, BOARD, SIZE, LIGHT)
    data = png(image)
    took = time.perf_counter() - since
    metrics = QFontMetrics(LIGHT.font())
    said = {
        "milliseconds": took * 1e3,
        "bytes": len(data),
        "font": family(),
        "lacking": "".join(each for each in LETTERS if not metrics.inFontUcs4(ord(each))),
        "colours": len({image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)}),
    }
    print(json.dumps(said))
