"""What opening a CSV file does: which column is what, and how features and rewards are treated; independent of Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gems_engine.assumptions import GAPS, LINEAR
from gems_engine.errors import InputError
from gems_engine.files import read_first_rows, read_instance
from gems_engine.formats.item_options import NAME as NAME_COLUMN
from gems_engine.formats.item_options import REWARD as REWARD_COLUMN
from gems_engine.formats.item_options import ItemOptions
from gems_engine.instance import Instance
from gems_gui.drafts.instance_table import ARMS
from gems_gui.drafts.paste_plan import FEATURE, LEFT_OUT, REPLACE, REWARD, PastePlan
from gems_gui.drafts.pasting import NAME

MOST_ROWS, MOST_CELLS = 100, 20_000
"""Rows and cells of a file that are previewed."""

_NO_REWARDS = " Choose the column of the rewards: without them, the instance cannot be run."
_TO_DO = {LINEAR: '"GEMS (misspecified)" allows for that.', GAPS: 'Choose "Scale rewards".'}


@dataclass(frozen=True)
class OpenPlan:
    """A CSV file and what becomes of its columns.

    Attributes
    ----------
    header
        The columns in the order of the file.
    sheet
        Its first rows, with the roles of the columns; features are in the order of the nested classes.
    features, intercept, scale_rewards
        See :class:`~gems_engine.formats.item_options.ItemOptions`.
    """

    header: tuple[str, ...]
    sheet: PastePlan
    features: str
    intercept: bool
    scale_rewards: bool

    @staticmethod
    def of(
        header: tuple[str, ...], rows: tuple[tuple[str, ...], ...], options: ItemOptions | None, usual: ItemOptions
    ) -> OpenPlan:
        """The plan that makes sense for a file.

        Parameters
        ----------
        options
            Those with which the file was opened before; None, or if they do not fit: the headers and cells decide.
        usual
            How features and rewards are treated if it was not opened before.
        """
        cells = (header, *(row[: len(header)] for row in rows))
        sheet = PastePlan(cells, ARMS, (0, 0), None, (), REPLACE).with_header(0)
        plan = OpenPlan(header, sheet, usual.features, usual.has_intercept, usual.scale_rewards)
        try:
            return plan if options is None else plan.with_options(options)
        except InputError:  # the file has other columns now
            return plan

    def with_options(self, options: ItemOptions) -> OpenPlan:
        """The plan that has these options; raises InputError if the file does not have their columns."""
        columns, name, reward = options.roles(self.header)
        place = {column: j for j, column in enumerate(self.columns)}
        chosen = [place[column] for column in columns]
        slots = dict(zip(sorted(chosen), chosen, strict=True))  # only features change places
        plan = self._ordered([slots.get(j, j) for j in range(len(place))])
        known: dict[str | None, str] = {name: NAME, reward: REWARD, **dict.fromkeys(columns, FEATURE)}
        roles = tuple(known.get(column, LEFT_OUT) for column in plan.columns)
        return OpenPlan(
            self.header,
            replace(plan.sheet, roles=roles),
            options.features,
            options.has_intercept,
            options.scale_rewards,
        )

    @staticmethod
    def read(path: str, options: ItemOptions | None, usual: ItemOptions) -> OpenPlan:
        """The plan for a file, see :meth:`of`; runs in another thread, and raises InputError as reading does."""
        header, rows = read_first_rows(path, MOST_ROWS)
        return OpenPlan.of(header, rows[: max(MOST_CELLS // len(header), 1)], options, usual)

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns, in the order of the preview."""
        return self.sheet.header or self.header

    def with_role(self, column: int, role: str) -> OpenPlan:
        """The plan with another role of a column; names and rewards have at most one, which moves."""
        sheet = self.sheet
        if role in (NAME, REWARD) and role in sheet.roles:
            sheet = sheet.with_role(sheet.roles.index(role), LEFT_OUT)
        return replace(self, sheet=sheet.with_role(column, role))

    def moved(self, column: int, to: int) -> OpenPlan:
        """The plan with a column at another place of the preview."""
        order = [j for j in range(len(self.header)) if j != column]
        order.insert(to, column)
        return self._ordered(order)

    def _ordered(self, order: list[int]) -> OpenPlan:
        if order == list(range(len(order))):
            return self
        sheet = self.sheet
        rows = tuple(tuple(sheet.cell(i, j) for j in order) for i in range(len(sheet.rows)))
        header = tuple(self.columns[j] for j in order)
        return replace(self, sheet=replace(sheet, rows=rows, header=header, roles=tuple(sheet.roles[j] for j in order)))

    def neighbour(self, column: int, step: int) -> int | None:
        """The place of the previous (step −1) or next (1) feature, where a feature can be moved to."""
        others = [j for j, role in enumerate(self.sheet.roles) if role == FEATURE and (j - column) * step > 0]
        if self.sheet.roles[column] != FEATURE or not others:
            return None
        return min(others, key=lambda j: abs(j - column))

    def options(self) -> ItemOptions:
        """The options of this plan, with no more than is needed."""
        by_role = dict(zip(self.columns, self.sheet.roles, strict=True))
        features = tuple(column for column in self.columns if by_role[column] == FEATURE)
        name, reward = (
            next((column for column, each in by_role.items() if each == role), usual)
            for role, usual in ((NAME, NAME_COLUMN), (REWARD, REWARD_COLUMN))
        )
        in_order = tuple(column for column in self.header if by_role[column] == FEATURE)
        taken = any(by_role.get(each) == FEATURE for each in (NAME_COLUMN, REWARD_COLUMN))
        columns = None if features == in_order and not taken else features
        out = [column for column in self.header if by_role[column] == LEFT_OUT]
        ignore = out if columns is None else [each for each in out if each in (NAME_COLUMN, REWARD_COLUMN)]
        return ItemOptions(
            self.features, self.intercept, name, reward, tuple(ignore), columns or None, self.scale_rewards
        )

    def refusal(self) -> str:
        """Why the file cannot be opened with these roles; empty if it can."""
        return "" if FEATURE in self.sheet.roles else "Choose a column of features."


@dataclass(frozen=True, eq=False)
class OpenTrial:
    """What a file gives with some options: an instance and remarks about it, or one sentence on what is wrong."""

    options: ItemOptions
    instance: Instance | None = None
    sentence: str = ""
    remarks: tuple[str, ...] = ()
    can_scale: bool = False
    """Whether there are rewards to scale: with a gap above 2, or scaled already."""


def try_options(path: str, options: ItemOptions) -> OpenTrial:
    """Read a file with some options and check its rewards; runs in another thread."""
    try:
        instance = read_instance(path, options)
    except InputError as error:
        return OpenTrial(options, sentence=str(error))
    found = instance.assumptions()
    broken = [each for each in found if each.name in (LINEAR, GAPS) and not each.holds]
    gaps = options.scale_rewards or any(each.name == GAPS for each in broken)
    return OpenTrial(
        options,
        instance,
        f"{'; '.join(instance.recipe.steps)}.{'' if instance.has_rewards else _NO_REWARDS}",
        tuple(f"{each.statement} {_TO_DO[each.name]}" for each in broken),
        gaps,
    )
