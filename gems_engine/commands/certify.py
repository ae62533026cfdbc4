"""`gems certify`: what is proven about design weights from a file."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from gems_engine.commands.command import Command, add_dimension, add_instance, add_json, open_instance, real
from gems_engine.commands.design import design_problem
from gems_engine.terminal import number, shown_json, table

if TYPE_CHECKING:
    from gems_engine.design import Certificate
    from gems_engine.instance import Instance


def _configure(parser: ArgumentParser) -> None:
    add_instance(parser)
    parser.add_argument(
        "weights", metavar="WEIGHTS", help="a .csv, .npz or .json file of weights, one for each arm (gems design -o)"
    )
    add_dimension(parser)
    parser.add_argument("--tolerance", metavar="1e-6", help="what still counts as optimal (default 1e-6)")
    add_json(parser)


def _run(arguments: Namespace) -> int:
    from gems_engine.design import certify
    from gems_engine.files import read_weights

    instance = open_instance(arguments.instance)
    tolerance = real(arguments.tolerance, 1e-6, "--tolerance", 0.0, 0.5)
    problem, d, chosen = design_problem(instance, arguments)
    weights = read_weights(arguments.weights, len(instance.arms), instance.arm_names)
    proof = certify(problem, weights, tolerance)
    worst = tuple(chosen[i] for i in proof.worst) if isinstance(proof.worst, tuple) else None
    print(shown_json(_as_dict(proof, d, worst)) if arguments.json else _text(instance, proof, d, worst, tolerance))
    return 0


def _as_dict(proof: Certificate, d: int, worst: tuple[int, ...] | None) -> dict[str, Any]:
    assert proof.optimum is not None
    return {
        "d": d,
        "value": proof.value,
        "lower_bound": proof.lower_bound,
        "gap": proof.gap,
        "optimum": proof.optimum.value,
        "worst": None if worst is None else list(worst),
        "violators": [{"arm": int(x), "sensitivity": float(proof.sensitivity[x])} for x in proof.violators],
        "rank": proof.rank,
        "condition": proof.condition,
        "support": [int(x) for x in proof.weights.nonzero()[0]],
    }


def _text(instance: Instance, proof: Certificate, d: int, worst: tuple[int, ...] | None, tolerance: float) -> str:
    lines = [
        f"{instance.name} in R^{d}",
        f"  value of these weights  {number(proof.value, 9)}",
        f"  no weights go below     {number(proof.lower_bound, 9)}",
        f"  gap                     {number(proof.gap, 3)}",
        f"  rank of A(λ)            {proof.rank} of {d}, condition {number(proof.condition, 3)}",
    ]
    if worst is None:
        return "\n".join([*lines, "  All survivors are equal in these coordinates: any weights do."])
    pair = " and ".join(instance.target_label(i) for i in worst)
    if proof.value == float("inf"):
        lines.append(f"  Infinite: with these weights nothing can be said about the difference of {pair}.")
    elif proof.gap <= tolerance:
        lines.append(f"  Optimal within {tolerance:g}: proven. Worst pair: {pair}.")
    else:
        lines.append(f"  Proven to be at most {number(proof.gap * 100, 3)} % above the optimum. Worst pair: {pair}.")
    if len(proof.violators):
        rows = [
            [instance.arm_label(int(x)), number(float(proof.weights[x]), 5), number(float(proof.sensitivity[x]), 5)]
            for x in proof.violators[:10]
        ]
        lines += ["", "Arms that deserve more weight (the equivalence theorem: G ≤ 1 at the optimum)"]
        lines.append(table(["arm", "weight λ", "G"], rows, left=1))
        if len(proof.violators) > 10:
            lines.append(f"… and {len(proof.violators) - 10} more")
    return "\n".join(lines)


COMMAND = Command(
    summary="what is proven about weights from anywhere",
    example="gems design paper-hard -o weights.csv && gems certify paper-hard weights.csv",
    configure=_configure,
    run=_run,
)
