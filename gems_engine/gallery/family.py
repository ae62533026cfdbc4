"""The type of a family of instances, and parameters that several families share."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from gems_engine.errors import InputError
from gems_engine.instance import Instance
from gems_engine.parameters import Parameter


@dataclass(frozen=True)
class Family:
    """A named family.

    Attributes
    ----------
    name, summary
        Shown on the command line and in forms.
    parameters
        The parameters of its instances.
    make
        Makes an instance from checked parameters.
    instead
        For D, d_star and epsilon, if they are not parameters: what determines them, in a short sentence.
    """

    name: str
    summary: str
    parameters: tuple[Parameter, ...]
    make: Callable[..., Instance]
    instead: Mapping[str, str] = field(default_factory=dict)


def dimension(default: int, minimum: int = 1) -> Parameter:
    """The ambient dimension."""
    return Parameter("D", "int", default, "Number of features.", "D", minimum, 1000)


def intrinsic(default: int) -> Parameter:
    """The intrinsic dimension."""
    return Parameter("d_star", "int", default, "Number of leading features that matter.", "d⋆", 1, 1000)


def count(default: int, what: str) -> Parameter:
    """The number of arms or targets."""
    return Parameter("n", "int", default, f"Number of {what}.", "n", 2, 100_000)


SEED = Parameter("seed", "int", 0, "Seed of the random numbers that make the instance.", "", 0, 2**63 - 1)


def require_within(d_star: int, D: int) -> None:
    """Raise InputError if d⋆ exceeds D."""
    if d_star > D:
        raise InputError(f"d_star = {d_star} is not allowed: it must be at most D = {D}.")
