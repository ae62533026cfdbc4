"""Deletes and replaces files while the real window has them open, or is reading them.

    python -m tests.reliability files [--rounds 5] [--seed 1]

Nothing may be lost: the window keeps what it has read, says that it is no longer saved, asks before it overwrites what
another program wrote, and saves again. A file that changes while it is read is opened as a whole, old or new, or
refused with a sentence.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from gems_engine.files import read_run, write_run
from gems_engine.gallery import make
from gems_engine.running import Run
from tests.reliability.forms import FORMS, Reference, reference
from tests.reliability.outcome import Outcome, note_rest, note_run
from tests.reliability.program import Home, Window, home, table, wait_until, window

SIZES = {"small": 116, "middle": 209}


class Case:
    """A window with a saved run, and another run in another file.

    Attributes
    ----------
    said
        What the window says, for the table.
    """

    def __init__(self, dice: random.Random, user: Home, shown: Window) -> None:
        self.dice, self.user, self.shown = dice, user, shown
        self.outcome, self.said = Outcome(""), ""
        self.folder = user.path / "work"
        self.folder.mkdir(exist_ok=True)
        self.file, self.other = self.folder / "run.gems", self.folder / "other.gems"

    def prepare(self) -> None:
        """Run and save both, and keep the first in the list."""
        for at, (form, file) in enumerate((("small", self.file), ("middle", self.other))):
            self.shown.finished(form)
            self.shown("save", at, str(file))
            self.shown.until(lambda state, at=at: state["runs"][at]["saved"], "the saved run")

    def look(self) -> None:
        """Look at the files, as when the window is activated; the run must count as unsaved."""
        self.shown("look")
        state = self.shown.until(lambda state: not state["runs"][0]["saved"], "that the run is unsaved")
        self.said = state["log"][-1].replace(str(self.folder) + os.sep, "")
        self.outcome.require(self.shown("unsaved"), "closing would not ask")

    def require_saved(self, form: str = "small", file: Path | None = None) -> None:
        """Wait until the file has the run of the window."""
        wait_until(lambda: self.shown.state["runs"][0]["saved"], "the saved run")
        events = list(read_run(file or self.file))
        self.outcome.require(events == reference(form).first(SIZES[form]), "the file has another run")

    def say(self, text: str) -> None:
        """Note what the window says, without the name of the folder."""
        self.said = f"{self.said} {text.replace(str(self.folder) + os.sep, '')}".strip()


# -- while it is open -----------------------------------------------------------------------------------------------


def deleted(case: Case) -> None:
    """Delete the file; saving writes it again."""
    case.file.unlink()
    case.look()
    case.shown("save", 0, str(case.file))
    case.require_saved()
    case.say(case.shown.state["message"])


def replaced(case: Case) -> None:
    """Put another run into its place; saving asks, and Overwrite writes."""
    os.replace(case.other, case.file)
    _asked_then_written(case)


def damaged(case: Case) -> None:
    """Cut the file in place; saving asks, and Overwrite writes."""
    with open(case.file, "r+b") as stream:
        stream.truncate(case.dice.randrange(case.file.stat().st_size))
    _asked_then_written(case)


def _asked_then_written(case: Case) -> None:
    case.look()
    before = case.file.read_bytes()
    case.shown("save", 0, str(case.file))
    case.say(case.shown.until(lambda state: state["question"], "a question")["question"])
    case.outcome.require(case.file.read_bytes() == before, "it was overwritten before the answer")
    case.shown("answer_question", "Overwrite")
    case.require_saved()


def folder_deleted(case: Case) -> None:
    """Delete its folder; saving there is refused, and saving elsewhere works."""
    shutil.rmtree(case.folder)
    case.look()
    case.shown("save", 0, str(case.file))
    case.say(case.shown.until(lambda state: "Cannot" in state["message"], "a refusal")["message"])
    elsewhere = case.user.path / "elsewhere.gems"
    case.shown("save", 0, str(elsewhere))
    case.require_saved(file=elsewhere)


def folder_instead(case: Case) -> None:
    """Put a folder into its place; saving there is refused, and saving elsewhere works."""
    case.file.unlink()
    case.file.mkdir()
    case.look()
    case.shown("save", 0, str(case.file))
    state = case.shown.until(lambda state: state["question"] or "Cannot" in state["message"], "a refusal")
    if state["question"]:
        case.shown("answer_question", "Overwrite")
        state = case.shown.until(lambda state: "Cannot" in state["message"], "a refusal")
    case.say(state["message"])
    elsewhere = case.user.path / "elsewhere.gems"
    case.shown("save", 0, str(elsewhere))
    case.require_saved(file=elsewhere)


# -- while it is read -----------------------------------------------------------------------------------------------


@cache
def _large(seed: int) -> tuple[bytes, int]:
    """A large run file and its number of events."""
    draft = FORMS["large"].with_text("run.seed", str(seed))
    instance = make(draft.family.name, **draft.family_values())
    trace = Run(instance, draft.algorithm, seed, **draft.algorithm_values()).finish()
    with tempfile.TemporaryDirectory() as folder:
        write_run(Path(folder) / "run.gems", trace)
        return (Path(folder) / "run.gems").read_bytes(), len(trace)


def _while_read(case: Case, change: Callable[[Path], None]) -> None:
    """Open a large file, change it when a random share of it is read, and look at what was opened."""
    (first, events), (_, others) = _large(1), _large(2)
    large = case.folder / "large.gems"
    large.write_bytes(first)
    before = len(case.shown.state["runs"])
    heads = case.dice.random() < 0.3
    case.shown("open_held", str(large), case.dice.uniform(0, 0.95), heads)
    done, total = case.shown.until(lambda state: state["held"][0], "the bytes that are read")["held"]
    case.outcome.moment = f"{100 * done / total:.0f} %{' of the heads' if heads else ''}"
    case.outcome.require(0 < done < total, "the file was not being read")
    change(large)
    case.shown("go_on")
    state = case.shown.until(lambda state: not state["opening"], "the end of reading")
    state = case.shown.until(
        lambda state: len(state["runs"]) > before or str(large) in state["message"], "a run or a sentence"
    )
    if len(state["runs"]) == before:
        case.say(f"{state['message']} ")
        return
    found = state["runs"][-1]["events"]
    case.outcome.require(found in (events, others), f"{found} events were opened, not {events} or {others}")
    case.say("(opened as a whole)")
    if not (large.exists() and large.read_bytes() == first):
        case.shown("look")
        wait_until(lambda: not case.shown.state["runs"][-1]["saved"], "that the run is unsaved", 20)
    case.shown("save", before, str(case.folder / "kept.gems"))
    case.shown.until(lambda state: state["runs"][-1]["path"].endswith("kept.gems"), "the saved run")
    seed = 1 if found == events else 2
    case.outcome.require(list(read_run(case.folder / "kept.gems")) == _events(seed), "another run was opened")


@cache
def _events(seed: int) -> list[Any]:
    return Reference(FORMS["large"].with_text("run.seed", str(seed))).first(10**6)


def deleted_while_read(case: Case) -> None:
    """Delete it."""
    _while_read(case, Path.unlink)


def replaced_while_read(case: Case) -> None:
    """Rename another run to its name."""

    def change(file: Path) -> None:
        file.with_name("new").write_bytes(_large(2)[0])
        os.replace(file.with_name("new"), file)

    _while_read(case, change)


def cut_while_read(case: Case) -> None:
    """Cut it in place."""
    _while_read(case, lambda file: os.truncate(file, case.dice.randrange(file.stat().st_size)))


def overwritten_while_read(case: Case) -> None:
    """Write another run over it in place, without renaming."""

    def change(file: Path) -> None:
        with open(file, "r+b") as stream:
            stream.write(_large(2)[0])
            stream.truncate()

    _while_read(case, change)


# -- the program's own files ----------------------------------------------------------------------------------------


def recovery_deleted(case: Case) -> None:
    """Delete the recovery folder while a run goes on; a second later it is there again, with the whole run."""
    case.shown.start("endless")
    wait_until(case.user.left, "a recovery folder", 20)
    wait_until(lambda: case.shown.events > 100, "100 events")
    shutil.rmtree(case.user.recovery)
    time.sleep(2.0)
    case.shown.kill()
    with window(case.user) as second:
        second.until(lambda state: state["offer"], "an offer to restore")
        second("restore")
        state = second.until(lambda state: state["runs"], "the restored runs")
        kept = note_run(case.outcome, second, len(state["runs"]) - 1, "endless", case.user.path / "kept.gems")
        case.outcome.require(kept > 100, f"{kept} events are kept")
        second.close()
    case.said = "(nothing: it is written again)"


def settings_replaced(case: Case) -> None:
    """Put garbage into the place of the settings, then delete them; the next change writes them again."""
    case.shown("change_settings", "before", 1)
    case.shown.until(lambda state: not state["changing"], "the change")
    for name in ("garbage", "deleted"):
        case.user.settings.unlink()
        if name == "garbage":
            case.user.settings.write_bytes(b"\x00 no settings")
        case.shown("change_settings", name, 1)
        case.shown.until(lambda state: not state["changing"], "the change")
        found = case.user.settings.read_text()
        case.outcome.require("before-0" in found and f"{name}-0" in found, f"settings are lost after {name}")
    case.said = "(nothing: they are written again)"


CASES: dict[str, Callable[[Case], None]] = {
    "deleted while open": deleted,
    "replaced while open": replaced,
    "cut while open": damaged,
    "folder deleted while open": folder_deleted,
    "a folder in its place": folder_instead,
    "deleted while being read": deleted_while_read,
    "replaced while being read": replaced_while_read,
    "cut while being read": cut_while_read,
    "overwritten in place while being read": overwritten_while_read,
    "recovery folder deleted": recovery_deleted,
    "settings replaced, then deleted": settings_replaced,
}


def tried(name: str, dice: random.Random) -> Case:
    """One case, for a new user."""
    with home() as user:
        with window(user) as shown:
            case = Case(dice, user, shown)
            try:
                if "open" in name or "place" in name:
                    case.prepare()
                CASES[name](case)
            except (TimeoutError, RuntimeError) as error:
                case.outcome.wrong.append(str(error))
            if shown.process.poll() is None:
                shown.close()
        note_rest(case.outcome, user)
    return case


def main(words: list[str]) -> int:
    """Print the table; the exit code says whether something is wrong."""
    parser = argparse.ArgumentParser("python -m tests.reliability files", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="repetitions of each case")
    parser.add_argument("--seed", type=int, default=1, help="seed of the moments")
    parser.add_argument("--only", nargs="+", choices=CASES, default=list(CASES), help="cases")
    given = parser.parse_args(words)
    rows = []
    for name in given.only:
        dice = random.Random(f"{given.seed} {name}")
        cases = [tried(name, dice) for _ in range(given.rounds)]
        said = "<br>".join(sorted({each.said for each in cases}))
        outcomes = [each.outcome for each in cases]
        wrong = "; ".join(word for each in outcomes for word in each.wrong) or "nothing"
        read = ", ".join(each.moment for each in outcomes if each.moment)
        rest = sum(each.processes + len(each.files) for each in outcomes)
        rows.append((name, len(cases), read, said, rest, wrong))
    print(table(("file", "times", "read when changed", "the window says", "remaining files", "wrong"), rows))
    return int(any(row[4] or row[5] != "nothing" for row in rows))
