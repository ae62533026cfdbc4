"""Pictures depend on the snapshot alone: a sheet that is used again and again paints as a new one does."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtGui import QFontMetrics, QImage

from gems_engine.errors import InputError
from gems_gui.painting.frames import Look
from gems_gui.painting.render import PictureSheet
from gems_gui.snapshot import Snapshot
from gems_gui.views import VIEWS
from tests.gui.sample_runs import run

LOOK = Look((900, 600))


def painted(sheet, trace, base, cursor, words=""):
    sheet.show(replace(base, state=trace.state_at(cursor)), words)
    return sheet.image()


def alone(views, look, trace, base, cursor, words=""):
    sheet = PictureSheet(views, look)
    try:
        return painted(sheet, trace, base, cursor, words)
    finally:
        sheet.close()


@pytest.mark.parametrize("view", [None, *(pytest.param(each, marks=pytest.mark.long) for each in VIEWS)])
@pytest.mark.parametrize("name", ["made up", pytest.param("fixed-budget", marks=pytest.mark.long)])
def test_nothing_that_was_painted_before_is_seen(qapp, name, view):
    """Forwards and backwards, and from the end to the start."""
    trace = run(name)
    base = Snapshot.of(trace, 0)
    views = () if view is None else (view,)
    sheet = PictureSheet(views, LOOK)
    cursors = [len(trace), 0, int(np.random.default_rng(len(name)).integers(len(trace)))]
    for cursor in cursors:
        assert painted(sheet, trace, base, cursor) == alone(views, LOOK, trace, base, cursor), cursor
    sheet.close()


def test_the_size_is_that_of_the_look(qapp):
    trace = run("made up")
    for scale, size in ((1.0, (640, 400)), (2.0, (1280, 800)), (1.5, (960, 600))):
        image = alone(("counts",), Look((640, 400), scale), trace, Snapshot.of(trace), len(trace))
        assert (image.width(), image.height()) == size


def below(image: QImage, top: int) -> np.ndarray:
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[top:]


def test_a_caption_has_its_room_and_keeps_it(qapp):
    trace = run("made up")
    look, base = replace(LOOK, captions=True), Snapshot.of(trace)
    sheet = PictureSheet(("counts",), look)
    short, none, long = (
        painted(sheet, trace, base, len(trace), words) for words in ("One line.", "", "Many words. " * 60)
    )
    top = sheet.caption.geometry().top()
    assert LOOK.size[1] - top > 2 * 16
    for other in (none, long):  # the view above does not move
        assert (below(short, 0)[:top] == below(other, 0)[:top]).all()
        assert (below(short, top) != below(other, top)).any()
    said = sheet.caption.shown()
    assert said.endswith("…")
    metrics = QFontMetrics(sheet.caption._font(sheet.caption.letters()))
    assert metrics.boundingRect(sheet.caption.rect(), 0x1000, said).height() <= sheet.caption.height()
    sheet.close()


@pytest.mark.parametrize(
    ("views", "look", "said"),
    [
        (("cuonts",), LOOK, 'did you mean "counts"?'),
        ((), Look((100, 400)), "at least 200 pixels"),
        ((), Look((9000, 9000), 2.0), "the limit is 100 million"),
        ((), Look((900, 600), 0.0), "scale must be"),
        (("counts",), Look(options={"counts": {"odrer": "index"}}), 'did you mean "order"?'),
        (("counts",), Look(options={"counts": {"order": "indx"}}), 'did you mean "index"?'),
    ],
)
def test_what_cannot_be_painted(qapp, views, look, said):
    with pytest.raises(InputError, match=said.replace("?", r"\?")):
        PictureSheet(views, look)
