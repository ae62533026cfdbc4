"""Kills the parts of the real program with SIGKILL at random moments, and looks at what is lost and what remains.

    python -m tests.reliability kills [--moments 10] [--seed 1] [--only KIND …] [--each]

Moments are numbers of events, frames or rows, so that a slow machine is killed at the same ones. A run that is kept
must be the beginning of the run that its seed gives.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import time
from collections.abc import Callable

from gems_engine.files import read_recovery, read_run
from tests.reliability import experiment_kills
from tests.reliability.outcome import Outcome, note_loss, note_rest, note_run, report
from tests.reliability.program import Home, Window, home, wait_until, window

LAST_EVENT = 900
"""The latest moment of a kill in a run that goes on, in events."""
FRAMES = 116
FORMATS = (".pdf", ".mp4", ".gif", "")


def window_kill(dice: random.Random, user: Home) -> Outcome:
    """Kill a window while a run goes on and another form is edited; the next one restores both."""
    events = dice.randint(1, LAST_EVENT)
    outcome = Outcome(f"after {events} events")
    with window(user) as first:
        first.start("endless")
        first("draft", "edited")
        wait_until(lambda: first.events >= events, f"{events} events")
        time.sleep(dice.uniform(0, 0.6))  # the recorder looks every 0.6 seconds
        killed = first.kill()
    outcome.processes = user.orphans()
    with window(user) as second:
        kept, form = _restored(second, outcome, user)
        note_loss(outcome, first, killed, kept)
        outcome.require(form == "edited" or events < 20, "the form is lost")
        second.close()
    _note_rest_too(outcome, user)
    return outcome


def _restored(second: Window, outcome: Outcome, user: Home) -> tuple[int, str]:
    """Restore what the next window offers; the events of the run and the form."""
    try:
        second.until(lambda state: state["offer"], "an offer to restore")
    except TimeoutError:
        outcome.wrong.append("nothing is offered")
        return 0, ""
    second("restore")
    state = second.until(lambda state: "Restored" in state["message"], "the restored work")
    return (note_run(outcome, second, 0, "endless", user.path / "kept.gems") if state["runs"] else 0), state["form"]


def _note_rest_too(outcome: Outcome, user: Home) -> None:
    """Note what remains, in addition to what remained after the kill itself."""
    before = outcome.processes
    note_rest(outcome, user)
    outcome.processes += before


def restoring_kill(dice: random.Random, user: Home) -> Outcome:
    """Kill a window while it restores the work of another killed window."""
    outcome = window_kill_only(dice, user)
    (journal,) = user.recovery.glob("*/run-*.gems")
    recorded = len(read_recovery(journal))
    with window(user) as second:
        had = second.until(lambda state: state["offer"], "an offer to restore")["offer"]
        second("restore")
        delay = dice.uniform(0, 0.5)
        outcome.moment = f"{delay:.2f} s after Restore"
        time.sleep(delay)
        second.kill()
    with window(user) as third:
        outcome.require(" run" in had, "no run was offered at first")
        kept, _ = _restored(third, outcome, user)
        outcome.require(kept == recorded, f"{kept} of {recorded} recorded events are restored")
        third.close()
    note_rest(outcome, user)
    return outcome


def window_kill_only(dice: random.Random, user: Home) -> Outcome:
    """Kill a window while a run goes on; what it leaves is for the next one."""
    outcome = Outcome("")
    with window(user) as first:
        first.start("endless")
        wait_until(lambda: first.events >= 50, "50 events")
        time.sleep(1.5)
        first.kill()
    return outcome


def exporting_kill(dice: random.Random, user: Home) -> Outcome:
    """Kill a window while it exports: the process that paints ends, and leaves nothing."""
    frame, suffix = dice.randrange(FRAMES - 10), dice.choice(FORMATS)
    outcome = Outcome(f"{suffix or 'folder'}, frame {frame}")
    folder = user.path / "pictures"
    folder.mkdir()
    with window(user) as first:
        first.finished("small")
        first("export_as", str(folder / f"film{suffix}"), suffix, "event")
        _wait_for_frame(first, frame)
        first.kill()
    outcome.processes = user.orphans()
    outcome.files += [f"part of an export {each.name}" for each in folder.iterdir()]
    with window(user) as second:
        second.until(lambda state: state["offer"], "an offer to restore")
        second("restore")
        second.until(lambda state: state["runs"], "the restored run")
        outcome.require(note_run(outcome, second, 0, "small", user.path / "kept.gems") == FRAMES, "events are lost")
        second.close()
    _note_rest_too(outcome, user)
    return outcome


def saving_kill(dice: random.Random, user: Home) -> Outcome:
    """Kill a window while it writes a run over a saved one: the file is the old one or the new one.

    The next save of the file removes what the killed window had written.
    """
    delay, file = dice.uniform(0, 0.08), user.path / "saved.gems"
    outcome = Outcome("")
    with window(user) as first:
        first.finished("small")
        first("save", 0, str(file))
        first.until(lambda state: state["runs"][0]["saved"], "the saved run")
        events = first.finished("large")["runs"][1]["events"]
        first("save", 1, str(file))
        time.sleep(delay)
        killed = first.kill()
    outcome.processes = user.orphans()
    found = len(read_run(file))
    outcome.require(found in (FRAMES, events), f"the file has {found} events, not {FRAMES} or {events}")
    parts = len(list(user.path.glob(".saved.gems.*.tmp")))
    outcome.moment = f"{delay:.2f} s after Save: {parts} part, {'old' if found == FRAMES else 'new'} file"
    with window(user) as second:
        second.until(lambda state: state["offer"], "an offer to restore")  # of the form at least
        second("restore")
        state = second.until(lambda state: "Restored" in state["message"], "the restored work")
        if found == FRAMES:
            note_loss(outcome, first, killed, max((run["events"] for run in state["runs"]), default=0))
        last = len(second.finished("small")["runs"]) - 1
        second("save", last, str(file))
        second.until(lambda state: state["runs"][last]["saved"], "the saved run")
        outcome.require(len(read_run(file)) == FRAMES, "the next save does not work")
        second.close()
    _note_rest_too(outcome, user)
    return outcome


def _wait_for_frame(shown: Window, frame: int) -> None:
    shown.until(lambda state: state["exporting"] is None or state["exporting"][0] >= frame, f"frame {frame}")


def exporter_kill(dice: random.Random, user: Home) -> Outcome:
    """Kill the process that paints: the window says so, no part of a file remains, and the next export works."""
    frame, suffix = dice.randrange(FRAMES - 10), dice.choice(FORMATS)
    outcome = Outcome(f"{suffix or 'folder'}, frame {frame}")
    folder = user.path / "pictures"
    folder.mkdir()
    with window(user) as shown:
        shown.finished("small")
        file = folder / f"film{suffix}"
        shown("export_as", str(file), suffix, "event")
        _wait_for_frame(shown, frame)
        os.kill(shown.pid("exporter"), signal.SIGKILL)
        state = shown.until(lambda state: state["exporting"] is None, "the end of the export")
        outcome.require("The export process ended unexpectedly" in state["message"], f"it says {state['message']!r}")
        outcome.require(not file.exists(), "a part has the final name")
        outcome.files += [f"part of an export {each.name}" for each in folder.iterdir()]
        shown("export_as", str(file), suffix, "event")
        shown.until(lambda state: state["exporting"] is None, "the second export")
        outcome.require(file.exists(), "the next export does not work")
        outcome.require(note_run(outcome, shown, 0, "small", user.path / "run.gems") == FRAMES, "events are lost")
        shown.close()
    note_rest(outcome, user)
    return outcome


def engine_kill(dice: random.Random, user: Home) -> Outcome:
    """Kill the engine: the window says so and keeps the events, and the next run works."""
    events = dice.randint(1, LAST_EVENT)
    outcome = Outcome(f"after {events} events")
    with window(user) as shown:
        shown.start("endless")
        wait_until(lambda: shown.events >= events, f"{events} events")
        had = shown.events
        os.kill(shown.pid("engine"), signal.SIGKILL)
        state = shown.until(lambda state: state["runs"][0]["ending"], "the end of the run")
        how, sentence = state["runs"][0]["ending"]
        outcome.require(how == "failed" and "SIGKILL" in sentence, f"it says {sentence!r}")
        kept = note_run(outcome, shown, 0, "endless", user.path / "run.gems")
        outcome.require(kept >= had, f"{kept} of {had} events are kept")
        state = shown.finished("small")
        outcome.require(state["runs"][-1]["ending"][0] == "finished", "the next run does not finish")
        again = note_run(outcome, shown, 1, "small", user.path / "run.gems")
        outcome.require(again == FRAMES, f"the next run has {again} events")
        shown.close()
    note_rest(outcome, user)
    return outcome


def query_kill(dice: random.Random, user: Home) -> Outcome:
    """Kill the busy analysis process: the window says so, the run goes on, and the next query is answered."""
    delay = dice.uniform(0, 2.0)
    outcome = Outcome(f"{delay:.2f} s after the query")
    with window(user) as shown:
        shown.start("endless")
        ticket = shown("ask", 3, 30.0)
        time.sleep(delay)
        os.kill(shown.pid("query"), signal.SIGKILL)
        value, error = wait_until(lambda: shown("answer", ticket), "an answer")
        outcome.require(value is None and "ended unexpectedly" in error, f"the answer is {value}, {error!r}")
        before = shown.events
        ticket = shown("ask", 7, 0.0)
        answer = wait_until(lambda: shown("answer", ticket), "the next answer")
        outcome.require(answer == [49, ""], f"the next answer is {answer}")
        wait_until(lambda: shown.events > before, "more events of the run")
        note_run(outcome, shown, 0, "endless", user.path / "run.gems")
        shown.close()
    note_rest(outcome, user)
    return outcome


Kill = Callable[[random.Random, Home], Outcome]
KINDS: dict[str, Kill] = {
    "window, while a run goes on": window_kill,
    "window, while it restores": restoring_kill,
    "window, while it exports": exporting_kill,
    "window, while it saves": saving_kill,
    "window, while an experiment runs": experiment_kills.window_kill,
    "engine": engine_kill,
    "busy query process": query_kill,
    "exporter": exporter_kill,
    "experiment worker": experiment_kills.worker_kill,
    "experiment": experiment_kills.experiment_kill,
}


def at_moments(kind: str, moments: int, seed: int) -> list[Outcome]:
    """Kill something at some moments, each time for another user."""
    dice = random.Random(f"{seed} {kind}")
    outcomes = []
    for _ in range(moments):
        with home() as user:
            try:
                outcomes.append(KINDS[kind](dice, user))
            except (TimeoutError, RuntimeError) as error:
                outcomes.append(Outcome("", wrong=[str(error)]))
    return outcomes


def main(words: list[str]) -> int:
    """Print the table; the exit code says whether something is wrong."""
    parser = argparse.ArgumentParser("python -m tests.reliability kills", description=__doc__)
    parser.add_argument("--moments", type=int, default=10, help="kills of each kind")
    parser.add_argument("--seed", type=int, default=1, help="seed of the moments")
    parser.add_argument("--only", nargs="+", choices=KINDS, default=list(KINDS), help="kinds")
    parser.add_argument("--each", action="store_true", help="print a line for each kill")
    given = parser.parse_args(words)
    print(f"Seed {given.seed}, {given.moments} moments each.\n", flush=True)
    found = []
    for kind in given.only:
        outcomes = at_moments(kind, given.moments, given.seed)
        found.append((kind, outcomes))
        for each in outcomes if given.each else ():
            print(f"{kind}: {each}", flush=True)
    print(report(found))
    return int(any(each.wrong or each.processes or each.files for _, outcomes in found for each in outcomes))
