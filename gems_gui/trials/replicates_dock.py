"""The dock for replicates: their number and results, failing seeds, and a search for a failing seed."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontMetrics, QIntValidator, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListView,
    QListWidget,
    QListWidgetItem,
    QProgressBar,
    QPushButton,
    QWidget,
)

from gems_engine.commands.command import whole
from gems_engine.errors import InputError
from gems_engine.experiment.replicates import FAILINGS
from gems_engine.experiment.replicates import MOST as MOST_SEEDS
from gems_engine.terminal import number
from gems_gui.appearance import Appearance
from gems_gui.board.side_dock import SideDock
from gems_gui.markup import plain_text
from gems_gui.series.replicate_text import facts_text, failing_text, progress_text
from gems_gui.theme import Theme
from gems_gui.trials.replicating import SEEDS, TRIES, Replicating
from gems_gui.widgets.boxes import fill, hbox
from gems_gui.widgets.dialogs import push_button, sentence_label
from gems_gui.widgets.explained import described, explain
from gems_gui.widgets.form_widgets import ElidingComboBox, FieldLine
from gems_gui.workbench.run_session import RunSession

_MOST_TRIES = 1_000_000
_AROUND = 24  # pixels of a line edit's frame and cursor, before font scaling
_SEED = Qt.ItemDataRole.UserRole
_NONE_YET = (
    'Run more seeds of the current run in the background. The views "Replicates" and "Distribution of τ" show them.'
)
_NONE_FAILS = "None of these seeds gives a wrong final recommendation."
_HIDDEN = "Failing seeds are hidden with the truth. T shows it."


class SeedList(QListWidget):
    """Trials with a text each; Enter opens one."""

    opened = Signal(object)

    def __init__(self, name: str, tip: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrap(True)  # the error is at the end of a line
        self.setTextElideMode(Qt.TextElideMode.ElideNone)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setTabKeyNavigation(False)
        explain(self, tip)
        self.itemDoubleClicked.connect(self._open)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentItem() is not None:
            self._open(self.currentItem())
        else:
            super().keyPressEvent(event)

    def _open(self, item: QListWidgetItem) -> None:
        self.opened.emit(item.data(_SEED))

    def list(self, lines: list[tuple[int, str]]) -> None:
        """Show these seeds with their texts."""
        shown = [(item.data(_SEED), item.text()) for item in map(self.item, range(self.count()))]
        if shown == lines:
            return
        chosen = self.currentRow()
        self.clear()
        for seed, words in lines:
            item = QListWidgetItem(words)
            item.setData(_SEED, seed)
            item.setToolTip(plain_text(words))
            self.addItem(item)
        self.setCurrentRow(min(chosen, len(lines) - 1))


class ReplicatesDock(SideDock):
    """Inputs for replicates, and the results for the current run."""

    replicate_asked = Signal(int)
    find_asked = Signal(str, int)
    cancel_asked = Signal()
    open_asked = Signal(object)
    """A seed to open as a run."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__("replicates", "More seeds", appearance, parent)
        self.setProperty("help", "views/replicates")
        self.count = _line("Number of seeds", str(SEEDS), "Set the number of seeds to run", MOST_SEEDS)
        self.tries = _line("Most seeds to search", str(TRIES), "Set how many seeds a search may try", _MOST_TRIES)
        self.seed = _line(
            "Seed to open", "", 'Enter the seed of a replicate, or click a dot in the view "Distribution of τ"'
        )
        self.start = push_button(
            "Replicate", "Run this number of seeds of the current run in the background", self._replicate
        )
        self.start.setProperty("role", "primary")
        self.stop = push_button("Cancel", "Cancel immediately; keep the finished trials", self.cancel_asked)
        self.look = push_button("Find a failing seed", "Search for a seed that fails, and open it as a run", self._find)
        self.open_seed = push_button("Open as a run", "Run this seed in the window", self._open)
        self.how = ElidingComboBox("What to search for")
        self.how.fill([(words, name, f"Find the first seed that {words}") for name, words in FAILINGS.items()])
        explain(self.how, "Choose what counts as failing.")
        self.bar = described(QProgressBar(), name="Finished seeds")
        self.bar.setTextVisible(False)
        self.progress, self.facts, self.refusal = sentence_label("dim"), sentence_label(), sentence_label("error")
        self.progress.setAccessibleName("Progress of the trials")
        self.facts.setAccessibleName("Results of the replicates")
        self.refusal.setAccessibleName("Error")
        self.failing = SeedList(
            "Failing seeds",
            "Replicates with a wrong final recommendation or an error; Enter or a double click opens one as a run.",
        )
        self.failing.opened.connect(self.open_asked)
        self.placeholder = described(QLabel(), role="dim")
        self.placeholder.setWordWrap(True)
        self.placeholder.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._lay_out()
        appearance.follow(self._apply_theme)
        self.show_message("")

    def _lay_out(self) -> None:
        column = self.column()
        fill(column, _row("Seeds", self.count, self.start, self.stop), self.bar, self.progress, self.refusal)
        fill(column, self.facts, (self.failing, 1), (self.placeholder, 1), _row("Seed", self.seed, self.open_seed))
        fill(column, _row("First seed that", self.how), _row("Try at most", self.tries))
        column.addWidget(self.look)  # next to the line edit there is not enough room with larger text
        self.count.returnPressed.connect(self._replicate)
        self.seed.returnPressed.connect(self._open)
        self.bar.setFixedHeight(6)

    def _apply_theme(self, theme: Theme) -> None:
        self.failing.setMinimumWidth(theme.pixels(200))
        self.bar.setFixedHeight(theme.pixels(6))
        metrics = QFontMetrics(theme.font())
        for line, most in ((self.count, MOST_SEEDS), (self.tries, _MOST_TRIES)):  # wide enough for the largest number
            line.setMinimumWidth(metrics.horizontalAdvance(str(most)) + theme.pixels(_AROUND))

    # -- display ----------------------------------------------------------------------------------------------------

    def show_run(self, run: RunSession | None, replicating: Replicating, truth: bool) -> None:
        """Show the replicates of a run, and the current task."""
        task, found = replicating.task, None if run is None else run.replicates
        mine = task is not None and task.run is run
        refusal = replicating.refusal(run)
        self.facts.setText(refusal or " ".join(filter(None, (facts_text(found, truth), replicating.further(run)))))
        self.facts.setVisible(bool(self.facts.text()))
        lines = [] if found is None or not truth or run is None else failing_text(found, run.trace.instance)
        self.failing.list(lines)
        none = "" if found is None or not len(found) else _NONE_FAILS if truth else _HIDDEN
        self.placeholder.setText("" if lines else none or _NONE_YET)
        self.placeholder.setVisible(not lines)
        self.failing.setVisible(bool(lines))
        words = replicating.message if replicating.message_run is run else ""
        if task is not None:
            words = progress_text(task.search, replicating.tried, task.run.replicates, "" if mine else task.run.name)
        self.progress.setText(words)
        self.progress.setVisible(bool(words))
        self.bar.setVisible(task is not None)
        if task is not None:
            of = None if task.search or task.run.replicates is None else task.run.replicates
            self.bar.setRange(0, 0 if of is None else of.wanted)
            self.bar.setValue(0 if of is None else len(of))
        self.start.setVisible(task is None)
        self.stop.setVisible(task is not None)
        open_to: tuple[QWidget, ...] = (self.start, self.count, self.open_seed, self.seed)
        for widget in open_to:
            widget.setEnabled(not refusal)
        for widget in (self.look, self.how, self.tries):
            widget.setEnabled(not refusal and truth)
        self.look.setText("Find a failing seed" if truth else "Hidden with the truth")

    def show_message(self, sentence: str) -> None:
        """Show why a request was refused, or nothing."""
        self.refusal.setText(sentence)
        self.refusal.setVisible(bool(sentence))

    def put_seed(self, seed: int) -> None:
        """Put a seed into the field from which it can be opened."""
        self.seed.setText(str(seed))
        self.seed.setCursorPosition(0)

    # -- input ------------------------------------------------------------------------------------------------------

    def _replicate(self) -> None:
        if (count := self._whole(self.count, "The number of seeds", MOST_SEEDS)) is not None:
            self.replicate_asked.emit(count)

    def _find(self) -> None:
        if (tries := self._whole(self.tries, "The number of seeds to search", _MOST_TRIES)) is not None:
            self.find_asked.emit(str(self.how.currentData()), tries)

    def _open(self) -> None:
        if (seed := self._whole(self.seed, "A seed", 2**63 - 1, 0)) is not None:
            self.open_asked.emit(seed)

    def _whole(self, line: QLineEdit, name: str, most: int, least: int = 1) -> int | None:
        try:
            found = whole("".join(line.text().split()), least, name, least, most)
        except InputError as error:
            self.show_message(str(error))
            return None
        self.show_message("")
        return found


def _line(name: str, text: str, tip: str, most: int = 0) -> QLineEdit:
    line = described(FieldLine(text), name=name, about=f"{tip}, from 1 to {number(most)}." if most else f"{tip}.")
    line.setMinimumWidth(1)
    if most:
        line.setValidator(QIntValidator(0, 10**9, line))
    return line


def _row(words: str, line: QWidget, *buttons: QPushButton) -> QHBoxLayout:
    row = hbox(spacing=6)
    label = QLabel(words)
    label.setBuddy(line)
    fill(row, label, (line, 1), *buttons)
    return row
