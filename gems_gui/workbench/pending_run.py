"""A run of auto-run that is computed while the previous one is shown, and how it replaces it; independent of Qt."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gems_engine.bookmark import Bookmark
from gems_engine.events import ASKED
from gems_gui.drafts.presets import waits
from gems_gui.snapshot import Selection
from gems_gui.workbench.playback import Credit, Playback

if TYPE_CHECKING:
    from gems_gui.workbench.run_session import RunSession

AUTO_RUN = "auto-run"
"""The prefix of the names of such runs."""

_LONG = 0.6  # seconds after its first events when a long run is shown as far as computed


@dataclass(eq=False)
class PendingRun:
    """A run that is not shown yet."""

    run: RunSession
    since: float = field(default_factory=time.monotonic)
    _first_seen: float | None = None

    def far_enough(self, shown: RunSession | None) -> bool:
        """Whether it can be shown at the position of the other run, and would stay there if it continued."""
        playback = self.run.playback
        playback.catch_up()
        if playback.behind:
            return False
        finished = self.run.trace.finished
        if finished is not None:
            return finished.why != ASKED  # a stopped run is not what the form requests
        if self._first_seen is None and playback.length:
            self._first_seen = time.monotonic()
        place = place_of(shown)
        if place.end or place.kind is None:
            return self._first_seen is not None and time.monotonic() - self._first_seen > _LONG
        cursor, exact = place.find(playback.history)
        return exact and cursor < playback.length

    def go_where(self, shown: RunSession | None) -> None:
        """Take over the position, the speed and the selection of the other run; a step-by-step preset starts paused."""
        mine = self.run.playback
        mine.catch_up()
        if self._begins_paused(shown):
            return
        place = place_of(shown)
        mine.seek(place.find(mine.history)[0])
        if place.end:
            mine.follow()
        if shown is None:
            return
        theirs, instance = shown.playback, self.run.trace.instance
        mine.speed, mine.held, mine.to_the_end = theirs.speed, theirs.held, theirs.to_the_end
        mine.loop = theirs.loop
        if theirs.playing and not place.end:
            mine.playing = True
        arm, target = shown.selection.arm, shown.selection.target
        if arm is not None and arm < len(instance.arms):
            self.run.selection = Selection.of_arm(instance, arm)
        elif arm is None and target is not None and target < len(instance.targets):
            self.run.selection = Selection.of_target(instance, target)

    def _begins_paused(self, shown: RunSession | None) -> bool:
        draft = self.run.draft
        if draft is None or not waits(draft):
            return False
        return shown is None or shown.draft is None or not waits(shown.draft)


def place_of(shown: RunSession | None) -> Bookmark:
    """The position of a run; the end maps to the end."""
    if shown is None:
        return Bookmark(end=True)
    playback = shown.playback
    if playback.live or playback.over:
        return Bookmark(end=True)
    return Bookmark.of(playback.trace, playback.cursor)


def credit_for(shown: Playback | None, look_ahead: int) -> Credit:
    """The credit of such a run before it is shown: all of it but late loops, within the limit for other runs."""
    if shown is not None and shown.to_the_end:
        return Credit(None)
    return Credit((0 if shown is None else shown.cursor) + max(look_ahead, 1), late=False)
