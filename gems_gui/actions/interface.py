"""What core actions act on: the workbench, and the little that they may do to the interface around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from gems_gui.workbench.workbench import Workbench


class Interface(Protocol):
    """What an action may ask of the interface; every question of it is answered later, and blocks nothing."""

    def ask_files(self, title: str, filters: str, take: Callable[[list[str]], object]) -> None:
        """Ask for files that are there."""

    def ask_file(self, title: str, filters: str, take: Callable[[str], object]) -> None:
        """Ask for one file that is there."""

    def ask_save(self, title: str, filters: str, suffix: str, take: Callable[[str], object], path: str = "") -> None:
        """Ask where something goes; the path is proposed."""

    def ask_folder(self, title: str, take: Callable[[str], object], start: str = "") -> None:
        """Ask for a folder, from another one on."""

    def open_files(self, paths: Sequence[str]) -> None:
        """Read instances into the form, runs into the list of runs, and experiments."""

    def theme_choice(self) -> str:
        """Which theme is chosen: ``system``, ``light`` or ``dark``."""

    def set_theme(self, choice: str) -> None:
        """Choose a theme, now and for the next start."""

    def scale_text(self, factor: float | None) -> None:
        """Make all text larger or smaller; None: give it its normal size."""

    def is_full_screen(self) -> bool:
        """Whether the window fills the screen."""

    def set_full_screen(self, on: bool) -> None:
        """Let the window fill the screen, or not."""

    def focus_board(self) -> None:
        """Give the focus to what is not typed into: arrow keys and Space are the run's."""

    def close(self) -> None:
        """Close the window, which may ask first."""


@dataclass(frozen=True)
class Bench:
    """What core actions act on."""

    workbench: Workbench
    ui: Interface
