"""Schedules: exponents, rounds and samples against plain loops, and W against its definition."""

import math
from decimal import Context, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import lambertw

from gems_engine.complexity import BudgetGrid, ceiling_sums, confidence_samples, validation_samples, whole_w
from gems_engine.complexity.schedule import MANY, ceiling_sum, check_base, exponent, rounds_needed
from gems_engine.errors import InputError


def test_exponent_is_exact_at_powers():
    for base in (2, 3, 4, 10):
        for i in range(30):
            assert exponent(float(base**i), base) == i
            assert exponent(base**i * (1 + 1e-12), base) == i  # a last digit does not decide
            assert exponent(base**i * (1 + 1e-8), base) == i + 1
    assert exponent(0.0) == 0
    assert exponent(1.0, 2, least=1) == 1
    assert exponent(2.0**70) == 70
    with pytest.raises(ValueError, match="finite"):
        exponent(math.inf)


def test_rounds_needed():
    assert [rounds_needed(x) for x in (2.0, 3.0, 1.0, 0.5, 0.25, 0.01)] == [1, 1, 1, 2, 3, 8]
    for k in range(1, 60):
        assert rounds_needed(2.0**-k) == k + 1
        assert rounds_needed(math.nextafter(2.0**-k, 0)) == k + 2
    with pytest.raises(ValueError, match="above 0"):
        rounds_needed(0.0)


@given(st.floats(1e-6, 2))
def test_rounds_needed_is_the_first_that_will_do(accuracy):
    n = rounds_needed(accuracy)
    assert 2.0 ** (1 - n) <= accuracy
    assert n == 1 or 2.0 ** (2 - n) > accuracy
    # ⌈log₂ log₂(2/Δ)⌉ of the fixed-budget proof is ⌈log₂ n⋆⌉.
    x = math.log2(2 / accuracy)
    if x > 1 and abs(x - round(x)) > 1e-9:
        assert exponent(n) == math.ceil(math.log2(x) - 1e-12)


# -- fixed confidence ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", [2, 4])
@pytest.mark.parametrize(("factor", "share"), [(2, 2), (8, 4)])
def test_samples_by_a_triple_loop(base, factor, share):
    ell, n, delta, zeta = (8 if base == 2 else 5), 10, 0.05, 0.25
    total = 0
    for l in range(1, ell + 1):
        delta_l = delta / (share * l**3)
        for i in range(1, l + 1):
            for k in range(1, base**i + 1):
                total += math.ceil(factor * (1 + zeta) * base ** (l - i) * math.log(n**2 * k**2 / delta_l))
    assert confidence_samples(ell, n, delta, zeta, base, factor, share) == total


def plain_sum(c, start, n):
    """Term by term with sixty digits."""
    digits = Context(prec=60)
    exact_c, exact_start, total = Decimal(c), Decimal(start), math.ceil(Fraction(c) * Fraction(start))
    for k in range(2, n + 1):
        log = digits.ln(Decimal(k))
        total += math.ceil(digits.multiply(exact_c, digits.add(exact_start, digits.add(log, log))))
    return total


@given(
    st.floats(1e-3, 1e4) | st.integers(1, 60).map(float),
    st.floats(-3.0, 30.0) | st.sampled_from([0.0, 0.5, 5.0]),
    st.integers(1, 300),
)
def test_sums_by_terms_and_by_values_are_those_of_sixty_digits(c, start, n):
    direct = plain_sum(c, start, n)
    first, last = ceiling_sums._ceiling(c, start, 1), ceiling_sums._ceiling(c, start, n)
    assert ceiling_sums._by_terms(c, start, n) == direct
    assert ceiling_sums._by_values(c, start, n, first, last) == direct
    assert ceiling_sum(c, start, n) == direct


@pytest.mark.parametrize(("c", "start"), [(20_000, 5), (4.0, 9.2), (37.3, 9.2), (1e6, 20.0)])
def test_sums_of_more_than_two_to_the_seventeen_terms(c, start):
    n = 150_000
    direct = math.ceil(Fraction(c) * Fraction(start))
    direct += sum(math.ceil(c * (start + 2 * math.log(k))) for k in range(2, n + 1))
    assert ceiling_sum(c, start, n) == direct
    if c == 20_000:
        assert direct == 80_510_693_560  # by sixty digits as well


def test_a_sum_over_more_rounds_than_a_float_can_count():
    """Each value has its last k, found by itself: ⌊exp((v/c − start)/2)⌋ with a hundred digits."""
    c, start, n = 4.0, 9.2, 4**40
    digits = Context(prec=100)
    first, last = ceiling_sums._ceiling(c, start, 1), ceiling_sums._ceiling(c, start, n)
    ends = [
        int(digits.exp(digits.divide(digits.subtract(digits.divide(v, Decimal(c)), Decimal(start)), Decimal(2))))
        for v in map(Decimal, range(first, last))
    ]
    assert ceiling_sum(c, start, n) == n * first + sum(n - k for k in ends)
    assert ceiling_sum(c, start, n) - ceiling_sum(c, start, n - 1) == last  # to the last sample of 10^26


def test_a_term_that_is_whole_is_not_rounded_up():
    assert ceiling_sum(20_000, 5, 1) == 100_000
    assert ceiling_sum(3.0, 0.1, 1) == 1
    assert ceiling_sum(0.1, 30.0, 1) == 4  # the float 0.1 is a little more than a tenth


@pytest.mark.parametrize("n", [1000, 4 * MANY, 10**8])
def test_what_is_only_bounded_says_so_and_is_close(n):
    exact = ceiling_sum(1e4, 9.2, n)
    assert ceiling_sums.ceiling_sum_at_least(1e4, 9.2, n) <= exact <= ceiling_sums.ceiling_sum_at_most(1e4, 9.2, n, 1)
    assert ceiling_sums.ceiling_sum_at_most(1e4, 9.2, n, 1) <= exact * (1 + 1e-5)
    assert ceiling_sums.ceiling_sum_at_most(1e4, 9.2, n, ceiling_sums.MOST) == float(exact)
    with pytest.raises(ValueError, match="too many"):
        ceiling_sum(1e12, 9.2, 4**40)
    assert ceiling_sums.ceiling_sum_at_most(1e12, 9.2, 4**40, MANY) > 1e12 * 9.2 * 4**40


def test_a_theorem_constant_covers_the_sum():
    # The paper's 7·log(2|𝒵|²ℓ⋆³/δ)·ℓ⋆·2^ℓ⋆ leaves out the log k² of δ_k: the sum is the larger one, by that much.
    ell, n, delta = 13, 10, 0.05
    total = confidence_samples(ell, n, delta, 0.25)
    paper = 7 * math.log(2 * n**2 * ell**3 / delta) * ell * 2**ell
    assert total <= paper * (1 + 2 * math.log(2**ell) / math.log(2 * n**2 * ell**3 / delta))


def test_validation():
    literal = sum(l * math.ceil(8 * math.log(2 / (0.1 / (4 * l**3))) / 0.3**2) for l in range(1, 8))
    assert validation_samples(7, 0.1, 0.3) == literal


# -- fixed budget ----------------------------------------------------------------------------------------------


@given(st.integers(0, 10**9))
def test_whole_w_by_brute_force(t):
    p = whole_w(t)
    assert p * 2**p <= t < (p + 1) * 2 ** (p + 1)


@given(st.floats(0.01, 1e15))
def test_whole_w_is_the_floor_of_lambert(t):
    root = float(lambertw(t * math.log(2)).real / math.log(2))
    if abs(root - round(root)) > 1e-9:
        assert whole_w(t) == math.floor(root)


def test_whole_w_is_exact_at_whole_numbers():
    for p in range(1, 60):
        assert whole_w(p * 2**p) == p
        assert whole_w(p * 2**p - 1) == p - 1
        assert whole_w(Fraction(p * 2**p * 3, 3)) == p
        assert whole_w(p * 2**p - Fraction(1, 10**9)) == p - 1


@given(st.integers(8, 10**7))
def test_grid_keeps_its_budget(budget):
    grid = BudgetGrid.of(budget)
    assert len(grid.q) == grid.p >= 1
    assert grid.q[0] >= 1
    spent = sum(q * grid.share(i) for i, q in enumerate(grid.q, 1) if q)
    assert spent <= grid.T
    log = math.log2(grid.T)
    assert grid.subroutines <= log**2
    for i, q in enumerate(grid.q, 1):
        t = Fraction(budget, 2) / grid.p / 2**i
        assert q * 2**q <= t < (q + 1) * 2 ** (q + 1)
        if q:
            assert grid.share(i) >= 2**q * 2**i  # T″ ≥ n_j·B_i: what W is for
    assert grid.share(grid.p + 1) is None


def test_what_is_refused():
    for budget in (7, 0, -8, 8.0, True, "many"):
        with pytest.raises(InputError, match="budget"):
            BudgetGrid.of(budget)
    for base in (1, 2.5, True):
        with pytest.raises(InputError, match="base"):
            check_base(base)
