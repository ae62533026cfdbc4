"""PNG: one picture in pixels."""

from __future__ import annotations

from gems_gui.painting.format import BytesWriter, Format
from gems_gui.painting.frames import Frame
from gems_gui.painting.render import png


class _PngWriter(BytesWriter):
    _data = b""

    def add(self, frame: Frame) -> None:
        self._data = png(self.shown(frame).image())

    def data(self) -> bytes:
        return self._data


class Png(Format):
    """PNG."""

    suffix = ".png"
    title = "Picture (PNG)"
    about = "A picture in pixels, for web pages and documents."
    writer = _PngWriter
