"""What can be asked for while a talk is on, in the same words as the table of acts; knows no Qt."""

from __future__ import annotations

from gems_gui.actions.table import ActionSpec

SECTION = "In a talk"

STAGE_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "next_moment",
        "Next moment",
        "Play to the next moment, or be there at once where it plays already; without a story one round on",
        ("PgDown",),
    ),
    ActionSpec(
        "previous_moment",
        "Previous moment",
        "Go back to the moment before; without a story one round back",
        ("PgUp", "Backspace"),
    ),
    ActionSpec(
        "go_to_moment",
        "Go to a moment",
        "Go to the moment whose number was typed before; without a number to the next one",
        ("Return", "Enter"),
    ),
    ActionSpec("black", "Black screen", "Show nothing at all, or everything again", ("B", ".")),
    ActionSpec("notes", "Notes", "Show the notes of this moment, or hide them", ("N",)),
    ActionSpec(
        "clock", "Clock", "Show the time since the talk began and the number of the moment, or hide them", ("C",)
    ),
    ActionSpec("pointer", "Pointer", "Let the mouse be a large dot, or an arrow", ("D",)),
    ActionSpec("automatic", "Play by itself", "Play or pause the story", ("A",)),
    ActionSpec("leave", "End the talk", "Give the window back as it was", ("Esc",)),
    ActionSpec(
        "screen",
        "Whole screen",
        "Go on with a story that plays in the window on the whole screen; there, end the talk",
        ("F5",),
    ),
)
"""In the order in which the sheet of keys has them."""
FROM_THE_WINDOW = (
    "play",
    "slower",
    "faster",
    "live",
    *(f"{unit}_{way}" for unit in ("event", "round", "subroutine", "loop") for way in ("forward", "back")),
    "first",
    "last",
    "hide_truth",
    "show_truth",
)
"""Acts of the window whose keys hold in a talk too."""
