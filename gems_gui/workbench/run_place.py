"""Where a run was and how it went on, to be restored after a talk; knows no Qt."""

from __future__ import annotations

from dataclasses import dataclass

from gems_gui.snapshot import Selection
from gems_gui.workbench.run_session import RunSession


@dataclass(frozen=True, eq=False)
class RunPlace:
    """Where a run was, what was picked in it, and whether it played or followed the engine."""

    run: RunSession
    cursor: int
    selection: Selection
    playing: bool
    live: bool

    @classmethod
    def of(cls, run: RunSession) -> RunPlace:
        """Where it is now."""
        playback = run.playback
        return cls(run, playback.cursor, run.selection, playback.playing, playback.live)

    def restore(self) -> None:
        """Let it be there again, and go on as it did."""
        playback = self.run.playback
        playback.pause()
        playback.seek(self.cursor)
        self.run.selection = self.selection
        if self.live:
            playback.follow()
        elif self.playing:
            playback.play()
