"""Certificates of designs as JSON: the exact problem, the weights, the dual and both bounds, in hexadecimal floats."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gems_engine.arrays import Floats, frozen
from gems_engine.errors import InputError, quoted
from gems_engine.features import MAX_ENTRIES, check_size
from gems_engine.formats.json_format import parse_json
from gems_engine.parameters import shown, unknown_name

if TYPE_CHECKING:
    from gems_engine.design import Design, DesignProblem

FORMAT = "gems-design-certificate/1"
_TABLES = ("arms", "targets", "plus", "minus", "divisors")
_NUMBERS = ("lower_bound", "upper_bound", "value", "tolerance")
_WORDS = ("status", "proof", "solver")
_FIELDS = ("format", "dimension", "arms_sha256", *_TABLES, "merged", "weights", "basis", "dual", *_NUMBERS, *_WORDS)
_MOST_LETTERS = 200

Pair = tuple[int, int]


@dataclass(frozen=True, eq=False)
class DesignCertificate:
    """A design with everything that its proof needs.

    Attributes
    ----------
    arms
        One row per arm.
    targets
        Rows whose differences are the directions; None if the next three give the directions.
    plus, minus, divisors
        Direction i is exactly (plus_i − minus_i) / (divisors_i1 + divisors_i2); None if there are targets.
    merged
        Targets that count as equal to another one: (target, its representative).
    weights
        λ, one entry per arm.
    basis
        Arms b_1 … b_r, or None; with a basis u is given by its products with these arms.
    directions, w, u
        The dual: pairs of targets, or rows; their weights; a vector for each.
    lower_bound, upper_bound
        Bounds on the optimum, and of the value of the weights.
    value
        The value of the weights, as computed; no proof depends on it.
    tolerance, status, proof, solver
        The requested tolerance, the claim, and how it was found.
    """

    arms: Floats
    targets: Floats | None
    plus: Floats | None
    minus: Floats | None
    divisors: Floats | None
    merged: tuple[Pair, ...]
    weights: Floats
    basis: tuple[int, ...] | None
    directions: tuple[Pair, ...] | tuple[int, ...]
    w: Floats
    u: Floats
    lower_bound: float
    upper_bound: float
    value: float
    tolerance: float
    status: str
    proof: str
    solver: str
    arms_sha256: str = ""

    def __post_init__(self) -> None:
        if not self.arms_sha256:
            object.__setattr__(self, "arms_sha256", arms_digest(self.arms))

    @property
    def digest_holds(self) -> bool:
        """Whether the arms match the digest."""
        return self.arms_sha256 == arms_digest(self.arms)


def arms_digest(arms: Floats) -> str:
    """SHA-256 of the arms' hexadecimal numbers, separated by spaces in a row and by line feeds between rows."""
    text = "\n".join(" ".join(map(float.hex, row)) for row in arms.tolist())
    return hashlib.sha256(text.encode()).hexdigest()


def certificate_of(problem: DesignProblem, design: Design) -> DesignCertificate:
    """The certificate of a design, ready to be written."""
    if not math.isfinite(design.upper_bound):
        raise InputError("The value of these weights is not proven to be finite, so there is nothing to certify.")
    dual = design.dual
    return DesignCertificate(
        problem.arms,
        problem.targets,
        *_quotients(problem),
        _merged(problem),
        design.weights,
        None if dual.basis is None else tuple(int(b) for b in dual.basis),
        dual.keys,
        dual.weights,
        dual.vectors,
        design.lower_bound,
        design.upper_bound,
        design.value,
        design.tolerance,
        design.status,
        design.proof,
        design.solver,
    )


def _quotients(problem: DesignProblem) -> tuple[Floats | None, Floats | None, Floats | None]:
    if problem.targets is not None:
        return None, None, None
    if problem.plus is not None:
        return problem.plus, problem.minus, problem.divisors
    rows = problem.directions
    assert rows is not None
    return rows, np.zeros_like(rows), np.tile([1.0, 0.0], (len(rows), 1))


def _merged(problem: DesignProblem) -> tuple[Pair, ...]:
    if problem.targets is None:
        return ()
    kept, place = problem.geometry.kept, problem.geometry.place
    first = kept[place]
    return tuple((int(i), int(first[i])) for i in np.flatnonzero(first != np.arange(len(first))))


def to_json(certificate: DesignCertificate) -> bytes:
    """The bytes of the file, with one row of a table per line."""
    fields = {"format": json.dumps(FORMAT), "dimension": str(certificate.arms.shape[1])}
    fields["arms_sha256"] = json.dumps(certificate.arms_sha256)
    for name in _TABLES:
        rows = getattr(certificate, name)
        fields[name] = "null" if rows is None else _rows(rows)
    if fields["targets"] == fields["arms"]:
        fields["targets"] = '"arms"'
    fields["merged"] = json.dumps(certificate.merged)
    fields["weights"] = json.dumps(_hex(certificate.weights.tolist()))
    fields["basis"] = json.dumps(certificate.basis)
    fields["dual"] = _dual(certificate)
    fields |= {name: json.dumps(_hex([getattr(certificate, name)])[0]) for name in _NUMBERS}
    fields |= {name: json.dumps(getattr(certificate, name), ensure_ascii=False) for name in _WORDS}
    lines = [f"  {json.dumps(name)}: {text}" for name, text in fields.items()]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _hex(values: Iterable[float]) -> list[str]:
    return [float(value).hex() for value in values]


def _rows(table: Floats, indent: int = 4) -> str:
    lines = ",\n".join(" " * indent + json.dumps(_hex(row)) for row in table.tolist())
    return f"[\n{lines}\n{' ' * (indent - 2)}]" if lines else "[]"


def _dual(certificate: DesignCertificate) -> str:
    directions = json.dumps(certificate.directions)
    w = json.dumps(_hex(certificate.w.tolist()))
    u = _rows(certificate.u, 6)
    return f'{{\n    "directions": {directions},\n    "w": {w},\n    "u": {u}\n  }}'


def from_json(data: bytes) -> DesignCertificate:
    """The certificate in the bytes of a file; it is not checked here."""
    said = parse_json(data)
    if not isinstance(said, dict) or said.get("format") != FORMAT:
        raise InputError(f"The file is not a certificate of a design: its field format must be {quoted(FORMAT)}.")
    _check_names(said, _FIELDS)
    d = _index(said["dimension"], "dimension", MAX_ENTRIES + 1)
    if d == 0 or said["basis"] == []:
        raise InputError("The dimension is 0 or the basis has no arm, which no design has.")
    arms = _table(said["arms"], "arms", d)
    targets, plus, minus, divisors = _directions(said, d, arms)
    count = len(plus if targets is None else targets)  # type: ignore[arg-type]
    basis = None if said["basis"] is None else _indices(said["basis"], "basis", len(arms))
    _check_names(_as(dict, said["dual"], "dual"), ("directions", "w", "u"))
    of_dual = _as(list, said["dual"]["directions"], "dual.directions")
    claims: dict[str, Any] = {name: _number(said[name], name) for name in _NUMBERS}
    claims |= {name: _text(said[name], name) for name in (*_WORDS, "arms_sha256")}
    return DesignCertificate(
        arms,
        targets,
        plus,
        minus,
        divisors,
        _pairs(said["merged"], "merged", count if targets is not None else 0),
        _numbers(said["weights"], "weights", len(arms)),
        basis,
        _indices(of_dual, "dual.directions", count) if targets is None else _pairs(of_dual, "dual.directions", count),
        _numbers(said["dual"]["w"], "dual.w", len(of_dual)),
        _table(said["dual"]["u"], "dual.u", d if basis is None else len(basis), len(of_dual)),
        **claims,
    )


def _directions(said: dict[str, Any], d: int, arms: Floats) -> tuple[Floats | None, ...]:
    """Targets, plus, minus, divisors: either the first or the other three are None."""
    if said["targets"] is None:
        plus = _table(said["plus"], "plus", d)
        return (
            None,
            plus,
            _table(said["minus"], "minus", d, len(plus)),
            _table(said["divisors"], "divisors", 2, len(plus)),
        )
    if any(said[name] is not None for name in ("plus", "minus", "divisors")):
        raise InputError("There are targets, so plus, minus and divisors must be null.")
    return arms if said["targets"] == "arms" else _table(said["targets"], "targets", d), None, None, None


def _check_names(said: dict[str, Any], known: Sequence[str]) -> None:
    for name in said:
        if name not in known:
            raise unknown_name("field", name, known)
    for name in known:
        if name not in said:
            raise InputError(f"The field {name} is missing.")


def _as(kind: type, value: Any, field: str) -> Any:
    if type(value) is not kind:
        raise InputError(f"{field} is {shown(value)}: it must be {'a list' if kind is list else 'an object'}.")
    return value


def _number(value: Any, field: str) -> float:
    try:
        found = float.fromhex(value)
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if not math.isfinite(found) or found.hex() != value:
        raise InputError(f"{field} is {shown(value)}: it must be a finite number as written by Python's float.hex.")
    return found


def _numbers(value: Any, field: str, length: int) -> Floats:
    if len(_as(list, value, field)) != length:
        raise InputError(f"{field} has {len(value)} entries: it must have {length}.")
    return frozen([_number(each, f"{field}[{i}]") for i, each in enumerate(value)])


def _table(value: Any, field: str, width: int, height: int | None = None) -> Floats:
    height = len(_as(list, value, field)) if height is None else height
    if len(_as(list, value, field)) != height or (height == 0 and not field.startswith("dual")):
        raise InputError(f"{field} has {len(value)} rows: it must have {height or 'at least one'}.")
    check_size(height, width, field)
    rows = [_numbers(row, f"{field}[{i}]", width) for i, row in enumerate(value)]
    return frozen(np.reshape(rows, (height, width)))


def _index(value: Any, field: str, most: int) -> int:
    if type(value) is not int or not 0 <= value < most:
        raise InputError(f"{field} is {shown(value)}: it must be a whole number from 0 to {most - 1}.")
    return value


def _indices(value: Any, field: str, most: int) -> tuple[int, ...]:
    return tuple(_index(each, f"{field}[{i}]", most) for i, each in enumerate(_as(list, value, field)))


def _pairs(value: Any, field: str, most: int) -> tuple[Pair, ...]:
    found = [_indices(each, f"{field}[{i}]", most) for i, each in enumerate(_as(list, value, field))]
    for i, pair in enumerate(found):
        if len(pair) != 2:
            raise InputError(f"{field}[{i}] has {len(pair)} entries: it must have 2.")
    return tuple((pair[0], pair[1]) for pair in found)


def _text(value: Any, field: str) -> str:
    if not isinstance(value, str) or len(value) > _MOST_LETTERS or not value.isprintable():
        raise InputError(f"{field} is {shown(value)}: it must be a text of at most {_MOST_LETTERS} characters.")
    return value
