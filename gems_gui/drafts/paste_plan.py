"""What pasting a sheet does: which column is what, where its rows go, and what is left out; independent of Qt."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gems_engine.arrays import Floats, frozen
from gems_engine.errors import InputError
from gems_engine.features import check_size, is_name
from gems_engine.formats.csv_format import feature_names_of
from gems_engine.formats.spreadsheet import numbers_in, reads_as_number, short_text
from gems_engine.recipe import Recipe
from gems_engine.terminal import plural
from gems_gui.drafts.instance_table import ARMS, PASTED, REWARDS, TARGET_REWARDS, TARGETS, THETA, InstanceTable
from gems_gui.drafts.pasting import (
    NAME,
    PastedBlock,
    cells_of,
    first_row_is_header,
    separator_of,
    why_bad,
)
from gems_gui.drafts.sheet import NumberGrid

FEATURE, REWARD, WEIGHT, LEFT_OUT = "feature", "reward", "θ⋆", "left out"
"""What a column is, besides names."""
REPLACE, APPEND, OVER = "replace", "append", "over"
"""Where the rows go: they replace all rows, are added below, or overwrite cells from the current one on."""

_VALUE = {ARMS: FEATURE, TARGETS: FEATURE, REWARDS: REWARD, TARGET_REWARDS: REWARD, THETA: WEIGHT}
_REWARD_PART = {ARMS: REWARDS, TARGETS: TARGET_REWARDS}
_HEADERS = {
    NAME: frozenset(["name", "names", "arm", "arms", "target", "targets", "label", "labels", "id", "item", "items"]),
    REWARD: frozenset(
        ("reward", "rewards", "mean", "means", "mean reward", "mean rewards", "expected reward", "mu", "μ")
    ),
}
_OWN_FEATURES = re.compile(r"feature \d+\Z")  # the header that the table itself copies
_MOST_LISTED = 5


def meaning(header: str) -> str:
    """Whether a header says that its column has names or rewards; empty if it says neither."""
    word = re.sub(r"[\s_.-]+", " ", header).strip().casefold()
    return next((role for role, words in _HEADERS.items() if word in words), "")


@dataclass(frozen=True)
class PastePlan:
    """A sheet and what becomes of it.

    Attributes
    ----------
    rows
        All rows of the sheet, as long as they are.
    part
        The part of the instance table into which it is pasted.
    at
        Row and column of the current cell.
    header
        The headers of all columns; None if the first row is not a header.
    roles
        What each column is.
    where
        Where the rows go.
    top
        The row of the header. The rows above it are titles, which are left out.
    separator
        Between cells.
    """

    rows: tuple[tuple[str, ...], ...]
    part: str
    at: tuple[int, int]
    header: tuple[str, ...] | None
    roles: tuple[str, ...]
    where: str
    top: int = 0
    separator: str = ""

    @staticmethod
    def of(text: str, part: str, at: tuple[int, int], *, whole: bool = False, separator: str = "") -> PastePlan:
        """The plan that makes sense for a text; raises InputError if there are no cells, or too many.

        Parameters
        ----------
        whole
            Whether the sheet was meant to replace the whole table.
        separator
            Between cells; empty: the one that the text seems to have.
        """
        separator = separator or separator_of(text)
        rows = tuple(map(tuple, cells_of(text, separator)))
        if not rows:
            raise InputError("Cannot paste: the clipboard contains no text.")
        check_size(len(rows), max(map(len, rows)), "pasted cells")
        plan = PastePlan(rows, part, at, None, (), OVER, separator=separator)
        top = header_row(rows)
        plan = plan.with_header(top if first_row_is_header(rows[top:]) else None)
        sheet = plan.header is not None and part in (ARMS, TARGETS)
        return replace(plan, where=REPLACE if whole or sheet else OVER)

    # -- choices ------------------------------------------------------------------------------------------------

    def with_header(self, row: int | None) -> PastePlan:
        """The plan with a row as header, or without any; the roles follow from that."""
        plan = replace(self, top=row or 0)
        header = None if row is None else plan._padded(plan.rows[row])
        if header is not None and plan._headless_names:
            header = ("", *header[:-1])
        plan = replace(plan, header=None if header is None else tuple(map(str.strip, header)))
        return replace(plan, roles=plan._usual_roles())

    @property
    def _headless_names(self) -> bool:
        """Whether the header has one cell fewer than all rows: as R writes a table, no header over the names."""
        rows = self.rows[self.top + 1 :]
        return {len(row) for row in rows if any(map(str.strip, row))} == {len(self.rows[self.top]) + 1}

    def with_role(self, column: int, role: str) -> PastePlan:
        """The plan with another role of a column."""
        return replace(self, roles=(*self.roles[:column], role, *self.roles[column + 1 :]))

    @property
    def choices(self) -> tuple[str, ...]:
        """What a column may be here."""
        if self.part == THETA:
            return WEIGHT, LEFT_OUT
        return (FEATURE, NAME, REWARD, LEFT_OUT) if self.part in (ARMS, TARGETS) else (REWARD, NAME, LEFT_OUT)

    @property
    def places(self) -> tuple[str, ...]:
        """Where the rows may go here."""
        return (REPLACE, APPEND, OVER) if self.part in (ARMS, TARGETS) else (REPLACE, OVER)

    # -- cells --------------------------------------------------------------------------------------------------

    @cached_property
    def width(self) -> int:
        """Number of columns."""
        return max(map(len, self.rows))

    @cached_property
    def body(self) -> tuple[int, ...]:
        """The rows below the header, by their place in the sheet."""
        return tuple(range(0 if self.header is None else self.top + 1, len(self.rows)))

    @cached_property
    def empty(self) -> tuple[int, ...]:
        """The rows of the body without any text."""
        return tuple(at for at in self.body if not any(map(str.strip, self.rows[at])))

    @cached_property
    def kept(self) -> tuple[int, ...]:
        """The rows that are pasted; empty ones only where rows must stay aligned with others."""
        gone = set() if self.where == OVER else set(self.empty)
        return tuple(at for at in self.body if at not in gone)

    @cached_property
    def kept_rows(self) -> frozenset[int]:
        """The rows that are pasted, for looking up."""
        return frozenset(self.kept)

    @cached_property
    def short(self) -> tuple[int, ...]:
        """The rows with fewer cells than the columns that are pasted, not counting empty ones."""
        last = max((j for j, role in enumerate(self.roles) if role != LEFT_OUT), default=-1)
        return tuple(at for at in self.kept if len(self.rows[at]) <= last and at not in self.empty)

    @cached_property
    def wide(self) -> tuple[int, ...]:
        """The rows with text in columns that are pasted but that the header does not have."""
        if self.header is None or self._headless_names:
            return ()
        more = [j for j in range(len(self.rows[self.top]), self.width) if self.roles[j] != LEFT_OUT]
        return tuple(at for at in self.kept if any(self.cell(at, j).strip() for j in more))

    @cached_property
    def bad(self) -> dict[tuple[int, int], str]:
        """The cells that should be numbers and are not, by row and column of the sheet, with the reason."""
        columns, (_, bad) = self._number_columns, self._numbers
        return {(self.kept[i], columns[j]): why_bad(text) for (i, j), text in bad.items()}

    @cached_property
    def _number_columns(self) -> list[int]:
        """The columns that are read as numbers."""
        return [j for j, role in enumerate(self.roles) if role not in (NAME, LEFT_OUT)]

    @cached_property
    def _numbers(self) -> tuple[Floats, dict[tuple[int, int], str]]:
        """The numbers of these columns in the rows that are pasted, and the texts that are none.

        They are read together: whether a comma is a decimal sign depends on all of them.
        """
        columns = self._number_columns
        return numbers_in([[self.cell(at, j) for j in columns] for at in self.kept], len(columns))

    def cell(self, row: int, column: int) -> str:
        """A cell of the sheet, empty where its row is shorter."""
        return self.rows[row][column] if column < len(self.rows[row]) else ""

    def column_label(self, column: int) -> str:
        """A column in words: its header in quotation marks, or its number."""
        name = self.header[column] if self.header is not None else ""
        return f'"{short_text(name)}"' if name else f"column {column + 1}"

    def role_label(self, column: int, table: InstanceTable | None = None) -> str:
        """What a column becomes: for a feature its number, or the name that its column has in a table that stays."""
        role = self.roles[column]
        if role != FEATURE:
            return role
        if table is None or self.where == REPLACE:
            return f"feature {self.roles[:column].count(FEATURE) + 1}"
        at = self.feature_columns(table)[self.roles[:column].count(FEATURE)]
        return f"feature {at + 1}" if at >= table.D else f"→ {short_text(table.feature_label(at))}"

    # -- the table ----------------------------------------------------------------------------------------------

    def feature_columns(self, table: InstanceTable) -> list[int]:
        """The columns of the table to which the features of the sheet go.

        Rows that are added below find their columns by name, whatever their order, and other columns are new features.
        Where no name is known, the features go to columns one after the other, as they do where cells are overwritten,
        unless these columns have just the names of the sheet, in another order.
        """
        names = list(map(_compared, self._feature_headers()))
        first = max(self.at[1], 0) if self.where == OVER else 0
        in_order, known = [first + k for k in range(len(names))], self._known(names, table)
        if self.where == OVER:
            named = [known.get(name, -1) for name in names]
            return named if sorted(named) == in_order else in_order
        if self.where == REPLACE or not known:
            return in_order
        new = iter(range(table.D, table.D + len(names)))
        return [known[name] if name in known else next(new) for name in names]

    def _feature_headers(self) -> list[str]:
        """The headers of the features, empty where there are none."""
        features = [j for j, role in enumerate(self.roles) if role == FEATURE]
        return ["" if self.header is None else self.header[j] for j in features]

    def _known(self, names: list[str], table: InstanceTable) -> dict[str, int]:
        """The columns of a table whose name is that of one feature of the sheet; those called twice are not known."""
        named = enumerate(table.feature_names or ("",) * table.D)
        columns = [(each, j) for j, name in named for each in ([_compared(name)] if name else _unnamed(j))]
        here, there = Counter(names), Counter(each for each, _ in columns)
        return {each: j for each, j in columns if here[each] == 1 and there[each] == 1}

    def pasted(self, table: InstanceTable) -> InstanceTable:
        """The table after pasting; raises InputError if that is not possible."""
        self._check()
        start = self._start(table)
        names = self._names()
        features = self._block(_VALUE[self.part])
        rewards = self._block(REWARD) if self.part in _REWARD_PART and REWARD in self.roles else None
        if rewards is not None and (table.linear or not table.has_rewards):
            table = self._with_given_rewards(table)
        if self._loses_rewards(table):
            table = replace(table, reward_sheet=None, target_reward_sheet=None)
        if self.where == REPLACE:
            table = self._resized(table)
        if names is not None or features.values.shape[1]:
            column = max(self.at[1], 0) if self.where == OVER and self.part in _REWARD_PART else 0
            if self.where == APPEND:
                table, features = self._in_columns_of(table, features)
            elif self.where == OVER and self.part in _REWARD_PART:
                places = [at - column for at in self.feature_columns(table)]
                features = _placed(features, places, len(places))
            table = table.with_block(self.part, start, column, replace(features, names=names))
        if rewards is not None:
            table = table.with_block(_REWARD_PART[self.part], start, 0, rewards)
        return table

    def _in_columns_of(self, table: InstanceTable, features: PastedBlock) -> tuple[InstanceTable, PastedBlock]:
        """The table with columns for all features, and the features in the order of its columns."""
        columns = self.feature_columns(table)
        names = [*(table.feature_names or ("",) * table.D)]
        headers = self._feature_headers()
        new = {at: header for at, header in zip(columns, headers, strict=True) if at >= table.D}
        names += [new[at] if is_name(new[at]) and new[at] not in _unnamed(at) else "" for at in sorted(new)]
        table = replace(table.with_D(len(names)), feature_names=tuple(names) if any(names) else None)
        return table, _placed(features, columns, table.D)

    def _check(self) -> None:
        value = _VALUE[self.part]
        if not self.kept:
            raise InputError("There are no rows to paste.")
        for role in {*self.choices} - {FEATURE, LEFT_OUT}:
            if self.roles.count(role) > 1:
                first, second = [self.column_label(j) for j, each in enumerate(self.roles) if each == role][:2]
                raise InputError(f"Both {first} and {second} are chosen as {role}. Change one of them.")
        if value not in self.roles and (self.where != OVER or set(self.roles) == {LEFT_OUT}):
            raise InputError(f"Choose a column of {value if value == WEIGHT else value + 's'}.")
        if wide := self.wide:
            decimals = "Where commas are decimal signs, separate the cells by semicolons or tabs. Or leave"
            raise InputError(
                f"{_rows(wide)} {'has' if len(wide) == 1 else 'have'} more cells than the header. "
                f"{decimals if self.separator == ',' else 'Leave'} out the columns without a header."
            )

    def _loses_rewards(self, table: InstanceTable) -> bool:
        """Whether other rows replace all rows, so that the given rewards would be those of rows that are gone."""
        if self.where != REPLACE or REWARD in self.roles or self.part not in _REWARD_PART:
            return False
        return table.has_rewards and not table.linear and self._names() != tuple(table.names(self.part))

    def _start(self, table: InstanceTable) -> int:
        count = table.sheet(self.part).shape[0]
        return {REPLACE: 0, APPEND: count, OVER: self.at[0]}[self.where]

    def _names(self) -> tuple[str, ...] | None:
        if NAME in self.roles:
            column = self.roles.index(NAME)
            return tuple(self.cell(at, column).strip() for at in self.kept)
        return ("",) * len(self.kept) if self.where == REPLACE and self.part in _REWARD_PART else None

    def _block(self, role: str) -> PastedBlock:
        values, bad = self._numbers
        columns = [k for k, j in enumerate(self._number_columns) if self.roles[j] == role]
        at = {k: j for j, k in enumerate(columns)}
        return PastedBlock(values[:, columns], {(i, at[k]): text for (i, k), text in bad.items() if k in at})

    def _with_given_rewards(self, table: InstanceTable) -> InstanceTable:
        if self.where != REPLACE or table.targets is not None:
            return table.with_given_rewards()
        zeros = NumberGrid(frozen(np.zeros((len(table.arms), 1))))  # all of them are about to be replaced
        return replace(table, theta_sheet=None, reward_sheet=zeros)

    def _resized(self, table: InstanceTable) -> InstanceTable:
        if self.part == THETA:
            return table.with_D(len(self.kept))
        table = table.remove_rows(self.part, range(len(self.kept), table.sheet(self.part).shape[0]))
        if self.part not in _REWARD_PART:
            return table
        table = replace(table.with_D(self.roles.count(FEATURE)), feature_names=self._feature_names())
        return replace(table, name="", recipe=Recipe(steps=(PASTED,))) if self.part == ARMS else table

    def _feature_names(self) -> tuple[str, ...] | None:
        if self.header is None:
            return None
        names = [self.header[j] for j, role in enumerate(self.roles) if role == FEATURE]
        return None if all(map(_OWN_FEATURES.match, names)) else feature_names_of(names)

    # -- in words -----------------------------------------------------------------------------------------------

    def sentences(self, table: InstanceTable) -> list[str]:
        """What pasting does to a table: first the rows, then the rewards, then all that is left out or marked."""
        found = [self._about_rows(table), self._about_features(table), self._about_rewards(table)]
        if self.header is not None and self.top:
            found.append(f"{_rows(range(self.top))} above the header {'is' if self.top == 1 else 'are'} left out.")
        if self.header is not None and self._headless_names:
            found.append("The header has one cell fewer than the rows: it begins with the second column.")
        left = [self._left_out(j) for j, role in enumerate(self.roles) if role == LEFT_OUT]
        found.append(f"Left out: {_listed(left)}." if left else "")
        if same := self._same_names():
            found.append(same)
        if self.empty:
            done = "marked as empty" if self.where == OVER else "left out"
            found.append(f"{_rows(self.empty)} {'is' if len(self.empty) == 1 else 'are'} empty and {done}.")
        if self.short:
            one = len(self.short) == 1
            found.append(
                f"{_rows(self.short)} {'has' if one else 'have'} fewer cells than there are columns: "
                "the missing cells are marked."
            )
        if self.bad:
            (row, column), reason = next(iter(sorted(self.bad.items())))
            more = f" {plural(len(self.bad) - 1, 'more cell')} to correct." if len(self.bad) > 1 else ""
            found.append(f"Row {row + 1}, {self.column_label(column)}: {reason} It is kept and marked.{more}")
        return [each for each in found if each]

    def _about_rows(self, table: InstanceTable) -> str:
        count, new = table.sheet(self.part).shape[0], len(self.kept)
        kind = {ARMS: "arm", TARGETS: "target", REWARDS: "reward", TARGET_REWARDS: "reward", THETA: "feature"}[
            self.part
        ]
        width = self.roles.count(FEATURE)
        what = f"{plural(new, kind)} with {plural(width, 'feature')}" if width else plural(new, kind)
        if self.where == REPLACE:
            old = f"{plural(count, kind)} with {plural(table.D, 'feature')}" if width else plural(count, kind)
            return f"Replaces {old} by {what}."
        if self.where == APPEND:
            return f"Adds {what} below the {count} that exist."
        cell = table.row_label(self.part, min(self.at[0], count - 1))
        cell += f", {table.feature_label(max(self.at[1], 0))}" if self.part in _REWARD_PART else ""
        added = max(self.at[0] + new - count, 0)
        more = f", and adds {plural(added, 'row')}" if added else ""
        return f"Overwrites {plural(new - added, 'row')} from {cell} on{more}."

    def _about_features(self, table: InstanceTable) -> str:
        """Which columns the features go to, and which cells have no number, where other rows stay."""
        if self.where == REPLACE or self.part not in _REWARD_PART or not (columns := self.feature_columns(table)):
            return ""
        said = []
        if self.where == OVER and self.header is not None:
            said = self._about_positions(table, columns)
        elif self.header is not None:
            if self._known(list(map(_compared, self._feature_headers())), table):
                missing = [f'"{short_text(table.feature_label(j))}"' for j in range(table.D) if j not in columns]
                said = ["Features go to the columns of the same name."]
                said += [f"New rows have 0 for {_listed(missing)}."] if missing else []
            else:
                said = ["The features of the table have other names: the columns go to them in order."]
        grown = max(columns) + 1 - table.D
        return " ".join([*said, *([f"Rows that stay have 0 for the {plural(grown, 'new feature')}."] * (grown > 0))])

    def _about_positions(self, table: InstanceTable, columns: list[int]) -> list[str]:
        """That features go to columns of other names, because cells are overwritten in their order."""
        headers = self._feature_headers()
        known = self._known(list(map(_compared, headers)), table)
        away = [
            f'"{short_text(header)}" to {short_text(table.feature_label(at))}'
            for header, at in zip(headers, columns, strict=True)
            if known.get(_compared(header), at) != at and at < table.D
        ]
        if sorted(columns) == columns and away:
            return [f"Columns go by position, not by name: {_listed(away)}."]
        return [] if sorted(columns) == columns else ["Features go to the columns of the same name."]

    def _same_names(self) -> str:
        """Which rows have one name."""
        names = [] if NAME not in self.roles else [name for name in self._names() or () if name]
        twice = [name for name, count in Counter(names).items() if count > 1]
        if not twice:
            return ""
        rows = [at for at, name in zip(self.kept, self._names() or (), strict=True) if name == twice[0]]
        more = f", and {plural(len(twice) - 1, 'other name')} occur{'s' * (len(twice) == 2)} more than once"
        return f'{_rows(rows)} have the same name, "{short_text(twice[0])}"{more if len(twice) > 1 else ""}.'

    def _about_rewards(self, table: InstanceTable) -> str:
        if self.part not in _REWARD_PART:
            return ""
        if REWARD in self.roles:
            instead = ", instead of from θ⋆" if table.linear else ""
            return f"The rewards come from {self.column_label(self.roles.index(REWARD))}{instead}."
        if table.linear:
            grown = self.where == REPLACE and self.roles.count(FEATURE) > table.D
            return f"θ⋆ stays{', with 0 for the new features' if grown else ''}."
        if not table.has_rewards:
            return "No column has rewards, and the instance still has none."
        if self._loses_rewards(table):
            return "No column has rewards, so the instance has none: those of the replaced rows are left out."
        if self.where == REPLACE:
            return "No column has rewards. Number and names of the rows stay the same, and so do their rewards."
        return "No column has rewards: those of existing rows stay, and new rows have 0."

    def _left_out(self, column: int) -> str:
        cells = [self.cell(at, column).strip() for at in self.body]
        return f"{self.column_label(column)}{'' if any(cells) else ' (empty)'}"

    # -- helpers ------------------------------------------------------------------------------------------------

    def _padded(self, row: Sequence[str]) -> tuple[str, ...]:
        return (*row, *[""] * (self.width - len(row)))

    def _texts(self, column: int) -> list[str]:
        return [text for at in self.body if (text := self.cell(at, column).strip())]

    def _usual_roles(self) -> tuple[str, ...]:
        header = self.header if self.header is not None else ("",) * self.width
        said = [meaning(each) for each in header]
        roles = [LEFT_OUT] * self.width
        for role in (NAME, REWARD):
            if role in said and role in self.choices:
                roles[said.index(role)] = role
        rest = {j: texts for j in range(self.width) if roles[j] == LEFT_OUT and (texts := self._texts(j))}
        index = self.header is not None and not header[0] and self.width > 1  # as pandas writes its index
        for j, texts in rest.items():
            numeric = 2 * sum(map(reads_as_number, texts)) >= len(texts)
            if NAME not in roles and NAME in self.choices and ((j == 0 and index) or not numeric):
                roles[j] = NAME
            elif numeric and (FEATURE in self.choices or _VALUE[self.part] not in roles):
                roles[j] = _VALUE[self.part]
        return tuple(roles)


def header_row(rows: Sequence[Sequence[str]]) -> int:
    """The row that may be a header: the first one, or the first below titles, which are alone in their rows."""
    at = next((at for at, row in enumerate(rows) if sum(map(bool, map(str.strip, row))) > 1), 0)
    first = [cell for cell in rows[0] if cell.strip()]
    if not at or (first and meaning(first[0])) or not first_row_is_header(rows[at:]):
        return 0
    return at


def _compared(header: str) -> str:
    """A header without what does not matter for its meaning: case, and spaces and underscores."""
    return re.sub(r"[\s_]+", " ", header).strip().casefold()


def _placed(block: PastedBlock, places: Sequence[int], width: int) -> PastedBlock:
    """A block whose columns are at these places among zeros."""
    values = np.zeros((len(block.values), width))
    values[:, places] = block.values
    return PastedBlock(frozen(values), {(i, places[k]): text for (i, k), text in block.bad.items()})


def _unnamed(column: int) -> tuple[str, ...]:
    """What the header of a feature without a name may be, here and in files."""
    return f"feature {column + 1}", f"x{column + 1}"


def _rows(rows: Sequence[int]) -> str:
    numbers = [str(at + 1) for at in rows]
    return f"{'Row' if len(rows) == 1 else 'Rows'} {_listed(numbers)}"


def _listed(words: Iterable[str]) -> str:
    """Words in a row, the first few of many."""
    found = list(words)
    if len(found) > _MOST_LISTED:
        found = [*found[: _MOST_LISTED - 1], f"{len(found) - _MOST_LISTED + 1} more"]
    return f"{', '.join(found[:-1])} and {found[-1]}" if len(found) > 1 else found[0]
