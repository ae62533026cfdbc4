"""Where a condition is met next and was met last, found as the window finds it."""

from gems_engine.until import Search


def find_next(trace, condition, start, history=None):
    """The first cursor behind another at which a condition is met, None where the record has none."""
    return Search(trace, condition, start, True, history).update()


def find_previous(trace, condition, start, history=None):
    """The last cursor in front of it."""
    return Search(trace, condition, start, False, history).update()
