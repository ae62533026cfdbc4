"""`gems demo`: the paper's hard instance, with the best that exists to show it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from gems_engine.commands.command import Command
from gems_engine.terminal import number


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
        "that nine features are enough.\nNobody knows it beforehand: GEMS finds out while it samples."
    )
    return 0


COMMAND = Command(
    summary="the paper's hard instance: what model selection saves",
    example="gems demo",
    configure=_configure,
    run=_run,
)
