"""The form of the algorithm: its name, ε and δ of the goal, its parameters, and a section for rarely used ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget

from gems_engine.algorithms import BUILT_IN, plugin_algorithms, subroutine_title
from gems_engine.algorithms.algorithm import (
    BEST_ARM,
    COUNT_IDLE,
    DELTA,
    EPSILON_GOAL,
    LAST_ROUND,
    LITERAL,
    MAX_LOOPS,
    MAX_SAMPLES,
    SHARED,
    Algorithm,
)
from gems_engine.plugins import Plugins
from gems_engine.rewards import Noise
from gems_gui.drafts.advice import Advice
from gems_gui.drafts.draft import ALGORITHM_FIELD, RUN_SEED, Draft
from gems_gui.field_text import ALGORITHM, RUN
from gems_gui.panels.form_column import FieldList
from gems_gui.panels.noise_field import NoiseField
from gems_gui.panels.parameter_field import ParameterField
from gems_gui.widgets.boxes import fill
from gems_gui.widgets.explained import described, explain
from gems_gui.widgets.form_widgets import ElidingComboBox, FormCard, WrappingLabel

ALWAYS = (EPSILON_GOAL, DELTA)
"""Always shown, for every algorithm, in this order."""

RARE = frozenset(each.name for each in (LAST_ROUND, MAX_LOOPS, LITERAL, COUNT_IDLE, *SHARED))
"""Shown under "More"."""


class AlgorithmForm(FormCard):
    """The card ALGORITHM."""

    algorithm_chosen = Signal(str)
    """The user has chosen an algorithm."""
    changed = Signal(str, str)
    """Key and new text of a field."""
    unfolded = Signal()
    """The rarely used parameters were shown or hidden."""

    def __init__(self) -> None:
        super().__init__("ALGORITHM")
        self.algorithm = ElidingComboBox("Algorithm")
        self._list(BUILT_IN.values())
        self._knows_plugins = False
        self.algorithm.activated.connect(self._on_algorithm_chosen)
        explain(self.algorithm, "Choose the algorithm to run.")
        self.error = WrappingLabel("error", self)
        self.error.show_text("")
        self.list = FieldList()
        self.more = described(QToolButton(), role="tool")
        self.more.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.more.setCheckable(True)
        self.more.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.more.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.more.setAccessibleName("More parameters")
        self.more.setToolTip("Show or hide the parameters that are rarely changed.")
        self.more.toggled.connect(self.unfold)
        self.rare = FieldList(self)
        for fields in (self.list, self.rare):
            fields.changed.connect(self.changed)
        fill(self.body, self.algorithm, self.error, self.list, self.more, self.rare)
        self._made_for = ""
        self.unfold(False)

    def _list(self, algorithms: Iterable[Algorithm]) -> None:
        self.algorithm.fill((each.title, each.name, f"{each.summary}\nId: {each.name}") for each in algorithms)

    def list_plugins(self, installed: Plugins[Algorithm]) -> None:
        """Add the algorithms of other packages, once."""
        if self._knows_plugins:
            return
        self._knows_plugins = True
        self._list((*BUILT_IN.values(), *installed.usable.values()))
        for each in installed.broken:
            self.algorithm.add_disabled(f"{each.name or each.package} (broken)", each.sentence)
        self.algorithm.choose(self._made_for)

    @property
    def fields(self) -> dict[str, ParameterField]:
        """All fields by key."""
        return {**self.list.fields, **self.rare.fields}

    def unfold(self, on: bool) -> None:
        """Show or hide the rarely used parameters."""
        self.more.setChecked(on)
        self.more.setArrowType(Qt.ArrowType.DownArrow if on else Qt.ArrowType.RightArrow)
        self.rare.setVisible(on)
        self.unfolded.emit()

    def show_draft(self, draft: Draft) -> bool:
        """Show the draft's algorithm; True if its fields are new."""
        new = draft.algorithm != self._made_for
        if new:
            self._made_for = draft.algorithm
            if draft.algorithm not in BUILT_IN:
                self.list_plugins(plugin_algorithms())
            self.algorithm.choose(draft.algorithm)
            self._make(draft.method)
        for fields in (self.list, self.rare):
            for key, field in fields.fields.items():
                if field.input.isEnabled():
                    field.set_text(draft.text(key))
        changed = sum(field.changed_from_default for field in self.rare.fields.values())
        self.more.setText(f"More ({changed} changed)" if changed else "More")
        return new

    def _make(self, method: Algorithm) -> None:
        own = {each.name: each for each in method.parameters}
        last = [own[MAX_SAMPLES.name]] if MAX_SAMPLES.name in own else []
        placed = {each.name for each in (*ALWAYS, *last)} | RARE
        first = [own.get(each.name, each) for each in ALWAYS]
        middle = [each for each in own.values() if each.name not in placed]
        usual = [(each, ALGORITHM) for each in (*first, *middle, *last)]
        self.list.make([*usual, (RUN_SEED, RUN)])
        self.rare.make((each, ALGORITHM) for each in own.values() if each.name in RARE)
        name = subroutine_title(method.name)
        if EPSILON_GOAL.name not in own:
            goal = "the best arm" if method.goal == BEST_ARM else method.goal
            self.list.fields[f"{ALGORITHM}.epsilon"].disable(
                f"Not used: the goal is {goal}.", f"The goal of {name} is {goal}, so ε is not used."
            )
        if DELTA.name not in own:
            given = f"is given {own['budget'].symbol} instead of δ" if "budget" in own else "has no δ"
            self.list.fields[f"{ALGORITHM}.delta"].disable(
                f"{name} {given}.", f"{name} {given}, so it guarantees no error probability."
            )

    def show_noise(self, noise: Noise | None) -> None:
        """Say in the list of noises which one the instance has; None: it is not known yet."""
        for field in self.rare.fields.values():
            if isinstance(field, NoiseField):
                field.show_noise(noise)

    def show_advice(self, advice: Advice | None) -> None:
        """Show rulers and suggestions for B, n and T of a single call; None: the algorithm does not take them."""
        if advice is None:
            return
        for name, ruler in advice.rulers.items():
            self.list.fields[f"{ALGORITHM}.{name}"].show_ruler(ruler)
        for name, offer in advice.offers.items():
            self.list.fields[f"{ALGORITHM}.{name}"].offer(offer.suggestion, offer.why_none)

    def show_errors(self, errors: Mapping[str, str]) -> None:
        """Mark invalid fields, hidden ones too."""
        self.list.show_errors(errors)
        self.rare.show_errors(errors)
        self.error.show_text(errors.get(ALGORITHM_FIELD, ""))
        if not self.more.isChecked() and errors.keys() & self.rare.fields.keys():
            self.unfold(True)

    def inputs(self) -> list[QWidget]:
        """The inputs in tab order."""
        return [self.algorithm, *self.list.inputs(), self.more, *self.rare.inputs()]

    def _on_algorithm_chosen(self) -> None:
        self.algorithm_chosen.emit(self.algorithm.currentData())
