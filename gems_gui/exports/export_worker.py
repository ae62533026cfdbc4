"""The process that paints for a window without a screen: single pictures at once, exports frame by frame.

It has one thread. Between two frames of an export it checks for messages, so that a picture for the dialog does not
wait for a film, and a film can be cancelled.
"""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import Connection

from gems_engine.formats import journal
from gems_engine.formats.event_rules import Sizes
from gems_engine.instance import Instance
from gems_engine.trace import Trace
from gems_gui.background.worker import Outcome, failure
from gems_gui.drafts.run_request import FINISHED, STOPPED
from gems_gui.exports.export_request import ExportRequest
from gems_gui.painting.export import Export
from gems_gui.painting.frames import Frame, Look, look_at, snapshots_at
from gems_gui.painting.offscreen import start_painting
from gems_gui.painting.render import PictureSheet, png
from gems_gui.snapshot import Snapshot

_PAUSE = 0.05  # seconds between two reports of the progress


class ExportWorker:
    """Receives messages and does the work."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._runs: dict[int, Snapshot] = {}  # the first snapshots; the others share their history and problems
        self._sheet: tuple[tuple[str, ...], Look, PictureSheet] | None = None  # for the last picture
        self._export: tuple[int, Export] | None = None
        self._reported_at = 0.0

    def work(self) -> None:
        """Process messages; the process ends when the other end closes the pipe."""
        take: dict[str, Callable[..., None]] = {
            "run": self._take_run,
            "replicates": self._take_replicates,
            "forget": self._take_forget,
            "picture": self._take_picture,
            "export": self._take_export,
            "cancel": self._take_cancel,
        }
        try:
            self._connection.send(("ready",))
            while True:
                if self._export is not None and not self._connection.poll():
                    self._go_on(*self._export)
                else:
                    kind, *rest = self._connection.recv()
                    take[kind](*rest)
        except (EOFError, OSError):  # the window has closed
            self._give_up()
            os._exit(0)

    # -- messages -------------------------------------------------------------------------------------------------

    def _take_run(self, key: int, instance: Instance | None, records: list[bytes]) -> None:
        """Take a run, or more events of one."""
        if instance is not None:
            self._runs[key] = Snapshot.of(Trace(instance))
        base = self._runs[key]
        sizes = Sizes.of(base.instance)
        for record in records:
            base.trace.extend_with_record(record, journal.batch_of(record, sizes))
        base.history.update()

    def _take_replicates(self, key: int, pickled: bytes) -> None:
        """Take the replicates of a run and the seeds of its race, or none."""
        found = pickle.loads(pickled) if pickled else (None, None)  # sent by our window through our own pipe
        self._runs[key] = replace(self._runs[key], replicates=found[0], seeds=found[1])

    def _take_forget(self, key: int) -> None:
        self._runs.pop(key, None)

    def _take_picture(self, ticket: int, keys: tuple[int, ...], frame: Frame, look: Look) -> None:
        """Paint one frame, and send the bytes of a PNG."""
        try:
            data, outcome = self._painted(keys, frame, look), Outcome(FINISHED)
        except Exception as error:  # the window shows any error and goes on
            data, outcome = b"", failure(error, "Cannot paint the picture", str(frame))
        self._connection.send(("picture", ticket, data, outcome))

    def _take_export(self, ticket: int, keys: tuple[int, ...], order: ExportRequest) -> None:
        """Start an export; its frames are painted while there are no other messages."""
        base, *companions = (self._runs[key] for key in keys)
        try:
            others = [each.trace for each in companions]
            self._export = ticket, Export(base.trace, order.job(base), others, base.replicates, base.seeds)
        except Exception as error:
            self._end(ticket, failure(error, "The export failed", str(order)))

    def _take_cancel(self, ticket: int) -> None:
        if self._export is not None and self._export[0] == ticket:
            self._give_up()
            self._end(ticket, Outcome(STOPPED))

    # -- work -----------------------------------------------------------------------------------------------------

    def _painted(self, keys: tuple[int, ...], frame: Frame, look: Look) -> bytes:
        look = look_at(look, frame)
        if self._sheet is not None and self._sheet[:2] != (frame.panels, look):
            self._sheet[2].close()
            self._sheet = None
        if self._sheet is None:
            self._sheet = frame.panels, look, PictureSheet(frame.panels, look)
        sheet = self._sheet[2]

        def snapshots(each: Frame) -> tuple[Snapshot, Snapshot | None]:
            return snapshots_at(
                lambda run: replace(self._runs[keys[run]], truth=look.truth), len(keys), each, look.colors
            )

        sheet.show_frame(frame, snapshots)
        return png(sheet.image())

    def _go_on(self, ticket: int, export: Export) -> None:
        """Paint one more frame; after the last one, finish the file."""
        try:
            more = export.step()
            if not more:
                export.finish()
        except Exception as error:
            self._end(ticket, failure(error, "The export failed", "an export"))
            return
        if not more:
            self._end(ticket, Outcome(FINISHED))
        elif time.monotonic() - self._reported_at > _PAUSE:
            self._reported_at = time.monotonic()
            self._connection.send(("progress", ticket, export.done, export.total))

    def _give_up(self) -> None:
        if self._export is not None:
            self._export[1].cancel()

    def _end(self, ticket: int, outcome: Outcome) -> None:
        self._export = None
        self._connection.send(("ended", ticket, outcome))


def serve(connection: Connection) -> None:
    """The main function of the process."""
    start_painting()
    ExportWorker(connection).work()
