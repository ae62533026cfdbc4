"""The list of keyboard shortcuts, made from the action table."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from gems_gui.actions.spec import AnyAction, sections
from gems_gui.menus.action_set import key_text
from gems_gui.widgets.boxes import grid, hbox, vbox
from gems_gui.widgets.dialogs import Dialog
from gems_gui.widgets.explained import described

_HEADING = 1.5  # lines that a heading takes
_ROOM = 52  # pixels at the sides, and between the keys and the scroll bar
_SCREEN = 0.95  # the largest part of the screen that it takes


class KeySheet(Dialog):
    """All shortcuts with what they do, under headings, in two columns."""

    def __init__(self, parent: QWidget, table: Iterable[AnyAction]) -> None:
        super().__init__(parent, "Keys")
        self.setObjectName("keys")  # a stage has its own size of text
        sheet = QWidget()
        row = hbox(sheet, 28, margins=(0, 0, 12, 0))
        for groups in columns(sections(table)):
            row.addLayout(_column(groups))
        area = QScrollArea()
        area.setWidget(sheet)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        self.column.addWidget(area)
        hint = QLabel("While you type in a field, letters, arrows and Space belong to the field.")
        hint.setProperty("role", "dim")
        hint.setWordWrap(True)
        self.column.addWidget(hint)
        self._sheet, self._area, self._hint = sheet, area, hint
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        """Fit the size to the fonts, which come from the style of the parent and are known from now on."""
        super().showEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Make it as large as its text, if the screen is large enough."""
        for each in self.findChildren(QWidget):
            each.ensurePolished()
        wanted, room = self._sheet.minimumSizeHint(), self.screen().availableSize() * _SCREEN
        bar = self._area.verticalScrollBar().sizeHint().width()
        height = wanted.height() + self.column.spacing() + self._hint.sizeHint().height() + 32
        self.resize(min(wanted.width() + bar + _ROOM, room.width()), min(height, room.height()))


def columns(groups: dict[str, list[AnyAction]]) -> tuple[dict[str, list[AnyAction]], dict[str, list[AnyAction]]]:
    """Split the groups into two columns so that the longer one is as short as possible."""
    names = list(groups)
    lengths = [len(specs) + _HEADING for specs in groups.values()]
    cut = min(range(1, len(names) + 1), key=lambda at: max(sum(lengths[:at]), sum(lengths[at:])))
    return {name: groups[name] for name in names[:cut]}, {name: groups[name] for name in names[cut:]}


def _column(groups: dict[str, list[AnyAction]]) -> QVBoxLayout:
    column = vbox(spacing=4)
    for name, specs in groups.items():
        heading = described(QLabel(name.upper()), role="section")
        column.addWidget(heading)
        rows = grid(spacing=(16, 4), margins=(0, 0, 0, 10), stretched=1)
        for line, spec in enumerate(specs):
            text = described(QLabel(spec.text.removesuffix("…")), tip=spec.tip)
            keys = QLabel(" or ".join(key_text(key) for key in spec.keys if "Enter" not in key))
            keys.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            keys.setProperty("role", "dim")
            rows.addWidget(text, line, 0)
            rows.addWidget(keys, line, 1)
        column.addLayout(rows)
    column.addStretch(1)
    return column
