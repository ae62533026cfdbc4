"""The real program in a process of its own, driven from here; what it leaves behind; tables."""

from __future__ import annotations

import json
import os
import queue
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).parents[2]
PATIENCE = 120.0
"""Seconds for what takes one or two on a quiet machine."""
_MARK = "GEMS_RELIABILITY"


def wait_until(condition: Callable[[], Any], what: str, seconds: float = PATIENCE, pace: float = 0.02) -> Any:
    """Wait until something holds, and return its value."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {seconds:.0f} seconds: {what}")
        time.sleep(pace)
    return found


@dataclass
class Home:
    """A folder for settings, recovery files and logs of one user, and a mark on all processes started for it."""

    path: Path
    mark: str = field(default_factory=lambda: secrets.token_hex(8))

    @property
    def recovery(self) -> Path:
        """The parent of the recovery folders."""
        return self.path / "gems-lab" / "recovery"

    @property
    def settings(self) -> Path:
        """The settings file."""
        return self.path / "gems-lab" / "settings.json"

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a process of this user."""
        folders = {name: str(self.path) for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")}
        single = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        platform = {"QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen")}
        return {**os.environ, **folders, **single, **platform, _MARK: self.mark, "PYTHONPATH": str(ROOT)}

    def processes(self) -> list[psutil.Process]:
        """All living processes that were started for this user, directly or by another one."""
        found = []
        for each in psutil.process_iter():
            try:
                if each.environ().get(_MARK) == self.mark and each.status() != psutil.STATUS_ZOMBIE:
                    found.append(each)
            except psutil.Error:
                continue
        return found

    def orphans(self, seconds: float = 20.0) -> int:
        """The number of processes that remain although all windows have ended; they get some seconds to end."""
        try:
            wait_until(lambda: not self.processes(), "the end of all processes", seconds, 0.1)
        except TimeoutError:
            return len(self.processes())
        return 0

    def left(self) -> list[str]:
        """The recovery folders that remain."""
        return sorted(each.name for each in self.recovery.iterdir()) if self.recovery.is_dir() else []


@contextmanager
def home() -> Iterator[Home]:
    """A new user; processes that remain in the end are killed."""
    with tempfile.TemporaryDirectory(prefix="gems-reliability-") as folder:
        (Path(folder) / "user-dirs.dirs").write_text(f'XDG_DOCUMENTS_DIR="{folder}/documents"\n')
        made = Home(Path(folder))
        try:
            yield made
        finally:
            for each in made.processes():
                each.kill()
            made.orphans()


class Window:
    """A window in a process of its own.

    Attributes
    ----------
    beats
        Times and the number of events of the shown run at these times.
    """

    def __init__(self, home: Home, *files: str) -> None:
        self.beats: list[tuple[float, int]] = []
        self._said = ""
        self._answers: queue.SimpleQueue[list[Any]] = queue.SimpleQueue()
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 - open as long as the process is
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.reliability.remote", *files],
            cwd=ROOT,
            env=home.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if not line.endswith("\n"):
                break  # half a line of a killed process
            kind, *rest = json.loads(line)
            if kind == "beat":
                self.beats.append((rest[0], rest[1]))
            else:
                self._answers.put([kind, *rest])
        self._answers.put(["over"])

    def __call__(self, command: str, *arguments: Any) -> Any:
        """Send a command and return its answer."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps([command, *arguments]) + "\n")
            self.process.stdin.flush()
        except (BrokenPipeError, ValueError):  # the pipe is broken, or closed here
            raise RuntimeError(f"the window has ended: {self.errors()}") from None
        try:
            kind, *rest = self._answers.get(timeout=PATIENCE)
        except queue.Empty:
            raise TimeoutError(f"not within {PATIENCE:.0f} seconds: an answer to {command}") from None
        if kind != "answer":
            raise RuntimeError(f"{command}: {rest[0] if rest else self.errors()}")
        return rest[0]

    def errors(self) -> str:
        """What the process wrote to stderr."""
        if not self._errors.closed:
            self._errors.seek(0)
            self._said = self._errors.read()
        return self._said

    @property
    def state(self) -> dict[str, Any]:
        """What the window shows."""
        found: dict[str, Any] = self("state")
        return found

    @property
    def events(self) -> int:
        """The number of events that the shown run had at last."""
        return self.beats[-1][1] if self.beats else 0

    def until(self, condition: Callable[[dict[str, Any]], Any], what: str) -> dict[str, Any]:
        """Wait until the state fulfils a condition."""
        found: list[dict[str, Any]] = []

        def look() -> bool:
            found[:] = [self.state]
            return bool(condition(found[0]))

        wait_until(look, what, pace=0.05)
        return found[0]

    def ready(self) -> Window:
        """Wait until the window is open and its processes have started."""
        self.until(lambda state: state["ready"] and state["instance"], "a window")
        return self

    def start(self, form: str, seed: int | None = None) -> None:
        """Put a form into the window and run it."""
        before = len(self.state["runs"])
        self("draft", form, *([] if seed is None else [seed]))
        self.until(lambda state: state["instance"], "the instance")
        self("run")
        self.until(lambda state: len(state["runs"]) > before, "the run")

    def finished(self, form: str, seed: int | None = None) -> dict[str, Any]:
        """Run a form to its end; the state then."""
        self.start(form, seed)
        return self.until(lambda state: state["runs"][-1]["ending"], "the end of the run")

    def pid(self, which: str) -> int:
        """The id of one of its processes."""
        return int(wait_until(lambda: self("pids")[which], f"a process {which}"))

    def kill(self) -> float:
        """Kill the process; returns the time."""
        self.process.send_signal(signal.SIGKILL)
        at = time.monotonic()
        self.process.wait()
        self._release()
        return at

    def close(self) -> int:
        """Close without asking, and wait for the end; returns the exit code."""
        if self.process.poll() is None:
            self("close")
        code = self.process.wait(PATIENCE)
        self._release()
        return code

    def _release(self) -> None:
        """Close the files of a process that has ended."""
        self._reader.join()
        self.errors()
        self._errors.close()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            with suppress(BrokenPipeError):
                stream.close()


@contextmanager
def window(home: Home, *files: str) -> Iterator[Window]:
    """A window that is ready; it is killed if it is still there in the end."""
    made = Window(home, *files)
    try:
        yield made.ready()
    finally:
        if made.process.poll() is None:
            made.kill()
        else:
            made._release()


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    cells = [[" ".join(str(cell).replace("|", "\\|").split()) for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)
