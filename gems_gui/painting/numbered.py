"""A folder with a numbered picture for each frame."""

from __future__ import annotations

from itertools import count

from gems_engine.files import NewFolder
from gems_gui.painting.format import ExportJob, Format, Shown, Writer
from gems_gui.painting.frames import Frame
from gems_gui.painting.render import png


class _NumberedWriter(Writer):
    def __init__(self, job: ExportJob, shown: Shown) -> None:
        super().__init__(job, shown)
        self._digits = max(4, len(str(len(job.frames))))
        self._numbers = count(1)
        self._folder = NewFolder(job.file)

    def add(self, frame: Frame) -> None:
        self._folder.write(f"{next(self._numbers):0{self._digits}}.png", png(self.shown(frame).image()))

    def finish(self) -> None:
        self._folder.finish()

    def cancel(self) -> None:
        self._folder.cancel()


class Numbered(Format):
    """PNGs in a folder."""

    suffix = ""
    title = "Numbered pictures (folder of PNG)"
    about = "A new folder with a picture for each step, 0001.png, 0002.png and so on, for use in a video editor."
    several = True
    all_rounds = True
    writer = _NumberedWriter
