"""PDF: pages for print or slides, one for each frame."""

from __future__ import annotations

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QSizeF
from PySide6.QtGui import QPageLayout, QPageSize, QPainter, QPdfWriter

from gems_gui.painting.format import BytesWriter, ExportJob, Format, Shown
from gems_gui.painting.frames import Frame

_DPI = 96  # a pixel of the picture has the size of one on screen


class _PdfWriter(BytesWriter):
    def __init__(self, job: ExportJob, shown: Shown) -> None:
        super().__init__(job, shown)
        self._bytes = QByteArray()
        self._buffer = QBuffer(self._bytes)
        self._buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        self._device = QPdfWriter(self._buffer)
        self._device.setTitle(job.title)
        self._device.setCreator("GEMS Lab")
        # Lines have a width in dots: at this resolution, a dot is a pixel of the picture.
        inches = job.look.inches
        scale = job.look.scale if inches is None else 1.0
        self._device.setResolution(max(1, round(_DPI / scale)))
        paper = [side * scale / _DPI for side in job.look.size] if inches is None else inches
        points = QSizeF(72 * paper[0], 72 * paper[1])
        page = QPageSize(points, QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch)
        self._device.setPageLayout(QPageLayout(page, QPageLayout.Orientation.Portrait, QMarginsF()))
        self._factor = self._device.resolution() * scale / _DPI
        self._painter: QPainter | None = None

    def add(self, frame: Frame) -> None:
        if self._painter is None:
            self._painter = QPainter(self._device)
            self._painter.scale(self._factor, self._factor)
        else:
            self._device.newPage()
        self.shown(frame).paint(self._painter)

    def _end(self) -> None:
        if self._painter is not None:
            self._painter.end()
            self._painter = None

    def data(self) -> bytes:
        self._end()
        self._buffer.close()
        return bytes(self._bytes.data())

    def cancel(self) -> None:
        self._end()  # otherwise the painter would outlive its device


class Pdf(Format):
    """PDF with embedded fonts."""

    suffix = ".pdf"
    title = "Pages (PDF)"
    about = "A page for each step, sharp at any size, with embedded fonts: for slides and print."
    several = True
    writer = _PdfWriter
