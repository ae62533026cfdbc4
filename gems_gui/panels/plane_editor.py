"""Direct manipulation of the points in the plane: mouse and keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QHideEvent, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QMenu

from gems_engine.terminal import number, with_indices
from gems_gui.markup import label_text
from gems_gui.panels.plane_plot import PlanePlot
from gems_gui.series.plane import Range, on_grid, to_a_pixel

_A_CLICK = 4.0  # pixels of movement that still count as a click
_FINE = 0.1  # of a step of the grid, with Shift
_MOST_OFFERED = 12  # points in a menu
_KEY, _SHAPE, _MODIFIER = Qt.Key, Qt.CursorShape, Qt.KeyboardModifier
_ARROWS = {_KEY.Key_Left: (-1, 0), _KEY.Key_Right: (1, 0), _KEY.Key_Up: (0, 1), _KEY.Key_Down: (0, -1)}
_PAGES = {_KEY.Key_PageDown: 1, _KEY.Key_PageUp: -1}
_ZOOMS = {_KEY.Key_Plus: True, _KEY.Key_Equal: True, _KEY.Key_Minus: False}


@dataclass(frozen=True)
class _Press:
    """A pressed button.

    Attributes
    ----------
    stack
        The points there, the one that moves first.
    start
        Where that point was, or where the mouse was in the plot.
    silent
        Whether a click does nothing more.
    """

    at: QPointF
    stack: list[int]
    start: Range
    silent: bool


class PlaneEditor(PlanePlot):
    """The plot with points that are grabbed with the mouse and nudged with keys.

    Parameters
    ----------
    words
        Returns the lines about a point, for hovering (False) or while it moves (True).
    name
        Returns the name of a point.

    Signals
    -------
    begun
        A point starts to move: what follows until `dropped` or `cancelled` is one change.
    moved
        A point and its new place.
    dropped, cancelled
        The end of a change; a cancelled one is to be undone.
    picked
        The point that is now selected, or None.
    focus_changed
        The keys of the picture are in use, or no longer.
    """

    begun = Signal()
    moved = Signal(int, object)
    dropped = Signal()
    cancelled = Signal()
    picked = Signal(object)
    focus_changed = Signal()

    def __init__(self, words: Callable[[int, bool], list[str]], name: Callable[[int], str]) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._words, self._name = words, name
        self._press: _Press | None = None
        self._mouse: QPointF | None = None
        self._panning = False
        self.snapping = False

    # -- mouse --------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self.series is None:
            return
        event.accept()
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self._mouse = at = event.position()
        stack = self.stack_at(at)
        if turns := bool(stack and event.modifiers() & _MODIFIER.AltModifier):
            stack = [self._pick_next(stack), *stack]
        start = self.series.place(stack[0]) if stack else self._place(at)
        self._press = _Press(at, stack, (float(start[0]), float(start[1])), turns)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Fit on the background; on a point, the second press of a double click can start a drag."""
        self.mousePressEvent(event)
        if self._press is not None and not self._press.stack:
            self.fit()
            self._press = None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._mouse = event.position()
        if not event.buttons() & Qt.MouseButton.LeftButton:
            self._hover()
        elif self._press is not None:
            if self.dragging is None and not self._panning:
                if (event.position() - self._press.at).manhattanLength() < _A_CLICK:
                    return
                self._start(self._press)
            self._follow(event.position(), bool(event.modifiers() & _MODIFIER.ControlModifier))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        if self.dragging is None:
            self._mouse = None

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self._press is None:
            return
        press, self._press = self._press, None
        if self.dragging is not None:
            self._end()
            self.dropped.emit()
        elif self._panning:
            self._panning = False
        elif len(press.stack) > 1 and not press.silent:
            self._offer(press)
        elif not press.silent:
            self.picked.emit(press.stack[0] if press.stack else None)
        self._show_shape(self.stack_at(event.position()))

    def _place(self, position: QPointF) -> Range:
        place = self.box.mapSceneToView(self.mapToScene(position.toPoint()))
        return place.x(), place.y()

    def _start(self, press: _Press) -> None:
        if not press.stack:
            self._panning = True
            self.setCursor(_SHAPE.SizeAllCursor)
            return
        self.dragging = press.stack[0]
        self.setCursor(_SHAPE.ClosedHandCursor)
        self.begun.emit()
        if self.selected != self.dragging:
            self.picked.emit(self.dragging)

    def _follow(self, mouse: QPointF, snapping: bool) -> None:
        """Move the point, or the picture, by as much as the mouse has moved."""
        assert self._press is not None
        now, then = self._place(mouse), self._place(self._press.at)
        if self.dragging is None:
            self.zoomed = True
            self.box.translateBy(x=self._press.start[0] - now[0], y=self._press.start[1] - now[1])
            return
        self.snapping = snapping
        self.show_grid(snapping)
        x, y = (start + end - begin for start, end, begin in zip(self._press.start, now, then, strict=True))
        x, y = (on_grid(each, self.step) if snapping else to_a_pixel(each, self.pixel[0]) for each in (x, y))
        self._move(self.dragging, (x, y))

    def _move(self, point: int, place: Range) -> None:
        self.moved.emit(point, place)
        if self.series is not None:
            self._say(point)

    def _say(self, point: int) -> None:
        """Show the readout of a moving point next to it."""
        self._say_at(self.position_of(point), with_indices("\n".join(self._words(point, True))))
        self.readout.show()

    def _end(self) -> None:
        self.dragging, self.snapping = None, False
        self.show_grid(False)
        self.readout.hide()

    def _hover(self) -> None:
        """Say which point a press would grab."""
        if self._mouse is None:
            return
        stack = self.stack_at(self._mouse)
        self._show_shape(stack)
        if not stack:
            self.readout.hide()
            return
        said = self._words(stack[0], False)
        if len(stack) > 1:
            others = self._name(stack[1]) if len(stack) == 2 else f"{number(len(stack) - 1)} more"
            said.append(f"Also here: {others} (click, or press Tab)")
        self._say_at(self._mouse, with_indices("\n".join(said)))
        self.readout.show()

    def _show_shape(self, stack: list[int]) -> None:
        self.setCursor(_SHAPE.OpenHandCursor if stack else _SHAPE.ArrowCursor)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom with Ctrl; otherwise the form scrolls."""
        if event.modifiers() & _MODIFIER.ControlModifier and self.series is not None:
            if turned := event.angleDelta().y():
                self.zoom(turned > 0, self._place(event.position()))
            event.accept()
        else:
            event.ignore()

    # -- stacks -------------------------------------------------------------------------------------------------

    def _pick_next(self, stack: list[int], by: int = 1) -> int:
        """Select the next point of a stack, and return it."""
        order = sorted(stack, key=lambda point: (point < 0, point))
        chosen = order[(order.index(stack[0]) + by) % len(order)]
        self.picked.emit(chosen)
        return chosen

    def _offer(self, press: _Press) -> None:
        """Ask which of several points a click means."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for point in press.stack[:_MOST_OFFERED]:
            entry = menu.addAction(label_text(with_indices(self._name(point))))
            entry.setCheckable(True)
            entry.setChecked(point == self.selected)
            entry.setData(point)
        if (more := len(press.stack) - _MOST_OFFERED) > 0:
            menu.addAction(f"{number(more)} more: zoom in with Ctrl and the wheel").setEnabled(False)
        menu.triggered.connect(self._on_chosen)
        menu.popup(self.viewport().mapToGlobal(press.at.toPoint()))

    def _on_chosen(self, entry: object) -> None:
        self.picked.emit(entry.data())  # type: ignore[attr-defined]

    def focusNextPrevChild(self, forwards: bool) -> bool:
        """Go through the points under the mouse with Tab; otherwise Tab leaves the picture."""
        stack = [] if self._mouse is None else self.stack_at(self._mouse)
        if len(stack) < 2:
            return bool(super().focusNextPrevChild(forwards))
        self._pick_next(stack, 1 if forwards else -1)
        self._hover()
        return True

    def viewportEvent(self, event: QEvent) -> bool:
        """Show the tooltip only where no text about a point is."""
        return (event.type() == QEvent.Type.ToolTip and self.readout.isVisible()) or bool(super().viewportEvent(event))

    # -- keys ---------------------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        """Keep the keys of the picture from the shortcuts of the window."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._uses(event):
            event.accept()
            return True
        return bool(super().event(event))

    def _uses(self, event: QKeyEvent) -> bool:
        if self.dragging is not None:
            return True
        plain = not event.modifiers() & ~(_MODIFIER.ShiftModifier | _MODIFIER.KeypadModifier)
        mine = event.key() in _PAGES or event.key() in _ZOOMS
        if self.selected is not None:
            mine = mine or event.key() in _ARROWS or event.key() == _KEY.Key_Escape
        return self.series is not None and plain and mine

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._uses(event):
            event.ignore()
        elif self.dragging is not None:
            self._key_in_drag(event.key(), True)
        elif event.key() in _ARROWS:
            self._nudge(event)
        elif event.key() in _PAGES:
            self._select_next(_PAGES[_KEY(event.key())])
        elif event.key() in _ZOOMS:
            self.zoom(_ZOOMS[_KEY(event.key())])
        else:
            self.picked.emit(None)
            self.readout.hide()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if self.dragging is not None:
            self._key_in_drag(event.key(), False)

    def _key_in_drag(self, key: int, down: bool) -> None:
        """Snap while Ctrl is down, cancel with Esc; no other key has a meaning during a drag."""
        if key == _KEY.Key_Control and self._mouse is not None:
            self._follow(self._mouse, down)
        elif key == _KEY.Key_Escape and down:
            self._cancel()

    def _cancel(self) -> None:
        self._press = None
        self._end()
        self.cancelled.emit()
        self._show_shape([])

    def _nudge(self, event: QKeyEvent) -> None:
        assert self.series is not None
        assert self.selected is not None
        step = self.step * (_FINE if event.modifiers() & _MODIFIER.ShiftModifier else 1.0)
        steps = _ARROWS[_KEY(event.key())]
        x, y = (at + step * by if by else at for at, by in zip(self.series.place(self.selected), steps, strict=True))
        if not event.isAutoRepeat():
            self.begun.emit()
        point = self.selected
        self._move(point, (float(f"{x:.12g}"), float(f"{y:.12g}")))  # without the rounding error of the sum
        self.dropped.emit()
        self._say(point)

    def _select_next(self, by: int) -> None:
        assert self.series is not None
        points = self.series.grips
        at = points.index(self.selected) + by if self.selected in points else min(by, 0)
        self.picked.emit(points[at % len(points)])
        if self.selected is not None:
            self._say(self.selected)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.readout.hide()
        self.viewport().update()
        self.focus_changed.emit()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()
        self.focus_changed.emit()

    def hideEvent(self, event: QHideEvent) -> None:
        """Finish a drag whose release would never arrive."""
        super().hideEvent(event)
        if self.dragging is not None:
            self._press = None
            self._end()
            self.dropped.emit()
