"""The folder of an experiment: its specification, its rows as they are computed, and its report."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import NoReturn

import numpy as np

from gems_engine.errors import InputError, quoted
from gems_engine.experiment.measures import Measures
from gems_engine.experiment.rows import Session, parse_line, row_line, session_line
from gems_engine.experiment.specification import Specification
from gems_engine.experiment.toml_format import parse_specification
from gems_engine.experiment.trials import Row
from gems_engine.files import (
    LineFile,
    Lines,
    atomic_write,
    lines_at,
    make_folder,
    read_instance,
    read_text,
    write_instance,
)

SPECIFICATION = "specification.toml"
ROWS = "rows.jsonl"
SESSIONS = "sessions.jsonl"


def read_specification(path: str | Path, rehearse: bool = True) -> Specification:
    """The specification in a TOML file; instances that it names are looked for in the same folder.

    The specification in a folder of results has the name of its experiment, and the instances saved there.
    """
    file = Path(path)
    text = read_text(file)
    with _named(file):
        if file.name == SPECIFICATION and holds_results(file.parent):
            return parse_kept(text, first_session(file.parent).experiment, file.parent, rehearse)
        return parse_beside(text, file.stem, file.parent, rehearse)


def parse_beside(text: str, name: str, folder: str | Path, rehearse: bool = True) -> Specification:
    """The specification in a text, with the instances that it names in a folder."""
    return parse_specification(
        text, name, lambda _, file, options: read_instance(Path(folder) / file, options), rehearse
    )


def parse_kept(text: str, name: str, folder: str | Path, rehearse: bool = True) -> Specification:
    """The specification in a text, with the instances saved in a folder of results."""
    place = Path(folder)
    return parse_specification(text, name, lambda number, *_: read_instance(place / _instance_file(number)), rehearse)


@dataclass
class Results:
    """The contents of a folder of results.

    Attributes
    ----------
    specification
        The specification, with the seed of its rows and the number of trials of the last session.
    sessions
        The sessions that added rows, in order.
    measures
        The statistics of the rows.
    done
        A byte for every trial, 1 if it has a row.
    indices, positions
        The trials of the rows that were taken, and where their lines begin in the file; a failed trial that was run
        again is there twice, and the later row counts.
    failed
        The trials whose last row has an error, with the versions that made it.
    notes
        Notes for the reader, such as an incomplete last line.
    """

    specification: Specification
    sessions: list[Session]
    measures: Measures
    done: bytearray
    indices: array[int] = field(default_factory=lambda: array("q"))
    positions: array[int] = field(default_factory=lambda: array("q"))
    failed: dict[int, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def holds_results(folder: str | Path) -> bool:
    """Whether a folder has rows."""
    file = Path(folder) / ROWS
    return file.is_file() and file.stat().st_size > 0


def first_session(folder: str | Path) -> Session:
    """The first session of a folder of results."""
    return _sessions(Path(folder), first=True)[0]


def _sessions(place: Path, first: bool = False) -> list[Session]:
    """All sessions of a folder, or only those that tell which one was the first."""
    file = place / ROWS
    with _named(file):
        lines = _parsed(Lines(file))
        found = [said for said in lines if isinstance(said, Session)] if _old(place) else []
    file = place / SESSIONS
    if file.is_file() and not (found and first):
        with _named(file):
            found += [said for said in _parsed(Lines(file)) if isinstance(said, Session)]
    return found or _missing(place)


def _old(place: Path) -> bool:
    """Whether the sessions are among the rows, as in version 0.1.0."""
    return isinstance(next(_parsed(Lines(place / ROWS)), None), Session)


def _missing(place: Path) -> NoReturn:
    raise InputError(f"{place / SESSIONS} is missing. It says to which experiment the rows belong.")


def read_results(folder: str | Path) -> Results:
    """Read a folder of results, even while rows are being added.

    Raises
    ------
    InputError
        One sentence that names the file, and the line if one is damaged.
    """
    place = Path(folder)
    if not place.is_dir():
        raise InputError(f"There is no folder {place}.")
    if not holds_results(place):
        raise InputError(f"{place} has no results of an experiment ({ROWS} is missing).")
    results = _begun(place)
    lines, position = Lines(place / ROWS), 0
    with _named(place / ROWS):
        for number, line in enumerate(lines, start=1):
            said = parse_line(line, number)
            if isinstance(said, Row):
                if said.index >= len(results.done):  # another program has just asked for more trials
                    _go_on(results, _sessions(place))
                _take(results, said, position)
            position += len(line) + 1
    if lines.torn:
        results.notes.append(f"The last line of {ROWS} is incomplete and was dropped.")
    return results


def read_rows(folder: str | Path) -> Iterator[Row]:
    """The rows in a folder as they were written, one by one."""
    file = Path(folder) / ROWS
    with _named(file):
        yield from (said for said in _parsed(Lines(file)) if isinstance(said, Row))


def rows_in_order(folder: str | Path, results: Results) -> Iterator[Row]:
    """The row that counts of each trial, in the order of the trials."""
    file = Path(folder) / ROWS
    indices, positions = np.array(results.indices), np.array(results.positions)
    order = np.argsort(indices, kind="stable")
    last = np.append(np.diff(indices[order]) > 0, True)
    with _named(file):
        for line in lines_at(file, positions[order][last].tolist()):
            said = parse_line(line, 0)
            assert isinstance(said, Row)  # it was read from there before
            yield said


def _parsed(lines: Lines) -> Iterator[Session | Row]:
    for number, line in enumerate(lines, start=1):
        yield parse_line(line, number)


def _begun(place: Path) -> Results:
    """The results of a folder without its rows."""
    sessions = _sessions(place)
    with _named(place / (ROWS if _old(place) else SESSIONS)):
        specification = _kept(place, sessions[0].experiment).with_(sessions[0].trials, sessions[0].seed)
        results = Results(specification, [], Measures(specification), bytearray())
        _go_on(results, sessions)
    return results


def _go_on(results: Results, sessions: list[Session]) -> None:
    """Set the sessions, which may differ only in the number of trials, and make room for their rows."""
    said = results.specification
    for session in sessions:
        if (session.digest, session.cells, session.seed) != (said.digest, len(said.cells), said.seed):
            raise InputError(f"Its rows do not belong to the experiment in {SPECIFICATION}.")
    results.sessions = sessions
    results.specification = results.measures.specification = said.with_(sessions[-1].trials)
    room = max(len(said.with_(session.trials)) for session in sessions)
    results.done.extend(bytes(max(0, room - len(results.done))))


def _take(results: Results, row: Row, position: int) -> None:
    """Add a row once; the row of a trial that had failed replaces the old one."""
    if row.index >= len(results.done):
        raise InputError(f"The row of trial {row.index} does not belong to this experiment.")
    if row.index in results.failed:
        results.measures.forget_failed(row.index, results.failed.pop(row.index))
    elif results.done[row.index]:
        return
    results.done[row.index] = 1
    results.indices.append(row.index)
    results.positions.append(position)
    results.measures.add(row)
    if row.error:
        results.failed[row.index] = sys.intern(row.made_by)


@contextmanager
def _named(file: Path) -> Iterator[None]:
    """Prefix every InputError with the name of a file."""
    try:
        yield
    except InputError as error:
        if str(error).startswith(str(file.parent)):
            raise
        raise InputError(f"{file}: {error}") from error


def _kept(place: Path, name: str) -> Specification:
    """The specification saved in a folder, with its instances."""
    text = read_text(place / SPECIFICATION)
    with _named(place / SPECIFICATION):
        return parse_kept(text, name, place, rehearse=False)


def _instance_file(number: int) -> str:
    return f"instance-{number}.npz"


class Recorder:
    """Adds rows to a new folder, or to one that is continued.

    Parameters
    ----------
    folder
        The folder. Its contents are kept.
    specification
        The specification, with the requested trials and seed.
    workers
        A description of the workers.
    resume
        Whether to continue existing results; without it, a folder with rows is refused.
    retry
        Whether trials whose row has an error count as missing.
    """

    def __init__(
        self,
        folder: str | Path,
        specification: Specification,
        workers: str,
        resume: bool = False,
        retry: bool = False,
    ) -> None:
        self.folder = make_folder(folder)
        self.specification = specification
        self.measures = Measures(specification)
        self.done = bytearray(len(specification))
        self.notes: list[str] = []
        self._workers, self._begun = workers, False
        self._failed: dict[int, str] = {}
        old = holds_results(self.folder)
        if old and not resume:
            raise InputError(
                f"{self.folder} has results already. Use --resume to continue, or choose another folder with -o."
            )
        self._lines = LineFile(self.folder / ROWS)
        try:
            if self._lines.torn:
                self.notes.append(f"The last line of {ROWS} was incomplete; its trial is run again.")
            if old and self._lines.size:
                self._go_on(retry)
            self._keep()
        except BaseException:
            self.close()
            raise

    def _go_on(self, retry: bool) -> None:
        there = read_results(self.folder)
        mine, theirs = self.specification, there.specification
        if mine.digest != theirs.digest:
            raise InputError(f"{self.folder} has the results of another specification, {quoted(theirs.name)}.")
        if mine.seed != theirs.seed:
            raise InputError(f"The results in {self.folder} have the seed {theirs.seed}, not {mine.seed}.")
        self.measures = there.measures
        self.done[:] = there.done[: len(self.done)] + bytes(max(0, len(self.done) - len(there.done)))
        if retry:
            self._failed = {index: by for index, by in there.failed.items() if index < len(self.done)}
            for index in self._failed:
                self.done[index] = 0
        extra = sum(there.done) - sum(there.done[: len(self.done)])
        if extra:
            self.notes.append(
                f"The folder has more than {mine.trials} trials of each cell; the {extra} others are shown too."
            )

    def _keep(self) -> None:
        said = self.specification
        atomic_write(self.folder / SPECIFICATION, said.text.encode())
        for number, instance in said.files.items():
            write_instance(self.folder / _instance_file(number), instance)

    def _begin(self) -> None:
        """Add the session before its first row, so that one without rows is not added."""
        said, now = self.specification, datetime.now().astimezone().isoformat(timespec="seconds")
        session = Session(said.name, said.digest, len(said.cells), said.seed, said.trials, self._workers, now)
        if self._lines.size:
            with LineFile(self.folder / SESSIONS) as sessions:
                sessions.append(session_line(session))
        else:  # whatever session was here has no rows
            atomic_write(self.folder / SESSIONS, session_line(session))
        self._begun = True

    def add(self, row: Row) -> None:
        """Add a row."""
        if not self._begun:
            self._begin()
        self._lines.append(row_line(row))
        if row.index in self._failed:
            self.measures.forget_failed(row.index, self._failed.pop(row.index))
        self.done[row.index] = 1
        self.measures.add(row)

    def close(self) -> None:
        """Release the folder."""
        self._lines.close()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
