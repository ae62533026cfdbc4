"""Has the curves of every dimension computed for whoever looks at them, a little at a time, by the analysis worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gems_gui.analysis.cost_asker import CostAsker
from gems_gui.board.board import Board
from gems_gui.services import Services
from gems_gui.widgets.timers import single_shot

if TYPE_CHECKING:
    from gems_gui.series.dimension_book import Chosen
    from gems_gui.views.view import View

_KEY = "curves of every dimension"
CURVES, MAP, COST = "dimensions", "budgets", "cost"
REST = 400
"""Milliseconds for which a cursor rests in a first round before its costs are asked for: a run that plays passes it."""


class DimensionExplorer(QObject):
    """Asks for what three views lack while one of them is in sight; answers stay known for every run and view."""

    def __init__(self, services: Services, board: Board) -> None:
        super().__init__(services.host)
        self._board = board
        self._asker = CostAsker(_KEY, services.queries, services.workbench.messages, self)
        self._asker.answered.connect(self._on_answer)
        self._closed = False
        self.rest = single_shot(self, self._ask, REST)
        board.snapshot_changed.connect(self.look)  # what is asked for is of the board's snapshot
        for name in (CURVES, MAP, COST):
            dock = board.docks[name]
            dock.created.connect(self._on_view_created)
            dock.visibilityChanged.connect(self._on_visibility_changed)

    def _on_view_created(self, view: View) -> None:
        view.options_changed.connect(self.look)
        self.look()

    def _on_visibility_changed(self, visible: bool) -> None:
        if visible:
            self.look()

    def look(self) -> None:
        """Ask for the next thing that is missing, if a view is in sight and nothing is on its way."""
        self.rest.stop()
        if self._closed:
            return
        self._ask((CURVES, MAP))
        if self._asker.book is None and self._sets((COST,)):
            self.rest.start()

    def _sets(self, names: tuple[str, ...]) -> list[Chosen]:
        """The sets of targets whose costs these views show, as far as they are in sight."""
        snapshot, docks = self._board.snapshot, self._board.docks
        views = {name: docks[name].view for name in names if docks[name].exposed}
        if snapshot is None:
            return []
        from gems_gui.series.dimension_rounds import wanted  # brings explanations: not needed to start
        from gems_gui.series.dimensions import shown_set  # brings explanations: not needed to start
        from gems_gui.series.first_costs import first_set  # brings explanations: not needed to start

        sets = []
        if (view := views.get(CURVES)) is not None:
            sets.append(shown_set(snapshot, view.settings["of"])[0])
        if (view := views.get(MAP)) is not None:
            sets += wanted(snapshot, view.settings["scope"])
        if views.get(COST) is not None:
            sets.append(first_set(snapshot))
        return [each for each in sets if len(each) > 1]

    def _ask(self, names: tuple[str, ...] = (CURVES, MAP, COST)) -> None:
        snapshot, docks = self._board.snapshot, self._board.docks
        if self._closed or snapshot is None or self._asker.book is not None:
            return
        seen = [name for name in names if docks[name].exposed and docks[name].view is not None]
        if not seen:
            return
        from gems_gui.series.dimension_book import book_of  # loaded when such a view is first seen

        book = book_of(snapshot.instance)
        question = book.next_question(self._sets(names), snapshot.truth and CURVES in seen)
        if question is not None:
            self._asker.ask(book, question)
        elif COST in seen and self._sets((COST,)):
            self._board.show_again(COST)  # the ruler of B may have had the last answers

    def _on_answer(self) -> None:
        for name in (CURVES, MAP, COST):
            self._board.show_again(name)
        self._ask()

    def close(self) -> None:
        """Ask for nothing more."""
        self._closed = True
        self.rest.stop()
        self._asker.stop()
