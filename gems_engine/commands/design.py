"""`gems design`: compute the XY-optimal design of an instance, with its proof."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from gems_engine.commands.command import (
    Command,
    add_dimension,
    add_instance,
    add_items,
    add_json,
    items_of,
    open_instance,
    real,
    survivors,
    whole,
)
from gems_engine.terminal import ProgressBar, number, plural, shown_json, superscript, table

if TYPE_CHECKING:
    from gems_engine.design import Design, DesignProblem, DesignSolve
    from gems_engine.instance import Instance


def _configure(parser: ArgumentParser) -> None:
    from gems_engine.design import SOLVERS

    add_instance(parser)
    add_items(parser)
    add_dimension(parser)
    parser.add_argument(
        "--solver",
        default="certified",
        choices=tuple(SOLVERS),
        help="solver (default certified)",
    )
    parser.add_argument("--tolerance", metavar="1e-6", help="relative gap to prove (default 1e-6)")
    parser.add_argument("-o", "--output", metavar="FILE", help="also write the weights to a .csv, .npz or .json file")
    parser.add_argument(
        "--certificate", metavar="FILE", help="also write the problem, weights, dual and bounds to a .json file"
    )
    add_json(parser)


def design_problem(instance: Instance, arguments: Namespace) -> tuple[DesignProblem, int, tuple[int, ...]]:
    """The problem that --dim and --survivors describe, with d and the survivors."""
    from gems_engine.design import DesignProblem

    d = whole(arguments.dim, instance.D, "--dim", 1, instance.D)
    chosen = survivors(arguments.survivors, instance)
    return DesignProblem(instance.arms[:, :d], targets=instance.targets[list(chosen), :d]), d, chosen


def _run(arguments: Namespace) -> int:
    from gems_engine import clock
    from gems_engine.design import solve_design

    instance = open_instance(arguments.instance, items_of(arguments))
    tolerance = real(arguments.tolerance, 1e-6, "--tolerance", 0.0, 0.5)
    problem, d, chosen = design_problem(instance, arguments)
    started = clock.now()
    with ProgressBar("design") as bar:

        def watch(solve: DesignSolve) -> bool:
            bar(solve.iterations, solve.iterations + 8)  # the total is not known in advance; eight more is typical
            return False

        design = solve_design(problem, arguments.solver, tolerance, watch)
    seconds = clock.now() - started
    if arguments.output:
        from gems_engine.files import write_weights

        write_weights(arguments.output, design.weights)
    if arguments.certificate:
        from gems_engine.files import write_certificate
        from gems_engine.formats.certificate_format import certificate_of

        write_certificate(arguments.certificate, certificate_of(problem, design))
    print(
        shown_json(_as_dict(instance, problem, design, d, chosen, seconds))
        if arguments.json
        else _text(instance, problem, design, d, chosen, seconds)
    )
    return 0


def _as_dict(
    instance: Instance, problem: DesignProblem, design: Design, d: int, chosen: tuple[int, ...], seconds: float
) -> dict[str, Any]:
    return {
        "d": d,
        "survivors": list(chosen),
        "solver": design.solver,
        "tolerance": design.tolerance,
        "value": design.value,
        "lower_bound": design.lower_bound,
        "upper_bound": design.upper_bound,
        "gap": design.gap,
        "status": design.status,
        "proof": design.proof,
        "warning": problem.warning_with(instance.arm_label, instance.feature_label),
        "iterations": design.iterations,
        "seconds": seconds,
        "weights": design.weights,
        "dual": [
            {"pair": [chosen[i] for i in key] if isinstance(key, tuple) else key, "weight": float(w)}
            for key, w in zip(design.dual_keys, design.dual_weights, strict=True)
        ],
    }


def _text(
    instance: Instance, problem: DesignProblem, design: Design, d: int, chosen: tuple[int, ...], seconds: float
) -> str:
    lines = [
        f"{instance.name}: {number(len(chosen))} survivors in R{superscript(d)}, {number(len(instance.arms))} arms",
        f"  value        {number(design.value, 9)}",
        f"  lower bound  {number(design.lower_bound, 9)}",
        f"  gap          {number(design.gap, 2)}  ({design.status}; solver {design.solver}, "
        f"{plural(design.iterations, 'iteration')}, {number(seconds * 1e3, 3)} ms)",
        f"  proof        {design.proof}",
    ]
    if warning := problem.warning_with(instance.arm_label, instance.feature_label):
        lines.append(f"  {warning}")
    if design.status == "trivial":
        return "\n".join([*lines, "  All survivors are equal in these coordinates: there is no direction to estimate."])
    if not design.is_certified:
        lines.append(f"  Not certified: the requested gap is {design.tolerance:g}.")
    from gems_engine.design import equivalence_of

    g = equivalence_of(problem, design.weights, design.gap).g
    order = design.support[(-design.weights[design.support]).argsort(kind="stable")]
    rows = [
        [instance.arm_label(int(x)), number(float(design.weights[x]), 5), number(float(g[x]), 6)] for x in order[:20]
    ]
    lines += ["", table(["arm", "weight λ", "g (1 at the optimum)"], rows, left=1)]
    if len(order) > 20:
        lines.append(f"… and {len(order) - 20} more arms with weight")
    return "\n".join(lines)


COMMAND = Command(
    summary="compute the XY-optimal design, with a proof of how good it is",
    example="gems design paper-hard --dim 9",
    configure=_configure,
    run=_run,
)
