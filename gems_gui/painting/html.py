"""HTML: one page with everything about a run, to read in any browser without a network.

The pictures are those of every other format, each view as an SVG. What they are made of is stored once, in compressed
blocks (:mod:`gems_gui.painting.picture_store`), which the page decodes. Texts are data in these blocks, too, so that a
name in a file is never read as markup.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from PySide6.QtGui import QPainter

from gems_engine.errors import InputError
from gems_engine.files import RUN_SUFFIX, atomic_write, run_parts
from gems_engine.talk.bound_story import reading_seconds
from gems_engine.terminal import number
from gems_gui.painting.format import ExportJob, Format, Shown, Writer
from gems_gui.painting.frames import Frame, panels_of, view_of
from gems_gui.painting.html_page import Block, page
from gems_gui.painting.page_texts import StepTexts, about_run, events_of
from gems_gui.painting.picture_store import PictureStore
from gems_gui.painting.render import arranged
from gems_gui.painting.svg_device import SvgDevice
from gems_gui.snapshot import Snapshot
from gems_gui.views import EVERY_VIEW

SIZE = "640x400"
"""The size of the picture of one view."""
MOST_PICTURES = 50_000
"""Pictures of one page: some hundred megabytes."""
_STEPS = 16  # steps in one block


class _HtmlWriter(Writer):
    def __init__(self, job: ExportJob, shown: Shown) -> None:
        super().__init__(job, shown)
        self._store, self._texts = PictureStore(), StepTexts()
        self._blocks: list[Block] = []
        self._steps: list[dict[str, Any]] = []  # of the block that is being filled
        self._index: list[tuple[int, int, int, float]] = []
        self._bases: dict[int, Snapshot] = {}  # a snapshot of each run

    def add(self, frame: Frame) -> None:
        pictures, snapshot = [], None
        for panel in panels_of(views_of(frame), frame.second is not None):
            view = view_of(panel)[0]
            sheet = self.shown(replace(frame, panel=panel))
            device = SvgDevice(self.job.look.size, self.job.look.scale, EVERY_VIEW[view].title)
            painter = QPainter(device)
            sheet.paint(painter)
            painter.end()
            pictures.append((view, self._store.add(device.svg().decode())))
            snapshot = snapshot or sheet.views[0].snapshot  # the texts are about the first run
        assert snapshot is not None  # the sheet has shown it
        self._bases.setdefault(frame.run, snapshot)
        self._steps.append({**self._texts.of(snapshot, frame), "pictures": pictures})
        self._index.append((frame.cursor, frame.run, frame.moment, self._seconds(frame)))
        if len(self._steps) == _STEPS:
            self._end_block()

    def _seconds(self, frame: Frame) -> float:
        """How long a moment is shown while the story plays; 0 for other steps, whose speed the reader chooses."""
        if not frame.moment:
            return 0.0
        given = json.loads(self.job.story)["moments"][frame.moment - 1].get("seconds") if self.job.story else None
        return round(float(given or reading_seconds(frame.caption)), 1)

    def _end_block(self) -> None:
        if self._steps:
            content = {**self._store.take_new(), "texts": self._texts.take_new(), "steps": self._steps}
            self._blocks.append(Block.of(content))
            self._steps = []

    def finish(self) -> None:
        self._end_block()
        job = self.job
        files = self._files() if job.look.truth else {}
        names = [*files, *("" for _ in job.traces[len(files) :])]  # the other runs of a story have no file of their own
        shown = {view for frame in job.frames for view in views_of(frame)}
        captions = [(frame.moment, frame.caption) for frame in job.frames if frame.moment]
        events = {
            run: events_of(base, [frame.cursor for frame in job.frames if frame.run == run])
            for run, base in self._bases.items()
        }
        index = {
            "title": job.title,
            "steps": self._index,
            "views": {view: EVERY_VIEW[view].title for view in sorted(shown)},
            "size": job.look.size,
            "moments": captions,
            "runs": [about_run(trace, job.look.truth, name) for trace, name in zip(job.traces, names, strict=True)],
            "events": events,
            "files": list(files),
        }
        atomic_write(job.file, page(job.title, job.look.theme, Block.of(index), self._blocks, list(files.values())))

    def _files(self) -> dict[str, bytes]:
        """The run with its story as a file; otherwise each run has one."""
        run, *others = self.job.traces
        stem = self.job.file.stem
        if self.job.story:
            return {f"{stem}{RUN_SUFFIX}": b"".join(run_parts(run, self.job.story, others))}
        files = {f"{stem}{RUN_SUFFIX}": b"".join(run_parts(run))}
        return files | {
            f"{stem}-{at}{RUN_SUFFIX}": b"".join(run_parts(other)) for at, other in enumerate(others, start=2)
        }


class Html(Format):
    """A page to share."""

    suffix = ".html"
    title = "Page to share (HTML)"
    about = (
        "One file that opens in any browser, without a network: every step with its explanation, to play and to "
        "search, and the run itself."
    )
    several = True
    all_rounds = True
    size = SIZE
    writer = _HtmlWriter

    def adapted(self, job: ExportJob) -> ExportJob:
        """Each picture is one view, as large as the page shows it; captions are texts of the page, not of a talk."""
        return replace(job, look=replace(job.look, scale=1.0, captions=False, projector=False))

    def check(self, job: ExportJob) -> None:
        """Check as for every format, and that a browser can hold the pictures."""
        super().check(job)
        count = sum(len(views_of(frame)) for frame in job.frames)
        if count > MOST_PICTURES:
            raise InputError(
                f"Cannot write {job.file}: these are {number(count)} pictures, and a page has at most "
                f"{number(MOST_PICTURES)}. Use larger steps, part of the run, or fewer views."
            )


def views_of(frame: Frame) -> tuple[str, ...]:
    """The views of a frame, in the order in which they are arranged; those of the first layout if it names none."""
    return frame.views or tuple(name for row in arranged(()) for name in row)
