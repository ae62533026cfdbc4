"""The timeline of a run: the cursor, starts of subroutines, changed recommendations and problems."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractSlider, QSizePolicy, QToolTip

from gems_engine.arrays import Floats, Integers
from gems_engine.problems import KINDS, Problems
from gems_engine.terminal import number
from gems_gui.appearance import Appearance
from gems_gui.markup import plain_text
from gems_gui.series.scrubber import NO_MARKS, Milestones, ScrubberMarks, marks_of, position_text
from gems_gui.snapshot import Snapshot
from gems_gui.theme import Theme
from gems_gui.workbench.playback import Playback

_HANDLE = 6  # radius of the handle and margin at both ends
_TRACK = 4  # height of the line
_TICK_EVERY = 5  # least distance of marks in pixels
_PROBLEM = 3  # pixels, the width of the mark of a problem
_NOTCH = 120  # what Qt calls one notch of a wheel


class Scrubber(QAbstractSlider):
    """A slider from 0 to the number of recorded events; its value is the cursor.

    The mouse, the wheel (one event per notch) and, with the focus, the keys of a slider move it. Space is not
    among them.
    """

    cursor_requested = Signal(int)
    """The user has moved the cursor."""

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.setOrientation(Qt.Orientation.Horizontal)
        self.setAccessibleName("Timeline")
        self.setStatusTip("Drag, or use the wheel, to move the cursor through the run.")
        self.setWhatsThis(
            "The whole run, event by event. Marks above the line show where calls and loops begin, those below "
            "where the recommendation changed. Marks at the upper edge are problems: long ones errors, short ones "
            "warnings. The lighter part is computed but not shown yet."
        )
        self.setAccessibleDescription("The number of events shown. Drag or use the wheel to move the cursor.")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # not by a click: the arrow keys must still step
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self.setRange(0, 0)
        self.setSingleStep(1)
        self._appearance = appearance
        self._milestones: Milestones | None = None
        self._problems: Problems | None = None
        self._truth = True
        self._finished = False
        self._wheel_delta = 0
        self._marks: ScrubberMarks | None = None
        self._marked: tuple[object, ...] = ()
        self.valueChanged.connect(self.cursor_requested)
        appearance.follow(self._apply_theme)

    # -- what it shows ------------------------------------------------------------------------------------------

    def show_playback(self, playback: Playback | None, snapshot: Snapshot | None = None) -> None:
        """Show the cursor of a run and, with a snapshot, its problems; None for no run. Emits no signal."""
        history = None if playback is None else playback.history
        known = None if self._milestones is None else self._milestones.history
        if history is not known:
            self._milestones = None if history is None else Milestones(history)
            self._marks = None
        length = 0 if playback is None else playback.length
        finished = playback is not None and playback.complete
        self.blockSignals(True)
        if length != self.maximum():
            self.setRange(0, length)
            self.setPageStep(max(1, length // 20))
        if playback is not None and not self.isSliderDown():
            self.setValue(playback.cursor)
        self.blockSignals(False)
        truth = snapshot is None or snapshot.truth
        if history is not known or finished != self._finished or truth != self._truth:
            self.update()
        self._finished, self._truth = finished, truth
        self._problems = None if snapshot is None else snapshot.problems

    def _apply_theme(self, theme: Theme) -> None:
        self.updateGeometry()
        self.update()

    @property
    def marks(self) -> ScrubberMarks:
        """The marks at this width: as many as can be told apart."""
        if self._milestones is None:
            return NO_MARKS
        problems = self._problems
        key = (self.maximum(), self.width(), self._truth, problems, 0 if problems is None else len(problems))
        if self._marks is None or self._marked != key:
            bins = max(1, int(self._room()) // _TICK_EVERY)
            self._marked = key
            self._marks = marks_of(self._milestones, problems, self._truth, self.maximum(), bins)
        return self._marks

    def text_at(self, x: float) -> str:
        """A description of a position on the line: "event 213 of 640 · ℓ5 i1 k3"."""
        if self._milestones is None:
            return ""
        history, cursor = self._milestones.history, self.cursor_at(x)
        words = f"event {number(cursor)} of {number(self.maximum())}"
        if self._finished and cursor == self.maximum():
            words += " · the end"
        elif cursor and (place := position_text(history, cursor)):
            words += f" · {place}"
        near = self._near(self.marks.changes, x)
        if len(near):
            row = int(np.searchsorted(history.recommendations.event, near[0] - 1))
            target = int(history.recommendations.target[row])
            words += f" · now recommends {history.trace.instance.target_label(target)}"
        return " · ".join((words, *self._problem_text(x)))

    def _near(self, cursors: Integers, x: float) -> Integers:
        """The cursors whose marks are under the mouse."""
        return cursors[np.abs(self._places(cursors) - x) <= _TICK_EVERY / 2 + 1]

    def _problem_text(self, x: float) -> list[str]:
        """The problems at a position on the line, each kind once."""
        if self._problems is None:
            return []
        marked = np.concatenate([self._near(each, x) for each in (self.marks.errors, self.marks.warnings)])
        problems = [each for cursor in marked.tolist() for each in self._problems.at(cursor - 1, self._truth)]
        severe = [each for each in problems if each.severity != "note"]
        return list(dict.fromkeys(f"{each.severity}: {KINDS[each.kind][1]}" for each in severe))

    # -- positions-----------------------------------------------------------------------------------------------

    def _room(self) -> float:
        return max(1.0, self.width() - 2 * self._radius())

    def _radius(self) -> int:
        return self._appearance.theme.pixels(_HANDLE)

    def _places(self, cursors: Integers) -> Floats:
        return np.asarray(self._radius() + cursors * (self._room() / max(1, self.maximum())), dtype=np.float64)

    def _pixels(self, cursors: Integers) -> list[int]:
        found: list[int] = np.rint(self._places(cursors)).astype(int).tolist()
        return found

    def x_of(self, cursor: int) -> float:
        """The x of a cursor."""
        return self._radius() + self._room() * cursor / max(1, self.maximum())

    def cursor_at(self, x: float) -> int:
        """The cursor at an x."""
        return min(max(round((x - self._radius()) / self._room() * self.maximum()), 0), self.maximum())

    def sizeHint(self) -> QSize:
        return QSize(self._appearance.theme.pixels(320), self._appearance.theme.pixels(24))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._appearance.theme.pixels(140), self._appearance.theme.pixels(24))

    # -- painting -----------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, middle, left = self._appearance.theme, self.height() / 2, float(self._radius())
        height = theme.pixels(_TRACK)
        top, here = middle - height / 2, self.x_of(self.value())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("line"))
        painter.drawRoundedRect(QRectF(left, top, self._room(), height), height / 2, height / 2)
        if self.maximum():
            painter.setBrush(theme.color("surviving", 90))  # computed, not shown yet
            painter.drawRoundedRect(QRectF(left, top, self._room(), height), height / 2, height / 2)
            painter.setBrush(theme.color("surviving"))
            painter.drawRoundedRect(QRectF(left, top, here - left, height), height / 2, height / 2)
            self._paint_marks(painter, middle, height)
        painter.setBrush(theme.color("surviving" if self.isEnabled() and self.maximum() else "before"))
        if self.hasFocus():
            painter.setPen(theme.color("text"))
        painter.drawEllipse(QRectF(here - left, middle - left, 2 * left, 2 * left).adjusted(0.5, 0.5, -0.5, -0.5))

    def _paint_marks(self, painter: QPainter, middle: float, height: float) -> None:
        theme, marks = self._appearance.theme, self.marks
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        small, large = theme.pixels(4), theme.pixels(7)
        for role, cursors, above, below in (
            ("dim", marks.subroutines, small, 0),
            ("dim", marks.loops, large, 0),
            ("chosen", marks.changes, 0, large),
        ):
            places = self._pixels(cursors)
            over, under = round(middle - height / 2) - above, round(middle + height / 2)
            painter.setBrush(theme.color(role))
            if above:
                painter.drawRects([QRect(x, over, 1, above) for x in places])
            if below:
                painter.drawRects([QRect(x - 1, under, 2, below) for x in places])
        for role, cursors, long in (("best", marks.warnings, small), ("now", marks.errors, large - 1)):
            painter.setBrush(theme.color(role))
            painter.drawRects([QRect(x - 1, 0, _PROBLEM, long) for x in self._pixels(cursors)])
        if self._finished:
            end = round(self.x_of(self.maximum()))
            painter.fillRect(QRectF(end - 1, middle - large - 1, 2, 2 * large + 2), theme.color("text"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    # -- moving -------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or not self.maximum():
            event.ignore()
            return
        self.setSliderDown(True)
        self.setValue(self.cursor_at(event.position().x()))
        self._show_tooltip(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown():
            self.setValue(self.cursor_at(event.position().x()))
        self._show_tooltip(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(False)

    def wheelEvent(self, event: QWheelEvent) -> None:
        turned = event.angleDelta()
        self._wheel_delta += turned.y() or turned.x()
        notches = int(self._wheel_delta / _NOTCH)
        self._wheel_delta -= notches * _NOTCH
        self.setValue(self.value() + notches)
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        QToolTip.hideText()
        super().leaveEvent(event)

    def _show_tooltip(self, event: QMouseEvent) -> None:
        place = event.globalPosition().toPoint()
        below = QPoint(0, self._appearance.theme.pixels(6))
        QToolTip.showText(place + below, plain_text(self.text_at(event.position().x())), self)
