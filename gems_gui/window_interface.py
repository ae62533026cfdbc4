"""What actions may do to a window: questions about files, its look, the whole screen, and closing it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMainWindow

from gems_gui.appearance import ChosenAppearance


class WindowInterface:
    """The interface of the actions, on a window.

    Parameters
    ----------
    open_files
        What opens files.
    """

    def __init__(
        self,
        window: QMainWindow,
        appearance: ChosenAppearance,
        open_files: Callable[[Sequence[str]], object],
    ) -> None:
        self._window = window
        self._appearance = appearance
        self._open_files = open_files

    # -- files --------------------------------------------------------------------------------------------------

    def ask_files(self, title: str, filters: str, take: Callable[[list[str]], object]) -> None:
        """Ask for files that are there."""
        dialog = self._dialog(title, filters)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(take)
        dialog.open()

    def ask_file(self, title: str, filters: str, take: Callable[[str], object]) -> None:
        """Ask for one file that is there."""
        dialog = self._dialog(title, filters)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(take)
        dialog.open()

    def ask_save(self, title: str, filters: str, suffix: str, take: Callable[[str], object], path: str = "") -> None:
        """Ask where something goes; the path is proposed."""
        dialog = self._dialog(title, filters)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(suffix.removeprefix("."))
        if path:
            dialog.selectFile(path)
        dialog.fileSelected.connect(take)
        dialog.open()

    def ask_folder(self, title: str, take: Callable[[str], object], start: str = "") -> None:
        """Ask for a folder, from another one on."""
        dialog = self._dialog(title, "", start)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(take)
        dialog.open()

    def _dialog(self, title: str, filters: str, start: str = "") -> QFileDialog:
        dialog = QFileDialog(self._window, title, start or str(Path.cwd()), filters)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return dialog

    def open_files(self, paths: Sequence[str]) -> None:
        """Read instances into the form, runs into the list of runs, and experiments."""
        self._open_files(paths)

    # -- the window ---------------------------------------------------------------------------------------------

    def theme_choice(self) -> str:
        """Which theme is chosen: ``system``, ``light`` or ``dark``."""
        return self._appearance.choice

    def set_theme(self, choice: str) -> None:
        """Choose a theme, now and for the next start."""
        self._appearance.choose(choice)

    def scale_text(self, factor: float | None) -> None:
        """Make all text larger or smaller; None: give it its normal size."""
        self._appearance.scale_text(factor)

    def is_full_screen(self) -> bool:
        """Whether the window fills the screen."""
        return self._window.isFullScreen()

    def set_full_screen(self, on: bool) -> None:
        """Let the window fill the screen, or not."""
        if on:
            self._window.showFullScreen()
        else:
            self._window.showNormal()

    def focus_board(self) -> None:
        """Give the focus to what is not typed into: arrow keys and Space are the run's."""
        self._window.centralWidget().setFocus()

    def close(self) -> None:
        """Close the window, which may ask first."""
        self._window.close()
