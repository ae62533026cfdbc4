"""The type of a subcommand of `gems`, and arguments that several of them share."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gems_engine.errors import InputError, quoted
from gems_engine.index_text import parse_targets
from gems_engine.plugins import PluginGroup

if TYPE_CHECKING:
    from gems_engine.formats.item_options import ItemOptions
    from gems_engine.instance import Instance


@dataclass(frozen=True)
class Command:
    """A subcommand.

    Attributes
    ----------
    summary
        One line for the list of commands.
    example
        A command line that works when pasted.
    configure
        Adds its arguments to a parser.
    run
        Runs the command and returns the exit code.
    groups
        The groups of entry points whose plug-ins it uses: its help and `gems doctor` list the broken ones.
    """

    summary: str
    example: str
    configure: Callable[[ArgumentParser], None]
    run: Callable[[Namespace], int]
    groups: tuple[PluginGroup, ...] = ()


def add_instance(parser: ArgumentParser, optional: bool = False) -> None:
    """Add the argument INSTANCE."""
    parser.add_argument(
        "instance",
        metavar="INSTANCE",
        nargs="?" if optional else None,
        help="a file (.json, .npz, .csv, .tsv) or a family with parameters, such as paper-hard:d_star=9,epsilon=0.01",
    )


def add_items(parser: ArgumentParser) -> None:
    """Add the options for the columns of a CSV file, and --scale-rewards."""
    from argparse import BooleanOptionalAction

    from gems_engine.formats.item_options import FEATURES

    group = parser.add_argument_group("columns of a CSV file of items (INSTANCE), and rewards of any instance")
    group.add_argument("--features", metavar="|".join(FEATURES), help="how columns become features (default as-is)")
    group.add_argument(
        "--intercept",
        action=BooleanOptionalAction,
        help="put a feature of ones first (default: unless features are taken as they are)",
    )
    group.add_argument("--name-column", metavar="COLUMN", help="column of names (default name)")
    group.add_argument("--reward-column", metavar="COLUMN", help="column of mean rewards (default reward)")
    group.add_argument("--ignore", metavar="A,B", help="columns to leave out")
    group.add_argument(
        "--columns", metavar="A,B", help="features in the order of the nested classes (default: all other columns)"
    )
    group.add_argument(
        "--scale-rewards",
        action="store_true",
        help="divide all rewards by one number so that the largest gap is at most 2; the noise is then in these units",
    )


def items_of(arguments: Namespace) -> ItemOptions:
    """The options of :func:`add_items` on a command line."""
    from gems_engine.formats.item_options import KEYS, item_options, split

    given = {key: getattr(arguments, key, None) for key in KEYS}
    lists = {key: split(text) for key in ("ignore", "columns") if (text := given[key]) is not None}
    return item_options({key: value for key, value in {**given, **lists}.items() if value is not None})


def add_json(parser: ArgumentParser) -> None:
    """Add the flag --json."""
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def add_dimension(parser: ArgumentParser) -> None:
    """Add the options --dim and --survivors, which define a design problem."""
    parser.add_argument("--dim", metavar="d", help="use the first d features (default: all)")
    parser.add_argument(
        "--survivors",
        metavar="x_3,x_7",
        help="targets whose differences are the directions, by label or index: x_3,x_7 or 0-4,9 (default: all)",
    )


def as_typed(value: Any) -> str:
    """A value of a parameter as it is typed: "none", "true"."""
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def open_instance(text: str, items: ItemOptions | None = None) -> Instance:
    """Load an instance from a file, or make it from a family with parameters."""
    from gems_engine.files import RUN_SUFFIX, looks_like_file, read_instance
    from gems_engine.gallery import FAMILIES, make_from_spec

    if text.lower().endswith(RUN_SUFFIX):
        raise InputError(f"{text} is a run. Give an instance: a .json, .npz, .csv or .tsv file, or a family.")
    if looks_like_file(text):
        return read_instance(text, items)
    if items is not None and items.of_columns:
        flag = next(iter(items.given())).replace("_", "-")
        raise InputError(f"--{flag} applies to a CSV file of items; a family defines its own features.")
    name = text.partition(":")[0].strip()
    FAMILIES.refuse_broken(name)
    if name not in FAMILIES and "=" not in text:
        from gems_engine.parameters import unknown_name

        raise InputError(f"{unknown_name('family', text.strip(), FAMILIES)} There is no file of that name either.")
    instance = make_from_spec(text)
    return instance.with_scaled_rewards() if items is not None and items.scale_rewards else instance


def whole(text: str | None, default: int, what: str, least: int, most: int) -> int:
    """A whole number in a range, from the command line."""
    if text is None:
        return default
    try:
        value = int(text)
    except ValueError:
        value = least - 1
    if not least <= value <= most:
        raise InputError(f"{what} {quoted(text)} is not allowed: it must be a whole number from {least} to {most}.")
    return value


def real(text: str | None, default: float, what: str, above: float, most: float) -> float:
    """A number in (above, most], from the command line."""
    if text is None:
        return default
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not above < value <= most:
        raise InputError(
            f"{what} {quoted(text)} is not allowed: it must be a number above {above:g} and at most {most:g}."
        )
    return value


def survivors(text: str | None, instance: Instance) -> tuple[int, ...]:
    """Indices of targets, from text such as x_3,x_7 or 0-4,9."""
    if text is None:
        return tuple(range(len(instance.targets)))
    return parse_targets(text, instance.target_labels, "--survivors")
