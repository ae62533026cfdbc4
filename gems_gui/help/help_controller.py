"""The actions of the Help menu: help, list of shortcuts, command palette, "What is this?" and About."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWhatsThis

from gems_gui.actions.spec import AnyAction
from gems_gui.glossary import glossary_key
from gems_gui.menus.key_sheet import KeySheet
from gems_gui.services import Services
from gems_gui.widgets.dialogs import LazyDialog
from gems_gui.widgets.window_area import WindowArea

if TYPE_CHECKING:
    from gems_gui.help.about import About
    from gems_gui.help.help_window import HelpWindow
    from gems_gui.menus.palette import Palette, PaletteEntry


class HelpController(QObject):
    """Loads help pages and the palette on demand, so that the window starts faster.

    Parameters
    ----------
    table
        All actions, for the list of shortcuts.
    entries
        The current entries of the palette.
    page_meant
        The key of the page about what has the focus or is under the mouse.
    """

    def __init__(
        self,
        services: Services,
        area: WindowArea,
        table: Sequence[AnyAction],
        entries: Callable[[], list[PaletteEntry]],
        page_meant: Callable[[], str],
    ) -> None:
        super().__init__(services.host)
        self._services = services
        self._host, self._area = services.host, area
        self._entries, self._page_meant = entries, page_meant
        self._help = LazyDialog(self._make_help)
        self._keys = LazyDialog(partial(KeySheet, self._host, table))
        self._about = LazyDialog(self._make_about)
        self._palette = LazyDialog(self._make_palette)

    def help(self) -> None:
        """Show the page about the widget with the focus or under the mouse, or else the start page."""
        self.show_page(self._page_meant())

    def help_on_view(self, name: str) -> None:
        """Show the page about a view."""
        self._help.shown().show_view(name)

    def symbols_of_view(self, name: str) -> None:
        """Show the glossary at the symbols of a view."""
        from gems_gui.help.pages import view_symbols  # loaded with the first help page

        self.show_page(glossary_key(view_symbols(name)))

    def how_to_read(self) -> None:
        """Show the start page of the help."""
        self._help.shown().show_start()

    def show_page(self, key: str) -> None:
        """Show a help page."""
        self._help.shown().show_page(key)

    def _make_help(self) -> HelpWindow:
        from gems_gui.help.help_window import HelpWindow  # loaded with the first help page

        return HelpWindow(self._services)

    def keys(self) -> None:
        """Show the list of shortcuts."""
        self._keys.show()

    def palette(self) -> None:
        """Open the command palette."""
        self._palette.show().activate()

    def _make_palette(self) -> Palette:
        from gems_gui.menus.palette import Palette  # loaded when it is first opened

        services = self._services
        return Palette(self._host, self._area, services.appearance, self._entries(), services.ui.focus_board)

    def whats_this(self) -> None:
        """Let the next click explain what is clicked."""
        QWhatsThis.enterWhatsThisMode()

    def about(self) -> None:
        """Open the dialog "About"."""
        self._about.show()

    def _make_about(self) -> About:
        from gems_gui.help.about import About  # loaded when it is first opened

        return About(self._host)
