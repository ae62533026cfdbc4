"""Views, families and experiments of other packages in the window; a broken one is listed, a failing one covered."""

import sys

import pytest
from PySide6.QtCore import Qt

from gems_engine import plugins
from gems_engine.cli import main
from gems_engine.experiment.library import plugin_experiments
from gems_engine.gallery import FAMILIES, plugin_families
from gems_gui.appearance import Appearance
from gems_gui.board.board import Board
from gems_gui.experiments.experiment_session import ExperimentSession, examined
from gems_gui.help.pages import pages, view_key
from gems_gui.help.parameters import parameters
from gems_gui.painting.render import view_names
from gems_gui.panels.instance_form import InstanceForm
from gems_gui.theme import LIGHT
from gems_gui.views import EVERY_VIEW, VIEWS, plugin_views
from gems_gui.views.error_card import ErrorCard
from gems_gui.workbench.messages import ERROR
from tests.gui.window_driver import SMALL, driven
from tests.plugin_packages import install, template

FAILING = template("failing", "view").replace("series = self.series = series_of(snapshot)", "raise KeyError('θ')")


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for path in tmp_path.glob("*.py"):
        sys.modules.pop(path.stem, None)
    for cached in (plugins._attempt, pages, parameters):
        cached.cache_clear()


@pytest.fixture
def installed(site):
    """Two views, of which one fails, a broken view, and a family."""
    install(site, "pace", template("pace", "view"), "gems.views", lines="pace = pace:Pace")
    install(site, "failing", FAILING, "gems.views", lines="failing = failing:Failing")
    install(site, "no-view", "PLUGIN = 3", "gems.views")
    install(site, "ring", template("ring", "family"), "gems.families", lines="ring = ring:RING")
    install(site, "no-family", "1 / 0", "gems.families")
    pages.cache_clear()
    parameters.cache_clear()
    return site


def test_a_window_lists_paints_and_exports_views_of_other_packages(installed, qtbot):
    with driven(qtbot) as driver:
        window, board = driver.window, driver.window.board
        driver.wait(lambda: window.begun and board.ready)
        assert list(board.docks) == [*VIEWS.built_in, "failing", "pace"]
        menu = {action.text(): action for action in window.services.actions.menu("View/Views").actions()}
        assert {"Pace", "Failing"} <= set(menu)
        assert not menu["no-view (broken)"].isEnabled()
        assert "cannot be used: it is of the type int" in menu["no-view (broken)"].toolTip()
        assert board.docks["pace"].isHidden()
        driver.start("Ctrl+Return")
        driver.finish()
        for name in ("pace", "failing"):
            board.show_view(name)
            driver.wait(lambda name=name: board.settled and name in board.views)
        pace, failing = board.views["pace"], board.views["failing"]
        board.show_view("pace")
        board.settle()
        assert len(pace.series.samples) == len(driver.trace.positions("pulled"))
        assert pace.failure is None
        board.show_view("failing")
        board.settle()
        assert failing.failure is not None
        assert failing.failure[0].startswith('The view "Failing" cannot be drawn')
        assert any(card.isVisibleTo(failing.body) for card in failing.body.findChildren(ErrorCard))
        logged = [each.sentence for each in window.workbench.messages.entries if each.kind == ERROR]
        assert any(each.startswith('The view "no-view" of the package no-view cannot be used: ') for each in logged)
        assert any(each.startswith('The family "no-family" of the package no-family cannot be') for each in logged)
        assert pages()[view_key("pace")].text.startswith("# Pace\n\nThe samples drawn so far")
        entries = [each.text for each in _palette(driver)]
        assert "Show view: Pace" in entries
        box = window.form.instance_form.family
        assert [box.itemData(row) for row in range(box.count())] == [*FAMILIES.built_in, "ring", None]
        assert not box.model().item(box.count() - 1).isEnabled()
        assert "ZeroDivisionError" in box.itemData(box.count() - 1, Qt.ItemDataRole.ToolTipRole)
        driver.drafts.set_draft(SMALL.with_family("ring"))
        assert box.currentData() == "ring"
        driver.start("Ctrl+Return")
        driver.finish()
        assert driver.trace.instance.recipe.family == "ring"
        window.layouts.remember()
    with driven(qtbot) as driver:  # the next session
        board = driver.window.board
        driver.wait(lambda: driver.window.begun and board.ready)
        assert not board.docks["pace"].isHidden()


def _palette(driver):
    from gems_gui.palette_entries import palette_entries

    window = driver.window
    return palette_entries(window.services, window.board, window.layouts, window.form, print, print)


def test_the_command_line_lists_paints_and_refuses_them(installed, tmp_path, capsys):
    assert main(["render", "--list"]) == 0
    said = capsys.readouterr().out
    assert "\n  pace " in said
    assert list(EVERY_VIEW) == [*EVERY_VIEW.built_in, "failing", "pace"]
    assert view_names()[-1] == "pace"
    assert main(["render", "--help"]) == 0
    assert 'Broken plug-ins:\n  The view "no-view" of the package no-view cannot be used: ' in capsys.readouterr().out
    table, picture = tmp_path / "pace.csv", tmp_path / "pace.png"
    for path in (table, picture):
        assert main(["render", "soare:D=3", "--view", "pace", "-o", str(path)]) == 0
    header, *rows = table.read_text().splitlines()
    assert header == "allocation,samples"
    assert len(rows) > 3
    assert picture.read_bytes().startswith(b"\x89PNG")
    capsys.readouterr()
    assert main(["render", "soare:D=3", "--view", "no-view", "-o", str(picture)]) == 2
    assert capsys.readouterr().err.startswith(
        'gems: The view "no-view" of the package no-view cannot be used: it is of '
    )


VIEW = template("toy", "view")
WRONG = {
    "fails-on-import": ("1 / 0", "it cannot be loaded: ZeroDivisionError: division by zero."),
    "is-a-class": ("class PLUGIN: pass", "it is the class PLUGIN, not a subclass of View."),
    "is-a-number": ("PLUGIN = 3", "it is of the type int, not a subclass of View."),
    "calls-itself-toy": (VIEW, 'the view calls itself "toy". Give the entry point the same name.'),
    "Shouts": (VIEW.replace('"toy"', '"Shouts"'), "its name must be lower-case letters, digits and hyphens, such as"),
    "gaps": (VIEW.replace('"toy"', '"gaps"'), "a built-in view has this name. Rename it."),
    "board": (VIEW.replace('"toy"', '"board"'), "a built-in view has this name. Rename it."),
    "untitled": (VIEW.replace('"toy"', '"untitled"').replace('"Toy"', '""'), "its title and about must be text."),
    "taken": (
        VIEW.replace('"toy"', '"taken"').replace('"Toy"', '"Theory"'),
        "a built-in view has its title. Change it.",
    ),
    "odd": (VIEW.replace('"toy"', '"odd"\n    options = (3,)'), "its options must be a tuple of Option."),
}


@pytest.mark.parametrize(("name", "source", "reason"), [(name, *each) for name, each in WRONG.items()], ids=WRONG)
def test_a_broken_view_is_one_sentence_and_is_not_used(site, name, source, reason):
    install(
        site, "theirs", f"{source}\nPLUGIN = globals().get('Toy', globals().get('PLUGIN'))", "gems.views", entry=name
    )
    found = plugin_views()
    assert found.usable == {}
    (broken,) = found.broken
    assert broken.reason.startswith(reason)
    assert broken.sentence.startswith(f'The view "{name}" of the package theirs cannot be used: ')
    assert list(VIEWS) == list(VIEWS.built_in)


VIEW_FAULTS = {
    "documented": VIEW.replace('after each allocation."\n    marks', 'after each allocation"\n    marks'),
    "paints": VIEW.replace("count = len(series.samples)", "count = 1 // len(series.samples)"),
    "cursor": VIEW.replace(" if at < snapshot.cursor", ""),
    "exports": VIEW.replace(
        "count = len(series.samples)", "count = len(series.samples)\n        self.exporting and 1 / 0"
    ),
}


@pytest.mark.parametrize("about", VIEW_FAULTS)
def test_each_check_of_a_view_can_fail(site, qapp, about):
    from gems_gui.commands.view_contract import check_view

    assert VIEW_FAULTS[about] != VIEW
    install(site, "toy", VIEW_FAULTS[about], "gems.views", lines="toy = toy:Toy")
    found = {each.about: each for each in check_view("toy")}
    assert not found[about].good
    assert found[about].result.endswith(".")


def test_start_up_looks_for_no_plug_ins(monkeypatch, qtbot):
    """The board and the form are made without a look at the installed packages."""
    monkeypatch.setattr(plugins, "entry_points", lambda group: pytest.fail(f"looks for {group}"))
    board = Board(Appearance(LIGHT), deferred=True)
    qtbot.addWidget(board)
    assert list(board.docks) == list(VIEWS.built_in)
    form = InstanceForm()
    qtbot.addWidget(form)
    form.show_draft(SMALL)
    assert form.family.count() == len(FAMILIES.built_in)


def test_the_experiment_page_offers_experiments_of_other_packages(site, qtbot):
    source = """
import numpy as np
from gems_engine.instance import Instance
def PLUGIN():
    arms = Instance.linear(np.eye(2), [1.0, 0.0])
    return {"title": "Two arms", "trials": 2, "instance": arms, "algorithm": [{"name": "rage"}]}
"""
    install(site, "two-arms", source, "gems.experiments")
    install(site, "no-experiment", "PLUGIN = 3", "gems.experiments")
    assert list(plugin_experiments().usable) == ["two-arms"]
    session = ExperimentSession()
    chosen = list(session)[-1]
    assert (chosen.kind, chosen.name, chosen.key) == ("plug-in", "two-arms", "plug-in:two-arms")
    assert session.title(chosen) == "Two arms"
    assert examined(session.text_of(chosen), chosen, edited=False).name == "two-arms"
    more = session.text_of(chosen).replace("trials = 2", "trials = 3")
    assert (examined(more, chosen, edited=True).name, examined(more, chosen, True).trials) == ("two-arms-edited", 3)
    assert plugin_views().usable == plugin_families().usable == {}
    with driven(qtbot) as driver:
        driver.press("Ctrl+Shift+X")
        picker = driver.window.experiments.page.spec_picker
        driver.wait(lambda: picker.source.count() > 0)
        texts = [picker.source.itemText(row) for row in range(picker.source.count())]
        assert "Two arms · plug-in" in texts
        broken = texts.index("no-experiment (broken)")
        assert not picker.source.model().item(broken).isEnabled()
        tip = picker.source.itemData(broken, Qt.ItemDataRole.ToolTipRole)
        assert "cannot be used: it is of the type int, not the path of a TOML file or a function." in tip
