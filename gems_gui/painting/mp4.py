"""A film that everything plays: H.264 in an MP4."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gems_engine.errors import InputError
from gems_gui.painting.film import Film, FilmWriter
from gems_gui.painting.format import ExportJob

_BT709 = 1  # the colours of high definition, by their number in libav
_LIMITED = 1  # from 16 to 235, as players expect


class _Mp4Writer(FilmWriter):
    container = "mp4"

    def open(self, output: Any) -> Any:
        stream = output.add_stream("libx264", rate=self.rate)
        stream.width, stream.height = self.job.look.pixels
        stream.pix_fmt = "yuv420p"  # the only one that all players know
        stream.options = {"crf": "18", "preset": "veryfast", "tune": "animation"}
        context = stream.codec_context
        context.colorspace = context.color_primaries = context.color_trc = _BT709
        context.color_range = _LIMITED
        return stream

    def pictures(self, frame: Any) -> Iterable[Any]:
        """In the colours that the stream says it has: players would guess others."""
        if frame is None:
            return ()
        from av.video.reformatter import ColorRange, Colorspace  # an optional package

        return (frame.reformat(format="yuv420p", dst_colorspace=Colorspace.ITU709, dst_color_range=ColorRange.MPEG),)


class Mp4(Film):
    """MP4."""

    suffix = ".mp4"
    title = "MP4, a film"
    about = "A film for slides and the web."
    writer = _Mp4Writer

    def check(self, job: ExportJob) -> None:
        """As for every film; its colours come in blocks of two by two pixels."""
        super().check(job)
        width, height = job.look.pixels
        if width % 2 or height % 2:
            raise InputError(
                f"{job.file}: an MP4 must be an even number of pixels wide and high, not {width} × {height}: "
                f"take {width + width % 2} × {height + height % 2}."
            )
