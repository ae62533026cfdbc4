"""`gems certify`: prove bounds for design weights from a file, and suggest changes."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gems_engine.commands.certificate import add_check, run_check
from gems_engine.commands.command import (
    Command,
    add_dimension,
    add_instance,
    add_items,
    add_json,
    items_of,
    open_instance,
    real,
)
from gems_engine.commands.design import design_problem
from gems_engine.errors import InputError
from gems_engine.terminal import number, shown_json, superscript, table

if TYPE_CHECKING:
    from gems_engine.design import Certificate, Equivalence
    from gems_engine.instance import Instance

_MOST_ARMS = 10  # per table
_MOST_PAIRS = 5


def _configure(parser: ArgumentParser) -> None:
    add_instance(parser, optional=True)
    add_items(parser)
    parser.add_argument(
        "weights",
        metavar="WEIGHTS",
        nargs="?",
        help="a .csv, .npy, .npz or .json file with one weight per arm (see gems design -o)",
    )
    add_dimension(parser)
    parser.add_argument(
        "--tolerance", metavar="1e-6", help="largest relative gap that counts as optimal (default 1e-6)"
    )
    add_check(parser)
    add_json(parser)


def _run(arguments: Namespace) -> int:
    from gems_engine.design import certify
    from gems_engine.files import read_weights
    from gems_engine.formats.weights import total as total_weight

    if arguments.check is not None:
        return run_check(arguments)
    if arguments.weights is None:
        raise InputError("Give an INSTANCE and a file of WEIGHTS, or a certificate with --check.")
    instance = open_instance(arguments.instance, items_of(arguments))
    tolerance = real(arguments.tolerance, 1e-6, "--tolerance", 0.0, 0.5)
    problem, d, chosen = design_problem(instance, arguments)
    weights = read_weights(arguments.weights, len(instance.arms), instance.arm_names)
    proof, total = certify(problem, weights, tolerance), total_weight(weights)
    warning = problem.warning_with(instance.arm_label, instance.feature_label)
    if arguments.json:
        print(shown_json({**_as_dict(proof, d, chosen, total), "warning": warning}))
    else:
        print(_text(instance, proof, d, chosen, total, tolerance, warning))
    return 0


def _as_dict(proof: Certificate, d: int, chosen: tuple[int, ...], total: float) -> dict[str, Any]:
    from gems_engine.formats.weights import is_one

    assert proof.optimum is not None
    seen = proof.equivalence
    return {
        "d": d,
        "value": proof.value,
        "lower_bound": proof.lower_bound,
        "upper_bound": proof.upper_bound,
        "gap": proof.gap,
        "optimum": proof.optimum.value,
        "proof": _how(proof),
        "worst": _pair(proof.worst, chosen),
        "rank": proof.rank,
        "condition": proof.condition,
        "sum": total,
        "rescaled": not is_one(total),
        "arms": [
            {"arm": arm, "weight": weight, "g": g}
            for arm, (weight, g) in enumerate(zip(seen.weights.tolist(), seen.g.tolist(), strict=True))
        ],
        "epsilon": seen.epsilon,
        "active_count": seen.active_count,
        "active": [
            {"pair": _pair(pair, chosen), "norm": norm, "w": w}
            for pair, norm, w in zip(seen.active, seen.norms.tolist(), seen.w.tolist(), strict=True)
        ],
        "improve": [
            {"arm": arm, "share": share} for arm, share in zip(seen.arms.tolist(), seen.shares.tolist(), strict=True)
        ],
        "slope": seen.slope,
        "lost_count": seen.lost_count,
        "lost": [_pair(pair, chosen) for pair in seen.lost],
    }


def _pair(pair: object, chosen: tuple[int, ...]) -> list[int] | None:
    """A pair of survivors as targets of the instance."""
    return [chosen[each] for each in pair] if isinstance(pair, tuple) else None


def _text(
    instance: Instance,
    proof: Certificate,
    d: int,
    chosen: tuple[int, ...],
    total: float,
    tolerance: float,
    warning: str,
) -> str:
    from gems_engine.formats.weights import rescaling

    lines = [f"{instance.name} in R{superscript(d)}"]
    if said := rescaling(total):
        lines.append(f"  {said}")
    lines += [
        f"  value of these weights  {number(proof.value, 9)}",
        f"  optimum at least        {number(proof.lower_bound, 9)}",
        f"  gap                     {number(proof.gap, 3)}",
        f"  rank of A(λ)            {proof.rank} of {d}, condition {_condition(proof)}",
    ]
    lines.append(f"  proof                   {_how(proof)}")
    if warning:
        lines.append(f"  {warning}")
    worst = _pair(proof.worst, chosen)
    if worst is None:
        return "\n".join([*lines, "  All survivors are equal in these coordinates, so any weights are optimal."])
    pair = _pair_label(instance, worst)
    if proof.value == float("inf"):
        return "\n".join([*lines, *_lost(instance, proof.equivalence, chosen)])
    if proof.gap <= tolerance:
        return "\n".join([*lines, f"  Optimal within {tolerance:g}: proven. Worst pair: {pair}."])
    lines.append(f"  Proven to be at most {number(proof.gap * 100, 3)} % above the optimum. Worst pair: {pair}.")
    return "\n".join([*lines, *_changes(instance, proof.equivalence)])


def _how(proof: Certificate) -> str:
    """The arithmetic that proves the bounds."""
    if proof.upper_bound == float("inf"):
        return f"of the lower bound: {proof.lower_proof}"
    if proof.lower_proof == proof.upper_proof:
        return proof.lower_proof
    return f"of the value: {proof.upper_proof}; of the lower bound: {proof.lower_proof}"


def _condition(proof: Certificate) -> str:
    beyond = proof.rank > 0 and proof.condition == float("inf")
    return "above 1e308" if beyond else number(proof.condition, 3)


def _pair_label(instance: Instance, pair: Sequence[int]) -> str:
    return " and ".join(instance.target_label(each) for each in pair)


def _lost(instance: Instance, seen: Equivalence, chosen: tuple[int, ...]) -> list[str]:
    """The pairs whose difference cannot be estimated, and the arms that change that."""
    pairs = [_pair_label(instance, _pair(each, chosen) or ()) for each in seen.lost[:_MOST_PAIRS]]
    more = f", and of {number(seen.lost_count - len(pairs))} more pairs" if seen.lost_count > len(pairs) else ""
    arms = ", ".join(instance.arm_label(arm) for arm in seen.arms.tolist())
    which = "this arm" if len(seen.arms) == 1 else "all of these arms"
    return [
        f"  Infinite: these weights cannot estimate the difference of {'; of '.join(pairs)}{more}.",
        f"  To make the value finite, give {which} a positive weight: {arms}.",
    ]


def _changes(instance: Instance, seen: Equivalence) -> list[str]:
    """The arms that should have more or less weight, and the direction of the change."""
    arms = [
        f"{instance.arm_label(arm)} {number(100.0 * share, 3)} %"
        for arm, share in sorted(zip(seen.arms.tolist(), seen.shares.tolist(), strict=True), key=lambda each: -each[1])
    ]
    more = f", and {number(len(arms) - _MOST_ARMS)} more arms" if len(arms) > _MOST_ARMS else ""
    towards = [
        "",
        f"Move weight to: {', '.join(arms[:_MOST_ARMS])}{more}.",
        f"The slope of the value in that direction is {number(seen.slope, 5)}.",
    ]
    return [
        *_table(instance, seen, "Arms that should have more weight (g above 1)", seen.more.tolist()),
        *_table(instance, seen, "Arms that should have less weight (g below 1)", seen.less.tolist()),
        *(towards if seen.slope < 0.0 else []),
    ]


def _table(instance: Instance, seen: Equivalence, title: str, arms: list[int]) -> list[str]:
    if not arms:
        return []
    rows = [
        [instance.arm_label(x), number(float(seen.weights[x]), 5), number(float(seen.g[x]), 5)]
        for x in arms[:_MOST_ARMS]
    ]
    more = [f"… and {number(len(arms) - _MOST_ARMS)} more"] if len(arms) > _MOST_ARMS else []
    return ["", title, table(["arm", "weight λ", "g"], rows, left=1), *more]


COMMAND = Command(
    summary="prove how good given design weights are, and suggest changes",
    example="gems design paper-hard -o weights.csv && gems certify paper-hard weights.csv",
    configure=_configure,
    run=_run,
)
