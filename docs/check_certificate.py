"""Check a certificate of an XY-optimal design in exact rational arithmetic: python check_certificate.py FILE.

All numbers are doubles, so arms x and directions y in R^d are rational vectors. A design has a weight λ_x ≥ 0 for every
arm, not all 0. With A = Σ λ_x x xᵀ its value is V(λ) = Σ_x λ_x · max_y yᵀs, where A s = y (y must be in the range of
A). The optimum is the least V. The directions are all differences of two targets that are not merged; where "targets"
is null, they are (plus_i − minus_i) / (divisors_i1 + divisors_i2). [i, k] in "merged" says that k represents i: in
every column they differ by at most 1.001e-12 of the largest |entry| (1e-12, and rounding). Claims: (1) V(weights) ≤
upper_bound. (2) lower_bound ≤ optimum, because the optimum is ≥ (Σ w_y yᵀu_y)² / (Σ w_y · max_x Σ w_y (xᵀu_y)²) for all
w_y ≥ 0 and all u_y (Cauchy–Schwarz, twice); "dual" lists y, w, u. If "basis" lists arms b_1 … b_r, then u_y is a vector
with b_jᵀu_y = u_j: these arms must be independent and span everything. (3) Status "certified": value ≤ (1 + tolerance)
· bound of (2), and upper_bound / lower_bound − 1 ≤ tolerance in doubles; "exact": value and bound are equal, and the
stated ones up to rounding; "trivial": all are 0; any other status claims nothing. (4) arms_sha256 is the SHA-256 of
the arms' texts, joined by one space within a row and by one line feed between rows. The other fields are not used.
"""

import hashlib
import json
import sys
from fractions import Fraction
from operator import mul, sub


def require(condition, otherwise):
    if not condition:
        raise ValueError(otherwise)


def table(rows, height, width):  # every number is a text, exactly as float.hex writes it; Fraction refuses inf and nan
    require(len(rows) == height and all(len(row) == width for row in rows), f"a table is not {height} × {width}")
    numbers = [[float.fromhex(text) for text in row] for row in rows]
    require([[x.hex() for x in row] for row in numbers] == rows, "a number is not as float.hex writes it")
    return numbers


def integers(*tables):  # times a power of two: arms with directions, λ, w with u; V and the bound of (2) stay the same
    power = max((x.as_integer_ratio()[1] for rows in tables for row in rows for x in row), default=1)
    return [[[int(Fraction(x) * power) for x in row] for row in rows] for rows in tables]


def dot(a, b):
    return sum(map(mul, a, b))


def solve(matrix, rights):  # integer vectors s, an integer m ≠ 0, the rank: matrix · s = m · right, which is checked
    rows = [[*row, *(right[i] for right in rights)] for i, row in enumerate(matrix)]
    width, place, m = len(matrix[0]), {}, 1  # the row of every column with a pivot, and the last pivot
    for k in range(width):  # Gauss–Jordan elimination without fractions (Bareiss): the division by m leaves no rest
        n = len(place)
        if top := next((row for row in rows[n:] if row[k]), None):
            rest = [[(top[k] * a - r[k] * b) // m for a, b in zip(r, top)] for r in rows if r is not top]
            rows, m, place[k] = [*rest[:n], top, *rest[n:]], top[k], n
    answers = [[rows[place[k]][width + j] if k in place else 0 for k in range(width)] for j in range(len(rights))]
    for s, right in zip(answers, rights):
        require(
            all(dot(row, s) == m * b for row, b in zip(matrix, right)), "a direction is outside the span of the arms"
        )
    return answers, m, len(place)


def read_problem(c):  # arms, points, and every direction as (i, j, q): it is (points[i] − points[j]) / q
    d, arms = c["dimension"], table(c["arms"], len(c["arms"]), c["dimension"])
    digest = hashlib.sha256("\n".join(map(" ".join, c["arms"])).encode()).hexdigest()
    require(digest == c["arms_sha256"], "the arms are not those of arms_sha256")
    if c["targets"] is None:
        n, q = len(c["plus"]), [sum(map(Fraction, row)) for row in table(c["divisors"], len(c["plus"]), 2)]
        arms, plus, minus = integers(arms, table(c["plus"], n, d), table(c["minus"], n, d))
        return arms, [*([*map(sub, *y)] for y in zip(plus, minus)), [0] * d], {i: (i, n, q[i]) for i in range(n)}
    targets = arms if c["targets"] == "arms" else table(c["targets"], len(c["targets"]), d)
    kept = sorted(set(range(len(targets))) - {i for i, _ in c["merged"]})
    for i, k in c["merged"]:
        require(i < len(targets) and k in kept, "a merged target, or the one that represents it, is not there")
        for z in zip(*(map(Fraction, row) for row in targets)):
            require(abs(z[i] - z[k]) * 10**15 <= 1001 * max(map(abs, z)), f"targets {i} and {k} are merged but differ")
    arms, targets = integers(arms, targets)
    points = [[*map(sub, z, targets[kept[0]])] if i in kept else [0] * d for i, z in enumerate(targets)]
    return arms, points, {(i, j): (i, j, Fraction(1)) for i in kept for j in kept}


def check(text):
    c = json.loads(text, object_pairs_hook=lambda p: require(len(dict(p)) == len(p), "a field occurs twice") or dict(p))
    every = [*c["merged"], *c["dual"]["directions"], c["basis"] or [], c["dimension"]]
    ok = all(type(i) is int and i >= 0 for y in every for i in (y if type(y) is list else [y]))
    ok = ok and (len(c), len(c["dual"]), c["format"]) == (19, 3, "gems-design-certificate/1") and c["basis"] != []
    ok = ok and {c[name] is None for name in ("plus", "minus", "divisors")} == {c["targets"] is not None}
    ok = ok and all(type(c[n]) is str and c[n].isprintable() and len(c[n]) < 201 for n in ("status", "proof", "solver"))
    require(ok and (c["targets"] or not c["merged"]), "a field is unknown or not as it must be")
    arms, points, directions = read_problem(c)
    [weights], _ = integers(table([c["weights"]], 1, len(arms)), table([[c["value"]]], 1, 1))
    require(min(weights) >= 0 < max(weights), "a weight is negative, or all are 0")
    s, m, _ = solve([[dot(map(mul, weights, a), b) for b in zip(*arms)] for a in zip(*arms)], points)
    g = [[dot(p, t) for t in s] for p in points]
    value = sum(weights) * max((g[i][i] - g[i][j] - g[j][i] + g[j][j]) / (m * q**2) for i, j, q in directions.values())
    if c["basis"] is not None:  # coordinates in the basis, times m: that multiplies every product below by m
        found, _, rank = solve([*zip(*(arms[b] for b in c["basis"]))], arms + points)
        require(rank == len(c["basis"]), "the arms of the basis are not independent")
        arms, points = found[: len(arms)], found[len(arms) :]
    ys = [directions.get(y if c["targets"] is None else tuple(y)) for y in c["dual"]["directions"]]
    require(None not in ys, "the dual uses a direction that is not there")
    [w], u = integers(table([c["dual"]["w"]], 1, len(ys)), table(c["dual"]["u"], len(ys), len(arms[0])))
    require(all(each >= 0 for each in w), "a w is negative")
    yu = [(dot(points[i], v) - dot(points[j], v)) / q for v, (i, j, q) in zip(u, ys)]
    most = sum(w) * max(dot(w, (dot(x, v) ** 2 for v in u)) for x in arms)
    bound = Fraction(dot(w, yu)) ** 2 / most if most else Fraction(0)
    lower, upper, tolerance = map(Fraction, table([[c["lower_bound"], c["upper_bound"], c["tolerance"]]], 1, 3)[0])
    require(value <= upper, "the weights have a value above upper_bound")
    require(bound >= lower, "the dual proves less than lower_bound")
    gap = float(upper) / float(lower) - 1 if lower > 0 else 0 if upper == lower == 0 else float("inf")
    certified = value <= (1 + tolerance) * bound and gap <= tolerance
    claims = {"certified": certified, "exact": value == bound and gap <= 2**-51, "trivial": upper == lower == 0}
    require(claims.get(c["status"], True), f"the bounds do not show that the design is {c['status']}")
    status = c["status"] if c["status"] in claims else "not certified"
    return f"optimum ≥ {float(lower)!r}, value ≤ {float(upper)!r}, {status} (tolerance {float(tolerance)!r})"


if __name__ == "__main__":
    try:
        with open(sys.argv[1], encoding="utf-8") as file:
            print(f"It holds in exact arithmetic: {check(file.read())}.")
    except Exception as error:
        sys.exit(f"Refused: {error if isinstance(error, OSError | ValueError) else 'a field is not as it must be'}.")
