"""The two exceptions that are not bugs: bad input, and work cancelled by its caller."""


class InputError(ValueError):
    """Bad input, described in one sentence: where it is, what is wrong and what to do.

    The command line prints the sentence and exits with code 2; the window shows it in place.
    Any other uncaught exception is a bug.
    """


class Cancelled(Exception):
    """The caller cancelled the work, between two iterations of a solver."""
