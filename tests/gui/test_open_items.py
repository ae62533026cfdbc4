"""Opening a CSV file in the window: the dialog, what it makes of the columns, and what is proposed afterwards."""

import shlex
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog

from gems_engine.cli import main
from gems_engine.files import read_instance, read_run, write_instance
from gems_engine.formats.item_options import AS_IS, COMPONENTS, STANDARDISED, ItemOptions
from gems_engine.gallery import make
from gems_gui.commands.window import COMMAND
from gems_gui.drafts.draft import Draft, FromFile, FromGallery, FromTable
from gems_gui.drafts.instance_table import InstanceTable
from gems_gui.drafts.open_plan import OpenPlan
from gems_gui.panels.open_items_dialog import OpenItemsDialog
from gems_gui.panels.paste_dialog import PasteDialog
from gems_gui.window import MainWindow
from gems_gui.workbench.command_line import repeating_line
from tests.gui.test_closing import answer_file, edited
from tests.gui.window_driver import choose_by_keys, driven, open_dialog

ITEMS = """item,x1,x2,note,score
a,1,5,old,0
b,2,3,new,40
c,3,4,new,20
d,4,5,old,200
e,4,3,old,100
"""
HEADER = tuple(ITEMS.splitlines()[0].split(","))
ROWS = tuple(tuple(line.split(",")) for line in ITEMS.splitlines()[1:])
USUAL = ItemOptions()


# -- plans ----------------------------------------------------------------------------------------------------------


def plan(options=None):
    return OpenPlan.of(HEADER, ROWS, options, USUAL)


def test_headers_and_cells_propose_the_roles():
    assert plan().sheet.roles == ("name", "feature", "feature", "left out", "feature")
    assert plan().options() == ItemOptions(name_column="item", ignore=("note",))
    better = plan().with_role(4, "reward")
    assert better.options() == ItemOptions(name_column="item", reward_column="score", ignore=("note",))
    moved = better.with_role(2, "reward")
    assert moved.sheet.roles == ("name", "feature", "reward", "left out", "left out"), "there is one column of rewards"
    assert plan().with_role(1, "left out").with_role(2, "left out").with_role(4, "left out").refusal()


@pytest.mark.parametrize(
    "options",
    [
        ItemOptions(name_column="item", reward_column="score", ignore=("note",)),
        ItemOptions(STANDARDISED, name_column="item", reward_column="score", columns=("x2", "x1"), scale_rewards=True),
        ItemOptions(COMPONENTS, False, "note", "score", columns=("x2",)),
        ItemOptions(AS_IS, True, "item", "x2", ignore=("note", "score")),
    ],
)
def test_a_plan_has_the_options_that_it_was_given(options):
    assert plan(options).options().roles(HEADER) == options.roles(HEADER)
    made = plan(options)
    assert (made.features, made.intercept) == (options.features, options.has_intercept)
    assert made.scale_rewards == options.scale_rewards
    assert plan(options).with_options(ItemOptions(columns=("x1",))).options().roles(HEADER)[0] == ("x1",)


def test_columns_called_name_and_reward_can_be_anything():
    header, rows = ("name", "reward", "x"), (("1", "2", "3"), ("4", "5", "6"))
    start = OpenPlan.of(header, rows, None, USUAL)
    assert start.options() == ItemOptions()
    for roles in (("feature", "reward", "feature"), ("left out", "feature", "reward"), ("reward", "name", "feature")):
        chosen = start
        for j, role in enumerate(roles):
            chosen = chosen.with_role(j, role)
        assert start.with_options(chosen.options()).sheet.roles == chosen.sheet.roles


def test_options_of_a_file_with_other_columns_are_forgotten():
    assert plan(ItemOptions(columns=("gone",))) == plan()


# -- the dialog -----------------------------------------------------------------------------------------------------


@pytest.fixture
def driver(qtbot):
    with driven(qtbot) as made:
        yield made


@pytest.fixture
def items(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text(ITEMS)
    return path


def asked(driver, path):
    """The dialog for a file, when it has been read."""
    driver.window.open_files([str(path)])
    driver.wait(lambda: open_dialog(driver.window, OpenItemsDialog) is not None)
    dialog = open_dialog(driver.window, OpenItemsDialog)
    driver.wait(lambda: dialog.go.isEnabled() or dialog.sentence.isVisible())
    return dialog


def choose(combo, key):
    """Choose an entry as a person does with the keyboard."""
    steps = combo.findData(key) - combo.currentIndex()
    choose_by_keys(combo, *[Qt.Key.Key_Down if steps > 0 else Qt.Key.Key_Up] * abs(steps))


def click_column(driver, dialog, column):
    """Click a cell of a column of the preview."""
    cell = dialog.preview.model().index(0, column)
    dialog.preview.scrollTo(cell)
    driver.click(dialog.preview.viewport(), dialog.preview.visualRect(cell).center())


def settled(driver, dialog):
    driver.wait(dialog.go.isEnabled)
    return dialog.words.text()


def test_a_file_is_opened_as_chosen_in_one_step_of_undo_and_its_command_repeats_the_run(driver, items, tmp_path):
    before = driver.draft
    dialog = asked(driver, items)
    assert dialog.windowTitle() == "Open items.csv"
    roles = "3 features as they are, without an intercept; name: item, no rewards; ignored: note."
    assert settled(driver, dialog).startswith(f"{roles} Choose the column of the rewards")
    header, place = dialog.preview.horizontalHeader(), dialog.features.pos()
    driver.click(header.viewport(), header.viewport().rect().topLeft() + _middle(header, 4))
    choose(dialog.role, "reward")
    assert settled(driver, dialog).startswith(
        "2 features as they are, without an intercept; name: item, reward: score;"
    )
    choose(dialog.features, STANDARDISED)
    assert dialog.intercept.isChecked()
    assert settled(driver, dialog).startswith("2 features standardised, with an intercept;")
    assert dialog.remarks.text().splitlines() == [
        "The best linear fit in R³ misses the rewards by up to 50 (25\u202f% of their range). "
        '"GEMS (misspecified)" allows for that.',
        'The gap of a is 200, but the paper assumes gaps of at most 2. Choose "Scale rewards".',
    ]
    assert dialog.features.pos() == place, "the remarks do not move it"
    driver.click(dialog.scale)
    assert settled(driver, dialog).endswith("rewards divided by 100.")
    assert dialog.remarks.text() == (
        "The best linear fit in R³ misses the rewards by up to 0.5 (25\u202f% of their range). "
        '"GEMS (misspecified)" allows for that.'
    )
    click_column(driver, dialog, 1)
    assert not dialog.earlier.isEnabled()
    driver.click(dialog.later)
    settled(driver, dialog)
    assert not dialog.later.isEnabled(), "it is the last feature now, and still the current column"
    driver.click(dialog.go)
    driver.wait(lambda: isinstance(driver.draft.source, FromFile) and driver.drafts.instance is not None)
    instance = driver.drafts.instance
    assert instance.feature_names == ("intercept", "x2", "x1")
    assert instance.arm_names == ("a", "b", "c", "d", "e")
    np.testing.assert_allclose(instance.rewards, [0.0, 0.4, 0.2, 2.0, 1.0])

    driver.wait(lambda: driver.form.assumptions.buttons)
    assert driver.workbench.messages.current == [
        "The best linear fit in R³ misses the rewards by up to 0.5 (25\u202f% of their range). "
        "See the assumptions in the form for what to do."
    ]
    assert list(driver.form.assumptions.buttons) == ["linear"]
    driver.form._scroll.ensureWidgetVisible(driver.form.assumptions.buttons["linear"])
    driver.click(driver.form.assumptions.buttons["linear"])
    assert driver.draft.algorithm == "misspecified"
    assert driver.form.assumptions.buttons == {}
    driver.press("Ctrl+Z")
    assert driver.draft.algorithm == before.algorithm
    driver.press("Ctrl+Z")
    assert driver.draft == before, "opening is one step"
    assert driver.workbench.messages.current == []
    driver.press("Ctrl+Shift+Z")

    driver.wait(lambda: driver.drafts.instance is not None)
    driver.drafts.set_draft(driver.draft.with_text("algorithm.max_samples", "2000"))
    driver.press("Ctrl+Return")
    driver.wait(lambda: driver.workbench.active is not None and driver.workbench.active.trace.finished is not None)
    line = repeating_line(driver.workbench.active, driver.workbench.saved_instances)
    file = tmp_path / "again.gems"
    assert main([*shlex.split(line)[1:], "-o", str(file)]) == 0
    assert read_run(file).instance.digest == instance.digest
    assert len(read_run(file)) == len(driver.workbench.active.trace)
    saved = tmp_path / "mine.gems"
    driver.window.file_controller.write_run(driver.workbench.active, str(saved))
    driver.wait(lambda: driver.workbench.active.path == str(saved))
    assert main(["verify", str(saved)]) == 0
    driver.remove_run(driver.workbench.active)
    driver.window.open_files([str(saved)])
    driver.wait(lambda: len(driver.workbench.runs) == 1)
    opened = driver.workbench.active
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)  # the run knows the name of its file, not the folder
        words = shlex.split(repeating_line(opened, {}))
    assert words[:3] == ["gems", "run", "items.csv"]
    assert words[3:] == shlex.split(line)[3:]

    again = asked(driver, items)
    assert again.plan.options() == ItemOptions(
        STANDARDISED, name_column="item", reward_column="score", columns=("x2", "x1"), scale_rewards=True
    ), "the choice for this file is remembered"
    QTest.keyClick(again, Qt.Key.Key_Escape)
    driver.wait(lambda: open_dialog(driver.window, OpenItemsDialog) is None)


def _middle(header, section):
    point = header.viewport().rect().topLeft()
    point.setX(header.sectionViewportPosition(section) + header.sectionSize(section) // 2)
    point.setY(header.height() // 2)
    return point


def test_bad_files_and_roles_are_said_in_the_dialog_and_several_files_come_in_turn(driver, items, tmp_path):
    (tmp_path / "bad.csv").write_text("name,x1,reward\na,1,0\nb,2,one\n")
    driver.window.open_files([str(tmp_path / "bad.csv"), str(items)])
    driver.wait(lambda: open_dialog(driver.window, OpenItemsDialog) is not None)
    first = open_dialog(driver.window, OpenItemsDialog)
    driver.wait(first.sentence.isVisible)
    assert 'Line 3, column "reward" is "one": it must be a finite number.' in first.sentence.text()
    assert not first.go.isEnabled()
    choose(first.role, "left out")
    assert first.sentence.text() == "Choose a column of features."
    QTest.keyClick(first, Qt.Key.Key_Escape)
    driver.wait(lambda: open_dialog(driver.window, OpenItemsDialog) is not None)
    second = open_dialog(driver.window, OpenItemsDialog)
    assert second.path == str(items)
    settled(driver, second)
    QTest.keyClick(second, Qt.Key.Key_Escape)
    driver.wait(lambda: open_dialog(driver.window, OpenItemsDialog) is None)
    (tmp_path / "empty.csv").write_text("")
    driver.window.open_files([str(tmp_path / "empty.csv")])
    driver.wait(lambda: driver.workbench.messages.errors)
    assert "The file is empty" in driver.workbench.messages.errors[0]


def test_hidden_truth_is_not_shown_by_the_dialog(driver, items):
    driver.press("T")
    dialog = asked(driver, items)
    choose_reward(driver, dialog)
    assert not driver.workbench.truth
    assert dialog.remarks.text() == ""
    QTest.keyClick(dialog, Qt.Key.Key_Escape)


def choose_reward(driver, dialog):
    click_column(driver, dialog, 4)
    choose(dialog.role, "reward")
    settled(driver, dialog)


def test_dropping_a_file_and_starting_with_one_ask_too(driver, items, tmp_path):
    assert driver.drop(driver.window, items)
    driver.wait(lambda: open_dialog(driver.window, OpenItemsDialog) is not None)
    dialog = open_dialog(driver.window, OpenItemsDialog)
    settled(driver, dialog)
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    driver.wait(lambda: isinstance(driver.draft.source, FromFile))
    driver.window.begin_with([str(items)], False, None, welcome=False, recovers=True)
    driver.wait(lambda: open_dialog(driver.window, OpenItemsDialog) is not None)
    dialog = open_dialog(driver.window, OpenItemsDialog)
    settled(driver, dialog)
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    driver.window.begin_with([str(_plain(tmp_path))], False, None, welcome=False, recovers=False)  # for a picture
    driver.wait(lambda: driver.draft.source.path.endswith("plain.csv"))
    assert open_dialog(driver.window, OpenItemsDialog) is None


def test_a_csv_file_of_ones_own_is_not_rewritten_unasked(driver, tmp_path):
    """With other columns, in another order: saving proposes a file of our own next to it."""
    text = "reward;name;price;weight\n0,7;first;1,0;0,2\n0,1;second;0,4;0,9\n0,4;third;0,3;0,5\n"
    own = tmp_path / "shop.csv"
    own.write_text(text)
    assert driver.drop(driver.window, own)
    driver.wait(lambda: open_dialog(driver.window, OpenItemsDialog) is not None)
    dialog = open_dialog(driver.window, OpenItemsDialog)
    settled(driver, dialog)
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    driver.wait(lambda: isinstance(driver.draft.source, FromFile) and driver.drafts.instance is not None)
    edited(driver, "7")
    driver.press("Ctrl+Shift+I")
    driver.wait(lambda: open_dialog(driver.window, QFileDialog) is not None)
    (proposed,) = open_dialog(driver.window, QFileDialog).selectedFiles()
    assert Path(proposed).name == "shop.json"
    answer_file(driver, tmp_path / "mine.csv")
    driver.wait(lambda: driver.message.endswith("mine.csv."))
    assert own.read_text() == text
    edited(driver, "8")
    driver.press("Ctrl+Shift+I")
    driver.wait(lambda: "first,0.7,8" in (tmp_path / "mine.csv").read_text())
    assert open_dialog(driver.window, QFileDialog) is None, "this one is ours"


def test_gems_with_the_name_of_a_file_opens_it(qapp, items, monkeypatch):
    """By the command itself: the window that it opens asks, and Return agrees."""
    monkeypatch.chdir(items.parent)
    installed = SimpleNamespace(usable={"window": COMMAND}, broken=[])
    monkeypatch.setattr("gems_engine.cli.plugin_commands", lambda: installed)
    opened = []

    def agree():
        for window in QApplication.topLevelWidgets():
            if isinstance(window, MainWindow) and window.isVisible():
                dialog, source = open_dialog(window, OpenItemsDialog), window.workbench.drafts.draft.source
                if isinstance(source, FromFile):
                    opened.append(Path(source.path).name)
                    window.close_without_asking()
                    window.deleteLater()
                elif dialog is not None and dialog.go.isEnabled():
                    QTest.keyClick(dialog, Qt.Key.Key_Return)

    timer = QTimer(interval=20)
    timer.timeout.connect(agree)
    timer.start()
    assert main(["items.csv"]) == 0
    timer.stop()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    qapp.setStyleSheet("")  # the next window opens in half the time
    assert opened == ["items.csv"]


@pytest.mark.parametrize(("separator", "name"), [(",", "items.csv"), (";", "items.csv"), ("\t", "items.TSV")])
def test_opening_and_pasting_read_the_same(driver, tmp_path, separator, name):
    lines = [("name", "x", "y", "reward"), ("a", "1,5", "1,234", "0,25"), ("b; c", "-2", "1 000", "0,5")]
    text = "".join(separator.join(f'"{cell}"' if separator in cell else cell for cell in row) + "\n" for row in lines)
    (tmp_path / name).write_text(text)
    driver.wait(lambda: driver.drafts.instance is not None)
    driver.press("Ctrl+T")
    view = driver.window.instance_table.editor.view
    driver.wait(view.isVisible)
    view.setFocus()
    QGuiApplication.clipboard().setText(text)
    driver.press("Ctrl+V")
    QTest.keyClick(open_dialog(driver.window, PasteDialog), Qt.Key.Key_Return)
    driver.wait(lambda: isinstance(driver.draft.source, FromTable) and driver.drafts.instance is not None)
    pasted = driver.drafts.instance
    assert driver.drop(driver.window, tmp_path / name)
    driver.wait(lambda: open_dialog(driver.window, OpenItemsDialog) is not None)
    dialog = open_dialog(driver.window, OpenItemsDialog)
    settled(driver, dialog)
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    driver.wait(lambda: isinstance(driver.draft.source, FromFile) and driver.drafts.instance is not None)
    opened = driver.drafts.instance
    assert opened.arms.tolist() == pasted.arms.tolist() == [[1.5, 1.234], [-2.0, 1000.0]]
    assert opened.rewards.tolist() == pasted.rewards.tolist() == [0.25, 0.5]
    assert opened.arm_names == pasted.arm_names == ("a", "b; c")


def test_a_file_that_may_be_read_in_two_ways_is_refused_with_a_sentence(driver, tmp_path):
    before = driver.draft
    (tmp_path / "items.csv").write_text("1,5;2,3\n4,5;6,7\n")
    assert driver.drop(driver.window, tmp_path / "items.csv")
    driver.wait(lambda: "not clear whether commas or semicolons" in driver.message)
    assert driver.draft == before


def test_a_run_at_once_does_not_ask(driver, tmp_path):
    (tmp_path / "plain.csv").write_text("name,x1,x2,reward\na,1,0,0.2\nb,0,1,0.9\n")
    driver.window.begin_with([str(tmp_path / "plain.csv")], True, None, welcome=False, recovers=False)
    driver.wait(lambda: driver.run is not None)
    assert isinstance(driver.draft.source, FromFile)
    assert open_dialog(driver.window, OpenItemsDialog) is None
    (tmp_path / "text.csv").write_text("product,shop,price,sales\na lamp,north,9.5,434\na chair,south,43.9,345\n")
    run = driver.run
    assert driver.drop(driver.window, tmp_path / "text.csv")
    driver.wait(lambda: open_dialog(driver.window, OpenItemsDialog) is not None)
    assert driver.run is run, "what is opened later asks, and does not run by itself"


# -- proposals ------------------------------------------------------------------------------------------------------


def scaled(draft, instance):
    return draft.with_proposal("gaps", instance)


def test_scaling_keeps_the_file_and_never_overwrites_it(items, tmp_path):
    options = ItemOptions(name_column="item", reward_column="score", ignore=("note",))
    instance = read_instance(items, options)
    draft = scaled(Draft.of().with_instance(instance, str(items)), instance)
    assert isinstance(draft.source, FromFile)
    assert draft.source.instance == read_instance(
        items, ItemOptions.of_settings(draft.source.instance.recipe.parameters)
    )
    edited = draft.with_table(_table(draft))
    assert isinstance(edited.source, FromTable)
    assert edited.source.path == "", "saving asks where: the file has other columns"
    as_it_is = Draft.of().with_instance(read_instance(_plain(tmp_path)), str(tmp_path / "plain.csv"))
    assert as_it_is.with_table(_table(as_it_is)).source.path


def _table(draft):
    return InstanceTable.of(draft.source.instance)


def _plain(folder):
    (folder / "plain.csv").write_text("name,x1,x2,reward\na,1,0,0.2\nb,0,1,0.9\n")
    return folder / "plain.csv"


def test_scaling_a_family_sets_its_parameter_or_makes_a_custom_instance():
    wine = Draft.of("wine", instance={"scale_rewards": False})
    changed = scaled(wine, make("wine", scale_rewards=False))
    assert isinstance(changed.source, FromGallery)
    assert changed.family_values()["scale_rewards"] is True
    instance = make("gaussian")
    changed = scaled(Draft.of("gaussian"), instance)
    assert isinstance(changed.source, FromTable)
    assert changed.source.table.instance().gaps.max() <= 2
    assert Draft.of("gaussian").proposals() == ("linear", "gaps")
    assert Draft.of("gaussian", "gems-m").proposals() == ("gaps",)


def test_a_refused_file_is_forgotten_when_the_next_one_is_opened(driver, tmp_path):
    messages = driver.workbench.messages
    (tmp_path / "broken.json").write_text("{")
    write_instance(tmp_path / "good.json", make("soare"))
    messages.refuse_file("lost.gems", "Cannot write lost.gems: the disk is full.")
    assert driver.drop(driver.window, tmp_path / "broken.json")
    driver.wait(lambda: len(messages.errors) == 2)
    assert driver.drop(driver.window, tmp_path / "good.json")
    driver.wait(lambda: isinstance(driver.draft.source, FromFile))
    assert messages.errors == ["Cannot write lost.gems: the disk is full."], "what was not written may still be lost"
