"""Computes the costs of the form's instance for algorithms that take B, and shows in the form what B, n and T allow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, SignalInstance

from gems_engine.suggestion import SUGGESTING
from gems_gui.analysis.cost_asker import CostAsker
from gems_gui.drafts.advice import Advice, advice
from gems_gui.drafts.rulers import marked_dimensions
from gems_gui.panels.form_panel import FormPanel
from gems_gui.services import Services
from gems_gui.widgets.timers import single_shot

if TYPE_CHECKING:
    from gems_gui.series.dimension_book import DimensionBook

_KEY = "costs of the form's instance"
_REST = 120  # milliseconds without a change of the instance, after which its costs are computed


class Suggesting(QObject):
    """Computes what the rulers lack, a few dimensions at a time; queries about an old instance are cancelled.

    Parameters
    ----------
    shown
        Emitted when the form shows the current draft, as the rulers belong to its fields.

    Attributes
    ----------
    advice
        What the form shows; None if its algorithm takes no B.
    """

    def __init__(self, services: Services, form: FormPanel, shown: SignalInstance) -> None:
        super().__init__(services.host)
        self._workbench = services.workbench
        self._form = form
        self._begun = False
        self.advice: Advice | None = None
        self._asker = CostAsker(_KEY, services.queries, services.workbench.messages, self)
        self._asker.answered.connect(self._on_answer)
        self._closed = False
        self._rest = single_shot(self, self._ask, _REST)
        shown.connect(self.look)

    def begin(self) -> None:
        """Start, once the window has been painted."""
        self._begun = True

    def look(self) -> None:
        """Show what is known about the form's draft, and compute the rest."""
        drafts = self._workbench.drafts
        if self._closed or not self._begun:
            return
        if drafts.draft.algorithm not in SUGGESTING:
            self.advice = None
            self._stop_asking()
            return
        book = self._book()
        curve = None if book is None else book.curve(self._everyone(book))
        truth, refused = self._workbench.truth, bool(drafts.refusal)
        self.advice = advice(drafts.draft, drafts.instance, curve, truth, refused)
        self._form.show_advice(self.advice)
        if self._asker.book is not None and self._asker.book is not book:
            self._stop_asking()
        if self._asker.book is None and book is not None and not self._rest.isActive():
            self._rest.start()

    def _book(self) -> DimensionBook | None:
        from gems_gui.series.dimension_book import book_of  # imports the solver's reports: loaded after the first paint

        instance = self._workbench.drafts.instance
        return None if instance is None else book_of(instance)

    @staticmethod
    def _everyone(book: DimensionBook) -> tuple[int, ...]:
        return tuple(range(len(book.instance.targets)))

    def _stop_asking(self) -> None:
        self._rest.stop()
        self._asker.stop()

    def _ask(self) -> None:
        book = self._book()
        if self._closed or self._asker.book is not None or book is None or self.advice is None:
            return
        question = book.question_of(self._everyone(book), marked_dimensions(book.instance.D))
        if question is not None:
            self._asker.ask(book, question)

    def _on_answer(self) -> None:
        self.look()
        self._ask()

    def close(self) -> None:
        """Stop asking."""
        self._closed = True
        self._stop_asking()
