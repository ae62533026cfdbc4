"""Small settings of every algorithm, and of every family: the one place for what tests run them with.

A new algorithm or family needs no line here unless a run with its defaults takes more than a second.
"""

from gems_engine.algorithms import BUILT_IN
from gems_engine.gallery import FAMILIES

_ALGORITHMS = {
    "fixed-confidence": {"base": 4, "max_samples": 400_000},
    "fixed-budget": {"budget": 8_000},
    "misspecified": {"epsilon": 0.2, "max_samples": 300_000},
    "misspecified-best-arm": {"base": 4, "max_samples": 400_000},
    "gems-c": {"rounds": 6, "selection_budget": 300.0},
    "gems-b": {"budget": 4_000, "rounds": 5, "selection_budget": 300.0},
    "gems-m": {"rounds": 5, "selection_budget": 300.0},
}
_SHORTER = {
    "fixed-confidence": {"max_samples": 20_000},
    "fixed-budget": {"budget": 3_000},
    "misspecified": {"max_samples": 30_000},
    "misspecified-best-arm": {"max_samples": 20_000},
    "gems-c": {"rounds": 2, "selection_budget": 60.0},
    "gems-b": {"selection_budget": 60.0},
    "gems-m": {"rounds": 4, "selection_budget": 60.0},
}
_FAMILIES = {
    "paper-hard": {"d_star": 3},
    "sphere": {"D": 4, "d_star": 2, "n": 9},
    "verifiability": {"D": 3},
    "soare": {"D": 3},
    "transductive": {"D": 4, "d_star": 2, "n": 6},
    "multivariate": {"m": 3, "d_star": 2},
    "misspecified": {"D": 4, "d_star": 2, "n": 8},
    "gaussian": {"D": 4, "d_star": 2, "n": 9},
}


def known_to(algorithm, settings):
    """Of some settings those that an algorithm has a parameter for."""
    names = {each.name for each in BUILT_IN[algorithm].parameters}
    return {name: value for name, value in settings.items() if name in names}


SETTINGS = {name: _ALGORITHMS.get(name, known_to(name, {"max_samples": 400_000})) for name in BUILT_IN}
"""For a run of some hundred events at most."""
SHORTER = {
    name: {**given, **_SHORTER.get(name, known_to(name, {"max_samples": 100_000}))} for name, given in SETTINGS.items()
}
"""For a run that is looked at after each of its events."""
SMALL_FAMILIES = {name: _FAMILIES.get(name, {}) for name in FAMILIES}
"""Parameters of a member of each family with a handful of arms."""
