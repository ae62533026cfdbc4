"""The actions on the shown run: engine, playing, stepping, the truth, and reverting the form."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from gems_engine.errors import InputError
from gems_engine.events import OUTSIDE
from gems_gui.actions.interface import Bench
from gems_gui.actions.refusals import needs_run
from gems_gui.actions.spec import ActionSpec, in_section, on_stage_too, where
from gems_gui.drafts.draft import Draft
from gems_gui.workbench.playback import Playback
from gems_gui.workbench.workbench import Workbench

if TYPE_CHECKING:
    from gems_gui.workbench.run_session import RunSession

# -- the engine ---------------------------------------------------------------------------------------------------


def run(bench: Bench) -> None:
    """Run the form, and let the keys control the run; a cell of the table that is being edited is committed first."""
    bench.ui.focus_board()
    bench.workbench.run()


def stop(bench: Bench) -> None:
    """Stop the engine."""
    bench.workbench.stop()


def hold(bench: Bench, on: bool) -> None:
    """Pause or resume the engine."""
    bench.workbench.control(lambda playback: playback.hold(on))


def run_to_end(bench: Bench, on: bool) -> None:
    """Run the form to its end; if the shown run is that of the form, compute the rest of it, or pause that."""
    bench.ui.focus_board()
    if starts_form(bench):
        bench.workbench.run(to_the_end=True)
    elif _holds(bench, lambda playback: playback.ended):
        bench.workbench.control(Playback.last)
    else:
        bench.workbench.control(lambda playback: playback.run_to_end(on))


# -- the cursor ---------------------------------------------------------------------------------------------------


def play(bench: Bench) -> None:
    """Play or pause."""
    bench.workbench.control(Playback.toggle)


def live(bench: Bench, on: bool) -> None:
    """Follow the newest event."""
    bench.workbench.control(lambda playback: playback.follow(on))


def slower(bench: Bench) -> None:
    """Choose the next lower speed."""
    bench.workbench.control(Playback.slower)


def faster(bench: Bench) -> None:
    """Choose the next higher speed."""
    bench.workbench.control(Playback.faster)


def repeat(bench: Bench, on: bool) -> None:
    """Repeat the run after its end, or not."""
    bench.workbench.control(lambda playback: playback.repeat(on))


def first(bench: Bench) -> None:
    """Go to the start, before the first event."""
    bench.workbench.seek(0)


def last(bench: Bench) -> None:
    """Go to the newest event."""
    bench.workbench.control(Playback.last)


# -- the form -----------------------------------------------------------------------------------------------------


def revert(bench: Bench) -> None:
    """Fill the form with the settings of the shown run."""
    if bench.workbench.active is not None:
        put_into_form(bench.workbench, bench.workbench.active)


def put_into_form(workbench: Workbench, session: RunSession) -> None:
    """Fill the form with the settings of a run, or say why that is not possible."""
    try:
        workbench.drafts.set_draft(_draft_of(workbench, session))
    except InputError as error:  # an algorithm that is not installed here, or another version of it
        draft = workbench.drafts.draft
        workbench.messages.show(str(error), holds=lambda: workbench.drafts.draft is draft)


def _draft_of(workbench: Workbench, session: RunSession) -> Draft:
    """The draft that requests a run."""
    if session.draft is not None:
        return session.draft
    if session.request is None:
        raise InputError("This run has no events, so its settings are not known.")
    return Draft.from_request(session.request)


# -- the truth ----------------------------------------------------------------------------------------------------


def toggle_truth(bench: Bench, on: bool) -> None:
    """Show d⋆, the best arm and what follows from them in all views and texts, or hide them."""
    bench.workbench.set_truth(on)


# -- refusals -----------------------------------------------------------------------------------------------------

_ENDED = "The engine has ended this run. Press Ctrl+R to run the form."
_SETTLED = "The engine has stopped: the recommendation is verifiable. Press Ctrl+Return to run to the end."
_AT_END = "This is the last event of the run. Press Home to go to its start."
_SESSION = "The rewards of this run are external. Continue it from Python, with Session.open."


def _no_run(bench: Bench) -> str:
    return needs_run(bench.workbench)


def _no_engine(bench: Bench) -> str:
    """Why the engine of the shown run cannot be controlled."""
    return _no_run(bench) or (_why_ended(bench, _ENDED) if _holds(bench, lambda playback: playback.ended) else "")


def _nothing_to_hold(bench: Bench) -> str:
    """Why the engine can be neither paused nor resumed."""
    settled = _holds(bench, lambda playback: playback.settled_in is not None and not playback.held)
    return _no_engine(bench) or (_SETTLED if settled else "")


def _why_ended(bench: Bench, otherwise: str) -> str:
    """Why the engine computes no more events; for a session that is not finished, where to continue it."""
    trace = None if bench.workbench.playback is None else bench.workbench.playback.trace
    if trace is None or trace.finished is not None or trace.started is None or trace.started.rewards != OUTSIDE:
        return otherwise
    return _SESSION


def _nothing_to_stop(bench: Bench) -> str:
    return "" if bench.workbench.engine_running else "The engine is not running. Press Ctrl+R to run the form."


def _nothing_to_compute(bench: Bench) -> str:
    """Why nothing can be run to its end: the cursor is there, the run has ended, and the form would repeat it."""
    if starts_form(bench) or not _no_engine(bench) or not _at_last(bench):
        return ""
    return _why_ended(bench, "The run of this form has ended. Press Ctrl+R to run it again.")


def _at_start(bench: Bench) -> str:
    """Why the cursor cannot go back."""
    there = _holds(bench, lambda playback: playback.cursor == 0 and playback.pending is None)
    return _no_run(bench) or ("This is the start of the run. Press → to go forward." if there else "")


def _at_last(bench: Bench) -> str:
    """Why the cursor cannot go on, computing new events if needed."""
    at_end = _holds(bench, lambda playback: playback.ended and playback.at_end)
    return _no_run(bench) or (_why_ended(bench, _AT_END) if at_end else "")


def _at_newest(bench: Bench) -> str:
    """Why the cursor cannot go to the newest event, in a race to that of all runs."""
    if _holds(bench, lambda playback: playback.clock is not None and playback.clock.samples < playback.clock.end):
        return ""
    newest = _holds(bench, lambda playback: playback.at_end)
    return _at_last(bench) or ("This is the newest event. Press → to compute the next one." if newest else "")


def starts_form(bench: Bench) -> bool:
    """Whether "run to the end" runs the form: there is no run, or the form requests another one.

    A run that the form did not request, such as a trial of an experiment, is computed to its own end first.
    """
    run = bench.workbench.active
    if run is not None and run.draft is None and not run.playback.ended:
        return False
    return run is None or form_differs(bench.workbench)


def form_differs(workbench: Workbench) -> bool:
    """Whether the form requests another run than the shown one."""
    run = workbench.active
    if run is None:
        return False
    return run.request is None or workbench.drafts.differs_from(run.request)  # None: a file without events


def _runs_to_end(playback: Playback) -> bool:
    return playback.to_the_end and not playback.ended


def _is_held(bench: Bench) -> bool:
    """Whether the engine is paused."""
    return _holds(bench, lambda playback: playback.held)


def is_moving(bench: Bench) -> bool:
    """Whether the cursor moves."""
    return _holds(bench, lambda playback: playback.moving)


def _holds(bench: Bench, condition: Callable[[Playback], bool]) -> bool:
    playback = bench.workbench.playback
    return playback is not None and condition(playback)


# -- the table ----------------------------------------------------------------------------------------------------


def _step(
    unit: str, direction: int, text: str, tip: str, key: str, icon: str = "", toolbar: int = 0
) -> ActionSpec[Bench]:
    """The action that steps by a unit, forward with 1 and back with −1."""

    def step(bench: Bench) -> None:
        bench.workbench.control(lambda playback: playback.step(unit, direction))

    name = f"{unit}_{'forward' if direction > 0 else 'back'}"
    return ActionSpec(name, text, tip, (key,), icon, step, repeats=True, toolbar=toolbar)


def _interest(bench: Bench, *, forward: bool) -> None:
    """Go to the next or the previous event of interest, computing new events if needed."""
    from gems_engine.conditions import EventOfInterest  # the first step loads it, not the start

    bench.workbench.control(lambda playback: playback.run_until(EventOfInterest(), forward))


RUN_ACTIONS: tuple[ActionSpec[Bench], ...] = (
    *in_section(
        "Edit",
        "Form",
        ActionSpec(
            "revert",
            "Revert form",
            "Fill the form with the settings of the current run",
            do=revert,
            refusal=_no_run,
        ),
    ),
    *in_section(
        "Run",
        "Engine",
        ActionSpec(
            "run",
            "Run",
            "Run the algorithm with the settings in the form, and play from the start",
            ("Ctrl+R",),
            "run",
            run,
            toolbar=9,
        ),
        ActionSpec(
            "hold",
            "Pause engine",
            "Pause the engine after the current event, or resume it",
            ("H",),
            "hold",
            toggle=hold,
            refusal=_nothing_to_hold,
            checked=_is_held,
            text_of=lambda bench: "Resume engine" if _is_held(bench) else "Pause engine",
            icon_of=lambda bench: "resume" if _is_held(bench) else "hold",
            toolbar=10,
        ),
        ActionSpec(
            "run_to_end",
            "Run to the end",
            "Run the form to its end at full speed; the cursor follows",
            ("Ctrl+Return", "Ctrl+Enter"),
            "run_to_end",
            toggle=run_to_end,
            refusal=_nothing_to_compute,
            checked=lambda bench: not starts_form(bench) and _holds(bench, _runs_to_end),
            text_of=lambda bench: "Run the form to the end" if starts_form(bench) else "Run to the end",
        ),
        ActionSpec(
            "stop",
            "Stop engine",
            "Stop the engine immediately; keep the events recorded so far",
            ("Ctrl+.",),
            "stop",
            stop,
            refusal=_nothing_to_stop,
            toolbar=11,
        ),
    ),
    *in_section(
        "Run",
        "Play",
        ActionSpec(
            "play",
            "Play",
            "Play or pause the cursor",
            ("Space",),
            "play",
            play,
            refusal=_no_run,
            text_of=lambda bench: "Pause" if is_moving(bench) else "Play",
            icon_of=lambda bench: "pause" if is_moving(bench) else "play",
            toolbar=4,
        ),
        *on_stage_too(
            ActionSpec(
                "live",
                "Live",
                "Run at full speed and follow the newest event",
                ("L",),
                "live",
                toggle=live,
                refusal=_no_engine,
                checked=lambda bench: _holds(bench, lambda playback: playback.live),
                toolbar=8,
                label="live",
            ),
            *where(
                _no_run,
                ActionSpec("slower", "Slower", "Play fewer rounds per second", ("[",), "slower", slower, repeats=True),
                ActionSpec("faster", "Faster", "Play more rounds per second", ("]",), "faster", faster, repeats=True),
            ),
        ),
        ActionSpec(
            "repeat",
            "Repeat",
            "Play from the start again after the end",
            (),
            "loop",
            toggle=repeat,
            refusal=_no_run,
            checked=lambda bench: _holds(bench, lambda playback: playback.loop is not None),
        ),
    ),
    *in_section(
        "Run/Go",
        "Step forward",
        *where(_at_last, _step("event", 1, "Next event", "Go forward one event", "Right", "forward", toolbar=5)),
        *on_stage_too(
            *where(
                _at_last,
                _step("round", 1, "Next round", "Go to the end of this round, or of the next", "Shift+Right"),
                _step("subroutine", 1, "Next call", "Go to the start of the next call", "Ctrl+Right"),
                _step("loop", 1, "Next loop ℓ", "Go to the start of the next loop ℓ", "Alt+Right"),
            ),
        ),
        *where(
            _at_newest,
            ActionSpec("last", "Newest event", "Go to the newest event", ("End",), "last", last, toolbar=7),
        ),
        *where(
            _at_last,
            ActionSpec(
                "interest_forward",
                "Next event of interest",
                "Go to the next elimination, or change of dₖ or of the recommendation",
                ("N",),
                "interest_forward",
                partial(_interest, forward=True),
                repeats=True,
                toolbar=6,
            ),
        ),
    ),
    *in_section(
        "Run/Go",
        "Step back",
        *where(_at_start, _step("event", -1, "Previous event", "Go back one event", "Left", "back", toolbar=3)),
        *on_stage_too(
            *where(
                _at_start,
                _step("round", -1, "Previous round", "Go back to the end of the previous round", "Shift+Left"),
                _step("subroutine", -1, "Previous call", "Go back to the start of this call", "Ctrl+Left"),
                _step("loop", -1, "Previous loop ℓ", "Go back to the start of this loop ℓ", "Alt+Left"),
            )
        ),
        *where(
            _at_start,
            ActionSpec(
                "first", "Start", "Go to the start, before the first event", ("Home",), "first", first, toolbar=1
            ),
            ActionSpec(
                "interest_back",
                "Previous event of interest",
                "Go back to the last elimination, or change of dₖ or of the recommendation",
                ("Shift+N",),
                "interest_back",
                partial(_interest, forward=False),
                repeats=True,
                toolbar=2,
            ),
        ),
    ),
    *in_section(
        "View",
        "Truth",
        *on_stage_too(
            ActionSpec(
                "toggle_truth",
                "Show the truth",
                "Show or hide d⋆, the best arm and everything that reveals them",
                ("T",),
                toggle=toggle_truth,
                checked=lambda bench: bench.workbench.truth,
                words="hide reveal",
            ),
        ),
    ),
)
"""In the order of their sections."""
