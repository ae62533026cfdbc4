"""The public set of hard designs: every enclosure holds, is narrow, and is of the problem that its name says."""

import csv
from fractions import Fraction

import numpy as np
import pytest

from gems_engine.certificate_check import check_certificate
from gems_engine.files import read_certificate
from tests.engine.certificates import refusal
from tests.make_hard_designs import FOLDER, problems

PROBLEMS = problems()


def test_the_set_has_about_forty_problems():
    assert 36 <= len(PROBLEMS) <= 60


def test_the_folder_and_its_index_hold_what_the_script_makes():
    assert {path.stem for path in FOLDER.glob("*.json")} == set(PROBLEMS)
    with open(FOLDER / "index.csv", encoding="utf-8", newline="") as stream:
        rows = {row["name"]: row for row in csv.DictReader(stream)}
    assert set(rows) == set(PROBLEMS)
    for name, row in rows.items():
        certificate = read_certificate(FOLDER / f"{name}.json")
        assert (float(row["lower_bound"]), float(row["upper_bound"])) == (
            certificate.lower_bound,
            certificate.upper_bound,
        )
        assert (row["status"], row["proof"]) == (certificate.status, certificate.proof)


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_enclosure_holds_and_is_narrow(name):
    path, hard = FOLDER / f"{name}.json", PROBLEMS[name]
    assert refusal(path.read_bytes()) is None
    certificate = read_certificate(path)
    assert check_certificate(certificate).holds
    lower, upper = Fraction(certificate.lower_bound), Fraction(certificate.upper_bound)
    assert upper <= lower * (1 + Fraction(1, 10**6))
    optimum = hard.closed_form(hard.problem())
    assert optimum is None or lower <= optimum <= upper
    # Random normal numbers may differ in their last bit between platforms' libraries; the files are what counts.
    np.testing.assert_allclose(certificate.arms, hard.arms, rtol=1e-12, atol=1e-12)
