"""What `gems run` says about the data before it starts: the columns, how far from linear, and the gaps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gems_engine.assumptions import FOR_MISSPECIFIED_REWARDS, GAPS, LARGEST_GAP, LINEAR

if TYPE_CHECKING:
    from gems_engine.instance import Instance

_PROPOSALS = {
    LINEAR: (
        "--algorithm misspecified",
        "{} allows for that and looks for an arm within 2ε of the best; gems complexity --epsilon ε says whether that "
        "is guaranteed.",
    ),
    GAPS: ("--scale-rewards", "{} divides all rewards by one number; the noise is then in these units."),
}


def data_lines(instance: Instance, algorithm: str) -> list[str]:
    """The lines to print before a run: what was made of a file, and each remark with what to do."""
    recipe = instance.recipe
    source = [f"{recipe.file}: {'; '.join(recipe.steps)}."] if recipe.file and recipe.steps else []
    for name, statement in _broken(instance, algorithm):
        flag, words = _PROPOSALS[name]
        source.append(f"{statement} {words.format(flag)}")
    return source


def data_json(instance: Instance, algorithm: str) -> dict[str, Any]:
    """The same for --json, with the numbers."""
    rewards = instance.union[1] if instance.has_rewards else None
    return {
        "source": str(instance.recipe),
        "linear": None if rewards is None else instance.d_star is not None,
        "largest_residual": None if rewards is None else instance.linear_fit.gamma_tilde,
        "reward_range": None if rewards is None else float(rewards.max() - rewards.min()),
        "max_gap": None if rewards is None else float(instance.gaps.max()),
        "remarks": [
            {"about": name, "statement": statement, "proposal": _PROPOSALS[name][0]}
            for name, statement in _broken(instance, algorithm)
        ],
    }


def _broken(instance: Instance, algorithm: str) -> list[tuple[str, str]]:
    """The assumptions about the rewards that do not hold and that the algorithm relies on, with their statements."""
    if not instance.has_rewards:
        return []
    about = {GAPS} if algorithm in FOR_MISSPECIFIED_REWARDS else {GAPS, LINEAR}
    if instance.gaps.max() <= LARGEST_GAP and (LINEAR not in about or instance.d_star is not None):
        return []  # the other assumptions take time
    return [(each.name, each.statement) for each in instance.assumptions() if not each.holds and each.name in about]
