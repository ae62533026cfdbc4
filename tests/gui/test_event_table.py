"""The table of events lists every event, finds them, and goes there."""

import csv
import io

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from gems_engine.terminal import THIN, number
from gems_engine.wording import describe, place_text
from gems_gui.appearance import Appearance
from gems_gui.painting.render import paint
from gems_gui.series.event_list import EventList, event_table, words_of
from gems_gui.series.table import as_csv
from gems_gui.snapshot import Snapshot
from gems_gui.theme import LIGHT
from gems_gui.views.event_table import CURSOR, EventTable
from tests.engine.synthetic_runs import synthetic_trace
from tests.gui.sample_runs import run, snapshot_of
from tests.gui.text_boxes import card_of, settle


@pytest.fixture
def table(qtbot):
    """The view in its card, 600×400."""
    view = EventTable(Appearance(LIGHT))
    assert view.settings["upto"] == "cursor", "nothing after the cursor, unless it is asked for"
    view.settings["upto"] = "record"
    view.card = card_of(view, LIGHT)
    qtbot.addWidget(view.card)
    settle(view.card, 600, 400)
    return view


def listed(view):
    """Indices of the listed events."""
    return [view.model.item(row) for row in range(view.model.rowCount())]


def cell(view, row, column, role=Qt.ItemDataRole.DisplayRole):
    return view.model.index(row, column).data(role)


def test_every_event_has_its_line(table):
    trace = run("fixed-budget")
    table.show(snapshot_of("fixed-budget", 20))
    assert listed(table) == list(range(len(trace)))
    for at in (0, 5, 40, len(trace) - 1):
        event = trace[at]
        words = (number(at + 1), place_text(event.place, "fixed-budget"), event.kind, words_of(trace, event))
        assert tuple(cell(table, at, column) for column in range(4)) == words
    assert table.head.subtitle.text() == f"{number(len(trace))} events"


def test_the_cursor_is_marked_and_in_sight(table):
    trace = run("paper-hard")
    for cursor in (120, 3, len(trace)):
        table.show(snapshot_of("paper-hard", cursor))
        marked = [row for row in range(len(trace)) if cell(table, row, 1, Qt.ItemDataRole.BackgroundRole) is not None]
        assert marked == [cursor - 1]
        area = table.table.visualRect(table.model.index(cursor - 1, 0))
        assert table.table.viewport().rect().contains(area)
        dim = [cell(table, row, 3, Qt.ItemDataRole.ForegroundRole) is not None for row in range(len(trace))]
        assert dim == [row >= cursor for row in range(len(trace))]


def test_only_what_has_happened_on_request_and_in_pictures(table, qapp):
    table.set_option("upto", CURSOR)
    for cursor in (50, 80, 30, 0):
        table.show(snapshot_of("paper-hard", cursor))
        assert listed(table) == list(range(cursor))
    long, short = snapshot_of("paper-hard", 40), Snapshot.of(synthetic_trace(), 40)
    picture = paint(long, "events", (600, 300), LIGHT)
    cut = run("paper-hard")[:40]
    trace = type(long.trace)(long.instance)
    trace.extend(cut)
    assert picture == paint(Snapshot.of(trace), "events", (600, 300), LIGHT)
    assert picture != paint(short, "events", (600, 300), LIGHT)


def test_filter_by_kind(table):
    trace = run("paper-hard")
    table.show(snapshot_of("paper-hard"))
    table.kinds.setCurrentIndex(table.kinds.findData("eliminated"))
    assert listed(table) == trace.positions("eliminated").tolist()
    assert table.head.subtitle.text() == f"{len(listed(table))} of {len(trace)} events"
    table.kinds.setCurrentIndex(0)
    assert listed(table) == list(range(len(trace)))


def test_search_finds_all_words(table, qtbot):
    trace = run("paper-hard")
    table.show(snapshot_of("paper-hard"))
    for text, kind in (("x_9 recommend", ""), ("K 2 DESIGN", ""), ("zebra", "eliminated"), ("no such thing", "")):
        table.search_field.setText(text)
        table.kinds.setCurrentIndex(table.kinds.findData(kind))
        qtbot.waitUntil(lambda: table.model.events.progress == 1.0)
        expected = [
            at
            for at, event in enumerate(trace)
            if kind in ("", event.kind)
            and all(
                word in f"{place_text(event.place)} {event.kind} {words_of(trace, event)}".casefold()
                for word in text.casefold().split()
            )
        ]
        assert listed(table) == expected
    assert not expected
    table.search_field.clear()
    assert listed(table) != []


def test_what_is_found_stays_when_a_click_moves_the_cursor(table):
    trace = run("paper-hard")
    table.set_option("upto", CURSOR)
    table.show(snapshot_of("paper-hard"))
    table.kinds.setCurrentIndex(table.kinds.findData("eliminated"))
    everything = trace.positions("eliminated").tolist()
    table.show(snapshot_of("paper-hard", everything[1] + 1))
    assert listed(table) == everything
    table.kinds.setCurrentIndex(0)
    assert listed(table) == list(range(everything[1] + 1))


def test_the_sentence_has_the_room_where_it_is_narrow(table):
    table.show(snapshot_of("paper-hard"))
    hidden = []
    for width in (900, 560, 420):
        settle(table.card, width, 300)
        hidden.append([table.table.isColumnHidden(column) for column in range(4)])
    assert hidden == [[False] * 4, [False, False, True, False], [False, True, True, False]]


def test_numbers_are_found_without_their_thin_spaces():
    events = EventList(run("paper-hard"))
    events.search("66365")
    events.update()
    found = events.rows(len(events.trace)).tolist()
    assert found
    assert all("66\u202f365" in describe(events.trace[at], events.trace.instance) for at in found)
    assert not events.search(" 66365 ")  # the same again


def test_a_long_search_goes_on_beside_the_painting(table, qtbot):
    trace = synthetic_trace(rounds=60)
    table.show(Snapshot.of(trace))
    table.search_field.setText("eliminated")
    assert "searched" in table.head.subtitle.text()
    qtbot.waitUntil(lambda: "searched" not in table.head.subtitle.text(), timeout=20_000)
    kinds = {trace[at].kind for at in listed(table)}
    assert "eliminated" in kinds
    assert listed(table) == sorted(listed(table))


def test_a_growing_record_keeps_rows_and_search(table):
    whole = run("paper-hard")
    trace = type(whole)(whole.instance)
    trace.extend(whole[:60])
    table.show(Snapshot.of(trace))
    table.kinds.setCurrentIndex(table.kinds.findData("pulled"))
    before = listed(table)
    resets = []
    table.model.modelReset.connect(lambda: resets.append(1))
    trace.extend(whole[60:150])
    table.show(Snapshot.of(trace))
    assert listed(table)[: len(before)] == before
    assert listed(table) == [at for at in range(150) if whole[at].kind == "pulled"]
    assert not resets


def test_a_click_or_return_goes_there(table, qtbot):
    table.show(snapshot_of("paper-hard"))
    table.kinds.setCurrentIndex(table.kinds.findData("recommended"))
    at = run("paper-hard").positions("recommended").tolist()
    area = table.table.visualRect(table.model.index(1, 3))
    with qtbot.waitSignal(table.place_picked) as clicked:
        qtbot.mouseClick(table.table.viewport(), Qt.MouseButton.LeftButton, pos=area.center())
    assert clicked.args == [at[1]]
    table.table.setCurrentIndex(table.model.index(0, 0))
    with qtbot.waitSignal(table.place_picked) as entered:
        qtbot.keyClick(table.table, Qt.Key.Key_Return)
    assert entered.args == [at[0]]


def test_copy_as_csv(table, qtbot):
    trace = run("paper-hard")
    table.show(snapshot_of("paper-hard"))
    table.kinds.setCurrentIndex(table.kinds.findData("eliminated"))
    qtbot.mouseClick(table.copy, Qt.MouseButton.LeftButton)
    rows = list(csv.DictReader(io.StringIO(QGuiApplication.clipboard().text())))
    assert [int(row["event"]) for row in rows] == (trace.positions("eliminated") + 1).tolist()
    event = trace[int(rows[-1]["event"]) - 1]
    assert (int(rows[-1]["ℓ"]), int(rows[-1]["i"]), int(rows[-1]["k"])) == (
        event.place.ell,
        event.place.i,
        event.place.k,
    )
    assert rows[-1]["what happened"] == words_of(trace, event).replace(THIN, "")
    table.table.selectRow(1)
    table.table.selectionModel().select(
        table.model.index(3, 0),
        table.table.selectionModel().SelectionFlag.Select | table.table.selectionModel().SelectionFlag.Rows,
    )
    table.copy_csv()
    selected = [table.model.item(1), table.model.item(3)]
    assert QGuiApplication.clipboard().text() == as_csv(event_table(trace, selected))
    assert "2 events copied" in table.head.subtitle.text()


def test_the_name_of_the_instance_does_not_give_its_truth_away(table):
    table.show(snapshot_of("paper-hard"))
    assert "paper-hard" in cell(table, 0, 3)
    assert "d_star" not in cell(table, 0, 3)


def test_another_run_and_none(table):
    table.show(snapshot_of("paper-hard"))
    table.show(snapshot_of("fixed-budget"))
    assert cell(table, 0, 3) == words_of(run("fixed-budget"), run("fixed-budget")[0])
    assert table.model.rowCount() == len(run("fixed-budget"))
    table.show(None)
    assert table.model.rowCount() == 0
    table.copy_csv()  # of nothing: nothing happens


def test_only_rows_in_sight_are_read(table, monkeypatch):
    trace = synthetic_trace(rounds=60)
    snapshot = Snapshot.of(trace, len(trace) // 2)
    reads = []
    line = EventList.line

    def read(events, event):
        reads.append(event)
        return line(events, event)

    monkeypatch.setattr(EventList, "line", read)
    table.show(snapshot)
    settle(table.card, 600, 400)
    seen = table.table.viewport().height() // table.table.rowHeight(0) + 2
    assert 0 < len(reads) <= seen < len(trace) // 50


def test_where_it_is_narrow_the_words_have_the_room_of_the_kind(table):
    table.show(snapshot_of("paper-hard"))
    for width, hidden in ((900, False), (320, True), (900, False)):
        settle(table.card, width, 300)
        assert table.table.isColumnHidden(2) == hidden
        assert table.table.columnWidth(3) >= 100
        assert table.search_field.width() > table.copy.width() / 2


def test_the_first_row_in_sight_is_whole_at_the_end_too(table):
    table.show(snapshot_of("paper-hard", len(run("paper-hard"))))
    rows, bar = table.table, table.table.verticalScrollBar()
    for height in (300, 307, 318, 400):
        settle(table.card, 600, height)
        assert 0 < bar.maximum() == bar.value()
        assert rows.rowViewportPosition(bar.value()) == 0
        last = rows.model().rowCount() - 1
        assert rows.rowViewportPosition(last) + rows.rowHeight(last) <= rows.viewport().height()


def test_pictures_have_whole_sentences_on_as_many_lines_as_they_need(qtbot):
    view = EventTable(Appearance(LIGHT), exporting=True)
    card = card_of(view, LIGHT)
    qtbot.addWidget(card)
    settle(card, 520, 400)
    view.show(snapshot_of("paper-hard", len(run("paper-hard"))))
    settle(card, 520, 400)
    rows, first = view.table, view.table.verticalScrollBar().value()
    assert rows.rowViewportPosition(first) == 0
    metrics, width = rows.fontMetrics(), rows.columnWidth(3) - 14
    heights = set()
    for row in range(first, rows.model().rowCount()):
        needed = metrics.boundingRect(0, 0, width, 999, int(Qt.TextFlag.TextWordWrap), cell(view, row, 3)).height()
        assert rows.rowHeight(row) >= needed
        heights.add(rows.rowHeight(row))
    assert len(heights) > 1
