"""The action on what closing asks about."""

from __future__ import annotations

from gems_gui.actions.spec import ActionSpec, in_section
from gems_gui.closing.closing import Closing

CLOSING_ACTIONS: tuple[ActionSpec[Closing], ...] = in_section(
    "File",
    "Closing",
    ActionSpec(
        "ask_repeatable",
        "Ask about repeatable runs",
        "Ask on closing about unsaved runs that can be repeated from their seeds",
        toggle=Closing.ask_repeatable,
        checked=Closing.asks_repeatable,
    ),
)
