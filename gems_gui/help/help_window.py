"""The help window: searchable contents, and the page with links and history."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QModelIndex, QSignalBlocker, QSize, Qt, QUrl
from PySide6.QtWidgets import (
    QLineEdit,
    QSplitter,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from gems_engine.terminal import with_indices
from gems_gui.help.help_browser import HelpBrowser
from gems_gui.help.how_to_read import TITLE
from gems_gui.help.pages import GROUPS, START, pages, view_key
from gems_gui.icons import icon
from gems_gui.menus.action_set import key_text
from gems_gui.services import Services
from gems_gui.theme import Theme
from gems_gui.widgets.boxes import hbox, vbox
from gems_gui.widgets.dialogs import Dialog
from gems_gui.widgets.explained import complete
from gems_gui.workbench.changes import Field

_SIZE = (860, 640)
_SCREEN = 0.9  # largest part of the screen that it takes
_CONTENTS, _SHARE = 250, 0.36  # width of the contents in pixels before font scaling, and their largest share
_KEY = Qt.ItemDataRole.UserRole
_PLACE = "help"  # key of its geometry in the settings


class HelpWindow(Dialog):
    """A non-modal window; F1 in the main window shows another page in it, F1 here the start page."""

    def __init__(self, services: Services) -> None:
        super().__init__(services.host, "Help")
        self._workbench, self._settings, self._appearance = services.workbench, services.settings, services.appearance
        self.browser = HelpBrowser(self._appearance, self._workbench.truth)
        self.search = QLineEdit()
        self.search.setAccessibleName("Search the help")
        self.search.setPlaceholderText("Search")
        self.search.setToolTip("List the pages that contain all of these words")
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._filter)
        self.search.returnPressed.connect(self._go_to_first)
        self.contents = QTreeWidget()
        self.contents.setAccessibleName("Contents of the help")
        self.contents.setToolTip("Choose a page")
        self.contents.setHeaderHidden(True)
        self.contents.setIndentation(self._appearance.theme.pixels(12))
        self.contents.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._items = self._fill()
        browser = self.browser
        self.back = self._button("Go back to the previous page", "Alt+Left", browser.backward)
        self.forward = self._button("Go forward to the next page", "Alt+Right", browser.forward)
        self.start = self._button("Go to the start page, which links to all pages", "Alt+Home", self._go_to_start)
        for button, available in ((self.back, browser.backwardAvailable), (self.forward, browser.forwardAvailable)):
            button.setEnabled(False)
            available.connect(button.setEnabled)
        self.splitter = QSplitter()
        self._lay_out()
        self._appearance.follow(self._apply_theme)
        complete(self)
        self.contents.currentItemChanged.connect(self._chosen)
        self.browser.sourceChanged.connect(self._went)
        self.destroyed.connect(self._workbench.subscribe(self._truth_changed, Field.TRUTH).cancel)
        room = self.screen().availableSize() * _SCREEN
        self.resize(QSize(*map(self._appearance.theme.pixels, _SIZE)).boundedTo(room))
        self.restoreGeometry(self._settings.bytes_of(_PLACE))
        contents = min(self._appearance.theme.pixels(_CONTENTS), round(_SHARE * self.width()))
        self.splitter.setSizes([contents, self.width() - contents])

    def _button(self, tip: str, key: str, do: Callable[[], object]) -> QToolButton:
        button = QToolButton()
        button.setAccessibleName(tip)
        button.setToolTip(f"{tip} ({key_text(key)})")
        button.setShortcut(key)
        button.setIconSize(QSize(self._appearance.theme.pixels(16), self._appearance.theme.pixels(16)))
        button.clicked.connect(do)
        return button

    def _lay_out(self) -> None:
        row = hbox(spacing=4)
        for button in (self.back, self.forward, self.start):
            row.addWidget(button)
        row.addStretch(1)
        left, right = QWidget(), QWidget()
        for side, parts in ((left, (self.search, self.contents)), (right, (row, self.browser))):
            column = vbox(side, 6)
            for part in parts:
                if isinstance(part, QWidget):
                    column.addWidget(part)
                else:
                    column.addLayout(part)
        self.splitter.addWidget(left)
        self.splitter.addWidget(right)
        self.splitter.setStretchFactor(1, 1)
        self.column.addWidget(self.splitter)

    # -- pages --------------------------------------------------------------------------------------------------

    def show_page(self, key: str) -> None:
        """Show a page and raise the window; a browser scrolls to an anchor only while it is visible."""
        self.show()
        self.browser.show_page(key)
        self.raise_()
        self.activateWindow()
        self.browser.setFocus()

    def show_view(self, name: str) -> None:
        """Show the page about a view."""
        self.show_page(view_key(name))

    def show_start(self) -> None:
        """Show how to read the window."""
        self.show_page(START)

    def _go_to_start(self) -> None:
        self.browser.show_page(START)

    def _chosen(self, item: QTreeWidgetItem | None) -> None:
        if item is not None and item.data(0, _KEY) not in (None, "", self.browser.key):
            self.browser.show_page(item.data(0, _KEY))

    def _went(self, page: QUrl) -> None:
        """Select the current page in the contents."""
        key = page.path()
        title = TITLE if key == START else pages()[key].title if key in pages() else "Help"
        self.setWindowTitle(with_indices(f"Help: {title}"))
        item = self._items.get(key)
        with QSignalBlocker(self.contents):  # the page is shown already, with its marks
            if item is not None and not item.isHidden():
                self.contents.setCurrentItem(item)
            else:
                self.contents.setCurrentIndex(QModelIndex())

    # -- contents -----------------------------------------------------------------------------------------------

    def _fill(self) -> dict[str, QTreeWidgetItem]:
        first = QTreeWidgetItem(self.contents, [TITLE])
        first.setData(0, _KEY, START)
        items = {START: first}
        for name in GROUPS:
            listed = [each for each in pages().values() if each.group == name]
            if not listed:
                continue
            group = QTreeWidgetItem(self.contents, [name])
            group.setFlags(Qt.ItemFlag.ItemIsEnabled)
            for each in listed:
                item = items[each.key] = QTreeWidgetItem(group, [with_indices(each.entry)])
                item.setData(0, _KEY, each.key)
                item.setToolTip(0, each.title)
            group.setExpanded(True)
        return items

    def _filter(self, text: str) -> None:
        """List only pages with all of the words, and no empty groups."""
        words = text.casefold().split()
        for key, item in self._items.items():
            found = pages().get(key)
            searched = TITLE if found is None else f"{found.title} {found.label} {found.text}"
            item.setHidden(not all(word in searched.casefold() for word in words))
        for row in range(self.contents.topLevelItemCount()):
            group = self.contents.topLevelItem(row)
            if group is not None and group.childCount():
                group.setHidden(all(group.child(each).isHidden() for each in range(group.childCount())))

    def _go_to_first(self) -> None:
        listed = [key for key, item in self._items.items() if not item.isHidden()]
        if listed:
            self.browser.show_page(listed[0])

    # -- events ------------------------------------------------------------------------------------------------

    def _truth_changed(self, *_: object) -> None:
        self.browser.set_truth(self._workbench.truth)

    def _apply_theme(self, theme: Theme) -> None:
        for button, name in ((self.back, "left"), (self.forward, "right"), (self.start, "help")):
            button.setIcon(icon(name, theme))

    def done(self, result: int) -> None:
        """Save the geometry for the next time."""
        self._settings.keep_bytes(_PLACE, self.saveGeometry())
        super().done(result)
