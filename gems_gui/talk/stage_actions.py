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

    def first_moment(self) -> None:
        """Go to the first moment."""

    def last_moment(self) -> None:
        """Go to the last moment."""

    def do_in_window(self, action: str) -> None:
        """Play or step as in the window."""

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

    def switch_keys(self) -> None:
        """Show or hide the keys of a talk."""

    def swap_screens(self) -> None:
        """Show the talk on the next screen."""

    def leave(self) -> None:
        """End the talk."""

    def fill_the_screen(self) -> None:
        """Show the talk in full screen."""


def _on_stage(*specs: ActionSpec[Speaker]) -> tuple[ActionSpec[Speaker], ...]:
    return tuple(replace(spec, contexts=("stage",), section="In a talk") for spec in specs)


def _as_in_window(action: str, text: str, tip: str, key: str) -> ActionSpec[Speaker]:
    """An action of the window that has another key in a talk, where its own goes to another moment."""
    return ActionSpec(f"talk_{action}", text, tip, (key,), do=lambda speaker: speaker.do_in_window(action))


STAGE_ACTIONS: tuple[ActionSpec[Speaker], ...] = _on_stage(
    ActionSpec(
        "next_moment",
        "Next moment",
        "Play to the next moment, or jump there if it is already playing; without a story, go forward one round",
        ("Right", "Space", "PgDown", "Down"),
        do=lambda speaker: speaker.next_moment(),
    ),
    ActionSpec(
        "previous_moment",
        "Previous moment",
        "Go back to the previous moment, or to this one after other steps; without a story, go back one round",
        ("Left", "Shift+Space", "PgUp", "Up", "Backspace"),
        do=lambda speaker: speaker.previous_moment(),
    ),
    ActionSpec(
        "first_moment",
        "First moment",
        "Go to the first moment; without a story, to the start of the run",
        ("Home",),
        do=lambda speaker: speaker.first_moment(),
    ),
    ActionSpec(
        "last_moment",
        "Last moment",
        "Go to the last moment; without a story, to the newest event",
        ("End",),
        do=lambda speaker: speaker.last_moment(),
    ),
    ActionSpec(
        "go_to_moment",
        "Go to a moment",
        "Go to the moment whose number you typed; without a number, go to the next one",
        ("Return", "Enter"),
        do=lambda speaker: speaker.next_moment(),
    ),
    _as_in_window("play", "Play or pause the run", "Play the run from here, or pause it", "P"),
    _as_in_window("event_forward", "Next event", "Go forward one event", "E"),
    _as_in_window("event_back", "Previous event", "Go back one event", "Shift+E"),
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
        "Show or hide the notes and the next moment: next to the picture, or on a second screen",
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
        "swap_screens",
        "Swap screens",
        "Show the talk on the other screen, and the notes on this one",
        ("S",),
        do=lambda speaker: speaker.swap_screens(),
    ),
    ActionSpec(
        "talk_keys",
        "Keys of a talk",
        "Show or hide the keys that work in a talk",
        ("?", "F1"),
        do=lambda speaker: speaker.switch_keys(),
    ),
    ActionSpec(
        "screen",
        "Full screen",
        "Show a story that plays in the window in full screen",
        ("F5", "Shift+F5"),
        do=lambda speaker: speaker.fill_the_screen(),
    ),
    ActionSpec(
        "leave", "End the talk", "End the talk and restore the window", ("Esc",), do=lambda speaker: speaker.leave()
    ),
)
"""In the order of the list of keyboard shortcuts."""
