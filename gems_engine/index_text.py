"""Targets as text: a set as 0,3,7 or 0-4,9, one by its name or its index."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gems_engine.errors import InputError


def parse_targets(text: str, targets: int, what: str) -> tuple[int, ...]:
    """At least two indices of targets, sorted.

    Parameters
    ----------
    what
        The name of the input, for the error message.
    """
    chosen: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        try:
            start, end = int(first), int(last) if dash else int(first)
        except ValueError:
            raise InputError(
                f"{what}: {part.strip()!r} is not an index of a target. Write indices as 0,3,7 or 0-4,9."
            ) from None
        if not 0 <= start <= end < targets:
            raise InputError(
                f"{what}: there is no target {part.strip()}. Targets are numbered from 0 to {targets - 1}."
            )
        chosen.update(range(start, end + 1))
    if len(chosen) < 2:
        raise InputError(f"{what}: a single target has no difference to estimate. Give at least two.")
    return tuple(sorted(chosen))


def targets_text(targets: Iterable[int]) -> str:
    """Indices in the form that :func:`parse_targets` reads, three or more consecutive ones as a range."""
    parts: list[str] = []
    run: list[int] = []
    for index in [*sorted(targets), None]:
        if run and index != run[-1] + 1:
            parts += [f"{run[0]}-{run[-1]}"] if len(run) > 2 else map(str, run)
            run = []
        if index is not None:
            run.append(index)
    return ",".join(parts)


def named(text: str, count: int, label: Callable[[int], str]) -> int | None:
    """The index of an item given by its label or its index; None if there is no such item."""
    wanted = text.strip()
    for written in (str, str.casefold):
        found = [at for at in range(count) if written(label(at)) == written(wanted)]
        if len(found) == 1 or (found and written is str):
            return found[0]
    number = int(wanted) if wanted.isascii() and wanted.isdigit() and len(wanted) <= 9 else count
    return number if number < count else None
