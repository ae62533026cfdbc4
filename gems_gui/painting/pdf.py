"""PDF: pages for print or slides, one for each frame."""

from __future__ import annotations

import math
import re

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QSizeF, QUuid
from PySide6.QtGui import QPageLayout, QPageSize, QPainter, QPdfWriter

from gems_gui.painting.format import BytesWriter, ExportJob, Format, Shown
from gems_gui.painting.frames import Frame

_PAGE_BOX = re.compile(rb"^(/MediaBox )\[0 0 \d+\.\d{6} (\d+\.\d{6})\]", re.MULTILINE)
_EPSILON = 1e-6
_NAMESPACE = QUuid("6ba7b811-9dad-11d1-80b4-00c04fd430c8")  # of addresses, as RFC 4122 defines it
_DPI = 96  # a pixel of the picture has the size of one on screen


class _PdfWriter(BytesWriter):
    def __init__(self, job: ExportJob, shown: Shown) -> None:
        super().__init__(job, shown)
        self._bytes = QByteArray()
        self._buffer = QBuffer(self._bytes)
        self._buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        self._device = QPdfWriter(self._buffer)
        describe(self._device, job.title, f"{job.title} {job.look} {job.frames}")
        # Lines have a width in dots: at this resolution, a dot is a pixel of the picture.
        inches = job.look.inches
        scale = job.look.scale if inches is None else 1.0
        self._device.setResolution(max(1, round(_DPI / scale)))
        paper = [side * scale / _DPI for side in job.look.size] if inches is None else inches
        self._points = 72 * paper[0], 72 * paper[1]
        self._device.setPageLayout(page_layout(*self._points))
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
        return with_page_size(bytes(self._bytes.data()), *self._points)

    def cancel(self) -> None:
        self._end()  # otherwise the painter would outlive its device


def describe(device: QPdfWriter, title: str, content: str) -> None:
    """Set title and creator, and an identifier that follows from the content: Qt would draw a random one."""
    device.setTitle(title)
    device.setCreator("GEMS Lab")
    device.setDocumentId(QUuid.createUuidV5(_NAMESPACE, content.encode()))


def page_layout(width: float, height: float) -> QPageLayout:
    """A page of at least this size in points: Qt knows only whole ones, see :func:`with_page_size`."""
    whole = QSizeF(math.ceil(width - _EPSILON), math.ceil(height - _EPSILON))
    page = QPageSize(whole, QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch)
    return QPageLayout(page, QPageLayout.Orientation.Portrait, QMarginsF())


def with_page_size(data: bytes, width: float, height: float) -> bytes:
    """A PDF whose pages have exactly this size in points, from one with a :func:`page_layout` for it.

    The content is at the top left, and what lies beyond the size is cut off. The boxes keep their length in bytes, so
    that the positions in the table of objects stay right.
    """

    def box(found: re.Match[bytes]) -> bytes:
        top = float(found[2])
        exact = f"{found[1].decode()}[0 {top - height:.3f} {width:.3f} {top:.3f}]".encode()
        return exact.ljust(len(found[0])) if len(exact) <= len(found[0]) else found[0]

    return _PAGE_BOX.sub(box, data)


class Pdf(Format):
    """PDF with embedded fonts."""

    suffix = ".pdf"
    title = "Pages (PDF)"
    about = "A page for each step, sharp at any size, with embedded fonts: for slides and print."
    several = True
    writer = _PdfWriter
