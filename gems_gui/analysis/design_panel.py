"""The widget of the design debugger: inputs at the top, then a table of the designs, then the plots."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QCheckBox, QLabel, QMenu, QPushButton, QToolButton, QWidget

from gems_engine.terminal import plural, superscript
from gems_gui.analysis.design_debugger import DesignDebugger
from gems_gui.analysis.design_pickers import DesignPickers
from gems_gui.appearance import Appearance
from gems_gui.board.card_grid import CardGrid
from gems_gui.board.stale_veil import StaleVeil
from gems_gui.design_study import Study, step_text
from gems_gui.icons import icon
from gems_gui.menus.action_set import ActionSet
from gems_gui.theme import Theme
from gems_gui.views import DESIGN_VIEWS
from gems_gui.views.design.weights import StudiedWeights
from gems_gui.views.view import View
from gems_gui.widgets.boxes import fill, hbox, vbox
from gems_gui.widgets.explained import described, explain
from gems_gui.widgets.fitting_label import FittingLabel
from gems_gui.widgets.form_widgets import WrappingLabel
from gems_gui.workbench.layouts import GAP

_NUDGES = {Qt.Key.Key_Plus: 1, Qt.Key.Key_Minus: -1}
_WIDE = 900  # pixels before font scaling, from which the title is shown
_NUDGE = 0.01
_SMALL_NUDGE = 0.001
_HOW_TO = "Drag a bar of Weights λ to change it. Improve takes one step towards the optimum."
_MOST_ROWS = 4  # of the table that are visible without scrolling


class DesignPanel(QWidget):
    """Shown instead of the board.

    Signals
    -------
    arm_picked, target_picked
        As for a view.
    save_picture_asked, close_asked
        The button was pressed; other buttons trigger actions of the window.
    """

    arm_picked = Signal(object)
    target_picked = Signal(object)
    view_failed = Signal(str, str)
    """A view cannot be drawn: a sentence, and a report."""
    save_picture_asked = Signal()
    close_asked = Signal()

    def __init__(self, debugger: DesignDebugger, actions: ActionSet, appearance: Appearance) -> None:
        super().__init__()
        self.setAccessibleName("Design debugger")
        self.debugger = debugger
        self._appearance = appearance
        self._refused = ""
        self.title = described(QLabel("Design debugger"), role="title")
        self.title.hide()
        self.words = FittingLabel("Subject", appearance, least=60, most=2000)
        self.follow = described(QCheckBox("Follow the cursor"), about="Examine the design of the round at the cursor.")
        self.follow.clicked.connect(self._follow)
        self.own = self._button("Solver's λ", "Discard the custom weights and go back to the solver's")
        self.own.clicked.connect(debugger.solver_weights)
        self.improve = self._button("Improve", "Take one step towards better weights (Ctrl+I); Undo takes it back")
        self.improve.clicked.connect(actions["improve_weights"].trigger)
        self.certify = self._button(
            "Certify weights…", "Load weights from a CSV, NPY, NPZ or JSON file and examine them"
        )
        self.certify.clicked.connect(actions["certify_weights"].trigger)
        self.save = self._button("Save…", "Save the problem or the weights for gems design and certify, or a picture")
        self.save.setMenu(self._save_menu(actions))
        self.close_button = QToolButton()
        self.close_button.setAccessibleName("Close the design debugger")
        explain(self.close_button, "Close the design debugger and show the views of the run again (Ctrl+Shift+D)")
        self.close_button.clicked.connect(self.close_asked)
        self.pickers = DesignPickers(appearance)
        self.pickers.query_changed.connect(debugger.ask)
        self.pickers.refused.connect(self._refuse)
        self.error = WrappingLabel("error", self)
        self.error.hide()
        self.step = FittingLabel("The last step", appearance, least=60, most=2000)
        views = {name: kind(appearance) for name, kind in DESIGN_VIEWS.items()}
        self.views: dict[str, View] = views
        across, *rest = views.values()
        self.grid = CardGrid(across, rest, appearance)
        self.grid.key_pressed.connect(self._key)
        self.veil = StaleVeil(self.grid.viewport(), appearance)
        for view in views.values():
            view.arm_picked.connect(self.arm_picked)
            view.target_picked.connect(self.target_picked)
            view.failed.connect(self.view_failed)
        weights = views["design-weights"]
        assert isinstance(weights, StudiedWeights)
        weights.let_drag()
        weights.weight_dragged.connect(debugger.drag)
        weights.weight_dropped.connect(debugger.drop)
        weights.drag_given_up.connect(debugger.give_up)
        self._lay_out()
        appearance.follow(self._apply_theme)
        debugger.changed.connect(self.refresh)

    def _button(self, words: str, tip: str) -> QPushButton:
        return described(QPushButton(words), about=f"{tip}.")

    def _save_menu(self, actions: ActionSet) -> QMenu:
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        for words, tip, asked in (
            (
                "Problem…",
                "Save targets and dimension, for gems design and gems certify",
                actions["save_problem"].trigger,
            ),
            ("Weights…", "Save the weights shown, for gems certify", actions["save_weights"].trigger),
            (
                "Certificate…",
                "Save weights, bounds and their proof, for gems certify --check and docs/check_certificate.py",
                actions["save_certificate"].trigger,
            ),
            ("Picture…", "Save all views as they are now, as a PNG", self.save_picture_asked),
        ):
            action = QAction(words, menu)
            action.setToolTip(tip)
            action.setStatusTip(f"{tip}.")
            action.triggered.connect(asked)
            menu.addAction(action)
        return menu

    def _lay_out(self) -> None:
        row = hbox(spacing=8)
        row.addWidget(self.title)
        row.addSpacing(6)
        row.addWidget(self.words, 1)
        buttons = (self.follow, self.own, self.improve, self.certify, self.save, self.close_button)
        fill(row, *buttons)
        fill(vbox(self, GAP), row, self.pickers, self.step, self.error, (self.grid, 1))
        stops: list[QWidget] = [*buttons, *self.pickers.inputs()]
        for view in self.views.values():
            stops += [view.head.options, view.body] if view.is_plot else [view.body]
        for before, after in pairwise(stops):
            QWidget.setTabOrder(before, after)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.title.setVisible(self.width() >= self._appearance.theme.pixels(_WIDE))

    def _apply_theme(self, theme: Theme) -> None:
        self.close_button.setIcon(icon("close", theme))
        self.error.setMinimumHeight(self.step.sizeHint().height())

    # -- display ------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Show the current state of the debugger."""
        debugger = self.debugger
        subject, study = debugger.subject, debugger.study
        self.pickers.show_inquiry(debugger.inquiry, subject)
        self.follow.setChecked(not debugger.inquiry.pinned)
        self.own.setVisible(debugger.inquiry.custom is not None)
        for button in (self.certify, self.save):
            button.setEnabled(subject is not None)
        self.improve.setEnabled(study is not None and study.subject is subject and not debugger.improving)
        step = None if debugger.inquiry.custom is None else debugger.inquiry.custom.step
        self.step.set_text(debugger.note or (_HOW_TO if step is None else step_text(step)))
        dim = ""
        if subject is not None:
            dim = f"{subject.words} · {plural(len(subject.chosen), 'target')} in R{superscript(subject.d)}"
        improving = "improving" if debugger.improving else ""
        self.words.set_text(" · ".join(filter(None, (dim, debugger.waits, improving))))
        self.veil.set_reason(debugger.waits if study is None or study.subject is not subject else "")
        self._show_result()
        snapshot = None
        if debugger.snapshot is not None and study is not None:
            snapshot = replace(debugger.snapshot, study=study)
        self.grid.show_snapshot(snapshot)
        self.grid.set_rows(_rows(study))

    def _show_result(self) -> None:
        refusal = self._refused or self.debugger.refusal
        if refusal:
            self.step.hide()  # the error has its place: the views do not move
        self.error.show_text(refusal)
        self.step.setVisible(not refusal)

    def _refuse(self, sentence: str) -> None:
        self._refused = sentence
        self._show_result()

    # -- requests -----------------------------------------------------------------------------------------------

    def _follow(self, on: bool) -> None:
        debugger = self.debugger
        if on:
            debugger.ask(debugger.inquiry.following())
        elif debugger.subject is not None:
            debugger.ask(debugger.inquiry.pinned_to(debugger.subject))
        self.refresh()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.grid.maximised is not None:
            self.grid.toggle_maximised(self.grid.maximised)
            event.accept()
        else:
            super().keyPressEvent(event)

    def _key(self, view: View, event: QKeyEvent) -> None:
        """Change the weight of the selected arm with plus and minus, in smaller steps with Alt."""
        snapshot, study = self.debugger.snapshot, self.debugger.study
        sign = _NUDGES.get(Qt.Key(event.key()))
        if sign is None or not isinstance(view, StudiedWeights) or snapshot is None or study is None:
            return
        arm = snapshot.selection.arm
        if arm is not None:
            fine = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
            now = float(study.main.examination.weights[arm])
            self.debugger.drag(arm, now + sign * (_SMALL_NUDGE if fine else _NUDGE))
            self.debugger.drop()


def _rows(study: Study | None) -> int:
    """The number of rows that the table shows, including one for custom weights before there are any.

    Otherwise the first step of a drag would lay out all plots again, which takes as long as three other steps.
    """
    return 2 if study is None else min(len(study.entries) + (study.custom is None), _MOST_ROWS)
