"""The actions during a talk; their shortcuts apply on the stage."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from gems_gui.actions.spec import ActionSpec


class Speaker(Protocol):
    """What the actions of a talk call."""

    def next_moment(self) -> None:
        """Play to the next moment."""

    def previous_moment(self) -> None:
        """Go back to the previous moment."""

    def show_black(self) -> None:
        """Show a black screen."""

    def switch_notes(self) -> None:
        """Show or hide the notes."""

    def switch_clock(self) -> None:
        """Show or hide the clock."""

    def switch_pointer(self) -> None:
        """Switch the mouse pointer between a dot and an arrow."""

    def switch_automatic(self) -> None:
        """Play or pause the story."""

    def leave(self) -> None:
        """End the talk."""

    def switch_screen(self) -> None:
        """Switch to full screen; in full screen, end the talk."""


def _on_stage(*specs: ActionSpec[Speaker]) -> tuple[ActionSpec[Speaker], ...]:
    return tuple(replace(spec, contexts=("stage",), section="In a talk") for spec in specs)


STAGE_ACTIONS: tuple[ActionSpec[Speaker], ...] = _on_stage(
    ActionSpec(
        "next_moment",
        "Next moment",
        "Play to the next moment, or jump there if it is already playing; without a story, go forward one round",
        ("PgDown",),
        do=lambda speaker: speaker.next_moment(),
    ),
    ActionSpec(
        "previous_moment",
        "Previous moment",
        "Go back to the previous moment; without a story, go back one round",
        ("PgUp", "Backspace"),
        do=lambda speaker: speaker.previous_moment(),
    ),
    ActionSpec(
        "go_to_moment",
        "Go to a moment",
        "Go to the moment whose number you typed; without a number, go to the next one",
        ("Return", "Enter"),
        do=lambda speaker: speaker.next_moment(),
    ),
    ActionSpec(
        "black",
        "Black screen",
        "Show a black screen, or the talk again",
        ("B", "."),
        do=lambda speaker: speaker.show_black(),
    ),
    ActionSpec(
        "notes",
        "Notes",
        "Show or hide the notes of this moment",
        ("N",),
        do=lambda speaker: speaker.switch_notes(),
    ),
    ActionSpec(
        "clock",
        "Clock",
        "Show or hide the time since the talk began and the number of the moment",
        ("C",),
        do=lambda speaker: speaker.switch_clock(),
    ),
    ActionSpec(
        "pointer",
        "Pointer",
        "Switch the mouse pointer between a large dot and an arrow",
        ("D",),
        do=lambda speaker: speaker.switch_pointer(),
    ),
    ActionSpec(
        "automatic",
        "Play automatically",
        "Play or pause the story",
        ("A",),
        do=lambda speaker: speaker.switch_automatic(),
    ),
    ActionSpec(
        "leave", "End the talk", "End the talk and restore the window", ("Esc",), do=lambda speaker: speaker.leave()
    ),
    ActionSpec(
        "screen",
        "Full screen",
        "Switch a story that plays in the window to full screen; in full screen, end the talk",
        ("F5",),
        do=lambda speaker: speaker.switch_screen(),
    ),
)
"""In the order of the list of keyboard shortcuts."""
