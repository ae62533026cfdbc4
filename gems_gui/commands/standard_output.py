"""`-o -`: an export on standard output, with everything said about it on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory

from gems_engine.errors import InputError, quoted
from gems_gui.painting.formats import SUFFIXES

STDOUT = "-"
"""The name of standard output."""
_TEXT = (".svg", ".csv", ".html")


def check_stdout(form: str | None, sources: int) -> None:
    """Raise an InputError if this cannot be written to standard output."""
    known = [suffix[1:] for suffix in SUFFIXES if suffix]
    if form is None:
        raise InputError(f"-o - needs a format. Add --format with one of {', '.join(known)}.")
    if form.lower() not in known:
        from gems_engine.parameters import name_hint  # imports numpy, which the help does not need

        raise InputError(f"--format {quoted(form)} is not allowed: {name_hint(form, known)}")
    if sources > 1:
        raise InputError("-o - takes one run, because their files would follow one another. Name one run.")
    if sys.stdout.isatty() and f".{form.lower()}" not in _TEXT:
        raise InputError(
            f"A terminal cannot show a {form} file. Redirect the output, as in -o - --format {form} > FILE."
        )


@contextmanager
def export_path(output: str, form: str | None) -> Iterator[Path]:
    """The path to write an export to; for standard output, a temporary file that is copied there at the end."""
    if output != STDOUT:
        yield Path(output)
        return
    with TemporaryDirectory(prefix="gems-") as folder:
        file = Path(folder, f"standard-output.{form}".lower())
        with redirect_stdout(sys.stderr):
            yield file
        sys.stdout.buffer.write(file.read_bytes())
        sys.stdout.buffer.flush()
