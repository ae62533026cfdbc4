"""Auto-run: computes each valid change of the form in the background and shows the run at the same position."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, Signal

from gems_engine.errors import InputError
from gems_engine.instance import Instance
from gems_gui.background.queries import Queries
from gems_gui.drafts.draft import Draft, FromGallery, build_instance
from gems_gui.drafts.run_request import RunRequest
from gems_gui.widgets.timers import single_shot
from gems_gui.workbench.changes import Change, Field
from gems_gui.workbench.ports import Answer
from gems_gui.workbench.workbench import Workbench

COMPUTING = "computing…"
PINNED = "waiting for a pinned run"
NOT_VALID = "out of date: the form is not valid"
NOT_FINISHED = "out of date: no new run"
"""Why the shown run does not match the form."""

_INSTANCE = "auto-run instance"
_PATIENCE, _LONGEST_PATIENCE = 0.35, 2.0  # seconds granted to a run that is no longer the newest
_AT_ONCE = 20_000  # numbers in a table whose instance is built without a background process


class AutoRun(QObject):
    """Turns drafts into runs; of drafts that arrive too fast, only the newest is computed.

    There are two steps, each of which works on one draft at a time and then takes the newest: building the
    instance and computing the run. So a continuous drag still shows runs, each of a draft of a moment ago, and
    the window says that they are out of date. A slow run is dropped when a newer draft is waiting; the next one may
    then take longer, so that there is something to see even if all runs are slow.

    Signals
    -------
    toggled
        It was switched on or off.
    """

    toggled = Signal(bool)

    def __init__(self, workbench: Workbench, queries: Queries, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._drafts = workbench.drafts
        self._queries = queries
        self._workbench = workbench
        self.on = False
        self._seen: Draft | None = None
        self._wanted: Draft | None = None
        self._building: Draft | None = None
        self._ready: tuple[RunRequest, Draft] | None = None
        self._limit = _PATIENCE
        self._timeout = single_shot(self, self._on_timeout)
        queries.answered.connect(self._on_answer)
        workbench.subscribe(self._follow, Field.DRAFT, Field.PENDING, Field.RUNS, Field.ACTIVE)

    # -- on and off ---------------------------------------------------------------------------------------------

    def auto_run(self, on: bool) -> None:
        """Switch auto-run on or off; switching it on runs the form unless its run is shown."""
        if on == self.on:
            return
        self.on = on
        self._seen = None
        self._forget()
        self.toggled.emit(on)
        if on:
            self._draft_changed()
        self._update_stale()

    def _forget(self) -> None:
        self._wanted = self._building = self._ready = None
        self._queries.cancel(_INSTANCE)
        self._timeout.stop()

    def close(self) -> None:
        """Stop computing."""
        self.on = False
        self._timeout.stop()

    # -- from a draft to its run --------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether a newer run than the one shown is being computed."""
        waiting = (self._wanted, self._building, self._ready, self._workbench.pending)
        return self.on and any(each is not None for each in waiting)

    def _draft_changed(self) -> None:
        draft = self._drafts.draft
        if not self.on or draft == self._seen:
            return
        self._seen = draft
        if draft.errors():
            self._wanted = None
        elif self.busy or not self._is_shown(draft):
            self._wanted = draft
        self._build()
        self._update_stale()

    def _is_shown(self, draft: Draft) -> bool:
        run = self._workbench.active
        if run is None or run.request is None:
            return False
        return run.draft == draft or not self._drafts.differs_from(run.request)

    def _build(self) -> None:
        """Build the instance of the newest draft, unless one is being built."""
        if self._wanted is None or self._building is not None:
            return
        draft, self._wanted = self._wanted, None
        self._building = draft
        known = self._instance_at_hand(draft)
        if known is None:
            self._queries.ask(_INSTANCE, build_instance, draft.source, cache_key=draft.instance_key(), urgent=True)
        else:
            self._built(known)

    def _instance_at_hand(self, draft: Draft) -> Instance | None:
        """The instance, if the form has it already or it can be built at once."""
        drafts = self._drafts
        if drafts.instance is not None and drafts.draft.source == draft.source:
            return drafts.instance
        if isinstance(draft.source, FromGallery) or _numbers_in(draft) > _AT_ONCE:
            return None
        try:
            return build_instance(draft.source)
        except InputError:
            return None  # the query gives the same error

    def _on_answer(self, answer: Answer) -> None:
        if answer.key == _INSTANCE:
            self._built(None if answer.error else answer.value)

    def _built(self, instance: Instance | None) -> None:
        draft, self._building = self._building, None
        if draft is not None and instance is not None and not draft.refused_by_algorithm(instance):
            self._ready = draft.request(instance), draft
            self._run()
        self._build()
        self._update_stale()

    def _run(self) -> None:
        """Compute the newest run, unless another one is being computed and may still finish in time."""
        coming = self._workbench.pending
        if self._ready is None or self._workbench.computes_pinned:
            return
        if coming is not None:
            left = coming.since + self._limit - time.monotonic()
            if left > 0:
                self._timeout.start(max(1, round(1e3 * left)))
                return
            self._limit = min(2 * self._limit, _LONGEST_PATIENCE)
        self._timeout.stop()
        (request, draft), self._ready = self._ready, None
        self._workbench.rerun(request, draft)

    def _on_timeout(self) -> None:
        self._run()
        self._update_stale()

    def _follow(self, change: Change) -> None:
        if Field.DRAFT in change:
            self._draft_changed()
        if Field.PENDING in change and Field.ACTIVE in change:  # the run is shown: the next one gets the normal time
            self._limit = _PATIENCE
        if self.on and (Field.PENDING in change or change.ended):
            self._run()
        self._update_stale()

    # -- status --------------------------------------------------------------------------------------------------

    def _update_stale(self) -> None:
        """Set the status that says whether the shown run is out of date."""
        run, draft = self._workbench.active, self._drafts.draft
        if not self.on or run is None:
            words = ""
        elif self.busy:
            words = PINNED if self._workbench.computes_pinned else COMPUTING
        elif self._is_shown(draft):
            words = ""
        elif draft.errors() or self._drafts.problems():
            words = NOT_VALID
        else:
            words = NOT_FINISHED
        self._workbench.set_stale(words)


def _numbers_in(draft: Draft) -> int:
    table = getattr(draft.source, "table", None)
    return 0 if table is None else int(table.arms.size)
