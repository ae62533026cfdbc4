"""Progress of long computations, and cancellation by the caller."""

from collections.abc import Callable

from gems_engine.errors import Cancelled

Progress = Callable[[int, int], bool | None]
"""Called with (done, total) before every iteration of a solver; False stops the work, which raises Cancelled."""


class Ticker:
    """Counts finished steps and asks the caller whether to continue."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress = progress
        self._done = 0
        self._total = total

    def beat(self) -> None:
        """Report progress; raise Cancelled if the caller stops the work."""
        if self._progress is not None and self._progress(self._done, self._total) is False:
            raise Cancelled("The computation of complexities was cancelled.")

    def advance(self) -> None:
        """Count one more step."""
        self._done = min(self._done + 1, self._total)
        self.beat()

    def finish(self) -> None:
        """Report that all is done, perhaps in fewer steps than expected."""
        self._done = self._total
        self.beat()
