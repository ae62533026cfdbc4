"""MP4: a film in H.264 that all players support."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gems_engine.errors import InputError
from gems_gui.painting.film import Film, FilmWriter
from gems_gui.painting.format import ExportJob

_BT709 = 1  # the colours of high definition, as numbered by libav
_LIMITED = 1  # from 16 to 235, as players expect


class _Mp4Writer(FilmWriter):
    container = "mp4"

    def open(self, output: Any) -> Any:
        stream = output.add_stream("libx264", rate=self.rate)
        stream.width, stream.height = self.job.look.pixels
        stream.pix_fmt = "yuv420p"  # the only one that all players support
        stream.options = {"crf": "18", "preset": "veryfast", "tune": "animation"}
        context = stream.codec_context
        context.colorspace = context.color_primaries = context.color_trc = _BT709
        context.color_range = _LIMITED
        return stream

    def pictures(self, frame: Any) -> Iterable[Any]:
        """The frame in the colour space that the stream declares; players would guess another one."""
        if frame is None:
            return ()
        from av.video.reformatter import ColorRange, Colorspace  # an optional package

        return (frame.reformat(format="yuv420p", dst_colorspace=Colorspace.ITU709, dst_color_range=ColorRange.MPEG),)


class Mp4(Film):
    """MP4."""

    suffix = ".mp4"
    title = "Film (MP4)"
    about = "A film for slides and the web."
    writer = _Mp4Writer

    def check(self, job: ExportJob) -> None:
        """Check as for every film, and that both sides are even: colours are stored in blocks of 2 × 2 pixels."""
        super().check(job)
        width, height = job.look.pixels
        if width % 2 or height % 2:
            raise InputError(
                f"Cannot write {job.file}: width and height of an MP4 must be even, not {width} × {height}. "
                f"Use {width + width % 2} × {height + height % 2}."
            )
