"""Computes the theory of the current run, once a view asks for it and nothing changes any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gems_gui.background.queries import Queries
from gems_gui.widgets.timers import single_shot
from gems_gui.workbench.ports import Answer

if TYPE_CHECKING:
    from gems_engine.complexity.theory_query import TheoryQuery  # imports the theorems, which are not needed to start

_KEY = "theory"
_MANY = 300  # number of targets from which the theorems take long
_PAUSE = 250  # milliseconds: while a slider is dragged, runs change quickly


class TheoryScan(QObject):
    """Passes the queries of views to the analysis worker; only the newest counts.

    Signals
    -------
    found
        A theory has been computed.
    """

    found = Signal()

    def __init__(self, queries: Queries, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._queries = queries
        self._wanted: TheoryQuery | None = None
        self._asked: TheoryQuery | None = None
        self._timer = single_shot(self, self._ask, _PAUSE)
        queries.answered.connect(self._on_answer)

    def want(self, question: TheoryQuery) -> None:
        """Request an answer; views repeat the request while the run plays."""
        if self._wanted is not None and self._wanted.key == question.key:
            return
        self._wanted = question
        self._timer.start()

    def close(self) -> None:
        """Stop asking."""
        self._timer.stop()
        self._queries.answered.disconnect(self._on_answer)

    def _ask(self) -> None:
        if self._wanted is not None:
            from gems_engine.complexity.theory_query import answer  # brings the theorems, which few windows show

            self._asked = self._wanted
            if len(self._asked.instance.targets) >= _MANY:
                self._queries.start_second_process()  # so that the form does not wait for it
            self._queries.ask(_KEY, answer, self._asked)

    def _on_answer(self, given: Answer) -> None:
        if given.key != _KEY or self._asked is None:
            return
        question, self._asked = self._asked, None
        if self._wanted is not None and self._wanted.key == question.key:
            self._wanted = None
        if not given.error:
            from gems_engine.complexity.theory_query import KNOWN  # brings the theorems, which few windows show

            KNOWN.put(question, given.value)
            self.found.emit()
