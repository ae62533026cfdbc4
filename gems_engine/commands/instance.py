"""`gems instance`: list the families, show an instance, save one to a file."""

from __future__ import annotations

import textwrap
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from gems_engine.commands.command import (
    Command,
    add_instance,
    add_items,
    add_json,
    as_typed,
    items_of,
    open_instance,
)
from gems_engine.plugins import PluginGroup
from gems_engine.terminal import mark, number, shown_json, superscript, table

if TYPE_CHECKING:
    from gems_engine.instance import Instance


_HELP = {
    "list": "list the families and their parameters",
    "show": "show sizes, gaps, d⋆ and the paper's assumptions",
    "save": "write an instance to a .json, .npz or .csv file",
}
EXAMPLES = {
    "list": "gems instance list",
    "show": "gems instance show paper-hard:d_star=9,epsilon=0.01",
    "save": "gems instance save sphere:D=10,d_star=3,n=40 -o sphere.json",
}
"""An example command line for each action."""


_NO_REWARDS = "not known, so d⋆, the best target and the gaps are not known either"


def _configure(parser: ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="list | show | save", required=True)
    made = {
        name: actions.add_parser(name, help=help, epilog=f"Example: {EXAMPLES[name]}") for name, help in _HELP.items()
    }
    show, save = made["show"], made["save"]
    add_json(made["list"])
    for each in (show, save):
        add_instance(each)
        each.add_argument("--noise", metavar="MODEL", help="gaussian[:sigma], bernoulli, rademacher or deterministic")
        add_items(each)
    add_json(show)
    save.add_argument(
        "-o", "--output", metavar="FILE", required=True, help="file to write; the suffix decides the format"
    )


def _run(arguments: Namespace) -> int:
    if arguments.action == "list":
        print(_list_json() if arguments.json else _list_text())
        return 0
    instance = _open(arguments)
    if arguments.action == "save":
        from gems_engine.files import write_instance

        write_instance(arguments.output, instance)
        print(f"{arguments.output}: {len(instance.arms)} arms, {len(instance.targets)} targets, D = {instance.D}.")
        if arguments.output.lower().endswith(".csv"):
            print(f"A CSV file has features, rewards and names, but not the noise ({instance.noise}) and θ.")
        return 0
    print(shown_json(_as_dict(instance)) if arguments.json else _text(instance))
    return 0


def _open(arguments: Namespace) -> Instance:
    instance = open_instance(arguments.instance, items_of(arguments))
    return instance if arguments.noise is None else instance.with_noise(arguments.noise)


def _list_text() -> str:
    from gems_engine.gallery import FAMILIES

    blocks = []
    for family in FAMILIES.values():
        lines = [family.name, textwrap.fill(family.summary, 96, initial_indent="  ", subsequent_indent="  ")]
        for parameter in family.parameters:
            symbol = f" ({parameter.symbol})" if parameter.symbol and parameter.symbol != parameter.name else ""
            default = as_typed(parameter.default)
            text = f"{parameter.name}{symbol} = {default}: {parameter.help} {parameter.allowed.capitalize()}."
            lines.append(textwrap.fill(text, 96, initial_indent="    ", subsequent_indent="      "))
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _list_json() -> str:
    from gems_engine.gallery import FAMILIES

    return shown_json(
        [
            {
                "name": family.name,
                "summary": family.summary,
                "parameters": [
                    {
                        "name": p.name,
                        "symbol": p.symbol,
                        "kind": p.kind,
                        "default": p.default,
                        "minimum": p.minimum,
                        "maximum": p.maximum,
                        "choices": list(p.choices),
                        "help": p.help,
                    }
                    for p in family.parameters
                ],
            }
            for family in FAMILIES.values()
        ]
    )


def _as_dict(instance: Instance) -> dict[str, Any]:
    known = instance.has_rewards
    return {
        "name": instance.name,
        "recipe": str(instance.recipe),
        "digest": instance.digest,
        "D": instance.D,
        "arms": len(instance.arms),
        "targets": len(instance.targets),
        "targets_are": _targets(instance),
        "has_rewards": known,
        "d_star": instance.d_star if known else None,
        "noise": str(instance.noise),
        "best": instance.best if known and instance.best_is_unique else None,
        "min_gap": instance.min_gap if known else None,
        "max_gap": float(instance.gaps.max()) if known else None,
        "gaps": instance.gaps if known else None,
        "assumptions": [
            {"name": a.name, "holds": a.holds, "statement": a.statement, "consequence": a.consequence}
            for a in instance.assumptions()
        ],
    }


def _targets(instance: Instance) -> str:
    if instance.target_arms is None:
        return "vectors other than the arms (transductive)"
    return "the arms" if len(instance.targets) == len(instance.arms) else "a subset of the arms"


def _text(instance: Instance) -> str:
    facts = [
        ("made by", str(instance.recipe)),
        ("arms", f"{number(len(instance.arms))} in R{superscript(instance.D)}"),
        ("targets", f"{number(len(instance.targets))}: {_targets(instance)}"),
        *(_truth(instance) if instance.has_rewards else [("rewards", _NO_REWARDS)]),
        ("noise", f"{instance.noise}{'. ' + instance.noise.warning if instance.noise.warning else ''}"),
    ]
    lines = [instance.name, *(f"  {name:<12} {value}" for name, value in facts), ""]
    if instance.has_rewards:
        lines += [*_best_targets(instance), ""]
    lines.append("  The paper's assumptions" + ("" if instance.has_rewards else " that do not depend on the rewards"))
    for each in instance.assumptions():
        text = each.statement if each.holds else f"{each.statement} {each.consequence}"
        lines.append(textwrap.fill(f"{mark(each.holds)} {text}", 96, initial_indent="  ", subsequent_indent="    "))
    return "\n".join(lines)


def _truth(instance: Instance) -> list[tuple[str, str]]:
    d_star = instance.d_star
    best = instance.target_label(instance.best) if instance.best_is_unique else f"tied: {instance.tied_labels()}"
    return [
        ("d⋆", str(d_star) if d_star is not None else "none: the rewards are not linear, even in all features"),
        ("best target", best),
        ("gaps", f"{number(instance.min_gap)} to {number(float(instance.gaps.max()))}"),
    ]


def _best_targets(instance: Instance) -> list[str]:
    _, rewards = instance.require_rewards()
    order = instance.gaps.argsort(kind="stable")[:8]
    rows = [
        [instance.target_label(int(i)), number(float(rewards[i]), 6), number(float(instance.gaps[i]))] for i in order
    ]
    lines = [textwrap.indent(table(["target", "reward h", "gap Δ"], rows, left=1), "  ")]
    if len(instance.targets) > len(order):
        lines.append(f"  … and {number(len(instance.targets) - len(order))} more")
    return lines


COMMAND = Command(
    summary="list the families of instances, or show or save an instance",
    example=EXAMPLES["show"],
    configure=_configure,
    run=_run,
    groups=(
        PluginGroup(
            "gems.families",
            "family",
            "gems_engine.gallery:plugin_families",
            "gems_engine.gallery.contract:check_family",
            "gems_engine.gallery:built_in_names",
        ),
    ),
)
