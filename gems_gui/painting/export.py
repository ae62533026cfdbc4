"""One export, made frame by frame, so that the caller can report progress, do other work, or cancel."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType
from typing import TYPE_CHECKING

from gems_engine.trace import Trace
from gems_gui.painting.format import ExportJob, Writer
from gems_gui.painting.formats import format_by_suffix, suffix_of
from gems_gui.painting.frames import Frame, look_at, snapshots_at
from gems_gui.painting.render import PictureSheet
from gems_gui.snapshot import Snapshot

if TYPE_CHECKING:
    from gems_engine.experiment.replicates import Replicates
    from gems_engine.experiment.seed_trials import SeedTrials


class Export:
    """Writes frames of a run to a file.

    Parameters
    ----------
    trace
        The run.
    job
        What to write, and where.
    companions
        Other runs, for frames of them or for comparison.
    replicates, seeds
        More seeds of the first run, and of all runs of its race, for the views that show them.

    Attributes
    ----------
    done, total
        The number of finished frames, and of all frames.

    Raises
    ------
    InputError
        If the job is invalid or the file cannot be written; no partial file remains then.
    """

    def __init__(
        self,
        trace: Trace,
        job: ExportJob,
        companions: Sequence[Trace] = (),
        replicates: Replicates | None = None,
        seeds: SeedTrials | None = None,
    ) -> None:
        self._traces = (trace, *companions)
        self._replicates, self._seeds = replicates, seeds
        chosen = format_by_suffix(suffix_of(job.file))
        self._job = job = chosen.adapted(replace(job, traces=self._traces))
        self._moments: dict[int, Snapshot] = {}  # one of each run; its history and problems are shared
        self._sheets: dict[tuple[object, ...], PictureSheet] = {}
        self.done, self.total = 0, len(job.frames)
        chosen.check(job)
        self._writer: Writer = chosen.writer(job, self.shown)

    def shown(self, frame: Frame) -> PictureSheet:
        """A sheet that shows a frame; reused for all frames with the same views."""
        sheet = self._sheets.get((frame.panels, frame.options))
        if sheet is None:
            sheet = PictureSheet(frame.panels, look_at(self._job.look, frame))
            self._sheets[frame.panels, frame.options] = sheet
        sheet.show_frame(frame, self._snapshots)
        return sheet

    def _snapshots(self, frame: Frame) -> tuple[Snapshot, Snapshot | None]:
        return snapshots_at(self._base, len(self._traces), frame, self._job.look.colors)

    def _base(self, run: int) -> Snapshot:
        """Any snapshot of a run."""
        base = self._moments.get(run)
        if base is None:
            base = replace(Snapshot.of(self._traces[run], 0), truth=self._job.look.truth)
            if not run:
                base = replace(base, replicates=self._replicates, seeds=self._seeds)
            self._moments[run] = base
        return base

    def step(self) -> bool:
        """Add the next frame; returns whether there are more."""
        try:
            self._writer.add(self._job.frames[self.done])
        except BaseException:
            self.cancel()
            raise
        self.done += 1
        return self.done < self.total

    def finish(self) -> None:
        """Rename the finished file to its final name."""
        try:
            self._writer.finish()
        except BaseException:
            self._writer.cancel()
            raise
        finally:
            self._close()

    def cancel(self) -> None:
        """Remove everything written so far."""
        self._writer.cancel()
        self._close()

    def _close(self) -> None:
        for sheet in self._sheets.values():
            sheet.close()
        self._sheets.clear()


def export(
    trace: Trace,
    job: ExportJob,
    go_on: Callable[[int, int], bool] = lambda done, total: True,
    companions: Sequence[Trace] = (),
    replicates: Replicates | None = None,
    seeds: SeedTrials | None = None,
) -> bool:
    """Run an export; returns False if it was cancelled.

    Parameters
    ----------
    go_on
        Called before each frame with the number of finished frames and of all frames; returns False to cancel.

    Raises
    ------
    KeyboardInterrupt
        If Ctrl-C was pressed: between two frames, without a partial file, or after the whole file.
    """
    with _interrupts_noted() as check:
        made = Export(trace, job, companions, replicates, seeds)
        try:
            while go_on(made.done, made.total):
                more = made.step()
                check()
                if not more:
                    made.finish()
                    return True
        except BaseException:
            made.cancel()
            raise
        made.cancel()
        return False


@contextmanager
def _interrupts_noted() -> Iterator[Callable[[], None]]:
    """Only record Ctrl-C in this context; the given function raises KeyboardInterrupt if it was pressed.

    Python would raise it at any point, mostly inside a call from Qt, where an exception is printed and ignored, or the
    process crashes.
    """
    noted = False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal noted
        noted = True

    def check() -> None:
        if noted:
            raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():  # other threads receive no signals
        yield check
        return
    before = signal.signal(signal.SIGINT, note)
    try:
        yield check
    finally:
        signal.signal(signal.SIGINT, before)
    check()
