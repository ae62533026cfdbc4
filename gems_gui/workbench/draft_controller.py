"""The draft of the next run: history, instance, which is built in the background, and start; independent of Qt."""

from __future__ import annotations

from collections.abc import Callable

from gems_engine.assumptions import NOISE, Assumption, noise_assumption
from gems_engine.errors import InputError
from gems_engine.instance import Instance
from gems_gui.drafts.draft import Draft, assumptions_of, build_instance
from gems_gui.drafts.draft_history import DraftHistory, typing_key
from gems_gui.drafts.run_request import RunRequest
from gems_gui.drafts.undo_stack import Bookmark
from gems_gui.workbench.changes import Field, Publisher
from gems_gui.workbench.ports import Answer, QueryPort, TimerFactory

_INSTANCE = "draft instance"
_ASSUMPTIONS = "draft assumptions"
_REST = 150  # milliseconds without a change, after which assumptions are checked during a drag


class DraftController:
    """The draft of the form and its instance.

    Parameters
    ----------
    start
        Starts a run; the second argument says whether it runs to its end at once.
    refuse
        Shows why a run cannot start, in one sentence.

    Attributes
    ----------
    instance
        None while it is being built.
    refusal
        Why building the instance failed.
    chosen
        Whether the draft is a preset as it was chosen.
    dragged
        Whether changes come in quick succession: slow computations are then postponed.
    """

    def __init__(
        self,
        draft: Draft,
        queries: QueryPort,
        timer: TimerFactory,
        publisher: Publisher,
        start: Callable[[RunRequest, bool], None],
        refuse: Callable[[str], None],
    ) -> None:
        self._queries = queries
        self._publisher = publisher
        self._start = start
        self._refuse = refuse
        self.draft = draft
        self.history = DraftHistory(draft)
        self.instance: Instance | None = None
        self._assumptions: tuple[Assumption, ...] | None = None
        self.refusal = ""
        self.chosen = self.dragged = False
        self._key: object = object()
        self._run_when_built: bool | None = None  # whether it then runs to its end; None: no run was requested
        self._rest = timer(self._check_assumptions)

    def begin(self) -> None:
        """Build the instance of the first draft; called when the window has been painted."""
        wanted = self._run_when_built
        self.set_draft(self.draft)
        self._run_when_built = wanted

    def set_draft(self, draft: Draft, merge: str | None = None) -> None:
        """Set another draft; its instance is built unless it is the same.

        An instance edited by hand stays among the custom instances.

        Parameters
        ----------
        merge
            Consecutive changes with the same key are one step of undo, for example a drag or typing into a field.
        """
        draft = draft.keeping(self.draft)
        self.history.record(draft, merge)
        self._take(draft)

    def choose(self, draft: Draft) -> None:
        """Set the draft of a preset, which is a new start."""
        with self._publisher.changing(Field.DRAFT):
            self.set_draft(draft)
            self.chosen = True

    def type_draft(self, draft: Draft) -> None:
        """Set another draft from the form; typing into one field is one step of undo, until it loses the focus."""
        self.set_draft(draft, typing_key(self.draft, draft))

    def belong_to(self, path: str) -> None:
        """The built instance was saved to this file; that is no step of undo."""
        assert self.instance is not None
        with self._publisher.changing(Field.DRAFT):
            self.draft = self.draft.with_instance(self.instance, path)
            self._key = self.draft.instance_key()
            self.history.substitute(self.draft)

    def _take(self, draft: Draft) -> None:
        with self._publisher.changing(Field.DRAFT):
            self.draft, self.chosen = draft, False
            self._run_when_built = None
            key = draft.instance_key()
            if key == self._key:
                return
            self._key = key
            self.instance = self._assumptions = None
            self.refusal = ""
            self._rest.stop()
            self._queries.cancel(_ASSUMPTIONS)
            if key is None:
                self._queries.cancel(_INSTANCE)
            else:
                self._queries.ask(_INSTANCE, build_instance, draft.source, cache_key=key, urgent=True)

    @property
    def assumptions(self) -> tuple[Assumption, ...] | None:
        """The paper's assumptions on the instance, with the noise of the form; None while they are being checked."""
        noise = self.draft.noise
        if self._assumptions is None or noise is None:
            return self._assumptions
        return tuple(noise_assumption(noise) if each.name == NOISE else each for each in self._assumptions)

    @property
    def can_undo(self) -> bool:
        """Whether a change of the form can be undone."""
        return self.history.can_undo

    @property
    def can_redo(self) -> bool:
        """Whether a change of the form can be redone."""
        return self.history.can_redo

    def undo(self) -> None:
        """Undo the last change of the form."""
        if self.can_undo:
            self._take(self.history.undo())

    def redo(self) -> None:
        """Redo the change that was undone last."""
        if self.can_redo:
            self._take(self.history.redo())

    def go_back(self, to: Bookmark[Draft]) -> None:
        """Restore the form and its history at a bookmark: a cancelled drag leaves no trace."""
        self._take(self.history.go_back(to))

    def problems(self) -> dict[str, str]:
        """Everything that prevents the draft from running, by field."""
        return self.draft.problems(self.instance, self.refusal)

    def run(self, to_the_end: bool = False) -> None:
        """Start the run of the draft, now or as soon as its instance is built."""
        self.history.seal()
        if problems := self.problems():
            self._refuse(next(iter(problems.values())))
        elif self.instance is None:
            self._run_when_built = to_the_end
        else:
            self._start(self.draft.request(self.instance), to_the_end)

    def differs_from(self, request: RunRequest) -> bool:
        """Whether the form requests another run than this."""
        try:
            return self.draft.differs_from(request, self.instance)
        except InputError:  # a form cannot request a run with parameters that no longer exist
            return True

    def answered(self, answer: Answer) -> None:
        """Handle the answer to a query if it belongs here."""
        if answer.key == _INSTANCE:
            self._built(answer)
        elif answer.key == _ASSUMPTIONS and not answer.error:
            with self._publisher.changing(Field.DRAFT):
                self._assumptions = answer.value

    def _built(self, answer: Answer) -> None:
        with self._publisher.changing(Field.DRAFT):
            wanted, self._run_when_built = self._run_when_built, None
            if answer.error:
                self.refusal = answer.error
            else:
                self.instance = answer.value
                if self.dragged:
                    self._rest.start(_REST)
                else:
                    self._check_assumptions()
            if wanted is not None:
                self.run(wanted)

    def _check_assumptions(self) -> None:
        instance = self.instance
        if instance is not None:
            known = ("assumptions", instance.digest)
            self._queries.ask(_ASSUMPTIONS, assumptions_of, instance, cache_key=known, urgent=True)

    def close(self) -> None:
        """Cancel all queries."""
        self._rest.stop()
