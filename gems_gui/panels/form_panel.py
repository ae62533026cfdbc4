"""The left column of the window: presets, instance, algorithm, the paper's assumptions, and Run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMoveEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QLineEdit, QPushButton, QScrollArea, QWidget

from gems_engine.assumptions import Assumption
from gems_engine.instance import Instance
from gems_gui.drafts.advice import Advice
from gems_gui.drafts.draft import ALGORITHM_FIELD, FAMILY_FIELD, Draft
from gems_gui.drafts.presets import PRESETS, preset_of
from gems_gui.markup import plain_text
from gems_gui.panels.algorithm_form import AlgorithmForm
from gems_gui.panels.assumption_list import AssumptionList
from gems_gui.panels.form_column import FieldList, FormColumn
from gems_gui.panels.instance_form import InstanceForm
from gems_gui.panels.parameter_field import ParameterField
from gems_gui.truth import REASON, discreet_errors
from gems_gui.widgets.boxes import STRETCH, fill, hbox, vbox
from gems_gui.widgets.explained import described, explain
from gems_gui.widgets.form_widgets import ElidingComboBox, FormCard, WrappingLabel
from gems_gui.widgets.timers import single_shot

_NO_PRESET = ""
_WAITS = "The assumptions are checked when the instance is valid."


class FormPanel(QWidget):
    """The form, which edits a draft."""

    edited = Signal(object)
    """The new draft, after every change by the user, valid or not."""
    chosen = Signal(object)
    """The draft of a preset that the user chose."""
    run_requested = Signal()
    """Run, or Enter in a field, was pressed with a valid form."""
    stroke_begun = Signal()
    """A drag of a slider begins: what follows is one step of undo."""
    sensitivity_asked = Signal(str)
    """The name of the algorithm's parameter whose sensitivity is requested."""

    def __init__(self, draft: Draft) -> None:
        super().__init__()
        self.presets = ElidingComboBox("Presets")
        self._truth = True
        self._offer_presets()
        explain(self.presets, "Start from one of the paper's experiments or another good example.")
        self.instance_form = InstanceForm()
        self.algorithm_form = AlgorithmForm()
        self.assumptions = AssumptionList()
        self.reason = WrappingLabel("error", self)
        self.run = described(QPushButton("Run"), role="primary")
        self.run.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.run.setAccessibleName("Run")
        explain(self.run, "Run the algorithm with the settings in the form, and play from the start.")
        self._picture: QWidget | None = None
        self._picture_inputs: tuple[QWidget, ...] = ()
        self._held = False
        self._owed = 0
        self._waiting: dict[str, Callable[[], None]] = {}
        self._column, self._scroll = FormColumn(), QScrollArea()
        self._column.least_height = self._height_in_use
        self._filled = single_shot(self, self._column.settle)
        self._cards = vbox(self._column, 8)
        self._top, self._actions = QHBoxLayout(), hbox(spacing=6)
        self._lay_out()
        self._connect()
        self._draft = draft
        self._instance: Instance | None = None
        self._assumptions: Sequence[Assumption] | str | None = None
        self._refused = ""
        self._last_shown: tuple[object, ...] = ()
        self._show_draft()

    def _offer_presets(self) -> None:
        self.presets.fill(
            [
                ("Presets…", _NO_PRESET, "Start from one of the paper's experiments or another good example."),
                *(
                    (each.title, each.name, each.summary if self._truth else REASON)
                    for each in PRESETS.values()
                    if not each.race
                ),
            ]
        )

    def _lay_out(self) -> None:
        cards = self._cards
        checks = FormCard("ASSUMPTIONS")
        checks.body.addWidget(self.assumptions)
        fill(cards, self.instance_form, self.algorithm_form, checks, STRETCH)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setWidget(self._column)
        layout = vbox(self, 8)
        self._top.addWidget(self.presets)
        fill(layout, self._top, (self._scroll, 1), self.reason)
        self._actions.addWidget(self.run, 1)
        layout.addLayout(self._actions)
        self._scroll.verticalScrollBar().rangeChanged.connect(self._line_up)
        self._scroll.verticalScrollBar().actionTriggered.connect(self._forget_owed)

    def _line_up(self, least: int, most: int) -> None:
        """Align what is above and below the cards with them when the scroll bar reduces their width."""
        taken = self._scroll.verticalScrollBar().sizeHint().width() if most > least else 0
        for row in (self._top, self._actions):
            row.setContentsMargins(0, 0, taken, 0)
        self._scroll_along()

    def _connect(self) -> None:
        self.presets.activated.connect(self._choose_preset)
        self.instance_form.family_chosen.connect(self._choose_family)
        self.instance_form.own_chosen.connect(self._choose_own)
        self.instance_form.changed.connect(self._edit)
        self.algorithm_form.algorithm_chosen.connect(self._choose_algorithm)
        self.algorithm_form.changed.connect(self._edit)
        self.algorithm_form.unfolded.connect(self._column.arrange)
        for fields in self._lists():
            fields.stroke_begun.connect(self.stroke_begun)
            fields.sensitivity_asked.connect(self.sensitivity_asked)
        self.assumptions.proposal_chosen.connect(self._choose_proposal)
        self.run.clicked.connect(self._run)

    def _lists(self) -> tuple[FieldList, ...]:
        return self.instance_form.list, self.algorithm_form.list, self.algorithm_form.rare

    # -- interface ---------------------------------------------------------------------------------------------

    @property
    def draft(self) -> Draft:
        """The current content of the form."""
        return self._draft

    @property
    def errors(self) -> dict[str, str]:
        """Everything that prevents the draft from running, by field."""
        return self._draft.problems(self._instance, self._refused)

    @property
    def fields(self) -> dict[str, ParameterField]:
        """The fields by key."""
        return {**self.instance_form.list.fields, **self.algorithm_form.fields}

    def go_to_field(self, key: str) -> None:
        """Move the focus to a field, and select its text."""
        field = self.fields[key]
        if key in self.algorithm_form.rare.fields:
            self.algorithm_form.unfold(True)
        self._scroll.ensureWidgetVisible(field)
        line = field.to_correct
        line.setFocus()
        if isinstance(line, QLineEdit):
            line.selectAll()

    def show_sliders(self, on: bool) -> None:
        """Show a slider under each field that has one, or hide them."""
        for fields in self._lists():
            fields.show_sliders(on)
        self._column.arrange()

    def add_next_to_run(self, widget: QWidget) -> None:
        """Put a control next to Run."""
        self._actions.addWidget(widget)

    def keep_room(self, height: int) -> None:
        """Reserve room for a picture of the instance, under the fields, so that they stay visible in a low window.

        The picture is added later without moving anything.
        """
        card = FormCard("ARMS")
        self._picture = QWidget()
        self._picture.setFixedHeight(height)
        card.body.addWidget(self._picture)
        self._cards.insertWidget(self._cards.indexOf(self.algorithm_form) + 1, card)

    def add_picture(self, picture: QWidget, inputs: Sequence[QWidget]) -> None:
        """Put a picture of the instance into the reserved room.

        Parameters
        ----------
        inputs
            Its inputs, in tab order.
        """
        room, self._picture = self._picture, picture
        assert room is not None
        card = room.parentWidget()
        assert isinstance(card, FormCard)
        card.body.replaceWidget(room, picture)
        room.deleteLater()
        self._picture_inputs = tuple(inputs)
        self._order_tabs()
        card.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the picture at its place on the screen while it has the focus: scroll by as much as it has moved."""
        if isinstance(event, QMoveEvent):
            self._scroll_along(event.pos().y() - event.oldPos().y())
        return super().eventFilter(watched, event)

    def _scroll_along(self, by: int = 0) -> None:
        """Scroll with the picture; what is not possible yet follows when the form has its new height."""
        if not self._in_picture():
            self._owed = 0
            return
        bar = self._scroll.verticalScrollBar()
        wanted = bar.value() + self._owed + by
        bar.setValue(wanted)
        self._owed = wanted - bar.value()

    def _forget_owed(self) -> None:
        """The user has scrolled: the picture is where they want it."""
        self._owed = 0

    def _in_picture(self) -> bool:
        focus = QApplication.focusWidget()
        return focus is not None and self._picture is not None and self._picture.isAncestorOf(focus)

    def _height_in_use(self) -> int:
        """The height down to the end of what is visible; without it, the form would scroll when its end is shorter.

        It is needed while the picture has the focus, and until a new draft has all its fields: Qt shows them later.
        """
        if not (self._in_picture() or self._filled.isActive()):
            return 0
        return self._scroll.verticalScrollBar().value() + self._owed + self._scroll.viewport().height()

    def hold(self) -> None:
        """Leave the form as it is until `release`: nothing moves while the user drags in its picture."""
        self._held = True

    def release(self) -> None:
        """Show everything that has changed since `hold`."""
        self._held = False
        waiting, self._waiting = self._waiting, {}
        for show in waiting.values():
            show()

    def set_draft(self, draft: Draft) -> None:
        """Show another draft, without a signal."""
        if self._held:
            self._waiting["draft"] = partial(self.set_draft, draft)
            return
        if draft == self._draft:
            return
        if draft.instance_key() != self._draft.instance_key():
            self._forget_instance(draft)
        self._draft = draft
        self._filled.start(0)
        self._show_draft()

    def show_instance(self, instance: Instance | None, assumptions: Sequence[Assumption] | str | None = None) -> None:
        """Show facts about the draft's instance.

        Parameters
        ----------
        instance
            The built instance; None while it is being built, or where that failed.
        assumptions
            Those of the instance; None while they are being computed; a sentence if the instance is not valid.
        """
        if self._held:
            self._waiting["instance"] = partial(self.show_instance, instance, assumptions)
            return
        self._instance = instance
        self._refused = assumptions if isinstance(assumptions, str) and instance is None else ""
        self.instance_form.show_instance(instance)
        if instance is not None:
            self.algorithm_form.show_noise(instance.noise)
        self._assumptions = assumptions
        self._show_assumptions()
        self._show_errors()

    def show_advice(self, advice: Advice | None) -> None:
        """Show which dimensions B and T buy, and the suggested values of B, T and n."""
        if self._held:
            self._waiting["advice"] = partial(self.show_advice, advice)
            return
        self.algorithm_form.show_advice(advice)
        self._column.settle()

    def set_truth(self, shown: bool) -> None:
        """Hide or show d⋆, the gaps, the best arm and everything that reveals them."""
        if shown != self._truth:
            self._truth = shown
            self._offer_presets()
            self.instance_form.set_truth(shown)
            self._show_draft()
            self._show_assumptions()

    # -- showing ------------------------------------------------------------------------------------------------

    def _forget_instance(self, draft: Draft) -> None:
        self._instance, self._refused = None, ""
        self._assumptions = None if draft.instance_key() is not None else _WAITS
        self._show_assumptions()

    def _show_assumptions(self) -> None:
        waits = self._refused or (self._assumptions is None and self._draft.instance_key() is None)
        shown = _WAITS if waits else self._assumptions
        self.assumptions.show_assumptions(shown, self._truth, self._draft.proposals())

    def _show_draft(self) -> None:
        new_instance = self.instance_form.show_draft(self._draft)
        new_algorithm = self.algorithm_form.show_draft(self._draft)
        self.instance_form.show_instance(self._instance)
        if new_instance or new_algorithm:
            self.algorithm_form.show_noise(None if self._instance is None else self._instance.noise)
        preset = preset_of(self._draft)
        # The title of a preset may reveal which of two cases it is.
        self.presets.choose(preset.name if preset is not None and self._truth else _NO_PRESET)
        if new_algorithm:
            self._show_assumptions()
        self._show_errors()
        if new_instance or new_algorithm:
            self._column.arrange()
            self._order_tabs()

    def _show_errors(self) -> None:
        errors = self.errors if self._truth else discreet_errors(self.errors)
        self.instance_form.show_errors(errors)
        self.algorithm_form.show_errors(errors)
        self.run.setEnabled(not errors)
        self.reason.show_text(f"Cannot run yet: see {self._named(errors)}." if errors else "")
        keys = "Start this run (Enter in a field, or Ctrl+R)."
        self.run.setToolTip(plain_text(next(iter(errors.values()))) if errors else keys)
        said = (errors, self._refused, self._assumptions, self._instance)
        if said != self._last_shown:  # otherwise no height has changed
            self._last_shown = said
            self._column.settle()

    def _named(self, errors: dict[str, str]) -> str:
        words = {FAMILY_FIELD: "the instance", ALGORITHM_FIELD: "the algorithm"}
        return ", ".join(words[key] if key in words else self.fields[key].label_text for key in errors)

    def _order_tabs(self) -> None:
        fields = (*self.instance_form.inputs(), *self.algorithm_form.inputs())
        order = [self.presets, *fields, *self._picture_inputs, self.run]
        for before, after in pairwise(order):
            QWidget.setTabOrder(before, after)

    # -- edits --------------------------------------------------------------------------------------------------

    def _take(self, draft: Draft) -> None:
        if draft != self._draft:
            self.set_draft(draft)
            self.edited.emit(draft)

    def _edit(self, key: str, text: str) -> None:
        self._take(self._draft.with_text(key, text))

    def _choose_family(self, name: str) -> None:
        self._take(self._draft.with_family(name).keeping(self._draft))

    def _choose_own(self, at: int) -> None:
        self._take(self._draft.with_own(at))

    def _choose_algorithm(self, name: str) -> None:
        self._take(self._draft.with_algorithm(name))

    def _choose_proposal(self, assumption: str) -> None:
        if self._instance is not None:
            self._take(self._draft.with_proposal(assumption, self._instance))

    def _choose_preset(self) -> None:
        preset = PRESETS.get(self.presets.currentData())
        draft = self._draft if preset is None else preset.draft.keeping(self._draft)
        if draft == self._draft:
            self._show_draft()
        else:
            self.set_draft(draft)
            self.chosen.emit(draft)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Run on Enter in a field; inputs ignore this key."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._run()
        else:
            super().keyPressEvent(event)

    def _run(self) -> None:
        if not self.errors:
            self.run_requested.emit()
