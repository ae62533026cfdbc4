"""Certificates of designs: what holds is accepted and what does not is refused, by both checkers."""

import copy
import json
import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from gems_engine.certificate_check import check_certificate
from gems_engine.design import DesignProblem
from gems_engine.errors import InputError
from gems_engine.formats.certificate_format import arms_digest, certificate_of, from_json, to_json
from gems_engine.gallery import make as make_instance
from tests.engine.certificates import (
    as_dict,
    by_engine,
    by_hand,
    fake_design,
    listed,
    problem_of,
    refusal,
)
from tests.engine.exact import exact_lower, exact_value
from tests.engine.hard_problems import KINDS, SECTION_1, HardProblem, make
from tests.engine.problems import sphere_arms
from tests.engine.small_settings import SMALL_FAMILIES

SPHERE = HardProblem("sphere", sphere_arms(8, 3), targets=sphere_arms(8, 3))
SINGULAR = HardProblem("singular", np.array([[1.0, 0.0], [2.0, 10.0]]), directions=np.array([[1.0, 0.0], [0.0, 0.0]]))
MILD = ["gaussian", "duplicates", "lattice", "transductive", "listed", "quotients", "singular-optimum", "one-hot"]


def accepted(text):
    """Whether it holds; both checkers must agree. A file that is no certificate at all is not accepted either."""
    against = refusal(text)
    try:
        verdict = check_certificate(from_json(text if isinstance(text, bytes) else text.encode())).holds
    except InputError:
        verdict = False
    assert verdict == (against is None), against
    return verdict


def written(said):
    return json.dumps(said).encode()


def truth(text):
    """Whether the claims of a certificate are true, by the reference arithmetic of the tests."""
    certificate = from_json(text)
    problem = _reference_problem(certificate)
    dual = SimpleNamespace(
        keys=certificate.directions, weights=certificate.w, vectors=certificate.u, basis=certificate.basis
    )
    value, bound = exact_value(problem, certificate.weights), exact_lower(problem, dual)
    if value is None or value > Fraction(certificate.upper_bound) or bound < Fraction(certificate.lower_bound):
        return False
    within = value <= (1 + Fraction(certificate.tolerance)) * bound
    return {"certified": within, "exact": value == bound, "trivial": value == 0}.get(certificate.status, True)


def _reference_problem(certificate):
    if certificate.targets is not None:
        return DesignProblem(certificate.arms, targets=certificate.targets)
    return listed(certificate.arms, None, certificate.plus, certificate.minus, certificate.divisors)


# -- honest ones ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", MILD)
def test_honest_certificates_hold(kind):
    for seed in range(2):
        data = to_json(by_hand(make(kind, seed)))
        assert accepted(data)
        assert truth(data)
        assert to_json(from_json(data)) == data


def test_one_with_a_basis_holds():
    data = to_json(by_hand(SPHERE, basis=(5, 0, 2)))
    assert accepted(data)
    assert from_json(data).status == "certified"


def test_a_trivial_one_holds_and_claims_no_more_than_zero():
    problem = DesignProblem(np.eye(2), targets=[[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]])
    design = fake_design(problem, [0.5, 0.5], (), np.empty(0), np.empty((0, 2)), status="trivial")
    said = as_dict(certificate_of(problem, design))
    assert said["merged"] == [[1, 0], [2, 0]]
    assert accepted(written(said))
    assert not accepted(written(said | {"lower_bound": (5e-324).hex()}))


def test_a_singular_optimum_holds_with_its_exact_status():
    problem = problem_of(SINGULAR)
    design = fake_design(problem, [1.0, 0.0], (0,), [1.0], [[1.0, -0.2]], status="exact")
    said = as_dict(certificate_of(problem, design))
    assert (said["lower_bound"], said["upper_bound"]) == ((1.0).hex(), (1.0).hex())
    assert accepted(written(said))
    said["dual"]["u"] = [[(1.0).hex(), (-0.1).hex()]]  # still a bound, but xᵀu is 1 for both arms no more
    said["status"] = "certified"
    assert accepted(written(said))
    said["dual"]["u"] = [[(1.0).hex(), (0.0).hex()]]
    assert not accepted(written(said))


@pytest.mark.parametrize("family", SMALL_FAMILIES)
def test_the_engine_certifies_every_family(family):
    instance = make_instance(family, **SMALL_FAMILIES[family])
    few = slice(None, None, 1 + len(instance.arms) // 60)  # exact arithmetic takes long
    for d in {1, 2, 1 + instance.D // 2, instance.D}:
        problem = DesignProblem(instance.arms[few, :d], targets=instance.targets[few, :d])
        certificate = by_engine(problem)
        assert certificate.status in ("certified", "exact", "trivial")
        assert accepted(to_json(certificate))


@pytest.mark.parametrize("name", SECTION_1)
def test_the_engine_certifies_every_case_that_was_wrong_before(name):
    certificate = by_engine(SECTION_1[name].problem())
    assert certificate.status in ("certified", "exact")
    assert accepted(to_json(certificate))


@pytest.mark.parametrize("kind", KINDS)
def test_the_engine_writes_certificates_that_hold_for_every_kind_of_problem(kind):
    assert accepted(to_json(by_engine(make(kind, 0).problem())))


# -- tampered ones ----------------------------------------------------------------------------------------------

HONEST = as_dict(by_hand(SPHERE))
DIRECTED = as_dict(by_hand(make("quotients", 1)))
STEPS = [2.0**-k for k in range(1, 52, 6)]


def scaled(text, factor):
    return (float.fromhex(text) * factor).hex()


def test_a_weight_is_refused_as_soon_as_the_value_crosses_the_bound():
    verdicts = set()
    for arm in range(8):
        for step in STEPS:
            said = copy.deepcopy(HONEST)
            said["weights"][arm] = scaled(said["weights"][arm], 1 + step)
            data = written(said)
            verdict = accepted(data)
            assert verdict == truth(data)
            verdicts.add(verdict)
    assert verdicts == {True, False}


@pytest.mark.parametrize("said", [HONEST, DIRECTED], ids=["pairs", "quotients"])
def test_a_dual_is_refused_as_soon_as_it_proves_less(said):
    verdicts = set()
    for entry in range(len(said["dual"]["w"])):
        for step in STEPS:
            for field in ("w", "u"):
                changed = copy.deepcopy(said)
                numbers = changed["dual"][field][entry] if field == "u" else changed["dual"]["w"]
                at = 0 if field == "u" else entry
                numbers[at] = scaled(numbers[at], 1 - step)
                data = written(changed)
                verdict = accepted(data)
                assert verdict == truth(data)
                verdicts.add(verdict)
    assert verdicts == {True, False}


def test_a_bound_is_refused_by_the_last_bit_and_accepted_when_looser():
    for field, tighter in (("lower_bound", math.inf), ("upper_bound", -math.inf)):
        stated = float.fromhex(HONEST[field])
        assert not accepted(written(HONEST | {field: math.nextafter(stated, tighter).hex()}))
        assert accepted(written(HONEST | {field: math.nextafter(stated, -tighter).hex()}))
        loose = {field: (stated * (0.9 if tighter > 0 else 1.1)).hex()}
        assert accepted(written(HONEST | loose | {"status": "uncertified"}))
        assert not accepted(written(HONEST | loose))  # they hold, and do not show that the design is certified


def test_the_status_must_follow_from_the_exact_bounds():
    assert HONEST["status"] == "certified"
    assert not accepted(written(HONEST | {"tolerance": (1e-15).hex()}))
    assert not accepted(written(HONEST | {"status": "exact"}))
    assert not accepted(written(HONEST | {"status": "trivial"}))
    assert accepted(written(HONEST | {"status": "stalled", "tolerance": (1e-15).hex()}))


def test_any_change_of_any_arm_is_refused():
    for arm in range(8):
        for k in range(3):
            said = copy.deepcopy(HONEST)
            x = float.fromhex(said["arms"][arm][k])
            said["arms"][arm][k] = math.nextafter(x, math.inf).hex()
            assert not accepted(written(said))
            assert "arms_sha256" in refusal(written(said))


def test_other_arms_with_their_own_digest_need_their_own_proof():
    said = copy.deepcopy(HONEST)
    said["arms"][int(np.argmax([float.fromhex(w) for w in said["weights"]]))] = [(0.25).hex()] * 3
    arms = np.array([[float.fromhex(x) for x in row] for row in said["arms"]])
    said["arms_sha256"] = arms_digest(arms)
    assert not accepted(written(said))


def test_weights_in_any_unit_hold():
    said = HONEST | {"weights": [scaled(w, 1024.0) for w in HONEST["weights"]]}
    assert accepted(written(said))


def test_equal_targets_may_be_merged_and_others_may_not():
    arms = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1e-13], [1.0, 2e-12]])
    said = as_dict(by_hand(HardProblem("", arms, targets=arms)))
    assert said["merged"] == [[2, 0]]
    assert accepted(written(said))
    assert not accepted(written(said | {"merged": [[2, 0], [3, 0]]}))
    assert not accepted(written(said | {"merged": [[2, 2]]}))
    assert not accepted(written(said | {"merged": [[2, 0], [0, 2]]}))
    assert not accepted(written(said | {"merged": [[2, 0], [1, 0]]}))
    said["dual"]["directions"][0] = [2, 1]
    assert not accepted(written(said))


HALF = (0.5).hex()


def _set(*path, to):
    def change(said):
        *inner, last = path
        at = said
        for each in inner:
            at = at[each]
        at[last] = to

    return change


def _drop(name):
    return lambda said: said.pop(name)


BASED = as_dict(by_hand(SPHERE, basis=(5, 0, 2)))
BAD = {
    "negative weight": _set("weights", 0, to=(-0.5).hex()),
    "weights all zero": _set("weights", to=[(0.0).hex()] * 8),
    "a weight too few": _set("weights", to=[HALF] * 7),
    "weight nan": _set("weights", 0, to="nan"),
    "weight inf": _set("weights", 0, to="inf"),
    "weight beyond doubles": _set("weights", 0, to="0x1p99999"),
    "weight as a number": _set("weights", 0, to=0.5),
    "weight true": _set("weights", 0, to=True),
    "weight in decimal digits": _set("weights", 0, to="10"),
    "weight with blanks": _set("weights", 0, to=f" {HALF}"),
    "negative w": _set("dual", "w", 0, to=(-0.5).hex()),
    "u too short": _set("dual", "u", 0, to=[HALF] * 2),
    "u nan": _set("dual", "u", 0, to=["nan"] * 3),
    "empty dual": _set("dual", to={"directions": [], "w": [], "u": []}),
    "w all zero": lambda said: said["dual"].update(w=[(0.0).hex()] * len(said["dual"]["w"])),
    "u all zero": lambda said: said["dual"].update(u=[[(0.0).hex()] * 3] * len(said["dual"]["w"])),
    "an entry of the dual left out": lambda said: said["dual"]["u"].pop(),
    "direction out of range": _set("dual", "directions", 0, to=[0, 8]),
    "direction negative": _set("dual", "directions", 0, to=[0, -9]),
    "direction of three": _set("dual", "directions", 0, to=[0, 1, 2]),
    "direction enormous": _set("dual", "directions", 0, to=[0, 10**4000]),
    "direction a row": _set("dual", "directions", 0, to=1),
    "dimension wrong": _set("dimension", to=2),
    "dimension as a text": _set("dimension", to="3"),
    "no arms": _set("arms", to=[]),
    "ragged arms": lambda said: said["arms"][0].pop(),
    "no targets": _set("targets", to=[]),
    "other targets": _set("targets", to=[[(x * 9.0).hex() for x in row] for row in np.eye(3).tolist()]),
    "targets null without rows": _set("targets", to=None),
    "basis out of range": _set("basis", to=[0, 1, 99]),
    "basis of two arms": _set("basis", to=[0, 1]),
    "basis with one arm twice": _set("basis", to=[0, 1, 1]),
    "empty basis": _set("basis", to=[]),
    "another format": _set("format", to="gems-design-certificate/2"),
    "status a list": _set("status", to=["certified"]),
    "upper bound inf": _set("upper_bound", to="inf"),
    "lower bound nan": _set("lower_bound", to="nan"),
    "tolerance nan": _set("tolerance", to="nan"),
    "value inf": _set("value", to="inf"),
    "lower bound negative, and certified": _set("lower_bound", to=(-1.0).hex()),
    "one more field": _set("note", to="x"),
    "one more field of the dual": _set("dual", "note", to="x"),
    "dimension with a point": _set("dimension", to=3.0),
    "direction with a truth value": _set("dual", "directions", 0, to=[0, True]),
    "targets and plus": _set("plus", to=[]),
    "merged pair with a truth value": _set("merged", to=[[True, 0]]),
    "no status": _set("status", to=None),
    "no solver": _set("solver", to=None),
    "a long word": _set("proof", to="x" * 201),
    **{f"without {name}": _drop(name) for name in HONEST},
}


@pytest.mark.parametrize("what", BAD)
def test_every_loophole_is_closed(what):
    said = copy.deepcopy(HONEST)
    BAD[what](said)
    assert not accepted(written(said))


@pytest.mark.parametrize("basis", [[5, 0, 0], [5, 0], [5, 0, 2, 1], [0, 2, 5], [5, 0, 99], [True, 0, 2], [-3, 0, 2]])
def test_another_basis_is_refused(basis):
    changed = copy.deepcopy(BASED) | {"basis": basis}
    assert not accepted(written(changed))


def test_a_basis_must_span_the_arms():
    flat = np.array([[1.0, 0.0], [0.0, 1.0], [3.0, 0.0]])
    problem = listed(flat, [[1.0, 0.0]])
    design = fake_design(problem, [0.0, 0.0, 1.0], (0,), [1.0], [[1.0, 0.0]])
    said = as_dict(certificate_of(problem, design))
    assert accepted(written(said))
    said["basis"], said["dual"]["u"] = [2], [[(3.0).hex()]]  # right on the line, but arm 1 is not on it
    assert not accepted(written(said))


def test_a_direction_outside_the_span_of_the_weighted_arms_is_refused():
    said = copy.deepcopy(HONEST)
    said["weights"] = [HALF, HALF] + [(0.0).hex()] * 6
    said["upper_bound"] = (1e300).hex()
    said["status"] = "uncertified"
    assert not accepted(written(said))


def test_a_divisor_of_zero_is_refused():
    said = copy.deepcopy(DIRECTED)
    said["divisors"][0] = [HALF, (-0.5).hex()]
    assert not accepted(written(said))


def test_a_field_that_occurs_twice_is_refused():
    text = to_json(by_hand(SPHERE)).decode()
    assert accepted(text)
    assert not accepted(text.replace('"value"', f'"upper_bound": "{(9e9).hex()}",\n  "value"'))


def test_numbers_at_the_ends_of_the_range_hold():
    tiny, huge = 2.0**-1060, 2.0**1000
    problem = listed(np.eye(2), [[1.0, 0.0]])
    design = fake_design(problem, [1.0, tiny], (0,), [1.0], [[huge, tiny]])
    assert accepted(to_json(certificate_of(problem, design)))


def test_what_has_no_finite_value_gets_no_certificate():
    problem = problem_of(SINGULAR)
    design = fake_design(problem, [1.0, 0.0], (0,), [1.0], [[1.0, -0.2]])
    design.upper_bound = math.inf
    with pytest.raises(InputError, match="not proven to be finite"):
        certificate_of(problem, design)
