"""One export, made frame by frame, so that whoever makes it can say how far it is, do something else, or give up."""

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
from gems_gui.painting.frames import Frame, look_at, shows_several, snapshot_at
from gems_gui.painting.render import PictureSheet
from gems_gui.snapshot import Snapshot

if TYPE_CHECKING:
    from gems_engine.experiment.replicates import Replicates


class Export:
    """Frames of a run on their way into a file.

    Parameters
    ----------
    trace
        The run.
    job
        What is to be written of it, and where.
    companions
        Other runs that frames may be of, or that stand beside it.
    replicates
        More seeds of the first one, for the views that show them.

    Attributes
    ----------
    done, total
        How many frames there are, and of how many.

    Raises
    ------
    InputError
        If the job makes no sense or the file cannot be written; nothing is left behind then.
    """

    def __init__(
        self, trace: Trace, job: ExportJob, companions: Sequence[Trace] = (), replicates: Replicates | None = None
    ) -> None:
        self._traces = (trace, *companions)
        self._replicates = replicates
        self._job = job
        self._moments: dict[int, Snapshot] = {}  # one of each run, whose history and problems serve all others
        self._sheets: dict[tuple[object, ...], PictureSheet] = {}
        self.done, self.total = 0, len(job.frames)
        chosen = format_by_suffix(suffix_of(job.file))
        chosen.check(job)
        self._writer: Writer = chosen.writer(job, self.shown)

    def shown(self, frame: Frame) -> PictureSheet:
        """A sheet that shows a frame; the same one for all frames with the same views."""
        sheet = self._sheets.get((frame.views, frame.options))
        if sheet is None:
            sheet = PictureSheet(frame.views, look_at(self._job.look, frame))
            self._sheets[frame.views, frame.options] = sheet
        base = self._base(frame.run)
        if shows_several(frame.views):
            base = base.with_runs([self._base(run) for run in range(len(self._traces))], self._job.look.colors)
        sheet.show(snapshot_at(base, frame), frame.caption)
        return sheet

    def _base(self, run: int) -> Snapshot:
        """Any snapshot of a run."""
        base = self._moments.get(run)
        if base is None:
            found = None if run else self._replicates
            base = replace(Snapshot.of(self._traces[run], 0), truth=self._job.look.truth, replicates=found)
            self._moments[run] = base
        return base

    def step(self) -> bool:
        """Add the next frame; whether there are more."""
        try:
            self._writer.add(self._job.frames[self.done])
        except BaseException:
            self.cancel()
            raise
        self.done += 1
        return self.done < self.total

    def finish(self) -> None:
        """Put the file under its name."""
        try:
            self._writer.finish()
        except BaseException:
            self._writer.cancel()
            raise
        finally:
            self._close()

    def cancel(self) -> None:
        """Leave nothing behind."""
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
) -> bool:
    """Make an export; False if it was cancelled.

    Parameters
    ----------
    go_on
        Told before each frame how many are done, of how many; False gives up.

    Raises
    ------
    KeyboardInterrupt
        If Ctrl-C was pressed meanwhile: between two frames, with nothing left behind, or after the whole file.
    """
    with _interrupts_noted() as check:
        made = Export(trace, job, companions, replicates)
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
    """While inside, Ctrl-C is only noted; what is given raises KeyboardInterrupt if it was.

    Python would raise it wherever it is, which is mostly inside of something that Qt has called: there an exception is
    printed and forgotten, or the process crashes.
    """
    noted = False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal noted
        noted = True

    def check() -> None:
        if noted:
            raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():  # the others get no signals
        yield check
        return
    before = signal.signal(signal.SIGINT, note)
    try:
        yield check
    finally:
        signal.signal(signal.SIGINT, before)
    check()
