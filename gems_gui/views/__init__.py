"""The views, one file each, and their registry: a new one is a file with a `View` and a line in `VIEWS`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from gems_engine.registry import registered

if TYPE_CHECKING:
    from gems_gui.views.view import View


class Views(Mapping[str, "type[View]"]):
    """Views by name, in the order in which they are offered.

    The module of a view is imported when its class is first needed. It imports pyqtgraph, which takes longer than all
    of a window that only shows the titles of its views.

    Parameters
    ----------
    lines
        The name and title of each view, as in its class, and its module and class.
    tabs
        Short titles for tabs; a view without one has its full title there.

    Attributes
    ----------
    titles, tabs : dict of str to str
        The titles on screen: in the head of a view, and on its tab.
    """

    def __init__(self, *lines: tuple[str, str, str], tabs: Mapping[str, str] | None = None) -> None:
        self.titles = {name: title for name, title, _ in lines}
        self.tabs = {**self.titles, **(tabs or {})}
        self._homes = {name: home for name, _, home in lines}

    def __getitem__(self, name: str) -> type[View]:
        found: type[View] = registered(__name__, self._homes[name])
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._homes)

    def __len__(self) -> int:
        return len(self._homes)

    def __or__(self, more: Views) -> Views:
        """These views and more."""
        both = Views()
        both.titles, both.tabs = self.titles | more.titles, self.tabs | more.tabs
        both._homes = self._homes | more._homes
        return both


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
        "shares": "Shares",
        "story": "History",
        "dimensions": "All d",
        "budgets": "Budgets",
        "seeds": "Seeds",
        "compare-table": "Results",
        "compare-counts": "By run",
        "tau": "τ",
    },
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
