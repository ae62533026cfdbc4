"""What is done with a run that could be read: texts and tables of the engine, every series, and pictures of views."""

import contextlib
import io
import json
import sys
from dataclasses import replace
from functools import lru_cache
from types import SimpleNamespace
from unittest import mock

from gems_engine import files
from gems_engine.commands.diff import as_dict, text
from gems_engine.diff import Comparison
from gems_engine.errors import InputError
from gems_engine.explanation import explain, story_of_arm
from gems_engine.explanation.text import as_text
from gems_engine.formats import journal, json_format
from gems_engine.history import History
from gems_engine.problems import problems
from gems_engine.summary import summarise
from gems_engine.terminal import shown_json
from gems_gui.appearance import Appearance
from gems_gui.painting.frames import Look
from gems_gui.painting.render import PictureSheet
from gems_gui.series.table import as_csv
from gems_gui.snapshot import Selection, Snapshot
from gems_gui.theme import LIGHT
from gems_gui.views import EVERY_VIEW


@lru_cache(1000)
def _instance(data, name, file):
    """An instance is read once: most runs have one that is not changed."""
    return json_format.from_json(data, name, file)


def read(data):
    """As `read_run` reads it, without a file."""
    with mock.patch.object(journal, "json_format", SimpleNamespace(from_json=_instance)):
        return files._recorded(journal.Journal(io.BytesIO(data), "name", "file"))


def cursors_near(trace, places):
    """Right after each change, a few events later, and the end."""
    near = {place + more for place in places for more in (1, 2, 5)} | {len(trace)}
    return sorted({min(max(each, 0), len(trace)) for each in near})


def engine_texts(trace, cursors, other):
    """`explain`, the story of an arm, `problems`, `diff` and the summary."""
    history = History(trace)
    problems(trace, truth=bool(len(trace) % 2))
    for cursor in cursors:
        target = cursor % len(trace.instance.targets)
        about = target if cursor % 3 else None
        as_text(explain(trace, cursor, truth=bool(cursor % 2), target=about, history=history))
    as_text(story_of_arm(trace, target, len(trace), truth=True, history=history))
    comparison = Comparison(trace, other)
    while not comparison.update(0.0):
        pass
    text(comparison)
    shown_json(as_dict(comparison.found))
    json.dumps(summarise(trace).as_dict())
    assert len(trace.rounds) == len(trace.round_starts)


def snapshot_of(trace, cursor, other):
    """A snapshot with the problems found, sometimes an arm selected or the truth hidden, and another run."""
    picked = Selection.of_target(trace.instance, cursor % len(trace.instance.targets) if cursor % 3 else None)
    snapshot = Snapshot.of(trace, cursor, picked)
    snapshot.problems.update()
    return replace(snapshot.with_runs([snapshot, Snapshot.of(other)]), truth=bool(cursor % 2))


class Gallery:
    """Every view once, as for a picture; they show one run after another, so a failure of one is not that of others."""

    def __init__(self):
        self.views = [view(Appearance(LIGHT), exporting=True) for view in EVERY_VIEW.values()]

    def show(self, snapshot):
        """Compute the series of every view with one choice of its options, and its table."""
        for view in self.views:
            for option in view.options:
                if choices := list(getattr(option, "choices", None) or ()):
                    view.settings[option.name] = choices[snapshot.cursor % len(choices)]
            with raising(view.name):
                view.show(snapshot)
                _point_at(view)
                if view.has_numbers:
                    with contextlib.suppress(InputError):  # nothing to show yet
                        as_csv(view.as_table())


def _point_at(view):
    """The texts at a few points of each plot, as the mouse shows them."""
    for plot in view._plots:
        if plot.describe is None:
            continue
        (left, right), (low, high) = plot.box.viewRange()
        for part in (0.0, 0.1, 0.5, 0.97):
            for height in (0.05, 0.5, 0.9):
                assert isinstance(plot.describe(left + part * (right - left), low + height * (high - low)), str)


class Painter:
    """Sheets of single views that are painted for one run after another."""

    def __init__(self):
        self.sheets = {name: PictureSheet((name,), Look((420, 300))) for name in EVERY_VIEW}

    def paint(self, name, snapshot):
        """Paint one view."""
        with raising(name):
            self.sheets[name].show(snapshot)
            assert not self.sheets[name].image().isNull()


@contextlib.contextmanager
def raising(name):
    """Raise also what Qt only prints: exceptions in slots and events."""
    before, found = sys.excepthook, []
    sys.excepthook = lambda kind, error, trace: found.append(error)
    try:
        yield
    except Exception as error:
        raise AssertionError(f"view {name}: {type(error).__name__}: {error}") from error
    finally:
        sys.excepthook = before
    if found:
        raise AssertionError(f"view {name}: {type(found[0]).__name__}: {found[0]}") from found[0]
