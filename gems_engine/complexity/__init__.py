"""How hard an instance is, in every dimension, and what the paper's theorems promise for it."""

from gems_engine.complexity.bounds import Bound, Condition
from gems_engine.complexity.certified import Certified
from gems_engine.complexity.good_subroutines import GoodSubroutine, good_subroutine
from gems_engine.complexity.guarantees import Guarantees, guarantees
from gems_engine.complexity.quantities import iota, iota_star, rho_star, rho_tilde_star
from gems_engine.complexity.schedule import BudgetGrid, confidence_samples, validation_samples, whole_w
from gems_engine.complexity.suboptimality import EpsilonDimension, Gamma, GammaCurve, d_star_epsilon, gamma
from gems_engine.complexity.table import Complexities, DimensionComplexity, complexities
from gems_engine.complexity.ticker import Progress, Ticker

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
