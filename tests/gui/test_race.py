"""The race: GEMS and RAGE in two engines on one clock in samples, and more seeds of both."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QPushButton

from gems_engine.events import (
    CAP as CAPPED,
)
from gems_engine.events import (
    Allocated,
    DesignSolved,
    Eliminated,
    IdleRounds,
    Pulled,
    Recommended,
    RunFinished,
    SubroutineFinished,
    SubroutineStarted,
)
from gems_engine.experiment.seed_trials import SEEDS, SeedJob, SeedTrials
from gems_engine.gallery import make
from gems_engine.history import History
from gems_engine.running import Run
from gems_engine.summary import summarise
from gems_engine.terminal import plural
from gems_engine.trace import Trace
from gems_gui.compare.compare_dialog import CompareDialog
from gems_gui.compare.comparison_run_dialog import ComparisonRunDialog
from gems_gui.drafts.draft import Draft
from gems_gui.drafts.presets import PRESETS
from gems_gui.painting.export import Export
from gems_gui.painting.format import ExportJob
from gems_gui.painting.frames import Frame, Look
from gems_gui.series.seeds import seed_series, seed_text
from gems_gui.snapshot import Snapshot
from gems_gui.workbench.playback import Playback
from gems_gui.workbench.race_clock import RaceClock
from gems_gui.workbench.unsaved import unsaved_run
from tests.gui.sample_runs import race_seeds
from tests.gui.stage_driver import press, stage
from tests.gui.test_plane import wheel
from tests.gui.test_welcome import page, welcomed
from tests.gui.window_driver import SMALL, choose_in_list, driven, gone, slide

CAP = 30_000
NARROW = "\N{NARROW NO-BREAK SPACE}"
MIDDLE = SMALL.with_text("algorithm.max_samples", str(CAP))


@pytest.fixture
def driver(qtbot):
    with driven(qtbot, MIDDLE) as made:
        yield made


def race(driver, keys="R"):
    """Start a race by its key, and wait until both runs have ended."""
    driver.press(keys)
    settle(driver)
    return driver.run


def settle(driver):
    work = driver.workbench
    driver.wait(lambda: work.active is not None and len(work.active.race) > 1 and work.pending is None)
    driver.wait(lambda: not driver.window.auto_run.auto.busy and not driver.window.comparison_runs.runs.busy)
    driver.wait(lambda: all(run.ending is not None for run in work.active.race))


def plain(driver, algorithm, seed=1, epsilon=0.3):
    """The run of an algorithm without a window."""
    given = driver.run.race[[run.request.algorithm for run in driver.run.race].index(algorithm)].request.parameters
    return Run(make("paper-hard", d_star=4, epsilon=epsilon), algorithm, seed, **given).finish()


def sums(trace):
    return [event.sums.tolist() for event in trace if isinstance(event, Pulled)]


def lanes(driver):
    driver.shown()
    return driver.views["race"].series.lanes


def told_at(trace, samples):
    """Recommendation, whether it is right, since when, survivors and d at a number of samples, event by event."""
    drawn, arm, right, since, left, d, place = 0, None, None, 0, len(trace.instance.targets), 0, None
    done, ran, cut = None, False, False  # survivors and d of the last completed call with a round; of the current call
    for event in trace:
        drawn = getattr(event, "samples", drawn)
        if drawn > samples:
            break
        if isinstance(event, SubroutineStarted):
            done = (left, d) if ran and not cut else done
            left, d, place, ran, cut = len(trace.instance.targets), 0, event.place, False, True
        elif event.place.k and event.place != place:
            d, place = 0, event.place
        if isinstance(event, Eliminated):
            left = event.left
        if isinstance(event, SubroutineFinished | RunFinished):
            left = len(event.survivors)
            cut = cut and event.why == CAPPED
        if isinstance(event, DesignSolved | Allocated | IdleRounds):
            d, ran = event.d, True
        if isinstance(event, Recommended | RunFinished):
            arm = event.target if isinstance(event, Recommended) else event.recommendation
            was, right = right, arm == trace.instance.best
            since = since if right == was else drawn
    if trace.finished is not None and drawn <= samples and cut and done is not None:
        left, d = done  # the cap cut off the last call
    return arm, right, since, left, d


# -- the race --------------------------------------------------------------------------------------------------------


def test_the_key_starts_two_engines_with_the_same_random_numbers(driver):
    run = race(driver)
    assert driver.board.layout_name == "race"
    assert [each.request.algorithm for each in run.race] == ["fixed-confidence", "rage"]
    assert len({each.run_id for each in run.race}) == 2
    for each in run.race:
        again = plain(driver, each.request.algorithm)
        assert sums(each.trace) == sums(again)
        assert [event.kind for event in each.trace] == [event.kind for event in again]
    assert driver.window.auto_run.auto.on, "the slider of ε starts both again"


def choose_algorithm(driver, name):
    box = driver.form.algorithm_form.algorithm
    choose_in_list(box, name)
    assert driver.draft.algorithm == name


def test_the_rival_has_the_settings_that_the_form_last_had_for_it_and_says_so(driver):
    driver.form.algorithm_form.list.fields["algorithm.base"].input.setFocus()
    driver.type_into("algorithm.base", "4")
    choose_algorithm(driver, "rage")
    run = race(driver)
    assert [each.request.algorithm for each in run.race] == ["rage", "fixed-confidence"]
    assert run.race[1].trace.started.parameters["base"] == 4
    assert run.race[1].trace.started.parameters["max_samples"] == CAP
    assert driver.workbench.messages.current == [
        "Where both have a setting, GEMS (fixed confidence) has that of RAGE. Of its own it has β = 4, as last in the "
        "form, and defaults otherwise."
    ]
    choose_algorithm(driver, "fixed-confidence")
    assert driver.draft.text("algorithm.base") == "4", "as it was before RAGE"
    run = race(driver)
    assert driver.workbench.messages.current == [], "RAGE has no settings of its own"
    assert run.race[0].trace.started.parameters["base"] == 4


def test_a_form_that_cannot_run_leaves_the_views_as_they_are(qtbot):
    with driven(qtbot, layout="explore") as driver:
        driver.finished()
        driver.type_into("algorithm.delta", "7")
        driver.window.centralWidget().setFocus()
        driver.press("R")
        assert "δ = 7 is not allowed" in driver.message
        assert driver.board.layout_name == "explore"
        assert len(driver.workbench.runs) == 1


def test_a_rival_with_defaults_says_so(driver):
    trace = Run(make("paper-hard", d_star=4, epsilon=0.25), "rage", 3, max_samples=CAP).finish()
    driver.workbench.open(trace, "three.gems")
    said = (
        "Where both have a setting, GEMS (fixed confidence) has that of RAGE. Its own are defaults: β = 2, max ℓ = 40."
    )
    dialog = driver.opened("Ctrl+Shift+B", ComparisonRunDialog)
    driver.click(dialog.go)
    driver.wait(lambda: driver.message == said)
    driver.press("Esc")
    assert not driver.message
    race(driver)
    assert driver.message.endswith(f"press Ctrl+R, then R. {said}")
    assert driver.workbench.messages.transient, "it lies over the plots"


def test_two_processes_compute_it_and_none_is_left(qtbot):
    with driven(qtbot, MIDDLE, in_thread=False) as driver:
        run = race(driver)
        rival = run.race[1]
        assert rival.trace.finished is not None
        engines = [driver.window.engine, *driver.window.comparison_runs.runs._idle]
        pids = [engine._engine.pid for engine in engines]
        assert len(set(pids)) == 2
    assert all(map(gone, pids))


def test_the_lanes_are_those_of_the_traces_at_every_clock(driver):
    run = race(driver)
    driver.press("End")
    ends = sorted({int(each) for one in run.race for each in one.playback.history.clock.samples})
    assert driver.playback.samples == ends[-1]
    rng = np.random.default_rng(5)
    for samples in (*rng.choice(ends, 6).tolist(), *rng.integers(100, CAP, 6).tolist(), 1, ends[-1]):
        driver.workbench.control(lambda playback, to=int(samples): playback.go_to_samples(to))
        shown = lanes(driver)
        assert driver.views["race"].series.sides.clock == min(samples, ends[-1])
        for lane, each in zip(shown, run.race, strict=True):
            arm, right, since, left, d = told_at(each.trace, samples)
            state = lane.side.snapshot.state
            assert (lane.path.targets[-1] if len(lane.path.targets) else None) == arm
            assert (len(state.survivors), lane.d_now) == (left, d)
            if arm is not None:
                assert lane.path.tau == (since if right else None)
                when = f"since {plural(since, 'sample')}" if since else "from the start"
                assert lane.judged[0] == f"{'right' if right else 'wrong'} {when}"
                assert lane.right == right
    for lane, each in zip(lanes(driver), run.race, strict=True):
        end = each.trace.finished  # a cap is not reached if the next round would exceed it
        why = ": the next round would exceed the cap" if end.why == CAPPED else ""
        assert lane.detail[0].endswith(f" · ended at {plural(end.samples, 'sample')}{why}")


def test_the_clock_plays_steps_and_jumps(driver):
    run = race(driver)
    plot = driver.views["race"].plot
    driver.shown()
    across, upright = plot.box.viewRange()
    wheel(plot, (sum(across) / 2, 1.0))
    assert np.ptp(plot.box.viewRange()[0]) < np.ptp(across)
    assert plot.box.viewRange()[1] == upright, "lanes keep their height"
    if driver.playback.playing:
        driver.press("Space")
    driver.press("Home")
    assert (driver.cursor, driver.playback.samples) == (0, 0)
    assert [lane.side.snapshot.cursor for lane in lanes(driver)] == [0, 0], "all are before their first event"
    driver.press("Right", times=2)
    assert [len(lane.path.targets) for lane in lanes(driver)] == [1, 1], "all have their first guess"
    assert "ahead" not in driver.views["race"].series.subtitle[0]
    driver.press("Home")
    driver.press("Space")
    seen = [0]
    for _ in range(400):
        driver.workbench.tick(0.05)
        seen.append(driver.playback.samples)
        if not driver.playback.playing:
            break
    assert seen == sorted(seen)
    grown = [after / before for before, after in pairwise(seen[:-1]) if before > 1000]
    assert np.allclose(grown, 10 ** (0.05 * driver.playback.speed), rtol=0.01), "evenly on a logarithmic axis"
    assert driver.playback.over
    end = max(int(each.playback.history.clock.samples[-1]) for each in run.race)
    assert seen[-1] == end
    driver.press("Ctrl+Left")
    assert driver.playback.samples == run.playback.history.samples_at(driver.cursor) < end
    driver.press("End")
    assert driver.playback.samples == end
    driver.shown()
    x = float(driver.views["race"].series.x(5000))
    driver.click_plot("race", x, 0.5)
    assert driver.playback.samples == pytest.approx(5000, rel=0.02)
    assert driver.cursor == run.playback.history.cursor_at(driver.playback.samples)


def test_after_a_story_every_lane_is_where_it_was(qtbot):
    """Also that of a run which goes on after the end of the one with the story."""
    with driven(qtbot, MIDDLE.with_algorithm("rage")) as driver:
        run = race(driver)
        driver.press("End")
        driver.press("M")
        before = [(lane.name, lane.clock) for lane in lanes(driver)]
        samples = run.playback.samples
        assert samples > run.playback.history.samples_at(len(run.trace)), "its rival goes on"
        driver.press("F5")
        driver.wait(lambda: stage(driver) is not None and stage(driver).settled)
        press(driver, "Esc")
        driver.wait(lambda: stage(driver) is None)
        assert (driver.run, run.playback.samples) == (run, samples)
        assert [(lane.name, lane.clock) for lane in lanes(driver)] == before


def test_with_the_truth_hidden_no_run_is_ahead(driver):
    race(driver)
    driver.press("End")
    driver.shown()
    view = driver.views["race"]
    assert view.series.subtitle[0].startswith(("GEMS is ahead", "RAGE is ahead"))
    assert view.judgements[0].isVisible()
    driver.press("T")
    driver.shown()
    assert not any("ahead" in words or "right" in words for words in view.series.subtitle)
    assert not any(item.isVisible() for item in view.judgements.values())
    texts = [item.toPlainText() for item in (*view.names.values(), *view.details.values()) if item.isVisible()]
    assert len(texts) == 4
    assert all("recommends" in words for words in texts[:2])
    assert not any(word in words for words in texts for word in ("right", "wrong", "✓", "✗", "since"))
    assert not any(len(curve.getData()[0]) for curve in (view.right, view.wrong) if curve.getData()[0] is not None)
    assert driver.views["seeds"].series.placeholder
    assert driver.views["seeds"].as_table().rows == []


def test_the_slider_starts_both_again_at_the_same_clock(driver):
    first = race(driver)
    driver.workbench.control(lambda playback: playback.go_to_samples(6000))
    if driver.playback.playing:
        driver.press("Space")
    before = len(driver.workbench.runs)
    slider = driver.form.instance_form.list.fields["instance.epsilon"].slider
    for epsilon in (0.25, 0.2):
        last = driver.run
        slide(slider, slider.scale.place(epsilon))
        driver.wait(lambda last=last: driver.run is not last)
        settle(driver)
    run = driver.run
    assert run is not first
    assert driver.playback.samples == 6000
    for each in run.race:
        assert sums(each.trace) == sums(plain(driver, each.request.algorithm, epsilon=0.2))
    assert [lane.side.label for lane in lanes(driver)] == ["GEMS (fixed confidence)", "RAGE"]
    assert len(driver.workbench.runs) == before + 2, "the second replaces the first"
    assert [each.color for each in run.race] == [each.color for each in first.race]
    driver.click(driver.window.auto_run.switch)
    assert not driver.window.auto_run.auto.on
    run = race(driver, "Ctrl+R")
    assert not driver.window.auto_run.auto.on, "what was switched off in a race stays off"
    driver.click(driver.window.auto_run.switch)
    driver.drafts.set_draft(driver.draft.with_text("instance.epsilon", "0.25"))
    driver.wait(lambda: driver.run is not run)
    settle(driver)
    choose_in_list(driver.form.presets, "gems-c-steps")
    driver.wait(lambda: driver.run.request.algorithm == "gems-c" and driver.workbench.pending is None)
    driver.wait(lambda: driver.board.layout_name != "race")
    assert driver.cursor == 0, "a step-by-step preset waits for keys, whatever was shown before"
    assert not driver.playback.playing
    driver.press("Right")
    assert driver.shown() == 1


def test_an_algorithm_has_the_same_colour_in_every_race(driver):
    """Whatever ran before; runs of one algorithm that are compared have different ones."""
    driver.finished()
    for seed in ("2", "3"):
        driver.drafts.set_draft(driver.draft.with_text("run.seed", seed))
        race(driver)
        assert [lane.side.color for lane in lanes(driver)] == [0, 1]
    gems, rage = driver.run.race
    driver.press("Ctrl+1")
    driver.show_run(driver.workbench.runs[0])
    colors = [each.color for each in driver.workbench.compared]
    assert len(set(colors)) == len(colors) == len(driver.workbench.runs)
    driver.show_run(gems)
    assert [gems.color, rage.color] == [0, 1]


def test_auto_run_goes_on_with_the_race_in_another_layout(driver):
    """The slider that is dragged does not disappear; a run that is asked for leaves the race."""
    race(driver)
    driver.press("Ctrl+1")
    slider = driver.form.instance_form.list.fields["instance.epsilon"].slider
    assert slider.isVisible()
    for _ in range(2):
        before = driver.run
        slider.setFocus()
        driver.press("Right")
        driver.wait(lambda before=before: driver.run is not before)
        settle(driver)
        assert [each.request.algorithm for each in driver.run.race] == ["fixed-confidence", "rage"]
        assert driver.run.request.instance.recipe.parameters["epsilon"] == float(driver.draft.text("instance.epsilon"))
        assert slider.isVisible()
    assert driver.board.layout_name == "explore"
    driver.start("Ctrl+R")
    assert not driver.run.race
    driver.wait(lambda: not slider.isVisible())


def test_coming_back_to_the_values_of_a_preset_does_not_end_the_race(qtbot):
    """By undo, redo or the slider; only choosing a preset is a new start."""
    with driven(qtbot, PRESETS["race"].draft) as driver:
        race(driver)
        slider = driver.form.instance_form.list.fields["instance.epsilon"].slider
        slider.setFocus()
        for key, epsilon in (("Right", 1.1e-4), ("Ctrl+Z", 1e-4), ("Ctrl+Shift+Z", 1.1e-4), ("Home", 1e-4)):
            before = driver.run
            driver.press(key)
            driver.wait(lambda before=before: driver.run is not before)
            settle(driver)
            assert driver.run.request.instance.recipe.parameters["epsilon"] == epsilon, key
            assert [each.request.algorithm for each in driver.run.race] == ["fixed-confidence", "rage"], key
            assert driver.board.layout_name == "race", key
            assert driver.window.auto_run.auto.on, key


def test_a_rival_that_auto_run_made_goes_with_the_run_it_raced(driver):
    race(driver)
    driver.type_into("instance.epsilon", "0.2")
    driver.wait(lambda: len(driver.workbench.runs) == 4)
    settle(driver)
    driver.press("Esc")
    driver.start("Ctrl+R")  # the same settings, kept
    settle(driver)
    assert len(driver.workbench.runs) == 6
    driver.type_into("instance.epsilon", "0.25")
    driver.wait(lambda: driver.run.request.instance.min_gap == pytest.approx(0.25))
    settle(driver)
    races = [{each.request.instance.min_gap for each in run.race} for run in driver.workbench.runs]
    assert [len(gaps) for gaps in races] == [1] * 6, "each run is next to its own rival"
    assert all(run.race[0] in driver.workbench.runs for run in driver.workbench.runs)
    driver.remove_run(driver.run)
    driver.start("Esc", "R")
    settle(driver)
    names = [run.name for run in driver.workbench.runs]
    assert len(set(names)) == len(names) == 6, "also where a rival is replaced"
    dialog = driver.opened("Ctrl+D", CompareDialog)
    listed = [dialog.other.itemText(at) for at in range(dialog.other.count())]
    assert "RAGE · paper-hard · seed 1 · another instance · ε (instance) = 0.3" in listed
    alike = [" · another instance" not in each for each in listed]
    assert alike == sorted(alike, reverse=True)


@pytest.mark.parametrize("size", [(1440, 900), (1024, 1100), (900, 1300)])
def test_a_long_name_is_shortened_before_the_verdict_is_cut(qtbot, size):
    draft = Draft.of("sphere", "gems-c", 1, {"D": 5, "d_star": 2, "n": 8}, {"rounds": 8, "selection_budget": 80.0})
    with driven(qtbot, draft, size=size) as driver:
        race(driver)
        driver.press("End")
        driver.shown()
        view = driver.views["race"]
        said = [item.toPlainText() for item in (view.names[0], view.judgements[0])]
        assert all(said)
        lane = view.series.lanes[0]
        arm = driver.trace.instance.target_label(int(lane.path.targets[-1]))
        assert lane.found[0] == f"GEMS-c, one call: leader {arm}"
        assert said[0] in lane.found
        assert not any("…" in words for words in said)


def test_the_oracle_takes_part_on_request(driver):
    race(driver)
    assert len(lanes(driver)) == 2
    driver.do("race_oracle")
    settle(driver)
    assert [lane.side.label for lane in lanes(driver)] == ["GEMS (fixed confidence)", "RAGE", "RAGE, told d⋆"]
    dialog = driver.opened("Ctrl+D", CompareDialog)
    assert dialog.other.currentText() == driver.run.race[1].name, "its partner, not the newest run"
    driver.press("Esc")
    driver.do("race_oracle")
    settle(driver)
    assert len(lanes(driver)) == 2


def test_stop_stops_both(qtbot):
    long = MIDDLE.with_text("algorithm.max_samples", str(10**15)).with_text("instance.epsilon", "1e-5")
    with driven(
        qtbot, long.with_text("algorithm.base", "2").with_text("algorithm.max_loops", "200"), in_thread=False
    ) as driver:
        driver.press("R")
        work = driver.workbench
        driver.wait(lambda: work.active is not None and len(work.active.race) == 2 and len(work.active.trace) > 50)
        seeds = driver.window.race.seeds
        assert seeds.busy
        driver.press("Ctrl+.")
        driver.wait(lambda: all(run.playback.ended for run in work.active.race))
        assert not driver.window.comparison_runs.runs.busy
        driver.wait(lambda: not seeds.busy)


def test_a_run_of_a_file_races_with_its_own_settings(driver):
    trace = Run(make("paper-hard", d_star=4, epsilon=0.25), "fixed-confidence", 3, max_samples=CAP).finish()
    driver.workbench.open(trace, "three.gems")
    run = race(driver)
    assert [each.request.seed for each in run.race] == [3, 3]
    assert sums(run.trace) == sums(trace)
    assert driver.difference_bar.isVisible()
    assert "This race has the settings of the opened run, not those of the form." in driver.said()
    driver.press("Esc")
    driver.type_into("instance.epsilon", "0.2")
    driver.wait(lambda: driver.drafts.instance is not None)
    driver.press("Esc")
    run = race(driver)
    assert run.request.instance == driver.drafts.instance, "R races on the instance in the form once that was changed"
    assert "opened run" not in str(driver.message)


@pytest.mark.parametrize("scale", ["log", "linear"])
def test_the_end_of_a_run_beyond_the_cap_is_on_the_axis(qtbot, scale):
    draft = Draft.of(
        "paper-hard",
        "rage",
        seed=1,
        instance={"d_star": 4, "epsilon": 0.01},
        parameters={"max_samples": 10_000, "last_round": "finish"},
    )
    with driven(qtbot, draft, layout="race") as driver:
        driver.wait(lambda: driver.drafts.instance is not None)
        run = race(driver)
        driver.views["race"].set_option("scale", scale)
        driver.press("End")
        driver.shown()
        view, most = driver.views["race"], max(each.trace.state_at(len(each.trace)).samples for each in run.race)
        assert most > 11_000
        assert view.series.sides.clock == most
        (left, right), x = view.plot.box.viewRange()[0], float(view.series.x(most))
        assert left < x < right - 5 * view.plot.pixel[0], "its mark is whole"
        driver.press("Home")
        driver.shown()
        assert view.series.samples_at(view.series.x_range[1]) < most, "the axis is that of the cap again"


def test_end_goes_to_the_end_of_the_race_also_from_the_end_of_the_shown_run(driver):
    driver.drafts.set_draft(MIDDLE.with_algorithm("rage").with_text("instance.epsilon", "0.9"))
    driver.wait(lambda: driver.drafts.instance is not None)
    run = race(driver)
    own, other = (each.trace.finished.samples for each in run.race)
    assert own < other
    if driver.playback.playing:
        driver.press("Space")
    driver.press("Home")
    driver.shown()
    x = float(driver.views["race"].series.x((own + other) // 2))
    driver.click_plot("race", x, 0.5)
    assert driver.playback.at_end
    assert own < driver.playback.samples < other
    driver.click(driver.transport.buttons["last"])
    assert driver.playback.samples == other
    driver.click_plot("race", x, 0.5)
    assert driver.playback.samples < other
    driver.press("End")
    assert driver.playback.samples == other
    assert not driver.actions["last"].isEnabled()


@pytest.mark.parametrize("scale", ["log", "linear"])
def test_the_cap_has_its_number_at_the_end_of_the_axis(qtbot, scale):
    with driven(qtbot, SMALL.with_text("algorithm.max_samples", "10000"), layout="race") as driver:
        driver.wait(lambda: driver.drafts.instance is not None)
        race(driver)
        view, window = driver.views["race"], driver.window
        view.set_option("scale", scale)
        for width in range(1150, 960, -13):
            window.resize(width, 740)
            driver.shown()
            view.body.grab()
            axis = view.plot.x_axis
            *_, texts = axis.generateDrawSpecs(None)
            box, _, words = max(texts, key=lambda each: each[0].right())
            assert words == ("10⁴" if scale == "log" else f"10{NARROW}000"), width
            assert box.right() <= axis.boundingRect().right()


def test_the_button_of_a_verdict_races_its_run_and_r_races_the_form(driver):
    driver.start()
    driver.finish()
    instance = driver.run.request.instance
    driver.type_into("instance.epsilon", "0.2")
    driver.wait(lambda: driver.drafts.instance is not None and driver.difference_bar.isVisible())
    (button,) = (each for each in driver.window.strip.findChildren(QPushButton) if each.text() == "Race RAGE")
    assert "No run is shown" not in button.toolTip()
    plain = driver.run
    driver.click(button)
    settle(driver)
    assert {run.request.instance for run in driver.run.race} == {instance}
    runs = len(driver.workbench.runs)
    driver.press("Ctrl+L")
    dock = driver.window.run_list.runs_dock
    dock.choose(plain)
    dock.list.setFocus()
    driver.press("Return")
    driver.wait(lambda: driver.board.layout_name != "race")
    assert driver.run is plain
    assert (plain.race, len(driver.workbench.runs)) == ((), runs), "a run that is shown again is not raced"
    assert not driver.window.auto_run.auto.on
    driver.type_into("instance.epsilon", "0.25")
    driver.press("Esc")
    driver.press("R")
    driver.wait(lambda: driver.run.request.instance != instance)
    settle(driver)
    assert {run.request.instance for run in driver.run.race} == {driver.drafts.instance}


def test_the_welcome_page_and_the_preset_start_it(qtbot):
    with welcomed(qtbot) as driver:
        cards = [card for card in (page(driver).race,) if card.isVisible()]
        assert len(cards) == 1
        page(driver).preset_chosen.disconnect()
        page(driver).preset_chosen.connect(lambda name: driver.window.start_preset(name))
        driver.click(cards[0])
        driver.wait(lambda: driver.run is not None and len(driver.run.race) == 2)
        assert driver.draft == PRESETS["race"].draft
        assert driver.board.layout_name == "race"


def test_closing_the_demo_asks_nothing(qtbot):
    with driven(qtbot, PRESETS["race"].draft.with_text("algorithm.max_samples", "3000")) as driver:
        driver.window.begin_with((), True, None, "race", welcome=False, recovers=False)
        settle(driver)
        assert len(driver.run.race) == 2
        assert not any(map(unsaved_run, driver.workbench.runs))
        assert not driver.window.closing.unsaved()
        assert unsaved_run(race(driver)), "this one is started by hand"
        assert unsaved_run(driver.run.race[1])


def test_a_long_run_is_read_in_parts_to_its_end(qtbot, monkeypatch):
    monkeypatch.setattr("gems_gui.workbench.playback.MOST_READ", 5)
    with driven(qtbot, MIDDLE) as driver:
        run = race(driver)
        driver.wait(lambda: all(each.playback.ended for each in run.race))
        assert [each.playback.length for each in run.race] == [len(each.trace) for each in run.race]
        assert run.playback.clock.recorded


# -- seeds -----------------------------------------------------------------------------------------------------------


def test_the_strip_has_the_results_of_plain_runs(driver):
    driver.drafts.set_draft(SMALL)  # a cap at which some are wrong
    run = race(driver)
    driver.wait(lambda: run.seeds.complete)
    driver.press("End")
    driver.shown()
    series = driver.views["seeds"].series
    assert [lane.done for lane in series.lanes] == [30, 30]
    for seed in (1, 7, 30):
        for at, name in enumerate(("fixed-confidence", "rage")):
            found, row = summarise(plain(driver, name, seed)), run.seeds.row(at, seed)
            assert (row.seed, row.correct, row.tau, row.samples) == (seed, found.correct, found.tau, found.samples)
            lane = series.lanes[at]
            assert (seed in lane.seeds.tolist()) == found.correct
            assert (seed in lane.wrong.tolist()) == (not found.correct)
    words = series.subtitle[0]
    for at, name in enumerate(("GEMS", "RAGE")):
        wrong = sum(not summarise(plain(driver, ("fixed-confidence", "rage")[at], seed)).correct for seed in SEEDS)
        assert f"{name} is wrong with {wrong} of 30" in words or f"{name} with {wrong} of 30" in words
    assert run.seeds.wrong(0) + run.seeds.wrong(1) > 0
    view = driver.views["seeds"]
    at_once = [[row.seed for row in run.seeds.rows(at) if row.correct and not row.tau] for at in range(2)]
    assert any(at_once)
    assert [lane.seeds[lane.logs == series.zero].tolist() for lane in series.lanes] == at_once
    assert all(
        lane.logs[lane.logs != series.zero].min(initial=9.0) >= series.lowest > series.zero for lane in series.lanes
    )
    axis = view.plot.y_axis
    assert [(level.value, level.words) for level in axis.levels[view]] == [(series.zero, "0")]
    ticks = [value for _, values in axis.tickValues(*axis.range, axis.height()) for value in values]
    assert min(ticks) >= series.lowest, "no power of ten is at the place of 0"
    crosses = view.plot.box.mapViewToScene(QPointF(0.0, series.cap)).y() - 11 / 2
    assert view.sentence.toPlainText() in series.subtitle
    margin = view.sentence.textItem.document().documentMargin()
    assert view.sentence.sceneBoundingRect().bottom() - margin <= crosses, "the sentence covers no mark"
    rows = view.as_table().rows
    assert len(rows) == 60
    assert "seed 7: GEMS " in seed_text(series, 7.2)
    assert seed_text(series, 7.2).endswith("; click to race with it")
    assert seed_text(series, 1.2).endswith("; this race")


def test_the_strip_says_which_is_first_if_none_is_wrong():
    instance = make("paper-hard", d_star=4, epsilon=0.5)
    given = {"max_samples": 200_000}
    trials = SeedTrials(instance, (("fixed-confidence", given), ("rage", given)), range(1, 9))
    SeedJob(trials, told=trials.add).run()
    trace = Run(instance, "rage", 1, **given).finish()
    series = seed_series(replace(Snapshot.of(trace), seeds=trials))
    assert trials.wrong(0) == trials.wrong(1) == 0
    taus = [
        [summarise(Run(instance, name, seed, **given).finish()).tau for seed in range(1, 9)] for name, _ in trials.lanes
    ]
    first = {"GEMS": sum(map(int.__lt__, *taus)), "RAGE": sum(map(int.__gt__, *taus))}
    best = max(first, key=first.__getitem__)
    level = sum(map(int.__eq__, *taus))
    assert level, "or the rest reads as the seeds of the other one"
    right = "GEMS and RAGE are right with all 8 seeds"
    assert series.subtitle == (f"{right}, {best} first with {first[best]}, level with {level}",)
    half = SeedTrials(instance, trials.lanes, range(1, 9))
    assert seed_series(replace(Snapshot.of(trace), seeds=half)).subtitle == ("0 of 8 seeds done",)


def test_a_picture_has_the_seeds_and_the_race_as_render_paints_it(qapp, tmp_path):
    given = {"max_samples": 3000}
    traces = [Run(race_seeds().instance, name, 1, **given).finish() for name in ("fixed-confidence", "rage")]
    files = []
    for view, seeds in (("seeds", race_seeds()), ("seeds", None), ("race", race_seeds()), ("race", None)):
        files.append(tmp_path / f"{len(files)}.csv")
        job = ExportJob(files[-1], [Frame(len(traces[0]), (view,))], Look())
        made = Export(traces[0], job, traces[1:], seeds=seeds)
        assert not made.step()
        made.finish()
    texts = [file.read_text() for file in files]
    assert len(texts[0].splitlines()) == 21
    assert len(texts[1].splitlines()) == 1
    assert texts[2] == texts[3]


def test_a_click_on_a_seed_races_with_it_and_keeps_the_strip(driver):
    first = race(driver)
    driver.wait(lambda: first.seeds.complete)
    driver.shown()
    driver.click_plot("seeds", 4.0, float(driver.views["seeds"].series.cap - 1.0))
    driver.wait(lambda: driver.run is not first)
    settle(driver)
    assert driver.draft.seed_value() == 4
    assert [each.request.seed for each in driver.run.race] == [4, 4]
    assert driver.run.seeds is first.seeds
    assert sums(driver.run.race[1].trace) == sums(plain(driver, "rage", 4))


def test_a_changed_form_cancels_the_strip_and_starts_it_again(driver):
    first, seen = race(driver), []
    driver.board.snapshot_changed.connect(seen.append)
    driver.drafts.set_draft(driver.draft.with_text("instance.epsilon", "0.2"))
    driver.wait(lambda: driver.run is not first)
    settle(driver)
    assert all(each.seeds is not None for each in seen if each.clock is not None), "a race has seeds from its start"
    assert driver.run.seeds is not first.seeds
    driver.wait(lambda: driver.run.seeds.complete)
    assert driver.run.seeds.instance == driver.run.trace.instance


def test_cancelled_trials_go_on_where_they_were():
    instance = make("paper-hard", d_star=4, epsilon=0.3)
    trials = SeedTrials(
        instance, (("fixed-confidence", {"max_samples": 2000}), ("rage", {"max_samples": 2000})), range(1, 4)
    )
    job = SeedJob(trials, told=lambda row: (trials.add(row), job.cancel()))
    job.run()
    assert not trials.complete
    left = [(trial.algorithm, trial.seed) for trial in trials.missing()]
    assert 0 < len(left) < 6
    SeedJob(trials, told=trials.add).run()
    assert trials.complete
    assert [row.seed for row in trials.rows(1)] == [1, 2, 3]
    assert trials.wrong(0) == sum(not row.correct for row in trials.rows(0))


# -- the clock -------------------------------------------------------------------------------------------------------


def test_the_clock_waits_for_the_run_that_is_behind():
    instance = make("paper-hard", d_star=4, epsilon=0.3)
    whole = [Run(instance, name, 1, max_samples=CAP).finish() for name in ("fixed-confidence", "rage")]
    slow = Trace(instance)
    playbacks = [Playback(whole[0]), Playback(slow)]
    clock = playbacks[0].clock = RaceClock(playbacks)
    playbacks[0].ended = True
    playbacks[0].play()
    playbacks[0].tick(1.0)
    assert clock.samples == clock.known == 0
    for event in list(whole[1])[:14]:
        slow.append(event)
    playbacks[1].catch_up()
    for _ in range(100):
        playbacks[0].tick(0.25)
    history = History(slow)
    history.update()
    assert clock.samples == int(history.clock.samples[-1]) > 0
    assert playbacks[0].playing
    for event in list(whole[1])[14:]:
        slow.append(event)
    playbacks[1].catch_up()
    for _ in range(100):
        playbacks[0].tick(0.25)
    assert clock.over
    assert not playbacks[0].playing
    playbacks[0].play()
    assert clock.samples == 0, "from the start again"
