"""The text editor of a specification, with the first error and a mark on its line."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QFontDatabase, QSyntaxHighlighter, QTextCharFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QTextEdit, QWidget

from gems_gui.appearance import Appearance
from gems_gui.experiments.toml_locator import line_of
from gems_gui.theme import Theme
from gems_gui.widgets.boxes import fill, vbox
from gems_gui.widgets.dialogs import push_button
from gems_gui.widgets.explained import described
from gems_gui.widgets.form_widgets import WrappingLabel

_TINT = 46  # opacity of a marked line, of 255


class Toml(QSyntaxHighlighter):
    """Highlights tables in bold and comments in a dim colour."""

    def __init__(self, editor: QPlainTextEdit, appearance: Appearance) -> None:
        super().__init__(editor.document())
        self._appearance = appearance
        appearance.changed.connect(self.rehighlight)

    def highlightBlock(self, text: str) -> None:
        stripped = text.lstrip()
        look = QTextCharFormat()
        if stripped.startswith("["):
            look.setForeground(self._appearance.theme.color("surviving"))
            look.setFontWeight(700)
            self.setFormat(0, len(text), look)
        elif stripped.startswith("#"):
            look.setForeground(self._appearance.theme.color("dim"))
            self.setFormat(0, len(text), look)


class SpecificationEditor(QWidget):
    """A text editor that shows what is wrong."""

    edited = Signal(str)
    """The text, after the user has changed it."""
    revert_asked = Signal()

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self.text = QPlainTextEdit()
        self.text.setAccessibleName("Specification in TOML")
        self.text.setToolTip("Edit the instances, the algorithms and their parameters; a list of values defines a grid")
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setTabChangesFocus(True)
        self.text.setAcceptDrops(False)  # the window opens files
        self.text.textChanged.connect(self._on_text_changed)
        self.colours = Toml(self.text, appearance)
        self.sentence = described(WrappingLabel("error", self), name="Error in the specification")
        self.revert = push_button("Revert", "Discard the edits and go back to the saved text", self.revert_asked)
        row = QHBoxLayout()
        row.addWidget(self.sentence, 1)
        row.addWidget(self.revert, 0, Qt.AlignmentFlag.AlignTop)
        fill(vbox(self), (self.text, 1), row)
        self._silent = False
        self.line: int | None = None
        """The marked line, from 0."""
        appearance.follow(self._apply_theme)

    def _apply_theme(self, theme: Theme) -> None:
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPixelSize(theme.pixels(12))
        self.text.setFont(font)
        self.text.setStyleSheet(
            f"QPlainTextEdit {{ font-family: '{font.family()}'; font-size: {theme.pixels(12)}px; }}"
        )
        self._mark()

    def show_text(self, text: str) -> None:
        """Show another specification."""
        if text != self.text.toPlainText():
            self._silent = True
            self.text.setPlainText(text)
            self._silent = False

    def show_error(self, sentence: str) -> None:
        """Show what is wrong and mark the line; an empty sentence clears both."""
        self.sentence.show_text(sentence)
        self.text.setAccessibleDescription(sentence)
        self.line = line_of(sentence, self.text.toPlainText()) if sentence else None
        self._mark()

    def _mark(self) -> None:
        marks = []
        if self.line is not None:
            mark = QTextEdit.ExtraSelection()
            tint: QColor = self._appearance.theme.color("now", _TINT)
            mark.format.setBackground(tint)
            mark.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
            mark.cursor = QTextCursor(self.text.document().findBlockByNumber(self.line))
            marks.append(mark)
        self.text.setExtraSelections(marks)

    def _on_text_changed(self) -> None:
        if not self._silent:
            self.edited.emit(self.text.toPlainText())
