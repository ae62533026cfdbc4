"""Targets as people write them: a set as 0,3,7 or 0-4,9, one by its name or its index."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gems_engine.errors import InputError


def parse_targets(text: str, targets: int, what: str) -> tuple[int, ...]:
    """At least two indices of targets, sorted.

    Parameters
    ----------
    what
        Who asks, for the sentence on what is wrong.
    """
    chosen: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        try:
            start, end = int(first), int(last) if dash else int(first)
        except ValueError:
            raise InputError(
                f"{what}: {part.strip()!r} is no index of a target; write them as 0,3,7 or 0-4,9."
            ) from None
        if not 0 <= start <= end < targets:
            raise InputError(f"{what}: there is no target {part.strip()}; they are numbered 0 to {targets - 1}.")
        chosen.update(range(start, end + 1))
    if len(chosen) < 2:
        raise InputError(f"{what}: one target alone has no difference to estimate; give at least two.")
    return tuple(sorted(chosen))


def targets_text(targets: Iterable[int]) -> str:
    """Indices as :func:`parse_targets` reads them, neighbours from three on as a range."""
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
    """Which of several things is meant, by its name as everything shows it, or else by its index; None: none is."""
    wanted = text.strip()
    for written in (str, str.casefold):
        found = [at for at in range(count) if written(label(at)) == written(wanted)]
        if len(found) == 1 or (found and written is str):
            return found[0]
    number = int(wanted) if wanted.isascii() and wanted.isdigit() and len(wanted) <= 9 else count
    return number if number < count else None
