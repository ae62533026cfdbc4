"""Runs as a journal: a line with the version, the instance, then records of events, appended as they happen.

A record is a tag, its lengths, a checksum of these, a checksum of its body, and the body. A file with an incomplete end
(after a kill or on a full disk) is read up to there, with a note; damage before the end is an error.

The events may be followed by what a session has observed of its last request, by other runs, each an instance and its
events, and by a story about all of them. A record of an unknown kind is skipped, with a note.

Versions, all of which can always be read (``tests/data/runs`` has files of each):

0. The first version.
1. ``run started`` may have the field ``forced``. Records without that field are as before, so those of older files are
   reused unchanged. Other runs and a story may follow.
2. ``design solved`` has the proven ``upper_bound`` and its proof. GEMS-b records T′ and D̃: ``budget divided`` and
   ``top dimension chosen``.
3. ``allocated`` has the number of ``lost`` rewards. What a session has observed of its last request may follow the
   events of its run.
"""

from __future__ import annotations

import os
import re
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO

from gems_engine.errors import InputError
from gems_engine.events import Event
from gems_engine.formats import chunk, json_format
from gems_engine.formats.event_rules import Sizes
from gems_engine.formats.tables import Batch
from gems_engine.instance import Instance
from gems_engine.terminal import plural

VERSION = 3
LINE = f"gems-run {VERSION}\n".encode()
MOST_UNKNOWN = 1000
"""The largest number of unknown chunks to skip; a file with more is not a run."""
MOST_INSTANCE = 2**25
"""The largest size of the instance's JSON in bytes, as for an instance file."""
MOST_EVENTS = 2**25
"""The largest number of events of all runs of a file: a few million rounds."""
MOST_PER_BYTE = 1
"""The largest number of events per byte of a file: real runs have far fewer, and each takes time and memory."""
MOST_STORY = 2**23
"""The largest size of a story in bytes."""
_LINE = re.compile(rb"gems-run (\d{1,9})\n")
_FIELDS = struct.Struct("<4sIII")  # tag, stored bytes, unpacked bytes, events
_SUMS = struct.Struct("<II")  # of the fields, of the body
_HEAD = _FIELDS.size + _SUMS.size
_INSTANCE, _EVENTS, _STORY, _PENDING = _KNOWN = b"INST", b"EVNT", b"STRY", b"PEND"
_BLOCK = 2**20


def header(instance: Instance) -> bytes:
    """The first bytes of a file."""
    return LINE + beginning(instance)


def beginning(instance: Instance) -> bytes:
    """The first bytes of a run. The instance is not compressed: it is readable, and cannot be a zip bomb."""
    data = json_format.to_json(instance)
    if len(data) > MOST_INSTANCE:
        raise InputError(f"The instance takes {len(data)} bytes as JSON: a run file allows at most {MOST_INSTANCE}.")
    return _framed(_INSTANCE, data, len(data), 0)


def story_record(data: bytes) -> bytes:
    """A story as a record; not compressed either."""
    if len(data) > MOST_STORY:
        raise InputError(f"The story takes {len(data)} bytes: a file allows at most {MOST_STORY}.")
    return _framed(_STORY, data, len(data), 0)


def pending_record(data: bytes) -> bytes:
    """What a session has observed of its last request, as a record; not compressed either."""
    return _framed(_PENDING, data, len(data), 0)


def record(events: Sequence[Event], sizes: Sizes, level: int = 6, first: int = 0) -> bytes:
    """Events as one record; ``first`` is the index of the first one in its run, for messages."""
    data, length = chunk.encode(events, sizes, level, first)
    return _framed(_EVENTS, data, length, len(events))


def batch_of(data: bytes, sizes: Sizes) -> Batch:
    """The events of a checked record."""
    _, _, length, count = _FIELDS.unpack_from(data)
    return chunk.decode(data[_HEAD:], length, count, sizes, first=None)


def _framed(tag: bytes, body: bytes, length: int, count: int) -> bytes:
    fields = _FIELDS.pack(tag, len(body), length, count)
    return fields + _SUMS.pack(zlib.crc32(fields), zlib.crc32(body)) + body


@dataclass(frozen=True)
class _Head:
    tag: bytes
    stored: int
    length: int
    count: int
    checksum: int
    raw: bytes


class Journal:
    """An open run file: its instance, then its events record by record, then possibly other runs.

    Parameters
    ----------
    stream : binary file
        Positioned at its beginning.
    name, file : str
        For an instance without a name, and for its recipe.

    Attributes
    ----------
    instance : Instance
        The instance of the current run.
    story : bytes or None
        Set by ``records``: the last story of the file.
    pending : bytes or None
        Set by ``records``: what a session has observed of the last request of the current run.
    notes : list of str
        Set by ``records``: whether an incomplete end was dropped, or unknown chunks skipped.
    """

    def __init__(self, stream: IO[bytes], name: str, file: str) -> None:
        self.notes: list[str] = []
        self._unknown, self._noted = 0, 0  # unknown chunks, and the position of the note about them
        self.story: bytes | None = None
        self.pending: bytes | None = None
        self._stream = stream
        self._name, self._file = name, file
        self._size = stream.seek(0, os.SEEK_END)
        stream.seek(0)
        _check_version(stream)
        self._check_declared()
        self._number, self._total = 0, 0  # records and events so far
        self._coming: Instance | None = None
        self.instance = self._instance(self._head())

    def _check_declared(self) -> None:
        """Raise InputError if the heads of the records declare more events than a file of this size can have."""
        start, declared = self._stream.tell(), 0
        while (head := self._head()) is not None:
            declared += head.count
            self._stream.seek(head.stored, os.SEEK_CUR)
        if declared > MOST_PER_BYTE * self._size and declared > chunk.MOST_EVENTS:
            raise InputError(f"The file declares {declared} events in {self._size} bytes: no run is that compact.")
        self._stream.seek(start)

    def _instance(self, head: _Head | None) -> Instance:
        if head is None or head.tag != _INSTANCE or not head.stored == head.length <= MOST_INSTANCE:
            raise InputError("The instance of the run is damaged or missing, so the run cannot be read.")
        body = self._body(head)
        if body is None:
            raise InputError("The instance of the run is damaged or incomplete, so the run cannot be read.")
        try:
            return json_format.from_json(body, self._name, self._file)
        except InputError as error:
            raise InputError(f"In the instance of the run: {error}") from error

    def next_run(self) -> bool:
        """Go to the next run, once all records of the current one are read; False if there is none."""
        coming, self._coming = self._coming, None
        if coming is not None:
            self.instance = coming
        return coming is not None

    def records(self) -> Iterator[tuple[bytes, Batch]]:
        """Every complete record of the current run, as stored bytes and as events."""
        sizes = Sizes.of(self.instance)
        self.pending = None
        first = 0
        while (start := self._stream.tell()) < self._size:
            self._number += 1
            head = self._head()
            body = None
            if head is not None:
                self._total += head.count
                if head.stored > self._most(head.tag, sizes) or self._total > MOST_EVENTS:
                    raise InputError(f"Chunk {self._number} is damaged: it is larger than any run needs.")
                body = self._body(head)
            if head is None or body is None:
                self._drop_end(start, head, first)
                return
            if head.tag == _EVENTS:
                try:
                    batch = chunk.decode(body, head.length, head.count, sizes, first)
                except InputError as error:
                    raise InputError(f"Chunk {self._number} is damaged: {error}") from error
                first += len(batch)
                yield head.raw + body, batch
            elif head.tag == _INSTANCE:
                self._stream.seek(start + _HEAD)
                self._coming = self._instance(head)
                return
            elif head.tag == _STORY:
                self.story = body
            elif head.tag == _PENDING:
                self.pending = body
            else:
                self._leave_out(head.tag)

    def _leave_out(self, tag: bytes) -> None:
        """Note an unknown chunk: a single one by its name, several in one sentence."""
        self._unknown += 1
        if self._unknown == 1:
            kind = tag.decode("ascii", "replace") if tag.isalnum() else "of another kind"
            note = f"Chunk {self._number} ({kind}) is unknown to this version of the program and was skipped."
            self._noted = len(self.notes)
            self.notes.append(note)
            return
        if self._unknown > MOST_UNKNOWN:
            raise InputError(f"The file has more than {MOST_UNKNOWN} chunks that are unknown to this version.")
        self.notes[self._noted] = f"{self._unknown} chunks are unknown to this version of the program and were skipped."

    @staticmethod
    def _most(tag: bytes, sizes: Sizes) -> int:
        """The largest size of a record in bytes."""
        return {_EVENTS: chunk.most_bytes(sizes) + 2**16, _STORY: MOST_STORY}.get(tag, MOST_INSTANCE)

    def _drop_end(self, start: int, head: _Head | None, read: int) -> None:
        """Note an incomplete end, or raise InputError if more records follow what cannot be read."""
        torn = not self._goes_on(start + 1) if head is None else start + _HEAD + head.stored >= self._size
        if not torn:
            raise InputError(f"Chunk {self._number} is damaged: its checksum differs from its content.")
        self._stream.seek(0, os.SEEK_END)
        self.notes.append(f"The end of the file is incomplete: only {plural(read, 'event')} could be read.")

    def _head(self) -> _Head | None:
        """The head of a record, if it is complete."""
        raw = self._stream.read(_HEAD)
        if len(raw) < _HEAD or not _is_head(raw):
            return None
        tag, stored, length, count = _FIELDS.unpack_from(raw)
        _, checksum = _SUMS.unpack_from(raw, _FIELDS.size)
        return _Head(tag, stored, length, count, checksum, raw)

    def _body(self, head: _Head) -> bytes | None:
        """The body of a record, if it is complete and undamaged."""
        if head.stored > self._size - self._stream.tell():
            return None
        body = self._stream.read(head.stored)
        return body if len(body) == head.stored and zlib.crc32(body) == head.checksum else None

    def _goes_on(self, at: int) -> bool:
        """Whether a record starts anywhere from here on, so that what cannot be read is not the end."""
        self._stream.seek(at)
        kept = b""
        while block := self._stream.read(_BLOCK):
            kept += block
            for tag in _KNOWN:
                found = kept.find(tag)
                while 0 <= found <= len(kept) - _HEAD:
                    if _is_head(kept[found : found + _HEAD]):
                        return True
                    found = kept.find(tag, found + 1)
            kept = kept[1 - _HEAD :]
        return False


def _is_head(raw: bytes) -> bool:
    (expected, _) = _SUMS.unpack_from(raw, _FIELDS.size)
    return bool(zlib.crc32(raw[: _FIELDS.size]) == expected)


def _check_version(stream: IO[bytes]) -> None:
    found = _LINE.match(stream.read(32))
    if not found:
        raise InputError(f'The file is not a run: a run starts with the line "gems-run {VERSION}".')
    if int(found[1]) > VERSION:
        raise InputError(
            f"It was made by a newer version of this program (file version {int(found[1])}; this program reads "
            f"{VERSION}). Update the program."
        )
    stream.seek(found.end())
