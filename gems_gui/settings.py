"""Settings saved between sessions; invalid settings are replaced by defaults."""

from __future__ import annotations

import os
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable
from typing import Any

from PySide6.QtCore import QByteArray

from gems_gui.paths import absolute
from gems_gui.settings_store import Remark, SettingsStore
from gems_gui.theme import CHOICES, LARGEST_SCALE, SMALLEST_SCALE

_MOST_RECENT = 10


class Settings:
    """Typed access to the settings of this user."""

    def __init__(self) -> None:
        self._store = SettingsStore()
        self.usual_scale = 1.0
        """The scale of all text while the user has chosen none."""

    def remarks(self) -> list[Remark]:
        """Remarks about the settings file for the user; reads the disk."""
        self._store.look_at_writing()
        return self._store.remarks

    def set_listener(self, listener: Callable[[Remark], None]) -> None:
        """Set the function that receives later remarks."""
        self._store.set_listener = listener

    @property
    def theme(self) -> str:
        """``system``, ``light`` or ``dark``."""
        value = self._store.value("theme", "system")
        return value if value in CHOICES else "system"

    @theme.setter
    def theme(self, choice: str) -> None:
        self._store.set_value("theme", choice)

    @property
    def font_scale(self) -> float:
        """Scale of all text: the one that the user has chosen, otherwise the usual one."""
        value = self._store.value("font_scale")
        good = isinstance(value, float | int) and SMALLEST_SCALE <= value <= LARGEST_SCALE
        return float(value) if good else self.usual_scale

    @font_scale.setter
    def font_scale(self, scale: float | None) -> None:
        """Save the choice of the user; None: the user has chosen none."""
        self._store.set_value("font_scale", None if scale is None else float(scale))

    def bytes_of(self, name: str) -> QByteArray:
        """A saved state of Qt, which Qt itself validates; empty if there is none."""
        return _bytes(self._store.value(name))

    def keep_bytes(self, name: str, state: QByteArray) -> None:
        """Save a state of Qt."""
        self._store.set_value(name, _text(state))

    def _paths(self, value: Any) -> list[str]:
        """The absolute paths in a list."""
        paths = value if isinstance(value, list) else []
        return [path for path in paths if isinstance(path, str) and os.path.isabs(path)][:_MOST_RECENT]

    def _put_first(self, name: str, path: str) -> None:
        """Put a path first in a list, which other windows may have changed."""
        path = absolute(path)

        def put_first(value: Any) -> list[str]:
            return [path, *(each for each in self._paths(value) if each != path)][:_MOST_RECENT]

        self._store.change_value(name, put_first)

    def recent(self) -> list[str]:
        """Files opened or saved, the newest first."""
        return self._paths(self._store.value("recent"))

    def add_recent(self, path: str) -> None:
        """Put a file first in the list of recent files."""
        self._put_first("recent", path)

    def recent_experiments(self) -> list[str]:
        """Specifications and folders of results, the newest first."""
        return self._paths(self._store.value("experiments"))

    def add_recent_experiment(self, path: str) -> None:
        """Put a specification or a folder of results first in its list."""
        self._put_first("experiments", path)

    def forget_recent(self, paths: Iterable[str]) -> None:
        """Remove files from the list of recent files."""
        gone = set(paths)
        self._store.change_value("recent", lambda value: [each for each in self._paths(value) if each not in gone])

    @property
    def welcome(self) -> bool:
        """Whether the program starts with the welcome page."""
        return self._store.value("welcome", True) is not False

    @welcome.setter
    def welcome(self, on: bool) -> None:
        self._store.set_value("welcome", on)

    @property
    def ask_repeatable(self) -> bool:
        """Whether closing asks about runs that can be repeated."""
        return self._store.value("ask_repeatable", True) is not False

    @ask_repeatable.setter
    def ask_repeatable(self, on: bool) -> None:
        self._store.set_value("ask_repeatable", on)

    @property
    def layout(self) -> str:
        """The layout that was chosen last, empty if none was."""
        value = self._store.value("layout", "")
        return value if isinstance(value, str) else ""

    @layout.setter
    def layout(self, name: str) -> None:
        self._store.set_value("layout", name)

    def layouts(self) -> dict[str, QByteArray]:
        """The saved layouts by name, each a state that Qt itself validates."""
        return self._layouts(self._store.value("layouts"))

    def _layouts(self, value: Any) -> dict[str, QByteArray]:
        if not isinstance(value, dict):
            return {}
        states = {name: _bytes(text) for name, text in value.items() if name}
        return {name: state for name, state in states.items() if not state.isEmpty()}

    def keep_layout(self, name: str, state: QByteArray) -> None:
        """Save a layout, without losing those that other windows have saved."""
        self._change_layouts(lambda layouts: {**layouts, name: state})

    def forget_layout(self, name: str) -> None:
        """Delete a saved layout."""
        self._change_layouts(lambda layouts: {each: kept for each, kept in layouts.items() if each != name})

    def _change_layouts(self, change: Callable[[dict[str, QByteArray]], dict[str, QByteArray]]) -> None:
        def changed(value: Any) -> dict[str, str]:
            return {name: _text(state) for name, state in change(self._layouts(value)).items()}

        self._store.change_value("layouts", changed)

    def export_choice(self) -> dict[str, Any]:
        """The last values of the export dialog."""
        value = self._store.value("export", {})
        return value if isinstance(value, dict) else {}

    def keep_export_choice(self, choice: dict[str, Any]) -> None:
        """Save the values of the export dialog."""
        self._store.set_value("export", choice)

    def item_options(self) -> dict[str, dict[str, Any]]:
        """The options of CSV files that were opened, by path, the newest first; each is to be checked."""
        value = self._store.value("items", {})
        return {path: each for path, each in value.items() if isinstance(each, dict)} if isinstance(value, dict) else {}

    def keep_item_options(self, path: str, options: dict[str, Any]) -> None:
        """Save the options of a CSV file, without losing those that other windows have saved."""
        path = absolute(path)
        said = {key: list(value) if isinstance(value, tuple) else value for key, value in options.items()}

        def put_first(value: Any) -> dict[str, Any]:
            others = value.items() if isinstance(value, dict) else ()
            kept = [(path, said), *((each, known) for each, known in others if each != path)]
            return dict(kept[:_MOST_RECENT])

        self._store.change_value("items", put_first)

    def view_options(self) -> dict[str, dict[str, str]]:
        """The options of each view."""
        value = self._store.value("view_options", {})
        if not isinstance(value, dict):
            return {}
        return {
            view: {name: choice for name, choice in options.items() if isinstance(choice, str)}
            for view, options in value.items()
            if isinstance(options, dict)
        }

    def keep_view_options(self, options: dict[str, dict[str, str]]) -> None:
        """Save the options of each view."""
        self._store.set_value("view_options", options)


def _text(state: QByteArray) -> str:
    """Bytes encoded as text for JSON."""
    return b64encode(state.data()).decode()


def _bytes(value: Any) -> QByteArray:
    """The bytes of an encoded value; empty if it is not valid."""
    try:
        return QByteArray(b64decode(value, validate=True)) if isinstance(value, str) else QByteArray()
    except ValueError:
        return QByteArray()
