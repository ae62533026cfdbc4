"""Has the curves of every dimension computed for whoever looks at them, a little at a time, by the analysis worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gems_gui.background.queries import Answer

if TYPE_CHECKING:
    from gems_gui.series.dimension_book import Book, Question
    from gems_gui.views.view import View
    from gems_gui.window import MainWindow

_KEY = "curves of every dimension"
CURVES, MAP = "dimensions", "budgets"


class DimensionExplorer(QObject):
    """Asks for what the two views lack while somebody sees one of them; answers stay known for every run and view."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._asked: tuple[Book, Question] | None = None
        self._closed = False
        window.queries.answered.connect(self._answered)
        for name in (CURVES, MAP):
            dock = window.board.docks[name]
            dock.made.connect(self._made)
            dock.visibilityChanged.connect(self._seen)

    def _made(self, view: View) -> None:
        view.options_changed.connect(self.look)
        self.look()

    def _seen(self, visible: bool) -> None:
        if visible:
            self.look()

    def look(self) -> None:
        """Ask for the next thing that is missing, if somebody looks and nothing is on its way."""
        if self._closed:
            return
        moment, docks = self._window.board.moment, self._window.board.docks
        seen = [name for name in (CURVES, MAP) if docks[name].in_sight and docks[name].view is not None]
        if moment is None or not seen or self._asked is not None:
            return
        from gems_gui.series.dimension_book import book_of
        from gems_gui.series.dimension_rounds import wanted
        from gems_gui.series.dimensions import shown_set

        book = book_of(moment.instance)
        sets = []
        view = docks[CURVES].view
        if CURVES in seen and view is not None:
            sets.append(shown_set(moment, view.settings["of"])[0])
        view = docks[MAP].view
        if MAP in seen and view is not None:
            sets += wanted(moment, view.settings["scope"])
        question = book.next_question([each for each in sets if len(each) > 1], moment.truth and CURVES in seen)
        if question is not None:
            self._asked = book, question
            self._window.queries.ask(_KEY, question.function, *question.arguments)

    def _answered(self, found: Answer) -> None:
        if found.key != _KEY or self._asked is None:
            return
        (book, question), self._asked = self._asked, None
        if found.error:
            self._window.say(found.error)
            return
        book.take(question, found.value)
        for name in (CURVES, MAP):
            self._window.board.show_again(name)
        self.look()

    def close(self) -> None:
        """Ask for nothing more."""
        self._closed, self._asked = True, None
        self._window.queries.cancel(_KEY)
