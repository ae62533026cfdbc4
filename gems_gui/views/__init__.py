"""The views, one file each, and their registry: a new one is a file with a `View` and a line in `VIEWS`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from gems_engine.registry import registered

if TYPE_CHECKING:
    from gems_gui.views.view import View


class Views(Mapping[str, "type[View]"]):
    """Views by name, in the order in which they are offered.

    The file of a view is loaded when somebody asks for its class: with it comes pyqtgraph, which takes longer than all
    of a window that shows only the titles of its views at first.

    Parameters
    ----------
    lines
        Name and title of each, as its class has them, and where that is: its file and its name there.
    tabs
        Titles in one short word, for where several views share a place; the whole title where there is none.

    Attributes
    ----------
    titles, tabs : dict of str to str
        What each is called on screen, in its head and on its tab.
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
        """These and more."""
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
    ("grid", "Subroutines", "subroutine_grid.SubroutineGrid"),
    ("recommendation", "Recommendation", "recommendation.Recommendation"),
    ("geometry", "Geometry", "geometry.Geometry"),
    ("theory", "Theory", "theory.Theory"),
    ("shares", "Where samples went", "sample_shares.SampleShares"),
    ("pseudocode", "Pseudo-code", "pseudocode.Pseudocode"),
    ("why", "Why", "why.Why"),
    ("story", "Story of an arm", "arm_story.ArmStory"),
    ("events", "Events", "event_table.EventTable"),
    ("problems", "Problems", "problem_list.ProblemList"),
    ("dimensions", "Every dimension", "dimensions.Dimensions"),
    ("budgets", "What B buys", "budget_map.BudgetMapView"),
    ("compare", "Runs side by side", "compare_lanes.CompareLanes"),
    ("compare-table", "Who found what", "compare_table.CompareTable"),
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
        "grid": "Grid",
        "recommendation": "Recommended",
        "shares": "Shares",
        "story": "Story",
        "dimensions": "Every d",
        "budgets": "Budgets",
        "compare": "Lanes",
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
    ("design-bounds", "Bounds on the way", "design.bounds.Bounds"),
    ("design-rounding", "Rounding", "design.rounding.Rounding"),
)
"""Those of the design debugger, as they stand in it; the board has the others."""
PICTURED_VIEWS = Views(("difference", "Where two runs part", "difference.RunDifference"))
"""Those that only pictures have; in the window a dialog shows the same."""
EVERY_VIEW = VIEWS | DESIGN_VIEWS | PICTURED_VIEWS
"""What has a picture and a page of help."""
ARRANGEMENT: tuple[tuple[str, ...], ...] = (("survivors",), ("dimension", "cost"), ("weights", "counts"))
"""Rows of a picture of the board; where the window has its views is said by :mod:`gems_gui.workbench.layouts`."""
