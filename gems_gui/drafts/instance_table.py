"""An instance as an immutable table for editing: arms, targets, θ⋆ or rewards, and names; independent of Qt.

A cell that is not a number is kept as text. There is an instance only when all cells are numbers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gems_engine.arrays import Floats, frozen
from gems_engine.errors import InputError
from gems_engine.features import as_name, as_vector, linear_rewards
from gems_engine.instance import Instance
from gems_engine.recipe import Recipe
from gems_engine.rewards import Noise
from gems_engine.terminal import plural
from gems_gui.drafts.pasting import PastedBlock
from gems_gui.drafts.sheet import NEW, NumberGrid, duplicated, inserted, moved, removed

ARMS, TARGETS, THETA, REWARDS, TARGET_REWARDS = "arms", "targets", "theta", "rewards", "target_rewards"
PARTS = (ARMS, TARGETS, THETA, REWARDS, TARGET_REWARDS)
"""The parts of a table. θ⋆ is a sheet of D rows and one column, rewards are sheets of one column."""

EDITED = "edited by hand"
"""The text in the recipe of an instance from a table."""
PASTED = "pasted"
"""The text in the recipe of an instance whose arms were all pasted."""

_ROW_PARTS = {ARMS: ARMS, REWARDS: ARMS, TARGETS: TARGETS, TARGET_REWARDS: TARGETS}
_NOISE, _BY_HAND = Noise(), Recipe()


@dataclass(frozen=True, eq=False)
class InstanceTable:
    """The cells of an instance.

    Attributes
    ----------
    arm_sheet : Sheet of shape (K, D)
    target_sheet : Sheet of shape (n, D), optional
        None: the targets are the arms.
    theta_sheet : Sheet of shape (D, 1), optional
        θ⋆, where rewards are linear; else
    reward_sheet, target_reward_sheet : Sheets of shape (K, 1) and (n, 1), optional
        None, like θ⋆, if the instance has no rewards.
    arm_names, target_names, feature_names : tuple of str, optional
        Names of the targets where they are not the arms.
    """

    arm_sheet: NumberGrid
    target_sheet: NumberGrid | None = None
    theta_sheet: NumberGrid | None = None
    reward_sheet: NumberGrid | None = None
    target_reward_sheet: NumberGrid | None = None
    arm_names: tuple[str, ...] | None = None
    target_names: tuple[str, ...] | None = None
    name: str = ""
    noise: Noise = _NOISE
    recipe: Recipe = _BY_HAND
    feature_names: tuple[str, ...] | None = None

    @classmethod
    def of(cls, instance: Instance) -> InstanceTable:
        """The table of an instance."""
        names = instance.arm_names
        same = (
            instance.targets is instance.arms
            and (not instance.has_rewards or np.array_equal(*instance.require_rewards()))
            and (instance.target_names or names) == names
        )
        given = instance.has_rewards and instance.theta is None
        steps = instance.recipe.steps
        recipe = replace(instance.recipe, steps=steps if steps[-1:] == (EDITED,) else (*steps, EDITED))
        return cls(
            NumberGrid(instance.arms),
            None if same else NumberGrid(instance.targets),
            _column(instance.theta) if instance.theta is not None else None,
            _column(instance.require_rewards()[0]) if given else None,
            _column(instance.require_rewards()[1]) if given and not same else None,
            names,
            None if same else instance.target_names,
            recipe.title or instance.name,
            instance.noise,
            recipe,
            instance.feature_names,
        )

    # -- content ------------------------------------------------------------------------------------------------

    @property
    def D(self) -> int:
        """Number of features."""
        return self.arm_sheet.shape[1]

    @property
    def linear(self) -> bool:
        """Whether θ⋆ determines the rewards."""
        return self.theta_sheet is not None

    @property
    def has_rewards(self) -> bool:
        """Whether rewards are given or follow from θ⋆."""
        return self.theta_sheet is not None or self.reward_sheet is not None

    @property
    def arms(self) -> Floats:
        """Features of the arms, NaN where a cell is invalid."""
        return self.arm_sheet.values

    @property
    def targets(self) -> Floats | None:
        """Features of the targets; None: they are the arms."""
        return None if self.target_sheet is None else self.target_sheet.values

    @property
    def theta(self) -> Floats | None:
        """θ⋆, if the rewards are linear."""
        return None if self.theta_sheet is None else self.theta_sheet.values[:, 0]

    @property
    def rewards(self) -> Floats | None:
        """Rewards of the arms, if they are given."""
        return None if self.reward_sheet is None else self.reward_sheet.values[:, 0]

    @property
    def target_rewards(self) -> Floats | None:
        """Rewards of the targets, if they are given and the targets are not the arms."""
        return None if self.target_reward_sheet is None else self.target_reward_sheet.values[:, 0]

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of this table."""
        return tuple(part for part in _FIELDS if getattr(self, _FIELDS[part]) is not None)

    def sheet(self, part: str) -> NumberGrid:
        """The cells of a part of this table."""
        found = getattr(self, _FIELDS[part])
        if not isinstance(found, NumberGrid):
            raise InputError(f"This instance has no {part.replace('_', ' ')}.")
        return found

    def names(self, part: str) -> tuple[str, ...]:
        """The names of a part's rows, empty where a row has none."""
        side = _ROW_PARTS.get(part)
        names = self.arm_names if side == ARMS else self.target_names if side == TARGETS else None
        return names if names is not None else ("",) * self.sheet(part).shape[0]

    def row_label(self, part: str, row: int) -> str:
        """A row in words: its name, or its kind and number."""
        if part == THETA:
            return self.feature_label(row)
        name = self.names(part)[row]
        return name or f"{'arm' if _ROW_PARTS[part] == ARMS else 'target'} {row}"

    def feature_label(self, column: int) -> str:
        """A feature in words: the name of its column, or its number from 1."""
        name = self.feature_names[column] if self.feature_names else ""
        return name or f"feature {column + 1}"

    def cell_label(self, part: str, row: int, column: int) -> str:
        """A cell in words, for the start of a sentence."""
        if part == THETA:
            return f"θ⋆, {self.feature_label(row)}"
        kind = "Arm" if _ROW_PARTS[part] == ARMS else "Target"
        where = self.names(part)[row] or f"{kind} {row}"
        return f"{where}, {self.feature_label(column)}" if part in (ARMS, TARGETS) else f"{where}, reward"

    @cached_property
    def bad(self) -> dict[tuple[str, int, int], str]:
        """The texts of all cells that are not numbers, by (part, row, column)."""
        return {(part, *cell): text for part in self.parts for cell, text in self.sheet(part).bad.items()}

    def refusal(self) -> str:
        """The first invalid cell with its error, in one sentence; empty if all cells are valid."""
        bad = min(self.bad, key=lambda cell: (list(_FIELDS).index(cell[0]), *cell[1:]), default=None)
        if bad is not None:
            part, row, column = bad
            more = f" ({plural(len(self.bad) - 1, 'more cell')} marked.)" if len(self.bad) > 1 else ""
            return f"{self.cell_label(*bad)}: {self.sheet(part).reason(row, column)}{more}"
        for part in (ARMS, TARGETS):
            for row, name in enumerate(self.names(part) if part in self.parts else ()):
                if wrong := name_refusal(name):
                    return f"{'Arm' if part == ARMS else 'Target'} {row}: {wrong}"
        return ""

    def instance(self) -> Instance:
        """The instance; raises an InputError that names the first invalid cell."""
        if wrong := self.refusal():
            raise InputError(wrong)
        rest: dict[str, Any] = {
            "noise": self.noise,
            "name": self.name,
            "recipe": self.recipe,
            "arm_names": self.arm_names,
            "feature_names": self.feature_names,
        }
        if self.targets is not None:
            rest["target_names"] = self.target_names
        if self.theta is not None:
            return Instance.linear(self.arms, self.theta, self.targets, **rest)
        if self.rewards is None:
            return Instance.from_features(self.arms, self.targets, **rest)
        return Instance.from_rewards(self.arms, self.rewards, self.targets, self.target_rewards, **rest)

    # -- other cells --------------------------------------------------------------------------------------------

    def with_cell(self, part: str, row: int, column: int, text: str) -> InstanceTable:
        """The table with another text in a cell; a text that is not a number is kept and marked."""
        return self._with(part, self.sheet(part).with_cell(row, column, text))

    def with_name(self, part: str, row: int, name: str) -> InstanceTable:
        """The table with another name of a row."""
        names = list(self.names(part))
        names[row] = name.strip()
        return self._with_names(part, names)

    def with_arm(self, row: int, values: ArrayLike) -> InstanceTable:
        """The table with other features of an arm; rewards follow θ⋆, or stay if they are given."""
        return self._with(ARMS, self.arm_sheet.with_row(row, self._vector(values)))

    def with_theta(self, values: ArrayLike) -> InstanceTable:
        """The table with another θ⋆, which replaces given rewards."""
        sheet = _column(self._vector(values))
        return replace(self, theta_sheet=sheet, reward_sheet=None, target_reward_sheet=None)

    def with_block(self, part: str, row: int, column: int, block: PastedBlock) -> InstanceTable:
        """The table with a block pasted at a cell; rows and columns are added as needed, names go to its rows."""
        if part == THETA and block.values.shape[0] == 1 and block.values.shape[1] > 1:  # θ⋆ as a row of a spreadsheet
            turned = {(j, i): text for (i, j), text in block.bad.items()}
            block = PastedBlock(frozen(block.values.T), turned)
        height, width = block.values.shape
        rows, columns = self.sheet(part).shape
        if part not in (ARMS, TARGETS) and column + width > columns:
            raise InputError(f"The pasted block has {width} columns, but this table has only one. Copy one column.")
        table = self
        if row + height > rows:
            table = table.insert_rows(part, rows, row + height - rows)
        if column + width > columns:
            table = table.insert_columns(columns, column + width - columns)
        table = table._with(part, table.sheet(part).with_block(row, column, block.values, block.bad))
        if block.names is not None and part != THETA:
            names = list(table.names(part))
            names[row : row + height] = block.names
            table = table._with_names(part, names)
        return table

    # -- other rows and columns ---------------------------------------------------------------------------------

    def insert_rows(self, part: str, at: int, count: int = 1) -> InstanceTable:
        """The table with new rows of zeros before a row; in θ⋆ a row is a feature."""
        return self._with_rows(part, inserted(self.sheet(part).shape[0], at, count))

    def duplicate_rows(self, part: str, rows: Iterable[int]) -> InstanceTable:
        """The table with copies of rows after them."""
        if part == THETA:
            return self.duplicate_columns(rows)
        return self._with_rows(part, duplicated(self.sheet(part).shape[0], rows))

    def remove_rows(self, part: str, rows: Iterable[int]) -> InstanceTable:
        """The table without these rows; at least one must remain."""
        return self._with_rows(part, removed(self.sheet(part).shape[0], rows))

    def move_rows(self, part: str, rows: Iterable[int], by: int) -> InstanceTable:
        """The table with these rows moved together by a number of places."""
        return self._with_rows(part, moved(self.sheet(part).shape[0], rows, by))

    def insert_columns(self, at: int, count: int = 1) -> InstanceTable:
        """The table with new features of zeros before a column; no reward changes."""
        return self._with_columns(inserted(self.D, at, count))

    def duplicate_columns(self, columns: Iterable[int]) -> InstanceTable:
        """The table with copies of features after them; θ⋆ does not use the copies, so no reward changes."""
        order = duplicated(self.D, columns)
        table = self._with_columns(order)
        if table.theta_sheet is None:
            return table
        copies = [at for at in range(1, len(order)) if order[at] in order[:at]]
        theta = [NEW if at in copies else each for at, each in enumerate(order)]
        assert self.theta_sheet is not None
        return replace(table, theta_sheet=self.theta_sheet.rows(theta))

    def remove_columns(self, columns: Iterable[int]) -> InstanceTable:
        """The table without these features; at least one must remain."""
        return self._with_columns(removed(self.D, columns))

    def move_columns(self, columns: Iterable[int], by: int) -> InstanceTable:
        """The table with these features moved together by a number of places."""
        return self._with_columns(moved(self.D, columns, by))

    def with_D(self, D: int) -> InstanceTable:
        """The table with the first D features, or with all of them and new ones of zeros."""
        return self._with_columns([*range(min(D, self.D)), *[NEW] * (D - self.D)])

    # -- other kinds --------------------------------------------------------------------------------------------

    def with_own_targets(self, own: bool) -> InstanceTable:
        """The table with separate targets, which start as copies of the arms; or with the arms as targets."""
        if own == (self.target_sheet is not None):
            return self
        if not own:
            return replace(self, target_sheet=None, target_reward_sheet=None, target_names=None)
        return replace(
            self, target_sheet=self.arm_sheet, target_reward_sheet=self.reward_sheet, target_names=self.arm_names
        )

    def with_given_rewards(self) -> InstanceTable:
        """The same instance with rewards as numbers instead of θ⋆; if it has none, they start as 0."""
        if not self.has_rewards:
            zeros = None if self.targets is None else _column(np.zeros(len(self.targets)))
            return replace(self, reward_sheet=_column(np.zeros(len(self.arms))), target_reward_sheet=zeros)
        if self.theta is None:
            return self
        self._require_numbers()
        goals = None if self.targets is None else _column(linear_rewards(self.targets, self.theta))
        rewards = _column(linear_rewards(self.arms, self.theta))
        return replace(self, theta_sheet=None, reward_sheet=rewards, target_reward_sheet=goals)

    def with_fitted_theta(self) -> InstanceTable:
        """The table with linear rewards, by the θ⋆ of least squares (the shortest if there are several)."""
        if self.rewards is None:
            return self
        self._require_numbers()
        features, rewards = self.arms, self.rewards
        if self.targets is not None and self.target_rewards is not None:
            features = np.vstack([features, self.targets])
            rewards = np.append(rewards, self.target_rewards)
        theta = np.linalg.lstsq(features, rewards, rcond=None)[0]
        theta[np.abs(theta) <= 1e-12 * np.abs(theta).max(initial=0.0)] = 0.0  # rounding
        return self.with_theta(theta)

    # -- identity -----------------------------------------------------------------------------------------------

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the whole table."""
        names = (self.arm_names, self.target_names, self.feature_names)
        words = (names, self.name, str(self.noise), self.recipe, sorted(self.bad.items()))
        state = hashlib.sha256(repr(words).encode())
        for part in self.parts:
            values = self.sheet(part).values
            state.update(f"{part} {values.shape}".encode())
            state.update(values.astype("<f8").tobytes())
        return state.hexdigest()

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, InstanceTable) and self.digest == other.digest)

    def __hash__(self) -> int:
        return hash(self.digest)

    # -- helpers------------------------------------------------------------------------------------------------

    def _with(self, part: str, sheet: NumberGrid) -> InstanceTable:
        changed: dict[str, Any] = {_FIELDS[part]: sheet}
        return replace(self, **changed)

    def _with_names(self, part: str, names: Sequence[str]) -> InstanceTable:
        given = tuple(names) if any(names) else None
        return replace(self, arm_names=given) if _ROW_PARTS[part] == ARMS else replace(self, target_names=given)

    def _with_rows(self, part: str, order: Sequence[int]) -> InstanceTable:
        if part == THETA:
            return self._with_columns(order)
        side = _ROW_PARTS[part]
        if not order:
            raise InputError(f"Cannot remove the last {'arm' if side == ARMS else 'target'}.")
        table = self
        for each in (part for part, whose in _ROW_PARTS.items() if whose == side and part in self.parts):
            table = table._with(each, self.sheet(each).rows(order))
        names = self.names(side)
        return table._with_names(side, ["" if each == NEW else names[each] for each in order])

    def _with_columns(self, order: Sequence[int]) -> InstanceTable:
        if not order:
            raise InputError("Cannot remove the last feature.")
        return replace(
            self,
            arm_sheet=self.arm_sheet.columns(order),
            target_sheet=None if self.target_sheet is None else self.target_sheet.columns(order),
            theta_sheet=None if self.theta_sheet is None else self.theta_sheet.rows(order),
            feature_names=self._names_in(order),
        )

    def _names_in(self, order: Sequence[int]) -> tuple[str, ...] | None:
        """The names of features in another order; new features and copies have none."""
        known = self.feature_names
        if known is None:
            return None
        return tuple("" if at == NEW or at in order[:j] else known[at] for j, at in enumerate(order))

    def _vector(self, values: ArrayLike) -> Floats:
        return as_vector(np.asarray(values, dtype=np.float64), "features", self.D, "feature")

    def _require_numbers(self) -> None:
        if self.bad:
            raise InputError(f"Correct the marked cells first. {self.refusal()}")


_FIELDS = {
    ARMS: "arm_sheet",
    TARGETS: "target_sheet",
    THETA: "theta_sheet",
    REWARDS: "reward_sheet",
    TARGET_REWARDS: "target_reward_sheet",
}


@cache
def small_table() -> InstanceTable:
    """Three unit vectors in the plane, the first the best: a new instance, for which all assumptions hold."""
    arms, theta = frozen([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]]), frozen([[1.0], [0.0]])
    return InstanceTable(NumberGrid(arms), theta_sheet=NumberGrid(theta), recipe=Recipe(steps=(EDITED,)))


def fits_csv(instance: Instance) -> bool:
    """Whether a CSV file can hold the whole instance: it has only arms, rewards and names."""
    same = not instance.has_rewards or np.array_equal(*instance.require_rewards())
    return instance.targets is instance.arms and same and instance.theta is None and instance.noise == _NOISE


def name_refusal(name: str) -> str:
    """The error of a name, in one sentence; empty if it is valid."""
    try:
        as_name(name, "the name")
    except InputError as error:
        return str(error)
    return ""


def _column(values: Floats) -> NumberGrid:
    return NumberGrid(frozen(values.reshape(-1, 1)))
