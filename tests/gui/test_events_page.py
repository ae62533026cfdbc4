"""docs/events.md is true: it has every event, and the views that it names change when that event is missing."""

import re
from functools import cache
from pathlib import Path

import pytest

from gems_engine.errors import InputError
from gems_engine.events import EVENTS
from gems_engine.gallery import make
from gems_engine.running import Run
from gems_engine.trace import Trace
from gems_gui.painting.frames import Look
from gems_gui.painting.render import PictureSheet
from gems_gui.snapshot import Selection, Snapshot
from gems_gui.views import EVERY_VIEW, VIEWS
from tests.gui.sample_runs import run

PAGE = (Path(__file__).parents[2] / "docs" / "events.md").read_text(encoding="utf-8")
ROWS = {
    event: (when, views, lost)
    for event, when, views, lost in re.findall(r"^\| `(\w+)` \| (.+?) \| (.+?) \| (.+?) \|$", PAGE, re.MULTILINE)
}
CLASSES = {each.__name__: each for each in EVENTS.values()}
CLAIMS = [(event, view) for event, (_, views, _) in ROWS.items() for view in re.findall(r"`([\w-]+)`", views)]
REFUSED = [event for event, (_, views, _) in ROWS.items() if views == "all"]
RUNS = ("made up", "strategy", "budget")
"""The first has every kind of event, the others are real."""


@cache
def recorded(name):
    if name == "strategy":
        return Run(make("paper-hard"), "fixed-confidence", 1, base=4, max_samples=20_000).finish()
    if name == "budget":
        return Run(make("paper-hard"), "gems-b", 1, selection_budget=200.0).finish()
    return run(name)


def without(trace, event):
    """The same run as if an algorithm did not emit this, and where each cursor is in it."""
    kept = [each for each in trace if not isinstance(each, CLASSES[event])]
    short, where = Trace(trace.instance), [0]
    short.extend(kept)
    for each in trace:
        where.append(where[-1] + (not isinstance(each, CLASSES[event])))
    return short, where


def picture(sheet, trace, cursor):
    sheet.show(Snapshot.of(trace, cursor, Selection.of_arm(trace.instance, 1)))
    image = sheet.image()
    return bytes(image.constBits())


def test_the_page_has_a_row_for_every_event():
    assert list(ROWS) == list(CLASSES), (
        "docs/events.md: its table has one row for each class in EVENTS of gems_engine/events.py, in that order: "
        "| `Event` | emitted when | views that rely on it | what is lost without it |"
    )


def test_every_view_is_on_the_page_and_no_other():
    named = {view for _, view in CLAIMS}
    assert sorted(named - set(EVERY_VIEW)) == [], "docs/events.md names views that do not exist"
    missing = [view for view in VIEWS if view not in set(re.findall(r"`([\w-]+)`", PAGE))]
    assert missing == [], (
        f"docs/events.md does not name {missing}: write each, in backticks, into the third column of the events that "
        'its series reads (table "What each event is for")'
    )


@pytest.mark.parametrize("event", REFUSED)
def test_a_run_without_it_is_refused(event):
    def read():
        trace, _ = without(recorded("made up"), event)
        return trace.state_at(len(trace))

    with pytest.raises(InputError):
        read()


@pytest.mark.parametrize(("event", "view"), CLAIMS)
def test_a_view_that_relies_on_an_event_changes_without_it(event, view, qapp):
    sheet = PictureSheet((view,), Look((640, 300)))  # all columns of compare-table
    try:
        for name in RUNS:
            trace = recorded(name)
            places = trace.positions(CLASSES[event]).tolist()
            if not places:
                continue
            short, where = without(trace, event)
            later = trace.positions(CLASSES["Estimated"]).tolist()
            after = next((at for at in later if at > len(trace) // 2), len(trace) - 1)
            here = places[len(places) // 2]
            for cursor in sorted({len(trace), after + 1, after + 2, here + 1, min(here + 2, len(trace))}):
                try:
                    changed = picture(sheet, short, where[cursor])
                except (InputError, AssertionError, IndexError):  # what rule 4 of the page speaks of
                    assert event == "SubroutineStarted"
                    return
                if changed != picture(sheet, trace, cursor):
                    return
    finally:
        sheet.close()
    pytest.fail(f"docs/events.md: {view} looks the same without {event}; take it out of the third column of its row")
