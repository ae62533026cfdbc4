"""The form of the instance: its family, then D, d⋆ and ε, then the other parameters of the family."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from gems_engine.gallery import FAMILIES, Family
from gems_engine.instance import Instance
from gems_engine.parameters import Parameter
from gems_engine.plugins import Plugins
from gems_engine.terminal import number
from gems_gui.drafts.draft import D_FIELD, FAMILY_FIELD, Draft, FromFile, FromGallery, FromTable
from gems_gui.drafts.sources import FEATURES
from gems_gui.field_text import INSTANCE
from gems_gui.panels.form_column import FieldList
from gems_gui.truth import HIDDEN, NO_REWARDS, REASON, UNKNOWN, discreet_name, reveals
from gems_gui.widgets.boxes import STRETCH, fill
from gems_gui.widgets.explained import explain
from gems_gui.widgets.form_widgets import ElidingComboBox, FormCard, WrappingLabel

ALWAYS = (
    Parameter("D", "int", 1, "Number of features.", "D"),
    Parameter("d_star", "int", 1, "Number of leading features that matter.", "d⋆"),
    Parameter("epsilon", "float", 1.0, "The instance's ε: the gap of the second-best arm.", "ε"),
)
"""Always shown, in this order; the family's own description of them is used where it has one."""

_FILE = ""  # the key of an opened instance among the families
_FIXED = "Fixed by the family."
_OWN = "own "  # and, with a number, of custom instances that are set aside


class InstanceForm(FormCard):
    """The card INSTANCE."""

    family_chosen = Signal(str)
    """The user has chosen a family."""
    own_chosen = Signal(int)
    """The user has chosen a custom instance that was set aside: its index."""
    changed = Signal(str, str)
    """Key and new text of a field."""
    table_requested = Signal()
    """The user wants to edit the table."""

    def __init__(self) -> None:
        super().__init__("INSTANCE")
        self.family = ElidingComboBox("Family of instances")
        self.family.activated.connect(self._on_family_chosen)
        explain(self.family, "Choose the family of instances.")
        self.error = WrappingLabel("error", self)
        self.error.show_text("")
        self.list = FieldList()
        self.list.changed.connect(self.changed)
        self.edit_table = QPushButton("Edit table…")
        self.edit_table.setToolTip("Edit arms, targets, θ⋆ and rewards by hand (Ctrl+T).")
        self.edit_table.clicked.connect(self.table_requested)
        fill(self.body, self.family, self.error, self.list, self.edit_table, STRETCH)
        self._made_for: object = None
        self._draft: Draft | None = None
        self._truth = True
        self._plugins: Plugins[Family] | None = None  # not looked for before the first paint

    def list_plugins(self, installed: Plugins[Family]) -> None:
        """Add the families of other packages, once."""
        if self._plugins is None:
            self._plugins = installed
            if self._draft is not None:
                self._offer(self._draft)

    def set_truth(self, shown: bool) -> None:
        """Hide or show what reveals d⋆, gaps and rewards; call `show_draft` afterwards."""
        self._truth = shown
        self._made_for = None  # the name of an opened instance may reveal them too

    def show_draft(self, draft: Draft) -> bool:
        """Show the draft's instance; True if its fields are new.

        The card keeps its height when an edit turns the instance of a family into a custom one: nothing below it moves.
        """
        before, self._draft = self._draft, draft
        source = draft.source.family if isinstance(draft.source, FromGallery) else draft.source.title
        made_for = source, len(draft.own)
        new = made_for != self._made_for
        if new:
            if draft.family is not None and draft.family.name not in FAMILIES.built_in:
                self.list_plugins(FAMILIES.plugins())
            self._made_for = made_for
            edited = isinstance(draft.source, FromTable) and draft.source.origin  # a new one has no origin
            self.setMinimumHeight(self.height() if edited and before is not None and before.family is not None else 0)
            self._offer(draft)
            self._make(draft)
        if draft.family is not None:
            for parameter in draft.family.parameters:
                key = f"{INSTANCE}.{parameter.name}"
                if not self._truth and reveals(parameter.name):
                    self.list.fields[key].hide_value(HIDDEN, REASON)
                self.list.fields[key].set_text(draft.text(key))
        else:
            self.list.fields[D_FIELD].set_text(draft.text(D_FIELD))
        self._bound_d_star()
        return new

    def _bound_d_star(self) -> None:
        """End the slider of d⋆ at D, where a family has both."""
        D, d_star = (self.list.fields[f"{INSTANCE}.{name}"] for name in ("D", "d_star"))
        if d_star.slider is not None and d_star.input.isEnabled() and D.text.isdecimal():
            d_star.slider.set_most(float(D.text))

    def _offer(self, draft: Draft) -> None:
        known = {**FAMILIES.built_in, **(self._plugins.usable if self._plugins is not None else {})}
        items = [(family.name, family.name, family.summary) for family in known.values()]
        if isinstance(draft.source, FromFile):
            title = draft.source.title
            if not self._truth and not draft.source.path:
                title = discreet_name(draft.source.instance) or "Opened instance"
            items.insert(0, (title, _FILE, draft.source.path or "An instance opened from a file."))
        elif isinstance(draft.source, FromTable):
            items.insert(0, (draft.source.title, _FILE, "An instance that you edited in the table (Ctrl+T)."))
        for at, own in enumerate(draft.own):
            same = [each.title for each in draft.own[:at]].count(own.title) + (items[0][:2] == (own.title, _FILE))
            title = f"{own.title}, {same + 1}" if same else own.title
            items.append((title, f"{_OWN}{at}", "An instance that you edited earlier in the table (Ctrl+T)."))
        self.family.fill(items)
        for each in self._plugins.broken if self._plugins is not None else ():
            self.family.add_disabled(f"{each.name or each.package} (broken)", each.sentence)
        self.family.choose(_FILE if draft.family is None else draft.family.name)

    def _make(self, draft: Draft) -> None:
        own = {each.name: each for each in draft.family.parameters} if draft.family is not None else {}
        if draft.family is None:
            own[FEATURES.name] = FEATURES
        rest = [each for each in own.values() if each.name not in {always.name for always in ALWAYS}]
        first = [own.get(always.name, always) for always in ALWAYS]
        self.list.make((each, INSTANCE) for each in (*first, *rest))
        self.show_instance(None)

    def show_errors(self, errors: Mapping[str, str]) -> None:
        """Mark invalid fields."""
        self.list.show_errors(errors)
        self.error.show_text(errors.get(FAMILY_FIELD, ""))

    def show_instance(self, instance: Instance | None) -> None:
        """Show the values that the family or file fixes: those of the built instance, or only that they are fixed."""
        if self._draft is None:
            return
        family = self._draft.family
        own = {each.name for each in family.parameters} if family is not None else {FEATURES.name}
        for name in (each.name for each in ALWAYS if each.name not in own):
            shown = _fixed(name, self._draft, instance, self._truth)
            if reveals(name) and instance is not None and not instance.has_rewards:
                shown = (UNKNOWN.capitalize() + ".", NO_REWARDS)
            elif reveals(name) and not self._truth:
                shown = (HIDDEN, REASON)
            self.list.fields[f"{INSTANCE}.{name}"].disable(*shown)

    def inputs(self) -> list[QWidget]:
        """The inputs in tab order."""
        return [self.family, *self.list.inputs(), self.edit_table]

    def _on_family_chosen(self) -> None:
        name = self.family.currentData()
        if name.startswith(_OWN):
            self.own_chosen.emit(int(name.removeprefix(_OWN)))
        elif name != _FILE:
            self.family_chosen.emit(name)


def _fixed(name: str, draft: Draft, instance: Instance | None, truth: bool) -> tuple[str, str]:
    """The text and the tooltip of a field without a parameter."""
    line = _instead(name, draft)
    if not truth and "d⋆" in line:
        line = _FIXED  # with D, it would reveal d⋆
    if instance is None or not (instance.has_rewards or name == "D"):
        return line, line
    if name == "epsilon":
        value = f"Δ_min = {number(instance.min_gap, 3)}"
    elif name == "D":
        value = f"D = {number(instance.D)}"
    elif instance.d_star is None:
        why = "the rewards are not linear"
        return f"None: {why}.", f"There is no d⋆: {why}, even in all D features. GEMS (misspecified) allows for that."
    else:
        value = f"d⋆ = {number(instance.d_star)}"
    return (line if value in line else f"{value}. {line}"), f"{line} Here {value}."


def _instead(name: str, draft: Draft) -> str:
    """What determines a value for which the instance has no parameter."""
    if draft.family is not None:
        return draft.family.instead.get(name, _FIXED)
    what = "table" if isinstance(draft.source, FromTable) else "file"
    return f"Determined by the rewards of the {what}."
