"""Specifications in TOML from untrusted files; errors are one sentence that names the key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from typing import Any

from gems_engine.algorithms import algorithm_named, algorithm_title
from gems_engine.algorithms.algorithm import Algorithm
from gems_engine.errors import InputError, quoted
from gems_engine.experiment.metrics import METRICS
from gems_engine.experiment.specification import MOST_TRIALS, Cell, Printed, RatioMap, Specification
from gems_engine.experiment.trials import require_random, trial_seed
from gems_engine.formats.content import require_version
from gems_engine.formats.item_options import KEYS as ITEM_OPTIONS
from gems_engine.formats.item_options import ItemOptions, how_read, item_options
from gems_engine.gallery import family_named, make_from_spec
from gems_engine.instance import Instance
from gems_engine.parameters import Parameter, Value, shown, unknown_name
from gems_engine.recipe import Recipe, listed_settings
from gems_engine.running import Run

VERSION = 1
"""The version of the format; optional in a file."""
MOST_CELLS = 10_000
MOST_LETTERS = 2**17
_DEEP_KEY = re.compile(r"(?<![\w\"'-])(?:[\w\"'-]++[ \t]*+\.[ \t]*+){20}")
"""Keys of many parts, for which tomllib takes quadratic memory. A search starts only where a part starts and never goes
back, so it takes linear time."""
OpenFile = Callable[[int, str, ItemOptions], Instance]
"""A function from the number of an instance's table, the file name and the options in it to the instance."""

_TOP = ("title", "about", "trials", "seed", "x", "instance", "algorithm", "stop", "paper", "map")
_STOP = {
    "samples": "max_samples",
    "last_round": "last_round",
    "loops": "max_loops",
    "verifiable": "stop_when_verifiable",
}
"""The keys of [stop], and the parameters that they set for every algorithm that has them."""
_SEEDS = 2**63 - 1


def parse_specification(
    text: str, name: str, open_file: OpenFile | None = None, rehearse: bool = True
) -> Specification:
    """Parse a specification.

    Parameters
    ----------
    text
        TOML.
    name
        The name of the experiment.
    open_file
        Reads the instances given as files.
    rehearse
        Whether to check every cell as its first trial would, so that errors appear now.
    """
    if len(text) > MOST_LETTERS:
        raise InputError(f"The specification has more than {MOST_LETTERS} characters.")
    if _DEEP_KEY.search(text):
        raise InputError("It is not a specification: its keys are nested too deeply.")
    try:
        said = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"It is not TOML: {error}.") from error
    except ValueError as error:  # Python refuses whole numbers of more than 4300 digits
        raise InputError("It has a whole number with thousands of digits.") from error
    except RecursionError as error:
        raise InputError("It is not a specification: its values are nested too deeply.") from error
    require_version(said.pop("version", VERSION), VERSION)
    _known(said, _TOP, "")
    trials = _whole(said, "trials", 100, 1, MOST_TRIALS)
    seed = _whole(said, "seed", 0, 0, _SEEDS)
    instances = _told_apart(
        [each for number, table in _tables(said, "instance") for each in _instances(number, table, open_file)]
    )
    stop = _stop(said.get("stop", {}))
    algorithms = [each for number, table in _tables(said, "algorithm") for each in _algorithms(number, table, stop)]
    _require_used(stop, algorithms)
    cells, symbols = _grid(instances, algorithms)
    x = _text(said, "x", next(iter(symbols), ""))
    if x and x not in symbols:
        raise InputError(f"x: {unknown_name('varied parameter', x, symbols)}")
    if rehearse:
        files = {id(each.instance): each.where for each in instances if isinstance(each.instance, Instance)}
        _rehearse(cells, seed, files)
    printed = tuple(_printed(number, table, cells) for number, table in _tables(said, "paper", least=0))
    read = {each.number: each.instance for each in instances if isinstance(each.instance, Instance)}
    title, about = _text(said, "title", name), _text(said, "about", "")
    ratio_map = _map(said["map"], x, symbols, cells) if "map" in said else None
    said_so = Specification(name, title, about, trials, seed, cells, x, symbols, printed, read, text, ratio_map)
    said_so.require_possible()
    return said_so


# -- keys ----------------------------------------------------------------------------------------------------------


def _known(table: Mapping[str, Any], keys: Iterable[str], where: str) -> None:
    for key in table:
        if key not in keys:
            raise InputError(f"{where}{unknown_name('key', key, keys)}")


def _whole(table: Mapping[str, Any], key: str, default: int, least: int, most: int) -> int:
    return int(Parameter(key, "int", default, "", "", least, most).check(table.get(key, default)) or 0)


def _text(table: Mapping[str, Any], key: str, default: str | None, where: str = "") -> str:
    if key not in table and default is None:
        raise InputError(f"{where}the key {key} is missing.")
    value = table.get(key, default)
    if not isinstance(value, str):
        raise InputError(f"{where}{key} = {shown(value)} is not allowed: it must be text.")
    return value.strip()


def _tables(said: Mapping[str, Any], key: str, least: int = 1) -> list[tuple[int, Mapping[str, Any]]]:
    """The tables of that name, [name] or [[name]], numbered from 1."""
    found = said.get(key, [])
    tables = [found] if isinstance(found, dict) else found
    if not isinstance(tables, list) or not all(isinstance(each, dict) for each in tables):
        raise InputError(f"{key} = {shown(found)} is not allowed: it must be a table, [{key}] or [[{key}]].")
    if len(tables) < least:
        raise InputError(f"The table [[{key}]] is missing. An experiment needs at least one.")
    return list(enumerate(tables, start=1))


def _values(parameter: Parameter, value: Any, where: str) -> tuple[Value, ...]:
    """The checked values of a parameter: one, or those of a list."""
    try:
        if not isinstance(value, list):
            return (parameter.check(value),)
        values = tuple(parameter.check(each) for each in value)
    except InputError as error:
        raise InputError(f"{where}{error}") from error
    if not values or len(set(values)) < len(values):
        what = "is empty" if not values else "has a value twice"
        raise InputError(f"{where}the list {parameter.name} {what}.")
    return values


def _given(
    parameters: Sequence[Parameter], table: Mapping[str, Any], own: Sequence[str], where: str
) -> dict[str, tuple[Value, ...]]:
    """The parameters in a table (all keys except its own), each with its values."""
    known = {each.name: each for each in parameters}
    _known(table, [*own, *known], where)
    return {key: _values(known[key], value, where) for key, value in table.items() if key in known and key not in own}


def _combinations(given: Mapping[str, tuple[Value, ...]]) -> Iterator[dict[str, Value]]:
    cells = prod(len(values) for values in given.values())
    if cells > MOST_CELLS:
        raise InputError(f"The grid has {cells} or more cells: at most {MOST_CELLS} are allowed.")
    for values in product(*given.values()):
        yield dict(zip(given, values, strict=True))


# -- instances and algorithms --------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Instance:
    number: int
    source: str
    instance: str | Instance
    fresh: bool
    values: Mapping[str, Value]
    lists: frozenset[str]
    symbols: Mapping[str, str]
    where: str = ""
    read: Mapping[str, Value] = field(default_factory=dict)  # how a file was read


def _instances(number: int, table: Mapping[str, Any], open_file: OpenFile | None) -> Iterator[_Instance]:
    where = f"instance {number}: "
    if ("family" in table) == ("file" in table):
        raise InputError(f"{where}give exactly one of the keys family and file.")
    if "file" in table:
        _known(table, ("file", *ITEM_OPTIONS), where)
        name = _text(table, "file", None, where)
        if open_file is None:
            raise InputError(f"{where}file = {shown(name)} is not allowed: there is no folder to look for it in.")
        if not name.isprintable():
            raise InputError(f"{where}file = {shown(name)} is not allowed: it has a character that cannot be shown.")
        try:
            options = item_options({key: value for key, value in table.items() if key != "file"})
        except InputError as error:
            raise InputError(f"{where}{error}") from error
        try:
            instance = open_file(number, name, options)
        except InputError as error:
            raise InputError(f"{where}file: {error}") from error
        key = f"instance {number}, file = {shown(name)}"
        yield _Instance(
            number, instance.name or name, instance, False, {}, frozenset(), {}, key, how_read(instance.recipe)
        )
        return
    try:
        family = family_named(_text(table, "family", None))
    except InputError as error:
        raise InputError(f"{where}family: {error}") from error
    fresh = table.get("new_each_trial", False)
    if not isinstance(fresh, bool):
        raise InputError(f"{where}new_each_trial = {shown(fresh)} is not allowed: it must be true or false.")
    if fresh:
        try:
            require_random(family)
        except InputError as error:
            raise InputError(f"{where}new_each_trial: {error}") from error
        if "seed" in table:
            raise InputError(f"{where}seed is not allowed: with new_each_trial the seed of the experiment is used.")
    given = _given(family.parameters, table, ("family", "new_each_trial"), where)
    lists = frozenset(key for key in given if isinstance(table[key], list))
    symbols = {each.name: each.symbol or each.name.replace("_", " ") for each in family.parameters}
    for values in _combinations(given):
        yield _Instance(number, family.name, Recipe.of(family.name, values).spec, fresh, values, lists, symbols)


def _told_apart(instances: list[_Instance]) -> list[_Instance]:
    """The instances; after a name that several have come the options in which these differ."""
    found = []
    for each in instances:
        same = [other.read for other in instances if other.source == each.source]
        differing = [
            (key, value)
            for key, value in each.read.items()
            if value is not None and any(other[key] != value for other in same if other)
        ]
        found.append(replace(each, source=f"{each.source}:{listed_settings(differing)}") if differing else each)
    return found


@dataclass(frozen=True, eq=False)
class _Algorithm:
    algorithm: Algorithm
    label: str
    values: Mapping[str, Value]
    lists: frozenset[str]
    symbols: Mapping[str, str]


def _stop(table: Any) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise InputError(f"stop = {shown(table)} is not allowed: it must be a table, [stop].")
    _known(table, _STOP, "stop: ")
    return dict(table)


def _algorithms(number: int, table: Mapping[str, Any], stop: Mapping[str, Any]) -> Iterator[_Algorithm]:
    where = f"algorithm {number}: "
    name = _text(table, "name", None, where)
    try:
        algorithm = algorithm_named(name)
    except InputError as error:
        raise InputError(f"{where}name: {error}") from error
    where = f"algorithm {number} ({algorithm.name}): "
    label = _text(table, "label", algorithm.title, where)
    given = _given(algorithm.parameters, table, ("name", "label"), where)
    known = {each.name: each for each in algorithm.parameters}
    for key, value in stop.items():
        if _STOP[key] in known and _STOP[key] not in given:
            given[_STOP[key]] = (_stopped(known[_STOP[key]], key, value),)
    lists = frozenset(key for key in given if isinstance(table.get(key), list))
    symbols = {each.name: each.symbol or each.name.replace("_", " ") for each in algorithm.parameters}
    for values in _combinations(given):
        yield _Algorithm(algorithm, label, values, lists, symbols)


def _stopped(parameter: Parameter, key: str, value: Any) -> Value:
    try:
        return parameter.check(value)
    except InputError as error:
        what = str(error).partition(":")[2].strip()
        raise InputError(f"stop: {key} = {shown(value)} is not allowed: {what}") from error


def _require_used(stop: Mapping[str, Any], algorithms: Sequence[_Algorithm]) -> None:
    for key in stop:
        if not any(_STOP[key] in {each.name for each in one.algorithm.parameters} for one in algorithms):
            raise InputError(f"stop: none of these algorithms uses the key {key}.")


# -- the grid ------------------------------------------------------------------------------------------------------


def _grid(instances: Sequence[_Instance], algorithms: Sequence[_Algorithm]) -> tuple[tuple[Cell, ...], dict[str, str]]:
    """All cells, and the varied parameters with their symbols."""
    if len(instances) * len(algorithms) > MOST_CELLS:
        raise InputError(f"The grid has {len(instances) * len(algorithms)} cells: at most {MOST_CELLS} are allowed.")
    of_instances = _varied(instances)
    of_algorithms = [name for name in _varied(algorithms) if any(name in each.lists for each in algorithms)]
    for name in of_algorithms:
        if name in of_instances:
            raise InputError(f"{name} is varied twice, by an instance and by an algorithm. Vary only one of them.")
    sources = len({each.source for each in instances}) > 1
    symbols = {"instance": "instance"} if sources else {}
    for group, names in ((instances, of_instances), (algorithms, of_algorithms)):
        symbols |= {name: next(each.symbols[name] for each in group if name in each.symbols) for name in names}
    cells: list[Cell] = []
    for one in instances:
        for other in algorithms:
            varied: dict[str, Value] = {"instance": one.source} if sources else {}
            varied |= {name: one.values[name] for name in of_instances if name in one.values}
            varied |= {name: other.values[name] for name in of_algorithms if name in other.values}
            cells.append(
                Cell(len(cells), one.instance, one.fresh, other.algorithm.name, other.values, other.label, varied)
            )
    _require_apart(cells, len(algorithms))
    return tuple(cells), symbols


def _varied(group: Sequence[_Instance] | Sequence[_Algorithm]) -> list[str]:
    """The parameters with more than one value, in the order in which they are given."""
    seen: dict[str, set[Value]] = {}
    for each in group:
        for name, value in each.values.items():
            seen.setdefault(name, set()).add(value)
    return [name for name, values in seen.items() if len(values) > 1 or any(name in each.lists for each in group)]


def _require_apart(cells: Sequence[Cell], algorithms: int) -> None:
    """Raise InputError if two cells have the same labels, which tables could not distinguish."""
    seen: dict[tuple[Any, ...], Cell] = {}
    for cell in cells:
        key = (cell.label, *cell.varied.items())
        other = seen.setdefault(key, cell)
        if other.index // algorithms != cell.index // algorithms:
            raise InputError(f"instance: two instances are called {quoted(cell.instance_name)}. Change one of them.")
        if other is not cell:
            raise InputError(f"algorithm: two algorithms are called {quoted(cell.label)}. Give each its own label.")


def _rehearse(cells: Sequence[Cell], seed: int, files: Mapping[int, str]) -> None:
    """Check every cell as its first trial would; instances from files are named by their keys."""
    made: dict[str, Instance] = {}
    first = trial_seed(seed, 0)
    for cell in cells:
        spec = cell.instance_of(first)
        try:
            if isinstance(spec, str):
                instance = made[spec] = made.get(spec) or make_from_spec(spec)
            else:
                instance = spec
        except InputError as error:
            raise InputError(f"instance: {error}") from error
        try:
            Run(instance, cell.algorithm, first, **dict[str, Any](cell.parameters))
        except InputError as error:
            where = files.get(id(cell.instance), cell.instance_name)
            raise InputError(f"algorithm {quoted(cell.algorithm)} on {where}: {error}") from error


# -- what the paper prints -----------------------------------------------------------------------------------------

_PAPER = ("metric", "label", "values", "where", "at", "trials")


def _printed(number: int, table: Mapping[str, Any], cells: Sequence[Cell]) -> Printed:
    where = f"paper {number}: "
    _known(table, _PAPER, where)
    metric, label = _text(table, "metric", None, where), _text(table, "label", None, where)
    if metric not in METRICS:
        raise InputError(f"{where}metric: {unknown_name('metric', metric, METRICS)}")
    at = table.get("at", {})
    if not isinstance(at, dict):
        raise InputError(f"{where}at = {shown(at)} is not allowed: it must be a table of varied parameters.")
    _known(at, {name for cell in cells for name in cell.varied}, f"{where}at: ")
    label = _label(label, cells, f"{where}label: ")
    meant = [
        cell
        for cell in cells
        if cell.label == label and all(cell.varied.get(name) == value for name, value in at.items())
    ]
    values = table.get("values")
    if not isinstance(values, list) or len(values) != len(meant):
        raise InputError(f"{where}values must be a list of {len(meant)} numbers, one for each cell of {quoted(label)}.")
    number_of = Parameter("values", "float", 0.0, "", "", 0.0)
    try:
        checked = [float(number_of.check(each) or 0.0) for each in values]
    except InputError as error:
        raise InputError(f"{where}{error}") from error
    by_cell = {cell.index: value for cell, value in zip(meant, checked, strict=True)}
    try:
        trials = _whole(table, "trials", 0, 0, MOST_TRIALS)
    except InputError as error:
        raise InputError(f"{where}{error}") from error
    if METRICS[metric].kind == "share" and max(checked, default=0.0) > 1.0:
        raise InputError(f"{where}values of {metric} must be from 0 to 1.")
    return Printed(metric, label, by_cell, _text(table, "where", "", where), trials)


def _label(word: str, cells: Sequence[Cell], where: str) -> str:
    """The label of an algorithm; one without a label may be named by its id."""
    labels = list(dict.fromkeys(cell.label for cell in cells))
    label = word if word in labels else algorithm_title(word)
    if label not in labels:
        raise InputError(f"{where}{unknown_name('label', label, labels)}")
    return label


# -- the map -------------------------------------------------------------------------------------------------------

_MAP = ("y", "ratio")


def _map(table: Any, x: str, symbols: Mapping[str, str], cells: Sequence[Cell]) -> RatioMap:
    if not isinstance(table, dict):
        raise InputError(f"map = {shown(table)} is not allowed: it must be a table, [map].")
    _known(table, _MAP, "map: ")
    others = [name for name in symbols if name != x]
    y = _text(table, "y", others[0] if len(others) == 1 else None, "map: ")
    if y not in others:
        raise InputError(f"map: y: {unknown_name('varied parameter', y, others)}")
    ratio = table.get("ratio")
    if not isinstance(ratio, list) or len(ratio) != 2 or not all(isinstance(each, str) for each in ratio):
        raise InputError(f'map: ratio = {shown(ratio)} is not allowed: it must be two labels, as in ["RAGE", "GEMS"].')
    of, over = (_label(each, cells, "map: ratio: ") for each in ratio)
    if of == over:
        raise InputError(f"map: ratio needs two different algorithms, not {quoted(of)} twice.")
    places = [_by_place(label, x, y, cells) for label in (of, over)]
    if places[0].keys() != places[1].keys():
        raise InputError(f"map: {quoted(of)} and {quoted(over)} must have the same values of {x} and {y}.")
    return RatioMap(y, of, over, tuple((places[0][place], places[1][place]) for place in places[0]))


def _by_place(label: str, x: str, y: str, cells: Sequence[Cell]) -> dict[tuple[Value, Value], Cell]:
    """The cell of an algorithm at every point of the map."""
    found: dict[tuple[Value, Value], Cell] = {}
    for cell in (each for each in cells if each.label == label):
        if x not in cell.varied or y not in cell.varied:
            raise InputError(f"map: {quoted(label)} does not vary both {x} and {y}.")
        place = cell.varied[x], cell.varied[y]
        if place in found:
            more = next(name for name in cell.varied if cell.varied[name] != found[place].varied[name])
            raise InputError(f"map: only {x} and {y} may be varied for {quoted(label)}, but {more} is varied too.")
        found[place] = cell
    return found
