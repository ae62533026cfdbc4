"""CSV: the plotted numbers as a table."""

from __future__ import annotations

from gems_engine.errors import InputError
from gems_gui.painting.format import BytesWriter, ExportJob, Format, Shown
from gems_gui.painting.frames import Frame
from gems_gui.series.table import Table, as_csv
from gems_gui.views import EVERY_VIEW


class _CsvWriter(BytesWriter):
    def __init__(self, job: ExportJob, shown: Shown) -> None:
        super().__init__(job, shown)
        self._tables: list[tuple[int, Table]] = []

    def add(self, frame: Frame) -> None:
        (view,) = self.shown(frame).views
        self._tables.append((frame.cursor, view.as_table()))

    def data(self) -> bytes:
        (_, first), *more = self._tables
        return as_csv(first if not more else joined(self._tables)).encode()


class Csv(Format):
    """CSV of one view."""

    suffix = ".csv"
    title = "Table (CSV)"
    about = "The numbers that one view shows as a table, for a spreadsheet or a program. Steps follow one another."
    several = True
    painted = False
    writer = _CsvWriter

    def check(self, job: ExportJob) -> None:
        """Check as for every format; a table contains the numbers of one view."""
        super().check(job)
        if any(len(frame.views) != 1 for frame in job.frames) or len({frame.views for frame in job.frames}) > 1:
            raise InputError(f"Cannot write {job.file}: a .csv contains the numbers of one view. Choose one view.")
        (view,) = job.frames[0].views
        if view in EVERY_VIEW and not EVERY_VIEW[view].has_numbers:
            raise InputError(f'Cannot write {job.file}: view "{view}" shows no numbers that can be written as a table.')


def joined(tables: list[tuple[int, Table]]) -> Table:
    """Tables of several steps below each other; the first column is the number of events."""
    columns: list[str] = []
    for _, table in tables:  # steps may have different columns
        columns += [name for name in table.columns if name not in columns]
    rows = []
    for cursor, table in tables:
        for row in table.rows:
            cells = dict(zip(table.columns, row, strict=True))
            rows.append((cursor, *(cells.get(name) for name in columns)))
    return Table(("after_events", *columns), rows)
