"""The real program with a second way in: commands arrive on stdin as lines of JSON, answers leave on stdout.

    python -m tests.reliability.remote [FILE…]

The window is opened by `gems_gui.launch.show`, as `gems window` opens it. Every 20 milliseconds the number of events
of the shown run is printed with the time, so that it is known what the window had when it was killed.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QByteArray, QObject, QSocketNotifier, QTimer
from PySide6.QtWidgets import QApplication

from gems_engine.experiment.folder import read_specification
from gems_gui.application import application
from gems_gui.background import file_worker
from gems_gui.drafts.draft import Draft
from gems_gui.launch import show
from gems_gui.window import MainWindow
from tests.reliability.forms import FORMS
from tests.reliability.questions import slow_square

_BEAT = 20  # milliseconds
_KEY = "a question of the test"


class Remote(QObject):
    """Does what the lines on stdin say."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._window: MainWindow | None = None
        self._buffer = b""
        self._answers: dict[int, Any] = {}
        self._notifier = QSocketNotifier(0, QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._read)
        self._timer = QTimer(self, interval=_BEAT)
        self._timer.timeout.connect(self._beat)
        self._timer.start()
        self._settings = QTimer(self, interval=0)
        self._settings.timeout.connect(self._change_setting)
        self._changes: Iterator[str] = iter(())
        self._held = [0, 0]
        self._go_on = threading.Event()

    @property
    def window(self) -> MainWindow:
        """The window of the program."""
        if self._window is None:
            self._window = next(each for each in QApplication.topLevelWidgets() if isinstance(each, MainWindow))
            self._window.queries.answered.connect(self._on_answer)
        return self._window

    def _read(self) -> None:
        data = os.read(0, 65536)
        if not data:
            os._exit(3)  # the measurement has ended
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        for line in lines:
            command, *arguments = json.loads(line)
            try:
                _say(["answer", getattr(self, f"do_{command}")(*arguments)])
            except Exception:  # told to the measurement, which fails
                _say(["error", traceback.format_exc()])

    def _beat(self) -> None:
        run = self.window.workbench.active
        if run is not None:
            _say(["beat", time.monotonic(), len(run.trace)])

    # -- commands -------------------------------------------------------------------------------------------------

    def do_state(self) -> dict[str, Any]:
        window, work = self.window, self.window.workbench
        return {
            "ready": window.begun and window.board.ready and window.engine._engine.pid is not None,
            "instance": work.drafts.instance is not None,
            "offer": window.recovery.notice.sentence.text() if window.recovery.notice.isVisible() else "",
            "message": window.notice.sentence.text() if window.notice.isVisible() else "",
            "question": window.changed_files.sentence.text() if window.changed_files.isVisible() else "",
            "log": [each.sentence for each in work.messages.entries_since(0)],
            "runs": [
                {
                    "name": run.name,
                    "events": len(run.trace),
                    "ending": None if run.ending is None else [run.ending.how, run.ending.sentence],
                    "recovered": run.recovered,
                    "saved": run.saved,
                    "path": run.path,
                }
                for run in work.runs
            ],
            "form": next((name for name, draft in FORMS.items() if draft == work.drafts.draft), ""),
            "exporting": list(window.exports.exports.progress) if window.exports.exports.busy else None,
            "opening": window.files.busy_reading,
            "held": self._held,
            "settled": window.board.settled,
            "changing": self._settings.isActive(),
        }

    def do_unsaved(self) -> list[str]:
        """What the window asks about when it is closed."""
        return [each.title for each in self.window.closing.unsaved()]

    def do_pids(self) -> dict[str, int | None]:
        window = self.window
        return {
            "engine": window.engine._engine.pid,
            "query": window.queries.pid,
            "exporter": window.exports.exports.pid,
        }

    def do_draft(self, name: str, seed: int | None = None) -> None:
        draft: Draft = FORMS[name]
        self.window.workbench.drafts.set_draft(draft if seed is None else draft.with_text("run.seed", str(seed)))

    def do_layout(self, name: str) -> None:
        self.window.layouts.choose(name)

    def do_run(self, follow: bool = True) -> None:
        self.window.workbench.run(to_the_end=True)
        if follow:
            self.window.workbench.control(lambda playback: playback.follow())

    def do_ask(self, question: int, seconds: float) -> int:
        """Ask the analysis process something that takes a time."""
        return self.window.queries.ask(_KEY, slow_square, question, seconds, cache_key=object())

    def do_answer(self, ticket: int) -> list[Any] | None:
        return self._answers.get(ticket)

    def _on_answer(self, answer: Any) -> None:
        if answer.key == _KEY:
            self._answers[answer.ticket] = [answer.value, answer.error]

    def do_export(self, path: str, **chosen: Any) -> None:
        exports = self.window.exports
        exports.export()
        dialog = exports.dialog
        dialog.choose(replace(dialog.choice, **chosen))
        dialog.changed.emit()
        exports.export_to(path)

    def do_export_as(self, path: str, suffix: str, every: str) -> None:
        self.do_export(path, suffix=suffix, several=True, every=every, size="640 × 400")

    def do_experiment(self, file: str, folder: str, jobs: int) -> None:
        """Run an experiment in a folder, as its page does."""
        experiments = self.window.experiments
        experiments.experiments(True)
        experiments.live_summary.start(read_specification(file), folder, jobs)

    def do_restore(self) -> None:
        self.window.recovery.restore()

    def do_save(self, run: int, path: str) -> None:
        self.window.file_controller.write_run(self.window.workbench.runs[run], path)

    def do_save_instance(self, path: str) -> None:
        self.window.file_controller.write_instance(path)

    def do_open(self, *paths: str) -> None:
        self.window.open_files(paths)

    def do_open_held(self, path: str, share: float, heads: bool) -> None:
        """Open a run file, and stop reading when that share of its bytes is read, until `go_on`.

        The heads of all chunks are read first, then the chunks.
        """
        read = file_worker.read_run

        def read_held(path: str, watch: Callable[[int, int], None]) -> Any:
            last, ready = 0, heads

            def watched(done: int, total: int) -> None:
                nonlocal last, ready
                watch(done, total)
                ready, last = ready or done < last, done
                if ready and done >= share * total and not self._go_on.is_set():
                    self._held = [done, total]
                    self._go_on.wait()

            return read(path, watched)

        file_worker.read_run = read_held  # type: ignore[assignment]
        self.window.open_files([path])

    def do_go_on(self) -> None:
        self._go_on.set()

    def do_answer_question(self, button: str) -> None:
        self.window.changed_files.buttons[button].click()

    def do_look(self) -> None:
        """Look whether files were changed, as the window does when it is activated."""
        self.window.closing.files.look_soon()

    def do_remove(self, keep: int = 0) -> None:
        """Remove all runs of the list but the newest ones, and forget them: they cannot be restored."""
        work, dock = self.window.workbench, self.window.run_list.runs_dock
        for run in list(work.runs)[: len(work.runs) - keep]:
            dock.removed.remove(run)
        dock._forget_removed()

    def do_change_settings(self, name: str, count: int) -> None:
        """Save that many layouts, one after the other."""
        self._changes = (f"{name}-{at}" for at in range(count))
        self._settings.start()

    def _change_setting(self) -> None:
        name = next(self._changes, "")
        if name:
            self.window.settings.keep_layout(name, QByteArray(b"a state"))
        else:
            self._settings.stop()

    def do_fill_log(self, lines: int) -> None:
        """Log some lines, so that the log is full and grows no further."""
        for number in range(lines):
            self.window.workbench.messages.log(f"Line {number} of a full log.")

    def do_collect(self) -> dict[str, int]:
        """Collect garbage and return free memory; the number of objects and the memory of this process in bytes."""
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return {"objects": len(gc.get_objects()), "bytes": pages * os.sysconf("SC_PAGE_SIZE")}

    def do_close(self) -> None:
        """Close without asking, soon: the answer is sent first."""
        QTimer.singleShot(0, self, self.window.close_without_asking)

    def do_evaluate(self, text: str) -> Any:
        """For looking into a failure by hand."""
        return eval(text, {"window": self.window, "gc": gc, "Counter": Counter})


def _say(message: list[Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Open the window until it is closed."""
    Remote(application())
    code, _ = show(sys.argv[1:], preset=None if sys.argv[1:] else "paper-hard")
    sys.exit(code)


if __name__ == "__main__":
    main()
