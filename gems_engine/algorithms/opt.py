"""OPT as in the appendix, with its search; :mod:`gems_engine.dimension` runs it."""

from __future__ import annotations

from gems_engine.algorithms.pseudocode import ROUND, Line, Listing, Said, in_round
from gems_engine.algorithms.symbols import Symbol
from gems_engine.events import DesignSolved, DimensionProbed

_TAKEN = ("fits", "over")

OPT = Listing(
    "OPT",
    "the largest dimension within the budget",
    (
        Line(
            "input",
            "**input** B, D, g ▷ max d ≤ D with g(d) ≤ B",
            passed=ROUND,
            shows=("B", "D"),
            numbered=False,
        ),
        Line("limits", "d_− ← 0, d_+ ← D + 1", passed=ROUND),
        Line("search", "**while** d_+ − d_− > 1 **do**", passed=_TAKEN),
        Line("probe", "pick d between d_− and d_+; bound g(d)", 1, passed=_TAKEN, shows=("d", "g(d)", "by")),
        Line(
            "fits",
            "**if** g(d) ≤ B **then** d_− ← d ▷ it fits",
            1,
            (Said(DimensionProbed, lambda event: event.fits),),
            shows=("d_−",),
        ),
        Line(
            "over",
            "**else** d_+ ← d ▷ over budget",
            1,
            (Said(DimensionProbed, lambda event: not event.fits),),
            shows=("d_+",),
        ),
        Line("output", "**output** d_−", events=(Said(DesignSolved, in_round),), numbered=False),
    ),
    {
        "D": Symbol("the largest dimension that may be chosen: D̃ in GEMS-b, else D", lambda at: at.top),
        "g": Symbol("the cost compared with B: g_k of the round"),
        "d": Symbol("the dimension being probed", lambda at: at.state.probes[-1].d if at.state.probes else None),
        "g(d)": Symbol("proven bounds on the cost of d, as tight as the decision needs", lambda at: at.probed_cost),
        "d_−": Symbol(
            "the largest dimension known to fit, 0 if there is none yet",
            lambda at: at.largest_that_fits if at.state.probes else None,
        ),
        "d_+": Symbol(
            "the smallest dimension known to be over budget, D + 1 if there is none yet",
            lambda at: at.smallest_that_does_not if at.state.probes else None,
        ),
        "by": Symbol(
            "what decided whether it fits", lambda at: at.state.probes[-1].reason if at.state.probes else None
        ),
    },
    folds=True,
)
"""Costs do not decrease in d, so OPT can bisect."""
