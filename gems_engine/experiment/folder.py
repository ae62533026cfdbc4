"""An experiment's folder: its specification, its rows as they come, and what is made of them."""

from __future__ import annotations

from collections.abc import Iterator
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
from gems_engine.instance import Instance

SPECIFICATION = "specification.toml"
ROWS = "rows.jsonl"


def read_specification(path: str | Path, rehearse: bool = True) -> Specification:
    """The specification in a TOML file; instances that it names are looked for beside it."""
    file = Path(path)

    def beside(number: int, name: str) -> Instance:
        return read_instance(file.parent / name)

    text = read_text(file)
    try:
        return parse_specification(text, file.stem, beside, rehearse)
    except InputError as error:
        raise InputError(f"{file}: {error}") from error


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
    notes
        What a reader should be told: a torn last line.
    """

    specification: Specification
    sessions: list[Session]
    measures: Measures
    done: bytearray
    notes: list[str] = field(default_factory=list)


def holds_results(folder: str | Path) -> bool:
    """Whether a folder has rows."""
    file = Path(folder) / ROWS
    return file.is_file() and file.stat().st_size > 0


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
    sessions = _sessions(place)
    first, last = sessions[0], sessions[-1]
    specification = _kept(place, first.experiment).with_(last.trials, first.seed)
    for session in sessions:
        if (session.digest, session.cells, session.seed) != (
            specification.digest,
            len(specification.cells),
            first.seed,
        ):
            raise InputError(f"{place / ROWS}: its rows are not of the experiment in {SPECIFICATION}.")
    results = Results(specification, sessions, Measures(specification), bytearray(len(specification)))
    lines = Lines(place / ROWS)
    for row in _rows(place, lines):
        if row.index >= len(results.done):  # of a session that asked for more trials
            results.done.extend(bytes(row.index + 1 - len(results.done)))
        if not results.done[row.index]:
            results.done[row.index] = 1
            results.measures.add(row)
    if lines.torn:
        results.notes.append(f"The last line of {ROWS} is not whole: that row is dropped.")
    return results


def read_rows(folder: str | Path) -> Iterator[Row]:
    """The rows in a folder as they were written, one by one."""
    place = Path(folder)
    yield from _rows(place, Lines(place / ROWS))


def _rows(place: Path, lines: Lines) -> Iterator[Row]:
    for _, said in _parsed(place, lines):
        if isinstance(said, Row):
            yield said


def _sessions(place: Path) -> list[Session]:
    """All sessions; the first line is one."""
    found = []
    for number, said in _parsed(place, Lines(place / ROWS)):
        if isinstance(said, Session):
            found.append(said)
        elif number == 1:
            break
    if not found:
        raise InputError(f"{place / ROWS}: it does not begin with what its rows are of.")
    return found


def _parsed(place: Path, lines: Lines) -> Iterator[tuple[int, Session | Row]]:
    try:
        for number, line in enumerate(lines, start=1):
            yield number, parse_line(line, number)
    except InputError as error:
        file = place / ROWS
        raise InputError(str(error) if str(error).startswith(str(file)) else f"{file}: {error}") from error


def _kept(place: Path, name: str) -> Specification:
    """The specification as it is kept in a folder, where its instances are too."""
    text = read_text(place / SPECIFICATION)
    try:
        return parse_specification(text, name, lambda number, _: read_instance(place / _instance_file(number)), False)
    except InputError as error:
        raise InputError(f"{place / SPECIFICATION}: {error}") from error


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
    """

    def __init__(self, folder: str | Path, specification: Specification, workers: str, resume: bool = False) -> None:
        self.folder = make_folder(folder)
        self.specification = specification
        self.measures = Measures(specification)
        self.done = bytearray(len(specification))
        self.notes: list[str] = []
        self._workers, self._begun = workers, False
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
                self._go_on()
            self._keep()
        except BaseException:
            self.close()
            raise

    def _go_on(self) -> None:
        there = read_results(self.folder)
        mine, theirs = self.specification, there.specification
        if mine.digest != theirs.digest:
            raise InputError(f"{self.folder}: it holds the results of another specification, {theirs.name!r}.")
        if mine.seed != theirs.seed:
            raise InputError(f"{self.folder}: its rows have the seed {theirs.seed}, not {mine.seed}.")
        self.measures = there.measures
        self.done[:] = there.done[: len(self.done)] + bytes(max(0, len(self.done) - len(there.done)))

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
        self.done[row.index] = 1
        self.measures.add(row)

    def close(self) -> None:
        """Give the folder back."""
        self._lines.close()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
