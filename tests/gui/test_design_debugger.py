"""The design debugger in the window: it follows, it takes what is picked, dragged and loaded, and it draws all that."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog

from gems_engine.design import certify, solve_design
from gems_engine.events import DesignSolved
from gems_engine.terminal import superscript
from gems_gui.analysis.design_debugger import DesignDebugger
from gems_gui.appearance import Appearance
from gems_gui.background.queries import Queries
from gems_gui.snapshot import Snapshot
from gems_gui.theme import LIGHT
from gems_gui.views import DESIGN_VIEWS, VIEWS
from tests.gui.debugger_driver import Debugged, drag, recorded, save
from tests.gui.sample_runs import point
from tests.gui.test_keyboard import name as called
from tests.gui.test_keyboard import said, spoken, walk
from tests.gui.text_boxes import assert_texts_fit
from tests.gui.window_driver import LEFT, drawn_bars, driven


@pytest.fixture
def opened(qtbot):
    with driven(qtbot, size=(1440, 900), layout="talk") as driver:
        yield Debugged(driver)


def test_it_follows_the_cursor_and_draws_what_the_run_recorded(opened):
    arms = len(opened.driver.trace.instance.arms)
    opened.shown()
    assert (opened.study.subject.words, opened.study.subject.recorded) == ("all targets, before the first design", None)
    for which in (0, 5, -1):
        event = opened.go_to_design(which)
        weights = np.zeros(arms)
        weights[event.support] = event.weights
        assert opened.seen.weights.tolist() == weights.tolist()
        assert opened.bars("design-weights", "weights") == pytest.approx(weights)
        painted = drawn_bars(opened.views["design-equivalence"].kinds.values(), arms)
        if len(opened.study.subject.chosen) > 1 and opened.seen.value > 0.0:
            assert painted @ weights == pytest.approx(1.0, abs=1e-9)
            assert painted.max() <= 1.0 + 1e-3
        assert opened.rows()[0][0] == "certified, 1e−6"
        codes = opened.views["design-directions"].image.image
        norms = opened.seen.norms
        top = norms.max() if norms.max() > 0 else 1.0
        assert np.array_equal(codes, np.rint(norms / top * 254))
        heights = opened.views["design-spectrum"].values.opts["height"]
        assert len(heights) == opened.seen.rank
        assert f"{len(opened.study.subject.chosen)} targets in R{superscript(event.d)}" in opened.panel.words.text
    assert not opened.panel.error.isVisible()
    opened.driver.press("Home")
    opened.driver.press("Shift+Right", times=9)
    opened.shown()
    before = opened.driver.trace.positions(DesignSolved) < opened.driver.cursor
    last = opened.driver.trace[int(opened.driver.trace.positions(DesignSolved)[before][-1])]
    assert opened.study.subject.recorded == last
    assert opened.panel.follow.isChecked()


def test_a_click_only_picks_and_an_arm_is_marked_here_and_everywhere(opened):
    opened.go_to_design(-1)
    view = opened.views["design-weights"]
    opened.driver.click(view.plot.viewport(), point(view.plot, 2.0, 0.02))
    assert opened.driver.run.selection.arm == 2
    assert opened.study.custom is None
    opened.driver.workbench.select_arm(3)
    opened.shown()
    for view in ("design-weights", "design-equivalence", "design-rounding"):
        assert opened.views[view].plot.order.selected == 3
    heat = opened.views["design-directions"]
    row = opened.study.subject.chosen[0]
    opened.driver.click(heat.plot.viewport(), point(heat.plot, 0.5, 0.5))
    opened.shown()
    assert opened.driver.run.selection.target == row
    assert heat.row.isVisible()
    opened.views["design-equivalence"].body.setFocus()
    QTest.keyClick(opened.views["design-equivalence"].body, Qt.Key.Key_Down)
    arm = opened.driver.run.selection.arm
    assert arm == row + 1
    opened.driver.press("Ctrl+Shift+D")
    opened.driver.actions["layout_explore"].trigger()
    opened.driver.shown()
    assert opened.driver.views["weights"].series.order.selected == arm
    assert opened.driver.views["counts"].series.order.selected == arm


def test_plus_and_minus_change_the_weight_of_the_picked_arm(opened):
    opened.go_to_design(-1)
    opened.driver.workbench.select_arm(0)
    opened.shown()
    body, before = opened.views["design-weights"].body, opened.seen.weights[0]
    body.setFocus()
    QTest.keyClick(body, Qt.Key.Key_Plus)
    opened.shown()
    assert opened.seen.weights[0] == pytest.approx(before + 0.01)
    QTest.keyClick(body, Qt.Key.Key_Minus, Qt.KeyboardModifier.AltModifier)
    opened.shown()
    assert opened.seen.weights[0] == pytest.approx(before + 0.009)
    for keys, share in (("Ctrl+Z", before + 0.01), ("Ctrl+Z", before), ("Ctrl+Y", before + 0.01)):
        opened.driver.press(keys)
        opened.shown()
        assert opened.seen.weights[0] == pytest.approx(share)


def test_undo_is_about_the_debugger_while_it_stands_in_the_place_of_the_form(opened):
    drafts, act = opened.driver.drafts, opened.driver.actions["undo"]
    drafts.set_draft(drafts.draft.with_text("algorithm.delta", "0.2"))
    assert not act.isEnabled()  # nothing was asked for here
    opened.go_to_design(0)
    opened.write(opened.panel.pickers.targets, "0-4")
    opened.shown()
    opened.debugger.drag(1, 0.4)
    opened.debugger.drop()
    assert act.text() == "Undo change of λ"
    QTest.keyClick(opened.panel.pickers.pulls, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert opened.shown().custom is None
    assert opened.study.subject.chosen == (0, 1, 2, 3, 4)
    opened.driver.press("Ctrl+Z")
    assert opened.shown().subject.recorded is not None
    assert not act.isEnabled()
    assert drafts.draft.text("algorithm.delta") == "0.2"
    opened.driver.press("Ctrl+Shift+D")
    assert act.text() == "Undo change of δ"
    opened.driver.press("Ctrl+Z")
    assert drafts.draft.text("algorithm.delta") != "0.2"


def test_esc_gives_up_a_drag_and_lets_nothing_else_go(opened):
    opened.go_to_design(0)
    opened.driver.workbench.select_arm(1)
    before = opened.shown()
    view = opened.views["design-weights"]
    sizes = [card.size() for card in opened.panel.grid.cards.values()]
    end = drag(view, 1, 0.45 * view.plot.box.viewRange()[1][1])
    assert opened.shown().custom is not None
    assert [card.size() for card in opened.panel.grid.cards.values()] == sizes  # else all is painted twice
    opened.driver.press("Esc")
    study = opened.shown()
    assert study.custom is None
    assert study.subject is before.subject
    assert opened.panel.follow.isChecked()
    assert opened.driver.run.selection.arm == 1
    QTest.mouseMove(view.plot.viewport(), end + QPoint(0, 20))
    QTest.mouseRelease(view.plot.viewport(), LEFT, pos=end)
    assert opened.shown().custom is None
    assert not opened.driver.actions["undo"].isEnabled()


def test_what_it_shares_with_the_board(opened, tmp_path):
    opened.go_to_design(-1)
    heat = opened.views["design-directions"]
    heat.body.setFocus()
    opened.driver.press("Ctrl+M")
    opened.shown()
    assert [name for name, view in opened.views.items() if view.body.isVisible()] == ["design-directions"]
    assert heat.body.width() > 1300
    opened.driver.press("Esc")
    opened.shown()
    assert all(view.body.isVisible() for view in opened.views.values())
    for _ in range(2):
        QTest.mouseDClick(heat.head, LEFT, pos=QPoint(60, 8))
    opened.shown()
    assert all(view.body.isVisible() for view in opened.views.values())
    assert_f1_opens_its_page(opened)
    assert_a_picture_can_be_taken(opened, tmp_path)
    assert_a_hidden_truth_is_not_written(opened)


def assert_f1_opens_its_page(opened):
    opened.views["design-spectrum"].body.setFocus(Qt.FocusReason.TabFocusReason)
    opened.window.setAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
    opened.driver.press("F1")
    titles = [each.browser.source().toString() for each in opened.window.children() if hasattr(each, "browser")]
    assert any("design-spectrum" in title for title in titles)


def assert_a_picture_can_be_taken(opened, tmp_path):
    file = tmp_path / "picture.png"
    save(opened, 3)
    opened.driver.answer(file)
    opened.driver.wait(file.exists)
    assert file.stat().st_size > 20_000
    opened.driver.actions["copy_picture"].trigger()
    image = QApplication.clipboard().image()
    assert image.width() == 2 * opened.panel.grid.width()
    assert opened.window.exports.scene.visible_views == tuple(DESIGN_VIEWS)


def assert_a_hidden_truth_is_not_written(opened):
    opened.driver.press("T")
    save(opened, 0)
    assert "hidden" in opened.driver.said()
    assert not opened.window.findChildren(QFileDialog)


def test_it_stands_in_the_place_of_form_and_board_and_gives_it_back(opened):
    window, driver = opened.window, opened.driver
    assert opened.panel.isVisible()
    assert not window.board.isVisible()
    assert not window.form.isVisible()
    assert driver.actions["debug_design"].isChecked()
    assert window.size().toTuple() == (1440, 900)
    driver.press("Ctrl+Shift+D")
    assert not opened.panel.isVisible()
    assert window.board.isVisible()
    assert window.form.isVisible()
    driver.shown()
    driver.press("Ctrl+Shift+D")
    assert opened.panel.isVisible()
    opened.panel.close_button.click()
    assert window.board.isVisible()
    assert not driver.actions["debug_design"].isChecked()
    driver.press("Ctrl+Shift+D")
    driver.press("Ctrl+3")  # who asks for a layout wants to see it
    assert window.board.isVisible()
    assert not opened.panel.isVisible()
    driver.press("Ctrl+Shift+D")
    window.board.show_view("gaps")
    assert window.board.isVisible()


def test_any_set_and_dimension_by_typing(opened):
    opened.go_to_design(0)
    pickers = opened.panel.pickers
    opened.write(pickers.targets, "0,3-4")
    opened.shown()
    pickers.d.setValue(4)
    study = opened.shown()
    assert (study.subject.chosen, study.subject.d) == ((0, 3, 4), 4)
    assert study.solved.design.value == solve_design(opened.problem((0, 3, 4), 4)).value
    assert not opened.panel.follow.isChecked()
    opened.driver.press("End")
    assert opened.shown().subject.chosen == (0, 3, 4)
    assert "custom" in opened.panel.words.text
    opened.panel.follow.click()
    assert opened.shown().subject.recorded is not None
    assert pickers.targets.text() != "0,3,4"
    narrow = pickers.targets.width()
    opened.write(pickers.targets, ",".join(map(str, range(0, 10, 2))) + ",5-9" * 12)
    assert pickers.targets.width() > narrow


def test_what_was_picked_for_a_round_is_let_go_with_it(opened):
    opened.go_to_design(0)
    opened.write(opened.panel.pickers.pulls, "17")
    assert opened.shown().pulls == 17
    opened.go_to_design(-1)
    assert opened.study.pulls == opened.study.subject.pulls  # it follows the cursor: each round has its own N
    opened.debugger.drag(0, 0.3)
    opened.debugger.drop()
    assert not opened.panel.follow.isChecked()
    before, words = opened.study.pulls, opened.panel.words.text
    opened.driver.press("Home")
    assert (opened.shown().pulls, opened.panel.words.text) == (before, words), "nothing follows the cursor"
    opened.panel.own.click()
    assert opened.panel.follow.isChecked()  # only the hand had kept it there


def test_nonsense_is_refused_in_one_sentence_and_changes_nothing(opened):
    opened.go_to_design(0)
    before = opened.study
    pickers = opened.panel.pickers
    opened.write(pickers.targets, "0,99")
    assert "there is no target 99" in opened.panel.error.text().replace("\N{ZERO WIDTH SPACE}", "")
    assert pickers.targets.property("invalid")
    assert opened.study is before
    opened.write(pickers.targets, "0-4")
    assert not opened.panel.error.isVisible()
    assert not pickers.targets.property("invalid")
    for d in ("99", "0"):
        opened.write(pickers.d, d)
        assert "from 1 to" in opened.panel.error.text()
        assert pickers.d.property("invalid")
        assert opened.debugger.subject.d != int(d)
    opened.write(pickers.d, str(opened.study.subject.d))
    assert not pickers.d.property("invalid")
    assert not opened.panel.error.isVisible()
    opened.write(pickers.pulls, "-3")
    assert pickers.pulls.property("invalid")
    opened.write(pickers.pulls, "17")
    assert opened.shown().pulls == 17
    opened.write(pickers.tolerance, "tight")
    assert pickers.tolerance.property("invalid")
    opened.write(pickers.tolerance, "1e-3")
    assert opened.shown().solved.design.tolerance == 1e-3


def test_another_solver_beside_it(opened):
    opened.go_to_design(0)
    opened.write(opened.panel.pickers.targets, "0-4")
    opened.panel.pickers.d.setValue(5)
    opened.shown()
    opened.pick_beside("frank-wolfe")
    study = opened.study
    problem = opened.problem(range(5), 5)
    published = solve_design(problem, "frank-wolfe")
    assert [row[0] for row in opened.rows()] == ["certified, 1e−6", "Frank–Wolfe, 1 %"]
    assert study.compared.design.value == published.value
    assert study.excess(study.compared) == published.upper_bound / study.solved.design.lower_bound - 1.0
    assert opened.bars("design-weights", "outlines") == pytest.approx(published.weights)
    curve = opened.views["design-bounds"].upper[1].getData()[1]
    assert len(curve) == published.iterations + 1
    equivalence = opened.views["design-equivalence"]
    _, top = equivalence.plot.box.viewRange()[1]
    most = float(study.compared.examination.equivalence.g.max())
    assert 1.01 < most < (10**top if equivalence.plot.log else top)  # how wrong it is can be read
    solver = opened.panel.pickers.solver
    solver.setCurrentIndex(solver.findData("frank-wolfe"))
    solver.activated.emit(solver.currentIndex())
    opened.pick_beside("")
    study = opened.shown()
    assert study.solved.design.solver == "frank-wolfe"
    assert study.reference.design.is_certified  # the measure of what certifies nothing
    assert opened.views["design-equivalence"].series.most > 1.01
    assert len(opened.rows()) == 2


def test_a_hand_that_comes_back_has_changed_nothing(opened):
    opened.go_to_design(0)
    opened.shown()
    debugger = opened.driver.window.designs.debugger
    before = opened.seen.weights
    arm = int(before.argmax())
    for share in (0.9, 1.0, 0.2, float(before[arm])):
        debugger.drag(arm, share)
    assert opened.seen.weights == pytest.approx(before, abs=1e-12)
    debugger.drop()


def test_a_dragged_bar_changes_value_worst_pair_and_proof(opened):
    opened.go_to_design(0)
    opened.write(opened.panel.pickers.targets, "0-4")
    opened.panel.pickers.d.setValue(5)
    opened.shown()
    view = opened.views["design-weights"]
    problem, optimum = opened.problem(range(5), 5), opened.study.solved.design
    before = opened.seen
    end = drag(view, 1, 0.45 * view.plot.box.viewRange()[1][1])
    assert view.plot.dragging == 1
    study = opened.shown()
    share = opened.seen.weights[1]
    assert share == pytest.approx(0.45 * view.plot.box.viewRange()[1][1], abs=0.02)
    assert opened.seen.weights.sum() == pytest.approx(1.0)
    rest = np.delete(before.weights, 1)
    assert np.delete(opened.seen.weights, 1) == pytest.approx(rest * (1 - share) / rest.sum())
    assert study.custom.label == "by hand"
    arms, targets = problem.arms, problem.targets
    inverse = np.linalg.inv(arms.T @ (opened.seen.weights[:, None] * arms))
    norms = {
        (i, j): (targets[i] - targets[j]) @ inverse @ (targets[i] - targets[j]) for i in range(5) for j in range(5)
    }
    assert opened.seen.value == pytest.approx(max(norms.values()))
    assert norms[opened.seen.worst] == pytest.approx(max(norms.values()))
    assert opened.seen.lower_bound == optimum.lower_bound  # proven for all weights
    assert opened.bars("design-weights", "by_hand") == pytest.approx(opened.seen.weights)
    assert opened.bars("design-weights", "outlines") == pytest.approx(optimum.weights)
    assert [row[0] for row in opened.rows()] == ["by hand", "certified, 1e−6"]
    QTest.mouseRelease(view.plot.viewport(), LEFT, pos=end)
    opened.driver.wait(lambda: opened.debugger.inquiry.custom.examination is not None)
    opened.shown()
    searched = certify(problem, opened.seen.weights)
    assert opened.seen.value == pytest.approx(searched.value)
    assert opened.seen.equivalence.g == pytest.approx(searched.equivalence.g, rel=1e-9)
    assert not opened.panel.follow.isChecked()
    opened.panel.own.click()
    assert opened.shown().custom is None
    assert not opened.panel.own.isVisible()
    assert opened.seen.weights.tolist() == before.weights.tolist()


def test_after_a_drag_nothing_follows_the_cursor(opened):
    opened.go_to_design(0)
    opened.shown()
    view = opened.views["design-weights"]
    end = drag(view, 1, 0.45 * view.plot.box.viewRange()[1][1])
    QTest.mouseRelease(view.plot.viewport(), LEFT, pos=end)
    before, said = opened.shown(), opened.panel.words.text
    assert not opened.panel.follow.isChecked()
    opened.driver.press("End")
    after = opened.shown()
    assert opened.driver.cursor > 20
    assert (after.pulls, after.subject.words, opened.panel.words.text) == (before.pulls, before.subject.words, said)
    assert opened.seen.weights[1] == before.main.examination.weights[1]


# -- another run, another look --------------------------------------------------------------------------------------


def test_what_was_pinned_on_another_instance_is_let_go(opened):
    opened.go_to_design(-1)
    opened.write(opened.panel.pickers.targets, "0,1")
    opened.shown()
    opened.driver.workbench.open(recorded(6), "other.gems")
    opened.go_to_design(-1)
    assert opened.panel.follow.isChecked()
    assert len(opened.study.main.examination.weights) == 7


def test_while_a_run_goes_on_each_design_that_was_begun_is_shown(qtbot):
    """Else none would ever be there in time where rounds are quicker than their designs."""
    queries = Queries(in_thread=True)
    debugger = DesignDebugger(queries)
    trace = recorded()
    first, *between, last = (Snapshot.of(trace, int(at) + 1) for at in trace.positions(DesignSolved)[-4:])
    shown = []
    debugger.changed.connect(lambda: shown.append(debugger.study and debugger.study.subject.recorded))
    debugger.open(first)
    for snapshot in (*between, last):
        debugger.show_snapshot(snapshot)
    assert debugger.study is None
    assert "solving" in debugger.waits
    qtbot.waitUntil(lambda: not debugger.waits and debugger.study.subject.recorded == last.state.design)
    recorded_designs = [each for each in shown if each is not None]
    assert recorded_designs[0] == first.state.design
    assert between[0].state.design not in recorded_designs
    debugger.show_snapshot(first)  # known already: no waiting
    assert debugger.study.subject.recorded == first.state.design
    debugger.close()
    queries.close()


def test_without_a_run_it_says_so(qtbot):
    with driven(qtbot, layout="talk") as driver:
        assert driver.window.designs.panel is None  # not loaded before it is asked for
        driver.press("Ctrl+Shift+D")
        panel = driver.window.designs.panel
        assert "Run an algorithm" in panel.error.text()
        assert not panel.pickers.isEnabled()
        assert not panel.save.isEnabled()
        driver.actions["certify_weights"].trigger()
        assert "Press Ctrl+R" in driver.said()


_SIZES = [
    ((1024, 700), 1.5),
    pytest.param((1024, 700), 1.0, marks=pytest.mark.long),
    pytest.param((1440, 900), 1.0, marks=pytest.mark.long),
]


@pytest.mark.parametrize(("size", "scale"), _SIZES)
def test_texts_fit_and_tab_visits_everything(qtbot, size, scale):
    with driven(qtbot, size=size, layout="talk") as driver:
        if scale != 1.0:
            driver.set_look(font_scale=scale)
        opened = Debugged(driver)
        opened.go_to_design(0)
        opened.pick_beside("frank-wolfe")
        opened.debugger.drag(0, 0.3)
        opened.debugger.drop()
        opened.shown()
        assert driver.window.size().toTuple() == size
        for theme in ("dark", "light"):
            driver.set_look(theme)
            opened.shown()
            driver.window.grab()
            for card in opened.panel.grid.cards.values():
                assert_texts_fit(card)
        driver.window.centralWidget().setFocus()
        driver.window.used = None  # Tab would go on from the list that was used last
        stops = walk(driver)
        inside = [stop for stop in stops if opened.panel.isAncestorOf(stop)]
        expected = [
            opened.panel.follow,
            opened.panel.own,
            opened.panel.improve,
            opened.panel.certify,
            opened.panel.save,
            opened.panel.close_button,
            *(each for each in opened.panel.pickers.inputs() if each.isEnabled()),
        ]
        assert inside[: len(expected)] == expected
        bodies = [view.body for view in opened.views.values() if view.is_plot]
        assert set(bodies) <= set(inside)
        for stop in inside:
            assert spoken(stop), f"{called(stop)} has no name"
            for what in ("statusTip", "whatsThis"):
                assert said(stop, what), f"{called(stop)} has no {what}"


def test_the_registry_knows_them_and_the_board_does_not():
    assert not set(DESIGN_VIEWS) & set(VIEWS)
    for name, kind in DESIGN_VIEWS.items():
        assert (kind.name, kind.title) == (name, DESIGN_VIEWS.titles[name])
        view = kind(Appearance(LIGHT), exporting=True)
        assert view.head.title.text() == kind.title
        for part in (view.head, view.body):
            part.deleteLater()
    assert QApplication.instance() is not None
