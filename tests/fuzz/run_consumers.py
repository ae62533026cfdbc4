"""What is done with a run that could be read: texts and tables of the engine, and every view."""

import contextlib
import io
import json
from dataclasses import replace

from gems_engine import files
from gems_engine.commands.diff import as_dict, text
from gems_engine.diff import compare
from gems_engine.errors import InputError
from gems_engine.explanation import explain, story_of_arm
from gems_engine.explanation.text import as_text
from gems_engine.formats import journal
from gems_engine.history import History
from gems_engine.problems import problems
from gems_engine.summary import summarise
from gems_engine.terminal import shown_json
from gems_gui.series.table import as_csv


def read(data):
    """As `read_run` reads it, without a file."""
    return files._recorded(journal.Journal(io.BytesIO(data), "name", "file"))


def cursors_near(trace, places):
    """Right after each change, a few events later, and the end."""
    near = {place + more for place in places for more in (1, 2, 5)} | {len(trace)}
    return sorted(min(max(each, 0), len(trace)) for each in near)


def engine_texts(trace, cursors, other):
    """`explain`, the story of an arm, `problems`, `diff` and the summary; None of them may raise."""
    history = History(trace)
    for truth in (True, False):
        problems(trace, truth=truth)
    for cursor in dict.fromkeys(cursors):
        target = cursor % len(trace.instance.targets)
        about = target if cursor % 3 else None
        as_text(explain(trace, cursor, truth=bool(cursor % 2), target=about, history=history))
    as_text(story_of_arm(trace, target, len(trace), truth=True, history=history))
    found = compare(trace, other)
    text(found, trace, other)
    shown_json(as_dict(found))
    json.dumps(summarise(trace).as_dict())
    assert len(trace.columns()["k"]) == len(trace.rounds)
    return found


class Gallery:
    """Every view once; they show one run after another."""

    def __init__(self):
        from gems_gui.appearance import Appearance
        from gems_gui.theme import LIGHT
        from gems_gui.views import EVERY_VIEW

        self.views = [view(Appearance(LIGHT), exporting=True) for view in EVERY_VIEW.values()]

    def show(self, trace, cursors, other):
        """Compute the series of every view with each of its options, and the table of it."""
        from gems_gui.snapshot import Selection, Snapshot

        compared = Snapshot.of(other)
        for cursor in dict.fromkeys(cursors):
            picked = Selection.of_target(trace.instance, cursor % len(trace.instance.targets) if cursor % 3 else None)
            snapshot = Snapshot.of(trace, cursor, picked)
            snapshot.problems.update()
            snapshot = replace(snapshot.with_runs([snapshot, compared]), truth=bool(cursor % 2))
            for view in self.views:
                self._show(view, snapshot, cursor)

    @staticmethod
    def _show(view, snapshot, cursor):
        for option in view.options:
            choices = list(getattr(option, "choices", ()) or ())
            if choices:
                view.settings[option.name] = choices[cursor % len(choices)]
        view.show(snapshot)
        if view.has_numbers:
            with contextlib.suppress(InputError):
                as_csv(view.as_table())
