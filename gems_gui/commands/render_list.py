"""What `gems render` can paint: the views, a line each, and their options."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gems_engine.errors import InputError, quoted
from gems_engine.terminal import print_json, with_indices
from gems_gui.painting.rows import BOARD
from gems_gui.views import ARRANGEMENT, EVERY_VIEW, PLUGIN_VIEWS

if TYPE_CHECKING:
    from gems_gui.views.view import View

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


def list_views(as_json: bool) -> None:
    """Print the views and their options."""
    if as_json:
        print_json([_view_dict(name, view) for name, view in EVERY_VIEW.items()])
    else:
        print(views_text())


def _view_dict(name: str, view: type[View]) -> dict[str, Any]:
    options = [
        {
            "name": each.name,
            "label": each.label,
            "values": list(each.choices),
            "default": each.default if each.choices else None,
        }
        for each in view.options
    ]
    return {"name": name, "title": view.title, "about": with_indices(view.about), "options": options}


def add_to_help(parser: argparse.ArgumentParser) -> None:
    """Add the views to the help of a parser, before its example; they are loaded only when it is shown."""
    plain = parser.format_help

    def with_views() -> str:
        arguments, example, rest = plain().partition("\n\nExample: ")
        return f"{arguments.rstrip()}\n\n{views_text()}\n{example[1:]}{rest}"

    parser.format_help = with_views  # type: ignore[method-assign]
