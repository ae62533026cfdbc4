"""The design debugger without widgets: the inquiry, the answers of the analysis worker, and the resulting study."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QObject, Signal

from gems_engine.arrays import Floats
from gems_engine.design import Design
from gems_engine.errors import InputError
from gems_gui.analysis.inquiry import BY_HAND, IMPROVED, Inquiry, reweighted
from gems_gui.background.queries import Queries
from gems_gui.design_study import (
    CustomWeights,
    DesignEntry,
    DesignQuery,
    Method,
    Solved,
    Study,
    Subject,
    answer,
    custom_entry,
    entry_of,
    improved,
    needs,
    searched,
)
from gems_gui.drafts.undo_stack import EditHistory
from gems_gui.snapshot import Snapshot
from gems_gui.widgets.timers import single_shot
from gems_gui.workbench.ports import Answer

_KEYS = {name: f"design {name}" for name in ("solved", "compared", "reference")}
_SEARCH = "design search"
_IMPROVE = "design improve"
_NO_STEP = "Improve found no step that decreases the value."
Key = tuple[str, tuple[int, ...], int]
_HOLD = 1500  # milliseconds for which new snapshots wait for a design that is being solved
_REMEMBERED = 24  # designs that are cached


class DesignDebugger(QObject):
    """The design problem at the cursor of a run, or a pinned one, and what is computed about it.

    Attributes
    ----------
    inquiry
        What the user asks for.
    subject
        The design problem at the cursor, or None.
    study
        What is known about the subject; while the worker computes, the study of the previous subject.
    waits
        What is being computed, in words, or empty.
    refusal
        Why there is nothing to show, in one sentence, or empty.
    note
        Why *Improve* took no step, or empty.
    history
        Previous inquiries about this instance, for undo and redo.
    """

    changed = Signal()
    edited = Signal()
    """What undo or redo would do has changed."""

    def __init__(self, queries: Queries, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._queries = queries
        self._found: OrderedDict[DesignQuery, Solved] = OrderedDict()
        self._asked: dict[str, DesignQuery] = {}
        self._searched: tuple[CustomWeights, Key] | None = None
        self._improved: tuple[Key, Floats] | None = None
        self._dragged_from: tuple[Inquiry, Floats] | None = None
        self._open = False
        self._held = False
        self._timeout = single_shot(self, self._catch_up, _HOLD)
        self.snapshot: Snapshot | None = None
        self.inquiry = Inquiry()
        self.history = EditHistory(self.inquiry)
        self.subject: Subject | None = None
        self.study: Study | None = None
        self.waits = ""
        self.refusal = ""
        self.note = ""
        queries.answered.connect(self._on_answer)

    # -- subject ------------------------------------------------------------------------------------------------

    def open(self, snapshot: Snapshot | None) -> None:
        """Follow the run from now on."""
        self._open = True
        self.show_snapshot(snapshot)

    def close(self) -> None:
        """Stop following and computing."""
        self._open = False
        self._wait_for_nothing()
        self._queries.cancel(_SEARCH)
        self._queries.cancel(_IMPROVE)
        self._searched = self._improved = None

    def show_snapshot(self, snapshot: Snapshot | None) -> None:
        """Show another snapshot; what was pinned on another instance is dropped."""
        if not self._open:
            return
        before, self.snapshot = self.snapshot, snapshot
        if before is not None and (snapshot is None or snapshot.instance.digest != before.instance.digest):
            self.inquiry = self.inquiry.following()
            self.history = EditHistory(self.inquiry)
            self.edited.emit()
        elif self._timeout.isActive() and self._asked and not self.inquiry.pinned:
            # During a run, finish each design that was started: otherwise none would ever be shown.
            self._held = True
            if snapshot is not None and before is not None and snapshot.selection is not before.selection:
                self.changed.emit()
            return
        self._look()

    def _catch_up(self) -> None:
        """Show the newest snapshot, if others arrived while a design was being solved."""
        if self._held and self._open:
            self._look()

    def ask(self, inquiry: Inquiry, what: str = "change of the selection") -> None:
        """Make another inquiry; ``what`` is the text for undo."""
        self.inquiry = inquiry if self.snapshot is None else inquiry.fixed_at(self.snapshot)
        self._record(what)
        self._look()

    # -- undo ---------------------------------------------------------------------------------------------------

    def _record(self, what: str) -> None:
        self.history.record(self.inquiry, what)
        self.edited.emit()

    def undo(self) -> None:
        """Undo the last change: a drag that is still in progress, or the last inquiry."""
        if self._dragged_from is not None:
            self.give_up()
        elif self.history.undo_text:
            self._return_to(self.history.undo())

    def redo(self) -> None:
        """Redo the last change that was undone."""
        if self._dragged_from is None and self.history.redo_text:
            self._return_to(self.history.redo())

    def _return_to(self, inquiry: Inquiry) -> None:
        self.inquiry = inquiry
        self.edited.emit()
        self._look()

    # -- weights by hand ----------------------------------------------------------------------------------------

    def drag(self, arm: int, share: float) -> None:
        """Give an arm another share, with the others in proportion; the best proof is searched for later.

        Until the bar is dropped, all shares are computed from the weights at the start of the drag, so that dragging
        too far and back again changes nothing.
        """
        if self.study is not None and self.study.subject is self.subject:
            if self._dragged_from is None:
                self._dragged_from = self.inquiry, self.study.main.examination.weights
            self._take(CustomWeights(BY_HAND, reweighted(self._dragged_from[1], arm, share)))

    def drop(self) -> None:
        """End the drag and search for the best proof of the new weights."""
        if self._dragged_from is not None:
            self._dragged_from = None
            self._record("change of λ")
        self._search()

    def give_up(self) -> None:
        """Cancel the drag and restore the weights."""
        if self._dragged_from is not None:
            (self.inquiry, _), self._dragged_from = self._dragged_from, None
            self._look()

    @property
    def improving(self) -> bool:
        """Whether an improvement is being computed."""
        return self._improved is not None

    def improve(self) -> None:
        """Compute one step towards better weights; it is applied unless the weights have changed by then."""
        study = self.study
        if study is None or study.subject is not self.subject or self._dragged_from is not None or self.improving:
            return
        weights = study.main.examination.weights
        self._improved = study.subject.key, weights
        self._queries.ask(_IMPROVE, improved, study.subject.question(study.subject.method), weights)
        self.changed.emit()

    def _take_improved(self, found: Answer) -> None:
        """Apply the computed step, if it starts from the weights shown."""
        asked, self._improved = self._improved, None
        study = self.study
        same = asked is not None and study is not None and study.subject is self.subject
        if not same or asked is None or study is None or self._dragged_from is not None:
            self.changed.emit()
            return
        if study.subject.key != asked[0] or not np.array_equal(study.main.examination.weights, asked[1]):
            self.changed.emit()
        elif found.error or found.value is None:
            self.note = found.error or _NO_STEP
            self.changed.emit()
        else:
            self._take(CustomWeights(IMPROVED, found.value.weights, step=found.value))
            self._record("improvement of λ")

    def take_weights(self, words: str, weights: Floats) -> None:
        """Examine weights from a file."""
        if self.subject is not None:
            self._take(CustomWeights(words, weights))
            self._record(f"loading of {words}")

    def _take(self, hand: CustomWeights) -> None:
        assert self.subject is not None
        self.inquiry = self.inquiry.pinned_to(self.subject, hand)
        self._look()

    def solver_weights(self) -> None:
        """Go back to the solver's weights."""
        if self.inquiry.custom is not None:
            self.ask(self.inquiry.without_custom(), "return to the solver's λ")

    def _search(self) -> None:
        """Search for the best proof of custom weights, unless it is known or a drag is in progress."""
        hand, study = self.inquiry.custom, self.study
        if hand is None or study is None or study.custom is None or self._dragged_from is not None:
            return
        if study.subject is not self.subject:
            return
        key = study.subject.key
        if hand.key == key or self._searched == (hand, key):
            return
        self._searched = hand, key
        question = study.subject.question(study.subject.method)
        self._queries.ask(_SEARCH, searched, question, hand.weights, _designs(study))

    # -- computation --------------------------------------------------------------------------------------------

    def _look(self) -> None:
        """Find the subject, ask the worker for what is missing, and show what is known."""
        self._held = False
        subject = None if self.snapshot is None else self.inquiry.subject(self.snapshot)
        old = self.subject
        if subject is not None and old is not None and _same(subject, old):
            subject = old  # during a drag, nothing changes
        elif subject is None or old is None or subject.key != old.key:
            self._dragged_from = None  # the drag was on another problem
        if not self.inquiry.pinned and old is not None and (subject is None or _place(subject) != _place(old)):
            self.inquiry = replace(self.inquiry, pulls=None)  # each round has its own N
        self.subject, self.refusal, self.note = subject, "", ""
        if subject is None:
            self._wait_for_nothing()
            self.study, self.waits = None, ""
            no_run = "No run yet. Run an algorithm to examine its designs here."
            self.refusal = (
                no_run if self.snapshot is None else "A single target has no directions, so there is no design."
            )
            self.changed.emit()
            return
        wanted = needs(subject.method, self.inquiry.compared)
        for name, key in _KEYS.items():
            question = subject.question(wanted[name]) if name in wanted else None
            if question is None or question in self._found:
                self._asked.pop(name, None)
                self._queries.cancel(key)
            elif self._asked.get(name) != question:
                self._asked[name] = question
                self._queries.ask(key, answer, question)
                self._timeout.start()
        self._show(subject, wanted)

    def _wait_for_nothing(self) -> None:
        for key in _KEYS.values():
            self._queries.cancel(key)
        self._asked.clear()
        self._timeout.stop()

    def _show(self, subject: Subject, wanted: dict[str, Method]) -> None:
        """Build the study from what is known."""
        parts: dict[str, DesignEntry] = {}
        for name, method in wanted.items():
            found = self._found.get(subject.question(method))
            if found is not None:
                parts[name] = entry_of(method, found)
        missing = [wanted[name].label for name in wanted if name not in parts]
        self.waits = f"solving: {' and '.join(missing)}" if missing else ""
        if "solved" in parts:
            self.study = self._made(subject, parts)
        self.changed.emit()
        self._search()

    def _made(self, subject: Subject, parts: dict[str, DesignEntry]) -> Study:
        pulls = self.inquiry.pulls or subject.pulls
        study = Study(subject, parts["solved"], parts.get("compared"), parts.get("reference"), None, pulls, self.waits)
        if self.inquiry.custom is None:
            return study
        try:
            return replace(study, custom=custom_entry(subject, self.inquiry.custom, _designs(study)))
        except InputError as error:  # the weights are for another number of arms
            self.refusal = str(error)
            return study

    def _on_answer(self, found: Answer) -> None:
        if found.key == _SEARCH:
            self._take_search(found)
        if found.key == _IMPROVE:
            self._take_improved(found)
        for name, key in _KEYS.items():
            if found.key == key and name in self._asked and self.subject is not None:
                question = self._asked.pop(name)
                if found.error:
                    self.waits, self.refusal = "", found.error
                    self.study = None if name == "solved" else self.study
                    self.changed.emit()
                    return
                self._found[question] = found.value
                while len(self._found) > _REMEMBERED:
                    self._found.popitem(last=False)
                self._show(self.subject, needs(self.subject.method, self.inquiry.compared))
                if not self._asked:
                    self._timeout.stop()
                    self._catch_up()

    def _take_search(self, found: Answer) -> None:
        """Take a better proof of the custom weights, if they have not changed."""
        asked, self._searched = self._searched, None
        if asked is None or asked[0] is not self.inquiry.custom or found.error:
            return
        self.inquiry = replace(self.inquiry, custom=replace(asked[0], key=asked[1], examination=found.value))
        self._look()


def _designs(study: Study) -> tuple[Design, ...]:
    """The solved designs of a study, whose proofs hold for all weights."""
    return tuple(each.design for each in study.entries if each.design is not None)


def _place(subject: Subject) -> tuple[object, ...]:
    """The round that the problem belongs to."""
    return subject.key, subject.words


def _same(one: Subject, other: Subject) -> bool:
    """Whether two subjects look the same."""

    def looks(each: Subject) -> tuple[object, ...]:
        return each.key, each.method, each.words, each.pulls, each.allocated, each.zeta

    return looks(one) == looks(other)
