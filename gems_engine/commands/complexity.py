"""`gems complexity`: ρ⋆, ι⋆, ι, γ̃ and r_d in every dimension, and the bounds of the theorems."""

from __future__ import annotations

import textwrap
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from gems_engine.commands.command import (
    Command,
    add_instance,
    add_items,
    add_json,
    items_of,
    open_instance,
    real,
    whole,
)
from gems_engine.terminal import ProgressBar, mark, shown_json, table

if TYPE_CHECKING:
    from gems_engine.complexity import Complexities, Guarantees


def _configure(parser: ArgumentParser) -> None:
    from gems_engine.rounding import FORMS

    add_instance(parser)
    add_items(parser)
    parser.add_argument("--delta", metavar="0.05", help="δ of the theorems (default 0.05)")
    parser.add_argument("--zeta", metavar="1", help="ζ of the rounding, above 0 and at most 1 (default 1)")
    parser.add_argument("--base", metavar="2", help="base of the schedule (default 2; the paper's experiments use 4)")
    parser.add_argument("--epsilon", metavar="0.1", help="ε of the goal; adds the misspecified theorems")
    parser.add_argument("--budget", metavar="20000", help="total samples, 2T; adds the fixed-budget theorems")
    parser.add_argument(
        "--rounding",
        choices=FORMS,
        default="quadratic",
        help="r_d(ζ): quadratic, (d²+d+2)/ζ, or linear, 180 d/ζ² (default quadratic)",
    )
    parser.add_argument("--tolerance", metavar="1e-6", help="relative gap of every design (default 1e-6)")
    add_json(parser)


def _run(arguments: Namespace) -> int:
    from gems_engine.complexity import complexities, guarantees
    from gems_engine.complexity.schedule import SMALLEST_DELTA

    instance = open_instance(arguments.instance, items_of(arguments))
    tolerance = real(arguments.tolerance, 1e-6, "--tolerance", 0.0, 0.5)
    zeta = real(arguments.zeta, 1.0, "--zeta", 1e-6 * (1 - 1e-9), 1.0)
    delta = real(arguments.delta, 0.05, "--delta", SMALLEST_DELTA * (1 - 1e-9), 0.999999)
    base = whole(arguments.base, 2, "--base", 2, 64)
    epsilon = None if arguments.epsilon is None else real(arguments.epsilon, 0.0, "--epsilon", 1e-12, 1e9)
    budget = None if arguments.budget is None else whole(arguments.budget, 0, "--budget", 1, 10**15)
    with ProgressBar("complexity") as bar:
        numbers = complexities(instance, tolerance, zeta, arguments.rounding, bar, epsilon)
    with ProgressBar("theorems") as bar:
        promises = guarantees(instance, delta, zeta, base, epsilon, budget, arguments.rounding, tolerance, bar)
    if arguments.json:
        print(shown_json({"instance": instance.name, **numbers.as_dict(), "guarantees": promises.as_dict()}))
        return 0
    print(f"{instance.name}\n\n{complexity_table(numbers)}\n\n{_promises(promises)}")
    return 0


def complexity_table(numbers: Complexities) -> str:
    """One line per dimension; each number is proven within the tolerance."""
    from gems_engine.complexity.table import cells

    header, rows = cells(numbers)
    return table(header, rows, left=1)


def _promises(promises: Guarantees) -> str:
    lines = []
    for good in (promises.best_arm, promises.epsilon_optimal):
        if good is not None:
            lines.append(textwrap.fill(good.sentence, 100))
    if promises.epsilon_dimension is not None:
        lines.append(textwrap.fill(promises.epsilon_dimension.sentence, 100))
    for bound in promises.bounds:
        lines += ["", textwrap.fill(f"{mark(bound.holds)} {bound.statement}", 100, subsequent_indent="  ")]
        lines += [
            textwrap.fill(f"✗ {why}", 100, initial_indent="    ", subsequent_indent="      ") for why in bound.failing
        ]
    return "\n".join(lines).strip()


COMMAND = Command(
    summary="compute ρ⋆, ι⋆, ι, γ̃ and r_d in every dimension, and the bounds of the theorems",
    example="gems complexity paper-hard:epsilon=0.1",
    configure=_configure,
    run=_run,
)
