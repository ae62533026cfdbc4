"""The comparison of the current run with another one, computed in small parts."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from gems_engine.diff import Comparison
from gems_gui.runs.run_differences import run_differences
from gems_gui.series.side_by_side import alike
from gems_gui.widgets.timers import single_shot
from gems_gui.workbench.changes import Field
from gems_gui.workbench.playback import Playback
from gems_gui.workbench.run_session import RunSession
from gems_gui.workbench.workbench import Workbench

_SLICE = 0.004  # seconds per part
_PAUSE = 12  # milliseconds between parts


class Comparing(QObject):
    """Two runs of a window and their differences, as far as they were compared.

    While it is open, it follows the window: the current run is the first of the two. If the other one becomes the
    current run, the two change roles.

    Attributes
    ----------
    run, other
        The runs, or None.
    comparison
        Their differences; None without two runs.
    """

    changed = Signal()
    """The runs, or what is known of their differences, have changed."""

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self.run: RunSession | None = None
        self.other: RunSession | None = None
        self.comparison: Comparison | None = None
        self._opened = False
        self._timer = single_shot(self, self._look)
        workbench.subscribe(self._follow, Field.ACTIVE, Field.RUNS)
        workbench.subscribe(self._look_soon, Field.ENGINE)

    # -- runs ---------------------------------------------------------------------------------------------------

    def open(self, other: RunSession | None = None) -> None:
        """Compare the current run with this one, or with the most likely other one."""
        self._opened = True
        if other is not None and other is not self._workbench.active:
            self.other = other
        self._follow()

    def close(self) -> None:
        """Stop comparing."""
        self._opened = False
        self._timer.stop()
        self.run = self.other = self.comparison = None

    def choose(self, other: RunSession) -> None:
        """Compare with another run."""
        self.other = other
        self._follow()

    def others(self) -> list[RunSession]:
        """The runs that the current one can be compared with, those of the same instance first."""
        others = [run for run in self._workbench.runs if run is not self._workbench.active]
        return sorted(others, key=lambda run: not self.is_alike(run))

    def is_alike(self, run: RunSession) -> bool:
        """Whether a run is on the instance of the current one, maybe with another noise."""
        shown = self._workbench.active
        return shown is not None and alike(run.trace.instance, shown.trace.instance)

    def told_apart(self, run: RunSession) -> list[str]:
        """What tells a run apart from others of the same kind, and that it is on another instance, if it is."""
        elsewhere = [] if self.is_alike(run) else ["another instance"]
        return [*elsewhere, *run_differences(run, self._workbench.runs)]

    def _likely(self) -> RunSession | None:
        """The partner in a race, the parent or a branch of this run; otherwise a pinned run, or the newest.

        Runs of the same instance come before all others.
        """
        run, others = self._workbench.active, self.others()
        if run is None:
            return None
        partners = [each for each in reversed(run.race) if each in others]
        parents = [each for each in others if run.origin is not None and run.origin.parent is each]
        branches = [each for each in others if each.origin is not None and each.origin.parent is run]
        same = [each for each in others if self.is_alike(each)]
        found = (
            partners,
            parents,
            branches,
            *([each for each in runs if each.pinned] or runs for runs in (same, others)),
        )
        return next((each[-1] for each in found if each), None)

    def _follow(self, *_: object) -> None:
        if not self._opened:
            return
        shown, before = self._workbench.active, self.run
        if self.other is shown and before is not shown:
            self.other = before
        self.run = shown
        if self.other not in self.others():
            self.other = self._likely()
        if self.run is None or self.other is None:
            self.comparison = None
        else:
            traces = self.run.trace, self.other.trace
            if self.comparison is None or (self.comparison.a, self.comparison.b) != traces:
                self.comparison = Comparison(*traces)
        self.changed.emit()
        self._look_soon()

    # -- differences --------------------------------------------------------------------------------------------

    @property
    def over(self) -> tuple[bool, bool]:
        """Whether each run has ended."""
        return tuple(run is None or run.playback.ended for run in (self.run, self.other))  # type: ignore[return-value]

    @property
    def busy(self) -> bool:
        """Whether some events have not been compared yet."""
        return self.comparison is not None and self.comparison.busy(self.over)

    def _look_soon(self, *_: object) -> None:
        if self._opened and not self._timer.isActive() and self.busy:
            self._timer.start(_PAUSE)

    def _look(self) -> None:
        if self.comparison is not None:
            self.comparison.update(_SLICE, self.over)
            self.changed.emit()
            self._look_soon()

    def go_to(self, event: int, other: int) -> None:
        """Pause both runs, each just after an event, or at its end if it does not have the event."""
        if self.run is not None and self.other is not None:
            for run, position in ((self.other, other), (self.run, event)):
                self._workbench.control(Playback.pause, run)
                self._workbench.seek(position + 1, run)

    def say(self, words: str) -> None:
        """Show a message until the cursor of the shown run moves: not every page shows a difference."""
        work, run = self._workbench, self.run
        if run is not None:
            cursor = run.playback.cursor
            work.messages.show(words, lambda: work.active is run and run.playback.cursor == cursor)
