"""What core actions act on: the workbench, and the little that they may do to the interface around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from gems_engine.instance import Instance
from gems_engine.trace import Trace
from gems_gui.drafts.draft import Draft
from gems_gui.workbench.playback import Playback

if TYPE_CHECKING:
    from gems_gui.workbench.run_session import RunSession


class Interface(Protocol):
    """What an action may ask of the interface; every question of it is answered later, and blocks nothing."""

    def ask_files(self, title: str, filters: str, take: Callable[[list[str]], object]) -> None:
        """Ask for files that are there."""

    def ask_file(self, title: str, filters: str, take: Callable[[str], object]) -> None:
        """Ask for one file that is there."""

    def ask_save(self, title: str, filters: str, suffix: str, take: Callable[[str], object], path: str = "") -> None:
        """Ask where something goes; the path is proposed."""

    def ask_folder(self, title: str, take: Callable[[str], object], start: str = "") -> None:
        """Ask for a folder, from another one on."""

    def open_files(self, paths: Sequence[str]) -> None:
        """Read instances into the form, runs into the list of runs, and experiments."""

    def theme_choice(self) -> str:
        """Which theme is chosen: ``system``, ``light`` or ``dark``."""

    def set_theme(self, choice: str) -> None:
        """Choose a theme, now and for the next start."""

    def scale_text(self, factor: float | None) -> None:
        """Make all text larger or smaller; None: give it its normal size."""

    def is_full_screen(self) -> bool:
        """Whether the window fills the screen."""

    def set_full_screen(self, on: bool) -> None:
        """Let the window fill the screen, or not."""

    def close(self) -> None:
        """Close the window, which may ask first."""


class Drafts(Protocol):
    """The draft of the next run."""

    draft: Draft
    instance: Instance | None

    def set_draft(self, draft: Draft, merge: str | None = None) -> None:
        """Another draft."""


class Messages(Protocol):
    """What is said to the user."""

    def say(
        self, sentence: str, holds: Callable[[], bool] | None = None, error: bool = False, passing: bool = False
    ) -> None:
        """Say something instead of what was said before."""

    def add(self, sentence: str) -> None:
        """Say this too."""


class Workbench(Protocol):
    """What actions use of what a window is about."""

    play_opened: bool

    @property
    def look_ahead(self) -> int:
        """How far the engine may run ahead of the cursor."""

    @property
    def drafts(self) -> Drafts:
        """The draft of the next run."""

    @property
    def messages(self) -> Messages:
        """What is said."""

    @property
    def runs(self) -> Sequence[RunSession]:
        """The runs of the window."""

    @property
    def active(self) -> RunSession | None:
        """The run that is shown."""

    @property
    def playback(self) -> Playback | None:
        """The cursor in it."""

    @property
    def truth(self) -> bool:
        """Whether d⋆, the best arm and what follows from them may be shown."""

    @property
    def engine_running(self) -> bool:
        """Whether the engine is at a run."""

    def set_truth(self, shown: bool) -> None:
        """Show the truth, or hide it."""

    def set_look_ahead(self, events: int) -> None:
        """How far the engine may run ahead of the cursor."""

    def run(self, *, to_the_end: bool = False) -> None:
        """Start the run of the draft."""

    def stop(self) -> None:
        """End the run that is computed."""

    def open(self, trace: Trace, path: str, name: str = "") -> RunSession:
        """Show a run from a file."""

    def activate(self, run: RunSession) -> None:
        """Show a run of the window."""

    def runs_changed(self) -> None:
        """Something about a run is new."""

    def refresh(self) -> None:
        """Show what there is now."""


@dataclass(frozen=True)
class Bench:
    """What core actions act on."""

    workbench: Workbench
    ui: Interface
