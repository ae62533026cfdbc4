"""What the action "Sensitivity" does: one parameter of the form over several values, in the background."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from gems_engine.algorithms import algorithm_title
from gems_engine.commands.command import whole
from gems_engine.errors import InputError
from gems_engine.parameters import Parameter
from gems_engine.terminal import number
from gems_gui.drafts.advice import Advice
from gems_gui.drafts.draft import ALGORITHM_FIELD
from gems_gui.drafts.run_request import RunRequest
from gems_gui.field_text import ALGORITHM, in_letters, label_of, parsed, text_of
from gems_gui.panels.form_panel import FormPanel
from gems_gui.panels.parameter_field import ParameterField
from gems_gui.series.table import as_csv
from gems_gui.services import Services
from gems_gui.trials.replicate_controller import open_run
from gems_gui.trials.trial_batch import Begin, JobEnd, TrialBatch, TrialTask
from gems_gui.workbench.changes import Field

if TYPE_CHECKING:
    from gems_engine.experiment.measures import Measures
    from gems_engine.experiment.sensitivity import Sensitivity
    from gems_engine.experiment.trials import Row
    from gems_gui.drafts.draft import Draft
    from gems_gui.trials.sensitivity_dock import SensitivityDock

_MOST_TRIALS = 10_000
_MOST_LISTED = 200
_HIDDEN = "Success and τ are hidden with the truth. T shows it."
_NOTHING = "Choose a parameter of the form and press Start."
_NOT_BUILT = "The form has no valid instance yet. Correct the marked fields."
_FIRST = ("delta", "budget")  # proposed if no field of the form has the focus


@dataclass(eq=False)
class _Study:
    """A request with the form it was made from, and its results: the trials of each value."""

    asked: Sensitivity
    draft: Draft
    measures: Measures
    rows: list[list[Row]]
    picked: int = 0


class SensitivityController(QObject):
    """The methods behind the action."""

    def __init__(self, services: Services, form: FormPanel, advice: Callable[[], Advice | None]) -> None:
        super().__init__(services.host)
        self._workbench, self._appearance, self._host = services.workbench, services.appearance, services.host
        self._actions = services.actions
        self._advice = advice
        self._dock: SensitivityDock | None = None
        self._batch = TrialBatch(self._workbench.jobs, "sensitivity", self, in_thread=services.in_thread)
        self._batch.rows.connect(self._take)
        self._batch.ended.connect(self._on_ended)
        self._study: _Study | None = None
        self._offered: tuple[str, str] = ("", "")
        self._workbench.subscribe(self._show, Field.TRUTH)
        self._workbench.subscribe(self._on_form_changed, Field.DRAFT)
        form.sensitivity_asked.connect(self.open_for)

    @property
    def asked(self) -> Sensitivity | None:
        """The request that the curves show; the form may have changed since."""
        return None if self._study is None else self._study.asked

    @property
    def dock(self) -> SensitivityDock:
        """The dock with the inputs and curves."""
        if self._dock is None:
            from gems_gui.trials.sensitivity_dock import SensitivityDock  # brings the plots: not needed to start

            dock = self._dock = SensitivityDock(self._appearance, self._host)
            dock.parameter_chosen.connect(self.choose)
            dock.start_asked.connect(self.start)
            dock.cancel_asked.connect(self._batch.cancel)
            dock.copy_asked.connect(self.copy_numbers)
            dock.toml_asked.connect(self.copy_experiment)
            dock.open_asked.connect(self.open_trial)
            dock.plots.picked.connect(self._pick)
            dock.take_place_hidden()
        return self._dock

    # -- requests -----------------------------------------------------------------------------------------------------

    def sensitivity(self) -> None:
        """Open the dock for the field of the form that has the focus."""
        focus = QApplication.focusWidget()
        while focus is not None and not isinstance(focus, ParameterField):
            focus = focus.parentWidget()
        self.open_for(focus.parameter.name if isinstance(focus, ParameterField) else "")

    def _parameters(self) -> tuple[Parameter, ...]:
        """The parameters of the form's algorithm that can be varied."""
        from gems_engine.experiment.sensitivity import varied_parameters  # brings executors of trials

        return varied_parameters(self._workbench.drafts.draft.algorithm)

    def open_for(self, name: str) -> None:
        """Open the dock for a parameter, with values around that of the form."""
        names = [each.name for each in self._parameters()]
        if name not in names:
            name = next((each for each in _FIRST if each in names), names[0])
        self.dock.open()
        self.choose(name)
        self.dock.values.setFocus()
        self._show()

    def choose(self, name: str) -> None:
        """Vary this parameter, over proposed values."""
        from gems_engine.experiment.sensitivity import proposed  # brings executors of trials

        drafts = self._workbench.drafts
        parameters = self._parameters()
        parameter = next(each for each in parameters if each.name == name)
        self.dock.offer(parameters, name)
        self._offered = drafts.draft.algorithm, name
        self.dock.show_message("" if drafts.instance is not None else _NOT_BUILT)
        if drafts.instance is not None:
            try:
                value = drafts.draft.algorithm_values().get(name)
                if value is None and (advice := self._advice()) is not None:
                    value = advice.value(name)
            except InputError:
                value = parameter.default
            texts = [text_of(parameter, each) for each in proposed(parameter, value, drafts.instance)]
            self.dock.values.setText(", ".join(texts))
            self.dock.values.setCursorPosition(0)

    def _asked_for(self) -> Sensitivity:
        """The request from dock and form; raises an InputError if it is not valid."""
        from gems_engine.experiment.sensitivity import Sensitivity  # brings executors of trials

        drafts, dock = self._workbench.drafts, self.dock
        draft, instance = drafts.draft, drafts.instance
        if instance is None:
            raise InputError(_NOT_BUILT)
        name = str(dock.parameter.currentData())
        parameter = next(each for each in self._parameters() if each.name == name)
        texts = [each for each in dock.values.text().split(",") if each.strip()]
        values = tuple(parsed(parameter, each.strip()) for each in texts)
        trials = whole("".join(dock.trials.text().split()), 1, "The number of trials", 1, _MOST_TRIALS)
        errors = {key: why for key, why in draft.errors().items() if key != f"{ALGORITHM}.{name}"}
        errors.pop(ALGORITHM_FIELD, None)
        if errors:
            raise InputError(next(iter(errors.values())))
        others = draft.with_text(f"{ALGORITHM}.{name}", text_of(parameter, values[0])) if values else draft
        known = {**others.algorithm_values()}
        if f"{ALGORITHM}.{name}" not in draft.errors():
            known[name] = draft.algorithm_values()[name]
        label = label_of(parameter, ALGORITHM)
        return Sensitivity(instance, draft.algorithm, known, name, values, trials, draft.seed_value(), label)

    def start(self) -> None:
        """Run the requested trials instead of those that are running."""
        try:
            asked = self._asked_for()
        except InputError as error:
            self.dock.show_message(in_letters(str(error), self._parameters(), ALGORITHM))
            return
        self.dock.show_message("")
        title = f"Sensitivity to {asked.label}"
        self._batch.replace(TrialTask(_job(asked), title, begun=partial(self._on_started, asked)))

    def _on_started(self, asked: Sensitivity) -> None:
        from gems_engine.experiment.measures import Measures  # brings executors of trials

        rows: list[list[Row]] = [[] for _ in asked.values]
        self._study = _Study(asked, self._workbench.drafts.draft, Measures(asked.specification), rows)
        self._show()

    @property
    def running(self) -> bool:
        """Whether trials are running."""
        return self._batch.running

    # -- results ------------------------------------------------------------------------------------------------------

    def _take(self, rows: tuple[Row, ...]) -> None:
        study = self._study
        assert study is not None
        for row in rows:
            study.measures.add(row)
            study.rows[row.index % len(study.rows)].append(row)
        self._show()

    def _on_ended(self, end: JobEnd) -> None:
        if end.sentence:
            self.dock.show_message(end.sentence)
        self._show()

    def _on_form_changed(self, *_: object) -> None:
        """Update the parameters, as the algorithm may have changed."""
        if self._dock is not None and self._offered[0] and self._offered[0] != self._workbench.drafts.draft.algorithm:
            names = [each.name for each in self._parameters()]
            self.choose(self._offered[1] if self._offered[1] in names else names[0])

    def _show(self, *_: object) -> None:
        if self._dock is None:
            return
        from gems_gui.series.sensitivity import sensitivity_series  # brings executors of trials

        dock, study, truth = self._dock, self._study, self._workbench.truth
        series = None
        words = ""
        if study is not None:
            asked = study.asked
            series = sensitivity_series(asked, study.measures.summary())
            done, total = number(series.done), number(len(asked.specification))
            words = (
                f"{done} of {total} trials of {algorithm_title(asked.algorithm)}, with the same "
                "seeds for each value. Bars are 95 % intervals. Click a point to list its trials."
            )
            dock.show_progress((series.done, len(asked.specification)) if self.running else None)
        else:
            dock.show_progress(None)
        dock.show_series(series, "" if series is not None and truth else _NOTHING if truth else _HIDDEN, words)
        if study is not None and truth:
            self._list(study)

    def _pick(self, at: int) -> None:
        if self._study is not None:
            self._study.picked = at
            self._list(self._study)

    def _list(self, study: _Study) -> None:
        """List the trials of the selected value, wrong ones first."""
        series = self.dock.plots.series
        heading = "" if series is None else f"{series.words(study.picked)}."
        rows = sorted(study.rows[study.picked], key=lambda row: (bool(row.correct), row.index))[:_MOST_LISTED]
        self.dock.show_trials(heading, [(row.index, f"{_outcome(row)} · seed {row.seed}") for row in rows])

    # -- commands -----------------------------------------------------------------------------------------------------

    def open_trial(self, index: int) -> None:
        """Run a trial as a run of this window."""
        assert self._study is not None
        asked = self._study.asked
        trial = asked.specification.trial(index)
        value = asked.values[index % len(asked.values)]
        parameters = {**asked.parameters, asked.name: value}
        draft = self._study.draft.with_text(f"{ALGORITHM}.{asked.name}", text_of(asked.parameter, value))
        draft = draft.with_text("run.seed", str(trial.seed))
        open_run(self._workbench, RunRequest(asked.instance, asked.algorithm, trial.seed, parameters), draft)

    def copy_numbers(self) -> None:
        """Copy the curve as CSV."""
        series = self.dock.plots.series
        if series is not None:
            QGuiApplication.clipboard().setText(as_csv(series.table()))
            self._workbench.messages.show("Copied the numbers of the curve as CSV.")

    def copy_experiment(self) -> None:
        """Copy a specification that repeats the trials."""
        if self.asked is None:
            return
        try:
            QGuiApplication.clipboard().setText(self.asked.toml())
        except InputError as error:
            self.dock.show_message(str(error))
            return
        self._workbench.messages.show(
            "Copied a specification that repeats these trials. Save it as a .toml file for gems experiment."
        )

    # -- closing ------------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Cancel the trials, and wait for them."""
        self._batch.close()


def _outcome(row: Row) -> str:
    if row.error:
        return row.error
    return f"τ = {number(row.tau)}" if row.tau is not None else "wrong"


def _job(asked: Sensitivity) -> Begin:
    def begin(executor: Any, told: Any) -> Any:
        from gems_engine.experiment.harness import Harness  # brings executors of trials

        return nullcontext(Harness(asked.specification, executor, told=told))

    return begin
