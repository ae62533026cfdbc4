"""The base of film formats: a separate thread encodes frames while the next ones are painted."""

from __future__ import annotations

import queue
import threading
from abc import abstractmethod
from collections.abc import Iterable
from fractions import Fraction
from importlib.util import find_spec
from io import BytesIO
from typing import Any

import numpy as np
from PySide6.QtGui import QImage

from gems_engine.errors import InputError
from gems_gui.painting.format import BytesWriter, ExportJob, Format, Shown
from gems_gui.painting.frames import Frame

_WAITING = 4  # painted frames in the queue of the encoder: 8 MB each


class Film(Format):
    """A film format; it needs the extra "video"."""

    several = True
    all_rounds = True
    film = True

    def check(self, job: ExportJob) -> None:
        """Check as for every format, and that the encoder is installed."""
        super().check(job)
        if find_spec("av") is None:
            raise InputError(
                f'Cannot write {job.file}: films need the extra "video". Run: pip install "gems-lab[video]"'
            )


class FilmWriter(BytesWriter):
    """Encodes in a thread; the result stays in memory until the film is complete."""

    container = ""
    """The name in libav."""

    def __init__(self, job: ExportJob, shown: Shown) -> None:
        super().__init__(job, shown)
        self._buffer = BytesIO()
        self._frames: queue.Queue[tuple[QImage, int] | None] = queue.Queue(_WAITING)
        self._failure: BaseException | None = None
        self._unwanted = threading.Event()
        self._thread = threading.Thread(target=self._live, name="gems film", daemon=True)

    @abstractmethod
    def open(self, output: Any) -> Any:
        """Add the stream to a new container."""

    @abstractmethod
    def pictures(self, frame: Any) -> Iterable[Any]:
        """A frame in the format of the stream; None flushes what remains after the last one."""

    @property
    def rate(self) -> Fraction:
        """Frames per second."""
        return Fraction(self.job.fps).limit_denominator(1000)

    # -- in the painting thread
    # -----------------------------------------------------------------------------------------

    def add(self, frame: Frame) -> None:
        """Paint a frame and queue it for the encoder, repeated according to its duration."""
        image = self.shown(frame).image()
        times = 1 if frame.seconds is None else max(1, round(frame.seconds * self.rate))
        if not self._thread.is_alive() and self._failure is None:
            self._thread.start()
        self._put((image, times))

    def _put(self, item: tuple[QImage, int] | None) -> None:
        while self._failure is None:
            try:
                self._frames.put(item, timeout=0.1)
            except queue.Full:
                continue
            return
        raise InputError(f"Cannot write {self.job.file}: encoding the film failed: {self._failure}.") from self._failure

    def data(self) -> bytes:
        self._put(None)
        self._thread.join()
        if self._failure is not None:
            self._put(None)
        return self._buffer.getvalue()

    def cancel(self) -> None:
        self._unwanted.set()
        while self._thread.is_alive():
            with self._frames.mutex:
                self._frames.queue.clear()
                self._frames.not_full.notify()
            self._frames.put(None)
            self._thread.join(0.1)

    # -- in the encoding thread
    # ------------------------------------------------------------------------------------------

    def _live(self) -> None:
        try:
            self._encode()
        except Exception as error:  # errors of libav are reported in the painting thread
            self._failure = error

    def _encode(self) -> None:
        import av  # an optional package

        with av.open(self._buffer, "w", format=self.container) as output:
            stream = self.open(output)
            count = 0
            while (item := self._frames.get()) is not None and not self._unwanted.is_set():
                image, times = item
                for _ in range(times):
                    frame = av.VideoFrame.from_ndarray(pixels(image), format="bgra")
                    frame.pts, frame.time_base = count, 1 / self.rate
                    count += 1
                    self._mux(output, stream, self.pictures(frame))
            if self._unwanted.is_set():
                return
            self._mux(output, stream, self.pictures(None))
            output.mux(stream.encode(None))

    @staticmethod
    def _mux(output: Any, stream: Any, pictures: Iterable[Any]) -> None:
        for picture in pictures:
            output.mux(stream.encode(picture))


def pixels(image: QImage) -> np.ndarray:
    """The bytes of an image, valid as long as it exists: blue, green, red and a fourth byte for each pixel."""
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4)
    return rows[:, : image.width()]
