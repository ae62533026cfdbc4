"""The views, one file each, and their registry. A new one is a file with a `View` and a line in `VIEWS`."""

from __future__ import annotations

from gems_gui.views.arm_story import ArmStory
from gems_gui.views.chosen_dimension import ChosenDimension
from gems_gui.views.design_weights import DesignWeights
from gems_gui.views.dimension_cost import DimensionCost
from gems_gui.views.event_table import EventTable
from gems_gui.views.gaps import Gaps
from gems_gui.views.problem_list import ProblemList
from gems_gui.views.recommendation import Recommendation
from gems_gui.views.sample_counts import SampleCounts
from gems_gui.views.sample_shares import SampleShares
from gems_gui.views.subroutine_grid import SubroutineGrid
from gems_gui.views.surviving_arms import SurvivingArms
from gems_gui.views.view import View
from gems_gui.views.why import Why

VIEWS: dict[str, type[View]] = {
    each.name: each
    for each in (
        SurvivingArms,
        ChosenDimension,
        DesignWeights,
        SampleCounts,
        DimensionCost,
        Gaps,
        SubroutineGrid,
        Recommendation,
        SampleShares,
        Why,
        ArmStory,
        EventTable,
        ProblemList,
    )
}
"""All views by name, in the order in which they are offered."""
ARRANGEMENT: tuple[tuple[str, ...], ...] = (("survivors",), ("dimension", "cost"), ("weights", "counts"))
"""Rows of a picture of the board; where the window has its views is said by :mod:`gems_gui.layouts`."""
