"""Texts about replicates: their progress, their results, and which of them fail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gems_engine.experiment.words import quantile, share
from gems_engine.terminal import number, plural

if TYPE_CHECKING:
    from gems_engine.experiment.replicates import Replicates
    from gems_engine.instance import Instance


def progress_text(search: str, tried: int, found: Replicates | None, other: str) -> str:
    """The progress of the current task; with the name of the run unless it is the shown one."""
    of = f" of {other}" if other else ""
    if search:
        return f"Searching for a seed{of} that fails: {number(tried)} tried."
    done, wanted = (0, 0) if found is None else (len(found), found.wanted)
    return f"Replicates{of}: {number(done)} of {number(wanted)} seeds."


def facts_text(found: Replicates | None, truth: bool) -> str:
    """The results of the replicates, in a few sentences."""
    if found is None or not len(found):
        return ""
    first, last = (found.source.seed_of(int(each)) for each in (found.numbers.min(), found.numbers.max()))
    said = [f"{number(len(found))} more seeds, from {first} to {last}."]
    if truth:
        said.append(f"Right at the end: {share(found.success)}.")
        said.append(f"Median τ: {quantile(found.tau.median, 'samples')}.")
    if found.cut_off:
        said.append(f"{number(found.cut_off)} reached the cap of {plural(found.source.most, 'sample')}.")
    if found.uncertified:
        said.append(f"{number(found.uncertified)} with a design without a certificate.")
    if found.errors:
        said.append(f"{number(found.errors)} failed with an error.")
    return " ".join(said)


def stopped_text(state: str, samples: int, cap: int) -> str:
    """A note that trials continue beyond a run that did not reach its end; empty if it did, or is still running."""
    said = {"stopped": "was stopped by hand", "not finished": "was recorded", "failed": "failed"}.get(state)
    if said is None or samples >= cap:
        return ""
    return f"The run {said} after {plural(samples, 'sample')}; the trials continue up to the cap of {number(cap)}."


def failing_text(found: Replicates, instance: Instance) -> list[tuple[int, str]]:
    """The seeds that fail, each with the reason."""
    lines = []
    for row in found.failing:
        if row.error:
            why = row.error
        else:
            named = "nothing" if row.recommendation is None else instance.target_label(row.recommendation)
            why = f"recommends {named} after {number(row.samples)} samples"
        lines.append((row.seed, f"seed {row.seed}: {why}"))
    return lines
