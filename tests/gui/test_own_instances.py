"""An instance that was made by hand stays when something else takes its place: in the list, the title, and on disk."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from gems_engine.files import read_instance, write_instance
from gems_engine.gallery import make
from gems_gui.drafts.draft import Draft, FromFile, FromGallery, FromTable
from gems_gui.drafts.instance_table import small_table
from gems_gui.drafts.presets import PRESETS
from gems_gui.recovery import draft_json
from tests.gui.test_closing import edited, type_into_table
from tests.gui.window_driver import SMALL, choose_in_list, driven, pick, write

OWN = "Custom instance (from paper-hard)"


@pytest.fixture
def driver(qtbot):
    with driven(qtbot, SMALL, layout="talk") as made:
        edit(made, "0.75")
        yield made


def edit(driver, cell):
    """Change a cell of the form's instance by hand."""
    driver.wait(lambda: driver.drafts.instance is not None)
    edited(driver, cell)


def source(driver):
    return driver.draft.source


def listed(driver):
    family = driver.form.instance_form.family
    return [family.itemText(at) for at in range(family.count()) if family.itemText(at).startswith("Custom")]


def pick_instance(driver, text):
    """Choose an entry of the list of instances by what it says."""
    family = driver.form.instance_form.family
    pick(family, family.findText(text))
    driver.wait(lambda: driver.drafts.instance is not None)


def cell(driver):
    return driver.drafts.instance.arms[0, 0]


def leave_by_family(driver):
    choose_in_list(driver.form.instance_form.family, "soare")


def leave_by_preset(driver):
    presets = driver.form.presets
    pick(presets, presets.findData("gems-c-steps"))


def leave_by_keys(driver):
    choose_in_list(driver.form.presets, "budget")


def leave_by_card(driver):
    driver.choose("Help", "Welcome page")
    driver.click(driver.window.welcome.page.steps["gems-c-steps"])


def leave_by_palette(driver):
    driver.press("Ctrl+Shift+P")
    write(QApplication.focusWidget(), "Preset: fixed budget", Qt.Key.Key_Return)
    assert source(driver) == PRESETS["budget"].draft.source


def test_it_stays_in_the_list_and_comes_back_and_the_title_names_what_is_shown(driver):
    own = source(driver)
    assert driver.window.windowTitle() == "custom instance* – GEMS Lab"
    for leave in (leave_by_family, leave_by_preset, leave_by_keys, leave_by_palette, leave_by_card):
        leave(driver)
        assert isinstance(source(driver), FromGallery), leave
        assert listed(driver) == [OWN], leave
        assert "custom instance" not in driver.window.windowTitle(), leave
        pick_instance(driver, OWN)
        assert driver.window.windowTitle().endswith("custom instance* – GEMS Lab"), leave
        assert source(driver) == own, leave
        assert cell(driver) == 0.75
        assert listed(driver) == [OWN]
        assert driver.draft.own == ()
        assert driver.window.instance_table.editor.table == own.table


def test_undo_and_redo_are_right_all_the_way(driver):
    drafts = driver.drafts
    own = source(driver)
    leave_by_family(driver)
    pick_instance(driver, OWN)
    leave_by_preset(driver)
    assert drafts.history.undo_text
    states = [drafts.draft]
    while drafts.can_undo:
        drafts.undo()
        states.append(drafts.draft)
        assert listed(driver) == [OWN] * (isinstance(source(driver), FromTable) or bool(drafts.draft.own))
    assert [(type(each.source), each.own) for each in states] == [
        (FromGallery, (own,)),
        (FromTable, ()),
        (FromGallery, (own,)),
        (FromTable, ()),
        (FromGallery, ()),
    ]
    for each in reversed(states[:-1]):
        drafts.redo()
        assert drafts.draft == each
    assert drafts.history.undo_text


def test_another_own_instance_drops_none(driver):
    first = source(driver)
    driver.press("Ctrl+N")
    assert listed(driver) == ["Custom instance", OWN]
    assert source(driver) == FromTable(small_table())
    assert driver.window.windowTitle() == "GEMS Lab", "nothing was changed in it"
    edit(driver, "0.9")
    assert driver.window.windowTitle() == "custom instance* – GEMS Lab", "that in the form"
    leave_by_family(driver)
    assert listed(driver) == [OWN, "Custom instance"]
    assert driver.window.windowTitle() == "GEMS Lab"
    pick_instance(driver, OWN)
    assert source(driver) == first
    assert listed(driver) == [OWN, "Custom instance"]
    choose_in_list(driver.form.instance_form.family, "paper-hard")
    edit(driver, "0.5")
    assert listed(driver) == [OWN, "Custom instance", f"{OWN}, 2"]
    pick_instance(driver, f"{OWN}, 2")
    assert cell(driver) == 0.75


def test_a_file_takes_its_place_and_says_that_it_stays(driver, tmp_path):
    path = tmp_path / "mine.json"
    write_instance(path, make("soare"))
    driver.window.open_files([str(path)])
    driver.wait(lambda: isinstance(source(driver), FromFile))
    assert "still available in the list of instances" in driver.said()
    assert listed(driver) == [OWN]
    driver.press("Ctrl+Z")
    driver.wait(lambda: "still available" not in driver.message)


def test_what_is_saved_is_a_file_and_has_no_mark(driver, tmp_path):
    path = tmp_path / "own.json"
    driver.window.file_controller.write_instance(str(path))
    driver.wait(lambda: isinstance(source(driver), FromFile))
    assert listed(driver) == []
    leave_by_family(driver)
    assert driver.draft.own == ()
    assert "*" not in driver.window.windowTitle()


def test_closing_asks_about_it_and_saves_it(driver, tmp_path):
    own = source(driver)
    leave_by_family(driver)
    driver.wait(lambda: driver.drafts.instance is not None)
    driver.press("Ctrl+Q")
    dialog = driver.window.closing.dialog
    assert [row.item.title for row in dialog.rows] == [f"{OWN}, edited earlier"]
    driver.click(dialog.rows[0].save)
    path = tmp_path / "own.json"
    driver.answer(path)
    driver.wait(lambda: not driver.window.isVisible())  # nothing else was to be decided
    assert read_instance(path) == own.table.instance()


def test_saving_one_leaves_the_dialog_active_and_saving_all_writes_each_once(driver, tmp_path):
    first = source(driver)
    driver.press("Ctrl+N")
    edit(driver, "0.9")
    second = driver.drafts.instance
    driver.press("Ctrl+Q")
    dialog = driver.window.closing.dialog
    assert [row.item.own for row in dialog.rows] == [None, first]
    assert dialog.rows[1].item.details == "5 arms, 5 features: x_1, x_2, x_3, x_4, …"
    driver.click(dialog.rows[1].save)
    driver.answer(tmp_path / "first.json")
    driver.wait(lambda: dialog.rows[1].settled)
    driver.wait(dialog.isActiveWindow)
    driver.window.closing._all = dialog._to_save()
    driver.window.closing._save_into(str(tmp_path))
    driver.wait(lambda: not driver.window.isVisible())
    written = [read_instance(each) for each in sorted(tmp_path.glob("*.json"))]
    assert {each.digest for each in written} == {second.digest, first.table.instance().digest}


def test_what_is_not_valid_yet_can_only_be_discarded(driver):
    type_into_table(driver, "x")
    leave_by_family(driver)
    driver.press("Ctrl+Q")
    (row,) = driver.window.closing.dialog.rows
    assert not row.item.can_save
    assert "not valid yet" in row.item.title


def test_a_crash_leaves_it_on_disk(driver):
    own = source(driver)
    leave_by_family(driver)
    kept = driver.window.recovery.recorder._wanted[0]
    again = draft_json.from_json(b"".join(draft_json.to_json(kept)))
    assert again.own == (own,)
    driver.drafts.set_draft(Draft.of("soare"))
    driver.drafts.set_draft(again)
    pick_instance(driver, OWN)
    assert source(driver) == own
