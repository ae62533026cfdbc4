"""The left side of the page: experiment, trials, seed, processes, folder, and progress."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QProgressBar, QScrollArea, QWidget

from gems_engine.experiment.library import plugin_experiments
from gems_engine.experiment.words import time_remaining
from gems_engine.terminal import number, plural, with_indices
from gems_gui.appearance import Appearance
from gems_gui.experiments.action_button import ActionButton
from gems_gui.experiments.experiment_session import ExperimentSession
from gems_gui.icons import icon
from gems_gui.menus.action_set import ActionSet
from gems_gui.theme import Theme, restyle
from gems_gui.trials.trial_batch import default_jobs
from gems_gui.widgets.boxes import fill, grid, vbox
from gems_gui.widgets.dialogs import push_button
from gems_gui.widgets.explained import described
from gems_gui.widgets.form_widgets import ElidingComboBox, PathLine, WrappingLabel

if TYPE_CHECKING:
    from gems_engine.experiment.harness import Progress
    from gems_engine.experiment.specification import Specification

_KINDS = {"built-in": "", "plug-in": "plug-in", "file": "file", "results": "results"}


class SpecPicker(QScrollArea):
    """The inputs of an experiment, and the buttons that run it.

    Signals
    -------
    chosen
        The key of the selected source.
    changed
        The text of a field has changed.
    browse_asked
        The button to choose a folder was pressed.
    """

    chosen = Signal(str)
    changed = Signal()
    browse_asked = Signal()

    def __init__(self, actions: ActionSet, appearance: Appearance) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameStyle(0)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.source = described(
            ElidingComboBox("Experiment"), tip="Choose a built-in experiment, one of a plug-in, or one that you opened"
        )
        self.source.activated.connect(self._choose)
        self.title = WrappingLabel("", self)
        self.title.setStyleSheet("font-weight: bold")
        self.about = WrappingLabel("dim", self)
        self.size_text = WrappingLabel("dim", self)
        self.trials = self._field("Trials", "Set the number of trials of each cell; if empty, as in the specification")
        self.seed = self._field("Seed", "Set the seed of the experiment; if empty, as in the specification")
        self.jobs = self._field(
            "Processes", "Set the number of worker processes, which run at low priority; if empty, all cores but one"
        )
        self.jobs.setPlaceholderText(f"{default_jobs()}, all cores but one")
        self.folder = self._field(
            "Folder", "Set the folder for the results; an experiment with results there is continued", PathLine()
        )
        self.browse = described(push_button("", "Choose a folder", self.browse_asked), name="Choose a folder")
        self.error = WrappingLabel("error", self)
        self.folder_text = WrappingLabel("dim", self)
        self.start = described(ActionButton(actions["experiment_start"], "Start"), role="primary")
        self.pause = ActionButton(actions["experiment_pause"], "Pause")
        self.cancel = ActionButton(actions["experiment_cancel"], "Cancel")
        self.open = ActionButton(actions["experiment_open"], "Open…")
        self.results = ActionButton(actions["experiment_results"], "Results…")
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("Progress of the experiment")
        self.progress = WrappingLabel("dim", self)
        self._lay_out()
        appearance.follow(self._apply_theme)
        self.show_progress(None, False, False)

    def _field(self, name: str, tip: str, line: QLineEdit | None = None) -> QLineEdit:
        field = described(line or QLineEdit(), name=name, about=f"{tip}.")
        field.textEdited.connect(self.changed)
        return field

    def _lay_out(self) -> None:
        card = QFrame()
        card.setProperty("role", "card")
        column = vbox(card, 7, margins=(12, 10, 12, 12))
        column.addWidget(self.source)
        buttons = fill(QHBoxLayout(), self.open, self.results)
        fill(column, buttons, self.title, self.size_text)
        fields = grid(spacing=(8, 6), stretched=1)
        for row, (words, field) in enumerate(
            (("Trials", self.trials), ("Seed", self.seed), ("Processes", self.jobs), ("Folder", self.folder))
        ):
            label = QLabel(words)
            label.setBuddy(field)
            fields.addWidget(label, row, 0)
            fields.addWidget(field, row, 1, 1, 1 if field is self.folder else 2)
        fields.addWidget(self.browse, 3, 2)
        fill(column, fields, self.error, self.folder_text, self.start)
        hold = fill(QHBoxLayout(), self.pause, self.cancel)
        fill(column, hold, self.bar, self.progress)
        column.addSpacing(6)
        column.addWidget(self.about)  # last, so that the buttons above are visible at every text size
        column.addStretch(1)
        self.setWidget(card)

    def _apply_theme(self, theme: Theme) -> None:
        self.bar.setFixedHeight(theme.pixels(8))
        self.browse.setIcon(icon("open", theme))
        self.browse.setMaximumWidth(theme.pixels(38))

    # -- settings -----------------------------------------------------------------------------------------------

    def show_session(self, session: ExperimentSession, truth: bool) -> None:
        """List the specifications; without titles while the truth is hidden, as they may reveal it."""
        items = []
        for source in session:
            edited = "edited" if session.edited(source) else ""
            asks = session.title(source) if truth and source.kind in ("built-in", "plug-in") else ""
            words = " · ".join(filter(None, (asks or source.name, edited, _KINDS[source.kind])))
            tip = "\n".join((asks, f"Id: {source.name}")) if asks else source.path or source.name
            items.append((words, source.key, tip))
        self.source.fill(items)
        for each in plugin_experiments().broken:
            self.source.add_disabled(f"{each.name or each.package} (broken)", each.sentence)
        self.source.choose(session.chosen.key)

    def show_about(
        self, specification: Specification | None, session: ExperimentSession, truth: bool, pending: bool
    ) -> None:
        """Show the description and the size of the selected experiment; None if it is being checked or not valid."""
        said, source = specification, session.chosen
        title, about = (said.title, said.about) if said is not None else session.description(source)
        self.title.show_text((truth and title) or source.name)
        self.about.show_text(with_indices(" ".join(about.split("\n\n")[0].split())) if truth else "")
        if said is None:
            # A line in the place of the size, so that nothing below it moves when the size is known.
            self.size_text.show_text("Checking the specification …" if pending else "")
        else:
            cells, trials = plural(len(said.cells), "cell"), plural(said.trials, "trial")
            self.size_text.show_text(f"{cells} × {trials} = {number(len(said))}")

    def show_message(self, error: str, folder: str) -> None:
        """Show why the experiment cannot start, and a note about the folder."""
        self.error.show_text(error)
        self.folder_text.show_text(folder)

    def mark(self, wrong: Sequence[QWidget]) -> None:
        """Mark the fields that are not valid."""
        for field in (self.trials, self.seed, self.jobs, self.folder):
            invalid = "true" if field in wrong else "false"
            if field.property("invalid") != invalid:
                field.setProperty("invalid", invalid)
                restyle(field)

    def show_progress(self, progress: Progress | None, running: bool, paused: bool, reads: bool = False) -> None:
        """Show the progress."""
        self.bar.setVisible(running or progress is not None)
        if progress is None:
            self.bar.setRange(0, 0 if running else 1)  # 0 to 0: busy
            busy = "Reading the folder …" if reads else "Starting worker processes …"
            self.progress.show_text(busy if running else "")
            return
        self.bar.setRange(0, max(1, progress.total))
        self.bar.setValue(progress.done)
        parts = [f"{number(progress.done)} of {number(progress.total)} trials"]
        if progress.failed:
            parts.append(f"{number(progress.failed)} failed")
        if paused:
            parts.append("paused")
        elif running and not reads and not progress.complete:
            parts.append(time_remaining(progress.remaining))
        self.progress.show_text(", ".join(parts) + ".")
        self.bar.setAccessibleDescription(self.progress.text_shown)

    def _choose(self, at: int) -> None:
        self.source.setToolTip(str(self.source.itemData(at, Qt.ItemDataRole.ToolTipRole) or ""))
        self.chosen.emit(str(self.source.itemData(at)))
