"""The paper in ten pictures: its commands are the ones that made its pictures, and its numbers are computed again.

After a change that is meant to be seen, make the pictures again and look at what changed:

    python -m tests.gui.test_ten_pictures --renew
"""

from __future__ import annotations

import csv
import os
import sys
from math import floor, log, sqrt

if __name__ == "__main__":  # before anything else knows of a screen
    os.environ["QT_QPA_PLATFORM"] = "offscreen"

import numpy as np
import pytest

from gems_engine import complexities, instances, read_run, summarise
from tests.gui.test_gallery import PicturePage

PAGE = PicturePage("paper-in-ten-pictures.md", "ten-pictures")


def says(number: int, *words: str) -> None:
    """Check that a section of the page has these words, whatever its line breaks."""
    section = " ".join(PAGE.text.partition(f"\n## {number} · ")[2].partition("\n## ")[0].split())
    for each in words:
        assert each in section, each


def spaced(count: float) -> str:
    return f"{count:,.0f}".replace(",", " ") if count >= 10_000 else f"{count:.0f}"


def at(trace, kind, **place):
    """The only event of a kind at a place of a run."""
    (found,) = (e for e in trace if e.kind == kind and all(getattr(e.place, key) == n for key, n in place.items()))
    return found


def test_the_page_has_ten_pictures_and_their_commands():
    assert len(PAGE.pictures) == 10
    assert [line.split()[-1] for line in PAGE.renders] == PAGE.pictures
    assert all("--style paper" in line for line in PAGE.renders)
    assert sorted(each.name for each in PAGE.folder.iterdir()) == sorted(PAGE.pictures)
    headings = [line for line in PAGE.text.splitlines() if line.startswith("## ")]
    assert [int(line[3:].partition(" ")[0]) for line in headings[:-1]] == list(range(1, 11))


def test_the_commands_make_the_pictures_and_the_numbers(qapp, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")  # rendering sets it: the fixture puts it back
    PAGE.make()
    PAGE.check(tmp_path)
    runs = {path.stem: read_run(path) for path in tmp_path.glob("*.gems")}
    check_problem(runs["wide"].instance, runs["hard"].instance)
    check_round(runs["call"])
    check_loop(runs["hard"])
    check_budget(runs["budget"])
    check_misspecification(runs["wrong"])
    check_verifiability(runs["early"])
    with open(tmp_path / "table" / "results.csv", encoding="utf-8") as file:
        check_table(list(csv.DictReader(file)))


def check_problem(wide, hard):
    assert wide.arms[8, 8:].tolist() == [1.0, 0.0]
    assert wide.arms[9, 8:].tolist() == pytest.approx([0.8, 1.0])
    assert np.all(wide.arms[:8, 8:] == 0.0)
    assert wide.rewards.tolist() == pytest.approx([0.0] * 8 + [1.0, 0.8])
    says(1, "d⋆ = 9, D = 10", "ε = 0.2", "x_10 = (1 − ε) e_9 + e_10 with reward 0.8")
    rows = {row.d: row for row in complexities(hard).dimensions}
    nine, ten = rows[9].rho_star, rows[10].rho_star
    assert nine.lower_bound <= (1 + sqrt(8)) ** 2 <= nine.value * (1 + 1e-9)
    assert 3.99 < ten.value * 1e-8 < 4.01
    says(2, f"ρ⋆_9 = {nine.value:.2f}", f"ρ⋆_10 = {ten.value / 1e8:.1f} · 10⁸")
    says(2, f"{ten.value / nine.value / 1e6:.0f} million times as hard")
    says(2, f"ι⋆_9 = {rows[9].iota_star.value:.2f} and ι⋆_10 = {rows[10].iota_star.value:.0f}")
    assert [rows[d].gamma_tilde for d in range(1, 9)] == pytest.approx([1.0] * 8)
    says(9, f"(section 3): {nine.value * log(1 / (2.4 * 0.05)):.0f} on the hard instance with δ = 0.05")
    says(9, f"{ten.value * log(1 / (2.4 * 0.05)) / 1e6:.0f} million")


def check_round(call):
    assert (call.instance.D, call.instance.d_star, len(call.instance.arms)) == (5, 2, 8)
    design, pulls = at(call, "design solved", k=2), at(call, "allocated", k=2)
    probe = next(e for e in call if e.kind == "dimension probed" and e.place.k == 2 and e.d == 5)
    assert (design.d, probe.verdict) == (4, "too dear")
    says(3, f"d = 4 costs {design.cost:.1f} and fits", f"d = 5 costs more than {floor(16 * probe.lower)} and does not")
    assert len(design.support) == 5
    both = sum(weight for arm, weight in zip(design.support, design.weights, strict=True) if arm in (0, 4))
    says(4, f"arms 0 and 4 get {both:.0%}".replace("%", " %"), f"ι = {design.value:.4f}")
    assert design.upper_bound - design.lower_bound <= 1e-6 * design.value
    assert pulls.factor < 1.001
    says(4, f"{pulls.counts.sum()} whole pulls")
    out = at(call, "eliminated", k=2)
    assert (out.targets.tolist(), out.left) == ([0, 4], 2)
    for arm, gap, width in zip(out.targets, out.gaps, out.widths, strict=True):
        assert (
            f"rm {arm} is behind by {gap:.3f}" in " ".join(PAGE.text.split()) or f"arm {arm} by {gap:.3f}" in PAGE.text
        )
        says(5, f"{gap:.3f} with a width of {width:.3f}")


def check_loop(hard):
    assert [e.target for e in hard if e.kind == "recommended" and e.place.ell < 5] == [0]
    first = [e for e in hard if (e.place.ell, e.place.i) == (5, 1)]
    (start,) = (e for e in first if e.kind == "subroutine started")
    says(6, f"In loop 5, n = {start.rounds} and B = {start.selection_budget:.0f}")
    designs = [e for e in first if e.kind == "design solved"]
    assert [e.d for e in designs] == [10, 10, 10, 9]
    assert designs[2].value == pytest.approx(4.0)
    says(6, f"R¹⁰ would cost 2⁸ · 4 = {2**8 * 4} and R⁹ only {designs[3].cost:.0f}")
    pulls = [e for e in first if e.kind == "allocated"][-1]
    assert pulls.arms.tolist() == [8]
    tau = summarise(hard).tau
    says(6, f"{pulls.counts.sum()} pulls of x_9 alone", f"recommends x_9 from sample {spaced(tau)} on")


def check_budget(budget):
    calls = [e for e in budget if e.kind == "subroutine started"]
    rows = {e.place.ell for e in calls}
    assert len(rows) == max(p for p in range(1, 20) if p * 2**p <= 10_000) == 9
    says(7, f"{len(calls)} calls in {len(rows)} rows", "p = 9 is the largest")
    (validated,) = (e for e in budget if e.kind == "validated")
    says(7, f"name {len(validated.targets)} different arms", f"pulls each of them {validated.pulls} times")
    assert validated.targets[validated.means.argmax()] == 8
    says(7, f"takes {spaced(budget.finished.samples)} samples")


def check_misspecification(wrong):
    rows = complexities(wrong.instance).dimensions
    says(8, f"from {rows[0].gamma_tilde:.3f} in R¹ to {rows[-1].gamma_tilde:.4f} in R¹⁰ for these 40 arms")
    says(8, f"from {rows[0].rho_star.value:.0f} to {rows[-1].rho_star.value:.0f}")
    assert np.all(np.diff([row.gamma_tilde for row in rows]) <= 0)
    assert len(wrong.instance.arms) == 40
    found = summarise(wrong)
    assert found.recommendation == wrong.instance.rewards.argmax() == 8
    says(8, f"recommends arm 8, the best of all, from sample {spaced(found.tau)} on")


def check_verifiability(early):
    designs = [(e.d, e.place) for e in early if e.kind == "design solved"]
    first = next(place for d, place in designs if d == 10)
    told = [e for e in early if e.kind == "recommended"]
    assert {e.target for e in told if e.place.ell < first.ell} == {0}
    assert {e.target for e in told if e.place.ell >= first.ell} == {9}
    says(9, f"ends at sample {spaced(summarise(early).tau)}")
    other = instances.make("verifiability", D=10, case=1)
    assert other.theta.tolist() == [1.0, *[0.0] * 9]
    assert early.instance.theta.tolist() == [1.0, *[0.0] * 8, 2.0]


def check_table(rows):
    def column(label, name):
        found = {
            e: [r[name] for r in rows if (r["label"], float(r["instance_epsilon"])) == (label, e)] for e in epsilons
        }
        assert all(len(each) == 30 for each in found.values())
        return found

    epsilons = [1e-2, 1e-3, 1e-4, 1e-5]
    right = {name: [each.count("true") for each in column(name, "success").values()] for name in ("GEMS", "RAGE")}
    assert right["GEMS"] == [30] * 4
    *most, last = right["RAGE"]
    says(10, "30 of 30 trials for each ε", f"{', '.join(map(str, most))} and {last} of 30")
    ours, theirs = column("GEMS", "tau"), column("RAGE", "tau")
    first = sum(float(b) < float(a) for a, b in zip(ours[1e-2], theirs[1e-2], strict=True))
    says(10, f"settles before GEMS in {first} of 30 trials")
    medians = {spaced(float(np.median([float(each) for each in found]))) for found in ours.values()}
    says(10, *(f"median τ of GEMS is {each} for each ε" for each in medians))


if __name__ == "__main__" and "--renew" in sys.argv:
    PAGE.renew()
