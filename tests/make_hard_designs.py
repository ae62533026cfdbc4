"""Make the public set of hard designs, tests/data/hard_designs: python -m tests.make_hard_designs [FOLDER]."""

import csv
import io
import re
import sys
from fractions import Fraction
from pathlib import Path

from gems_engine.certificate_check import check_certificate
from gems_engine.files import atomic_write, write_certificate
from tests.engine.certificates import by_engine, refusal
from tests.engine.hard_problems import KINDS, SECTION_1, HardProblem, make

FOLDER = Path(__file__).parent / "data" / "hard_designs"
TOLERANCE = 1e-9
TWICE = (
    "scaled-rows",
    "scaled-columns",
    "scaled-both",
    "offset",
    "near-collinear",
    "near-duplicates",
    "independent",
    "few-arms",
    "quotients",
    "singular-optimum",
)


def problems() -> dict[str, HardProblem]:
    """All problems of the set by the names of their files."""
    fixed = {f"fixed-{_slug(name)}": hard for name, hard in SECTION_1.items()}
    drawn = {f"{kind}-{seed}": make(kind, seed) for kind in KINDS for seed in range(2 if kind in TWICE else 1)}
    return fixed | drawn


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower().replace("+", "plus")).strip("-")


def _shown(optimum: Fraction | None) -> str:
    return "" if optimum is None else str(optimum) if optimum.denominator == 1 else repr(float(optimum))


def write(folder: Path) -> None:
    """One certificate each, checked twice before it is written, and index.csv with the bounds."""
    rows = []
    for name, hard in problems().items():
        problem = hard.problem()
        certificate = by_engine(problem, TOLERANCE)
        path = folder / f"{name}.json"
        write_certificate(path, certificate)
        assert check_certificate(certificate).holds, name
        assert refusal(path.read_bytes()) is None, name
        size = [len(certificate.arms), certificate.arms.shape[1]]
        rows.append(
            [
                name,
                *size,
                repr(certificate.lower_bound),
                repr(certificate.upper_bound),
                _shown(hard.closed_form(problem)),
                certificate.status,
                certificate.proof,
            ]
        )
        print(*rows[-1])
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["name", "arms", "d", "lower_bound", "upper_bound", "closed_form", "status", "proof"])
    writer.writerows(rows)
    atomic_write(folder / "index.csv", text.getvalue().encode())


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
