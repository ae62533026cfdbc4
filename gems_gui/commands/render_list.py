"""What `gems render` can paint: the views, a line each, and their options."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from gems_engine.errors import InputError, quoted
from gems_engine.terminal import with_indices
from gems_gui.painting.rows import BOARD
from gems_gui.views import ARRANGEMENT, EVERY_VIEW, PLUGIN_VIEWS

_SHORT = 20  # letters before a colon that say too little


def views_text() -> str:
    """Every view with what it shows, and below it its options with all values, the default first."""
    names = [BOARD, *EVERY_VIEW]
    wide = max(map(len, names)) + 2
    board = ", ".join(name for row in ARRANGEMENT for name in row)
    lines = ["views (--view NAME) and their options (--option VIEW.NAME=VALUE):", f"  {BOARD:{wide}}{board} (default)"]
    for name, view in EVERY_VIEW.items():
        lines.append(f"  {name:{wide}}{_line_about(view.about)}")
        for option in view.options:
            values = "|".join(option.choices) or option.words
            lines.append(f"  {'':{wide}}  {option.name}={values}")
    return "\n".join(lines)


def _line_about(about: str) -> str:
    """The beginning of an explanation, up to its first full stop, or a colon that does not come too soon."""
    ends = [at for at in (about.find(". "), about.find(": ", _SHORT)) if at > 0]
    return with_indices(about[: min(ends)] if ends else about.rstrip("."))


def check_name(what: str, name: str, known: Sequence[str], more: str = "") -> None:
    """Raise an InputError with all names if there is none of this name."""
    if name not in known:
        PLUGIN_VIEWS.refuse_broken(name)
        from gems_engine.parameters import closest_name  # imports numpy, which the help does not need

        near = closest_name(name, known)
        guess = f": did you mean {quoted(near)}?" if near else "."
        raise InputError(f"Unknown {what} {quoted(name)}{guess} The {what}s are {', '.join(known)}{more}.")


def check_view(name: str, known: Sequence[str]) -> None:
    """Raise an InputError with the names of all views if there is none of this name."""
    check_name("view", name, known, "; gems render --list describes them")


class ListViews(argparse.Action):
    """Print the views and end."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        parser._print_message(f"{views_text()}\n", sys.stdout)  # as for the help, which a pager may close
        parser.exit()


def add_to_help(parser: argparse.ArgumentParser) -> None:
    """Add the views to the help of a parser, before its example; they are loaded only when it is shown."""
    plain = parser.format_help

    def with_views() -> str:
        arguments, example, rest = plain().partition("\n\nExample: ")
        return f"{arguments.rstrip()}\n\n{views_text()}\n{example[1:]}{rest}"

    parser.format_help = with_views  # type: ignore[method-assign]
