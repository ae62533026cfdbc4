"""The transport: buttons that move the cursor, buttons of the engine, speed, status, and the timeline."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QSlider,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gems_engine.terminal import THIN, number
from gems_gui.actions.spec import AnyAction
from gems_gui.appearance import Appearance
from gems_gui.icons import icon
from gems_gui.menus.action_set import ActionSet
from gems_gui.series.status import status
from gems_gui.snapshot import Snapshot
from gems_gui.theme import Theme
from gems_gui.transport.scrubber import Scrubber
from gems_gui.widgets.boxes import fill, hbox
from gems_gui.widgets.explained import described, explain
from gems_gui.widgets.fitting_label import FittingLabel
from gems_gui.widgets.symbol_label import SymbolLabel
from gems_gui.workbench.playback import SPEEDS, UNITS, Playback

_MARGIN, _EDGE = 12, 4
_SPACING, _LINE_GAP = 10, 2
_STATUS_LEAST = 210  # pixels before font scaling: the position and the start of the rest
_STATUS_ASIDE = 390  # most of it, next to the timeline
_STATUS_WHOLE = 500  # all of it, for most runs
_SCRUBBER_SHARE = 0.43  # of the width: with less, the timeline gets its own row
_MODIFIERS = {
    "round": Qt.KeyboardModifier.ShiftModifier,
    "subroutine": Qt.KeyboardModifier.ControlModifier,
    "loop": Qt.KeyboardModifier.AltModifier,
}
_ENGINE = ("run", "hold", "stop")


def speed_text(speed: float, unit: str = "round") -> str:
    """A speed in words: "1 round/s", "full speed"; in a race the unit is a decade of samples."""
    if math.isinf(speed):
        return "full speed"
    return f"{number(speed)} {unit}{'s' if speed > 1 else ''}/s"


def nearest_speed(speed: float) -> int:
    """The index in :data:`SPEEDS` of the speed with the nearest ratio."""
    if math.isinf(speed):
        return len(SPEEDS) - 1
    return min(range(len(SPEEDS) - 1), key=lambda at: abs(math.log(SPEEDS[at] / speed)))


def _group(caption: str, *parts: QWidget) -> QFrame:
    """Controls of one thing, named by a caption."""
    box = described(QFrame(), role="part")
    box.setAccessibleName(caption)
    name = described(QLabel(caption), role="section")
    name.setContentsMargins(0, 0, 6, 0)
    fill(hbox(box, 2, margins=(8, 0, 4, 0)), name, *parts)
    return box


class StepButton(QToolButton):
    """A button that steps by an event; with Shift, Ctrl or Alt by the same unit as the arrow keys.

    Its context menu has all steps.
    """

    def __init__(self, direction: str, actions: ActionSet) -> None:
        super().__init__()
        self._steps: dict[str, QAction] = {unit: actions[f"{unit}_{direction}"] for unit in UNITS}
        event = self._steps["event"]
        self.setAccessibleName(event.text())
        self.setToolTip(f"{event.toolTip()}; with Shift a round, with Ctrl a call, with Alt a loop ℓ")
        explain(self, event.statusTip())
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.setAutoRepeat(True)
        self.addActions(list(self._steps.values()))
        self.clicked.connect(self._step)
        event.enabledChanged.connect(self.setEnabled)
        self.setEnabled(event.isEnabled())

    def _step(self) -> None:
        held = QApplication.keyboardModifiers()
        unit = next((unit for unit, modifier in _MODIFIERS.items() if held & modifier), "event")
        self._steps[unit].trigger()


class _Lines(QVBoxLayout):
    """Rows whose number depends on the width: whatever surrounds them is told the height at once.

    Parameters
    ----------
    height_for
        Maps a width to the height of the rows there.
    """

    def __init__(self, parent: QWidget, height_for: Callable[[int], int]) -> None:
        super().__init__(parent)
        self._height_for = height_for

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._height_for(width)

    def minimumHeightForWidth(self, width: int) -> int:
        return self._height_for(width)


class Transport(QFrame):
    """One line of controls, or two or three where it is narrow.

    Parameters
    ----------
    actions
        The actions of the buttons.
    """

    cursor_requested = Signal(int)
    """The user has moved the cursor."""
    speed_chosen = Signal(float)
    """The user has changed the speed, in rounds per second."""

    def __init__(self, actions: ActionSet, appearance: Appearance) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setAccessibleName("Transport")
        self._actions = actions
        self._appearance = appearance
        self._playback: Playback | None = None
        self._lines = 0
        right = Qt.AlignmentFlag.AlignRight
        self.buttons = {spec.id: self._button(spec) for spec in actions.toolbar}
        self._icons = {spec.id: spec.icon for spec in actions.toolbar}
        self._unit = "round"  # what the speed counts
        self.speed = QSlider(Qt.Orientation.Horizontal)
        self.speed.setAccessibleName("Speed")
        explain(self.speed, "Set the speed of playing in rounds per second.")
        self.speed.setRange(0, len(SPEEDS) - 1)
        self.speed.setPageStep(1)
        self.speed.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.speed.valueChanged.connect(self._on_speed_changed)
        longest = max((speed_text(speed, "decade") for speed in SPEEDS), key=len)
        self.speed_label = FittingLabel("Speed as text", appearance, sample=longest)
        self.status = SymbolLabel("Status", appearance, least=_STATUS_LEAST, most=_STATUS_WHOLE)
        self.scrubber = Scrubber(appearance)
        self.counter = FittingLabel("Events shown and recorded", appearance, sample="999 / 999", align=right)
        self.engine = FittingLabel("Engine", appearance, sample=f"running · 99{THIN}999 rounds/s", least=120, most=220)
        self.cursor_group = _group("Cursor", *(each for name, each in self.buttons.items() if name not in _ENGINE))
        self.cursor_group.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self.engine_group = _group("Engine", self.engine, *(self.buttons[name] for name in _ENGINE))
        self.scrubber.cursor_requested.connect(self.cursor_requested)
        self._column = _Lines(self, self._height_for)
        self._rows = [QHBoxLayout() for _ in range(3)]
        fill(self._column, *self._rows)
        appearance.follow(self._apply_theme)
        self.show_snapshot(None, None, "")

    def _button(self, spec: AnyAction) -> QToolButton:
        unit, _, direction = spec.id.partition("_")
        if unit == "event":
            button: QToolButton = StepButton(direction, self._actions)
        else:
            button = QToolButton()
            button.setDefaultAction(self._actions[spec.id])
            button.setAccessibleName(spec.text)
        if spec.label:
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setProperty("role", "tool")
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        return button

    # -- layout -------------------------------------------------------------------------------------------------

    def _apply_theme(self, theme: Theme) -> None:
        side = theme.pixels(18)
        for name, button in self.buttons.items():
            button.setIconSize(QSize(side, side))
            if isinstance(button, StepButton):
                button.setIcon(icon(self._icons[name], theme))
        self.speed.setFixedWidth(theme.pixels(84))
        self._arrange(self._lines_for(self.width()), force=True)

    def _plan(self, lines: int) -> list[list[QWidget]]:
        """The rows for a number of lines; a timeline with its own row comes first."""
        controls: list[QWidget] = [self.cursor_group, self.speed, self.speed_label]
        track: list[QWidget] = [self.scrubber, self.counter, self.engine_group]
        if lines == 1:
            return [[*controls, self.status, *track]]
        if lines == 2:
            return [track, [*controls, self.status]]
        return [[self.scrubber, self.engine_group], [self.cursor_group, self.counter], [*controls[1:], self.status]]

    def _lines_for(self, width: int) -> int:
        """The smallest number of lines in which everything fits."""
        if self._least_width(1) + _SCRUBBER_SHARE * width <= width:
            return 1
        return 2 if self._least_width(2) <= width else 3

    def _height_for(self, width: int) -> int:
        """The height of the lines at a width."""
        rows = self._plan(self._lines_for(width))
        heights = (max(widget.sizeHint().height() for widget in row) for row in rows)
        return sum(heights) + _LINE_GAP * (len(rows) - 1) + 2 * _EDGE

    def _least_width(self, lines: int) -> int:
        """The width that a number of lines needs; for one line, without the timeline."""
        rows = (sum(self._least_of(each, lines) + _SPACING for each in row) - _SPACING for row in self._plan(lines))
        return 2 * _MARGIN + max(rows)

    def _least_of(self, widget: QWidget, lines: int) -> int:
        if lines == 1 and widget in (self.status, self.scrubber):
            return self._appearance.theme.pixels(_STATUS_ASIDE) if widget is self.status else 0
        if widget is self.cursor_group:
            return widget.sizeHint().width()
        if widget is self.speed:
            return widget.minimumWidth()
        return widget.minimumSizeHint().width()

    def _arrange(self, lines: int, force: bool = False) -> None:
        self.setMinimumWidth(self._least_width(3))
        if lines == self._lines and not force:
            return
        self._lines = lines
        for row in self._rows:
            while row.count():
                row.takeAt(0)
        for row, widgets in zip(self._rows, self._plan(lines), strict=False):
            for widget in widgets:
                row.addWidget(widget, self._stretch(widget, lines))
            if self.scrubber not in widgets and self.status not in widgets:
                row.addStretch(1)
        used = len(self._plan(lines))
        for at, row in enumerate(self._rows):
            row.setSpacing(_SPACING if at < used else 0)
        self._column.setContentsMargins(_MARGIN, _EDGE, _MARGIN, _EDGE)
        self._column.setSpacing(_LINE_GAP if lines > 1 else 0)
        self._column.activate()  # now: the widgets have moved to other rows

    def _stretch(self, widget: QWidget, lines: int) -> int:
        return int(widget is self.scrubber or (widget is self.status and lines > 1))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._arrange(self._lines_for(self.width()))
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange(self._lines_for(event.size().width()))

    # -- what it shows ------------------------------------------------------------------------------------------

    def show_snapshot(self, playback: Playback | None, snapshot: Snapshot | None, engine_text: str) -> None:
        """Show the status of a run and of the engine; None if there is no run."""
        if playback is not self._playback:
            self._playback = playback
            for words in (self.status, self.counter, self.engine):
                words.reset()
        self.scrubber.show_playback(playback, snapshot)
        self.scrubber.setEnabled(playback is not None)
        self.engine.set_text(tuple(dict.fromkeys((engine_text, engine_text.partition(" of ")[0]))))
        self._show_status(snapshot)
        self._unit = "round" if playback is None or playback.clock is None else "decade"
        self._show_speed(1.0 if playback is None else playback.speed)
        self.counter.set_text("" if playback is None else f"{number(playback.cursor)} / {number(playback.length)}")

    @property
    def rooms(self) -> tuple[int, ...]:
        """The widths that its texts request next to the timeline."""
        return tuple(words.room for words in (self.status, self.counter, self.engine))

    def set_rooms(self, rooms: Iterable[int]) -> None:
        """Let its texts request these widths, so that the timeline is as long as before."""
        for words, room in zip((self.status, self.counter, self.engine), rooms, strict=True):
            words.set_room(room)

    def _show_status(self, snapshot: Snapshot | None) -> None:
        if snapshot is None:
            self.status.set_text("", "no run yet")
            return
        said = status(snapshot)
        self.status.set_text(said.after_place, said.place)

    def _show_speed(self, speed: float) -> None:
        at = nearest_speed(speed)
        if at != self.speed.value():
            self.speed.blockSignals(True)
            self.speed.setValue(at)
            self.speed.blockSignals(False)
        words = speed_text(speed, self._unit)
        if words != self.speed_label.dim:
            self.speed_label.set_text(words)
            self.speed.setToolTip(f"Speed: {words} ([ slower, ] faster)")

    def _on_speed_changed(self, at: int) -> None:
        self.speed_label.set_text(speed_text(SPEEDS[at], self._unit))
        self.speed_chosen.emit(SPEEDS[at])
