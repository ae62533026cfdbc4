"""Asks the analysis worker for costs of an instance, one query at a time, and stores the answers in its book."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gems_gui.background.queries import Queries
from gems_gui.workbench.messages import Messages
from gems_gui.workbench.ports import Answer

if TYPE_CHECKING:
    from gems_gui.series.dimension_book import DimensionBook, DimensionQuery


class CostAsker(QObject):
    """What the rulers of the form and the views of all dimensions have in common.

    Parameters
    ----------
    key
        The key of its queries.
    messages
        Where errors are shown.

    Signals
    -------
    answered
        The book of the last query has new entries.
    """

    answered = Signal()

    def __init__(self, key: str, queries: Queries, messages: Messages, parent: QObject) -> None:
        super().__init__(parent)
        self._key, self._queries, self._messages = key, queries, messages
        self._asked: tuple[DimensionBook, DimensionQuery] | None = None
        queries.answered.connect(self._on_answer)

    @property
    def book(self) -> DimensionBook | None:
        """The book of the query that is being computed."""
        return None if self._asked is None else self._asked[0]

    def ask(self, book: DimensionBook, question: DimensionQuery) -> None:
        """Compute a query of a book."""
        self._asked = book, question
        self._queries.ask(self._key, question.function, *question.arguments)

    def stop(self) -> None:
        """Cancel the current query."""
        if self._asked is not None:
            self._asked = None
            self._queries.cancel(self._key)

    def _on_answer(self, found: Answer) -> None:
        if found.key != self._key or self._asked is None:
            return
        (book, question), self._asked = self._asked, None
        if found.error:
            self._messages.show(found.error)
            return
        book.take(question, found.value)
        self.answered.emit()
