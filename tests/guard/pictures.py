"""Golden pictures: every view, layout and dialog at fixed cursors, pixel by pixel the same in every run.

python -m tests.guard.pictures DIR              paint them all into a folder, in about a minute
python -m tests.guard.pictures DIR --only why   those with a word in their name
python -m tests.guard.pictures DIR --runs RUNS  open the runs of a folder instead of computing them
python -m tests.guard.pictures --record RUNS    record the runs into a folder
python -m tests.guard.pictures --compare A B    the pictures that differ, with the number of differing pixels

Views are painted by `gems render`. The window is driven with opened runs, so nothing depends on how fast the engine is.
With runs that the parent commit recorded, pictures differ where the frame changed, and not where the solver did.
Pictures of two machines differ in their fonts: compare those of one machine.
"""

from __future__ import annotations

import argparse
import contextlib
import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image

from gems_engine.trace import Trace
from tests.guard import adapter

Runs = dict[str, Trace]
SIZE = "560x360"
COMPARED = {"gems-c": "gems-b", "gems-b": "gems-c"}
"""Runs of one instance, which can be compared."""
SEEDS = "6"
OPTIONED, PICKED = "sphere", "3"
"""The run whose views are painted with every option, and the arm that is picked there."""
NARROW = (1150, 760)
LAYOUTS = ("explore", "debug", "talk", "compare", "race")
PAGES = ("edit_table", "debug_design", "experiments", "list_runs", "show_talk")
"""Actions that show another page or a list next to the views."""
DOCKS = ("replicate", "sensitivity")
"""Actions that show a list which they do not hide again."""
DIALOGS = (
    *("go_to", "run_until", "branch", "run_beside", "compare", "export", "save_layout"),
    *("keys", "how_to_read", "about"),
)
"""Actions that open a dialog."""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, help="where the pictures go")
    parser.add_argument("--only", default="", metavar="WORD", help="only pictures of views with this in their name")
    parser.add_argument("--runs", type=Path, metavar="RUNS", help="open the runs that --record wrote into this folder")
    parser.add_argument("--record", type=Path, metavar="RUNS", help="record the runs of the pictures into this folder")
    parser.add_argument("--compare", nargs=2, type=Path, metavar=("A", "B"), help="compare two folders")
    given = parser.parse_args(arguments)
    if given.compare:
        return compare(*given.compare)
    if given.record:
        return record(given.record)
    if given.folder is None:
        parser.error("give a folder, --record RUNS, or --compare A B")
    folder = given.folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    with adapter.steady_clock():
        runs = adapter.sample_runs() if given.runs is None else adapter.recorded_runs(given.runs)
        paint_views(folder, runs, given.only)
        if not given.only:
            paint_windows(folder, runs)
    print(f"{len(list(folder.glob('*.png')))} pictures in {folder}")
    return 0


def record(folder: Path) -> int:
    """Write the runs of the pictures into a folder."""
    with adapter.steady_clock():
        runs = adapter.sample_runs()
    folder.mkdir(parents=True, exist_ok=True)
    for name, trace in runs.items():
        adapter.save_run(folder / name, trace)
    print(f"{len(runs)} runs in {folder}")
    return 0


# -- views ----------------------------------------------------------------------------------------------------------


def paint_views(folder: Path, runs: Runs, only: str = "") -> None:
    """Every view by `gems render`."""
    with adapter.home():
        for name, trace in runs.items():
            adapter.save_run(Path(name), trace)
        for view, run, words, options in view_pictures({name: adapter.cursors(trace) for name, trace in runs.items()}):
            if only in view:
                file = folder / "-".join(("view", view, run, *words)).replace("=", "_")
                render(f"{run}.gems", "-o", f"{file}.png", "--view", view, "--size", SIZE, *options)


def view_pictures(cursors: dict[str, dict[str, int]]) -> Iterator[tuple[str, str, tuple[str, ...], list[str]]]:
    """View, run, words of the file's name, and options of the command."""
    for view in (adapter.BOARD, *adapter.view_names()):
        for run, places in cursors.items():
            more = needed(view, run)
            for place, cursor in places.items():
                yield view, run, (place,), [*more, "--at", str(cursor)]
            at = [*more, "--at", str(places["in-round"])]
            yield view, run, ("in-round", "hidden"), [*at, "--hide-truth"]
            if run == OPTIONED:
                yield view, run, ("in-round", "dark"), [*at, "--theme", "dark"]
                yield view, run, ("in-round", "picked"), [*at, "--arm", PICKED]
                for option, value in adapter.view_options(view):
                    yield view, run, ("in-round", f"{option}={value}"), [*at, "--option", f"{view}.{option}={value}"]


def needed(view: str, run: str) -> list[str]:
    """What a view needs besides a run: another one, or more seeds."""
    if view.startswith(("compare", "race")) and run in COMPARED:
        return ["--with", f"{COMPARED[run]}.gems"]
    if view == "difference":
        return ["--with", f"{COMPARED.get(run, 'gems-c')}.gems"]
    return ["--trials", SEEDS] if view in ("replicates", "tau") else []


def render(*words: str) -> None:
    """Run `gems render`, and say what it said where it failed."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = adapter.gems("render", *words)
    if code:
        raise RuntimeError(f"gems render {' '.join(words)}: {said.getvalue()}")


# -- the window -----------------------------------------------------------------------------------------------------


def paint_windows(folder: Path, runs: Runs) -> None:
    """The window in every layout, and its pages."""

    def take(*words: str) -> None:
        adapter.rest(driver)
        adapter.picture(adapter.widget(driver)).save(str(folder / f"window-{'-'.join(words)}.png"))

    with adapter.home(), adapter.window() as driver:
        take("draft")
        adapter.trigger(driver, "welcome")  # before any file is opened: it lists them with their folder
        take("welcome")
        for name, trace in runs.items():
            adapter.open_run(driver, name, trace)
            for layout in LAYOUTS:
                adapter.trigger(driver, f"layout_{layout}")
                for place, cursor in adapter.cursors(trace).items():
                    adapter.seek(driver, cursor)
                    take(layout, name, place)
        adapter.seek(driver, adapter.cursors(trace)["in-round"])
        for layout in LAYOUTS:
            adapter.trigger(driver, f"layout_{layout}")
            for word, do, undo in (
                ("dark", "theme_dark", "theme_light"),
                ("hidden", "toggle_truth", "toggle_truth"),
                ("large", "font_larger", "font_normal"),
            ):
                adapter.trigger(driver, do)
                take(layout, name, word)
                adapter.trigger(driver, undo)
        adapter.trigger(driver, "layout_explore")
        for page in PAGES:
            adapter.trigger(driver, page)
            take(page)
            adapter.trigger(driver, page)
        for asked in DIALOGS:
            with adapter.opened_by(driver, asked) as dialog:
                adapter.picture(dialog).save(str(folder / f"dialog-{asked}.png"))
        for dock in DOCKS:
            adapter.trigger(driver, dock)
            take(dock)
    with adapter.home(), adapter.window(NARROW) as driver:
        adapter.open_run(driver, name, trace)
        for layout in LAYOUTS:
            adapter.trigger(driver, f"layout_{layout}")
            take(layout, name, "narrow")


# -- comparison -----------------------------------------------------------------------------------------------------


def compare(one: Path, other: Path) -> int:
    """Print what differs between two folders; 1 if anything does."""
    names = sorted({path.name for folder in (one, other) for path in folder.glob("*.png")})
    found = [(name, words) for name in names if (words := difference(one / name, other / name))]
    for name, words in found:
        print(f"{name}: {words}")
    print(f"{len(found)} of {len(names)} pictures differ")
    return 1 if found or not names else 0


def difference(one: Path, other: Path) -> str:
    """How two pictures differ, empty where they do not."""
    for path in (one, other):
        if not path.exists():
            return f"not in {path.parent}"
    if one.read_bytes() == other.read_bytes():
        return ""
    first, second = (np.asarray(Image.open(path).convert("RGB")) for path in (one, other))
    if first.shape != second.shape:
        return f"{first.shape[1]} × {first.shape[0]} pixels and {second.shape[1]} × {second.shape[0]}"
    different = (first != second).any(axis=2)
    if not different.any():
        return ""
    rows, columns = np.nonzero(different)
    box = f"x {columns.min()}–{columns.max()}, y {rows.min()}–{rows.max()}"
    return f"{np.count_nonzero(different)} pixels differ, in {box}"


if __name__ == "__main__":
    raise SystemExit(main())
