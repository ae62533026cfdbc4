"""GIF: a film that plays wherever a picture is shown, with the colours of its frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from PySide6.QtGui import QImage

from gems_gui.painting.film import Film, FilmWriter, pixels
from gems_gui.painting.format import ExportJob, Shown
from gems_gui.painting.frames import Frame

_CLOCK = Fraction(1, 100)  # seconds: the time resolution of a GIF
_SAMPLES = 16  # frames whose colours are counted
_COLORS = 255  # the last one of 256 means "unchanged"
_APART = (24, 12, 6, 3, 1)  # minimal distances of colours, of 255: distinct colours first, then shades
_MOST_COLORS = 6000  # the most frequent ones are considered


class _GifWriter(FilmWriter):
    container = "gif"

    def __init__(self, job: ExportJob, shown: Shown) -> None:
        super().__init__(job, shown)
        self._palette: np.ndarray | None = None

    def add(self, frame: Frame) -> None:
        """Before the first frame, choose a palette for the whole film from a sample of its frames."""
        if self._palette is None:
            frames = self.job.frames
            some = sorted({round(at) for at in np.linspace(0, len(frames) - 1, _SAMPLES)})
            self._palette = palette([self.shown(frames[at]).image() for at in some])
        super().add(frame)

    def open(self, output: Any) -> Any:
        import av  # an optional package
        from av.filter import Graph  # an optional package

        width, height = self.job.look.pixels
        stream = output.add_stream("gif", rate=self.rate)
        stream.width, stream.height, stream.pix_fmt = width, height, "pal8"
        stream.codec_context.time_base = _CLOCK
        layout = av.VideoFormat("bgra", width, height)
        graph = self._graph = Graph()  # kept: its parts do not own it, and fail without it
        self._source = graph.add_buffer(width=width, height=height, format=layout, time_base=_CLOCK)
        colors = graph.add_buffer(width=16, height=16, format=layout, time_base=_CLOCK)
        user, self._sink = graph.add("paletteuse", "dither=none"), graph.add("buffersink")
        self._source.link_to(user, 0, 0)
        colors.link_to(user, 0, 1)
        user.link_to(self._sink)
        graph.configure()
        assert self._palette is not None
        table = av.VideoFrame.from_ndarray(self._palette.reshape(16, 16, 4), format="bgra")
        table.pts, table.time_base = 0, _CLOCK
        colors.push(table)
        colors.push(None)
        return stream

    def pictures(self, frame: Any) -> Iterable[Any]:
        """The frame in the colours of the palette, at the closest hundredth of a second."""
        if frame is not None:
            frame.pts, frame.time_base = round(frame.pts * frame.time_base / _CLOCK), _CLOCK
        self._source.push(frame)
        return self._pulled()

    def _pulled(self) -> Iterator[Any]:
        import av  # an optional package

        while True:
            try:
                yield self._sink.pull()
            except (av.BlockingIOError, av.EOFError):
                return


class Gif(Film):
    """GIF."""

    suffix = ".gif"
    title = "Animation (GIF)"
    about = "A film that plays in a loop wherever a picture can be shown, such as emails and wikis."
    writer = _GifWriter


def palette(images: Sequence[QImage]) -> np.ndarray:
    """A palette for these images, as 256 rows of blue, green, red and opacity; the last one is transparent.

    The most frequent colours come first, except those close to a colour before: a small mark of another colour is worth
    more than one more shade of a large grey area.
    """
    packed = np.concatenate([np.ascontiguousarray(pixels(each)).view(np.uint32).ravel() for each in images])
    colors, counts = np.unique(packed & 0xFFFFFF, return_counts=True)
    frequent = colors[np.argsort(-counts, kind="stable")[:_MOST_COLORS]]
    candidates = np.stack([frequent & 0xFF, frequent >> 8 & 0xFF, frequent >> 16], axis=1).astype(np.int64)
    chosen = np.zeros((0, 3), dtype=np.int64)
    for apart in _APART:
        for color in candidates:
            if len(chosen) < _COLORS and (np.abs(chosen - color).max(axis=1) >= apart).all():
                chosen = np.append(chosen, color[None], axis=0)
    table = np.zeros((256, 4), dtype=np.uint8)
    table[:_COLORS] = np.append(chosen[0], 255)
    table[: len(chosen), :3] = chosen
    return table
