"""What the page of experiments asks its analysis worker: pure functions that know no Qt."""

from __future__ import annotations

from pathlib import Path

from gems_engine.experiment.measures import Summary
from gems_engine.experiment.plots import Bounds, plots_of
from gems_engine.experiment.plots.svg import for_dark_theme
from gems_engine.experiment.report import REPORT, write_report


def pictures(summary: Summary, bounds: Bounds, width: int, dark: bool) -> dict[str, str]:
    """The plots by name, so many pixels wide, in the colours of a ground."""
    drawn = plots_of(summary, bounds, float(width))
    return {name: for_dark_theme(svg) for name, svg in drawn.items()} if dark else drawn


def report(folder: str, asked: int) -> str:
    """Write the report of a folder: where its page is.

    Parameters
    ----------
    asked
        The how many-th time, so that no old answer is taken for this one.
    """
    write_report(folder)
    return str(Path(folder) / REPORT)
