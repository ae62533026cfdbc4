"""The base of all views that are tables."""

from __future__ import annotations

from gems_gui.series.wordings import Phrasings
from gems_gui.theme import Theme
from gems_gui.views.rows import RowTable
from gems_gui.views.view import View


class TableView(View):
    """A view that is a table. A subclass creates it in ``make`` and lists its rows in ``paint``."""

    is_plot = False
    table: RowTable

    def apply_theme(self, theme: Theme) -> None:
        self.table.apply_theme(theme)

    def set_subtitle(self, subtitle: str | Phrasings, nothing: Phrasings = ()) -> None:
        super().set_subtitle(subtitle, nothing)
        self.table.show_placeholder(nothing if self.snapshot is None else ())
