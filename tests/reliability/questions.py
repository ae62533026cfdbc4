"""A query that keeps the analysis process busy; independent of Qt, since that process has none."""

import time


def slow_square(number: int, seconds: float) -> int:
    """The square of a number, after that much time of computing."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        sum(range(1000))
    return number * number
