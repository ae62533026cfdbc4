"""What the design debugger is asked for: targets, dimension, solver, what is beside it, N."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QWidget

from gems_engine.errors import InputError
from gems_engine.index_text import targets_text
from gems_engine.terminal import number
from gems_gui.explained import explain
from gems_gui.inquiry import Inquiry, chosen_from, method_from, pulls_from, tolerance_text
from gems_gui.panels.flow_layout import FlowLayout
from gems_gui.panels.form_widgets import ElidingComboBox
from gems_gui.panels.plane import FeatureBox
from gems_gui.series.design.study import CERTIFIED, FRANK_WOLFE, Method, Subject
from gems_gui.theme import Theme, restyle

NOTHING = ""
_SOLVERS = [
    ("certified", CERTIFIED, "The program's own solver: it ends when the gap is proven to be within the tolerance"),
    ("Frank–Wolfe, 1 %", FRANK_WOLFE, "As published: it ends when the value changes by less than 1 %"),
]


class DesignPickers(QWidget):
    """A line of inputs that breaks where it is narrow.

    Signals
    -------
    asked
        The new `Inquiry`.
    refused
        Why what was typed means nothing, one sentence; empty: it does.
    """

    asked = Signal(object)
    refused = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._inquiry = Inquiry()
        self._subject: Subject | None = None
        self.targets = self._line("Targets", "Whose differences are the directions, as in 0,3,7 or 0-4,9")
        self.targets.setPlaceholderText("as in the run")
        self.d = FeatureBox()
        self.d.setAccessibleName("Dimension d")
        explain(self.d, "The dimension d: only the first d features count")
        self.d.setKeyboardTracking(False)
        self.d.valueChanged.connect(self._pick_problem)
        self.solver = self._combo("Solver", _SOLVERS)
        self.tolerance = self._line("Tolerance", "The relative gap that the certified solver is asked to prove")
        nothing = ("nothing", NOTHING, "No other design is solved")
        self.beside = self._combo("Beside it", [nothing, *_SOLVERS])
        self.beside_tolerance = self._line("Tolerance of the design beside it", "The relative gap of that design")
        self.pulls = self._line("N", "How many pulls the design is rounded to")
        self.targets.editingFinished.connect(self._pick_problem)
        for line in (self.tolerance, self.beside_tolerance, self.pulls):
            line.editingFinished.connect(self._pick_method)
        for combo in (self.solver, self.beside):
            combo.activated.connect(self._pick_method)
        flow = FlowLayout(self)
        for words, *inputs in (
            ("Targets", self.targets, "in R^", self.d),
            ("Solver", self.solver, "to", self.tolerance),
            ("beside it", self.beside, "to", self.beside_tolerance),
            ("N", self.pulls),
        ):
            flow.addWidget(self._group(str(words), *inputs))
        self.set_theme(theme)

    def _line(self, name: str, tip: str) -> QLineEdit:
        line = QLineEdit()
        line.setAccessibleName(name)
        explain(line, tip)
        return line

    def _combo(self, name: str, items: list[tuple[str, str, str]]) -> ElidingComboBox:
        combo = ElidingComboBox(name)
        combo.fill(items)
        combo.choose(items[0][1])
        combo.setWhatsThis(f"{name}: {items[0][2]}.")
        combo.setStatusTip(f"{name} of the design.")
        return combo

    def _group(self, *parts: object) -> QWidget:
        """A label and its inputs, which stay together."""
        group = QWidget()
        row = QHBoxLayout(group)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for part in parts:
            if isinstance(part, QWidget):
                row.addWidget(part)
            else:
                label = QLabel(str(part))
                label.setProperty("role", "dim")
                row.addWidget(label)
        return group

    def inputs(self) -> list[QWidget]:
        """What takes the focus, from the left."""
        return [
            self.targets,
            self.d,
            self.solver,
            self.tolerance,
            self.beside,
            self.beside_tolerance,
            self.pulls,
        ]

    def set_theme(self, theme: Theme) -> None:
        """Widths by the font."""
        for widget, width in (
            (self.targets, 130),
            (self.d, 52),
            (self.solver, 150),
            (self.tolerance, 66),
            (self.beside, 150),
            (self.beside_tolerance, 66),
            (self.pulls, 92),
        ):
            widget.setFixedWidth(theme.pixels(width))

    # -- what is shown ------------------------------------------------------------------------------------------

    def show_inquiry(self, inquiry: Inquiry, subject: Subject | None) -> None:
        """Show what is asked for; a field that somebody types in stays as it is."""
        self._inquiry, self._subject = inquiry, subject
        self.setEnabled(subject is not None or inquiry.pinned)
        if subject is None:
            return
        self.d.blockSignals(True)
        self.d.setRange(1, subject.instance.D)
        self.d.setValue(subject.d)
        self.d.blockSignals(False)
        self.solver.choose(subject.method.solver)
        self.beside.choose(NOTHING if inquiry.beside is None else inquiry.beside.solver)
        self._put(self.targets, targets_text(subject.chosen))
        self._put(self.tolerance, tolerance_text(subject.method))
        self._put(self.beside_tolerance, "" if inquiry.beside is None else tolerance_text(inquiry.beside))
        self._put(self.pulls, "" if inquiry.pulls is None else str(inquiry.pulls))
        self.pulls.setPlaceholderText(number(subject.pulls))
        self.tolerance.setEnabled(subject.method.solver == CERTIFIED)
        self.beside_tolerance.setEnabled(inquiry.beside is not None and inquiry.beside.solver == CERTIFIED)

    def _put(self, line: QLineEdit, text: str) -> None:
        if line.text() != text and not (line.hasFocus() and line.isModified()):
            line.setText(text)
            line.setCursorPosition(0)
            self._mark(line, False)

    def _mark(self, line: QLineEdit, invalid: bool) -> None:
        if bool(line.property("invalid")) != invalid:
            line.setProperty("invalid", invalid)
            restyle(line)

    # -- what is picked -----------------------------------------------------------------------------------------

    def _pick_problem(self) -> None:
        """Other targets or another dimension: from now on the cursor does not change them."""
        subject = self._subject
        if subject is None:
            return
        try:
            chosen = chosen_from(self.targets.text(), len(subject.instance.targets))
        except InputError as error:
            self._refuse(self.targets, error)
            return
        self._accept(self.targets)
        if chosen is None:
            self.asked.emit(self._inquiry.following())
        elif (chosen, self.d.value()) != (subject.chosen, subject.d):
            picked = replace(self._inquiry, chosen=chosen, d=self.d.value(), pulls=None)
            self.asked.emit(picked)

    def _pick_method(self) -> None:
        """Another solver, tolerance, comparison or N."""
        subject = self._subject
        if subject is None:
            return
        try:
            line = self.tolerance
            method = method_from(self.solver.currentData(), line.text() if line.isEnabled() else "")
            line = self.beside_tolerance
            beside: Method | None = None
            if self.beside.currentData() != NOTHING:
                beside = method_from(self.beside.currentData(), line.text() if line.isEnabled() else "")
            line = self.pulls
            pulls = pulls_from(line.text())
        except InputError as error:
            self._refuse(line, error)
            return
        for line in (self.tolerance, self.beside_tolerance, self.pulls):
            self._accept(line)
        before = self._inquiry
        chosen = before.method if method == subject.method else method
        asked = replace(before, method=chosen, beside=beside, pulls=pulls)
        if (asked.method, asked.beside, asked.pulls) != (before.method, before.beside, before.pulls):
            self.asked.emit(asked)

    def _refuse(self, line: QLineEdit, error: InputError) -> None:
        self._mark(line, True)
        self.refused.emit(str(error))

    def _accept(self, line: QLineEdit) -> None:
        line.setModified(False)
        self._mark(line, False)
        self.refused.emit("")
