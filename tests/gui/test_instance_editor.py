"""The editor of the instance in the real window: cells, rows, columns, paste and copy, D, files, undo and run."""

import numpy as np
import pytest
from PySide6.QtCore import QItemSelectionModel, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QLabel

from gems_engine.files import read_instance, write_instance
from gems_engine.gallery import make
from gems_engine.instance import Instance
from gems_gui.drafts.draft import D_FIELD, FromFile, FromGallery, FromTable
from gems_gui.drafts.instance_table import ARMS, REWARDS, TARGET_REWARDS, TARGETS, THETA, InstanceTable
from gems_gui.drafts.pasting import written
from gems_gui.panels.paste_dialog import PasteDialog
from gems_gui.panels.table_commands import COMMANDS
from tests.gui.window_driver import SMALL, choose_in_list, driven, open_dialog

ROLE = Qt.ItemDataRole
DIRECT = Qt.FindChildOption.FindDirectChildrenOnly


class User:
    """A window with its table open, and what a user does there."""

    def __init__(self, driver):
        self.driver, self.window = driver, driver.window
        driver.wait(lambda: self.window.workbench.drafts.instance is not None)
        driver.press("Ctrl+T")
        self.editor = self.window.instance_table.editor
        self.view, self.model = self.editor.view, self.editor.model
        driver.wait(self.view.isVisible)

    @property
    def source(self):
        return self.window.workbench.drafts.draft.source

    @property
    def table(self):
        assert isinstance(self.source, FromTable)
        assert self.editor.table == self.source.table, "what is shown is the draft's"
        return self.source.table

    def shown(self, row, column, role=ROLE.DisplayRole):
        """A cell as it is shown; the column counts the names."""
        return self.model.data(self.model.index(row, column), role)

    def at(self, row, column):
        """Make a cell current by a click."""
        index = self.model.index(row, column)
        window = self.view.window()  # the table floats where it has no room
        window.activateWindow()  # Qt's offscreen platform forgets it when a dialog closes
        self.driver.wait(window.isActiveWindow)
        self.view.scrollTo(index)
        self.driver.click(self.view.viewport(), self.view.visualRect(index).center())
        assert self.view.hasFocus()
        assert self.view.currentIndex() == index

    def type(self, row, column, text, end=Qt.Key.Key_Return):
        """Type into a cell as one does in a spreadsheet: over what is there."""
        self.at(row, column)
        QTest.keyClicks(self.view, text[:1])
        QTest.keyClicks(QApplication.focusWidget(), text[1:])
        QTest.keyClick(QApplication.focusWidget(), end)
        QApplication.processEvents()  # Qt ends an edit when it has time
        assert self.view.state() == self.view.State.NoState

    def press(self, key):
        """A key while the table has the focus."""
        self.view.setFocus()
        self.driver.press(key)

    def pick(self, rows, columns):
        """Select a block; columns count from the first feature."""
        self.view.pick(rows, columns)
        self.view.setFocus()

    def pick_line(self, at, kind):
        """Select a whole row or column by a click on its header."""
        across = kind == QItemSelectionModel.SelectionFlag.Columns
        header = self.view.horizontalHeader() if across else self.view.verticalHeader()
        middle = header.sectionViewportPosition(at) + header.sectionSize(at) // 2
        self.driver.click(header.viewport(), QPoint(middle, 5) if across else QPoint(5, middle))

    def tab(self, part):
        """Show a part by a click on its tab."""
        tabs = self.editor.tabs
        at = [tabs.tabData(i) for i in range(tabs.count())].index(part)
        self.driver.click(tabs, tabs.tabRect(at).center())
        assert self.editor.part == part

    def parts(self):
        """The tabs that there are."""
        return [self.editor.tabs.tabData(i) for i in range(self.editor.tabs.count())]

    def paste(self, text, key="Ctrl+V"):
        """Paste a text."""
        QGuiApplication.clipboard().setText(text)
        self.press(key)

    def ask(self, text, key="Ctrl+V"):
        """Paste a text that needs a decision; the dialog that asks for it."""
        self.paste(text, key)
        dialog = open_dialog(self.window, PasteDialog)
        dialog.activateWindow()
        self.driver.wait(dialog.isActiveWindow)
        return dialog

    def choose(self, box, key):
        """Choose an entry of a list with the keyboard."""
        choose_in_list(box, key)
        assert box.currentData() == key

    def click_column(self, dialog, column):
        """Click the header of a column in the preview of a sheet."""
        header = dialog.preview.horizontalHeader()
        middle = header.sectionViewportPosition(column) + header.sectionSize(column) // 2
        self.driver.click(header.viewport(), QPoint(middle, header.height() // 2))

    def built(self):
        """The draft's instance, once it is there."""
        self.driver.wait(lambda: self.window.workbench.drafts.instance is not None)
        return self.window.workbench.drafts.instance


@pytest.fixture
def user(qtbot):
    with driven(qtbot, size=(1150, 780), layout="talk") as driver:
        yield User(driver)
        driver.window.close_without_asking()


@pytest.fixture
def file(tmp_path):
    instance = Instance.linear([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [1, 0.5, 0], arm_names=("a", "b", "c"))
    write_instance(tmp_path / "mine.json", instance)
    return tmp_path / "mine.json"


def opened(user, file):
    user.window.open_files([str(file)])
    user.driver.wait(lambda: isinstance(user.source, FromFile))
    user.built()


# -- cells ----------------------------------------------------------------------------------------------------------


def test_the_table_shows_the_forms_instance_and_editing_makes_it_an_own_one(user):
    instance = user.driver.drafts.instance
    assert (user.model.rowCount(), user.model.columnCount()) == (len(instance.arms), instance.D + 1)
    assert user.shown(2, 3) == "1"
    assert user.shown(2, 0) == instance.arm_names[2]
    assert isinstance(user.source, FromGallery), "looking changes nothing"
    user.type(1, 3, "0,25")
    assert user.table.arms[1, 2] == 0.25
    assert user.view.currentIndex().row() == 2, "Enter goes down"
    family = user.driver.form.instance_form.family
    assert family.currentText() == "Custom instance (from paper-hard)"
    assert user.built().arms[1, 2] == 0.25
    user.driver.press("Ctrl+Z")
    assert user.driver.draft == SMALL
    assert family.currentText() == "paper-hard"
    user.built()
    assert user.shown(1, 3) == "0"
    user.driver.press("Ctrl+Shift+Z")
    assert user.table.arms[1, 2] == 0.25


def test_an_edited_instance_runs(user):
    user.type(0, 1, "2")
    user.driver.start()
    user.driver.finish()
    assert user.driver.trace.instance.arms[0, 0] == 2
    assert not user.driver.difference_bar.isVisible()
    user.type(0, 1, "3")
    user.built()
    assert user.driver.difference_bar.isVisible()
    user.driver.choose("Edit", "Revert form")
    assert user.table.arms[0, 0] == 2


def test_a_bad_cell_is_marked_where_it_is_and_keeps_the_form_from_running(user):
    user.type(2, 2, "abc")
    assert user.shown(2, 2) == "abc"
    assert user.shown(2, 2, ROLE.ForegroundRole) == user.driver.theme.color("error")
    assert user.shown(2, 2, ROLE.ToolTipRole) == '"abc" is not a number.'
    assert user.shown(2, 1, ROLE.BackgroundRole) is None
    assert "1 marked" in user.editor.status.text_shown
    form = user.driver.form
    assert not form.run.isEnabled()
    assert form.instance_form.error.text_shown.endswith('feature 2: "abc" is not a number.')
    assert form.assumptions.status.text_shown == "The assumptions are checked when the instance is valid."
    user.type(2, 2, "0")
    assert form.instance_form.error.text_shown == ""
    user.built()
    assert form.run.isEnabled()


def test_the_mark_of_a_bad_cell_is_seen_in_a_selection_too(user):
    user.at(1, 1)
    user.ask("1\t2\nabc\t3")
    user.driver.press("Return")
    assert user.view.selectionModel().isSelected(user.model.index(2, 1)), "what was pasted is selected"
    picture, mark = user.view.grab().toImage(), user.driver.theme.color("now").rgb()

    def marked(row, column):
        at = user.view.visualRect(user.model.index(row, column)).translated(user.view.viewport().pos())
        edge = [picture.pixel(x, at.top()) for x in range(at.left() + 2, at.right() - 1)]
        return edge.count(mark) == len(edge)

    assert [marked(1, 1), marked(2, 1), marked(2, 2)] == [False, True, False]


def test_names_are_typed_too(user):
    user.type(0, 0, "first one")
    assert user.table.arm_names[0] == "first one"
    assert user.built().arm_label(0) == "first one"


def test_escape_leaves_a_cell_as_it_was_and_the_same_text_is_no_edit(user):
    user.type(0, 1, "7", Qt.Key.Key_Escape)
    user.at(0, 1)
    QTest.keyClick(user.view, Qt.Key.Key_Return)
    assert QApplication.focusWidget().text() == "1"
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
    QApplication.processEvents()
    assert user.view.currentIndex().row() == 1
    assert user.driver.draft == SMALL


def test_news_about_the_same_instance_do_not_take_what_is_being_typed(user):
    user.at(0, 1)
    QTest.keyClick(user.view, "0")
    QTest.keyClicks(QApplication.focusWidget(), ".5")
    user.driver.drafts.set_draft(user.driver.draft)
    line = QApplication.focusWidget()
    assert line.text() == "0.5"
    QTest.keyClick(line, Qt.Key.Key_Return)
    QApplication.processEvents()
    assert user.table.arms[0, 0] == 0.5


def test_numbers_are_short_to_see_and_whole_to_edit(user):
    user.type(0, 1, "0.123456789012345")
    assert user.shown(0, 1) == "0.12346"
    assert user.shown(0, 1, ROLE.EditRole) == "0.123456789012345"
    assert "0.123456789012345" in user.shown(0, 1, ROLE.ToolTipRole)
    user.type(0, 1, "1234,5")
    assert user.shown(0, 1) == "1\u202f234.5"
    user.type(0, 1, "-1.23456e-10")
    width = user.view.fontMetrics().horizontalAdvance(user.shown(0, 1))
    assert width + 6 <= user.view.columnWidth(1), "with its exponent"


# -- rows and columns -----------------------------------------------------------------------------------------------


def edited(table, name, row, column):
    """What a command makes of a table at one cell."""
    return {
        "add_row": lambda: table.insert_rows(ARMS, row + 1),
        "duplicate_rows": lambda: table.duplicate_rows(ARMS, [row]),
        "remove_rows": lambda: table.remove_rows(ARMS, [row]),
        "rows_up": lambda: table.move_rows(ARMS, [row], -1),
        "rows_down": lambda: table.move_rows(ARMS, [row], 1),
        "add_column": lambda: table.insert_columns(column + 1),
        "duplicate_columns": lambda: table.duplicate_columns([column]),
        "remove_columns": lambda: table.remove_columns([column]),
        "columns_left": lambda: table.move_columns([column], -1),
        "columns_right": lambda: table.move_columns([column], 1),
    }[name]()


STRUCTURE = [command for command in COMMANDS if command.about != "Cells"]


@pytest.mark.parametrize("way", ["button", pytest.param("key", marks=pytest.mark.long), "menu"])
def test_rows_and_columns_change_by_button_key_and_menu(user, way):
    user.window.centralWidget().setFocus()
    user.driver.finished()
    user.type(0, 1, "1.5")
    before = user.table
    for command in STRUCTURE:
        user.pick(range(1, 2), range(2, 3))
        if way == "button":
            user.driver.click(user.editor.buttons[command.name])
        elif way == "key":
            user.press(command.key)
        else:
            user.driver.choose_in_context(user.view.viewport(), command.name)
        assert user.table == edited(before, command.name, 1, 2), command
        user.driver.press("Ctrl+Z")
        assert user.table == before
    assert user.driver.cursor == 0, "the table's keys are no keys of the transport"


def turn_wheel(widget, by):
    middle = QPointF(widget.rect().center())
    there, none = QPointF(widget.mapToGlobal(middle.toPoint())), Qt.KeyboardModifier.NoModifier
    button, phase = Qt.MouseButton.NoButton, Qt.ScrollPhase.NoScrollPhase
    QApplication.sendEvent(widget, QWheelEvent(middle, there, QPoint(), by, button, none, phase, False))


def test_names_stay_in_sight_while_columns_scroll(user):
    view, frozen, names = user.view, user.view.frozen, user.editor.table.arm_names
    rows = [[name, *map(str, range(20))] for name in names]
    user.at(0, 0)
    user.ask(written(rows))
    user.driver.press("Return")
    assert not frozen.isVisible(), "nothing is scrolled away"
    user.at(1, 1)
    user.press("End")
    user.driver.wait(frozen.isVisible)
    left = view.columnViewportPosition(0)
    assert left < 0, "the column of names itself is out of sight"
    at = view.viewport().mapToGlobal(QPoint(0, 0)).x()
    assert frozen.viewport().mapToGlobal(QPoint(0, 0)).x() == at
    for row in (0, len(names) - 1):
        assert frozen.indexAt(QPoint(5, frozen.rowViewportPosition(row) + 2)).data() == names[row]
        there, here = (each.viewport().mapToGlobal(QPoint(0, each.rowViewportPosition(row))) for each in (frozen, view))
        assert there.y() == here.y(), "next to its row"
    before = view.horizontalScrollBar().value()
    user.driver.click(frozen.viewport(), QPoint(5, frozen.rowViewportPosition(2) + 5))
    assert (view.currentIndex().row(), view.currentIndex().column()) == (2, 0)
    assert view.horizontalScrollBar().value() == before, "a click on a name does not scroll"
    for over in (view, frozen):  # sideways there and back
        turn_wheel(over.viewport(), QPoint(120, 0))
        assert view.horizontalScrollBar().value() < before
        turn_wheel(over.viewport(), QPoint(-120, 0))
        assert view.horizontalScrollBar().value() == before
        assert frozen.isVisible()
        assert frozen.viewport().mapToGlobal(QPoint(0, 0)).x() == at
        starts = [view.columnViewportPosition(column) for column in range(1, view.model().columnCount())]
        assert frozen.width() in starts, "the column next to the names is whole, with its minus signs"
    user.at(2, 20)
    for column in range(19, 0, -1):
        user.press("Left")
        assert view.currentIndex().column() == column
        hidden = frozen.width() if frozen.isVisible() else 0
        assert view.visualRect(view.currentIndex()).left() >= hidden, "the names cover no current cell"
    user.press("End")
    user.press("Home")
    assert frozen.isVisible()
    QTest.keyClicks(view, "n")
    QTest.keyClicks(QApplication.focusWidget(), "ew")
    assert not frozen.isVisible(), "a name is edited in its place"
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
    QApplication.processEvents()
    assert user.table.arm_names[2] == "new"


def test_what_was_moved_stays_selected_so_that_it_can_move_on(user):
    user.pick(range(1, 3), range(2))
    names = user.editor.table.arm_names
    for _ in range(9):
        user.press("Alt+Down")
    assert user.table.arm_names[-2:] == names[1:3]
    assert user.view.picked.rows == (len(names) - 2, len(names) - 1)
    user.pick(range(1), range(3, 4))
    user.press("Alt+Left")
    user.press("Alt+Left")
    assert user.view.picked.columns == (1,)


def test_the_last_row_and_the_last_column_stay_and_it_is_said(user):
    user.view.selectAll()
    user.press("Ctrl+Del")
    assert user.driver.said() == "Cannot remove the last arm."
    assert user.driver.draft == SMALL
    user.press("Ctrl+Shift+Del")
    assert user.driver.message == "Cannot remove the last feature."


def test_delete_takes_whole_rows_and_columns_and_empties_cells(user):
    before = user.editor.table
    user.pick_line(1, QItemSelectionModel.SelectionFlag.Rows)
    user.press("Del")
    assert user.table == before.remove_rows(ARMS, [1])
    user.pick_line(2, QItemSelectionModel.SelectionFlag.Columns)
    user.press("Del")
    assert user.table == before.remove_rows(ARMS, [1]).remove_columns([1])
    user.pick(range(2), range(2))
    user.press("Del")
    assert len(user.table.bad) == 4
    assert user.shown(0, 1) == ""
    assert "empty" in user.shown(1, 2, ROLE.ToolTipRole)
    user.driver.press("Ctrl+Z")
    assert user.table.bad == {}


# -- spreadsheets ---------------------------------------------------------------------------------------------------


def test_what_was_copied_is_pasted_back_bit_for_bit(user):
    values = np.random.default_rng(3).normal(size=user.editor.table.arms.shape) * 10.0 ** -np.arange(5)
    rows = [[f"n{i}", *map(repr, row)] for i, row in enumerate(values.tolist())]
    user.at(0, 0)
    user.ask(written(rows))
    user.driver.press("Return")
    table = user.table
    assert np.array_equal(table.arms, values)
    user.view.selectAll()
    user.press("Ctrl+C")
    copied = QGuiApplication.clipboard().text()
    assert copied.splitlines()[0] == "\t".join(["name", *(f"feature {j}" for j in range(1, 6))])
    user.driver.press("Ctrl+Z")
    user.built()
    user.at(0, 0)
    user.press("Ctrl+V")
    assert user.table == table
    user.at(1, 2)
    user.press("Ctrl+C")
    assert QGuiApplication.clipboard().text() == repr(float(values[1, 1])) + "\n", "one cell needs no header"


def test_copied_names_that_would_not_go_to_names_are_asked_about(user):
    user.at(0, 0)
    user.view.selectAll()
    user.press("Ctrl+C")
    copied = QGuiApplication.clipboard().text()
    user.at(0, 0)
    user.press("Ctrl+V")
    assert user.driver.draft == SMALL, "nothing has changed"
    user.at(3, 1)
    dialog = user.ask(copied)
    assert dialog.words.text().startswith("Replaces 5 arms with 5 features by 5 arms with 5 features.")
    user.driver.press("Esc")
    assert user.driver.draft == SMALL
    user.at(3, 0)
    user.press("Ctrl+V")
    assert open_dialog(user.window, PasteDialog) is None, "names go to names"
    assert user.table.arms.shape == (8, 5)


def test_a_thousand_by_a_hundred_cells_are_pasted_in_one_step(user):
    values = np.random.default_rng(1).normal(size=(1000, 100))
    rows = [[f"arm {i}", *map(repr, row)] for i, row in enumerate(values.tolist())]
    rows[500][50] = "oops"
    QGuiApplication.clipboard().setText(written(rows, ["name", *(f"f{j}" for j in range(100))]))
    user.at(0, 0)
    user.ask(QGuiApplication.clipboard().text())
    user.driver.press("Return")
    QApplication.processEvents()
    table = user.table
    assert table.arms.shape == (1000, 100)
    assert table.bad == {(ARMS, 500, 49): "oops"}
    good = np.ones_like(values, dtype=bool)
    good[500, 49] = False
    assert np.array_equal(table.arms[good], values[good])
    assert table.arm_names[999] == "arm 999"
    assert user.driver.said() == 'Pasted. arm 500, f49: "oops" is not a number.'
    user.driver.press("Ctrl+Z")
    assert user.driver.draft == SMALL
    assert not user.driver.message, "no cell is marked any more"


SHEET = "Item;Price;Weight;Mean reward;Category\nred;0,5;1,25;0,75;a\nblue;0,25;abc;0,5;b\n;;;;\ngreen;1;2\n"


def test_a_sheet_shows_what_it_will_do_and_does_it_in_one_step(user):
    user.at(0, 1)
    dialog = user.ask(SHEET)
    assert dialog.words.text().splitlines() == [
        "Replaces 5 arms with 5 features by 3 arms with 2 features.",
        'The rewards come from "Mean reward", instead of from θ⋆.',
        'Left out: "Category".',
        "Row 4 is empty and left out.",
        "Row 5 has fewer cells than there are columns: the missing cells are marked.",
        'Row 3, "Weight": "abc" is not a number. It is kept and marked. 1 more cell to correct.',
    ]
    model = dialog.preview.model()
    headers = [model.headerData(j, Qt.Orientation.Horizontal).replace("\n", ": ") for j in range(5)]
    assert headers == [
        "Item: name",
        "Price: feature 1",
        "Weight: feature 2",
        "Mean reward: reward",
        "Category: left out",
    ]
    assert model.index(1, 2).data(ROLE.ToolTipRole) == '"abc" is not a number.'
    assert model.index(1, 2).data(ROLE.BackgroundRole) is not None
    assert model.index(1, 1).data(ROLE.BackgroundRole) is None
    assert user.driver.draft == SMALL, "nothing has happened yet"
    user.driver.press("Esc")
    assert user.driver.draft == SMALL
    user.ask(SHEET)
    user.driver.press("Return")
    table = user.table
    assert table.arm_names == ("red", "blue", "green")
    assert table.feature_names == ("Price", "Weight")
    assert table.arms[[0, 2]].tolist() == [[0.5, 1.25], [1.0, 2.0]]
    assert table.rewards[:2].tolist() == [0.75, 0.5]
    assert table.bad == {(ARMS, 1, 1): "abc", (REWARDS, 2, 0): ""}
    assert user.driver.said() == 'Pasted. blue, Weight: "abc" is not a number. (1 more cell marked.)'
    assert user.shown(1, 2, ROLE.ToolTipRole) == '"abc" is not a number.'
    user.driver.press("Ctrl+Z")
    assert user.driver.draft == SMALL, "one step"
    assert not user.driver.message
    user.driver.press("Ctrl+Shift+Z")
    assert user.table == table


def test_what_a_pasted_column_is_and_where_rows_go_can_be_changed(user):
    before = user.editor.table
    user.at(1, 2)
    dialog = user.ask("label\tu\tv\tscore\na\t1\t2\t3\nb\t4\t5\t6\n")
    assert dialog.role.currentData() == "name"
    user.click_column(dialog, 3)
    assert dialog.role.currentData() == "feature"
    size, place = dialog.size(), dialog.role.y()
    user.choose(dialog.role, "name")
    assert (dialog.size(), dialog.role.y()) == (size, place)
    assert dialog.sentence.text() == 'Both "label" and "score" are chosen as name. Change one of them.'
    assert not dialog.go.isEnabled()
    user.choose(dialog.role, "reward")
    user.click_column(dialog, 2)
    user.choose(dialog.role, "left out")
    assert 'Left out: "v".' in dialog.words.text()
    user.choose(dialog.place, "append")
    assert dialog.words.text().startswith("Adds 2 arms with 1 feature below the 5 that exist.")
    assert dialog.preview.model().headerData(1, Qt.Orientation.Horizontal) == "u\n→ feature 1"
    user.driver.click(dialog.go)
    table = user.table
    assert table.arms.shape == (7, 5)
    assert np.array_equal(table.arms[:5], before.arms)
    assert table.arms[5:, 0].tolist() == [1, 4]
    assert table.arm_names == (*before.arm_names, "a", "b")
    assert table.rewards[5:].tolist() == [3, 6]
    assert np.array_equal(table.rewards[:5], before.instance().rewards)
    assert user.view.picked.rows == (5, 6)
    user.driver.press("Ctrl+Z")
    assert user.driver.draft == SMALL
    user.built()
    user.at(3, 5)
    dialog = user.ask("u\tv\n7\t8\n7\t8\n7\t8\n")
    user.choose(dialog.place, "over")
    rows, features, *_ = dialog.words.text().split("\n")
    assert rows.startswith("Overwrites 2 rows from ")
    assert rows.endswith(", and adds 1 row.")
    assert features == "Rows that stay have 0 for the 1 new feature."
    user.driver.press("Esc")
    user.at(1, 2)
    dialog = user.ask("u\tv\n7\t8\n")
    user.choose(dialog.place, "over")
    assert dialog.words.text().startswith(f"Overwrites 1 row from {before.arm_names[1]}, feature 2 on.")
    user.driver.click(dialog.header, QPoint(8, dialog.header.height() // 2))
    assert "Overwrites 2 rows" in dialog.words.text()
    user.driver.click(dialog.header, QPoint(8, dialog.header.height() // 2))
    user.driver.click(dialog.go)
    assert user.table.arms[1, 1:3].tolist() == [7, 8]
    assert user.table.arms.shape == before.arms.shape


def test_rows_added_below_go_to_the_columns_of_their_names_whatever_the_order(user):
    user.ask("Sheet of today\nname\tPrice\tWeight\treward\nfirst\t1\t0.2\t0.7\nsecond\t0.5\t0.9\t0.1\n")
    user.driver.press("Return")
    assert user.table.feature_names == ("Price", "Weight")
    user.at(1, 1)
    dialog = user.ask("name\tWeight\tPrice\treward\nthird\t0.11\t0.77\t0.3\n")
    user.choose(dialog.place, "append")
    assert dialog.preview.model().headerData(1, Qt.Orientation.Horizontal) == "Weight\n→ Weight"
    user.driver.click(dialog.go)
    assert user.table.arms[2].tolist() == [0.77, 0.11]
    assert [user.shown(2, column) for column in range(3)] == ["third", "0.77", "0.11"]
    assert user.view.picked.columns == (0, 1)


def test_arms_of_the_same_name_are_told_apart_by_their_indices(user):
    dialog = user.ask("name\tu\treward\na\t1\t0.3\na\t2\t0.3\nb\t1\t0.2\n")
    assert 'Rows 2 and 3 have the same name, "a".' in dialog.words.text()
    user.driver.press("Return")
    user.built()
    assert user.window.form.fields["instance.d_star"].instead.text_shown == "None: the rewards are not linear."
    user.driver.press("Ctrl+R")
    assert "a (arm 0) and a (arm 1) are tied for the best reward" in user.driver.said()


def test_commas_that_may_be_decimal_signs_are_asked_about(user):
    user.at(0, 1)
    dialog = user.ask("0,5\n0,25\n")
    assert dialog.plan.width == 2
    user.choose(dialog.separator, dialog.separator.itemData(3))
    assert dialog.plan.width == 1
    user.driver.press("Return")
    assert user.table.arms[:2, 0].tolist() == [0.5, 0.25]
    user.paste("1\t2\n3\t4\n")
    assert open_dialog(user.window, PasteDialog) is None, "numbers need no question"
    assert user.table.arms[:2, :2].tolist() == [[1, 2], [3, 4]]


def test_a_block_can_take_the_place_of_the_whole_table(user):
    user.at(3, 3)
    user.ask("u\tv\n1\t0\n0\t1\n1\t1\n", "Ctrl+Shift+V")
    user.driver.press("Return")
    assert user.table.arms.tolist() == [[1, 0], [0, 1], [1, 1]]
    assert user.table.D == 2
    assert user.built().D == 2
    user.paste("1\t2\t3\n4\t5\t6\n", "Ctrl+Shift+V")
    assert user.table.arms.tolist() == [[1, 2, 3], [4, 5, 6]]


def test_nothing_to_paste_and_too_wide_a_block_are_said(user):
    user.at(0, 1)
    user.paste("")
    assert "Cannot paste" in user.driver.said()
    user.tab(THETA)
    user.at(0, 0)
    user.paste("1\t2\n3\t4")
    assert "has only one" in user.driver.message
    assert user.driver.draft == SMALL
    user.paste("0,5\n0,25")
    assert user.table.theta[:2].tolist() == [0.5, 0.25]


# -- parts ----------------------------------------------------------------------------------------------------------


def test_targets_theta_and_rewards_come_and_go(user):
    editor, before = user.editor, user.editor.table
    assert user.parts() == [ARMS, THETA]
    user.driver.click(editor.same_targets, editor.same_targets.rect().center() * 0.2)
    assert user.parts() == [ARMS, TARGETS, THETA]
    user.tab(TARGETS)
    user.at(0, 1)
    user.press("Ctrl+Del")
    assert len(user.table.targets) == len(before.arms) - 1
    assert len(user.table.arms) == len(before.arms)
    user.driver.click(editor.linear, editor.linear.rect().center() * 0.2)
    assert user.parts() == [ARMS, TARGETS, REWARDS, TARGET_REWARDS]
    instance = user.built()
    assert np.array_equal(user.table.rewards, instance.rewards)
    user.tab(REWARDS)
    assert user.shown(0, 0) == before.arm_names[0]
    user.tab(TARGET_REWARDS)
    assert user.shown(0, 0) == before.arm_names[1]
    user.type(0, 1, "0.875")
    assert user.built().target_rewards[0] == 0.875
    user.driver.click(editor.linear, editor.linear.rect().center() * 0.2)
    assert "θ⋆ was fitted to the rewards. The largest change of a reward is" in user.driver.said()
    assert editor.part == THETA, "θ⋆ takes the place of the rewards"
    user.driver.press("Ctrl+Z")
    assert user.table.target_rewards[0] == 0.875
    for _ in range(4):
        user.driver.press("Ctrl+Z")
    assert user.driver.draft == SMALL
    user.built()
    assert user.parts() == [ARMS, THETA]
    assert editor.same_targets.isChecked()


def test_a_switch_that_needs_numbers_stays_where_it_was(user):
    user.type(0, 1, "x")
    user.driver.click(user.editor.linear, user.editor.linear.rect().center() * 0.2)
    assert user.driver.said().startswith("Correct the marked cells first.")
    assert user.editor.linear.isChecked()
    assert user.parts() == [ARMS, THETA]


def test_hidden_truth_is_hidden_here_too(user):
    user.tab(THETA)
    user.driver.workbench.set_truth(False)
    assert user.editor.part == ARMS
    assert not user.editor.tabs.isTabEnabled(1)
    assert not user.editor.linear.isEnabled()
    user.driver.workbench.set_truth(True)
    user.tab(THETA)


# -- D --------------------------------------------------------------------------------------------------------------


def test_D_of_an_own_instance_pads_and_truncates_and_can_be_undone(user):
    user.type(0, 1, "2")
    table = user.table
    user.driver.type_into(D_FIELD, "12")
    assert user.table == table.with_D(12)
    assert user.model.columnCount() == 13
    user.driver.type_into(D_FIELD, "3")
    assert user.table == table.with_D(3)
    user.driver.type_into(D_FIELD, str(table.D))
    assert user.table == table, "nothing is lost on the way"
    user.driver.type_into(D_FIELD, "3")
    user.driver.press("Ctrl+Z")
    assert user.table == table
    user.driver.type_into(D_FIELD, "x")
    assert "whole number" in user.driver.form.instance_form.list.fields[D_FIELD].error.text_shown
    assert user.table == table


def test_D_of_a_file_asks_first(user, file):
    opened(user, file)
    bar = user.window.instance_table.question
    assert not bar.isVisible()
    user.driver.type_into(D_FIELD, "5")
    assert bar.isVisible()
    assert bar.sentence.text() == "D = 5, but the file has 3 features. Add 2 features of zeros?"
    assert isinstance(user.source, FromFile), "nothing is invented"
    assert user.model.columnCount() == 4
    assert not user.driver.form.run.isEnabled()
    user.driver.click(bar.buttons["No"])
    assert not bar.isVisible()
    assert user.driver.form.instance_form.list.fields[D_FIELD].text == "3"
    user.driver.type_into(D_FIELD, "2")
    assert bar.sentence.text().endswith("Drop feature 3?")
    assert [each.text() for each in bar.buttons.values()] == ["Drop", "Keep D = 3"]
    user.driver.click(bar.buttons["Yes"])
    assert not bar.isVisible()
    assert user.table.arms.shape == (3, 2)
    assert user.source.title == "Custom instance (from mine.json)"
    user.driver.type_into(D_FIELD, "4")
    assert bar.isVisible(), "the table of a file asks again"
    user.driver.click(bar.buttons["Yes"])
    assert user.table.arms.shape == (3, 4)
    assert not user.table.arms[:, 2:].any()


# -- files ----------------------------------------------------------------------------------------------------------


def test_an_opened_file_that_was_edited_is_saved_to_its_file(user, file, tmp_path):
    opened(user, file)
    user.type(0, 1, "4")
    user.built()
    assert user.source.path == str(file)
    user.press("Ctrl+Shift+I")
    assert user.driver.said() == f"Saved as {file}."
    assert read_instance(file).arms[0, 0] == 4
    assert isinstance(user.source, FromFile), "what is saved is the file's"
    user.type(0, 1, "5")
    user.built()
    user.driver.choose("File", "Save instance as…")
    user.driver.answer(tmp_path / "other.csv")
    user.driver.wait(lambda: "A CSV file has no θ⋆" in user.driver.message)
    assert isinstance(user.source, FromTable), "a CSV has not everything"
    user.driver.choose("File", "Save instance as…")
    user.driver.answer(tmp_path / "other.npz")
    user.driver.wait(lambda: isinstance(user.source, FromFile))
    assert user.source.path == str(tmp_path / "other.npz")
    assert read_instance(tmp_path / "other.npz").arms[0, 0] == 5
    assert read_instance(file).arms[0, 0] == 4, "the old file stays"


def test_saving_is_no_step_of_undo_and_moves_nothing(user, tmp_path):
    driver, bar = user.driver, user.driver.form._scroll.verticalScrollBar()
    user.press("Ctrl+N")
    user.built()
    user.type(2, 1, "1")
    driver.wait(lambda: driver.drafts.assumptions is not None)
    driver.press("Ctrl+R")
    assert "arm 0 and arm 2 are tied for the best reward, 1. Change the instance, or choose GEMS" in driver.said()
    driver.wait(lambda: bar.maximum() > 200)
    bar.setValue(bar.maximum() - 50)  # so that it may become a little shorter
    scrolled, tied = bar.value(), driver.message
    driver.press("Ctrl+Shift+I")
    driver.answer(tmp_path / "mine.json")
    driver.wait(lambda: isinstance(user.source, FromFile))
    assert tied in driver.message
    assert bar.value() == scrolled
    QTest.qWait(50)
    assert bar.value() == scrolled
    assert driver.actions["undo"].text() == "Undo change of the table"
    driver.press("Ctrl+Z")
    assert user.table.arms[2, 0] == 0.6
    driver.wait(lambda: tied not in driver.message)
    assert driver.actions["redo"].text() == "Redo change of the table"
    driver.press("Ctrl+Y")
    assert user.source.path == str(tmp_path / "mine.json"), "what the file has"


def test_a_new_instance_begins_small_and_grows(user):
    user.tab(THETA)
    user.at(1, 0)
    user.driver.choose("Help", "Welcome page")
    assert user.window.welcome.is_open
    user.driver.press("Ctrl+N")
    assert not user.window.welcome.is_open
    assert (user.editor.part, user.view.currentIndex().row(), user.view.currentIndex().column()) == (ARMS, 0, 1)
    assert user.view.hasFocus()
    assert user.source.title == "Custom instance"
    assert user.table.arms.tolist() == [[1, 0], [0, 1], [0.6, 0.8]]
    assert user.built().best_is_unique
    assert user.built().d_star == 1
    assumptions = user.driver.form.assumptions
    user.driver.wait(lambda: assumptions.findChildren(QLabel, options=DIRECT) and assumptions.status.text_shown == "")
    marks = [
        each.accessibleName() for each in assumptions.findChildren(QLabel, options=DIRECT) if each.accessibleName()
    ]
    assert marks == ["holds"] * 6
    form = user.driver.form
    user.driver.click(form.algorithm_form.more)
    user.driver.wait(lambda: form.fields["algorithm.noise"].input.shown_text() == "N(0, 1), as the instance says")
    user.type(1, 1, "0.5")
    user.press("Insert")
    user.press("Shift+Insert")
    assert user.table.arms.shape == (4, 3)
    assert user.built().D == 3


# -- the dock -------------------------------------------------------------------------------------------------------


def test_the_table_opens_by_key_menu_and_button_and_closes_again(user):
    window, dock = user.window, user.window.instance_table.dock
    assert window.action_set["edit_table"].isChecked()
    user.driver.press("Ctrl+T")
    assert dock.isHidden()
    assert not window.action_set["edit_table"].isChecked()
    user.driver.drafts.set_draft(SMALL.with_instance(make("sphere")))
    user.driver.click(window.form.instance_form.edit_table)
    assert dock.isVisible()
    assert user.model.rowCount() == len(make("sphere").arms), "what changed meanwhile is shown"
    user.driver.click(dock.close_button)
    assert not window.action_set["edit_table"].isChecked()
    user.driver.choose("Edit", "Edit table")
    assert dock.isVisible()


def test_a_form_that_is_not_valid_has_no_table(user):
    user.driver.type_into("instance.epsilon", "-1")
    assert user.model.rowCount() == 0
    assert "is shown when" in user.editor.status.text_shown
    assert not user.editor.buttons["add_row"].isEnabled()
    user.editor.do("add_row")
    assert isinstance(user.source, FromGallery)
    user.driver.type_into("instance.epsilon", "0.3")
    user.built()
    assert user.model.rowCount() > 0


def test_while_an_instance_is_made_nobody_edits_the_old_one(user):
    user.editor.wait()
    assert not user.view.isEnabled()
    user.editor.do("add_row")
    assert user.driver.draft == SMALL
    user.editor.show_table(InstanceTable.of(user.built()))
    assert user.view.isEnabled()


def test_every_control_has_a_name_and_fits(user):
    user.driver.set_look("dark", 1.5)
    QApplication.processEvents()
    for box in user.editor.findChildren(QCheckBox):
        assert box.sizeHint().width() <= box.width()
    for name, button in user.editor.buttons.items():
        assert button.accessibleName()
        assert button.toolTip().endswith(").")
        assert name == "paste" or not button.icon().isNull()
    user.view.selectionModel().select(user.model.index(0, 0), QItemSelectionModel.SelectionFlag.Select)
    user.at(0, 1)
    QTest.keyClick(user.view, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is not user.view, "Tab leaves the table"
