"""How work that takes long says how far it is, and is stopped by whoever listens."""

from collections.abc import Callable

from gems_engine.errors import Cancelled

Progress = Callable[[int, int], bool | None]
"""Told (done, total) before every iteration of a solver; False stops the work, which then raises Cancelled."""


class Ticker:
    """Counts finished steps and asks the caller whether to go on."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress = progress
        self._done = 0
        self._total = total

    def beat(self) -> None:
        """Say how far the work is; raise Cancelled if the caller has had enough."""
        if self._progress is not None and self._progress(self._done, self._total) is False:
            raise Cancelled("The computation of complexities was stopped.")

    def advance(self) -> None:
        """One more step is done."""
        self._done = min(self._done + 1, self._total)
        self.beat()

    def finish(self) -> None:
        """All is done, perhaps in fewer steps than were counted on."""
        self._done = self._total
        self.beat()
