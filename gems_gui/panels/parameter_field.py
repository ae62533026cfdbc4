"""One parameter in a form: its label, its input and its error."""

from __future__ import annotations

import random

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QCheckBox, QLabel, QLineEdit, QMenu, QSizePolicy, QToolButton, QWidget

from gems_engine.algorithms.algorithm import ROUNDS
from gems_engine.parameters import Parameter
from gems_engine.suggestion import Suggestion
from gems_gui.drafts.rulers import Ruler
from gems_gui.field_text import ALGORITHM, choice_text, label_of, text_of
from gems_gui.glossary import legend
from gems_gui.icons import icon
from gems_gui.markup import plain_text
from gems_gui.panels.cost_ruler import CostRuler
from gems_gui.panels.form_slider import slider_for
from gems_gui.theme import restyle
from gems_gui.widgets.boxes import STRETCH, fill, grid, hbox
from gems_gui.widgets.explained import described, explain
from gems_gui.widgets.form_widgets import DraftLine, ElidingComboBox, SwitchLabel, WrappingLabel

RULED = ("selection_budget", "budget")
"""The parameters of a call that buy dimensions; the instance suggests a value for optional ones."""
_DICE = 10**6  # seeds below it are easy to read aloud
_COMMON = ("d⋆", "N", "ℓ", "i", "k")  # symbols that mean the same in every scope; n, ε, D and ω do not
_BETWEEN = 4  # pixels between an input and the buttons after it
_SPACE = 8  # between label and input
_ROOM = "10 000 000"  # an input should show this without scrolling


class ParameterField(QWidget):
    """A row of a form, made from a parameter.

    Parameters
    ----------
    key
        Of the field in a draft.
    parameter
        The parameter.
    scope
        Where the parameter belongs: the instance, the algorithm, the run, or a dialog.
    """

    changed = Signal(str, str)
    """Key and new text, when the user has changed it."""
    sensitivity_asked = Signal(str)
    """The name of this parameter, when its sensitivity is requested."""
    begun = Signal()
    """A drag of its slider or ruler begins: all changes until the next such signal are one step of undo."""

    def __init__(self, key: str, parameter: Parameter, scope: str) -> None:
        super().__init__()
        self.key = key
        self.parameter = parameter
        self._varies = scope == ALGORITHM and (parameter.kind != "text" or parameter.name == "noise")
        self.label_text = label_of(parameter, scope)
        self._legend = legend(parameter.symbol) if scope == ALGORITHM or parameter.symbol in _COMMON else ""
        self.default = text_of(parameter, parameter.default)
        self.label = SwitchLabel(parent=self)
        self.label.show_text(self.label_text)
        self.error = WrappingLabel("error", self)
        self.note = WrappingLabel("dim", self)
        self.instead = WrappingLabel("dim", self)
        self._nothing = "none" if parameter.optional else ""
        self._concealed = False
        self.input = described(self._make_input(), name=self.label_text)
        self.label.setBuddy(self.input)
        self.slider = slider_for(parameter, scope, self.input, self)
        if self.slider is not None:
            self.slider.begun.connect(self.begun)
            self.slider.slid.connect(self._on_slider_moved)
        self.dice = self._make_dice() if parameter.name == "seed" else None
        ruled = scope == ALGORITHM and parameter.name in RULED and parameter.optional
        suggested = ruled or (scope == ALGORITHM and parameter.name == ROUNDS.name)
        self.suggest = self._make_suggest() if suggested else None
        self._suggestion: Suggestion | None = None
        self._taken = ""  # the text that Suggest has set
        self.ruler = CostRuler(self.label_text, self) if ruled else None
        if self.ruler is not None:
            self.ruler.begun.connect(self.begun)
            self.ruler.chosen.connect(self._take_value)
        self._line = QWidget()
        self._fill_line()
        self._grid = grid(self, (_SPACE, 2), (0, 0, 0, 0), stretched=1)
        self._stacked: bool | None = None
        self.arrange(0, False)
        self._reason = ""
        self._shown_error: str | None = None
        self.show_error("")
        self.note.show_text("")
        self.instead.show_text("")

    # -- making -------------------------------------------------------------------------------------------------

    def _make_input(self) -> QLineEdit | QCheckBox | ElidingComboBox:
        parameter = self.parameter
        if parameter.kind == "bool":
            box = QCheckBox()
            box.toggled.connect(self._on_text_edited)
            return box
        if parameter.kind == "choice":
            combo = ElidingComboBox(self.label_text)
            none = [(self._nothing, "", parameter.help)] if parameter.optional else []
            combo.fill((*none, *((choice_text(choice), choice, parameter.help) for choice in parameter.choices)))
            combo.activated.connect(self._on_text_edited)
            return combo
        line = DraftLine()
        line.setMinimumWidth(1)
        line.setPlaceholderText(self._nothing)
        line.textEdited.connect(self._on_text_edited)
        if self._varies:
            line.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            line.customContextMenuRequested.connect(self._line_menu)
        return line

    def _make_dice(self) -> QToolButton:
        button = described(QToolButton(), role="tool")
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.setAccessibleName(f"Draw a new {self.label_text.lower()}")
        button.setToolTip(f"Draw a new {self.label_text.lower()}")
        button.clicked.connect(self._roll)
        return button

    def _make_suggest(self) -> QToolButton:
        button = described(QToolButton(), role="tool")
        button.setText("Suggest")
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setAccessibleName(f"Suggest {self.label_text}")
        button.clicked.connect(self._take_suggestion)
        return button

    def _fill_line(self) -> None:
        row = hbox(self._line, _BETWEEN)
        if isinstance(self.input, QCheckBox):
            fill(row, self.input, STRETCH)
            return
        self.input.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        fill(row, (self.input, 1), (self.instead, 1))
        if self.suggest is not None:
            row.addWidget(self.suggest)
        if self.parameter.unit:
            unit = described(QLabel(self.parameter.unit), role="dim")
            row.addWidget(unit)
        if self.dice is not None:
            self._draw_dice()
            row.addWidget(self.dice)

    def _draw_dice(self) -> None:
        if self.dice is not None:
            side = round(1.2 * self.fontMetrics().height())
            self.dice.setIconSize(QSize(side, side))
            self.dice.setIcon(icon("dice"))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange) and hasattr(self, "dice"):
            self._draw_dice()

    # -- the menu -----------------------------------------------------------------------------------------------

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self._varies and self.input.isEnabled():
            self._show_menu(QMenu(self), event.globalPos())

    def _line_menu(self, at: QPoint) -> None:
        assert isinstance(self.input, QLineEdit)
        menu = self.input.createStandardContextMenu()
        menu.addSeparator()
        self._show_menu(menu, self.input.mapToGlobal(at))

    def _show_menu(self, menu: QMenu, at: QPoint) -> None:
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        action = menu.addAction(f"Sensitivity of {self.label_text}…")
        action.setStatusTip(f"Show how τ and the success rate depend on {self.label_text}.")
        action.triggered.connect(self._ask_sensitivity)
        menu.popup(at)

    def _ask_sensitivity(self) -> None:
        self.sensitivity_asked.emit(self.parameter.name)

    # -- layout -------------------------------------------------------------------------------------------------

    def label_widths(self) -> tuple[int, int]:
        """The width of the label in pixels on one line, and its least width when wrapped between words."""
        if isinstance(self.input, QCheckBox):
            return 0, 0  # its label takes the remaining width, see `arrange`
        self.label.ensurePolished()
        metrics = self.label.fontMetrics()
        words = self.label_text.split()
        return metrics.horizontalAdvance(self.label_text) + 2, max(map(metrics.horizontalAdvance, words)) + 2

    def input_width(self) -> int:
        """The width in pixels of the input and the buttons after it."""
        if isinstance(self.input, QCheckBox):
            return 0
        self.input.ensurePolished()
        parts = self._line.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
        texts = (self.input, self.instead)  # neither widens the field: it is the same for any text
        buttons = sum(each.sizeHint().width() + _BETWEEN for each in parts if each not in texts)
        return self.input.fontMetrics().horizontalAdvance(_ROOM) + 20 + buttons

    def arrange(self, label_width: int, stacked: bool) -> None:
        """Put the label of this width in front of the input or above it; a check box precedes its label."""
        grid, switch = self._grid, isinstance(self.input, QCheckBox)
        self.label.setMinimumWidth(0 if stacked or switch else label_width)
        self.label.setMaximumWidth(16_777_215 if stacked or switch else max(label_width, 1))
        if stacked == self._stacked:
            return
        self._stacked = stacked
        below = [each for each in (self.slider, self.ruler, self.note, self.error) if each is not None]
        for widget in (self.label, self._line, *below):
            grid.removeWidget(widget)
        if switch:
            grid.addWidget(self._line, 0, 0)
            grid.addWidget(self.label, 0, 1)
        elif stacked:
            grid.addWidget(self.label, 0, 0, 1, 2)
            grid.addWidget(self._line, 1, 0, 1, 2)
        else:
            grid.addWidget(self.label, 0, 0)
            grid.addWidget(self._line, 0, 1)
        for row, widget in enumerate(below, start=2):
            grid.addWidget(widget, row, 0, 1, 2)

    # -- content ------------------------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The text of the input."""
        if isinstance(self.input, QCheckBox):
            return "true" if self.input.isChecked() else "false"
        return str(self.input.currentData() or "") if isinstance(self.input, ElidingComboBox) else self.input.text()

    def set_text(self, text: str) -> None:
        """Show a text without a signal; the same text keeps its cursor."""
        if text == self.text or self._concealed:
            return
        self.input.blockSignals(True)
        if isinstance(self.input, QCheckBox):
            self.input.setChecked(text == "true")
        elif isinstance(self.input, ElidingComboBox):
            self.input.choose(text)
            self._explain()
        else:
            self.input.setText(text)
            self.input.setCursorPosition(0)
        self.input.blockSignals(False)
        self._follow()

    def show_placeholder(self, words: str) -> None:
        """Set the placeholder of an optional parameter, which says what an empty field means."""
        if words == self._nothing:
            return
        self._nothing = words
        if isinstance(self.input, ElidingComboBox):
            self.input.setItemText(self.input.findData(""), words)
        elif isinstance(self.input, QLineEdit):
            self.input.setPlaceholderText(words)

    def show_error(self, sentence: str) -> None:
        """Mark the input as invalid and show the error; an empty sentence clears both."""
        if sentence == self._shown_error:
            return
        self._shown_error = sentence
        self.error.show_text(sentence)
        if self.input.property("invalid") != bool(sentence):
            self.input.setProperty("invalid", bool(sentence))
            restyle(self.input)
        self._explain()

    def disable(self, words: str, reason: str) -> None:
        """Disable the input and show in its place what determines the value, with the reason in the tooltip."""
        self._reason = reason
        self.instead.show_text(words)
        self.input.setEnabled(False)
        self.input.hide()
        self._explain()

    # -- suggestions --------------------------------------------------------------------------------------------

    def offer(self, suggestion: Suggestion | None, why_none: str = "") -> None:
        """Suggest a value, or say why there is none.

        The reason for a value is shown while the field is empty, or has that value from Suggest.
        """
        assert self.suggest is not None
        self._suggestion = suggestion
        self.suggest.setEnabled(suggestion is not None and self.input.isEnabled())
        tip = why_none
        if suggestion is not None:
            tip = f"Set {self.label_text} = {self._text_of(suggestion.value)}. {suggestion.sentence}"
        self.suggest.setToolTip(plain_text(tip))
        explain(self.suggest, tip)
        if self.parameter.optional:
            self.show_placeholder("suggested" if suggestion is None else self._text_of(suggestion.value))
        self._show_note()

    def show_ruler(self, ruler: Ruler) -> None:
        """Show which dimension each value buys, with a sentence about the current one."""
        assert self.ruler is not None
        self.ruler.show_ruler(ruler)
        self._show_note()

    @property
    def suggestion(self) -> Suggestion | None:
        """The suggested value."""
        return self._suggestion

    def _show_note(self) -> None:
        said = [] if self.ruler is None or self.ruler.ruler is None else [self.ruler.ruler.words]
        found = self._suggestion
        if found is not None and (not self.text or self.text == self._taken == self._text_of(found.value)):
            said.append(f"Suggested: {_lowered(found.sentence)}")
        note = " ".join(filter(None, said))
        if note != self.note.text_shown:
            self.note.show_text(note)

    def _text_of(self, value: float) -> str:
        return text_of(self.parameter, round(value) if self.parameter.kind == "int" else float(value))

    def _take_suggestion(self) -> None:
        if self._suggestion is not None:
            self.begun.emit()
            self._taken = self._text_of(self._suggestion.value)
            self._take_value(self._suggestion.value)
            self._show_note()

    def _take_value(self, value: float) -> None:
        self.set_text(self._text_of(value))
        self._on_text_edited()

    def hide_value(self, shown: str, reason: str) -> None:
        """Show a word instead of the text and disable the input; an empty reason ends that.

        The caller then sets the text again.
        """
        if self._concealed == bool(reason):
            return
        self.set_text("")
        self._concealed = bool(reason)
        self._reason = reason
        if not isinstance(self.input, QCheckBox):
            self.input.setPlaceholderText(shown if reason else self._nothing)
        for widget in (self.input, self.label, *([self.dice] if self.dice is not None else [])):
            widget.setEnabled(not reason)
        self._explain()

    @property
    def changed_from_default(self) -> bool:
        """Whether the text differs from the default."""
        return self.text != self.default

    def _explain(self) -> None:
        """The tooltip: description, allowed values, default and error."""
        about, *limits = self.description()
        said = [self._reason] if self._reason else limits
        lines = (self.error.text_shown, about, *said, self._legend)
        tooltip = plain_text("\n".join(filter(None, lines)))
        if tooltip != self.input.toolTip():  # Qt sends an event even when nothing has changed
            for widget in (self.label, self.input):
                widget.setToolTip(tooltip)
                explain(widget, tooltip)
            self.input.setAccessibleDescription(tooltip)

    @property
    def to_correct(self) -> QWidget:
        """The input whose text an error is about."""
        return self.input

    def description(self) -> tuple[str, ...]:
        """What the parameter is, then its allowed values and its default."""
        default = f"Default: {self.default or 'none'}."
        return self.parameter.help, f"Allowed: {self.parameter.allowed}.", default

    def inputs(self) -> list[QWidget]:
        """The inputs in tab order."""
        return [each for each in (self.input, self.suggest, self.slider, self.ruler) if each is not None]

    def _follow(self) -> None:
        if self.slider is not None:
            self.slider.show_text(self.text)

    def _on_slider_moved(self, text: str) -> None:
        self.set_text(text)
        self._on_text_edited()

    def _on_text_edited(self) -> None:
        self._follow()
        self.changed.emit(self.key, self.text)

    def _roll(self) -> None:
        seed = self.text
        while seed == self.text:
            seed = str(random.randrange(_DICE))
        self.set_text(seed)
        self._on_text_edited()


def _lowered(sentence: str) -> str:
    """A sentence as it continues after a colon."""
    return sentence[0].lower() + sentence[1:]
