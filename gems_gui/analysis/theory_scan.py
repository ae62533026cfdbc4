"""Has the theory of the run that is shown computed, once it has been asked for and nothing changes any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gems_gui.background.queries import Queries
from gems_gui.widgets.timers import single_shot
from gems_gui.workbench.ports import Answer

if TYPE_CHECKING:
    from gems_gui.series.theory import TheoryQuery  # the theorems come with it, which a window can start without

_KEY = "theory"
_MANY = 300  # targets from which on the theorems take long
_PAUSE = 250  # milliseconds: while a slider is dragged, one run follows another


class TheoryScan(QObject):
    """Asks the analysis worker for what views ask for; the newest question counts.

    Signals
    -------
    found
        A theory has become known.
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
        """Somebody shows that it waits for this; said again and again while the run is played."""
        if self._wanted is not None and self._wanted.key == question.key:
            return
        self._wanted = question
        self._timer.start()

    def close(self) -> None:
        """Ask no more."""
        self._timer.stop()
        self._queries.answered.disconnect(self._on_answer)

    def _ask(self) -> None:
        if self._wanted is not None:
            from gems_gui.series.theory import answer  # brings the theorems, which few windows show

            self._asked = self._wanted
            if len(self._asked.instance.targets) >= _MANY:
                self._queries.start_second_process()  # the form is not to wait for it
            self._queries.ask(_KEY, answer, self._asked)

    def _on_answer(self, given: Answer) -> None:
        if given.key != _KEY or self._asked is None:
            return
        question, self._asked = self._asked, None
        if self._wanted is not None and self._wanted.key == question.key:
            self._wanted = None
        if not given.error:
            from gems_gui.series.theory import KNOWN  # brings the theorems, which few windows show

            KNOWN.put(question, given.value)
            self.found.emit()
