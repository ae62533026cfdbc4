"""The entries of the command palette of a window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from gems_engine.talk.shipped import SHIPPED
from gems_gui.board.board import Board
from gems_gui.board.layout_controller import LayoutController
from gems_gui.drafts.presets import PRESETS
from gems_gui.menus.action_set import key_text
from gems_gui.menus.palette import SETTING, PaletteEntry, action_entries
from gems_gui.panels.form_panel import FormPanel
from gems_gui.services import Services
from gems_gui.truth import REASON
from gems_gui.workbench.layouts import LAYOUTS
from gems_gui.workbench.workbench import Workbench


def palette_entries(
    services: Services,
    board: Board,
    layouts: LayoutController,
    form: FormPanel,
    tell: Callable[[str], object],
    start_preset: Callable[[str], object],
) -> list[PaletteEntry]:
    """All commands of a window that are listed now."""
    work = services.workbench
    return [
        *action_entries(services.actions),
        *_presets(work, start_preset),
        *_stories(tell),
        *_views(board),
        *_layouts(layouts),
        *_fields(form),
        *_runs(work),
        *_files(services),
        _welcome(services),
    ]


def _presets(workbench: Workbench, start: Callable[[str], object]) -> Iterator[PaletteEntry]:
    for preset in PRESETS.values():
        do = partial(start, preset.name) if preset.race else partial(workbench.drafts.choose, preset.draft)
        yield PaletteEntry(f"Preset: {preset.title}", "Form", "", preset.summary if workbench.truth else REASON, do)


def _stories(tell: Callable[[str], object]) -> Iterator[PaletteEntry]:
    for name, story in SHIPPED.items():
        yield PaletteEntry(f"Story: {story.title}", "Talk ▸ Stories", "", story.about, partial(tell, name))


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


def _fields(form: FormPanel) -> Iterator[PaletteEntry]:
    for key, field in form.fields.items():
        if field.input.isEnabled():
            do = partial(form.go_to_field, key)
            where = f"Form ▸ {key.partition('.')[0].capitalize()}"
            words = f"{SETTING} {field.parameter.name}"  # as on the command line
            yield PaletteEntry(f"Set {field.label_text}", where, "", field.description()[0], do, words=words)


def _runs(workbench: Workbench) -> Iterator[PaletteEntry]:
    for run in workbench.runs:
        if run is not workbench.active:  # which a story of the same name would be behind
            yield PaletteEntry(f"Run: {run.name}", "Run ▸ Runs", "", "Show this run", partial(workbench.activate, run))


def _files(services: Services) -> Iterator[PaletteEntry]:
    for path in services.settings.recent():
        do = partial(services.ui.open_files, [path])
        yield PaletteEntry(f"Open: {Path(path).name}", "File ▸ Recent", "", path, do)


def _welcome(services: Services) -> PaletteEntry:
    on = services.settings.welcome

    def switch() -> None:
        services.settings.welcome = not on

    tip = "Show the welcome page when the window opens, or not"
    return PaletteEntry(
        f"Welcome page at start: switch {'off' if on else 'on'}", "Help", "", tip, switch, words=SETTING
    )
