"""The interface of actions to the window: file dialogs, appearance, full screen and close."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDialog, QDockWidget, QFileDialog, QMainWindow

from gems_gui.appearance import ChosenAppearance


class WindowInterface:
    """The interface of the actions, on a window.

    Parameters
    ----------
    open_files
        The function that opens files.
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
        self._folder = ""  # of the file that was opened or saved last

    # -- files --------------------------------------------------------------------------------------------------

    def ask_files(self, title: str, filters: str, take: Callable[[list[str]], object]) -> None:
        """Ask for existing files."""
        dialog = self._dialog(title, filters)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(take)
        dialog.open()

    def ask_file(self, title: str, filters: str, take: Callable[[str], object]) -> None:
        """Ask for one existing file."""
        dialog = self._dialog(title, filters)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(take)
        dialog.open()

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
        dialog = self._dialog(title, filters, over=over)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(suffix.removeprefix("."))
        if path:
            dialog.selectFile(path)
        dialog.fileSelected.connect(take)
        dialog.open()

    def ask_folder(self, title: str, take: Callable[[str], object], start: str = "") -> None:
        """Ask for a folder, starting in another one."""
        dialog = self._dialog(title, "", start)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(take)
        dialog.open()

    def _dialog(self, title: str, filters: str, start: str = "", over: object = None) -> QFileDialog:
        parent = over if isinstance(over, QDialog) else self._window
        dialog = QFileDialog(parent, title, start or self._folder or str(Path.cwd()), filters)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.filesSelected.connect(self.use_folder)
        if parent is self._window:
            dialog.finished.connect(self.focus_board)
        return dialog

    def use_folder(self, files: Sequence[str]) -> None:
        """Start the next dialog in the folder of these files, or in this folder."""
        place = Path(files[0]).absolute() if files else Path()
        folder = place if place.is_dir() else place.parent
        if files and folder.is_dir():
            self._folder = str(folder)

    def open_files(self, paths: Sequence[str]) -> None:
        """Open instances in the form, runs in the list of runs, and experiments."""
        self._open_files(paths)

    # -- the window ---------------------------------------------------------------------------------------------

    def theme_choice(self) -> str:
        """The chosen theme: ``system``, ``light`` or ``dark``."""
        return self._appearance.choice

    def set_theme(self, choice: str) -> None:
        """Choose a theme and save the choice."""
        self._appearance.choose(choice)

    def scale_text(self, factor: float | None) -> None:
        """Scale all text by a factor; None: restore the normal size."""
        self._appearance.scale_text(factor)

    def is_full_screen(self) -> bool:
        """Whether the window is in full screen."""
        return self._window.isFullScreen()

    def set_full_screen(self, on: bool) -> None:
        """Switch full screen on or off."""
        full, state = Qt.WindowState.WindowFullScreen, self._window.windowState()
        self._window.setWindowState(state | full if on else state & ~full)  # it stays maximised, if it is

    def focus_board(self, *_: object) -> None:
        """Move the focus out of text fields, so that arrow keys and Space control the run."""
        if isinstance(QApplication.activeWindow(), QDockWidget):  # a floating one, from which a run was started
            self._window.activateWindow()
        self._window.centralWidget().setFocus()

    def close(self) -> None:
        """Close the window, which may ask first."""
        self._window.close()
