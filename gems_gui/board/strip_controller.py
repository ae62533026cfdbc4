"""Fills the strip above the plots: narrates the event at the cursor, and gives the verdict at the end of a run."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton

from gems_engine.history import LATE
from gems_engine.narration import narrate
from gems_engine.terminal import plural
from gems_engine.verdict import MOST_TARGETS, Verdict, promise_text, verdict
from gems_engine.wording import answer_text
from gems_gui.board.board import Board
from gems_gui.board.strip import Strip, StripButton
from gems_gui.menus.action_set import ActionSet
from gems_gui.series.wordings import Phrasings
from gems_gui.services import Services
from gems_gui.snapshot import Snapshot
from gems_gui.workbench.changes import Field

if TYPE_CHECKING:
    from gems_engine.complexity.theory_query import TheoryQuery  # imports the theorems, which are not needed to start

_NO_RUN = "No run yet. Press Ctrl+R to run the form."
_AT_START = "Press → for one event, Shift+→ for a round, Space to play."
_STOPPED = "verifiable since loop {loop}, so auto-run stopped after loop {last}."
_TO_THE_END = "run_to_end"
_BUTTONS = {"race_run": "Race RAGE", "more_seeds": "100 more seeds", "make_story": "Story"}
"""The actions that follow a verdict; one that the window does not have gets no button."""


def _phrasings(found: Verdict, hidden: bool, promise: str) -> Phrasings:
    """What follows the headline of a verdict; what theory promised is shortened, and omitted later than the reason."""
    _, *parts = found.parts(hidden, promise)
    brief, samples = found.cost(hidden, brief=True), plural(found.samples, "sample")
    bound = promise.partition(" with probability")[0]
    said = (parts, parts[:-1], (parts[0], bound), (brief, bound), parts[:1], (brief,), (samples,), ())
    return tuple(dict.fromkeys(" · ".join(filter(None, each)) for each in said))


class StripController(QObject):
    """Follows the current snapshot.

    Parameters
    ----------
    want
        Requests the theory of a run; :meth:`show` is called again when it is known.
    """

    def __init__(self, services: Services, strip: Strip, board: Board, want: Callable[[TheoryQuery], object]) -> None:
        super().__init__(services.host)
        self._workbench, self._strip, self._want = services.workbench, strip, want
        self._race: QPushButton | None = None
        strip.why_requested.connect(partial(board.show_view, "why"))
        self._workbench.subscribe(self.show, Field.SNAPSHOT, Field.ENGINE)
        self.show()

    def add_buttons(self, actions: ActionSet) -> None:
        """Add a button for each action that follows a verdict."""
        known = {spec.id: spec for spec in actions.specs}
        self._strip.add_buttons([self._button(actions, name) for name in _BUTTONS if name in known])
        self._strip.add_override(self._button(actions, _TO_THE_END))
        self.show()

    def _name_race(self) -> None:
        """Name the other algorithm on the button of the race, or say that the race starts again."""
        run = self._workbench.active
        request = None if run is None else run.request
        racing = run is not None and run.playback.clock is not None
        rival = "GEMS" if request is not None and request.algorithm in ("rage", "rage-oracle") else "RAGE"
        text = "Race again" if racing else f"Race {rival}"
        if self._race is not None and self._race.text() != text:
            self._race.setText(text)
            self._strip.arrange()

    def _button(self, actions: ActionSet, name: str) -> QPushButton:
        action = actions[name]
        button = StripButton(_BUTTONS.get(name, action.text()), action.toolTip())
        button.clicked.connect(action.trigger)
        action.changed.connect(partial(self._follow_action, action, button))
        if name == "race_run":
            self._race = button
        self._follow_action(action, button)
        return button

    @staticmethod
    def _follow_action(action: QAction, button: QPushButton) -> None:
        button.setEnabled(action.isEnabled())
        button.setToolTip(action.toolTip())  # with the reason while it is refused

    def show(self, *_: object) -> None:
        """Show the sentence of the current snapshot."""
        snapshot = self._workbench.snapshot
        if snapshot is None:
            self._strip.show_text(_NO_RUN, explained=False)
            return
        found = verdict(snapshot.history, snapshot.state)
        if found is not None:
            self._name_race()
            hidden = not snapshot.truth
            ways = _phrasings(found, hidden, "" if hidden else self._promise(snapshot))
            self._strip.show_text(ways, found.headline(hidden), explained=True, verdict=True)
            return
        playback = self._workbench.playback
        settled = None if playback is None else playback.settled_in
        if settled is not None:
            said = _STOPPED.format(loop=settled, last=settled + LATE)
            headline = answer_text(snapshot.state, snapshot.instance)
            self._strip.show_text(said, headline[:1].upper() + headline[1:], explained=True, stopped=True)
            return
        words = narrate(snapshot.history, snapshot.state, snapshot.truth)
        told = (words,) if snapshot.cursor else (f"{words} {_AT_START}", _AT_START)
        self._strip.show_text(told, explained=snapshot.cursor > 0)

    def _promise(self, snapshot: Snapshot) -> str:
        """What theory promised, if that is known; otherwise it is requested."""
        if not snapshot.judges:
            return ""
        from gems_engine.complexity.theory_query import KNOWN  # brings the theorems, which the start does not need
        from gems_gui.series.theory import question_of  # the same

        question = question_of(snapshot)
        known = KNOWN.get(question)
        if known is None and question is not None and len(snapshot.instance.targets) <= MOST_TARGETS:
            self._want(question)
        return promise_text(known)
