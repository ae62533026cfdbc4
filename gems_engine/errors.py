"""The two exceptions that are no bugs: bad input, and work that its caller has stopped."""


class InputError(ValueError):
    """Bad input, said in one sentence: where it is, what is wrong and what would be right.

    The command line prints the sentence and ends with code 2; the window shows it in place.
    Anything else that escapes is a bug.
    """


class Cancelled(Exception):
    """The caller asked to stop, between two iterations of a solver."""
