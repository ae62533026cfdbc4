"""Runs for comparison, each computed to its end by an engine of its own."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from gems_engine.algorithms import algorithm_named, algorithms
from gems_engine.errors import InputError
from gems_gui.background.engine_client import EngineClient
from gems_gui.drafts.run_request import FAILED, Ending, RunRequest
from gems_gui.field_text import ALGORITHM, label_of, text_of
from gems_gui.truth import discreet_sentence
from gems_gui.widgets.timers import single_shot
from gems_gui.workbench.changes import Field
from gems_gui.workbench.playback import Credit, Playback
from gems_gui.workbench.run_session import RunSession
from gems_gui.workbench.workbench import MOST_COMPARED, Workbench

_HIDDEN = "Cannot run on this instance. The reason is hidden with the truth."


def comparison_request(run: RunSession, algorithm: str) -> RunRequest:
    """A request for another algorithm with the instance and seed of a run, and the parameters that both have.

    Others are as the form last had them, or the defaults.

    Raises
    ------
    InputError
        If that algorithm cannot run on this instance, or the settings of the run are unknown.
    """
    shown = run.request
    if shown is None:
        raise InputError("The settings of this run were not recorded, so other algorithms cannot run with them.")
    known = algorithm_named(algorithm).parameters
    shared = {}
    for parameter in known:
        if parameter.name in shown.parameters:
            try:
                shared[parameter.name] = parameter.check(shown.parameters[parameter.name])
            except InputError:  # another range here: use the default
                continue
    draft = run.draft
    own = {} if draft is None else draft.with_algorithm(algorithm).algorithm_values()
    request = RunRequest(shown.instance, algorithm, shown.seed, own | shared)
    request.run()  # raises an error before anything is started
    return request


def own_settings_text(run: RunSession, requests: Sequence[RunRequest]) -> str:
    """Which settings of other runs this run does not have, and where they come from; empty if there are none."""
    return " ".join(filter(None, (_own_settings(run, each) for each in requests)))


def _own_settings(run: RunSession, request: RunRequest) -> str:
    assert run.request is not None
    shared = run.request.parameters if run.request.refusal else run.request.settings
    own = [each for each in algorithm_named(request.algorithm).parameters if each.name not in shared]
    if not own:
        return ""
    values = {each: request.settings[each.name] for each in own}
    chosen = [each for each in own if values[each] != each.default]
    named = chosen or [each for each in own if each.symbol and values[each] is not None]
    listed = ", ".join(f"{label_of(each, ALGORITHM)} = {text_of(each, values[each])}" for each in named)
    shares = f"Where both have a setting, {request.title} has that of {run.request.title}."
    if not chosen:
        return f"{shares} Its own are defaults{f': {listed}' if listed else ''}."
    rest = ", and defaults otherwise" if len(chosen) < len(own) else ""
    return f"{shares} Of its own it has {listed}, as last in the form{rest}."


def usual_rival(run: RunSession) -> str:
    """The algorithm that people compare with that of a run."""
    known = None if run.request is None else algorithms().get(run.request.algorithm)
    return "" if known is None else known.rival


def refusals(run: RunSession, truth: bool) -> dict[str, str]:
    """By name, the algorithms that cannot be compared with a run, with the reason unless it reveals a hidden truth."""
    found = {}
    for name in algorithms():
        try:
            request = comparison_request(run, name)
        except InputError as error:
            reason = str(error)
            found[name] = reason if truth or discreet_sentence(reason) == reason else _HIDDEN
            continue
        if request == run.request:
            found[name] = "This is the current run: the same algorithm with the same settings."
    return found


class ComparisonRuns(QObject):
    """Runs for comparison, and their engines. An engine whose run has ended computes the next one.

    Attributes
    ----------
    grew : Signal
        A run for comparison has more events.
    failed : Signal of Ending
        A run has failed.
    """

    grew = Signal()
    failed = Signal(object)

    def __init__(self, workbench: Workbench, parent: QObject | None = None, *, in_thread: bool = False) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._in_thread = in_thread
        self._idle: list[EngineClient] = []
        self._computed: dict[int, tuple[EngineClient, RunSession]] = {}  # by the id of the run
        self._closed = False
        self._reading = single_shot(self, self._read_on)
        workbench.subscribe(self._look, Field.RUNS)

    @property
    def busy(self) -> bool:
        """Whether a run is being computed."""
        return bool(self._computed)

    def start(
        self,
        requests: Sequence[RunRequest],
        *,
        pinned: bool = True,
        instead: Sequence[RunSession] = (),
        prefix: str = "",
    ) -> list[RunSession]:
        """Compute these runs, all at the same time; they may replace others, which stop."""
        if self._closed:
            return []
        for run in instead:
            self.stop(run)
        for run in instead[len(requests) :]:
            self._workbench.remove(run)
        old = [*instead, *[None] * len(requests)]
        return [self._begin(request, pinned, prefix, other) for request, other in zip(requests, old, strict=False)]

    def _begin(self, request: RunRequest, pinned: bool, prefix: str, instead: RunSession | None) -> RunSession:
        engine = self._idle.pop() if self._idle else self._new_engine()
        live = engine.start(request, Credit(None))
        playback = Playback(live.trace, self._workbench.look_ahead)
        name = " · ".join(filter(None, (prefix, request.name)))
        run = RunSession(name, playback, request, run_id=live.run_id, pinned=pinned, is_comparison=True)
        self._workbench.add_compared(run, instead)
        self._computed[live.run_id] = engine, run
        return run

    def _new_engine(self) -> EngineClient:
        engine = EngineClient(self, in_thread=self._in_thread)
        engine.grew.connect(self._on_run_grew)
        engine.ended.connect(self._on_run_ended)
        return engine

    def warm(self) -> None:
        """Start a process now, so that the next run does not wait for it."""
        if not self._closed and not self._idle:
            self._idle.append(self._new_engine())
            self._idle[0].warm()

    def stop(self, run: RunSession) -> None:
        """Stop a run, if it is being computed; its recorded events are kept."""
        engine, _ = self._computed.get(run.run_id, (None, run))
        if engine is not None:
            engine.stop()

    def close(self) -> None:
        """Stop all engines immediately."""
        self._closed = True
        self._reading.stop()
        for engine in (*self._idle, *(engine for engine, _ in self._computed.values())):
            engine.close()

    def _look(self, *_: object) -> None:
        """Stop runs that were removed from the list."""
        for _engine, run in list(self._computed.values()):
            if run not in self._workbench.runs:
                self.stop(run)

    def _on_run_grew(self, run_id: int) -> None:
        if run_id in self._computed:
            self._workbench.run_grew(run_id)
            self.grew.emit()
            self._read_soon()

    def _on_run_ended(self, ending: Ending) -> None:
        if ending.run_id not in self._computed:
            return
        engine, run = self._computed.pop(ending.run_id)
        if not self._closed:
            self._rest(engine)
            self._workbench.run_ended(run, ending)
            self._read_soon()
        self.grew.emit()
        if ending.how == FAILED:
            self.failed.emit(ending)

    def _unread(self) -> list[RunSession]:
        """The runs with more events than were read at a time."""
        return [run for run in self._workbench.runs if run.is_comparison and run.playback.behind]

    def _read_soon(self) -> None:
        if self._unread() and not self._reading.isActive():
            self._reading.start()

    def _read_on(self) -> None:
        for run in self._unread():
            self._workbench.run_grew(run.run_id)
        self.grew.emit()
        self._read_soon()

    def _rest(self, engine: EngineClient) -> None:
        """Keep an engine for the next run, unless there are enough."""
        if len(self._idle) < MOST_COMPARED:
            self._idle.append(engine)
        else:
            engine.close()
            engine.deleteLater()
