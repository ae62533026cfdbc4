"""What is to be run: the selected and edited specification, the values of the fields, and the folder."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import QObject, QStandardPaths, Signal

from gems_engine.errors import InputError
from gems_engine.experiment.folder import first_session
from gems_engine.experiment.specification import MOST_TRIALS, Specification
from gems_engine.parameters import Parameter
from gems_gui.background.queries import Queries
from gems_gui.experiments.experiment_session import ExperimentSession, SpecSource, examined, read_source
from gems_gui.experiments.job import begun_in, proposed, refusal
from gems_gui.experiments.page import ExperimentPage
from gems_gui.field_text import parsed
from gems_gui.settings import Settings
from gems_gui.truth import discreet_sentence
from gems_gui.widgets.timers import single_shot
from gems_gui.workbench.ports import Answer

_CHECK = "experiment check"
_REST = 200  # milliseconds without typing, after which an edited specification is checked
_TRIALS = Parameter("trials", "int", 1, "", "", 1, MOST_TRIALS)
_JOBS = Parameter("processes", "int", 1, "", "", 1, 1024)
_SEED = Parameter("seed", "int", 0, "", "", 0, 2**63 - 1)


class SpecChoice(QObject):
    """Keeps the selection, lets the worker check it, and shows on the page what would be run.

    Attributes
    ----------
    session
        All specifications, with their edits.
    specification
        What would be run, with the trials and seed of the fields; None while it is being checked or is not valid.
    sentence
        What is wrong, or empty.
    resumes
        Whether the folder already has rows of it.
    jobs
        The number of worker processes; None for all cores but one.
    """

    changed = Signal()
    """What would be run has changed, or its errors have."""
    results_chosen = Signal()
    """A folder of results was selected, and its specification is valid."""

    def __init__(self, page: ExperimentPage, queries: Queries, settings: Settings, parent: QObject) -> None:
        super().__init__(parent)
        self._page, self._queries, self._settings = page, queries, settings
        self.session = ExperimentSession()
        self.specification: Specification | None = None
        self.sentence = ""
        self.resumes = False
        self.jobs: int | None = None
        self._text_sentence = ""
        self._parsed: Specification | None = None
        self._before: Specification | None = None  # shown until the next is known, to avoid flicker while typing
        self._folder_given = False
        self._to_read = False
        self._truth = True
        self._timer = single_shot(self, self.check, _REST)
        queries.answered.connect(self._on_answer)
        page.spec_picker.chosen.connect(self.choose)
        page.spec_picker.changed.connect(self.refresh)
        page.spec_picker.folder.editingFinished.connect(self._on_folder_left)
        page.editor.edited.connect(self._on_edited)
        page.editor.revert_asked.connect(self._revert)
        for path in reversed(settings.recent_experiments()):
            self._put_recent(path)
        self._load_source()

    def close(self) -> None:
        """Stop checking, as the window closes."""
        self._timer.stop()

    # -- selection ----------------------------------------------------------------------------------------------

    def _put_recent(self, path: str) -> None:
        """Add a recently used source, if it still exists."""
        try:
            source = SpecSource.of_results(path) if os.path.isdir(path) else SpecSource.of_file(path)
            self.session.put(source, read_source(source))
        except InputError:
            return  # it was deleted, or is no longer valid

    def choose(self, key: str) -> None:
        """Select the source with this key; edits of the previous one are kept."""
        self.session.chosen = self.session[key]
        self._folder_given = False
        self._page.spec_picker.folder.setModified(False)
        self._to_read = self.session.chosen.kind == "results"
        self._load_source()

    def take_file(self, path: str, text: str) -> None:
        """Select a specification that was read from a file."""
        source = SpecSource.of_file(path)
        self.session.put(source, text)
        self._settings.add_recent_experiment(path)
        self.choose(source.key)

    def take_results(self, folder: str) -> None:
        """Select a folder of results; raises an InputError if it is not one."""
        source = SpecSource.of_results(folder)
        self.session.put(source, read_source(source))
        self._settings.add_recent_experiment(folder)
        self.choose(source.key)

    def saved(self, source: SpecSource, path: str, text: str) -> None:
        """Note that the text of a source was saved to a file."""
        self.session.saved_as(source, path, text)
        self._settings.add_recent_experiment(path)
        self._load_source()

    def on_started(self) -> None:
        """Note that the selected experiment has started, so that it is continued in the same folder."""
        self._folder_given = True
        self._settings.add_recent_experiment(self.folder)

    def _load_source(self) -> None:
        """Show the selected source, and check it."""
        fields = self._page.spec_picker
        self._text_sentence, self._before = "", None
        self._page.editor.show_text(self.session.text)
        self._page.editor.show_error("")
        fields.trials.clear()
        fields.seed.clear()
        if self.session.chosen.kind == "results":
            self.set_folder(self.session.chosen.path)
        self._list()
        self.check()

    def _list(self) -> None:
        self._page.spec_picker.show_session(self.session, self._truth)
        self._page.editor.revert.setEnabled(self.session.edited(self.session.chosen))

    def _on_edited(self, text: str) -> None:
        before = self.session.edited(self.session.chosen)
        self.session.write(text)
        if self.session.edited(self.session.chosen) != before:
            self._list()
        self._parsed = None
        self._timer.start()
        self.refresh()

    def _revert(self) -> None:
        self.session.revert()
        self._load_source()

    # -- validation ---------------------------------------------------------------------------------------------

    def check(self) -> None:
        """Let the worker check the text."""
        self._timer.stop()
        self._parsed = None
        chosen = self.session.chosen
        # Never cached, as files that it names may have changed.
        self._queries.ask(_CHECK, examined, self.session.text, chosen, self.session.edited(chosen), cache_key=object())
        self.refresh()

    @property
    def is_pending(self) -> bool:
        """Whether the selected specification is still being checked."""
        return self._timer.isActive() or self._queries.busy(_CHECK)

    def _on_answer(self, answer: Answer) -> None:
        if answer.key != _CHECK:
            return
        self._text_sentence = answer.error
        self._parsed = None if answer.error else answer.value
        self._page.editor.show_error(answer.error)
        if self._parsed is not None and self.session.chosen.kind == "results":
            self._as_in_folder(self.session.chosen.path)
        self.refresh()
        if self._to_read and self.specification is not None:
            self._to_read = False
            self.results_chosen.emit()

    def _as_in_folder(self, folder: str) -> None:
        """Set seed and number of trials to those of the rows in a folder."""
        fields = self._page.spec_picker
        if not fields.seed.text():
            session = first_session(folder)
            fields.seed.setText(str(session.seed))
            fields.trials.setText(str(session.trials))

    # -- fields -------------------------------------------------------------------------------------------------

    @property
    def folder(self) -> str:
        """The folder for the results."""
        return self._page.spec_picker.folder.text()

    def set_folder(self, folder: str) -> None:
        """Set the folder for the results."""
        self._page.spec_picker.folder.setText(folder)
        self._folder_given = True
        self.refresh()

    def want_trials(self, trials: int) -> None:
        """Set the number of trials of each cell."""
        self._page.spec_picker.trials.setText(str(trials))

    def _on_folder_left(self) -> None:
        """Propose a folder again if the field was left empty."""
        if not self.folder.strip():
            self._folder_given = False
            self._page.spec_picker.folder.setModified(False)
            self.refresh()

    def set_truth(self, shown: bool) -> None:
        """Show or hide what reveals the truth."""
        self._truth = shown
        self._list()
        self.refresh()

    def discreet(self, sentence: str) -> str:
        """A sentence, or a neutral one while the truth is hidden."""
        return sentence if self._truth else discreet_sentence(sentence)

    def refresh(self) -> None:
        """Show what would be run and its folder, or what is wrong."""
        fields, said = self._page.spec_picker, self._parsed
        self.specification, self.sentence = None, self._text_sentence
        wrong, words, self.resumes = [], "", False
        if said is not None:
            fields.trials.setPlaceholderText(f"{said.trials}, as specified")
            fields.seed.setPlaceholderText(f"{said.seed}, as specified")
            try:
                self.jobs = _of(_JOBS, fields.jobs.text())
                self.specification = said.with_(_of(_TRIALS, fields.trials.text()), _of(_SEED, fields.seed.text()))
            except InputError as error:
                self.sentence = str(error)
                named = {"seed": fields.seed, "processes": fields.jobs}
                wrong = [named.get(self.sentence.split()[0], fields.trials)]
        if self.specification is not None:
            if not (self._folder_given or fields.folder.isModified()):  # what is being typed stays
                fields.folder.setText(str(proposed(_home(), self.specification)))
            if refused := refusal(self.specification, self.folder):
                self.sentence, wrong = refused, [fields.folder]
            elif begun_in(self.folder):
                self.resumes = True
                words = "The folder contains results of this experiment. Only the missing trials are run."
        self._before = self.specification or self._before if self.is_pending or said is not None else None
        fields.show_about(self._before or said, self.session, self._truth, self.is_pending)
        fields.mark(wrong)
        fields.show_message(self.discreet(self.sentence), words)
        self.changed.emit()


def _of(parameter: Parameter, text: str) -> int | None:
    """The number in a field; None if it is empty."""
    value = parsed(parameter, text) if text.strip() else None
    return None if value is None else int(value)


def _home() -> Path:
    """The default folder for experiments."""
    documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    return Path(documents or Path.home()) / "GEMS Lab"
