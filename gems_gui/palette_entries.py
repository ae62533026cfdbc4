"""The entries of the command palette of a window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from gems_gui.board.board import Board
from gems_gui.board.layout_controller import LayoutController
from gems_gui.drafts.presets import PRESETS
from gems_gui.menus.action_set import ActionSet, key_text
from gems_gui.menus.palette import PaletteEntry, action_entries
from gems_gui.workbench.layouts import LAYOUTS
from gems_gui.workbench.workbench import Workbench


def palette_entries(
    actions: ActionSet, workbench: Workbench, board: Board, layouts: LayoutController
) -> list[PaletteEntry]:
    """All commands of a window that are listed now."""
    return [*action_entries(actions), *_presets(workbench), *_views(board), *_layouts(layouts), *_runs(workbench)]


def _presets(workbench: Workbench) -> Iterator[PaletteEntry]:
    for preset in PRESETS.values():
        do = partial(workbench.drafts.set_draft, preset.draft)
        yield PaletteEntry(f"Preset: {preset.title}", "Form", "", preset.summary, do)


def _views(board: Board) -> Iterator[PaletteEntry]:
    for name, dock in board.docks.items():
        do = partial(board.show_view, name)
        yield PaletteEntry(f"Show view: {dock.accessibleName()}", "View ▸ Views", "", dock.whatsThis(), do)


def _layouts(layouts: LayoutController) -> Iterator[PaletteEntry]:
    do: Callable[[], object]
    for place, layout in enumerate(LAYOUTS.values(), start=1):
        do = partial(layouts.choose, layout.name)
        yield PaletteEntry(f"Layout: {layout.title}", "View ▸ Layout", key_text(f"Ctrl+{place}"), layout.tip, do)
    for name in layouts.own_layouts():
        do = partial(layouts.choose, name)
        yield PaletteEntry(f"Layout: {name}", "View ▸ Layout", "", "Apply your saved layout", do)


def _runs(workbench: Workbench) -> Iterator[PaletteEntry]:
    for run in workbench.runs:
        do = partial(workbench.activate, run)
        shown = run is workbench.active
        yield PaletteEntry(f"Run: {run.name}", "Run ▸ Runs", "", "Show this run", do, enabled=not shown)
