"""Workbench and draft of a window under the names of one workbench, for the actions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from gems_gui.workbench.draft_controller import DraftController
from gems_gui.workbench.playback import Playback
from gems_gui.workbench.run_session import RunSession
from gems_gui.workbench.workbench import Workbench


class Say(Protocol):
    """Says something to the user."""

    def __call__(
        self, sentence: str, holds: Callable[[], bool] | None = None, error: bool = False, passing: bool = False
    ) -> None:
        """Say something instead of what was said before."""


class WindowMessages:
    """What is said in a window, above its board."""

    def __init__(self, say: Say, add: Callable[[str], object]) -> None:
        self.say = say
        self._add = add

    def add(self, sentence: str) -> None:
        """Say this too."""
        self._add(sentence)


class WorkspaceBench:
    """What actions use of both."""

    def __init__(self, workbench: Workbench, drafts: DraftController, messages: WindowMessages) -> None:
        self._workbench = workbench
        self.drafts = drafts
        self.messages = messages
        self.play_opened = False
        """Whether what is opened or run first is played at once."""
        self.set_truth = workbench.set_truth
        self.set_look_ahead = workbench.set_look_ahead
        self.stop = workbench.stop
        self.open = workbench.open
        self.activate = workbench.activate
        self.refresh = workbench.refresh
        self.runs_changed: Callable[[], None] = workbench.runs_changed.emit
        self.run = drafts.run

    @property
    def runs(self) -> Sequence[RunSession]:
        """The runs of the window."""
        return self._workbench.runs

    @property
    def active(self) -> RunSession | None:
        """The run that is shown."""
        return self._workbench.active

    @property
    def playback(self) -> Playback | None:
        """The cursor in it."""
        return self._workbench.playback

    @property
    def truth(self) -> bool:
        """Whether the truth may be shown."""
        return self._workbench.truth

    @property
    def look_ahead(self) -> int:
        """How far the engine may run ahead of the cursor."""
        return self._workbench.look_ahead

    @property
    def engine_running(self) -> bool:
        """Whether the engine is at a run."""
        return self._workbench.engine.running
