"""An experiment's folder: its specification, its rows as they come, and what is made of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from gems_engine.errors import InputError
from gems_engine.experiment.measures import Measures
from gems_engine.experiment.rows import Session, parse_line, row_line, session_line
from gems_engine.experiment.specification import Specification
from gems_engine.experiment.toml_format import parse_specification
from gems_engine.experiment.trials import Row
from gems_engine.files import LineFile, Lines, atomic_write, make_folder, read_instance, read_text, write_instance

SPECIFICATION = "specification.toml"
ROWS = "rows.jsonl"


def read_specification(path: str | Path, rehearse: bool = True) -> Specification:
    """The specification in a TOML file; instances that it names are looked for beside it.

    That of a folder of results has the name of its experiment, and the instances that are kept there.
    """
    file = Path(path)
    text = read_text(file)
    with _named(file):
        if file.name == SPECIFICATION and holds_results(file.parent):
            return parse_kept(text, first_session(file.parent).experiment, file.parent, rehearse)
        return parse_beside(text, file.stem, file.parent, rehearse)


def parse_beside(text: str, name: str, folder: str | Path, rehearse: bool = True) -> Specification:
    """The specification that a text is, with the instances that it names in a folder."""
    return parse_specification(text, name, lambda _, file: read_instance(Path(folder) / file), rehearse)


def parse_kept(text: str, name: str, folder: str | Path, rehearse: bool = True) -> Specification:
    """The specification that a text is, with the instances that a folder of results keeps."""
    place = Path(folder)
    return parse_specification(text, name, lambda number, _: read_instance(place / _instance_file(number)), rehearse)


@dataclass
class Results:
    """What a folder holds.

    Attributes
    ----------
    specification
        With the seed of its rows, and with the trials that were last asked for.
    sessions
        Who added rows, in order.
    measures
        What the rows say.
    done
        A byte for every trial, 1 where it has a row.
    failed
        The trials whose last row has an error, with what made it.
    notes
        What a reader should be told: a torn last line.
    """

    specification: Specification
    sessions: list[Session]
    measures: Measures
    done: bytearray
    failed: dict[int, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def holds_results(folder: str | Path) -> bool:
    """Whether a folder has rows."""
    file = Path(folder) / ROWS
    return file.is_file() and file.stat().st_size > 0


def first_session(folder: str | Path) -> Session:
    """Whose rows a folder with results holds: its first line, however many follow."""
    file = Path(folder) / ROWS
    with _named(file):
        for said in _parsed(Lines(file)):
            if isinstance(said, Session):
                return said
            break
        raise InputError("It does not begin with what its rows are of.")


def read_results(folder: str | Path) -> Results:
    """What a folder holds, also while somebody adds to it.

    Raises
    ------
    InputError
        One sentence that names the file, and the line if one is damaged.
    """
    place = Path(folder)
    if not place.is_dir():
        raise InputError(f"{place}: there is no such folder.")
    if not holds_results(place):
        raise InputError(f"{place}: it holds no results of an experiment, {ROWS}.")
    lines = Lines(place / ROWS)
    results: Results | None = None
    with _named(place / ROWS):
        for said in _parsed(lines):
            if results is None:
                results = _begun(place, said)
            elif isinstance(said, Session):
                _go_on(results, said)
            else:
                _take(results, said)
        if results is None:
            raise InputError("It does not begin with what its rows are of.")
    if lines.torn:
        results.notes.append(f"The last line of {ROWS} is not whole: that row is dropped.")
    return results


def read_rows(folder: str | Path) -> Iterator[Row]:
    """The rows in a folder as they were written, one by one."""
    file = Path(folder) / ROWS
    with _named(file):
        yield from (said for said in _parsed(Lines(file)) if isinstance(said, Row))


def _parsed(lines: Lines) -> Iterator[Session | Row]:
    for number, line in enumerate(lines, start=1):
        yield parse_line(line, number)


def _begun(place: Path, first: Session | Row) -> Results:
    """What a folder holds after its first line has said of what."""
    if not isinstance(first, Session):
        raise InputError("It does not begin with what its rows are of.")
    specification = _kept(place, first.experiment).with_(first.trials, first.seed)
    results = Results(specification, [], Measures(specification), bytearray())
    _go_on(results, first)
    return results


def _go_on(results: Results, session: Session) -> None:
    """Take a session in: it may ask for more trials or fewer, and for nothing else."""
    said = results.specification
    if (session.digest, session.cells, session.seed) != (said.digest, len(said.cells), said.seed):
        raise InputError(f"Its rows are not of the experiment in {SPECIFICATION}.")
    results.sessions.append(session)
    results.specification = results.measures.specification = said.with_(session.trials)
    results.done.extend(bytes(max(0, len(results.specification) - len(results.done))))


def _take(results: Results, row: Row) -> None:
    """Take a row in, once; that of a trial that had failed, in place of what it left then."""
    if row.index >= len(results.done):
        raise InputError(f"The row of trial {row.index} is none that was asked for.")
    if row.index in results.failed:
        results.measures.forget_failed(row.index, results.failed.pop(row.index))
    elif results.done[row.index]:
        return
    results.done[row.index] = 1
    results.measures.add(row)
    if row.error:
        results.failed[row.index] = sys.intern(row.made_by)


@contextmanager
def _named(file: Path) -> Iterator[None]:
    """Let every complaint begin with the name of a file."""
    try:
        yield
    except InputError as error:
        if str(error).startswith(str(file.parent)):
            raise
        raise InputError(f"{file}: {error}") from error


def _kept(place: Path, name: str) -> Specification:
    """The specification as it is kept in a folder, where its instances are too."""
    text = read_text(place / SPECIFICATION)
    with _named(place / SPECIFICATION):
        return parse_kept(text, name, place, rehearse=False)


def _instance_file(number: int) -> str:
    return f"instance-{number}.npz"


class Recorder:
    """Adds rows to a folder: a new one, or one that is gone on with.

    Parameters
    ----------
    folder
        Where. What it holds already is kept.
    specification
        With the trials and the seed that are wanted.
    workers
        Who runs them, in words.
    resume
        Whether to go on with what is there; without it, a folder with rows is refused.
    retry
        Whether those count as missing then whose row has an error.
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
                f"{self.folder}: it holds results already; --resume goes on with them, or name another folder by -o."
            )
        self._lines = LineFile(self.folder / ROWS)
        try:
            if self._lines.torn:
                self.notes.append(f"The last line of {ROWS} was not whole: that trial is run again.")
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
            raise InputError(f"{self.folder}: it holds the results of another specification, {theirs.name!r}.")
        if mine.seed != theirs.seed:
            raise InputError(f"{self.folder}: its rows have the seed {theirs.seed}, not {mine.seed}.")
        self.measures = there.measures
        self.done[:] = there.done[: len(self.done)] + bytes(max(0, len(self.done) - len(there.done)))
        if retry:
            self._failed = {index: by for index, by in there.failed.items() if index < len(self.done)}
            for index in self._failed:
                self.done[index] = 0
        extra = sum(there.done) - sum(there.done[: len(self.done)])
        if extra:
            self.notes.append(
                f"It holds more than {mine.trials} trials of each cell: the {extra} others are kept and shown too."
            )

    def _keep(self) -> None:
        said = self.specification
        atomic_write(self.folder / SPECIFICATION, said.text.encode())
        for number, instance in said.files.items():
            write_instance(self.folder / _instance_file(number), instance)

    def _begin(self) -> None:
        """Say who adds rows: with the first of them, as a session without any is none."""
        said, now = self.specification, datetime.now().astimezone().isoformat(timespec="seconds")
        session = Session(said.name, said.digest, len(said.cells), said.seed, said.trials, self._workers, now)
        self._lines.append(session_line(session))
        self._begun = True

    def add(self, row: Row) -> None:
        """Keep a row."""
        if not self._begun:
            self._begin()
        self._lines.append(row_line(row))
        if row.index in self._failed:
            self.measures.forget_failed(row.index, self._failed.pop(row.index))
        self.done[row.index] = 1
        self.measures.add(row)

    def close(self) -> None:
        """Give the folder back."""
        self._lines.close()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
