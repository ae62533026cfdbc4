"""The position and playing state of a run, to be restored after a talk; independent of Qt."""

from __future__ import annotations

from dataclasses import dataclass

from gems_gui.snapshot import Selection
from gems_gui.workbench.run_session import RunSession


@dataclass(frozen=True, eq=False)
class RunPlace:
    """The cursor and selection of a run, the clock of its race, and whether it played or followed the engine."""

    run: RunSession
    cursor: int
    selection: Selection
    playing: bool
    live: bool
    samples: int | None = None

    @classmethod
    def of(cls, run: RunSession) -> RunPlace:
        """The current position of a run."""
        playback = run.playback
        return cls(run, playback.cursor, run.selection, playback.playing, playback.live, playback.samples)

    def restore(self) -> None:
        """Restore the position and continue as before."""
        playback = self.run.playback
        playback.pause()
        playback.seek(self.cursor)
        if playback.clock is not None and self.samples is not None:
            playback.clock.samples = self.samples  # the other runs of the race may be further
        self.run.selection = self.selection
        if self.live:
            playback.follow()
        elif self.playing:
            playback.play()
