"""The inputs of the design debugger: targets, dimension, solver, comparison, N."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QAbstractSpinBox, QLabel, QLineEdit, QWidget

from gems_engine.commands.command import whole
from gems_engine.errors import InputError
from gems_engine.index_text import targets_text
from gems_engine.terminal import number
from gems_gui.analysis.inquiry import Inquiry, chosen_from, method_from, pulls_from, tolerance_text
from gems_gui.appearance import Appearance
from gems_gui.design_study import CERTIFIED, FRANK_WOLFE, Method, Subject
from gems_gui.theme import Theme, restyle
from gems_gui.widgets.boxes import hbox
from gems_gui.widgets.explained import explain
from gems_gui.widgets.feature_box import FeatureBox
from gems_gui.widgets.flow_layout import FlowLayout
from gems_gui.widgets.form_widgets import DraftLine, ElidingComboBox, asks_to_undo

NOTHING = ""
_SOLVERS = [
    ("certified", CERTIFIED, "This program's solver: it stops when the gap is proven to be within the tolerance"),
    ("Frank–Wolfe, 1 %", FRANK_WOLFE, "As published: it stops when the value changes by less than 1 %"),
]


_MOST_TYPED = 99_999  # the largest d that can be typed, so that a message says that it is too large
_TARGETS = 130, 420  # smallest and largest width of the targets, in pixels before font scaling


class PickerLine(DraftLine):
    """A line edit that passes undo and redo to the window, unless its text is being edited."""

    def event(self, event: QEvent) -> bool:
        return QLineEdit.event(self, event) if self.isModified() else super().event(event)


class DimensionBox(FeatureBox):
    """A dimension: the arrow keys stay within the valid range, but any number can be typed."""

    most = 1

    def __init__(self) -> None:
        super().__init__()
        self.setRange(0, _MOST_TYPED)

    def stepBy(self, steps: int) -> None:
        self.setValue(min(max(self.value() + steps, 1), self.most))

    def stepEnabled(self) -> QAbstractSpinBox.StepEnabledFlag:
        flag = QAbstractSpinBox.StepEnabledFlag
        up = flag.StepUpEnabled if self.value() < self.most else flag.StepNone
        return up | flag.StepDownEnabled if self.value() > 1 else up

    def event(self, event: QEvent) -> bool:
        if asks_to_undo(event):
            event.ignore()
            return True
        return super().event(event)


class DesignPickers(QWidget):
    """A row of inputs that wraps.

    Signals
    -------
    query_changed
        The new `Inquiry`.
    refused
        What is wrong with the input, in one sentence, or empty.
    """

    query_changed = Signal(object)
    refused = Signal(str)

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self._inquiry = Inquiry()
        self._subject: Subject | None = None
        self.targets = self._line(
            "Targets",
            "Choose the targets by label or index, as in x_3,x_7 or 0-4,9: their differences are the directions",
        )
        self.targets.setPlaceholderText("as in the run")
        self.targets.textChanged.connect(self._fit_targets)
        self.d = DimensionBox()
        self.d.setAccessibleName("Dimension d")
        explain(self.d, "Choose the dimension d: the design uses only the first d features")
        self.d.valueChanged.connect(self._pick_problem)
        self.solver = self._combo("Solver", _SOLVERS)
        self.tolerance = self._line("Tolerance", "Set the relative gap that the certified solver must prove")
        nothing = ("none", NOTHING, "Solve no other design")
        self.compared = self._combo("Compare with", [nothing, *_SOLVERS])
        self.compared_tolerance = self._line(
            "Tolerance of the comparison", "Set the relative gap of the design to compare with"
        )
        self.pulls = self._line("N", "Set the number of pulls that the design is rounded to")
        self.targets.editingFinished.connect(self._pick_problem)
        for line in (self.tolerance, self.compared_tolerance, self.pulls):
            line.editingFinished.connect(self._pick_method)
        for combo in (self.solver, self.compared):
            combo.activated.connect(self._pick_method)
        flow = FlowLayout(self)
        for words, *inputs in (
            ("Targets", self.targets, "in dimension", self.d),
            ("Solver", self.solver, "to", self.tolerance),
            ("compare with", self.compared, "to", self.compared_tolerance),
            ("N", self.pulls),
        ):
            flow.addWidget(self._group(str(words), *inputs))
        appearance.follow(self._apply_theme)

    def _line(self, name: str, tip: str) -> QLineEdit:
        line = PickerLine()
        line.setAccessibleName(name)
        explain(line, tip)
        return line

    def _combo(self, name: str, items: list[tuple[str, str, str]]) -> ElidingComboBox:
        combo = ElidingComboBox(name)
        combo.fill(items)
        combo.choose(items[0][1])
        combo.setWhatsThis(f"{name}: {items[0][2]}.")
        combo.setStatusTip(f"{name}: choose a solver.")
        return combo

    def _group(self, *parts: object) -> QWidget:
        """A label and its inputs, kept together."""
        group = QWidget()
        row = hbox(group, 6)
        for part in parts:
            if isinstance(part, QWidget):
                row.addWidget(part)
            else:
                label = QLabel(str(part))
                label.setProperty("role", "dim")
                row.addWidget(label)
        return group

    def inputs(self) -> list[QWidget]:
        """The inputs in tab order."""
        return [
            self.targets,
            self.d,
            self.solver,
            self.tolerance,
            self.compared,
            self.compared_tolerance,
            self.pulls,
        ]

    def _apply_theme(self, theme: Theme) -> None:
        """Set widths by the font."""
        self._fit_targets()
        for widget, width in (
            (self.d, 52),
            (self.solver, 150),
            (self.tolerance, 66),
            (self.compared, 150),
            (self.compared_tolerance, 66),
            (self.pulls, 92),
        ):
            widget.setFixedWidth(theme.pixels(width))

    def _fit_targets(self) -> None:
        """Make the field as wide as its text, within limits."""
        least, most = (self._appearance.theme.pixels(each) for each in _TARGETS)
        wanted = self.targets.fontMetrics().horizontalAdvance(self.targets.text()) + self._appearance.theme.pixels(24)
        width = max(least, min(wanted, most, self.width() // 2))
        if width != self.targets.width():
            self.targets.setFixedWidth(width)

    # -- display ------------------------------------------------------------------------------------------------

    def show_inquiry(self, inquiry: Inquiry, subject: Subject | None) -> None:
        """Show an inquiry; a field that is being edited is not changed."""
        self._inquiry, self._subject = inquiry, subject
        self.setEnabled(subject is not None or inquiry.pinned)
        if subject is None:
            return
        self.d.most = subject.instance.D
        if not (self.d.hasFocus() and self.d.property("invalid")):
            self.d.blockSignals(True)
            self.d.setValue(subject.d)
            self.d.blockSignals(False)
            self._forget(self.d)
        self.solver.choose(subject.method.solver)
        self.compared.choose(NOTHING if inquiry.compared is None else inquiry.compared.solver)
        self._put(self.targets, targets_text(subject.chosen, subject.instance.target_labels))
        self._put(self.tolerance, tolerance_text(subject.method))
        self._put(self.compared_tolerance, "" if inquiry.compared is None else tolerance_text(inquiry.compared))
        self._put(self.pulls, "" if inquiry.pulls is None else str(inquiry.pulls))
        self.pulls.setPlaceholderText(number(subject.pulls))
        self.tolerance.setEnabled(subject.method.solver == CERTIFIED)
        self.compared_tolerance.setEnabled(inquiry.compared is not None and inquiry.compared.solver == CERTIFIED)

    def _put(self, line: QLineEdit, text: str) -> None:
        if line.text() != text and not (line.hasFocus() and line.isModified()):
            line.setText(text)
            line.setCursorPosition(0)
            self._forget(line)

    def _forget(self, line: QWidget) -> None:
        """Clear the error of a field, as its text has changed."""
        if line.property("invalid"):
            self._mark(line, False)
            self.refused.emit("")

    def _mark(self, line: QWidget, invalid: bool) -> None:
        if bool(line.property("invalid")) != invalid:
            line.setProperty("invalid", invalid)
            restyle(line)

    # -- input --------------------------------------------------------------------------------------------------

    def _pick_problem(self) -> None:
        """Take targets and dimension from the fields; from now on they do not follow the cursor."""
        subject = self._subject
        if subject is None:
            return
        try:
            field: QLineEdit | DimensionBox = self.targets
            chosen = chosen_from(self.targets.text(), subject.instance)
            field = self.d
            d = whole(str(self.d.value()), subject.d, "d", 1, subject.instance.D)
        except InputError as error:
            self._refuse(field, error)
            return
        for field in (self.targets, self.d):
            self._accept(field)
        if chosen is None:
            self.query_changed.emit(self._inquiry.following())
        elif (chosen, d) != (subject.chosen, subject.d):
            self.query_changed.emit(self._inquiry.picking(chosen, d))

    def _pick_method(self) -> None:
        """Take solver, tolerance, comparison and N from the fields."""
        subject = self._subject
        if subject is None:
            return
        try:
            line = self.tolerance
            method = method_from(self.solver.currentData(), line.text() if line.isEnabled() else "")
            line = self.compared_tolerance
            compared: Method | None = None
            if self.compared.currentData() != NOTHING:
                compared = method_from(self.compared.currentData(), line.text() if line.isEnabled() else "")
            line = self.pulls
            pulls = pulls_from(line.text())
        except InputError as error:
            self._refuse(line, error)
            return
        for line in (self.tolerance, self.compared_tolerance, self.pulls):
            self._accept(line)
        before = self._inquiry
        chosen = before.method if method == subject.method else method
        asked = replace(before, method=chosen, compared=compared, pulls=pulls)
        if (asked.method, asked.compared, asked.pulls) != (before.method, before.compared, before.pulls):
            self.query_changed.emit(asked)

    def _refuse(self, line: QWidget, error: InputError) -> None:
        self._mark(line, True)
        self.refused.emit(str(error))

    def _accept(self, line: QWidget) -> None:
        if isinstance(line, QLineEdit):
            line.setModified(False)
        self._mark(line, False)
        self.refused.emit("")
