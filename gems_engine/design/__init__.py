"""XY-optimal designs, min over λ of max over y of yᵀA(λ)⁻¹y, each with a proof of how good it is."""

from gems_engine.arrays import relative_gap
from gems_engine.design.certificate import Certificate, certify
from gems_engine.design.equivalence import Equivalence, equivalence_of
from gems_engine.design.improvement import Step, improve
from gems_engine.design.problem import DesignProblem
from gems_engine.design.result import Design
from gems_engine.design.shares import check_weights
from gems_engine.design.solve import SOLVERS as SOLVERS
from gems_engine.design.solve import DesignSolve, solve_design

__all__ = [
    "Certificate",
    "Design",
    "DesignProblem",
    "DesignSolve",
    "Equivalence",
    "Step",
    "certify",
    "check_weights",
    "equivalence_of",
    "improve",
    "relative_gap",
    "solve_design",
]
