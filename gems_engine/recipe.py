"""How an instance was made, so that it can be said, and made again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gems_engine.parameters import Value


@dataclass(frozen=True)
class Recipe:
    """How an instance was made: a gallery family with its parameters, a file, and what was done to it since.

    The mapping that ``of`` takes is kept as pairs, so that a recipe is hashable and crosses processes.
    """

    family: str = ""
    settings: tuple[tuple[str, Value], ...] = ()
    file: str = ""
    steps: tuple[str, ...] = ()

    @classmethod
    def of(cls, family: str, parameters: Mapping[str, Value]) -> Recipe:
        """The recipe of a family's member."""
        return cls(family, tuple(parameters.items()))

    @property
    def parameters(self) -> dict[str, Value]:
        """The family's parameters by name."""
        return dict(self.settings)

    @property
    def spec(self) -> str:
        """The family and its parameters as the command line takes them, or an empty text."""
        words = ",".join(f"{name}={_word(value)}" for name, value in self.settings)
        return f"{self.family}:{words}" if words else self.family

    def __str__(self) -> str:
        source = self.spec or (f"file {self.file}" if self.file else "by hand")
        return "; ".join((source, *self.steps))


def _word(value: Value) -> str:
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    return value if isinstance(value, str) else repr(value)
