"""XY-optimal designs, min over λ of max over y of yᵀA(λ)⁻¹y, each with a proof of how good it is."""

from gems_engine.design.certificate import Certificate, certify, check_weights
from gems_engine.design.problem import DesignProblem
from gems_engine.design.result import Design, relative_gap
from gems_engine.design.solve import SOLVERS, DesignSolve, solve_design

__all__ = [
    "SOLVERS",
    "Certificate",
    "Design",
    "DesignProblem",
    "DesignSolve",
    "certify",
    "check_weights",
    "relative_gap",
    "solve_design",
]
