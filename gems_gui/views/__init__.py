"""The views, one file each, and their registry: a new one is a file with a `View` and a line in `VIEWS`.

Other packages use the entry-point group ``gems.views``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from gems_engine.errors import InputError
from gems_engine.plugins import Plugins, Registry, require_name
from gems_engine.registry import registered

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from gems_gui.views.view import View


class Views(Mapping[str, "type[View]"]):
    """Views by name, in the order in which they are offered.

    The module of a view is imported when its class is first needed. It imports pyqtgraph, which takes longer than all
    of a window that only shows the titles of its views. Views of other packages are looked for when all are listed, or
    one that is not built in is needed.

    Parameters
    ----------
    lines
        The name and title of each view, as in its class, and its module and class.
    tabs
        Short titles for tabs; a view without one has its full title there.
    plugins
        The views of other packages, which follow these.

    Attributes
    ----------
    titles, tabs : dict of str to str
        The titles of the built-in views on screen: in the head of a view, and on its tab.
    """

    def __init__(
        self,
        *lines: tuple[str, str, str],
        tabs: Mapping[str, str] | None = None,
        plugins: Mapping[str, type[View]] | None = None,
    ) -> None:
        self.titles = {name: title for name, title, _ in lines}
        self.tabs = {**self.titles, **(tabs or {})}
        self._homes = {name: home for name, _, home in lines}
        self._plugins: Mapping[str, type[View]] = plugins if plugins is not None else {}

    @property
    def built_in(self) -> tuple[str, ...]:
        """The names without those of plug-ins, which are not looked for."""
        return tuple(self._homes)

    def title_of(self, name: str) -> str:
        """The title of a view."""
        return self.titles[name] if name in self.titles else self._plugins[name].title

    def tab_of(self, name: str) -> str:
        """The title on the tab of a view."""
        return self.tabs[name] if name in self.tabs else self._plugins[name].title

    def __getitem__(self, name: str) -> type[View]:
        if name not in self._homes:
            return self._plugins[name]
        found: type[View] = registered(__name__, self._homes[name])
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._homes or name in self._plugins

    def __iter__(self) -> Iterator[str]:
        yield from self._homes
        yield from self._plugins

    def __len__(self) -> int:
        return len(self._homes) + len(self._plugins)

    def __or__(self, more: Views) -> Views:
        """These views and more; those of plug-ins come last."""
        both = Views(plugins=self._plugins)
        both.titles, both.tabs = self.titles | more.titles, self.tabs | more.tabs
        both._homes = self._homes | more._homes
        return both


def _checked(entry: EntryPoint, found: Any) -> type[View]:
    """The view of an entry point; raises InputError with the reason if it cannot be used."""
    from gems_gui.views.option import Option  # as below
    from gems_gui.views.view import View  # imports pyqtgraph, which only a plug-in needs here

    if not (isinstance(found, type) and issubclass(found, View)):
        what = f"the class {found.__name__}" if isinstance(found, type) else f"of the type {type(found).__name__}"
        raise InputError(f"it is {what}, not a subclass of View.")
    require_name("view", entry, found.name)
    if found.name in taken_names():
        raise InputError("a built-in view has this name. Rename it.")
    if not (isinstance(found.title, str) and found.title and isinstance(found.about, str) and found.about):
        raise InputError("its title and about must be text.")
    if found.title in EVERY_VIEW.titles.values():
        raise InputError("a built-in view has its title. Change it.")
    if not (isinstance(found.options, tuple) and all(isinstance(each, Option) for each in found.options)):
        raise InputError("its options must be a tuple of Option.")
    return found


def taken_names() -> tuple[str, ...]:
    """The names that a view of another package cannot have; "board" is the picture of several."""
    return ("board", *EVERY_VIEW.built_in)


PLUGIN_VIEWS: Registry[type[View]] = Registry("gems.views", "view", _checked, {})
"""The views of other packages."""


def plugin_views() -> Plugins[type[View]]:
    """The views of other packages, with those that cannot be used."""
    return PLUGIN_VIEWS.plugins()


VIEWS = Views(
    ("survivors", "Surviving arms", "surviving_arms.SurvivingArms"),
    ("dimension", "Chosen dimension d_k", "chosen_dimension.ChosenDimension"),
    ("weights", "Design weights λ_k", "design_weights.DesignWeights"),
    ("counts", "Samples per arm", "sample_counts.SampleCounts"),
    ("cost", "Why this dimension?", "dimension_cost.DimensionCost"),
    ("gaps", "Gaps and widths", "gaps.Gaps"),
    ("grid", "Calls", "subroutine_grid.SubroutineGrid"),
    ("recommendation", "Recommendation", "recommendation.Recommendation"),
    ("geometry", "Geometry", "geometry.Geometry"),
    ("theory", "Theory", "theory.Theory"),
    ("shares", "Sample shares", "sample_shares.SampleShares"),
    ("pseudocode", "Pseudo-code", "pseudocode.Pseudocode"),
    ("why", "Why", "why.Why"),
    ("story", "Arm history", "arm_story.ArmStory"),
    ("events", "Events", "event_table.EventTable"),
    ("problems", "Problems", "problem_list.ProblemList"),
    ("dimensions", "All dimensions", "dimensions.Dimensions"),
    ("budgets", "Budget map", "budget_map.BudgetMapView"),
    ("race", "Race", "race.Race"),
    ("seeds", "Seeds of the race", "seeds.Seeds"),
    ("compare-table", "Results by run", "compare_table.CompareTable"),
    ("compare-counts", "Samples by run", "compare_counts.CompareCounts"),
    ("replicates", "Replicates", "replicates.ReplicateBands"),
    ("tau", "Distribution of τ", "tau.TauDistribution"),
    tabs={
        "survivors": "Survivors",
        "dimension": "Dimension",
        "weights": "Design",
        "counts": "Samples",
        "cost": "Cost",
        "gaps": "Gaps",
        "recommendation": "Recommended",
        "pseudocode": "Code",
        "shares": "Shares",
        "story": "History",
        "dimensions": "All d",
        "budgets": "Budgets",
        "seeds": "Seeds",
        "compare-table": "Results",
        "compare-counts": "By run",
        "tau": "τ",
    },
    plugins=PLUGIN_VIEWS,
)
DESIGN_VIEWS = Views(
    ("design-table", "Designs side by side", "design.comparison.Comparison"),
    ("design-weights", "Weights λ", "design.weights.StudiedWeights"),
    ("design-equivalence", "Equivalence theorem", "design.equivalence.Equivalence"),
    ("design-directions", "Norms of all directions", "design.directions.Directions"),
    ("design-spectrum", "Spectrum of A(λ)", "design.spectrum.Spectrum"),
    ("design-bounds", "Bounds by iteration", "design.bounds.Bounds"),
    ("design-rounding", "Rounding", "design.rounding.Rounding"),
)
"""The views of the design debugger, in the order in which it shows them; all others are on the board."""
STAGE_VIEWS = VIEWS | DESIGN_VIEWS
"""The views that a moment of a story can show."""
PICTURED_VIEWS = Views(("difference", "First difference", "difference.RunDifference"))
"""Views that only exist as pictures; the window shows the same in a dialog."""
EVERY_VIEW = STAGE_VIEWS | PICTURED_VIEWS
"""All views that can be exported as a picture and have a help page."""
ARRANGEMENT: tuple[tuple[str, ...], ...] = (("survivors",), ("dimension", "cost"), ("weights", "counts"))
"""Rows of a picture of the board. The layouts of the window are in :mod:`gems_gui.workbench.layouts`."""
