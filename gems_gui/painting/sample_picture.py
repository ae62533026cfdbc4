"""Paints a test picture in its own process, to check whether this machine can."""

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
"""Symbols of the paper and of our texts that a font must have."""
SIZE = (1600, 1000)
"""Size of the test picture."""


def painted_here() -> None:
    """Paint the board of a small run in this process, and print the time and missing glyphs as JSON."""
    start_painting()
    trace = run(make("paper-hard", epsilon=0.3), "fixed-confidence", seed=1, max_samples=3000).finish()
    snapshot = Snapshot.of(trace)
    paint(snapshot, BOARD, SIZE, LIGHT)  # the first picture loads what all others use
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
