"""What the experiments page asks its analysis worker for: pure functions that do not import Qt."""

from __future__ import annotations

from pathlib import Path

from gems_engine.experiment.measures import Summary
from gems_engine.experiment.plots import Bounds, plots_of
from gems_engine.experiment.plots.svg import for_dark_theme
from gems_engine.experiment.report import REPORT, write_report


def pictures(summary: Summary, bounds: Bounds, width: int, dark: bool) -> dict[str, str]:
    """The plots by name, for a width in pixels and a light or dark theme."""
    drawn = plots_of(summary, bounds, float(width))
    return {name: for_dark_theme(svg) for name, svg in drawn.items()} if dark else drawn


def report(folder: str, asked: int) -> str:
    """Write the report of a folder; returns the path of its page.

    Parameters
    ----------
    asked
        How often it was asked before, so that no cached answer is used.
    """
    write_report(folder)
    return str(Path(folder) / REPORT)
