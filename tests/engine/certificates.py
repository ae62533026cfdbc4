"""Certificates for tests: by hand from exact arithmetic, by the engine, and checked by docs/check_certificate.py."""

import importlib.util
import json
import math
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from gems_engine.design import DesignProblem, solve_design
from gems_engine.formats.certificate_format import DesignCertificate, certificate_of, to_json
from tests.engine.exact import exact_lower, exact_value
from tests.engine.hard_problems import HardProblem

CHECKER = Path(__file__).parents[2] / "docs" / "check_certificate.py"


def checker():
    """The one-page checker as a module of its own."""
    spec = importlib.util.spec_from_file_location("check_certificate", CHECKER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def refusal(text: str | bytes, module=checker()) -> str | None:  # noqa: B008
    """What the one-page checker says against a certificate; None where it holds."""
    try:
        module.check(text)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def at_most(x: Fraction) -> float:
    """The largest double that is not above."""
    near = float(x)
    return near if Fraction(near) <= x else math.nextafter(near, -math.inf)


def at_least(x: Fraction) -> float:
    """The smallest double that is not below."""
    return -at_most(-x)


def problem_of(hard: HardProblem):
    """Its design problem; one with listed directions as a plain record, which needs nothing of the solver."""
    if hard.targets is not None:
        return hard.problem()
    return listed(hard.arms, hard.directions, *(hard.quotients or (None, None, None)))


def listed(arms, directions=None, plus=None, minus=None, divisors=None):
    """A problem whose directions are rows, or quotients."""
    if directions is not None:
        return DesignProblem(arms, directions=directions)
    return DesignProblem.weighted(arms, plus, minus, divisors)


def fake_design(problem, weights, keys, w, vectors, basis=None, status="uncertified", tolerance=1e-6):
    """A design whose bounds are the exact ones of these weights and this dual, rounded outward."""
    dual = SimpleNamespace(keys=keys, weights=np.asarray(w), vectors=np.asarray(vectors), basis=basis)
    value, bound = exact_value(problem, weights), exact_lower(problem, dual)
    if status == "uncertified" and value <= (1 + Fraction(tolerance)) * bound:
        status = "certified"
    return SimpleNamespace(
        weights=np.asarray(weights),
        value=float(value),
        lower_bound=at_most(bound),
        upper_bound=at_least(value),
        dual=dual,
        status=status,
        tolerance=tolerance,
        proof="exact arithmetic",
        solver="by hand",
    )


def by_hand(hard: HardProblem, basis: tuple[int, ...] | None = None) -> DesignCertificate:
    """An honest certificate from the solver's weights and w, with u = A(λ)⁻¹y in doubles and exact bounds."""
    problem = problem_of(hard)
    arms = problem.arms
    design = solve_design(problem)
    weights = design.weights
    if exact_value(problem, weights) is None:  # the support spans the directions only up to rounding
        weights = weights + 1e-9
    inverse = np.linalg.pinv(arms.T @ (weights[:, None] * arms))
    rows = [_direction(problem, key) for key in design.dual_keys]
    u = np.array(rows).reshape(-1, arms.shape[1]) @ inverse
    if basis is not None:
        u = u @ arms[list(basis)].T
    return certificate_of(problem, fake_design(problem, weights, design.dual_keys, design.dual_weights, u, basis))


def _direction(problem, key) -> np.ndarray:
    if isinstance(key, tuple):
        return problem.targets[key[0]] - problem.targets[key[1]]
    if problem.plus is None:
        return problem.directions[key]
    return (problem.plus[key] - problem.minus[key]) / problem.divisors[key].sum()


def by_engine(problem, tolerance: float = 1e-6) -> DesignCertificate:
    """What `gems design --certificate` writes."""
    return certificate_of(problem, solve_design(problem, tolerance=tolerance))


def as_dict(certificate: DesignCertificate) -> dict:
    return json.loads(to_json(certificate))
