"""The dialog "Branch from here": what to force on a run from the cursor on."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from gems_engine.branching import in_force
from gems_engine.errors import InputError
from gems_engine.forcing import PARAMETERS, Forced
from gems_engine.terminal import number
from gems_engine.wording import place_text
from gems_gui.field_text import FORCED, text_of
from gems_gui.panels.form_dialog import FormDialog
from gems_gui.snapshot import Snapshot
from gems_gui.widgets.dialogs import push_button, sentence_label
from gems_gui.widgets.explained import described

_WIDTH = 380  # pixels at the normal text size
_SCOPES = {"dimension": "dimension_for", "selection_budget": "budget_for"}
_BUSY = "The current run stops; its recorded events are kept."
_AT_THE_END = "The cursor is at the end of the run. Move it back to where the branch should start."


class BranchDialog(FormDialog):
    """A form of what can be forced; the branch starts at the cursor."""

    asked = Signal(object)
    """What is forced: a `Forced`, possibly empty."""

    def __init__(self, parent: QWidget, snapshot: Snapshot, busy: bool, font_scale: float) -> None:
        super().__init__(parent, "Branch from here", FORCED, "Forced settings")
        self._snapshot = snapshot
        self.where = described(sentence_label(), name="Start of the branch")
        tip = "Run the branch and show it from where it starts (Enter)"
        self.go = push_button("Branch", tip, self.ask)
        self.lay_out(self.where, (), (self.cancel_button("Make no branch"), self.go), _WIDTH * font_scale)
        self._make()
        self.show_snapshot(snapshot, busy)
        self.form.field("seed").input.setFocus()

    def _make(self) -> None:
        D = self._snapshot.instance.D
        self.form.make([replace(each, maximum=D) if each.name == "dimension" else each for each in PARAMETERS])

    def show_snapshot(self, snapshot: Snapshot, busy: bool) -> None:
        """Follow the cursor of the shown run; ``busy`` if the branch would stop a run in progress."""
        before, self._snapshot, self._busy = self._snapshot, snapshot, busy
        if snapshot.trace is not before.trace:
            self._make()
        self.show_form()

    def show_form(self) -> None:
        """Show where the branch starts and what is forced; durations are enabled only for forced values."""
        for name, scope in _SCOPES.items():
            on = bool(self.form.field(name).text.strip())
            for widget in (self.form.field(scope).input, self.form.field(scope).label):
                widget.setEnabled(on)
        over = self._snapshot.state.finished is not None
        self.form.show_placeholder(self._as_it_is())
        self.where.setText(_AT_THE_END if over else f"The same run up to {self._here()}, then with forced settings.")
        busy = _BUSY if self._busy else ""
        self.preview.setText(" ".join(filter(None, (self.asked_for(), busy))))
        self.go.setEnabled(not over)
        self.adjustSize()

    def _as_it_is(self) -> dict[str, str]:
        """Placeholders of empty fields: the values of the run."""
        snapshot = self._snapshot
        try:
            values = in_force(snapshot.trace, min(snapshot.cursor, len(snapshot.trace) - 1))
        except InputError:  # then the branch is not possible, and the engine says why
            return {}
        call = snapshot.history.subroutine_at(snapshot.cursor)
        if call >= 0 and isfinite(B := float(snapshot.history.call_budgets(call + 1, snapshot.cursor)[call])):
            values["selection_budget"] = B
        known = {each.name: each for each in PARAMETERS}
        words = {name: f"{text_of(known[name], value)} (unchanged)" for name, value in values.items()}
        return {"dimension": "as selected", "selection_budget": "unchanged", **words}

    def _here(self) -> str:
        state = self._snapshot.state
        place = place_text(state.place, state.algorithm)
        return f"event {number(state.cursor)}{f' ({place})' if place else ''}"

    def words(self, value: Forced) -> str:
        """The forced settings in a sentence."""
        return f"Forced from here on: {value}." if value else "Nothing is forced: the branch repeats the run."

    def value(self) -> Forced:
        """The forced settings in the form; raises InputError if they are not valid."""
        return Forced(**self.form.values())  # type: ignore[arg-type]

    def ask(self) -> None:
        """Request the branch, or show what is wrong with the form."""
        forced = self.checked()
        if forced is not None:
            self.asked.emit(forced)
