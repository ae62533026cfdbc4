"""Workspace and draft of a window under the names of one workbench, for the actions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from gems_gui.editing.draft_controller import DraftController
from gems_gui.runs.workspace import RunSession, Workspace
from gems_gui.workbench.playback import Playback


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

    def __init__(self, workspace: Workspace, drafts: DraftController, messages: WindowMessages) -> None:
        self._workspace = workspace
        self.drafts = drafts
        self.messages = messages
        self.play_opened = False
        """Whether what is opened or run first is played at once."""
        self.set_truth = workspace.set_truth
        self.set_look_ahead = workspace.set_look_ahead
        self.stop = workspace.stop
        self.open = workspace.open
        self.activate = workspace.activate
        self.refresh = workspace.refresh
        self.runs_changed: Callable[[], None] = workspace.runs_changed.emit
        self.run = drafts.run

    @property
    def runs(self) -> Sequence[RunSession]:
        """The runs of the window."""
        return self._workspace.runs

    @property
    def active(self) -> RunSession | None:
        """The run that is shown."""
        return self._workspace.active

    @property
    def playback(self) -> Playback | None:
        """The cursor in it."""
        return self._workspace.playback

    @property
    def truth(self) -> bool:
        """Whether the truth may be shown."""
        return self._workspace.truth

    @property
    def look_ahead(self) -> int:
        """How far the engine may run ahead of the cursor."""
        return self._workspace.look_ahead

    @property
    def engine_running(self) -> bool:
        """Whether the engine is at a run."""
        return self._workspace.engine.running
