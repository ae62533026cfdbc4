"""The instance table in the window: its dock, its edits of the draft, and the question about D."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gems_engine.terminal import plural
from gems_gui.board.side_dock import SideDock
from gems_gui.drafts.draft import FromFile, FromTable
from gems_gui.drafts.instance_table import InstanceTable, small_table
from gems_gui.services import Services
from gems_gui.widgets.notice import Notice
from gems_gui.workbench.changes import Change, Field
from gems_gui.workbench.workbench import Page

if TYPE_CHECKING:
    from gems_gui.panels.instance_editor import InstanceEditor

_WIDTH = 430  # pixels of the dock at the normal text size


class TableController(QObject):
    """The methods of the table's menu entries, button and bar.

    Attributes
    ----------
    question
        The bar that asks before the instance of a file gets another D.
    editor
        The editor; None until it is opened.
    """

    def __init__(self, services: Services) -> None:
        super().__init__(services.host)
        self._workbench, self._appearance, self._actions = services.workbench, services.appearance, services.actions
        self._host = services.host
        self.dock: SideDock | None = None
        self.editor: InstanceEditor | None = None
        self._workbench.subscribe(self._follow, Field.DRAFT, Field.TRUTH)
        self._yes, self._no = "Yes", "No"
        self.question = Notice(
            "Change of D",
            {self._yes: self._agree, self._no: self._refuse},
            tips={
                self._yes: "Give the instance in the form this number of features; the file does not change.",
                self._no: "Keep the instance as it is in the file.",
            },
        )

    # -- actions ------------------------------------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """Whether the table is open, possibly behind other tabs."""
        return self.dock is not None and not self.dock.isHidden()

    def edit_table(self, on: bool = True) -> None:
        """Open or close the table."""
        if not on and self.dock is None:
            return
        if self._make_dock().toggle(on):
            self.show_draft()
            assert self.editor is not None
            self.editor.view.setFocus()

    def new_instance(self) -> None:
        """Start a new instance with a small table, and open it."""
        drafts = self._workbench.drafts
        self._workbench.show_page(Page.BOARD)  # first, because it takes the focus
        drafts.set_draft(drafts.draft.with_new_table(small_table()))
        self.edit_table()
        assert self.editor is not None
        self.editor.go_to_start()

    def _make_dock(self) -> SideDock:
        if self.dock is None:
            from gems_gui.panels.instance_editor import InstanceEditor  # loaded when it is first opened

            self.editor = InstanceEditor(self._appearance)
            self.editor.set_truth(self._workbench.truth)
            self.editor.edited.connect(self._edit)
            self.editor.message.connect(self._show_message)
            self.dock = SideDock("instance_table", "Instance table", self._appearance, self._host, _WIDTH)
            self.dock.put(self.editor)
            self.dock.visibilityChanged.connect(self._actions.refresh)
            self.dock.visibilityChanged.connect(self.show_draft)
            self.dock.take_place()
        return self.dock

    # -- the draft ----------------------------------------------------------------------------------------------

    def show_draft(self) -> None:
        """Show the draft's table if it is open, and the question of the draft."""
        self._ask()
        if self.editor is None or self.dock is None or self.dock.isHidden():
            return
        drafts = self._workbench.drafts
        source = drafts.draft.source
        if isinstance(source, FromTable):
            self.editor.show_table(source.table)
        elif isinstance(source, FromFile):
            self.editor.show_table(InstanceTable.of(source.instance))
        elif drafts.instance is not None:
            self.editor.show_table(InstanceTable.of(drafts.instance))
        elif drafts.problems():
            self.editor.show_table(None, "The table is shown when the instance in the form is valid.")
        else:
            self.editor.wait()

    def _edit(self, table: InstanceTable) -> None:
        drafts = self._workbench.drafts
        drafts.set_draft(drafts.draft.with_table(table))

    def _show_message(self, sentence: str) -> None:
        """Show a message about the current table; it disappears when the table changes, also by undo."""
        drafts = self._workbench.drafts
        source = drafts.draft.source
        self._workbench.messages.show(sentence, holds=lambda: drafts.draft.source is source)

    def _ask(self) -> None:
        question = self._workbench.drafts.draft.question()
        if question is None:
            self.question.show_message("")
            return
        self.question.buttons[self._yes].setText(question.yes)
        self.question.buttons[self._no].setText(question.no)
        self.question.show_message(
            f"D = {question.new}, but the file has {plural(question.old, 'feature')}. {question.sentence}"
        )

    def _agree(self) -> None:
        self._answer(True)

    def _refuse(self) -> None:
        self._answer(False)

    def _answer(self, agreed: bool) -> None:
        drafts = self._workbench.drafts
        drafts.set_draft(drafts.draft.answered(agreed))

    def _follow(self, change: Change) -> None:
        if Field.TRUTH in change and self.editor is not None:
            self.editor.set_truth(self._workbench.truth)
        if Field.DRAFT in change:
            self.show_draft()
