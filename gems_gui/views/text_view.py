"""The base of the views that are texts: rich text that is set only when it changes."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QTextBrowser, QWidget

from gems_engine.explanation import Explanation, as_html
from gems_engine.explanation.text import ROLES, cut_after, lines_of, plain
from gems_gui.theme import Theme
from gems_gui.views.view import View


class TextView(View):
    """A text with headings, sentences and formulas that scrolls and can be copied."""

    is_plot = False
    has_numbers = False

    def make(self) -> QWidget:
        self.page = QTextBrowser()
        self.page.setAccessibleName(self.title)
        self.page.setOpenLinks(False)
        self.page.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.page.setStyleSheet("QTextBrowser { border: none; background: transparent; padding: 0px; }")
        self.page.document().setDocumentMargin(2)
        self._html = ""
        self._about = ""
        self._told: Explanation | None = None
        return self.page

    def apply_theme(self, theme: Theme) -> None:
        self._colors = {role: theme.color(role).name() for role in ROLES}

    def clear(self) -> None:
        self._told = None
        self._set("", "")

    def put(self, explanation: Explanation, about: str) -> None:
        """Show an explanation; the scroll position is kept while the subject is the same."""
        self.head.subtitle.setText(plain(explanation.title))
        self._told = explanation
        self._set(self._as_html(explanation), about)

    def _as_html(self, explanation: Explanation) -> str:
        return as_html(explanation, self._colors, self.theme.pixels(14), titled=False)

    def make_room(self) -> None:
        """In a picture and on a stage, which do not scroll, show as many whole lines from the start as fit."""
        if self._told is None or not (self.exporting or self.theme.hall):
            return
        self.page.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        low, high = 1, lines_of(self._told)
        while low < high:
            middle = (low + high + 1) // 2
            self._set(self._as_html(cut_after(self._told, middle)), self._about)
            low, high = (middle, high) if self._fits() else (low, middle - 1)
        self._set(self._as_html(cut_after(self._told, low)), self._about)

    def _fits(self) -> bool:
        document = self.page.document()
        return document.documentLayout().documentSize().height() <= self.page.viewport().height()

    def _set(self, html: str, about: str) -> None:
        if html == self._html:
            return
        bar = self.page.verticalScrollBar()
        scrolled = bar.value() if about == self._about else 0
        self._html, self._about = html, about
        self.page.setHtml(html)
        bar.setValue(scrolled)
