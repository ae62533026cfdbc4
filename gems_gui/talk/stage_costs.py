"""Computes the curves of all dimensions that a view on the stage lacks, in the background."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from gems_gui.analysis.cost_asker import CostAsker
from gems_gui.painting.frames import view_of
from gems_gui.series.dimension_book import book_of
from gems_gui.series.dimension_rounds import wanted
from gems_gui.series.dimensions import shown_set
from gems_gui.services import Services
from gems_gui.talk.stage import Stage

_KEY = "costs of a talk"
_CURVES, _MAP = "dimensions", "budgets"


class StageCosts(QObject):
    """Asks for what these views lack, one query after the other.

    Signals
    -------
    came
        The views have more to show.
    """

    came = Signal()

    def __init__(self, services: Services, parent: QObject) -> None:
        super().__init__(parent)
        self._asker = CostAsker(_KEY, services.queries, services.workbench.messages, self)
        self._asker.answered.connect(self.came)

    def look(self, stage: Stage) -> None:
        """Ask for the next missing part, if a view on the stage shows it and no query is pending."""
        if self._asker.book is not None:
            return
        for panel in stage.shown:
            name, snapshot = view_of(panel)[0], stage.views[panel].snapshot
            if name not in (_CURVES, _MAP) or snapshot is None:
                continue
            settings, book = stage.views[panel].settings, book_of(snapshot.instance)
            sets = [shown_set(snapshot, settings["of"])[0]] if name == _CURVES else wanted(snapshot, settings["scope"])
            question = book.next_question([each for each in sets if len(each) > 1], snapshot.truth and name == _CURVES)
            if question is not None:
                self._asker.ask(book, question)
                return

    def stop(self) -> None:
        """Stop asking, at the end of a talk."""
        self._asker.stop()
