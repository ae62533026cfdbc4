"""The complexity of an instance in every dimension, and the guarantees of the paper's theorems; imported lazily."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gems_engine.complexity.bounds import Bound as Bound
    from gems_engine.complexity.bounds import Condition as Condition
    from gems_engine.complexity.certified import Certified as Certified
    from gems_engine.complexity.good_subroutines import GoodSubroutine as GoodSubroutine
    from gems_engine.complexity.good_subroutines import good_subroutine as good_subroutine
    from gems_engine.complexity.promises import Guarantees as Guarantees
    from gems_engine.complexity.promises import guarantees as guarantees
    from gems_engine.complexity.quantities import iota as iota
    from gems_engine.complexity.quantities import iota_star as iota_star
    from gems_engine.complexity.quantities import rho_star as rho_star
    from gems_engine.complexity.quantities import rho_tilde_star as rho_tilde_star
    from gems_engine.complexity.schedule import BudgetGrid as BudgetGrid
    from gems_engine.complexity.schedule import confidence_samples as confidence_samples
    from gems_engine.complexity.schedule import validation_samples as validation_samples
    from gems_engine.complexity.schedule import whole_w as whole_w
    from gems_engine.complexity.suboptimality import EpsilonDimension as EpsilonDimension
    from gems_engine.complexity.suboptimality import Gamma as Gamma
    from gems_engine.complexity.suboptimality import GammaCurve as GammaCurve
    from gems_engine.complexity.suboptimality import d_star_epsilon as d_star_epsilon
    from gems_engine.complexity.suboptimality import gamma as gamma
    from gems_engine.complexity.table import Complexities as Complexities
    from gems_engine.complexity.table import DimensionComplexity as DimensionComplexity
    from gems_engine.complexity.table import complexities as complexities
    from gems_engine.complexity.ticker import Progress as Progress
    from gems_engine.complexity.ticker import Ticker as Ticker

_HOMES = {
    "Bound": "bounds",
    "BudgetGrid": "schedule",
    "Certified": "certified",
    "Complexities": "table",
    "Condition": "bounds",
    "DimensionComplexity": "table",
    "EpsilonDimension": "suboptimality",
    "Gamma": "suboptimality",
    "GammaCurve": "suboptimality",
    "GoodSubroutine": "good_subroutines",
    "Guarantees": "promises",
    "Progress": "ticker",
    "Ticker": "ticker",
    "complexities": "table",
    "confidence_samples": "schedule",
    "d_star_epsilon": "suboptimality",
    "gamma": "suboptimality",
    "good_subroutine": "good_subroutines",
    "guarantees": "promises",
    "iota": "quantities",
    "iota_star": "quantities",
    "rho_star": "quantities",
    "rho_tilde_star": "quantities",
    "validation_samples": "schedule",
    "whole_w": "schedule",
}
"""The module of each public name; a run itself needs none of them."""

__all__ = [
    "Bound",
    "BudgetGrid",
    "Certified",
    "Complexities",
    "Condition",
    "DimensionComplexity",
    "EpsilonDimension",
    "Gamma",
    "GammaCurve",
    "GoodSubroutine",
    "Guarantees",
    "Progress",
    "Ticker",
    "complexities",
    "confidence_samples",
    "d_star_epsilon",
    "gamma",
    "good_subroutine",
    "guarantees",
    "iota",
    "iota_star",
    "rho_star",
    "rho_tilde_star",
    "validation_samples",
    "whole_w",
]


def __getattr__(name: str) -> Any:
    """Import a name on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module 'gems_engine.complexity' has no attribute {name!r}")
    return getattr(import_module(f"gems_engine.complexity.{_HOMES[name]}"), name)
