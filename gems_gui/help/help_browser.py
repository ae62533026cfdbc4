"""The browser of help pages: rich text by key, with history."""

from __future__ import annotations

from html import escape
from typing import Any

from PySide6.QtCore import QUrl, QUrlQuery
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QTextBrowser

from gems_gui.appearance import Appearance
from gems_gui.glossary import GLOSSARY
from gems_gui.help.glossary_page import glossary_page
from gems_gui.help.how_to_read import page
from gems_gui.help.pages import START, pages, resolved
from gems_gui.markup import as_html
from gems_gui.theme import Theme


class HelpBrowser(QTextBrowser):
    """Shows pages by their keys, with a history."""

    def __init__(self, appearance: Appearance, truth: bool) -> None:
        super().__init__()
        self._appearance, self._truth = appearance, truth
        self.setAccessibleName("Help page")
        self.document().setDocumentMargin(10)
        appearance.follow(self._apply_theme)

    @property
    def key(self) -> str:
        """The page that is shown."""
        return self.source().path()

    def show_page(self, key: str) -> None:
        """Go to a page, optionally at an anchor; without one, the current page keeps its scroll position."""
        page = QUrl(f"help:{key}")
        if page != self.source():
            self.setSource(page, QTextDocument.ResourceType.HtmlResource)
        if page.fragment():
            self.scrollToAnchor(page.fragment())

    def set_truth(self, shown: bool) -> None:
        """Show the colour of the truth, or hide it."""
        self._truth = shown
        self._load_again()

    def _apply_theme(self, theme: Theme) -> None:
        self.setStyleSheet(f"QTextBrowser {{ background: {theme.card}; }}")
        self.document().setDefaultStyleSheet(
            f".h1 {{ font-size: {theme.pixels(18)}px; font-weight: bold; margin-bottom: 6px; }}"
            f".h2 {{ font-size: {theme.pixels(14)}px; font-weight: bold; margin-top: 16px; margin-bottom: 2px; }}"
            f"a {{ color: {theme.surviving}; text-decoration: none; }}"
            f"code {{ font-family: '{theme.font().family()}'; background-color: {theme.line}; }}"
            f"th {{ color: {theme.dim}; font-weight: normal; }}"
        )
        self._load_again()

    def _load_again(self) -> None:
        """Reload the page at the same scroll position."""
        if self.key:
            bar = self.verticalScrollBar()
            at = bar.value()
            self.reload()
            bar.setValue(at)

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        page = QUrl(name)
        marked = QUrlQuery(page).queryItemValue("marked")
        return self.html(page.path(), tuple(filter(None, marked.split(","))))

    def html(self, key: str, marked: tuple[str, ...] = ()) -> str:
        """A page as this browser shows it; in the glossary, some entries are marked."""
        if key == GLOSSARY:
            return glossary_page(self._appearance.theme, marked)
        if key == START:
            return page(self._appearance.theme, self._truth)
        found = pages().get(key)
        if found is None:
            return f'<p class="h1">No such page</p><p>There is no page "{escape(key)}".</p>'
        return as_html(found.text, lambda target: f"help:{resolved(target, key)}", self._appearance.theme.pixels(14))
