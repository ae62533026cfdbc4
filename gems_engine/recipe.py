"""How an instance was made, so that this can be shown and repeated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gems_engine.parameters import Value


@dataclass(frozen=True)
class Recipe:
    """How an instance was made: a gallery family with its parameters or a file with its options, and changes to it.

    The mapping given to ``of`` is stored as pairs, so that a recipe is hashable and can be pickled.
    """

    family: str = ""
    settings: tuple[tuple[str, Value], ...] = ()
    file: str = ""
    steps: tuple[str, ...] = ()

    @classmethod
    def of(cls, family: str, parameters: Mapping[str, Value]) -> Recipe:
        """The recipe of an instance of a family."""
        return cls(family, tuple(parameters.items()))

    @property
    def parameters(self) -> dict[str, Value]:
        """The parameters of the family, or the options with which the file was read, by name."""
        return dict(self.settings)

    @property
    def spec(self) -> str:
        """The family and its parameters as on the command line, or an empty string."""
        if not self.family:
            return ""
        words = listed_settings(self.settings)
        return f"{self.family}:{words}" if words else self.family

    @property
    def edited(self) -> bool:
        """Whether an instance of a family was changed: its parameters may not describe it."""
        return bool(self.family and self.steps)

    @property
    def title(self) -> str:
        """The family without its parameters, and whether the instance was changed; empty without a family."""
        return f"{self.family}, edited" if self.edited else self.family

    def __str__(self) -> str:
        source = self.spec or (f"file {self.file}" if self.file else "by hand")
        return "; ".join((source, *self.steps))


def listed_settings(settings: Iterable[tuple[str, Value]]) -> str:
    """Settings in one line, as on the command line."""
    return ",".join(f"{name}={_word(value)}" for name, value in settings)


def _word(value: Value) -> str:
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    return value if isinstance(value, str) else repr(value)
