"""How many hops a click on Run takes through the modules of gems_gui until the first view of the run is painted.

    python -m tests.guard.hops             the numbers and the path
    python -m tests.guard.hops --all       and every pair of modules

The action Run is triggered in a window that is at rest, with the instance of its form built, and all Python calls in
the window's thread are recorded until Qt paints the first view that was given the new run. Frames outside gems_gui are
left out; a call that comes from Qt with no frame of gems_gui below it has the caller "Qt".

The path is made of two stacks of calls: that in which the engine is asked for the run, and that in which the first view
is given the run. Where the second begins in Qt, since a timer fired, the stack in which the owner of that slot last
started a timer belongs to the path too, and so on back to the click. The stacks are put together to a tree, in which a
call that several of them share counts once. A hop is an edge of the tree between two modules, or from Qt into a module;
calls inside a module are no hops, but are in the number of calls on the path.

Two things are told for comparison: how many distinct pairs of modules call each other before the click returns, on the
path or not; and how often some functions run, before the click returns and until the first paint. The second number
depends on how soon the engine sends its first events.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget

from tests.guard import adapter

PACKAGE = "gems_gui"
QT = "Qt"
TIMERS = ("start", "singleShot")
COUNTED = (*adapter.COUNTED, "title set")
ASKED, SHOWN = "the engine is asked for the run", "a view is given the run"


@dataclass(eq=False)
class Call:
    """A call of a function of gems_gui, and the call that made it."""

    module: str
    name: str
    caller: Call | None
    owner: int

    @property
    def stack(self) -> list[Call]:
        """From Qt to this call."""
        return [*(self.caller.stack if self.caller else []), self]


@dataclass(eq=False)
class Recorder(QObject):
    """Records what happens in the window's thread from a click to the first paint."""

    driver: Any
    calls: list[Call] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    in_click: Counter[str] = field(default_factory=Counter)
    clicked: int = 0
    reached: dict[str, Call] = field(default_factory=dict)
    painted: bool = False

    def __post_init__(self) -> None:
        super().__init__()
        self._live: dict[FrameType, Call] = {}
        self._scheduled: dict[int, Call] = {}
        self._view: QObject | None = None
        self.causes: dict[Call, Call] = {}

    def profile(self, frame: FrameType, event: str, function: Any) -> None:
        """Called by Python at every call and return."""
        if event == "call":
            self._called(frame)
        elif event == "return":
            self._live.pop(frame, None)
        elif event == "c_call":
            self._called_qt(frame, function)

    def _called(self, frame: FrameType) -> None:
        name = frame.f_code.co_qualname
        for what, counted in adapter.COUNTED.items():
            if name == counted:
                self.counts[what] += 1
        module = frame.f_globals.get("__name__", "")
        if not module.startswith(f"{PACKAGE}."):
            return
        call = Call(module, name, self._nearest(frame.f_back), id(frame.f_locals.get("self")))
        self._live[frame] = call
        self.calls.append(call)
        if call.caller is None and call.owner in self._scheduled:
            self.causes[call] = self._scheduled[call.owner]
        if name == adapter.START_REQUEST:
            self.reached.setdefault(ASKED, call)
        elif name == adapter.SHOW_VIEW and ASKED in self.reached and SHOWN not in self.reached:
            view, moment = (frame.f_locals[each] for each in frame.f_code.co_varnames[:2])
            if adapter.is_of_run(moment, self.driver):
                self.reached[SHOWN], self._view = call, view

    def _called_qt(self, frame: FrameType, function: Any) -> None:
        name = getattr(function, "__name__", "")
        if name == "setWindowTitle":
            self.counts["title set"] += 1
        elif name in TIMERS and (call := self._nearest(frame)) is not None:
            self._scheduled[call.owner] = call

    def _nearest(self, frame: FrameType | None) -> Call | None:
        """The call of gems_gui that a frame is in."""
        while frame is not None and frame not in self._live:
            frame = frame.f_back
        return self._live[frame] if frame is not None else None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Notes when Qt paints the view that was given the run."""
        if self._view is not None and event.type() == QEvent.Type.Paint and isinstance(watched, QWidget):
            body = adapter.view_widget(self._view)
            if watched is body or body.isAncestorOf(watched):
                self.painted = True
                sys.setprofile(None)
        return False

    # -- what was found ---------------------------------------------------------------------------------------------

    def stacks(self, step: str) -> list[list[Call]]:
        """The stacks that lead to a step, in their order in time."""
        last = self.reached[step]
        stacks = [last.stack]
        while (cause := self.causes.get(last.stack[0])) is not None:
            stacks.insert(0, cause.stack)
            last = cause
        return stacks

    def path(self) -> list[Call]:
        """The calls of the path, each once."""
        return list(dict.fromkeys(c for step in (ASKED, SHOWN) for stack in self.stacks(step) for c in stack))


def hops(calls: list[Call]) -> list[tuple[str, str]]:
    """The calls among these that go from one module into another."""
    pairs = [(call.caller.module if call.caller else QT, call.module) for call in calls]
    return [(one, other) for one, other in pairs if one != other]


def record(driver: Any) -> Recorder:
    """Click on Run in a window at rest and watch until the first view is painted."""
    driver.wait(lambda: adapter.ready_to_run(driver))
    adapter.rest(driver)
    recorder, app = Recorder(driver), QApplication.instance()
    assert app is not None
    app.installEventFilter(recorder)
    run = adapter.action(driver, "run")
    sys.setprofile(recorder.profile)
    try:
        run.trigger()
        recorder.in_click, recorder.clicked = Counter(recorder.counts), len(recorder.calls)
        adapter.wait_until(lambda: recorder.painted)
    finally:
        sys.setprofile(None)
        app.removeEventFilter(recorder)
    return recorder


def report(recorder: Recorder, everything: bool = False) -> str:
    """What was found, in words."""
    path = recorder.path()
    calls = recorder.calls[: recorder.clicked]
    pairs = Counter(hops(calls))
    lines = [
        f"hops on the path: {len(hops(path))}",
        f"modules on the path: {len({call.module for call in path})}",
        f"calls on the path: {len(path)}",
        f"before the click returns: {len(pairs)} pairs of {len({call.module for call in calls})} modules",
        *(f"{what}: {recorder.in_click[what]} in the click, {recorder.counts[what]} in all" for what in COUNTED),
        "",
    ]
    seen: set[Call] = set()
    for step in (ASKED, SHOWN):
        lines.append(f"{step}:")
        for stack in recorder.stacks(step):
            for depth, call in enumerate(stack):
                hop = call not in seen and (call.caller is None or call.caller.module != call.module)
                lines.append(f"  {'→' if hop else ' '} {'  ' * depth}{call.module}: {call.name}")
                seen.add(call)
    if everything:
        lines += ["", *(f"{one} → {other}: {count}" for (one, other), count in sorted(pairs.items()))]
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="list every pair of modules of which one calls the other")
    given = parser.parse_args(arguments)
    with adapter.home(), adapter.window(in_thread=False) as driver:
        print(report(record(driver), given.all))


if __name__ == "__main__":
    main()
