"""The actions on a talk that is on: their keys hold on its stage."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from gems_gui.actions.spec import ActionSpec


class Speaker(Protocol):
    """What can be asked of whoever gives a talk."""

    def next_moment(self) -> None:
        """Play to the next moment."""

    def previous_moment(self) -> None:
        """Go back to the moment before."""

    def show_black(self) -> None:
        """Show nothing at all."""

    def switch_notes(self) -> None:
        """Show the notes, or hide them."""

    def switch_clock(self) -> None:
        """Show the clock, or hide it."""

    def switch_pointer(self) -> None:
        """Let the mouse be a dot, or an arrow."""

    def switch_automatic(self) -> None:
        """Play or pause the story."""

    def leave(self) -> None:
        """End the talk."""

    def switch_screen(self) -> None:
        """Go on with it on the whole screen; there, end it."""


def _on_stage(*specs: ActionSpec[Speaker]) -> tuple[ActionSpec[Speaker], ...]:
    return tuple(replace(spec, contexts=("stage",), section="In a talk") for spec in specs)


STAGE_ACTIONS: tuple[ActionSpec[Speaker], ...] = _on_stage(
    ActionSpec(
        "next_moment",
        "Next moment",
        "Play to the next moment, or be there at once where it plays already; without a story one round on",
        ("PgDown",),
        do=lambda speaker: speaker.next_moment(),
    ),
    ActionSpec(
        "previous_moment",
        "Previous moment",
        "Go back to the moment before; without a story one round back",
        ("PgUp", "Backspace"),
        do=lambda speaker: speaker.previous_moment(),
    ),
    ActionSpec(
        "go_to_moment",
        "Go to a moment",
        "Go to the moment whose number was typed before; without a number to the next one",
        ("Return", "Enter"),
        do=lambda speaker: speaker.next_moment(),
    ),
    ActionSpec(
        "black",
        "Black screen",
        "Show nothing at all, or everything again",
        ("B", "."),
        do=lambda speaker: speaker.show_black(),
    ),
    ActionSpec(
        "notes",
        "Notes",
        "Show the notes of this moment, or hide them",
        ("N",),
        do=lambda speaker: speaker.switch_notes(),
    ),
    ActionSpec(
        "clock",
        "Clock",
        "Show the time since the talk began and the number of the moment, or hide them",
        ("C",),
        do=lambda speaker: speaker.switch_clock(),
    ),
    ActionSpec(
        "pointer",
        "Pointer",
        "Let the mouse be a large dot, or an arrow",
        ("D",),
        do=lambda speaker: speaker.switch_pointer(),
    ),
    ActionSpec(
        "automatic", "Play by itself", "Play or pause the story", ("A",), do=lambda speaker: speaker.switch_automatic()
    ),
    ActionSpec("leave", "End the talk", "Give the window back as it was", ("Esc",), do=lambda speaker: speaker.leave()),
    ActionSpec(
        "screen",
        "Whole screen",
        "Go on with a story that plays in the window on the whole screen; there, end the talk",
        ("F5",),
        do=lambda speaker: speaker.switch_screen(),
    ),
)
"""In the order in which the sheet of keys has them."""
