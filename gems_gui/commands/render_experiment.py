"""`gems render FOLDER`: the plots of an experiment as pictures."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from gems_engine.commands.command import real
from gems_engine.errors import InputError
from gems_engine.experiment.folder import read_results
from gems_engine.experiment.plots import plots_of
from gems_engine.experiment.plots.svg import Sheet, for_dark_theme
from gems_engine.experiment.theory import bounds_of
from gems_engine.files import atomic_write, make_folder
from gems_gui.commands.render_list import check_name
from gems_gui.commands.standard_output import STDOUT
from gems_gui.painting.experiment_figures import SUFFIXES, PlotFigure
from gems_gui.painting.frames import PAPER, PRINT_SCALE
from gems_gui.painting.limits import DPI, MOST_SCALE
from gems_gui.painting.picture_size import PAPER_SIZE, paper_size, picture_size
from gems_gui.painting.rows import BOARD

_OF_RUNS = {
    "at": "--at",
    "first": "--from",
    "last": "--to",
    "every": "--every",
    "caption": "--caption",
    "story": "--story",
    "trials": "--trials",
    "text": "--text",
    "arm": "--arm",
    "beside": "--with",
    "option": "--option",
    "hide_truth": "--hide-truth",
}
"""Options that apply to runs only."""


def render_experiment(arguments: Namespace, folder: Path, output: Path) -> int:
    """Write the plots of an experiment: one to a file, several to numbered names or a folder."""
    for name, option in _OF_RUNS.items():
        if getattr(arguments, name):
            raise InputError(f"{option} applies to runs, not to the results of an experiment.")
    suffix = output.suffix.lower()
    if suffix not in (*SUFFIXES, ""):
        raise InputError(f"Cannot write {output}: plots of an experiment are .svg, .pdf or .png, or a folder of all.")
    figures = _figures(arguments, folder)
    if arguments.output == STDOUT and len(figures) > 1:
        raise InputError(f"-o - takes one plot. Choose one with --view: {', '.join(each.name for each in figures)}.")
    made = [
        (file, each.data(file.suffix.lower()))
        for each in figures
        for file in _files(output, each.name, len(figures) > 1)
    ]
    if not suffix:
        make_folder(output)
    for file, data in made:
        atomic_write(file, data)
        print(f"{'standard output' if arguments.output == STDOUT else file}: {folder}")
    return 0


def _files(output: Path, name: str, several: bool) -> list[Path]:
    if not output.suffix:
        return [output / f"{name}{suffix}" for suffix in SUFFIXES]
    return [output.with_stem(f"{output.stem}-{name}") if several else output]


def _figures(arguments: Namespace, folder: Path) -> list[PlotFigure]:
    """The chosen plots, all by default."""
    paper = arguments.style == PAPER
    if paper and arguments.theme == "dark":
        raise InputError("--theme dark cannot be used with --style paper: paper is white.")
    inches = paper_size(arguments.size or PAPER_SIZE)[0] if paper else None
    width = Sheet.width if arguments.size is None else float(picture_size(arguments.size)[0]) if not paper else 0.0
    scale = real(arguments.scale, PRINT_SCALE if paper else 1.0, "--scale", 0.0, MOST_SCALE)
    results = read_results(folder)
    summary, bounds = results.measures.summary(), bounds_of(results.specification)
    plots = plots_of(summary, bounds, width if inches is None else inches * DPI, paper)
    if not plots:
        raise InputError(f"{folder} has no trials to plot yet.")
    names = list(plots) if arguments.view == BOARD else [each.strip() for each in arguments.view.split(",")]
    for name in names:
        check_name("plot", name, list(plots))
    dark = arguments.theme == "dark"
    return [PlotFigure(name, for_dark_theme(plots[name]) if dark else plots[name], inches, scale) for name in names]
