"""The base of the views that are texts: rich text that is set only when it changes."""

from __future__ import annotations

from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QTextBrowser, QWidget

from gems_engine.explanation import Explanation, as_html
from gems_engine.explanation.text import ROLES, plain
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
        return self.page

    def apply_theme(self, theme: Theme) -> None:
        self._colors = {role: theme.color(role).name() for role in ROLES}

    def clear(self) -> None:
        self._set("", "")

    def put(self, explanation: Explanation, about: str) -> None:
        """Show an explanation; the scroll position is kept while the subject is the same."""
        self.head.subtitle.setText(plain(explanation.title))
        self._set(as_html(explanation, self._colors, self.theme.pixels(14), titled=False), about)

    def _set(self, html: str, about: str) -> None:
        if html == self._html:
            return
        bar = self.page.verticalScrollBar()
        scrolled = bar.value() if about == self._about else 0
        self._html, self._about = html, about
        self.page.setHtml(html)
        bar.setValue(scrolled)
