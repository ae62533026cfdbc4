"""`gems demo` in words: what the paper's hard instance costs in each dimension, and GEMS against RAGE on it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from statistics import median
from typing import TYPE_CHECKING, Any

from gems_engine.commands.command import Command
from gems_engine.terminal import number, table

if TYPE_CHECKING:
    from gems_engine.instance import Instance


def _configure(parser: ArgumentParser) -> None:
    pass


def _run(arguments: Namespace) -> int:
    from gems_engine.commands.complexity import complexity_table
    from gems_engine.complexity import complexities
    from gems_engine.gallery import make

    instance = make("paper-hard", d_star=9, epsilon=0.01)
    numbers = complexities(instance, tolerance=1e-9)
    small, large = numbers[9].rho_star, numbers[10].rho_star
    print(
        "The paper's hard instance: ten arms in R^10, rewards linear in the first nine features, smallest gap 0.01.\n"
    )
    print(complexity_table(numbers))
    print(
        f"\nρ⋆_9  is proven to lie in [{small.lower_bound:.8f}, {small.value:.8f}]"
        f"\nρ⋆_10 is proven to lie in [{large.lower_bound:.4f}, {large.value:.4f}]"
        f"\n\nWho works in R^10 pays about {number(large.value / small.value, 3)} times the samples of who knows "
        "that nine features are enough.\nNobody knows it beforehand: GEMS finds out while it samples.\n"
    )
    print(_race(instance))
    return 0


def _race(instance: Instance) -> str:
    """GEMS and RAGE with the same noise on ten seeds: who found the best arm, and when."""
    from gems_engine.running import Run
    from gems_engine.summary import summarise

    racers: list[tuple[str, str, dict[str, Any]]] = [
        ("GEMS", "fixed-confidence", {"base": 4}),
        ("RAGE in R^10", "rage", {}),
        ("RAGE in R^9, told d⋆", "rage-oracle", {}),
    ]
    rows = []
    for who, name, given in racers:
        runs = [
            summarise(Run(instance, name, seed, max_samples=1_000_000, **given).finish()).as_dict()
            for seed in range(1, 11)
        ]
        right = [run["tau"] for run in runs if run["tau"] is not None]
        sure = [run["samples"] for run in runs if run["finish"] == "singleton"]
        rows.append(
            [
                who,
                f"{len(right)} of {len(runs)}",
                number(median(right)) if right else "never",
                number(median(sure)) if sure else "never stops",
                number(median(run["seconds"] for run in runs) * 1e3, 3),
            ]
        )
    title = "Ten runs each, with the same noise, at most a million samples, δ = 0.05"
    header = ["algorithm", "finds x_9", "right from sample", "sure at sample", "ms a run"]
    legend = "Medians. Right from: it says x_9 and never changes again. Sure: one arm is left, and it stops."
    return f"{title}\n\n{table(header, rows, left=1)}\n\n{legend}"


COMMAND = Command(
    summary="the paper's hard instance: what model selection saves",
    example="gems demo",
    configure=_configure,
    run=_run,
)
