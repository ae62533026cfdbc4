"""Two windows of one user at once: neither touches the work or the settings of the other.

python -m tests.reliability two_windows [--rounds 5] [--seed 1]
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable
from contextlib import ExitStack

from gems_engine.files import read_run
from tests.reliability.outcome import Outcome, note_loss, note_rest, note_run
from tests.reliability.program import Home, Window, home, table, wait_until, window

SETTINGS = 40
"""Settings that each window changes."""


def _both(stack: ExitStack, user: Home) -> tuple[Window, Window]:
    """Two windows with a run each, both written for recovery."""
    first, second = stack.enter_context(window(user)), stack.enter_context(window(user))
    for each in (first, second):
        each.start("endless")
    wait_until(lambda: len(user.left()) == 2 and min(first.events, second.events) > 20, "two recovery folders")
    return first, second


def _grows(shown: Window) -> bool:
    before = shown.events
    wait_until(lambda: shown.events > before, "more events")
    return True


def both_close(dice: random.Random, user: Home) -> Outcome:
    """Both run, and each removes only its own recovery files when it is closed."""
    outcome = Outcome("")
    with ExitStack() as stack:
        first, second = _both(stack, user)
        outcome.require(not first.state["offer"] and not second.state["offer"], "one offers the work of the other")
        first.close()
        outcome.require(len(user.left()) == 1, f"recovery folders of an open window: {len(user.left())}")
        outcome.require(_grows(second), "the other window stops")
        note_run(outcome, second, 0, "endless", user.path / "run.gems")
        second.close()
    note_rest(outcome, user)
    return outcome


def one_killed(dice: random.Random, user: Home) -> Outcome:
    """One is killed; a third window restores its work and nothing of the one that is open."""
    outcome = Outcome("")
    with ExitStack() as stack:
        first, second = _both(stack, user)
        time.sleep(dice.uniform(0, 1.5))
        killed = first.kill()
        third = stack.enter_context(window(user))
        offer = third.until(lambda state: state["offer"], "an offer to restore")["offer"]
        outcome.require("Restore a run" in offer, f"it offers: {offer}")
        third("restore")
        third.until(lambda state: state["runs"], "the restored run")
        note_loss(outcome, first, killed, note_run(outcome, third, 0, "endless", user.path / "kept.gems"))
        outcome.require(_grows(second), "the other window stops")
        third.close()
        outcome.require(len(user.left()) == 1, f"recovery folders of an open window: {len(user.left())}")
        note_run(outcome, second, 0, "endless", user.path / "run.gems")
        second.close()
    note_rest(outcome, user)
    return outcome


def two_find_it(dice: random.Random, user: Home) -> Outcome:
    """Two windows start at once after a kill: one of them offers the work."""
    outcome = Outcome("")
    with window(user) as first:
        first.start("endless")
        wait_until(lambda: user.left() and first.events > 50, "a recovery folder")
        time.sleep(1.0)
        first.kill()
    pair = [Window(user), Window(user)]
    for each in pair:
        each.ready()
    wait_until(lambda: any(each.state["offer"] for each in pair), "an offer to restore")
    time.sleep(1.0)
    offers = [each for each in pair if each.state["offer"]]
    outcome.require(len(offers) == 1, f"{len(offers)} windows offer the work")
    offers[0].kill()  # before it is answered: the work is for the next one
    with window(user) as third:
        third.until(lambda state: state["offer"], "the same offer")
        third("restore")
        third.until(lambda state: state["runs"], "the restored run")
        note_run(outcome, third, 0, "endless", user.path / "kept.gems")
        third.close()
    for each in pair:
        if each not in offers:
            each.close()
    note_rest(outcome, user)
    return outcome


def settings_at_once(dice: random.Random, user: Home) -> Outcome:
    """Both change settings at the same time: none is lost."""
    outcome = Outcome("")
    with window(user) as first, window(user) as second:
        for each, name in ((first, "one"), (second, "two")):
            each("change_settings", name, SETTINGS)
        for each in (first, second):
            each.until(lambda state: not state["changing"], "the end of the changes")
        _require_settings(outcome, user, {f"{name}-{at}" for name in ("one", "two") for at in range(SETTINGS)})
        first.close()
        second.close()
    note_rest(outcome, user)
    return outcome


def killed_while_it_changes_settings(dice: random.Random, user: Home) -> Outcome:
    """One is killed while both change settings: those of the other are kept, and its next change tidies up."""
    outcome = Outcome("")
    with window(user) as first, window(user) as second:
        first("change_settings", "one", 10**6)
        second("change_settings", "two", SETTINGS)
        time.sleep(dice.uniform(0, 0.5))
        first.kill()
        second.until(lambda state: not state["changing"], "the end of the changes")
        second("change_settings", "three", 1)
        second.until(lambda state: not state["changing"], "the last change")
        _require_settings(outcome, user, {"three-0", *(f"two-{at}" for at in range(SETTINGS))})
        second.close()
    note_rest(outcome, user)
    return outcome


def _require_settings(outcome: Outcome, user: Home, names: set[str]) -> None:
    found = json.loads(user.settings.read_text()).get("layouts", {})
    missing = names - found.keys()
    outcome.require(not missing, f"{len(missing)} of {len(names)} settings are lost")


def same_file(dice: random.Random, user: Home) -> Outcome:
    """Both have the same file open: what one has saved is not overwritten without a question."""
    outcome, file = Outcome(""), user.path / "shared.gems"
    with window(user) as first, window(user) as second:
        first.finished("small")
        first("save", 0, str(file))
        first.until(lambda state: state["runs"][0]["saved"], "the saved run")
        second("open", str(file))
        second.until(lambda state: state["runs"], "the opened run")
        second.finished("middle")
        second("save", 1, str(file))
        second.until(lambda state: state["runs"][1]["path"] == str(file), "the saved run")
        first("save", 0, str(file))
        asked = first.until(lambda state: state["question"], "a question")["question"]
        outcome.require("Nothing was written" in asked, f"it says {asked!r}")
        outcome.require(len(read_run(file)) == second.state["runs"][1]["events"], "the file was overwritten")
        first("answer_question", "Keep the file")
        outcome.require(first("unsaved"), "the run of the first window counts as saved")
        first.close()
        second.close()
    note_rest(outcome, user)
    return outcome


CASES: dict[str, Callable[[random.Random, Home], Outcome]] = {
    "both run, then close one after the other": both_close,
    "one is killed, a third restores its work": one_killed,
    "two start at once after a kill": two_find_it,
    f"both change {SETTINGS} settings at once": settings_at_once,
    "one is killed while both change settings": killed_while_it_changes_settings,
    "both save the same file": same_file,
}


def main(words: list[str]) -> int:
    """Print the table; the exit code says whether something is wrong."""
    parser = argparse.ArgumentParser("python -m tests.reliability two_windows", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="repetitions of each case")
    parser.add_argument("--seed", type=int, default=1, help="seed of the moments")
    given = parser.parse_args(words)
    rows = []
    for name, case in CASES.items():
        dice, outcomes = random.Random(f"{given.seed} {name}"), []
        for _ in range(given.rounds):
            with home() as user:
                try:
                    outcomes.append(case(dice, user))
                except (TimeoutError, RuntimeError) as error:
                    outcomes.append(Outcome("", wrong=[str(error)]))
        wrong = "; ".join(word for each in outcomes for word in each.wrong) or "nothing"
        rest = sum(each.processes + len(each.files) for each in outcomes)
        rows.append((name, len(outcomes), rest, wrong))
    print(table(("case", "times", "remaining processes, locks and files", "wrong"), rows))
    return int(any(row[2] or row[3] != "nothing" for row in rows))
