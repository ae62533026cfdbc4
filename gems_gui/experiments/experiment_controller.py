"""What the actions on experiments do; the page itself is loaded when it is first opened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QTabBar

from gems_engine.errors import InputError
from gems_engine.terminal import number, plural
from gems_gui.background.file_worker import FileDone
from gems_gui.background.queries import Queries
from gems_gui.board.page_area import PageArea
from gems_gui.services import Services
from gems_gui.truth import REASON
from gems_gui.widgets.explained import complete, explain
from gems_gui.widgets.timers import repeating
from gems_gui.workbench.changes import Change, Field
from gems_gui.workbench.messages import ERROR
from gems_gui.workbench.ports import Answer
from gems_gui.workbench.workbench import Page

if TYPE_CHECKING:
    from gems_gui.experiments.experiment_session import SpecSource
    from gems_gui.experiments.live_summary import LiveSummary
    from gems_gui.experiments.page import ExperimentPage
    from gems_gui.experiments.spec_choice import SpecChoice
    from gems_gui.experiments.trial_opening import RunWith, TrialOpener
    from gems_gui.trials.trial_batch import JobEnd

_PICTURES, _REPORT = "experiment pictures", "experiment report"
_SPECIFICATIONS = "Specifications (*.toml);;All files (*)"
_NOT_RUNNING = "No experiment is running. Start one on the page of experiments (Ctrl+Shift+X)."
_LOOK = 250  # milliseconds between two updates of the progress


class ExperimentController(QObject):
    """The methods behind these actions, and the experiments page.

    Attributes
    ----------
    page, choice, live_summary
        The page, what is to be run, and what is running or ran last; set when the page is first opened.
    queries, opener
        A separate worker, so that the form does not wait for bounds and plots; runs trials again in the window.
    tabs
        The two pages of the window, next to its menus.
    """

    page: ExperimentPage
    choice: SpecChoice
    live_summary: LiveSummary
    queries: Queries
    opener: TrialOpener

    source_saved = Signal(object)
    """A specification was saved to a file."""
    tabs_resized = Signal()
    """The tabs need another width."""

    def __init__(self, services: Services, pages: PageArea, run_with: RunWith) -> None:
        super().__init__(services.host)
        self._workbench, self._ui, self._actions = services.workbench, services.ui, services.actions
        self._files, self._settings, self._appearance = services.files, services.settings, services.appearance
        self._in_thread, self._run_with = services.in_thread, run_with
        self.created = False
        self._stale = False  # whether the plots are out of date
        self._reports = count(1)
        self._to_save: SpecSource | None = None
        self._saving: dict[str, tuple[SpecSource, str]] = {}
        self._poll_timer = repeating(self, self._show_progress, _LOOK)
        self.tabs = self._corner()
        pages.add(Page.EXPERIMENTS, self._make)
        pages.shown.connect(self._on_page_shown)
        self._workbench.subscribe(self._truth_changed, Field.TRUTH)
        self._workbench.subscribe(self._show_page_state, Field.ENGINE)
        self._workbench.subscribe(self._on_runs_changed, Field.RUNS)

    def _corner(self) -> QTabBar:
        tabs = QTabBar()
        tabs.setObjectName("pages")
        tabs.setAccessibleName("Pages of this window")
        tabs.setDrawBase(False)
        tabs.setExpanding(False)
        tabs.setUsesScrollButtons(False)
        explain(tabs, "Switch between the run with its form and views, and experiments of many trials (Ctrl+Shift+X).")
        tabs.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it has a shortcut
        for words in ("Run", "Experiments"):
            tabs.addTab(words)
        tabs.tabBarClicked.connect(self._on_tab_clicked)
        return tabs

    def _on_tab_clicked(self, at: int) -> None:
        if (at == 1) != self.is_open:
            self.experiments(at == 1)

    # -- the page -----------------------------------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """Whether the page is shown instead of form and board."""
        return self._workbench.page is Page.EXPERIMENTS

    def experiments(self, on: bool) -> None:
        """Show the page instead of form and board, or go back to them."""
        self._workbench.show_page(Page.EXPERIMENTS if on else Page.BOARD)

    def _on_runs_changed(self, change: Change) -> None:
        """Show the board when the user starts or opens a run: it would play out of sight."""
        active = self._workbench.active
        if self.is_open and active in change.started and active is not None and not self._workbench.is_passing(active):
            self.experiments(False)

    def _on_page_shown(self, *_: object) -> None:
        if self.is_open:
            self.page.spec_picker.source.setFocus()
        self.tabs.setCurrentIndex(1 if self.is_open else 0)
        self._show_progress()

    def _open_page(self) -> None:
        if not self.is_open:
            self.experiments(True)

    def _make(self) -> ExperimentPage:
        from gems_gui.experiments.live_summary import LiveSummary  # loaded with the page of experiments
        from gems_gui.experiments.page import ExperimentPage  # loaded with the page of experiments
        from gems_gui.experiments.spec_choice import SpecChoice  # loaded with the page of experiments
        from gems_gui.experiments.trial_opening import TrialOpener  # loaded with the page of experiments

        self.queries = Queries(self, in_thread=self._in_thread)
        self.queries.warm()
        self.page = page = ExperimentPage(self._actions, self._appearance)
        self.live_summary = LiveSummary(self.queries, self._workbench.jobs, self, in_thread=self._in_thread)
        self.choice = SpecChoice(page, self.queries, self._settings, self)
        self.opener = TrialOpener(self._workbench, self.queries, self._run_with, self.choice.discreet, self)
        self.created = True
        self.queries.answered.connect(self._on_answer)
        self.choice.changed.connect(self._on_choice_changed)
        self.choice.results_chosen.connect(self._read_results)
        page.close_asked.connect(self._close_page)
        page.spec_picker.browse_asked.connect(self._browse)
        page.pictures.redraw_requested.connect(self._draw)
        page.trials.asked.connect(self.open_trial)
        page.pictures.cell_asked.connect(self.open_cell)
        self.live_summary.started.connect(self._on_started)
        self.live_summary.rows_added.connect(page.trials.grow)
        self.live_summary.summary_changed.connect(self._on_summary_changed)
        self.live_summary.changed.connect(self._show_state)
        self.live_summary.ended.connect(self._on_ended)
        complete(page)
        self._truth_changed()
        return page

    def _close_page(self) -> None:
        self.experiments(False)

    def _truth_changed(self, *_: object) -> None:
        if self.created:
            shown = self._workbench.truth
            self.page.set_truth(shown)
            self.choice.set_truth(shown)
            self._show_state()

    def close(self) -> None:
        """Stop everything, as the window closes; finished trials are kept."""
        self._poll_timer.stop()
        if self.created:
            self.choice.close()
            self.page.trials.close_list()
            self.live_summary.close()
            self.queries.close()

    # -- files --------------------------------------------------------------------------------------------------

    def experiment_open(self) -> None:
        """Ask for a specification file."""
        self._open_page()
        self._ui.ask_file("Open specification", _SPECIFICATIONS, self.open_specification)

    def open_specification(self, path: str) -> None:
        """Read a specification and select it."""
        self._open_page()
        self._files.open_specification(path)

    def experiment_results(self) -> None:
        """Ask for a folder of results."""
        self._ask_folder("Open results", self.open_results)

    def open_results(self, folder: str) -> None:
        """Show the results in a folder; starting continues the experiment."""
        self._open_page()
        try:
            self.choice.take_results(folder)
            self._workbench.messages.accept_file(folder)
        except InputError as error:
            self._workbench.messages.refuse_file(folder, str(error))
            self._workbench.messages.log(str(error), ERROR)

    def _browse(self) -> None:
        self._ask_folder("Folder for the results", self.choice.set_folder)

    def _ask_folder(self, title: str, take: Callable[[str], object]) -> None:
        self._open_page()
        place = Path(self.choice.folder or ".")
        start = next((each for each in (place, *place.parents) if each.is_dir()), Path.cwd())
        self._ui.ask_folder(title, take, str(start))

    def experiment_save(self) -> None:
        """Save the specification to its file, or ask for one."""
        chosen = self.choice.session.chosen
        if chosen.kind == "file":
            self.write_source(chosen, chosen.path)
        else:
            self.save_source(chosen)

    def experiment_save_as(self) -> None:
        """Ask where to save the specification."""
        self.save_source(self.choice.session.chosen)

    def save_source(self, source: SpecSource) -> None:
        """Ask where to save the text of a source."""
        self._to_save = source
        path = source.path if source.kind == "file" else f"{source.name}.toml"
        self._ui.ask_save("Save specification", _SPECIFICATIONS, ".toml", self._save, path)

    def _save(self, path: str) -> None:
        if self._to_save is not None:
            self.write_source(self._to_save, path)

    def write_source(self, source: SpecSource, path: str) -> None:
        """Save the text of a source to this file."""
        text = self.choice.session.text_of(source)
        self._saving[path] = (source, text)
        self._files.save_specification(path, text)

    def file_done(self, done: FileDone) -> None:
        """Take a specification that was read or written."""
        if done.task == "open specification":
            self.choice.take_file(done.path, done.value)
        else:
            source, text = self._saving.pop(done.path)
            self.choice.saved(source, done.path, text)
            self._workbench.messages.show(f"Specification saved as {done.path}.")
            self.source_saved.emit(source)

    def unsaved(self) -> list[SpecSource]:
        """Specifications with unsaved edits."""
        return self.choice.session.unsaved() if self.created else []

    # -- running ------------------------------------------------------------------------------------------------

    def start_refusal(self) -> str:
        """Why no trials can be started; before the page was opened, it opens and says so."""
        if not self.created:
            return ""
        if self.live_summary.running:
            return "An experiment is running. Wait for it, or cancel it first."
        if not self._ready:
            return "The specification is not valid yet. Correct it on the page of experiments (Ctrl+Shift+X)."
        return "All trials are finished. Choose more trials or another experiment." if self._complete else ""

    def pause_refusal(self) -> str:
        """Why there are no trials to pause."""
        return _NOT_RUNNING if self.cancel_refusal() or self.live_summary.reading else ""

    def is_paused(self) -> bool:
        """Whether the experiment is paused."""
        return self.created and self.live_summary.paused

    def cancel_refusal(self) -> str:
        """Why there are no trials, running or being read, to cancel."""
        return "" if self.created and self.live_summary.running else _NOT_RUNNING

    def save_refusal(self) -> str:
        """Why there is no specification to save, for example because it is hidden with the truth."""
        if not self.created:
            return "No specification yet. Choose an experiment first (Ctrl+Shift+X)."
        return "" if self._workbench.truth else REASON

    def results_refusal(self) -> str:
        """Why there are no results, for example because they are hidden with the truth."""
        if not self.created or self.live_summary.summary is None or not self.live_summary.summary.done:
            return "No results yet. Start an experiment or open its results (Ctrl+Shift+X)."
        return "" if self._workbench.truth else REASON

    def experiment_start(self) -> None:
        """Run the missing trials of the selected experiment."""
        self._open_page()
        self.choice.refresh()
        said = self.choice.specification
        if said is None or self.choice.sentence or self.live_summary.running:
            self._workbench.messages.show(
                self.choice.discreet(self.choice.sentence)
                or "The specification is still being checked. Try again in a moment."
            )
            return
        self.choice.on_started()
        self.live_summary.start(said, self.choice.folder, self.choice.jobs)
        if self.page.shown_tab == "Specification":
            self.page.show_tab("Plots")
        self._workbench.messages.log(f"Started the experiment {said.name}: {plural(len(said), 'trial')}.")

    def experiment_pause(self, on: bool) -> None:
        """Pause or resume starting trials."""
        self.live_summary.pause(on)
        self._show_page_state()

    def experiment_cancel(self) -> None:
        """Cancel the experiment; keep the finished trials."""
        self.live_summary.cancel()

    def _read_results(self) -> None:
        """Show the results of the selected folder, unless trials are running."""
        if self.live_summary.running and self.live_summary.reading and self._summarises_chosen:
            return  # it is already being read
        if self.live_summary.running:
            self._workbench.messages.show(
                "An experiment is running, and its results are shown. Open other results after it has ended."
            )
        elif self.choice.specification is not None:
            self.live_summary.read(self.choice.specification, self.choice.folder)

    def _on_choice_changed(self) -> None:
        """Show the existing results of the selected experiment, unless trials are running."""
        self._show_state()
        choice = self.choice
        if choice.resumes and not choice.sentence and not self.live_summary.running and not self._summarises_chosen:
            self._read_results()

    def _on_started(self) -> None:
        self.page.trials.show_store(self.live_summary.store)
        self.page.show_summary(None)
        self.page.pictures.show_pictures({})
        self._poll_timer.start()

    def _on_ended(self, end: JobEnd) -> None:
        from gems_gui.experiments.job import ReadingJob  # loaded with the page of experiments

        said, progress, job = self.live_summary.specification, self.live_summary.progress, self.live_summary.trials.job
        self._poll_timer.stop()
        results = self.choice.session.chosen.kind == "results" and self.choice.folder == self.live_summary.folder
        if self.live_summary.reading and isinstance(job, ReadingJob) and results:
            self.choice.want_trials(job.specification.trials)  # the number that was last requested
        self.choice.refresh()  # its folder may have results now
        for note in getattr(job, "notes", ()):
            self._workbench.messages.show(note)
        if end.how == "failed":
            kept = " The finished trials are kept." if progress is not None else ""
            self._workbench.messages.show(self.choice.discreet(end.sentence) + kept, error=True)
        elif said is not None and progress is not None and not self.live_summary.reading:
            failed = f", {number(progress.failed)} of them failed" if progress.failed else ""
            how = "is complete" if progress.complete else "was cancelled and can be continued"
            words = f"The experiment {said.name} {how}: {plural(progress.done, 'trial')}{failed}."
            messages = self._workbench.messages
            (messages.log if self.is_open else messages.show)(words)

    # -- results ------------------------------------------------------------------------------------------------

    def _on_summary_changed(self) -> None:
        self.page.show_summary(self.live_summary.summary)
        self._show_tips()
        self._draw()
        self._show_state()

    def _show_tips(self) -> None:
        from gems_engine.experiment.words import cell_of_map  # loaded with the page of experiments

        summary = self.live_summary.summary
        if summary is not None and summary.ratios:
            said = summary.specification
            self.page.pictures.show_tips({each.of.index: cell_of_map(said, each) for each in summary.ratios})

    def _draw(self) -> None:
        """Draw the plots if they are visible; one set at a time, and the newest next."""
        if not self.created or self.live_summary.summary is None:
            return
        shown = self.page.pictures
        if not shown.isVisible() or self.queries.busy(_PICTURES):
            self._stale = True
            return
        from gems_gui.experiments.analysis_tasks import pictures  # loaded with the page of experiments

        self._stale = False
        bounds = dict(self.live_summary.bounds)
        self.queries.ask(_PICTURES, pictures, self.live_summary.summary, bounds, shown.room, shown.dark)

    def _on_answer(self, answer: Answer) -> None:
        if answer.key == _PICTURES:
            if not answer.error:
                self.page.pictures.show_pictures(answer.value)
            if self._stale:
                self._draw()
        elif answer.key == _REPORT:
            self._reported(answer)

    def experiment_report(self) -> None:
        """Write the report of the shown experiment, and open it in the browser."""
        from gems_gui.experiments.analysis_tasks import report  # loaded with the page of experiments

        self.queries.ask(_REPORT, report, self.live_summary.folder, next(self._reports))

    def _reported(self, answer: Answer) -> None:
        if answer.error:
            self._workbench.messages.show(answer.error, error=True)
            return
        self._workbench.messages.show(f"Report written to {answer.value}.")
        QDesktopServices.openUrl(QUrl.fromLocalFile(answer.value))

    def experiment_markdown(self) -> None:
        """Copy the tables as Markdown."""
        from gems_engine.experiment.report import markdown  # loaded with the page of experiments

        if self.live_summary.summary is not None:
            self._copy(markdown(self.live_summary.summary), "Copied the tables as Markdown.")

    def experiment_csv(self) -> None:
        """Copy all numbers as CSV, with a row for each cell."""
        from gems_engine.experiment.tables import everything, to_csv  # loaded with the page of experiments

        if self.live_summary.summary is not None:
            table = everything(self.live_summary.summary, self.live_summary.bounds)
            self._copy(to_csv(table), "Copied all numbers as CSV, with a row for each cell.")

    def _copy(self, text: str, words: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._workbench.messages.show(words)

    # -- the run of a trial -------------------------------------------------------------------------------------

    def open_trial(self, index: int) -> None:
        """Run a trial again in the window, with its instance and seed."""
        if self.live_summary.specification is not None:
            self.opener.open(self.live_summary.specification, index)

    def open_cell(self, index: int) -> None:
        """Run both algorithms of a cell of the map again, in the trial with the median ratio."""
        summary = self.live_summary.summary
        ratios = () if summary is None else summary.ratios
        ratio = next((each for each in ratios if each.of.index == index and each.trial >= 0), None)
        if summary is None or ratio is None:
            self._workbench.messages.show("This cell has no finished trial of both algorithms yet.")
            return
        said = summary.specification
        first = ratio.trial * len(said.cells)
        self.opener.open(said, first + ratio.over.index, first + ratio.of.index)

    # -- state of menus and page --------------------------------------------------------------------------------

    def _show_state(self) -> None:
        self._actions.refresh()
        self._show_page_state()

    def _show_page_state(self, *_: object) -> None:
        """Update the page."""
        if not self.created:
            return
        live, complete = self.live_summary, self._ready and self._complete
        self.page.copy.setEnabled(not self.results_refusal())
        fields = self.page.spec_picker
        fields.pause.setText("Resume" if live.paused else "Pause")
        words = "Complete" if complete else "Continue" if self.choice.resumes else "Start"
        under_way = "Paused" if live.paused else "Running"
        fields.start.setText(under_way if live.running and not live.reading else words)
        if complete:
            fields.folder_text.show_text(
                "All trials are done. Increase the number of trials, or choose another folder."
            )
        self._show_progress()

    @property
    def _ready(self) -> bool:
        """Whether the selected experiment is valid."""
        return self.choice.specification is not None and not self.choice.sentence

    @property
    def _summarises_chosen(self) -> bool:
        """Whether the results shown are those of the selected experiment."""
        live, said = self.live_summary, self.choice.specification
        if said is None or live.specification is None:
            return False
        same = (live.folder, live.specification.digest, live.specification.seed)
        return same == (self.choice.folder, said.digest, said.seed)

    @property
    def _complete(self) -> bool:
        """Whether the selected experiment is known to be complete."""
        said, progress = self.choice.specification, self.live_summary.progress
        if self.live_summary.running or said is None or progress is None or not self._summarises_chosen:
            return False
        return progress.done >= len(said)

    def _show_progress(self) -> None:
        words = "Experiments"
        if self.created:
            live, said = self.live_summary, self.live_summary.specification
            # While another one is selected, its name would be next to this progress: show it only while this one runs.
            chosen = self.choice.specification
            other = chosen is not None and not self._summarises_chosen
            progress = live.progress if live.running or not other else None
            if progress is not None and chosen is not None and not live.running:  # it may have more trials now
                progress = replace(progress, total=max(len(chosen), progress.done))
            self.page.spec_picker.show_progress(progress, live.running, live.paused, live.reading)
            if said is not None:
                self.page.words.set_text(f"{said.name} · seed {said.seed} · {live.folder}")
            if live.running and not live.reading and progress is not None:
                words = f"Experiments · {int(100 * progress.done / max(1, progress.total))} %"
        if self.tabs.tabText(1) != words:
            room = self.tabs.sizeHint()
            self.tabs.setTabText(1, words)
            if self.tabs.sizeHint() != room:
                self.tabs_resized.emit()
