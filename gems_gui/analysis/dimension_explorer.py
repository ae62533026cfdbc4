"""Lets the analysis worker compute the curves of all dimensions, in small parts, while a view shows them."""

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
"""Milliseconds for which the cursor must rest in a first round before its costs are computed, not while it plays."""


class DimensionExplorer(QObject):
    """Computes what three views lack while one of them is visible; the answers are shared by all runs and views."""

    def __init__(self, services: Services, board: Board) -> None:
        super().__init__(services.host)
        self._board = board
        self._asker = CostAsker(_KEY, services.queries, services.workbench.messages, self)
        self._asker.answered.connect(self._on_answer)
        self._closed = False
        self.rest = single_shot(self, self._ask, REST)
        board.snapshot_changed.connect(self.look)  # queries are about the board's snapshot
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
        """Ask for the next missing part, if a view is visible and no query is pending."""
        self.rest.stop()
        if self._closed:
            return
        self._ask((CURVES, MAP))
        if self._asker.book is None and self._sets((COST,)):
            self.rest.start()

    def _sets(self, names: tuple[str, ...]) -> list[Chosen]:
        """The sets of targets whose costs these views show, if they are visible."""
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
        from gems_gui.series.dimension_book import book_of  # loaded when such a view is first shown

        book = book_of(snapshot.instance)
        question = book.next_question(self._sets(names), snapshot.truth and CURVES in seen)
        if question is not None:
            self._asker.ask(book, question)
        elif COST in seen and self._sets((COST,)):
            self._board.show_again(COST)  # the ruler of B may have received the last answers

    def _on_answer(self) -> None:
        for name in (CURVES, MAP, COST):
            self._board.show_again(name)
        self._ask()

    def close(self) -> None:
        """Stop asking."""
        self._closed = True
        self.rest.stop()
        self._asker.stop()
