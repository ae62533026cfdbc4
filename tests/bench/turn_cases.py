"""The load cases of :mod:`tests.bench.bench_turns`, in one window: prints the longest turn of each as JSON.

    python tests/bench/turn_cases.py RUN SECOND

It runs in a checkout of this program or of release 0.1.0, whose names differ here and there.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable

from PySide6.QtCore import QAbstractEventDispatcher, QEventLoop, QTimer

PLAYED = 2.0  # seconds of playing, of searching, and of a live run


class Turns:
    """The processor time of the window's thread in each turn of the event loop, in seconds.

    A turn lasts from one wake-up of the event dispatcher to the next, so that it includes everything that the window
    does in response to events; waiting takes no processor time.
    """

    def __init__(self) -> None:
        self.longest = 0.0
        self._began = time.thread_time()
        dispatcher = QAbstractEventDispatcher.instance()
        assert dispatcher is not None
        dispatcher.awake.connect(self._turn)

    def _turn(self) -> None:
        now = time.thread_time()
        self.longest = max(self.longest, now - self._began)
        self._began = now

    def take(self) -> float:
        """The longest turn since the last call, the current one included."""
        self._turn()
        longest, self.longest = self.longest, 0.0
        return longest


def wait(seconds: float) -> None:
    loop = QEventLoop()
    QTimer.singleShot(round(seconds * 1000), loop.quit)
    loop.exec()


def wait_until(condition: Callable[[], bool], seconds: float = 300.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise SystemExit("waited too long")
        wait(0.05)


class Cases:
    """One window, and what is done in it."""

    def __init__(self, window) -> None:
        self.window = window
        self.work = window.workbench if hasattr(window, "workbench") else window.workspace
        self.turns = Turns()
        self.found: dict[str, float] = {}

    def case(self, name: str, act: Callable[[], object], seconds: float = 0.0) -> None:
        """Do something in the event loop, wait until it is shown and some seconds, and note the longest turn."""
        self.turns.take()
        done = []
        QTimer.singleShot(0, lambda: done.append(act()))
        wait_until(lambda: bool(done))
        wait(max(seconds, 0.3))
        wait_until(lambda: self.window.board.settled)
        self.found[name] = max(self.found.get(name, 0.0), self.turns.take())

    def control(self, change: Callable[[object], object]) -> None:
        if hasattr(self.work, "control"):
            self.work.control(change)
        else:
            change(self.work.playback)
            self.work.refresh()

    def seek(self, part: float) -> Callable[[], object]:
        return lambda: self.control(lambda playback: playback.seek(round(part * playback.length)))

    def open(self, name: str, path: str) -> None:
        runs = len(self.work.runs)
        self.turns.take()
        self.window.open_files([path])
        wait_until(lambda: len(self.work.runs) > runs and self.window.board.settled)
        wait(1.0)
        self.found[name] = self.turns.take()

    def views(self) -> None:
        """Every view in front once, at the end of the run and in its middle."""
        for view in list(self.window.board.docks):
            self.case(f"view {view}", lambda view=view: self.window.board.show_view(view))
            self.case(f"view {view}", self.seek(0.5))
            self.case(f"view {view}", self.seek(1.0))

    def events(self) -> None:
        """The search in the table of events."""
        self.window.board.show_view("events")
        wait_until(lambda: "events" in self.window.board.views)
        table = self.window.board.views["events"]
        field = table.search_field if hasattr(table, "search_field") else table.words
        self.case("search the events", lambda: field.setText("41"), PLAYED)
        self.case("search the events", lambda: field.setText(""))
        self.case("one kind of events", lambda: table.kinds.setCurrentIndex(table.kinds.findData("eliminated")), 1.0)
        self.case("one kind of events", lambda: table.kinds.setCurrentIndex(0))
        self.case("list everything recorded", lambda: table.set_option("upto", "record"))
        self.case("list everything recorded", lambda: table.set_option("upto", "cursor"))

    def playing(self) -> None:
        self.case("Home", self.seek(0.0))
        self.case("play at 1,000 rounds/s", lambda: self.control(lambda playback: play(playback, 1000.0)), PLAYED)
        self.case("pause", lambda: self.control(lambda playback: playback.pause()))
        self.case("End", self.seek(1.0))
        self.case("step back", lambda: self.control(lambda playback: playback.step("subroutine", -1)))
        self.case("step back", lambda: self.control(lambda playback: playback.step("loop", -1)))
        self.case("go to ℓ i k", lambda: self.control(lambda playback: playback.go_to(5, 4, 22)))
        self.case("hide the truth", lambda: self.work.set_truth(False), 0.5)
        self.case("hide the truth", lambda: self.work.set_truth(True), 0.5)

    def live(self) -> None:
        """A run that the engine computes as fast as it can."""
        from gems_engine.gallery import make

        try:
            from gems_gui.drafts.run_request import RunRequest
        except ImportError:
            from gems_gui.background.run_request import RunRequest
        request = RunRequest(make("paper-hard"), "fixed-confidence", 1, {"max_samples": 10**15, "max_loops": 60})

        def start() -> None:
            self.work.start(request)
            self.control(lambda playback: playback.run_to_end())

        self.case("a live run", start, 2 * PLAYED)
        self.case("stop it", self.work.stop)

    def dialogs(self) -> None:
        exports = self.window.exports if hasattr(self.window, "exports") else self.window.exporting
        self.case("export, with its preview", lambda: exports.export_view("survivors"), 5.0)
        self.case("export, with its preview", exports.dialog.close)
        self.case("compare event by event", self.window.comparison.compare, PLAYED)
        self.case("compare event by event", self.window.comparison.dialog.close)

    def close(self) -> None:
        self.turns.take()
        self.window.close_without_asking()
        wait(0.1)
        self.found["close"] = self.turns.take()


def play(playback, speed: float) -> None:
    playback.set_speed(speed)
    playback.play()


def main(path: str, second: str) -> None:
    try:
        from gems_gui.application import application
    except ImportError:
        from gems_gui.showing import application
    app = application()
    try:
        from gems_gui.gc_timer import GcTimer as Collector
    except ImportError:
        from gems_gui.collecting import Collector
    collector = Collector(app)
    from gems_gui.window import open_window

    window = open_window(preset="paper-hard")
    window.resize(1920, 1080)
    window.show()
    wait_until(lambda: window.begun)
    wait(2.0)
    cases = Cases(window)
    cases.open("open the file", path)
    for layout in ("explore", "debug"):
        cases.case(f"layout {layout}", lambda layout=layout: window.layouts.choose(layout), 1.0)
        cases.playing()
    cases.views()
    cases.case("layout talk", lambda: window.layouts.choose("talk"), 1.0)
    cases.case("layout debug", lambda: window.layouts.choose("debug"), 1.0)
    cases.events()
    cases.open("open a second run", second)
    cases.case("layout compare", lambda: window.layouts.choose("compare"), 1.0)
    cases.case("End", cases.seek(1.0))
    cases.case("layout explore", lambda: window.layouts.choose("explore"), 1.0)
    cases.dialogs()
    cases.live()
    cases.close()
    collector.end()
    print(json.dumps(cases.found))


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("CONFIG", "DATA", "STATE"):
            os.environ[f"XDG_{name}_HOME"] = folder  # default settings
        main(*sys.argv[1:])
