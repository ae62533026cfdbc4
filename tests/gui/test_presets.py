"""Every preset is run, and what it shows is asserted: decisions are exact for its seed."""

import pytest
from PySide6.QtCore import Qt

from gems_engine.errors import InputError
from gems_engine.events import BecameVerifiable, DesignSolved, Eliminated, Recommended
from gems_engine.gallery import make
from gems_engine.running import Run
from gems_engine.summary import summarise
from gems_engine.terminal import number
from gems_gui.drafts.draft import build_instance
from gems_gui.drafts.presets import PRESETS, preset_named, preset_of
from gems_gui.series.fate_raster import UNDECIDED
from tests.gui.window_driver import choose_by_keys, driven


@pytest.fixture(scope="module")
def traces():
    """Every preset's run, from the request that its draft makes."""
    made = {}
    for name, preset in PRESETS.items():
        request = preset.draft.request(build_instance(preset.draft.source))
        run = Run(request.instance, request.algorithm, request.seed, **request.parameters)
        made[name] = run.finish()
    return made


def test_the_list_has_what_was_promised():
    assert list(PRESETS) == [
        "gems-c-steps",
        "gems-b-steps",
        "paper-hard",
        "race",
        "paper-hard-rage",
        "paper-sphere",
        "budget",
        "misspecified",
        "verifiability-1",
        "verifiability-2",
    ]


@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS.keys())
def test_a_preset_is_valid_names_itself_and_fits_a_line(preset):
    assert preset.draft.errors() == {}
    assert preset.draft.refused_by_algorithm(build_instance(preset.draft.source)) == {}
    assert preset_of(preset.draft) is (PRESETS["paper-hard"] if preset.race else preset)
    assert preset_of(preset.draft.with_text("run.seed", "77")) is None
    assert len(preset.title) <= 28
    assert preset.summary.endswith(".")


@pytest.mark.parametrize("text", ["paper-hard", "Paper: hard instance", " paper: HARD instance "])
def test_a_preset_is_found_by_its_name_or_title(text):
    assert preset_named(text) is PRESETS["paper-hard"]


@pytest.mark.parametrize("text", ["paper-hrd", "paper: hard instanc"])
def test_the_nearest_preset_is_proposed(text):
    with pytest.raises(InputError, match='did you mean "paper-hard"'):
        preset_named(text)


SEEDS = range(1, 101)


@pytest.mark.parametrize("name", ["gems-c-steps", "gems-b-steps"])
def test_a_call_step_by_step_does_what_its_summary_says(traces, name):
    preset, trace = PRESETS[name], traces[name]
    said = preset.summary
    given, instance = trace.started.parameters, trace.instance
    assert (len(instance.arms), instance.D, instance.d_star) == (8, 5, 2)
    dimensions = [each.d for each in trace if isinstance(each, DesignSolved)]
    assert f"dₖ is {', '.join(map(str, dimensions))}" in said
    assert f"B = {given['selection_budget']:g}" in said
    assert sum(len(each.targets) > 0 for each in trace if isinstance(each, Eliminated)) >= 3
    assert trace.finished.survivors.tolist() == [instance.best]
    if name == "gems-c-steps":
        assert (
            f"{instance.target_label(instance.best)}, the best, remains after {number(trace.finished.samples)} samples"
            in said
        )
    else:
        assert f"T = {number(given['budget'])} samples for n = {given['rounds']} rounds" in said
        before = [len(each.targets) for each in trace if isinstance(each, Eliminated)]
        assert dimensions[-1] > dimensions[-2]
        assert len(instance.arms) - sum(before[: len(dimensions) - 1]) == 2
    assert all(PRESETS[other].step_by_step == (other in ("gems-c-steps", "gems-b-steps")) for other in PRESETS)


@pytest.mark.parametrize("name", ["gems-c-steps", "gems-b-steps"])
def test_a_call_step_by_step_is_no_fluke(name):
    """What the summaries say of the seeds 1 to 100."""
    draft = PRESETS[name].draft
    instance, given = build_instance(draft.source), draft.algorithm_values()
    runs = [Run(instance, draft.algorithm, seed, **given).finish() for seed in SEEDS]
    varied = [len({each.d for each in trace if isinstance(each, DesignSolved)}) >= 3 for trace in runs]
    assert all(trace.finished.recommendation == instance.best for trace in runs)
    assert "right with every seed from 1 to 100" in PRESETS[name].summary
    of_them = "all" if all(varied) else str(sum(varied))
    assert f"at least three values with {of_them} of them" in PRESETS[name].summary


@pytest.mark.parametrize(
    ("name", "label", "tau", "samples", "finish"),
    [
        ("paper-hard", "x_9", 41_986, 9_233_229, "cap"),
        ("paper-sphere", "arm 83", 916, 49_806, "cap"),
        ("budget", "x_9", 15_750, 15_750, "budget spent"),
        ("misspecified", "arm 8", 395_609, 998_438, "cap"),
        ("verifiability-1", "e_1", 166, 9_677, "verified"),
        ("verifiability-2", "e_10", 9_677, 9_677, "verified"),
    ],
)
def test_a_preset_finds_the_best_arm_when_it_should(traces, name, label, tau, samples, finish):
    trace = traces[name]
    found = summarise(trace)
    assert found.correct
    assert trace.instance.target_label(found.recommendation) == label
    assert (found.tau, found.samples, found.finish) == (tau, samples, finish)
    assert found.trajectory[0][1] != found.recommendation  # the first guess is wrong, so that there is something to see


def test_the_paper_hard_presets_are_the_papers_experiment(traces):
    for name in ("paper-hard", "paper-hard-rage"):
        assert traces[name].instance == make("paper-hard", d_star=9, epsilon=1e-4)
        assert traces[name].started.parameters["max_samples"] == 10_000_000
    assert traces["paper-hard"].started.parameters["base"] == 4
    assert traces["paper-hard"].started.seed == traces["paper-hard-rage"].started.seed  # the same noise
    assert {each.d for each in traces["paper-hard-rage"] if isinstance(each, DesignSolved)} == {10}
    assert (traces["paper-sphere"].instance.D, len(traces["paper-sphere"].instance.arms)) == (25, 100)


def test_rage_is_wrong_at_the_cap_as_its_preset_says(traces):
    found = summarise(traces["paper-hard-rage"])
    assert (found.correct, found.tau, found.samples, found.finish) == (False, None, 2_855_458, "cap")
    assert found.survivors == (8, 9)
    assert summarise(traces["paper-hard"]).correct


@pytest.mark.long
def test_of_thirty_seeds_as_many_are_wrong_as_it_is_said():
    """What presets, the first story and the page of RAGE say of the seeds 1 to 30."""

    def taus(epsilon, name, **given):
        instance = make("paper-hard", d_star=9, epsilon=epsilon)
        return [summarise(Run(instance, name, seed, max_samples=10**7, **given).finish()).tau for seed in range(1, 31)]

    wrong = f"{taus(1e-4, 'rage').count(None)} of the seeds 1 to 30"
    assert wrong == "14 of the seeds 1 to 30"
    assert wrong in PRESETS["paper-hard-rage"].summary
    gems = taus(1e-4, "fixed-confidence", base=4)
    assert None not in gems
    assert sorted(set(gems)) == [0, 41_986]  # τ is the same for every ε but for a lucky first guess
    assert [
        sum(tau is not None and tau < other for tau, other in zip(taus(epsilon, "rage"), gems, strict=True))
        for epsilon in (1e-2, 1e-3)
    ] == [22, 6]


def test_gems_finds_the_hard_arm_at_the_same_sample_for_every_epsilon(traces):
    request = PRESETS["paper-hard"].draft.with_text("instance.epsilon", "1e-5")
    run = Run(build_instance(request.source), request.algorithm, request.seed_value(), **request.algorithm_values())
    assert summarise(run.finish()).tau == summarise(traces["paper-hard"]).tau


def test_a_budget_is_never_passed(traces):
    assert traces["budget"].finished.samples <= traces["budget"].started.parameters["budget"] == 20_000


def test_misspecified_rewards_are_linear_in_no_dimension_and_the_goal_has_an_epsilon(traces):
    assert traces["misspecified"].instance.d_star is None
    assert traces["misspecified"].started.goal == "epsilon"


def test_the_verifiability_cases_look_the_same_until_a_round_works_in_all_dimensions(traces):
    first, second = traces["verifiability-1"], traces["verifiability-2"]
    D = first.instance.D
    whole = {
        name: next(n for n, each in enumerate(trace) if isinstance(each, DesignSolved) and each.d == D)
        for name, trace in (("first", first), ("second", second))
    }
    assert whole["first"] == whole["second"]
    until = whole["first"]
    early = [each.target for each in second[:until] if isinstance(each, Recommended)]
    assert early == [each.target for each in first[:until] if isinstance(each, Recommended)]
    assert set(early[1:]) == {0}  # e_1: right in case 1, wrong in case 2
    for trace in (first, second):
        at = [n for n, each in enumerate(trace) if isinstance(each, BecameVerifiable)]
        assert len(at) == 1
        assert at[0] > until
        assert trace[at[0]].target == trace.instance.best
        assert at[0] == len(trace) - 2  # and so it stops


def test_every_preset_shows_its_arms_before_the_first_event(qtbot):
    """Chosen and run by keys: no plot of survivors is empty, however long the first round takes."""
    with driven(qtbot, layout="explore") as driver:
        for preset in PRESETS.values():
            if preset.race:
                continue
            box = driver.form.presets
            box.setFocus()
            choose_by_keys(box, Qt.Key.Key_Home, *[Qt.Key.Key_Down] * box.findData(preset.name))
            driver.wait(lambda box=box: not box.view().isVisible())
            driver.window.activateWindow()
            driver.wait(driver.window.isActiveWindow)
            driver.wait(lambda: driver.drafts.instance is not None)
            assert driver.form.presets.currentText() == preset.title
            driver.start()
            assert driver.run.playback.playing == (not preset.step_by_step)
            if driver.playback.playing:
                driver.press("Space")
            driver.press("Home")
            assert driver.shown() == 0
            survivors, arms = driver.views["survivors"], len(driver.trace.instance.targets)
            assert (survivors.image.image == UNDECIDED).all(), preset.name
            assert f"all {arms} arms remain" in survivors.series.subtitle[0], preset.name
            assert driver.window.strip.text.text.startswith("Before the first event"), preset.name
            driver.press("Ctrl+.")
