"""Colours and fonts by role, and the stylesheet made of them: everything about the look is defined here.

The palette is that of Okabe and Ito, safe for colour-blind users; a role has one colour everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from gems_gui.assets import asset

SMALLEST_SCALE, LARGEST_SCALE = 0.7, 2.5
"""Of text."""
BASE_SIZE = 13  # pixels of a device-independent screen, before the user's scale
CHOICES = ("system", "light", "dark")
"""The themes that a user can choose."""


@dataclass(frozen=True)
class Theme:
    """A theme: colours of backgrounds, lines, texts and roles, with a font scale."""

    name: str
    window: str
    card: str
    field: str
    """Background of inputs."""
    line: str
    text: str
    dim: str
    surviving: str
    now: str
    """Eliminated this round; also marks of errors."""
    error: str
    """Text of errors: the hue of ``now``, with the contrast that small text needs."""
    before: str
    """Eliminated before; also the background of a plot."""
    chosen: str
    """Recommended or chosen."""
    best: str
    """The true best."""
    budget: str
    on_primary: str
    """Text on the colour of the survivors."""
    font_scale: float = 1.0
    paper: bool = False
    """Whether pictures are for print: roles differ by hatches and markers too, and text has 7 to 9 points."""

    pen_scale: float = 1.0
    """Factor for the widths of pens, which Qt does not scale with the pixels of a picture."""

    hall_text: int = 0
    """On a projector, the size of all text in pixels that is not larger anyway; 0 elsewhere."""

    hall_line: float = 0.0
    """On a projector, the least width of a line in pixels."""

    @property
    def dark(self) -> bool:
        """Whether the theme has light text on a dark background."""
        return self.name == "dark"

    def pixels(self, size: float = BASE_SIZE) -> int:
        """A length in pixels at this font scale."""
        return max(1, round(size * self.font_scale))

    @property
    def hall(self) -> bool:
        """Whether this is for a projector: large text, no text is shortened."""
        return self.hall_text > 0

    def letters(self, size: float = BASE_SIZE) -> int:
        """A font size in pixels: in print and on a projector, sizes differ less."""
        pixels = self.pixels(size)
        if self.paper:
            return min(max(pixels, _PRINT[0]), _PRINT[1])
        if self.hall:
            return self.hall_text if size <= _TITLE else max(pixels, self.hall_text)
        return pixels

    def stroke(self, width: float) -> float:
        """The width of a line in pixels; it grows with the text and never shrinks."""
        return max(width * max(1.0, self.font_scale), self.hall_line)

    def pen_width(self, width: float, grows: bool = True) -> float:
        """The width of a pen in pixels of the picture; it grows with the text, or not, except on a projector."""
        return (self.stroke(width) if grows or self.hall else width) * self.pen_scale

    def font(self, size: float = BASE_SIZE, bold: bool = False) -> QFont:
        """The font of all text."""
        font = QFont(family())
        font.setPixelSize(self.letters(size))
        font.setBold(bold)
        return font

    def color(self, role: str, alpha: int = 255) -> QColor:
        """The colour of a role, more or less transparent.

        "run 3" is that of a run by its number, "surviving 40%" that of a role mixed with that of the card.
        """
        if role.endswith("%"):
            role, share = role.removesuffix("%").split()
            return mixed(QColor(getattr(self, role)), QColor(self.card), int(share) / 100)
        run = role.removeprefix("run ")
        color = QColor(getattr(self, role) if run == role else RUN_COLORS[int(run) % len(RUN_COLORS)])
        color.setAlpha(alpha)
        return color

    def scaled(self, font_scale: float) -> Theme:
        """The same theme with larger or smaller text."""
        return replace(self, font_scale=font_scale)

    def for_projector(self, text: float) -> Theme:
        """The same theme with more contrast, for a projector; roles keep their colours.

        Parameters
        ----------
        text
            The least size of text in plots, in pixels.
        """
        letters = max(1, ceil(text))
        line = max(1.0, letters * _LINE)
        return replace(self, **_HALL[self.name], font_scale=letters / _SMALL, hall_text=letters, hall_line=line)

    def for_tables(self) -> Theme:
        """The same theme for a view with much text: on a projector, its text is smaller than that of a plot."""
        if not self.hall:
            return self
        letters = max(1, ceil(self.hall_text * TABLE_SHARE))
        return replace(self, font_scale=letters / BASE_SIZE, hall_text=letters)

    def for_paper(self, pen_scale: float = 1.0) -> Theme:
        """The same theme on white paper, with a pixel of 1/96 inch before the scale."""
        return replace(self, font_scale=_PRINT_SCALE, paper=True, pen_scale=pen_scale, **_PAPER)


LIGHT = Theme(
    name="light",
    window="#F3F5F7",
    card="#FFFFFF",
    field="#F7F8FA",
    line="#DFE3E8",
    text="#1F2933",
    dim="#66727F",
    surviving="#0072B2",
    now="#D55E00",
    error="#B34D00",
    before="#D4D9DF",
    chosen="#009E73",
    best="#E69F00",
    budget="#CC79A7",
    on_primary="#FFFFFF",
)
DARK = Theme(
    name="dark",
    window="#1B1F24",
    card="#22272E",
    field="#1B1F24",
    line="#373E47",
    text="#D5DCE4",
    dim="#8B96A3",
    surviving="#56B4E9",
    now="#D55E00",
    error="#E8742A",
    before="#46505C",
    chosen="#009E73",
    best="#E69F00",
    budget="#CC79A7",
    on_primary="#10151A",
)
_HALL: dict[str, dict[str, Any]] = {
    "light": {
        "window": "#FFFFFF",
        "card": "#FFFFFF",
        "field": "#FFFFFF",
        "line": "#AAB3BD",
        "text": "#000000",
        "dim": "#333D47",
        "before": "#BCC4CD",
    },
    "dark": {
        "window": "#000000",
        "card": "#000000",
        "field": "#000000",
        "line": "#5E6A77",
        "text": "#FFFFFF",
        "dim": "#CBD3DC",
        "before": "#4A5562",
    },
}
_PAPER: dict[str, Any] = {
    "window": "#FFFFFF",
    "card": "#FFFFFF",
    "field": "#FFFFFF",
    "line": "#7C8792",
    "text": "#000000",
    "dim": "#2B333B",
    "before": "#CBD1D8",
}
TABLE_SHARE = 28 / 40
"""The size of text in a table on a projector, relative to that in a plot."""
_LINE = 28 / 360  # the least width of a line on a projector, relative to the text of a plot
_SMALL, _TITLE = 11, 15  # pixels of the text in plots and of titles, before the scale
_PRINT = (10, 12)  # pixels of 1/96 inch: 7.5 to 9 points
_PRINT_SCALE = 0.92


def mixed(above: QColor, below: QColor, share: float) -> QColor:
    """A colour mixed with another in a given proportion."""
    parts = ((above.red(), below.red()), (above.green(), below.green()), (above.blue(), below.blue()))
    return QColor(*(round(under + (over - under) * share) for over, under in parts))


RUN_COLORS = ("#8A63D2", "#7A8F1E", "#C2477F", "#1F8A8C", "#A0683A", "#6E7F96", "#9B4FA8", "#4E8F55")
"""Colours of runs, different from those of roles and readable on both backgrounds."""
THEMES = {theme.name: theme for theme in (LIGHT, DARK)}
"""Both themes by name."""


def theme_for(choice: str, font_scale: float = 1.0) -> Theme:
    """The theme for a user's choice; "system" follows the desktop."""
    if choice == "system":
        hints = QGuiApplication.styleHints()
        choice = "dark" if hints is not None and hints.colorScheme() == Qt.ColorScheme.Dark else "light"
    return THEMES[choice].scaled(font_scale)


def text_scale(width: int, height: int, dpi: float) -> float:
    """The scale of text on a screen for which the user has chosen none.

    It follows the resolution that the desktop assumes for text, and grows on screens larger than 1920 × 1080, as long
    as a window of 1024 × 640 before scaling fits.

    Parameters
    ----------
    width, height
        The size of the screen in device-independent pixels.
    dpi
        The logical resolution of the screen, of which 96 is usual.
    """
    larger = 1.0 + 0.75 * (min(width / 1920, height / 1080) - 1.0)
    room = min(width / 1024, height / 640)
    return min(max(round(20 * min(max(larger, dpi / 96), room)) / 20, 1.0), LARGEST_SCALE)


_families: list[str] = []


def family() -> str:
    """The font family: DejaVu Sans, which has all glyphs that we use, or the default of the system."""
    if not _families:
        known = QFontDatabase.families()
        default = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).family()
        _families.append("DejaVu Sans" if "DejaVu Sans" in known else default)
    return _families[0]


def apply(app: QApplication, theme: Theme) -> None:
    """Apply a theme to the whole program.

    The style sheet is replaced, not removed first: that would be faster, but Qt would undo later changes of fonts.
    """
    prepare(app, theme)
    app.setStyleSheet(stylesheet(theme))


def prepare(app: QApplication, theme: Theme) -> None:
    """Apply everything of a theme except the rules of :func:`stylesheet`.

    A window is created faster before they apply: Qt then applies them once to each widget, otherwise again to all
    children of a widget whenever its parent changes.
    """
    app.setStyle("Fusion")
    app.setFont(theme.font())
    app.setPalette(palette(theme))


def restyle(widget: QWidget) -> None:
    """Apply the stylesheet again after a dynamic property of a widget has changed."""
    style = widget.style()
    style.unpolish(widget)
    style.polish(widget)
    widget.update()


def palette(theme: Theme) -> QPalette:
    """The palette for what the stylesheet does not cover: menus, scroll bars, selections, disabled text."""
    made = QPalette()
    role = QPalette.ColorRole
    for which, name in (
        (role.Window, "window"),
        (role.Base, "field"),
        (role.AlternateBase, "card"),
        (role.Button, "card"),
        (role.ToolTipBase, "card"),
        (role.Text, "text"),
        (role.WindowText, "text"),
        (role.ButtonText, "text"),
        (role.ToolTipText, "text"),
        (role.PlaceholderText, "dim"),
        (role.Highlight, "surviving"),
        (role.HighlightedText, "on_primary"),
        (role.Link, "surviving"),
        (role.Mid, "line"),
        (role.Dark, "line"),
    ):
        made.setColor(which, theme.color(name))
    for which in (role.Text, role.WindowText, role.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, which, theme.color("dim"))
    return made


def stylesheet(theme: Theme) -> str:
    """The rules of all widgets; the dynamic property "role" selects the look of a widget."""
    t = theme
    small, title, headline = t.letters(_SMALL), t.letters(_TITLE), t.letters(22)
    edge = max(1, ceil(t.hall_line))
    arrow = asset(f"arrow-down-{t.name}.svg").as_posix()
    check = asset(f"check-{t.name}.svg").as_posix()
    return f"""
QMainWindow, QDialog {{ background: {t.window}; }}
QToolTip {{ background: {t.card}; color: {t.text}; border: 1px solid {t.line}; padding: 4px; }}
QLabel {{ background: transparent; color: {t.text}; }}
QLabel:disabled {{ color: {t.dim}; }}
QLabel[role="title"] {{ font-size: {title}px; font-weight: bold; }}
QLabel[role="headline"] {{ font-size: {headline}px; font-weight: bold; }}
QLabel[role="choice"] {{ font-weight: bold; }}
QLabel[role="lead"] {{ color: {t.dim}; padding: 4px 0; }}
QLabel[role="key"] {{ font-size: {small}px; background: {t.field}; color: {t.text}; border: 1px solid {t.line};
  border-radius: 4px; padding: 1px 6px; }}
QLabel[role="section"] {{ font-size: {small}px; font-weight: bold; color: {t.dim}; }}
QLabel[role="dim"] {{ font-size: {small}px; color: {t.dim}; }}
QLabel[role="error"] {{ font-size: {small}px; color: {t.error}; }}
QLabel[role="good"] {{ color: {t.chosen}; }}
QFrame[role="card"] {{ background: {t.card}; border: 1px solid {t.line}; border-radius: 8px; }}
QFrame[role="group"] {{ background: {t.field}; border: 1px solid {t.line}; border-radius: 8px; }}
QFrame[role="part"] {{ background: transparent; border: 1px solid {t.line}; border-radius: 6px; }}
QFrame[role="bar"] {{ background: {t.card}; border: 1px solid {t.dim}; border-radius: 6px; }}
QFrame[role="bar"][error="true"] {{ border-color: {t.now}; border-left-width: 4px; }}
QFrame[role="head"] {{ background: {t.card}; border: {edge}px solid {t.line}; border-bottom: none;
  border-top-left-radius: 8px; border-top-right-radius: 8px; }}
QFrame[role="body"] {{ background: {t.card}; border: {edge}px solid {t.line}; border-top: none;
  border-bottom-left-radius: 8px; border-bottom-right-radius: 8px; }}
QFrame[role="head"][floating="true"], QFrame[role="body"][floating="true"] {{ border-color: {t.dim}; }}
QFrame[role="body"]:focus {{ border: 1px solid {t.surviving}; border-top: none; }}
QFrame[role="head"][focused="true"] {{ border: 1px solid {t.surviving}; border-bottom: none; }}
QLabel[role="tip"] {{ font-size: {small}px; background: {t.window}; color: {t.dim}; border: 1px solid {t.line};
  border-radius: 4px; padding: 3px 8px; }}
QScrollArea, QScrollArea > QWidget > QWidget {{ background: transparent; border: none; }}
QLineEdit, QComboBox, QSpinBox, QDoubleSpinBox, QPlainTextEdit, QTextEdit {{
  background: {t.field}; color: {t.text}; border: 1px solid {t.line}; border-radius: 5px; padding: 3px 7px;
  selection-background-color: {t.surviving}; selection-color: {t.on_primary}; }}
QLineEdit:focus, QComboBox:focus, QSpinBox:focus, QPlainTextEdit:focus, QTextEdit:focus {{
  border: 1px solid {t.surviving}; }}
QLineEdit:disabled, QComboBox:disabled {{ color: {t.dim}; background: {t.window}; }}
QLineEdit[invalid="true"], QComboBox[invalid="true"], QSpinBox[invalid="true"] {{ border: 1px solid {t.now}; }}
QComboBox::drop-down {{ border: none; width: {t.pixels(20)}px; }}
QComboBox::down-arrow {{ image: url("{arrow}"); width: {t.pixels(9)}px; height: {t.pixels(9)}px; }}
QComboBox QAbstractItemView {{ background: {t.card}; color: {t.text}; border: 1px solid {t.line};
  selection-background-color: {t.surviving}; selection-color: {t.on_primary}; outline: none; }}
QCheckBox {{ color: {t.text}; spacing: 6px; }}
QCheckBox:disabled {{ color: {t.dim}; }}
QCheckBox::indicator {{ width: {t.pixels(14)}px; height: {t.pixels(14)}px; border: 1px solid {t.dim};
  border-radius: 3px; background: {t.field}; }}
QCheckBox::indicator:checked {{ background: {t.surviving}; border-color: {t.surviving}; image: url("{check}"); }}
QCheckBox::indicator:focus {{ border-color: {t.surviving}; }}
QPushButton {{ background: {t.field}; color: {t.text}; border: 1px solid {t.line}; border-radius: 5px;
  padding: 4px 12px; outline: none; }}
QPushButton:hover, QToolButton:hover {{ border: 1px solid {t.dim}; }}
QPushButton:focus {{ border: 1px solid {t.surviving}; }}
QPushButton:disabled {{ color: {t.dim}; }}
QPushButton[role="primary"] {{ background: {t.surviving}; color: {t.on_primary}; font-weight: bold;
  border: 1px solid {t.surviving}; padding: 5px 12px; }}
QPushButton[role="primary"]:focus {{ border: 2px solid {t.text}; }}
QPushButton[role="primary"]:disabled {{ background: {t.before}; border-color: {t.before}; color: {t.dim}; }}
QPushButton[role="choice"] {{ background: {t.field}; border: 1px solid {t.line}; border-radius: 8px; padding: 0; }}
QPushButton[role="line"] {{ background: transparent; border: 1px solid transparent; padding: 0; }}
QPushButton[role="link"] {{ background: transparent; border: 1px solid transparent; padding: 3px 8px;
  color: {t.surviving}; }}
QPushButton[role="choice"]:hover, QPushButton[role="line"]:hover, QPushButton[role="link"]:hover {{
  border: 1px solid {t.dim}; }}
QPushButton[role="choice"]:focus, QPushButton[role="line"]:focus, QPushButton[role="link"]:focus {{
  border: 1px solid {t.surviving}; }}
QToolButton {{ background: transparent; color: {t.text}; border: 1px solid transparent; border-radius: 5px;
  padding: 3px; }}
QToolButton:checked {{ background: {t.field}; border: 1px solid {t.surviving}; }}
QToolButton:focus {{ border: 1px solid {t.surviving}; }}
QToolButton:disabled {{ color: {t.dim}; }}
QToolButton[role="switch"] {{ background: {t.field}; border: 1px solid {t.line}; padding: 5px 8px; }}
QToolButton[role="switch"]:hover {{ border: 1px solid {t.dim}; }}
QToolButton[role="switch"]:checked {{ color: {t.surviving}; border: 1px solid {t.surviving}; font-weight: bold; }}
QToolButton[role="switch"]:focus {{ border: 1px solid {t.surviving}; }}
QToolButton::menu-indicator {{ image: none; }}
QMenuBar {{ background: {t.window}; color: {t.text}; }}
QMenuBar::item {{ background: transparent; padding: 4px 9px; }}
QMenuBar::item:selected {{ background: {t.line}; border-radius: 4px; }}
QMenu {{ background: {t.card}; color: {t.text}; border: 1px solid {t.line}; padding: 4px; }}
QMenu::item {{ padding: 4px 24px 4px 24px; border-radius: 4px; }}
QMenu::item:selected {{ background: {t.surviving}; color: {t.on_primary}; }}
QMenu::item:disabled {{ color: {t.dim}; }}
QMenu::separator {{ height: 1px; background: {t.line}; margin: 4px 8px; }}
QSlider::groove:horizontal {{ height: 4px; background: {t.line}; border-radius: 2px; }}
QSlider::sub-page:horizontal {{ background: {t.surviving}; border-radius: 2px; }}
QSlider::handle:horizontal {{ background: {t.surviving}; width: 12px; height: 12px; margin: -4px 0;
  border-radius: 6px; }}
QSlider::handle:horizontal:focus {{ border: 2px solid {t.text}; }}
QScrollBar:vertical {{ background: transparent; width: 10px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 0; }}
QScrollBar::handle {{ background: {t.line}; border-radius: 4px; min-height: 24px; min-width: 24px; margin: 1px; }}
QScrollBar::handle:hover {{ background: {t.dim}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
QMainWindow::separator {{ background: transparent; width: 8px; height: 8px; }}
QTabBar {{ font-size: {t.letters(12)}px; }}
QTabBar::tab {{ background: transparent; color: {t.dim}; padding: 4px 8px; border: none; }}
QTabBar::tab:hover, QTabBar:focus::tab:selected {{ color: {t.surviving}; }}
QTabBar::tab:selected {{ color: {t.text}; border-bottom: 2px solid {t.surviving}; }}
QHeaderView {{ background: {t.card}; border: none; }}
QTableCornerButton::section {{ background: {t.card}; border: none; border-bottom: 1px solid {t.line}; }}
QHeaderView::section {{ background: {t.card}; color: {t.dim}; border: none; border-bottom: {edge}px solid {t.line};
  padding: 3px 6px; }}
QTableView, QTreeView, QListView {{ background: {t.card}; color: {t.text}; border: 1px solid {t.line};
  border-radius: 5px; gridline-color: {t.line}; alternate-background-color: {t.field};
  selection-background-color: {t.surviving}; selection-color: {t.on_primary}; }}
QProgressBar {{ background: {t.line}; border: none; border-radius: 3px; text-align: center; color: {t.text}; }}
QProgressBar::chunk {{ background: {t.surviving}; border-radius: 3px; }}
"""
