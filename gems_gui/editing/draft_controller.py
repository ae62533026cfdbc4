"""Keeps the draft, builds its instance in the background, and starts its run as soon as that is there."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from gems_engine.assumptions import Assumption
from gems_engine.errors import InputError
from gems_engine.instance import Instance
from gems_gui.background.queries import Answer, Queries
from gems_gui.drafts.draft import Draft, FromFile, assumptions_of, build_instance
from gems_gui.drafts.draft_history import DraftHistory, typing_key
from gems_gui.drafts.run_request import RunRequest

_INSTANCE = "draft instance"
_ASSUMPTIONS = "draft assumptions"
_REST = 150  # milliseconds without a change, after which a form that is dragged has its assumptions checked


class DraftController(QObject):
    """The form's draft and what is known of it.

    Signals
    -------
    changed
        The draft, its instance, its assumptions or the reason why there is none are new.
    ready
        A run was asked for and can start: its `RunRequest`.
    refused
        A run was asked for and cannot start: why, in one sentence.
    """

    changed = Signal()
    ready = Signal(object)
    refused = Signal(str)

    def __init__(self, draft: Draft, queries: Queries, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._queries = queries
        self.draft = draft
        self.history = DraftHistory(draft)
        self.instance: Instance | None = None
        self.assumptions: tuple[Assumption, ...] | None = None
        self.refusal = ""
        """Why the instance could not be made."""
        self._key: object = object()
        self._run_when_built = False
        self.to_the_end = False
        """Whether the run that was asked for last is to run to its end at once."""
        self.dragged = False
        """Whether changes come in quick succession: what takes time then waits for a rest."""
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST)
        self._rest.timeout.connect(self._check_assumptions)
        queries.answered.connect(self._answered)

    def begin(self) -> None:
        """Look at the first draft; called when the window has been painted."""
        wanted = self._run_when_built
        self.set_draft(self.draft)
        self._run_when_built = wanted

    def set_draft(self, draft: Draft, merge: str | None = None) -> None:
        """Another draft; its instance is built unless it is the same.

        Parameters
        ----------
        merge
            Consecutive changes with the same key are one step of undo: a drag, or what is typed into a field.

        An instance that was made by hand stays among the draft's own, unless the new draft has it from a file.
        """
        saved = isinstance(draft.source, FromFile) and draft.source.instance is self.instance
        if not saved:
            draft = draft.keeping(self.draft)
        self.history.record(draft, merge)
        self._take(draft)

    def type_draft(self, draft: Draft) -> None:
        """Another draft from the form: what is typed into one field is one step of undo, until the focus leaves it."""
        self.set_draft(draft, typing_key(self.draft, draft))

    def _take(self, draft: Draft) -> None:
        self.draft = draft
        self._run_when_built = False
        key = draft.instance_key()
        if key != self._key:
            self._key = key
            self.instance = self.assumptions = None
            self.refusal = ""
            self._rest.stop()
            self._queries.cancel(_ASSUMPTIONS)
            if key is None:
                self._queries.cancel(_INSTANCE)
            else:
                self._queries.ask(_INSTANCE, build_instance, draft.source, cache_key=key, urgent=True)
        self.changed.emit()

    @property
    def can_undo(self) -> bool:
        """Whether there is a change of the form to take back."""
        return self.history.can_undo

    @property
    def can_redo(self) -> bool:
        """Whether a change that was taken back can be made again."""
        return self.history.can_redo

    def undo(self) -> None:
        """Take the last change of the form back."""
        if self.can_undo:
            self._take(self.history.undo())

    def redo(self) -> None:
        """Make the change that was taken back again."""
        if self.can_redo:
            self._take(self.history.redo())

    def problems(self) -> dict[str, str]:
        """For each field that keeps the draft from running, why."""
        return self.draft.problems(self.instance, self.refusal)

    def run(self, *, to_the_end: bool = False) -> None:
        """Start the draft's run, now or as soon as its instance is there."""
        self.to_the_end = to_the_end
        self.history.seal()
        if problems := self.problems():
            self.refused.emit(next(iter(problems.values())))
        elif self.instance is None:
            self._run_when_built = True
        else:
            self.ready.emit(self.draft.request(self.instance))

    def differs_from(self, request: RunRequest) -> bool:
        """Whether the form asks for another run than this."""
        try:
            return self.draft.differs_from(request, self.instance)
        except InputError:  # a form cannot ask for a run with parameters that there are no more
            return True

    def _answered(self, answer: Answer) -> None:
        if answer.key == _INSTANCE:
            self._built(answer)
        elif answer.key == _ASSUMPTIONS and not answer.error:
            self.assumptions = answer.value
            self.changed.emit()

    def _built(self, answer: Answer) -> None:
        wanted, self._run_when_built = self._run_when_built, False
        if answer.error:
            self.refusal = answer.error
        else:
            self.instance = answer.value
            if self.dragged:
                self._rest.start()
            else:
                self._check_assumptions()
        self.changed.emit()
        if wanted:
            self.run(to_the_end=self.to_the_end)

    def _check_assumptions(self) -> None:
        instance = self.instance
        if instance is not None:
            known = ("assumptions", instance.digest)
            self._queries.ask(_ASSUMPTIONS, assumptions_of, instance, cache_key=known, urgent=True)

    def close(self) -> None:
        """Ask for nothing more."""
        self._rest.stop()
