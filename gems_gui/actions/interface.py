"""The target of core actions: the workbench, and an interface to the window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from gems_gui.workbench.workbench import Workbench


class Interface(Protocol):
    """What an action may request from the window; dialogs are not modal and answer later."""

    def ask_files(self, title: str, filters: str, take: Callable[[list[str]], object]) -> None:
        """Ask for existing files."""

    def ask_file(self, title: str, filters: str, take: Callable[[str], object]) -> None:
        """Ask for one existing file."""

    def ask_save(
        self,
        title: str,
        filters: str,
        suffix: str,
        take: Callable[[str], object],
        path: str = "",
        over: object = None,
    ) -> None:
        """Ask for a file to save to, with a proposed path; over the dialog that asks, if there is one."""

    def ask_folder(self, title: str, take: Callable[[str], object], start: str = "") -> None:
        """Ask for a folder, starting in another one."""

    def open_files(self, paths: Sequence[str]) -> None:
        """Open instances in the form, runs in the list of runs, and experiments."""

    def theme_choice(self) -> str:
        """The chosen theme: ``system``, ``light`` or ``dark``."""

    def set_theme(self, choice: str) -> None:
        """Choose a theme and save the choice."""

    def scale_text(self, factor: float | None) -> None:
        """Scale all text by a factor; None: restore the normal size."""

    def is_full_screen(self) -> bool:
        """Whether the window is in full screen."""

    def set_full_screen(self, on: bool) -> None:
        """Switch full screen on or off."""

    def focus_board(self) -> None:
        """Move the focus out of text fields, so that arrow keys and Space control the run."""

    def close(self) -> None:
        """Close the window, which may ask first."""


@dataclass(frozen=True)
class Bench:
    """The target of core actions."""

    workbench: Workbench
    ui: Interface
