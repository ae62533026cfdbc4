"""Tables of items as CSV, and transformations of their features."""

import csv
import io
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gems_engine.arrays import Floats
from gems_engine.errors import InputError, quoted
from gems_engine.features import MAX_ENTRIES, MAX_NAME, MAX_ROWS, as_table, is_name
from gems_engine.formats.csv_cells import csv_text, restored
from gems_engine.formats.item_options import AS_IS, FEATURES, REWARD, STANDARDISED, ItemOptions
from gems_engine.formats.spreadsheet import SEPARATORS, fitting, only_decimal, reads_as_number, value_in
from gems_engine.instance import Instance
from gems_engine.parameters import shown, unknown_name
from gems_engine.recipe import Recipe

_LINE = 2**23  # characters: a hundred thousand columns fit


@dataclass(frozen=True)
class Items:
    """The rows of a CSV file: features, and rewards and names if there are such columns."""

    columns: tuple[str, ...]
    header: tuple[str, ...]
    features: Floats
    rewards: Floats | None
    names: tuple[str, ...] | None


def to_csv(instance: Instance) -> bytes:
    """The file's bytes: columns name and reward (if there are any), then the features by name, or x1, …, xD."""
    if not np.array_equal(instance.arms, instance.targets) or instance.target_arms is None:
        raise InputError(
            "A CSV file can only store instances whose targets are the arms. Save this one as .json or .npz."
        )
    names = instance.arm_names
    rewards = None if instance.rewards is None else instance.rewards.tolist()
    header = [*(["name"] if names else []), *([REWARD] if rewards else []), *_columns_of(instance)]
    rows = (
        [*([names[i]] if names else []), *([rewards[i]] if rewards else []), *row]
        for i, row in enumerate(instance.arms.tolist())
    )
    return csv_text([header, *rows]).encode()


def _columns_of(instance: Instance) -> list[str]:
    """The features by name, where a file with these columns would be read as it was."""
    names = [name.strip() for name in instance.feature_names or ()]
    apart = len({*names, "", "name", REWARD}) == len(names) + 3
    return names if names and apart and not all(map(reads_as_number, names)) else _numbered(instance.D)


def _numbered(D: int) -> list[str]:
    return [f"x{j + 1}" for j in range(D)]


def feature_names_of(columns: Sequence[str]) -> tuple[str, ...] | None:
    """The columns as names of features; None where they only count, x1, x2, …"""
    if list(columns) == _numbered(len(columns)):
        return None
    return tuple(each if is_name(each) else "" for each in columns)


def lines_of(data: bytes) -> Iterator[str]:
    """The lines of a UTF-8 text one by one, with a limited length."""
    stream = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig", newline="")
    number = 0
    while True:
        number += 1
        try:
            line = stream.readline(_LINE)
        except UnicodeDecodeError as error:
            raise InputError(f"The file is not UTF-8 text from line {number} on.") from error
        if not line:
            return
        if len(line) >= _LINE:
            raise InputError(f"Line {number} has more than {_LINE} characters: each row must be one line.")
        yield line


def separator_of(data: bytes) -> str:
    """What separates the cells of a file: comma, semicolon or tab; raises InputError if it may be two of them."""
    found = [each for each in SEPARATORS if _splits_the_first_row(data, each)]
    if len(found) > 1:
        found = list(fitting(found, lambda each: (row for _, row in rows_of(data, each)))) or found
    if len(found) > 1:
        names = " or ".join(SEPARATORS[each] for each in reversed(found))
        raise InputError(
            f"It is not clear whether {names} separate the cells. Put cells that contain one of them in quotation "
            "marks, or write decimal points."
        )
    return found[0] if found else ","


def _splits_the_first_row(data: bytes, separator: str) -> bool:
    try:
        return len(next(rows_of(data, separator), (0, []))[1]) > 1
    except InputError:
        return False


def rows_of(data: bytes, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of every row that is not blank, the header first."""
    if max(data.count(b"\n"), data.count(b"\r")) > 2 * MAX_ROWS:
        raise InputError(f"The file has more than {2 * MAX_ROWS} lines: at most {MAX_ROWS} rows are allowed.")
    reader = csv.reader(lines_of(data), delimiter=separator, strict=True)
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise InputError(f"Line {reader.line_num} is not CSV: {error}.") from error
        if any(cell.strip() for cell in row):
            yield reader.line_num, row


def header_of(rows: Iterator[tuple[int, list[str]]]) -> list[str]:
    """The names of the columns, which must be unique."""
    _, cells = next(rows, (0, []))
    header = [restored(cell.strip()) for cell in cells]
    if not header:
        raise InputError("The file is empty: its first line must name the columns.")
    if all(map(reads_as_number, header)):
        raise InputError("The header row is missing: the first line must name the columns.")
    seen: set[str] = set()  # a file may have a hundred thousand columns
    for i, column in enumerate(header):
        if not column:
            raise InputError(f"Column {i + 1} has no name: the first line must name every column.")
        if column in seen:
            raise InputError(f"The column {shown(column)} appears twice. Give every column its own name.")
        seen.add(column)
    return header


def first_rows(data: bytes, most: int) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The header and the first rows of a CSV file, for a preview; rows may have another length than the header."""
    rows = rows_of(data, separator_of(data))
    header = header_of(rows)
    return tuple(header), tuple(tuple(map(restored, row)) for _, row in islice(rows, most))


def number(cell: str, line: int, column: str, decimal_comma: bool = False) -> float:
    """The finite number in a cell, or an InputError with its position."""
    try:
        value = value_in(cell, decimal_comma)
    except InputError as error:
        if reads_as_number(cell):
            raise InputError(f"Line {line}, column {shown(column)}: {error}") from error
        value = float("nan")
    if not abs(value) < float("inf"):
        found = shown(cell) if cell.strip() else "empty"
        raise InputError(f"Line {line}, column {shown(column)} is {found}: it must be a finite number.")
    return value


def _name(cell: str, line: int, column: str) -> str:
    if not is_name(cell):
        raise InputError(
            f"Line {line}, column {shown(column)} is {quoted(cell, 30)}: a name must be one printable line of at most "
            f"{MAX_NAME} characters."
        )
    return cell


def _has_decimal_commas(data: bytes, separator: str, places: Sequence[int | None]) -> bool:
    """Whether a comma in the cells of some columns can only be a decimal sign."""
    if b"," not in data or (separator == "," and b'"' not in data):
        return False
    cells = (
        row[at]
        for _, row in islice(rows_of(data, separator), 1, None)
        for at in places
        if at is not None and at < len(row)
    )
    return any(map(only_decimal, cells))


def read_items(data: bytes, options: ItemOptions | None = None) -> Items:
    """The items of a CSV file; without options, all columns other than "name" and "reward" are features.

    A file without a column called "reward" has no rewards; any other column of rewards must exist.
    """
    options = options or ItemOptions()
    separator = separator_of(data)
    rows = rows_of(data, separator)
    header = header_of(rows)
    if options.reward_column not in header:
        _check_no_rewards(header, options.reward_column, options.ignore)
    features, name, reward = options.roles(header)
    if not features:
        raise InputError("There is no column of features. Add at least one.")
    place = {column: i for i, column in enumerate(header)}
    places = [place[column] for column in features]
    at_reward, at_name = (None if column is None else place[column] for column in (reward, name))
    comma = _has_decimal_commas(data, separator, [*places, at_reward])
    table, rewards, names, count = array("d"), array("d"), [], 0
    for line, row in rows:
        if len(row) != len(header):
            raise InputError(
                f"Line {line} has {len(row)} cells but the header has {len(header)}: both must have the same number."
            )
        try:
            table.extend([number(row[at], line, header[at], comma) for at in places])
        except InputError as error:
            text = "If the column is not a feature, use it for names or leave it out."
            raise InputError(
                f"{error} {'Correct it in the file, or leave the column out.' if count else text}"
            ) from error
        count += 1
        if at_reward is not None:
            rewards.append(number(row[at_reward], line, header[at_reward], comma))
        if at_name is not None:
            names.append(_name(restored(row[at_name]), line, header[at_name]))
        if len(table) > MAX_ENTRIES:
            raise InputError(f"The file has more than {MAX_ENTRIES} features, the limit, by line {line}.")
    if not count:
        raise InputError("There are no rows below the header. Add one row per arm.")
    return Items(
        tuple(features),
        tuple(header),
        np.array(table).reshape(count, len(features)),
        None if at_reward is None else np.array(rewards),
        tuple(names) if at_name is not None else None,
    )


def instance_of_items(data: bytes, options: ItemOptions, name: str, file_name: str) -> Instance:
    """The instance that a CSV file gives with some options."""
    items = read_items(data, options)
    arms, columns = treated(items.features, items.columns, options.features, options.has_intercept)
    steps = options.sentences(items.header, arms.shape[1])
    settings = replace(options, scale_rewards=False).settings()
    words: dict[str, Any] = {
        "name": name,
        "recipe": Recipe(settings=settings, file=file_name, steps=steps),
        "arm_names": items.names,
        "feature_names": feature_names_of(columns),
    }
    if items.rewards is None:
        if options.scale_rewards:
            raise InputError("There are no rewards to scale. Choose the column of rewards.")
        return Instance.from_features(arms, **words)
    instance = Instance.from_rewards(arms, items.rewards, **words)
    return instance.with_scaled_rewards() if options.scale_rewards else instance


def _check_no_rewards(header: Sequence[str], reward: str, ignore: Sequence[str]) -> None:
    """Raise InputError if the column of rewards seems to be there under another name."""
    if reward != REWARD:
        raise unknown_name("column", reward, header)
    for column in header:
        if REWARD in column.casefold() and column not in ignore:
            raise InputError(
                f'There is no column "{REWARD}", but one called {shown(column)}. Call it "{REWARD}", or choose the '
                "column of rewards."
            )


def transform(features: Floats, how: str, intercept: bool) -> Floats:
    """The features as they are, standardised, or rotated to principal components in order of variance.

    Rewards that are linear before are linear after. With an intercept, a first column of ones, constant columns are
    dropped, since the intercept replaces them, and columns that are not taken as they are are centred. Without it,
    nothing is centred or dropped.
    """
    return treated(features, (), how, intercept)[0]


def treated(features: Floats, columns: Sequence[str], how: str, intercept: bool) -> tuple[Floats, tuple[str, ...]]:
    """The features as :func:`transform` makes them, and their names, if the columns are given."""
    if how not in FEATURES:
        raise InputError(f"Unknown treatment of features {shown(how)}: it must be one of {', '.join(FEATURES)}.")
    if how == AS_IS and not intercept:
        return features, tuple(columns)
    features = as_table(features, "features")
    varies = (features != features[0]).any(axis=0)  # by the values themselves: a computed variance is rarely exactly 0
    names = (
        tuple(columns) if not intercept else tuple(each for each, kept in zip(columns, varies, strict=False) if kept)
    )
    if how == AS_IS:
        made = features[:, varies]
    elif how == STANDARDISED:
        made = _standardised(features, varies, intercept)
    else:
        made = _rotated(features, intercept)
        names = tuple(f"component {j + 1}" for j in range(made.shape[1])) if columns else ()
    if not intercept:
        return made, names
    return np.hstack([np.ones((len(features), 1)), made]), ("intercept", *names) if columns else ()


def _standardised(features: Floats, varies: NDArray[np.bool_], intercept: bool) -> Floats:
    size = np.abs(features).max(axis=0)
    unit = features / np.where(size > 0, size, 1.0)
    centred = unit - unit.mean(axis=0)
    deviation = np.where(varies, centred.std(axis=0), 1.0)
    return np.asarray((centred / deviation)[:, varies] if intercept else unit / deviation)


def _rotated(features: Floats, intercept: bool) -> Floats:
    centred = features - features.mean(axis=0)
    centred[:, (features == features[0]).all(axis=0)] = 0.0
    size = np.abs(centred).max(initial=0.0)
    triangle = np.linalg.qr(
        centred / (size or 1.0), mode="r"
    )  # first, so that the cost does not depend on the number of items
    _, values, axes = np.linalg.svd(triangle, full_matrices=True)
    largest = np.abs(axes).argmax(axis=1)
    axes *= np.sign(axes[np.arange(len(axes)), largest])[:, None]  # a sign that does not depend on LAPACK
    if intercept:
        rank = int((values > 1e-12 * values.max(initial=0.0)).sum())
        return np.asarray(centred @ axes[:rank].T)
    made = np.asarray(features @ axes.T)
    return made[:, np.abs(made).max(axis=0) > 1e-12 * np.abs(features).max()]
