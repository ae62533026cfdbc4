"""The dialog "Run until": chooses a condition to run until, or to go back to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from gems_engine.conditions import CONDITIONS, THIS, Condition, PlaceReached, TargetEliminated, make_condition
from gems_engine.errors import InputError
from gems_engine.parameters import Parameter, Value
from gems_engine.wording import place_names
from gems_gui.field_text import UNTIL
from gems_gui.panels.form_dialog import FormDialog
from gems_gui.snapshot import Snapshot
from gems_gui.widgets.dialogs import push_button
from gems_gui.widgets.explained import explain
from gems_gui.widgets.form_widgets import ElidingComboBox

_WIDTH = 340  # pixels at the normal text size
_NO_RUN = "No run yet: start one with Ctrl+R."
_NO_REWARDS = "The instance has no rewards, so conditions about the truth are not available."
_HIDDEN = "The truth is hidden, so conditions about it are not available."


class RunUntil(FormDialog):
    """The registered conditions with a form for their parameters, and buttons for both directions.

    It stays open: Enter goes forward, Shift+Enter back, Esc cancels the search and then closes the dialog.
    """

    asked = Signal(object, bool)
    """A condition, and whether to go forward."""
    stop_asked = Signal()
    """Cancel the search."""

    def __init__(self, parent: QWidget, snapshot: Snapshot | None, before: Condition | None, font_scale: float) -> None:
        super().__init__(parent, "Run until", UNTIL, "Condition")
        self._snapshot = snapshot
        self._waiting = ""
        self._picked = None if snapshot is None else snapshot.selection.target
        self.conditions = ElidingComboBox("Condition to run until")
        self.conditions.fill((each.summary.rstrip("."), each.name, each.summary) for each in CONDITIONS.values())
        explain(self.conditions, "Choose the condition to run until, or to go back to.")
        self.conditions.activated.connect(self._on_condition_chosen)
        self.back = push_button("Back", "Go back to where the condition held last (Shift+Enter)", self.go_back)
        self.stop = push_button("Stop", "Stop at the current event (Esc)", self.stop_asked.emit)
        self.forward = push_button("Forward", "Run until the condition holds (Enter)", self.go_forward)
        right = (self.close_button(), self.forward)
        self.lay_out(self.conditions, (self.back, self.stop), right, _WIDTH * font_scale)
        self._choose(TargetEliminated() if before is None else before)

    # -- the form -----------------------------------------------------------------------------------------------

    def _choose(self, condition: Condition) -> None:
        """Show a condition as it was last used; a picked arm is filled in."""
        self.conditions.choose(condition.name)
        self._make({each.name: getattr(condition, each.name) for each in condition.parameters})
        self._take_picked()

    def _make(self, values: Mapping[str, Value]) -> None:
        kind = CONDITIONS[self.conditions.currentData()]
        offered = [self._offered(kind, each) for each in kind.parameters]
        self.form.make([each for each in offered if kind is not PlaceReached or each.symbol])
        self.form.setVisible(bool(kind.parameters))
        called = {"target": self._label(values["target"])} if "target" in values else {}
        self.form.fill({**values, **called})
        self.show_form()

    def _offered(self, kind: type[Condition], parameter: Parameter) -> Parameter:
        """A parameter without hidden choices, with labels of the run."""
        started = None if self._snapshot is None else self._snapshot.trace.started
        if kind is TargetEliminated and parameter.name == "target":
            return Parameter("target", "text", self._label(0), "Its name as the views show it, or its index from 0.")
        if kind is PlaceReached:
            letters = dict(zip(("ell", "i", "k"), place_names(started.algorithm if started else ""), strict=True))
            return replace(parameter, symbol=letters[parameter.name])
        secret = () if self._truth else kind.of_truth.get(parameter.name, ())
        return replace(parameter, choices=tuple(each for each in parameter.choices if each not in secret))

    def _label(self, target: Value) -> str:
        """The label of a target as in the views; its index if there is no run."""
        instance = None if self._snapshot is None else self._snapshot.instance
        if instance is not None and isinstance(target, int) and target < len(instance.targets):
            return instance.target_label(target)
        return str(target)

    @property
    def _truth(self) -> bool:
        return self._snapshot is None or self._snapshot.truth

    def _on_condition_chosen(self) -> None:
        self.conditions.choose(self.conditions.currentData())  # updates the tooltip
        kind, snapshot = CONDITIONS[self.conditions.currentData()], self._snapshot
        self._make({} if snapshot is None else kind.suggested(snapshot.trace, snapshot.state))
        self._take_picked()

    def _take_picked(self) -> None:
        """Fill in the arm that is picked in the views."""
        if self._picked is not None and "target" in self.form.names:
            self.form.fill({"who": THIS, "target": self._label(self._picked)})
            self.show_form()

    def show_form(self) -> None:
        """Describe the condition; the field of an arm is enabled only where it is used."""
        if "target" in self.form.names:
            on = self.form.field("who").text == THIS
            for widget in (self.form.field("target").input, self.form.field("target").label):
                widget.setEnabled(on)
        said = [f"Running until {self._waiting} …"] if self._waiting else [self.asked_for()]
        hides = self._snapshot is not None and self._snapshot.hides
        why = [] if self._truth else [_HIDDEN if hides else _NO_REWARDS]
        self.preview.setText(" ".join((*said, *why)))
        for button in (self.back, self.forward):
            button.setEnabled(self._snapshot is not None and not self._waiting)
        self.stop.setVisible(bool(self._waiting))
        self.adjustSize()

    def words(self, value: Condition) -> str:
        """The condition in a sentence."""
        assert self._snapshot is not None
        started = self._snapshot.trace.started
        return f"Until {value.words(self._snapshot.instance, started.algorithm if started else '')}."

    def value(self) -> Condition:
        """The condition in the form; raises InputError if it is not valid."""
        if self._snapshot is None:
            raise InputError(_NO_RUN)
        values, instance = self.form.values(), self._snapshot.instance
        if "target" in values:
            values["target"] = instance.target_labels.one(str(values["target"])) if values["who"] == THIS else 0
        return make_condition(self.conditions.currentData(), values, instance)

    # -- status -------------------------------------------------------------------------------------------------

    def show_snapshot(self, snapshot: Snapshot | None, waiting: str) -> None:
        """Follow the shown run, its selection, and the current search."""
        before, self._snapshot = self._snapshot, snapshot
        picked = None if snapshot is None else snapshot.selection.target
        other = (before is None) != (snapshot is None) or (
            before is not None
            and snapshot is not None
            and (before.truth != snapshot.truth or before.trace is not snapshot.trace)
        )
        new, self._picked = picked != self._picked, picked
        changed, self._waiting = waiting != self._waiting, waiting
        if other:
            values = {name: self.form.field(name).text for name in self.form.names}
            self._make({})
            for name, text in values.items():
                if name in self.form.names:
                    self._keep(name, text)
        if new:
            self._take_picked()
        if changed or other:
            self.show_form()

    def _keep(self, name: str, text: str) -> None:
        field = self.form.field(name)
        if not field.parameter.choices or text in field.parameter.choices:
            field.set_text(text)

    # -- what the user does -------------------------------------------------------------------------------------

    def go_forward(self) -> None:
        """Run until the condition holds."""
        self.ask(True)

    def go_back(self) -> None:
        """Go back to where the condition held."""
        self.ask(False)

    def ask(self, forward: bool) -> None:
        """Start the search, or show what is wrong with the form."""
        condition = self.checked()
        if condition is not None:
            self.asked.emit(condition, forward)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go back on Shift+Enter; on Esc cancel the search, or close the dialog if there is none."""
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.back.click()
        elif event.key() == Qt.Key.Key_Escape and self._waiting:
            self.stop_asked.emit()
        else:
            super().keyPressEvent(event)
