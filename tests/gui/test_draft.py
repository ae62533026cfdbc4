"""The draft: texts as typed, values, refusals at their fields, and the way to a run and back."""

import pickle
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gems_engine.algorithms import algorithms
from gems_engine.errors import InputError
from gems_engine.files import read_instance, write_instance
from gems_engine.gallery import FAMILIES, make
from gems_engine.parameters import Parameter
from gems_engine.rounding import SMALLEST_ZETA
from gems_gui.drafts.draft import Draft, FromFile, FromGallery, build_instance
from gems_gui.drafts.run_request import RunRequest
from gems_gui.field_text import ALGORITHM, INSTANCE, label_of, parsed, refusal_of, text_of

NUMBER = Parameter("x", "float", 0.0, "A number.")
WHOLE = Parameter("count", "int", 0, "A count.")
WITH_BOTH = [name for name, family in FAMILIES.items() if {"D", "d_star"} <= {each.name for each in family.parameters}]


# -- texts ------------------------------------------------------------------------------------------------------------


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_as_text_is_exactly_the_number(value):
    assert parsed(NUMBER, text_of(NUMBER, value)) == value


@given(st.integers(-(10**18), 10**18))
def test_a_whole_number_as_text_is_exactly_the_number(value):
    assert parsed(WHOLE, text_of(WHOLE, value)) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("10 000 000", 10_000_000), ("10\u202f000", 10_000), ("1e7", 10_000_000), (" 12 ", 12), ("−5", -5)],
)
def test_whole_numbers_are_read_as_people_write_them(text, value):
    assert parsed(WHOLE, text) == value


@pytest.mark.parametrize(
    ("text", "value"), [("1e-3", 0.001), ("1e−3", 0.001), ("1 000.5", 1000.5), (".5", 0.5), ("0,01", 0.01)]
)
def test_numbers_are_read_as_people_write_them(text, value):
    assert parsed(NUMBER, text) == value


@pytest.mark.parametrize("text", ["10,000", "ten", "1 0 x", "1.5.2", "nan", "∞"])
def test_what_is_no_number_is_refused_with_what_was_typed(text):
    with pytest.raises(InputError, match="is not allowed: it must be a number") as refusal:
        parsed(NUMBER, text)
    assert text in str(refusal.value)


def test_large_numbers_have_thin_spaces_and_seeds_have_none():
    assert text_of(WHOLE, 10_000_000) == "10\u202f000\u202f000"
    assert text_of(Parameter("seed", "int", 0, "Seed."), 10_000_000) == "10000000"
    assert text_of(WHOLE, 10**15) == "1e15"
    assert text_of(WHOLE, 12 * 10**14 + 1) == "1\u202f200\u202f000\u202f000\u202f000\u202f001"


def test_an_empty_field_is_said_to_be_missing():
    delta = algorithms()["rage"].parameters[0]
    assert refusal_of(delta, " ", ALGORITHM) == "δ is missing: it must be a number of at least 1e-200 and below 1."


def test_the_two_epsilons_and_the_two_n_have_different_labels():
    mine = {label_of(each, INSTANCE) for family in FAMILIES.values() for each in family.parameters}
    theirs = {label_of(each, ALGORITHM) for each in algorithms()["gems-m"].parameters}
    assert {"ε (instance)", "D", "d⋆", "Instance seed", "min gap"} <= mine
    assert {"ε (goal)", "δ", "n (rounds)", "B", "Sample cap"} <= theirs
    assert not mine & theirs


# -- values and errors ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
def test_a_fresh_draft_has_the_registries_defaults(family):
    for algorithm, method in algorithms().items():
        draft = Draft.of(family, algorithm)
        assert draft.errors() == {}
        assert draft.family_values() == {each.name: each.default for each in FAMILIES[family].parameters}
        assert draft.algorithm_values() == {each.name: each.default for each in method.parameters}


def test_an_invalid_text_is_kept_and_refused_in_the_papers_letters():
    draft = Draft.of("sphere").with_text("instance.d_star", "many").with_text("algorithm.delta", "1.5")
    assert draft.text("instance.d_star") == "many"
    assert draft.errors() == {
        "instance.d_star": "d⋆ = many is not allowed: it must be a whole number from 1 to 1\u202f000.",
        "algorithm.delta": "δ = 1.5 is not allowed: it must be a number of at least 1e-200 and below 1.",
    }
    assert draft.instance_key() is None
    with pytest.raises(InputError):
        draft.family_values()
    with pytest.raises(InputError):
        draft.request(make("soare"))


@pytest.mark.parametrize("family", WITH_BOTH)
def test_more_features_that_matter_than_there_are_are_refused_at_their_field(family):
    draft = Draft.of(family).with_text("instance.D", "7").with_text("instance.d_star", "8")
    sentence = "d⋆ = 8 is not allowed: it must be at most D = 7."
    assert draft.errors() == {"instance.d_star": sentence}
    with pytest.raises(InputError) as refusal:
        build_instance(draft.source)
    assert draft.refused(str(refusal.value)) == draft.errors()  # the family says the same


@pytest.mark.parametrize(
    ("family", "texts", "key", "words"),
    [
        (
            "multivariate",
            {"d_star": "90"},
            "instance.d_star",
            "d⋆ = 90 is not allowed: 4 factors have only 15 features",
        ),
        ("sphere", {"min_gap": "4"}, "instance.min_gap", "min gap = 4 cannot be met"),
    ],
)
def test_what_only_the_making_of_an_instance_finds_is_placed_at_its_field(family, texts, key, words):
    draft = Draft.of(family)
    for name, text in texts.items():
        draft = draft.with_text(f"instance.{name}", text)
    assert draft.errors() == {}
    with pytest.raises(InputError) as refusal:
        build_instance(draft.source)
    [(where, sentence)] = draft.refused(str(refusal.value)).items()
    assert where == key
    assert words in sentence
    assert not sentence.startswith(f"{family}:")
    assert draft.refused(sentence) == {where: sentence}


def test_a_refusal_that_names_no_field_is_the_familys():
    assert Draft.of("soare").refused("soare: It is too large.") == {"family": "It is too large."}


@pytest.mark.parametrize(
    ("family", "algorithm", "texts", "key", "words"),
    [
        ("transductive", "fixed-budget", {}, "algorithm", "every target must be an arm"),
        ("soare", "rage", {"noise": "bernoulli"}, "algorithm.noise", "mean rewards from 0 to 1"),
        ("soare", "rage", {}, None, ""),
    ],
)
def test_what_the_algorithm_refuses_of_an_instance_is_placed_at_its_field(family, algorithm, texts, key, words):
    draft = Draft.of(family, algorithm)
    for name, text in texts.items():
        draft = draft.with_text(f"algorithm.{name}", text)
    assert draft.errors() == {}
    found = draft.refused_by_algorithm(build_instance(draft.source))
    assert list(found) == ([key] if key else [])
    assert words in "".join(found.values())


def test_a_tie_is_refused_for_the_best_arm_and_allowed_for_a_goal_with_epsilon():
    tied = make("multivariate", m=3, d_star=2)
    assert not tied.best_is_unique
    draft = Draft.of("soare").with_instance(tied)
    assert "tied for the best reward" in draft.refused_by_algorithm(tied)["algorithm"]
    assert draft.with_algorithm("misspecified").refused_by_algorithm(tied) == {}


def test_problems_are_all_of_these_and_what_was_typed_wrong_goes_first():
    draft = Draft.of("transductive", "fixed-budget")
    instance = build_instance(draft.source)
    assert draft.problems() == draft.problems(None) == {}
    assert draft.problems(instance) == draft.refused_by_algorithm(instance) != {}
    assert draft.problems(refusal="transductive: n = 30 is bad.") == {"instance.n": "n = 30 is bad."}
    typed = draft.with_text("instance.n", "x")
    assert typed.problems(refusal="transductive: n = 30 is bad.") == typed.errors()


def test_an_unknown_noise_is_refused_while_typing():
    draft = Draft.of("soare").with_text("algorithm.noise", "pink")
    assert 'Unknown noise "pink"' in draft.errors()["algorithm.noise"]
    assert Draft.of("soare").with_text("algorithm.noise", "gaussian:0.5").errors() == {}


# -- other drafts -----------------------------------------------------------------------------------------------------


def test_another_family_keeps_values_of_the_same_name():
    draft = Draft.of("sphere").with_text("instance.D", "30").with_text("instance.seed", "7").with_family("gaussian")
    assert draft.family_values() == {"D": 30, "d_star": 5, "n": 100, "seed": 7}


def test_another_family_does_not_keep_what_is_not_valid_there():
    draft = Draft.of("verifiability").with_text("instance.D", "1000.5").with_family("soare")
    assert draft.family_values()["D"] == 5
    too_many = Draft.of("paper-hard").with_text("instance.d_star", "40").with_family("gaussian")
    assert too_many.family_values() == {"D": 10, "d_star": 3, "n": 50, "seed": 0}
    only_that = Draft.of("multivariate", instance={"d_star": 14, "seed": 7}).with_family("gaussian")
    assert only_that.family_values() == {"D": 10, "d_star": 3, "n": 50, "seed": 7}
    too_few = Draft.of("verifiability").with_text("instance.D", "2").with_family("gaussian")
    assert too_few.errors() == {}


def test_another_algorithm_keeps_values_of_the_same_name():
    draft = Draft.of("soare", "fixed-confidence").with_text("algorithm.delta", "0.2")
    draft = draft.with_text("algorithm.max_samples", "none").with_algorithm("rage")
    assert draft.algorithm_values()["delta"] == 0.2
    assert draft.algorithm_values()["max_samples"] == 10_000_000


@given(
    families=st.lists(st.sampled_from(sorted(FAMILIES)), max_size=4),
    names=st.lists(st.sampled_from(sorted(algorithms())), max_size=4),
)
def test_switching_never_makes_a_valid_draft_invalid(families, names):
    draft = Draft.of("paper-hard").with_text("instance.d_star", "300")
    for family in families:
        draft = draft.with_family(family)
    for name in names:
        draft = draft.with_algorithm(name)
    assert draft.errors() == {}


def test_an_edit_leaves_the_old_draft_as_it_was():
    draft = Draft.of("soare")
    assert draft.with_text("run.seed", "9").seed_value() == 9
    assert draft == Draft.of("soare")
    assert hash(draft) == hash(Draft.of("soare"))


# -- instances and runs -----------------------------------------------------------------------------------------------


def test_a_key_depends_on_values_and_not_on_how_they_are_written():
    draft = Draft.of("paper-hard")
    assert draft.with_text("instance.epsilon", "1e-2").instance_key() == draft.instance_key()
    assert draft.with_text("instance.epsilon", "0.02").instance_key() != draft.instance_key()
    assert hash(draft.instance_key())


def test_a_source_is_built_in_another_process_and_is_the_galleries_own():
    source = pickle.loads(pickle.dumps(Draft.of("sphere", instance={"seed": 3}).source))
    assert pickle.loads(pickle.dumps(build_instance))(source) == make("sphere", seed=3)


def test_an_opened_instance_is_the_draft_of_its_file(tmp_path):
    path = tmp_path / "mine.json"
    write_instance(path, make("soare", omega=0.3))
    draft = Draft.of("sphere").with_instance(read_instance(path), str(path))
    assert isinstance(draft.source, FromFile)
    assert draft.source.title == "File: mine.json"
    assert build_instance(draft.source).digest == make("soare", omega=0.3).digest
    assert draft.errors() == {}
    assert draft.with_family("gaussian").family_values()["D"] == 10


@pytest.mark.parametrize("family", FAMILIES)
def test_a_run_goes_back_into_the_form(family):
    parameters = {"delta": 0.123456789, "noise": "gaussian:0.5", "max_samples": 12_345}
    draft = Draft.of(family, "rage", seed=5, parameters=parameters)
    instance = build_instance(draft.source)
    request = draft.request(instance)
    assert (request.seed, request.algorithm, dict(request.parameters)["delta"]) == (5, "rage", 0.123456789)
    assert Draft.from_request(request) == draft
    assert not draft.differs_from(request, instance)
    assert not draft.differs_from(request, None)


def test_a_run_whose_recipe_lies_goes_back_as_its_instance():
    lie = replace(make("soare", omega=0.3), recipe=make("soare").recipe)
    draft = Draft.from_request(RunRequest(lie, "rage", 0, {}))
    assert isinstance(draft.source, FromFile)
    assert build_instance(draft.source) is lie
    honest = Draft.from_request(RunRequest(make("soare"), "rage", 0, {}))
    assert isinstance(honest.source, FromGallery)


def test_a_draft_differs_from_a_run_in_each_of_its_parts():
    draft = Draft.of("soare", "rage")
    instance = build_instance(draft.source)
    request = draft.request(instance)
    assert not draft.with_text("algorithm.delta", "5e-2").differs_from(request, instance)
    for other in (
        draft.with_text("algorithm.delta", "0.1"),
        draft.with_text("algorithm.delta", "nothing"),
        draft.with_text("run.seed", "1"),
        draft.with_algorithm("rage-oracle"),
    ):
        assert other.differs_from(request, instance)
    elsewhere = draft.with_text("instance.omega", "0.2")
    assert elsewhere.differs_from(request, None)
    assert elsewhere.differs_from(request, build_instance(elsewhere.source))


@pytest.mark.parametrize("settings", [{"a_parameter_of_another_version": 1}, {"noise": "bernoulli"}])
def test_a_draft_differs_from_a_run_that_this_version_cannot_request(settings):
    draft = Draft.of("soare", "rage", parameters={name: value for name, value in settings.items() if name == "noise"})
    recorded = RunRequest(make("soare"), "rage", 0, settings)  # its rewards are not those of coins
    assert draft.differs_from(recorded, make("soare"))
    assert draft.differs_from(recorded, None) == ("noise" not in settings)


def test_a_run_recorded_with_its_noise_does_not_differ_from_the_form_that_asked_for_it():
    draft = Draft.of("soare", "rage", parameters={"noise": "rademacher"})
    instance = build_instance(draft.source)
    recorded = RunRequest(instance.with_noise("rademacher"), "rage", 0, draft.algorithm_values())
    assert not draft.differs_from(recorded, instance)
    assert Draft.from_request(recorded) == draft


@pytest.mark.parametrize(
    ("modules", "unwanted"),
    [("gems_gui.drafts.draft, gems_gui.drafts.presets", "PySide6"), ("gems_gui.panels.form_panel", "scipy")],
)
def test_what_starts_the_window_brings_nothing_slow(modules, unwanted):
    check = f"import sys, {modules}; sys.exit({unwanted!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


def test_a_budget_without_a_call_is_refused_where_it_is_typed():
    draft = Draft.of("soare", "fixed-budget").with_text("algorithm.budget", "7")
    assert "it must be a whole number from 8" in draft.problems(None, "")["algorithm.budget"]
    assert not draft.with_text("algorithm.budget", "8").problems(None, "")


def test_a_zeta_that_no_rounding_takes_is_refused_where_it_is_typed():
    draft = Draft.of("paper-hard").with_text("algorithm.zeta", f"{SMALLEST_ZETA / 2}")
    assert "it must be a number from 1e-06 to 1" in draft.problems(None, "")["algorithm.zeta"]
    assert not draft.with_text("algorithm.zeta", f"{SMALLEST_ZETA}").problems(None, "")
