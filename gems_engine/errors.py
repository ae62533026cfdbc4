"""The two exceptions that are not bugs, bad input and work cancelled by its caller, and how a message quotes input."""

_MOST = 60  # characters


class InputError(ValueError):
    """Bad input, described in one sentence: where it is, what is wrong and what to do.

    The command line prints the sentence and exits with code 2; the window shows it in place.
    Any other uncaught exception is a bug.

    Examples
    --------
    >>> from gems_engine import InputError, instances
    >>> try:
    ...     instances.make("paper-hard", epsilon=2)
    ... except InputError as error:
    ...     print(error)
    paper-hard: epsilon = 2 is not allowed: it must be a number from 1e-09 to 1.
    """


class Cancelled(Exception):
    """The caller cancelled the work, between two iterations of a solver."""


def quoted(text: str, most: int = _MOST) -> str:
    """Text from outside in quotation marks for a message: shortened, on one line, without control characters."""
    short = text if len(text) <= most else f"{text[: most - 1]}…"
    return f'"{"".join(each if each.isprintable() else repr(each)[1:-1] for each in short)}"'
