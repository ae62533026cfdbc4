"""The transport and its line over the whole run: what they show, what they ask for, and that everything has room."""

import math
import time
from itertools import combinations, pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow, QToolTip, QVBoxLayout, QWidget

from gems_engine.events import IdleRounds
from gems_engine.gallery import make
from gems_engine.history import History
from gems_engine.running import run
from gems_engine.trace import Trace
from gems_gui import theme as looks
from gems_gui.actions.run_actions import RUN_ACTIONS
from gems_gui.appearance import Appearance
from gems_gui.icons import icon
from gems_gui.menus.action_set import ActionSet
from gems_gui.series.scrubber import first_in_bins, position_text
from gems_gui.series.status import status
from gems_gui.snapshot import Snapshot
from gems_gui.theme import DARK, LIGHT
from gems_gui.transport.scrubber import Scrubber
from gems_gui.transport.transport import StepButton, Transport, nearest_speed, speed_text
from gems_gui.workbench.playback import SPEEDS, Playback
from tests.gui.recorded_actions import bench, recorded, session
from tests.gui.window_driver import slide

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture(scope="module")
def trace():
    """A run whose recommendation changes."""
    return run(make("paper-hard"), seed=1, max_samples=300_000).finish()


@pytest.fixture(scope="module")
def budget_trace():
    return run(make("paper-hard", d_star=3), "fixed-budget", seed=1).finish()


@pytest.fixture
def look(qapp):
    """Dresses the program, and undresses it."""
    font, palette = qapp.font(), qapp.palette()
    yield lambda theme: looks.apply(qapp, theme)
    qapp.setStyleSheet("")
    qapp.setPalette(palette)
    qapp.setFont(font)


class Desk:
    def __init__(self, qtbot, look, theme=LIGHT, width=1600):
        look(theme)
        self.window = QMainWindow()
        qtbot.addWidget(self.window)
        self.called = []
        self.bench = bench()
        self.appearance = Appearance(theme)
        self.actions = ActionSet(self.window, self.appearance)
        self.actions.add(recorded(RUN_ACTIONS, lambda name, *given: self.called.append(name)), self.bench)
        self.transport = Transport(self.actions, self.appearance)
        centre = QWidget()
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.addStretch(1)
        column.addWidget(self.transport)
        self.window.setCentralWidget(centre)
        self.window.resize(width, 200)
        self.window.show()
        QApplication.processEvents()

    def show(self, playback, words="running"):
        self.bench.workbench.active, self.bench.workbench.playback = session(playback), playback
        self.transport.show_snapshot(playback, None if playback is None else snapshot_of(playback), words)
        self.actions.refresh()
        QApplication.processEvents()


def snapshot_of(playback):
    return Snapshot(playback.trace, playback.history, playback.state)


@pytest.fixture
def rig(qtbot, look):
    return Desk(qtbot, look)


@pytest.fixture
def scrubber(qtbot, trace):
    """A line of exactly 590 pixels for the events of the run."""
    made = Scrubber(Appearance(LIGHT))
    qtbot.addWidget(made)
    made.resize(612, 24)
    made.show()
    made.show_playback(at(trace, 100))
    return made


def at(trace, cursor):
    playback = Playback(trace)
    playback.seek(cursor)
    return playback


def unfinished(trace, events):
    """The beginning of a run that is still computed."""
    cut = Trace(trace.instance)
    cut.extend(trace[:events])
    return Playback(cut)


# -- words ----------------------------------------------------------------------------------------------------------


def test_speeds_in_words():
    assert speed_text(0.1) == "0.1 round/s"
    assert speed_text(1) == "1 round/s"
    assert speed_text(20) == "20 rounds/s"
    assert speed_text(math.inf) == "full speed"


@given(st.sampled_from(SPEEDS), st.floats(0.8, 1.25))
def test_the_slider_is_at_the_nearest_speed(speed, factor):
    assert SPEEDS[nearest_speed(speed * factor)] == speed


# -- the transport --------------------------------------------------------------------------------------------------


def test_the_engine_has_its_buttons_beside_what_it_does(rig, trace, qtbot):
    transport = rig.transport
    rig.show(unfinished(trace, 100))
    for name in ("run", "hold", "stop"):
        button = transport.buttons[name]
        assert button.isEnabled()
        assert button.x() > transport.engine.geometry().center().x()
        assert transport.engine_group.rect().contains(button.geometry())
        qtbot.mouseClick(button, LEFT)
    assert rig.called == ["run", "hold", "stop"]
    rig.show(at(trace, len(trace)), "done")
    assert transport.buttons["run"].isEnabled()
    assert not transport.buttons["hold"].isEnabled()


def test_where_there_is_little_room_the_status_is_said_in_fewer_words(qtbot, look, trace):
    rig = Desk(qtbot, look, LIGHT.scaled(1.5), width=1008)
    playback = at(trace, 213)
    rig.show(playback)
    said = status(snapshot_of(playback))
    bold, dim = rig.transport.status.shown()
    assert bold == said.place
    assert dim in said.after_place[1:]
    assert dim.endswith(said.recommendation.removeprefix("recommends "))
    assert rig.transport.status.toolTip().splitlines()[0] == rig.transport.status.text


def test_it_shows_where_the_run_stands(rig, trace):
    playback = at(trace, 213)
    rig.show(playback, "running · 12 rounds/s")
    said = status(snapshot_of(playback))
    assert rig.transport.status.bold == said.place
    assert rig.transport.status.dim == f"{said.samples} · {said.survivors} · {said.recommendation}"
    assert rig.transport.counter.text == f"213 / {len(trace)}"
    assert rig.transport.engine.text == "running · 12 rounds/s"
    assert rig.transport.speed_label.text == "1 round/s"
    assert rig.transport.scrubber.value() == 213


def test_without_a_run_nothing_can_be_asked_for(rig, trace):
    rig.show(at(trace, 3))
    rig.show(None, "")
    assert rig.transport.status.text == "no run yet"
    assert rig.transport.counter.text == ""
    enabled = {name for name, button in rig.transport.buttons.items() if button.isEnabled()}
    assert enabled == {"run", "stop"}, "to run is possible; whether the engine can be stopped, the window knows"
    assert not rig.transport.scrubber.isEnabled()
    assert rig.actions["run"].isEnabled()


def test_buttons_that_lead_nowhere_are_off(rig, trace):
    def enabled():
        buttons = rig.transport.buttons.items()
        return {name for name, button in buttons if button.isEnabled()} - {"run", "stop"}  # which the window knows

    rig.show(at(trace, 0))
    forward, back = {"event_forward", "interest_forward"}, {"event_back", "interest_back"}
    assert enabled() == {"play", *forward, "last"}
    rig.show(at(trace, 5))
    assert enabled() == {"first", *back, "play", *forward, "last"}
    rig.show(at(trace, len(trace)))
    assert enabled() == {"first", *back, "play"}
    rig.show(unfinished(trace, 0))
    assert enabled() == {"play", *forward, "live", "hold"}, "a step at the end of what there is asks for more"


def test_it_marks_what_is_on(rig, trace):
    playback = unfinished(trace, 50)
    playback.follow()
    playback.hold()
    playback.loop = (0, None)
    rig.show(playback)
    assert rig.actions["play"].text() == "Pause"
    assert all(rig.actions[name].isChecked() for name in ("live", "hold", "repeat"))
    assert not rig.actions["run_to_end"].isChecked()
    assert rig.transport.buttons["live"].isChecked()
    playback.pause()
    playback.run_to_end()
    playback.loop = None
    rig.show(playback)
    assert {name for name in ("live", "hold", "repeat", "run_to_end") if rig.actions[name].isChecked()} == {
        "live",
        "run_to_end",
    }
    assert rig.called == [], "to show is not to ask"


def test_buttons_ask_the_actions_and_take_no_focus(rig, trace):
    rig.show(unfinished(trace, 50))
    rig.transport.show_snapshot(at_middle := unfinished(trace, 50), None, "")
    at_middle.seek(20)
    rig.show(at_middle)
    for name, button in rig.transport.buttons.items():
        assert button.focusPolicy() == Qt.FocusPolicy.NoFocus, f"{name}: with the focus, its button would take Space"
        assert button.accessibleName(), f"{name}: its ActionSpec needs a text"
        assert "(" in button.toolTip(), f"{name}: its ActionSpec needs a key, which the tooltip shows"
        QTest.mouseClick(button, LEFT)
    assert rig.called == list(rig.transport.buttons), "each button performs its action, and is enabled in this run"


def test_step_buttons_step_as_far_as_the_keys_do(rig, trace, monkeypatch):
    rig.show(at(trace, 100))
    forward = rig.transport.buttons["event_forward"]
    assert isinstance(forward, StepButton)
    for modifier in ("NoModifier", "ShiftModifier", "ControlModifier", "AltModifier"):
        held = Qt.KeyboardModifier[modifier]
        monkeypatch.setattr(QApplication, "keyboardModifiers", staticmethod(lambda held=held: held))
        QTest.mouseClick(forward, LEFT)
    assert rig.called == ["event_forward", "round_forward", "subroutine_forward", "loop_forward"]
    assert [action.objectName() for action in forward.actions()] == rig.called


def test_the_speed_slider_asks_and_shows(rig, trace, qtbot):
    playback = at(trace, 3)
    playback.set_speed(50)
    rig.show(playback)
    assert rig.transport.speed.value() == SPEEDS.index(50)
    with qtbot.waitSignal(rig.transport.speed_chosen) as asked:
        slide(rig.transport.speed, len(SPEEDS) - 1)
    assert asked.args == [math.inf]
    assert rig.transport.speed_label.text == "full speed"
    with qtbot.assertNotEmitted(rig.transport.speed_chosen):
        rig.show(playback)
    assert rig.transport.speed_label.text == "50 rounds/s"


def test_seeking_on_the_line_is_passed_on(rig, trace, qtbot):
    rig.show(at(trace, 3))
    line = rig.transport.scrubber
    with qtbot.waitSignal(rig.transport.cursor_requested) as asked:
        QTest.mouseClick(line, LEFT, pos=QPoint(round(line.x_of(300)), 10))
    assert abs(asked.args[0] - 300) <= len(trace) / line.width() + 1


class Counting(QObject):
    """Counts events of a kind that come to a widget."""

    def __init__(self, kind):
        super().__init__()
        self.kind, self.count = kind, 0

    def eventFilter(self, watched, event):
        self.count += event.type() == self.kind
        return False


def test_a_moving_cursor_does_not_lay_the_window_out_again(rig, trace):
    rig.show(at(trace, 310))
    layouts = Counting(QEvent.Type.LayoutRequest)
    rig.window.centralWidget().installEventFilter(layouts)
    playback = at(trace, 300)
    rig.show(playback)
    for cursor in range(240, 340):
        playback.seek(cursor)
        rig.show(playback, f"running · {cursor} rounds/s")
    assert layouts.count <= 5, "room grows in steps, and the texts change a hundred times"


def test_showing_is_cheap(rig, trace):
    playback = at(trace, 0)
    rig.show(playback)
    snapshots = []
    for cursor in range(200):
        playback.seek(cursor)
        snapshots.append(snapshot_of(playback))
    began = time.thread_time()  # others use the machine too
    for snapshot in snapshots:
        playback.seek(snapshot.cursor)
        rig.transport.show_snapshot(playback, snapshot, "running")
    assert (time.thread_time() - began) / len(snapshots) < 0.008


def assert_groups_are_told_apart(transport):
    """Cursor and engine have their own places, names and icons."""
    groups = {"Cursor": transport.cursor_group, "Engine": transport.engine_group}
    places = [group.rect().translated(group.mapTo(transport, QPoint(0, 0))) for group in groups.values()]
    assert not places[0].intersects(places[1])
    assert places[1].right() > transport.width() - 20, "the engine at the end"
    for name, group in groups.items():
        caption = group.findChild(QLabel)
        assert caption.text() == name
        assert caption.width() >= caption.sizeHint().width()
        assert group.isAncestorOf(transport.buttons["hold"]) == (name == "Engine")
        assert group.isAncestorOf(transport.buttons["play"]) == (name == "Cursor")
    assert transport.cursor_group.isVisible()
    drawn = [icon(name, LIGHT).pixmap(24, 24).toImage() for name in ("play", "pause", "run", "hold", "stop")]
    assert all(one != other for one, other in combinations(drawn, 2))
    chip = [[image.pixelColor(x, 4).alpha() > 128 for x in range(7, 17)] for image in drawn]
    assert [all(row) for row in chip] == [False, False, True, True, True], "a processor around what the engine does"


@pytest.mark.parametrize("theme", [LIGHT, DARK, LIGHT.scaled(1.5), DARK.scaled(1.5)], ids=str)
@pytest.mark.parametrize(("width", "lines"), [(700, (2, 3)), (1024, (2, 2)), (1600, (2, 2)), (2560, (1, 2))])
def test_everything_has_room_at_any_width(qtbot, look, trace, theme, width, lines):
    rig = Desk(qtbot, look, theme, width)
    playback = at(trace, len(trace) - 100)
    playback.set_speed(math.inf)
    rig.show(playback, "waiting: 20 000 ahead")
    transport = rig.transport
    shown = [*transport.buttons.values(), transport.speed, transport.speed_label, transport.status]
    shown += [transport.scrubber, transport.counter, transport.engine]
    assert transport.width() == width
    boxes = [widget.rect().translated(widget.mapTo(transport, QPoint(0, 0))) for widget in shown]
    for at_first, first in enumerate(boxes):
        assert transport.rect().contains(first), shown[at_first]
        assert not any(first.intersects(other) for other in boxes[at_first + 1 :]), shown[at_first]
    for words in (transport.speed_label, transport.counter, transport.engine):
        assert words.shown() == (words.bold, words.dim), words.accessibleName()
        assert words.toolTip() == ""
    assert transport.status.shown()[0] == transport.status.bold, "the place is never cut"
    assert_groups_are_told_apart(transport)
    live = transport.buttons["live"]
    assert live.width() >= live.sizeHint().width()
    share = 0.43 if width >= 1400 else 0.2
    assert transport.scrubber.width() >= share * width, "its marks are no comb"
    apart = transport.speed.geometry().center().y() - transport.scrubber.geometry().center().y()
    assert (2 if apart > 12 else 1) == (1 if lines[theme.font_scale > 1] == 1 else 2)
    if width >= 1600:
        assert transport.status.shown()[1] in status(snapshot_of(playback)).after_place[:2]


def test_what_has_no_room_is_in_the_tooltip(qtbot, look, trace):
    rig = Desk(qtbot, look, LIGHT, 700)
    rig.show(at(trace, 400), "a very long sentence about what the engine does or does not do at the moment")
    for words in (rig.transport.status, rig.transport.engine):
        assert words.shown()[1] != words.dim
        assert words.toolTip().splitlines()[0] == words.text
        assert words.accessibleDescription() == words.text


def test_lines_come_and_go_with_the_width_and_the_size_of_text(rig, trace, qtbot):
    rig.window.resize(2400, 200)
    rig.show(at(trace, 400))
    QApplication.processEvents()
    one = rig.transport.height()
    rig.appearance.set_theme(LIGHT.scaled(1.5))
    QApplication.processEvents()
    assert rig.transport.height() > 1.5 * one
    rig.appearance.set_theme(LIGHT)
    rig.window.resize(900, 200)
    QApplication.processEvents()
    assert rig.transport.height() > 1.4 * one
    rig.window.resize(2400, 200)
    qtbot.waitUntil(lambda: rig.transport.height() == one)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_buttons_and_words_are_painted_in_the_colours_of_the_theme(qtbot, look, trace, theme):
    rig = Desk(qtbot, look, theme)
    rig.show(at(trace, 100))
    for widget in (rig.transport.buttons["play"], rig.transport.buttons["event_forward"], rig.transport.status):
        image = rig.window.grab(widget.rect().translated(widget.mapTo(rig.window, QPoint(0, 0)))).toImage()
        seen = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
        assert {QColor(theme.text).name(), QColor(theme.card).name()} <= seen


# -- the line -------------------------------------------------------------------------------------------------------


def pixel(scrubber, x, y):
    return scrubber.grab().toImage().pixelColor(round(x), round(y))


def test_the_line_is_full_up_to_the_cursor_and_lighter_beyond(scrubber, trace):
    behind, beyond = pixel(scrubber, scrubber.x_of(50), 12), pixel(scrubber, scrubber.x_of(300), 12)
    assert behind == QColor(LIGHT.surviving)
    assert pixel(scrubber, scrubber.x_of(100), 12) == QColor(LIGHT.surviving)
    assert beyond.lightness() > behind.lightness()
    assert beyond.hslHue() == pytest.approx(behind.hslHue(), abs=15)
    scrubber.show_playback(None)
    assert pixel(scrubber, 300, 12) == QColor(LIGHT.line)


def test_marks_are_where_subroutines_begin_and_recommendations_change(scrubber, trace):
    scrubber.resize(5000, 24)
    kinds = [event.kind for event in trace]
    starts = [place + 1 for place, kind in enumerate(kinds) if kind == "subroutine started"]
    loops = [place for place in starts[1:] if trace[place - 1].place.i == 1]
    told = [(place + 1, event.target) for place, event in enumerate(trace) if event.kind == "recommended"]
    changes = [place for (_, before), (place, now) in pairwise(told) if now != before]
    assert changes
    assert list(scrubber.marks.loops) == loops
    assert list(scrubber.marks.subroutines) == [place for place in starts if place not in loops]
    assert list(scrubber.marks.changes) == changes
    image = scrubber.grab().toImage()
    for place, color, y in ((changes[0], LIGHT.chosen, 17), (loops[0], LIGHT.dim, 4)):
        x = round(scrubber.x_of(place))
        assert image.pixelColor(x, y) == QColor(color)
        assert image.pixelColor(x + 4, y) != QColor(color)
    end = round(scrubber.x_of(len(trace)))
    assert image.pixelColor(end, 4) == QColor(LIGHT.text)


def test_a_run_that_goes_on_has_no_mark_at_its_end(scrubber, trace):
    scrubber.show_playback(unfinished(trace, 400))
    end = scrubber.x_of(400)
    assert scrubber.maximum() == 400
    assert pixel(scrubber, end, 4) != QColor(LIGHT.text)


def test_marks_of_a_growing_run_are_those_of_the_whole(scrubber, trace):
    playback = unfinished(trace, 0)
    for step in range(0, len(trace), 37):
        playback.trace.extend(trace[step : step + 37])
        playback.catch_up()
        scrubber.show_playback(playback)
        assert scrubber.marks.changes.size <= len(playback.history.recommendations)
    grown = scrubber.marks
    scrubber.show_playback(at(trace, 0))
    whole = scrubber.marks
    for name in ("subroutines", "loops", "changes"):
        np.testing.assert_array_equal(getattr(grown, name), getattr(whole, name))


@given(st.lists(st.integers(0, 10_000), max_size=200), st.integers(1, 300))
def test_a_bin_shows_its_first_and_nothing_is_made_up(events, bins):
    events = np.unique(np.array(events, dtype=np.int64))
    shown = first_in_bins(events, 10_000, bins)
    assert set(shown) <= set(events)
    width = 10_000 / bins
    expected = {}
    for event in events:
        expected.setdefault(min(int(np.searchsorted(np.arange(bins + 1) * width, event, "right")) - 1, bins - 1), event)
    assert list(shown) == list(expected.values())


def test_a_million_events_cost_no_more_than_there_are_pixels(qtbot, trace):
    history = History(Trace(trace.instance))
    count = 500_000
    events = np.arange(count) * 2
    rest = {"rounds": 3.0, "selection_budget": 1.0, "first_round": 0, "finished": -1}
    history.subroutines._add(count, event=events, ell=np.arange(count) // 4, i=1, **rest)
    history.recommendations._add(count, event=events + 1, samples=0, target=np.arange(count) // 3)
    playback = SimpleNamespace(history=history, length=1_000_000, cursor=600_000, complete=True)
    scrubber = Scrubber(Appearance(LIGHT))
    qtbot.addWidget(scrubber)
    scrubber.resize(1000, 24)
    scrubber.show_playback(playback)
    assert 100 < len(scrubber.marks.subroutines) <= 200
    assert 100 < len(scrubber.marks.changes) <= 200
    began = time.thread_time()
    for length in range(1_000_001, 1_000_021):
        scrubber.show_playback(SimpleNamespace(history=history, length=length, cursor=length, complete=False))
        scrubber.grab()
    assert (time.thread_time() - began) / 20 < 0.05


def test_click_drag_and_release(scrubber, qtbot):
    asked = []
    scrubber.cursor_requested.connect(asked.append)

    def point(cursor):
        return QPoint(round(scrubber.x_of(cursor)), 12)

    QTest.mousePress(scrubber, LEFT, pos=point(200))
    QTest.mouseMove(scrubber, point(250))
    QTest.mouseMove(scrubber, point(250) + QPoint(5000, 0))
    scrubber.show_playback(at(scrubber._milestones.history.trace, 7))
    QTest.mouseRelease(scrubber, LEFT, pos=point(250))
    assert asked[0] == pytest.approx(200, abs=1)
    assert asked[-1] == scrubber.maximum()
    assert len(asked) == 3
    assert scrubber.value() == asked[-1], "while it is dragged, it stays under the mouse"
    QTest.mouseMove(scrubber, point(20))
    assert len(asked) == 3
    QTest.mouseClick(scrubber, Qt.MouseButton.RightButton, pos=point(20))
    assert len(asked) == 3


def test_showing_does_not_ask(scrubber, trace, qtbot):
    with qtbot.assertNotEmitted(scrubber.cursor_requested):
        scrubber.show_playback(at(trace, 400))
        scrubber.show_playback(unfinished(trace, 30))
        scrubber.show_playback(None)
    assert (scrubber.maximum(), scrubber.value()) == (0, 0)


def turn(scrubber, delta):
    place = QPointF(50, 12)
    event = QWheelEvent(
        place,
        scrubber.mapToGlobal(place),
        QPoint(),
        QPoint(0, delta),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(scrubber, event)


def test_the_wheel_moves_by_events_also_in_small_turns(scrubber):
    asked = []
    scrubber.cursor_requested.connect(asked.append)
    turn(scrubber, 120)
    turn(scrubber, -360)
    for _ in range(4):
        turn(scrubber, 30)
    assert asked == [101, 98, 99]


def test_keys_of_a_focused_line(scrubber, trace):
    asked = []
    scrubber.cursor_requested.connect(asked.append)
    for key in ("Right", "Left", "End", "Home", "PageUp", "Space"):
        QTest.keyClick(scrubber, Qt.Key[f"Key_{key}"])
    assert asked == [101, 100, len(trace), 0, len(trace) // 20]
    assert scrubber.focusPolicy() == Qt.FocusPolicy.TabFocus


def test_hovering_says_what_is_there(scrubber, trace):
    scrubber.resize(2000, 24)
    place = trace.find(5, 1, 2) + 1
    assert scrubber.text_at(scrubber.x_of(place)) == f"event {place} of {len(trace)} · ℓ5 i1 k2"
    assert scrubber.text_at(0) == f"event 0 of {len(trace)}"
    assert scrubber.text_at(9999) == f"event {len(trace)} of {len(trace)} · the end"
    change = int(scrubber.marks.changes[0])
    assert f"now recommends {trace.instance.target_label(trace[change - 1].target)}" in scrubber.text_at(
        scrubber.x_of(change)
    )
    QTest.mouseMove(scrubber, QPoint(round(scrubber.x_of(place)), 12))
    assert QToolTip.text() == scrubber.text_at(round(scrubber.x_of(place)))
    QToolTip.hideText()


def test_the_words_for_a_place_are_those_of_the_event(trace, budget_trace):
    for names, each in (("ℓik", trace), ("ijk", budget_trace)):
        history = History(each)
        kinds = set()
        for cursor, event in enumerate(each, start=1):
            place, words = event.place, position_text(history, cursor)
            expected = " ".join(
                f"{name}{value}" for name, value in zip(names, (place.ell, place.i, place.k), strict=True)
            )
            if isinstance(event, IdleRounds):
                assert words == expected + (f"–{event.last}" if event.last > event.first else "")
            elif place.k:
                assert words == expected
            elif place.i:
                assert words.startswith(expected.rpartition(" ")[0])
            kinds.add(event.kind)
        assert {"subroutine started", "dimension probed", "eliminated", "idle rounds"} & kinds


def test_an_empty_run_has_a_line_all_the_same(scrubber, trace, qtbot):
    scrubber.show_playback(unfinished(trace, 0))
    with qtbot.assertNotEmitted(scrubber.cursor_requested):
        QTest.mouseClick(scrubber, LEFT, pos=QPoint(300, 12))
        turn(scrubber, 120)
    assert scrubber.text_at(300) == "event 0 of 0"
    assert list(scrubber.marks.subroutines) == []
    assert not scrubber.grab().isNull()
