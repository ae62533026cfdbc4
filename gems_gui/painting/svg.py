"""SVG: one picture in lines and shapes."""

from __future__ import annotations

from PySide6.QtGui import QPainter

from gems_gui.painting.format import BytesWriter, Format
from gems_gui.painting.frames import Frame
from gems_gui.painting.svg_device import SvgDevice


class _SvgWriter(BytesWriter):
    _data = b""

    def add(self, frame: Frame) -> None:
        look = self.job.look
        device = SvgDevice(look.size, look.scale, self.job.title, look.inches, look.live_text)
        painter = QPainter(device)
        self.shown(frame).paint(painter)
        painter.end()
        self._data = device.svg()

    def data(self) -> bytes:
        return self._data


class Svg(Format):
    """SVG; text is converted to outlines."""

    suffix = ".svg"
    title = "Picture (SVG)"
    about = "A picture that is sharp at any size; text is converted to outlines, so it looks the same everywhere."
    writer = _SvgWriter
