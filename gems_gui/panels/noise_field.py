"""The noise in a form: a list whose first entry says what the instance has, and σ where the noise is Gaussian."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QWidget

from gems_engine.rewards import KINDS, Noise
from gems_gui.field_text import noise_text, plain_number
from gems_gui.panels.parameter_field import ParameterField
from gems_gui.theme import restyle
from gems_gui.widgets.explained import described
from gems_gui.widgets.form_widgets import DraftLine, ElidingComboBox

GAUSSIAN = KINDS[0]
_ITEMS = {
    GAUSSIAN: ("N(0, σ²), σ =", "Add normal noise with the standard deviation σ to the mean reward."),
    "bernoulli": (
        f"{noise_text(Noise('bernoulli'))}: 0 or 1",
        "Draw 1 with the mean reward as its probability, otherwise 0.",
    ),
    "rademacher": (f"{noise_text(Noise('rademacher'))}: ±1", "Add 1 or −1 to the mean reward, with equal probability."),
    "deterministic": (noise_text(Noise("deterministic")), "Let every reward be its mean."),
}
_KEPT = "Keep the noise of the instance."


def noise_words(noise: Noise | None) -> str:
    """The entry that keeps the noise of the instance; None: it is not known yet."""
    if noise is None:
        return "As the instance says"
    return f"{noise_text(noise)}, as the instance says"


class NoiseField(ParameterField):
    """The row of the noise.

    Attributes
    ----------
    sigma
        The standard deviation; shown only for Gaussian noise.
    """

    input: ElidingComboBox

    def _make_input(self) -> ElidingComboBox:
        self.sigma = described(DraftLine(), name="Standard deviation of the noise", tip="Enter σ, a number above 0.")
        self.sigma.setMinimumWidth(1)
        self.sigma.textEdited.connect(self._on_text_edited)
        self.sigma.hide()
        self._default_sigma = "1"
        self._nothing = noise_words(None)
        combo = ElidingComboBox(self.label_text)
        combo.fill([(self._nothing, "", _KEPT), *((_ITEMS[kind][0], kind, _ITEMS[kind][1]) for kind in KINDS)])
        combo.activated.connect(self._on_chosen)
        return combo

    def _on_chosen(self) -> None:
        new = self.sigma.isHidden()
        self._on_text_edited()
        if new and self.sigma.isVisible() and not self.input.hasFocus():  # by mouse; with keys, Tab goes to σ
            self.sigma.setFocus()
            self.sigma.selectAll()

    def _fill_line(self) -> None:
        super()._fill_line()
        row = self._line.layout()
        assert isinstance(row, QHBoxLayout)
        row.addWidget(self.sigma, 1)

    def label_widths(self) -> tuple[int, int]:
        return 0, 0  # its label is above the list, see `arrange`

    def input_width(self) -> int:
        return 0

    def arrange(self, label_width: int, stacked: bool) -> None:
        """Put the label above the list, so that the first entry can be read."""
        super().arrange(label_width, stacked=True)

    def show_noise(self, noise: Noise | None) -> None:
        """Say which noise the instance has; None: it is not known yet."""
        self.show_placeholder(noise_words(noise))
        self._default_sigma = f"{noise.sigma:g}" if noise is not None and noise.kind == GAUSSIAN else "1"

    @property
    def text(self) -> str:
        kind = self.input.currentData()
        if kind is None:
            return self.input.placeholderText()  # not a noise: kept as it was given
        return f"{kind}:{plain_number(self.sigma.text().strip())}" if kind == GAUSSIAN else str(kind)

    def set_text(self, text: str) -> None:
        if text == self.text:
            return
        kind, _, sigma = text.partition(":")
        self.input.choose(kind if kind == GAUSSIAN or not sigma else text)
        self.input.setPlaceholderText("" if self.input.currentIndex() >= 0 else text)
        self.sigma.setText(sigma or self._default_sigma)
        self.sigma.setVisible(kind == GAUSSIAN)
        self._explain()

    def _on_text_edited(self) -> None:
        gaussian = self.input.currentData() == GAUSSIAN
        if gaussian and self.sigma.isHidden():
            self.sigma.setText(self._default_sigma)
        self.sigma.setVisible(gaussian)
        super()._on_text_edited()

    def show_error(self, sentence: str) -> None:
        """Mark σ where it is shown: the list itself has no invalid entry."""
        super().show_error(sentence)
        if self.sigma.property("invalid") != bool(sentence):
            self.sigma.setProperty("invalid", bool(sentence))
            restyle(self.sigma)

    @property
    def to_correct(self) -> QWidget:
        return self.sigma if self.sigma.property("invalid") else self.input

    def description(self) -> tuple[str, ...]:
        return "How a reward is drawn around its mean.", "Default: the noise of the instance."

    def inputs(self) -> list[QWidget]:
        return [self.input, self.sigma]
