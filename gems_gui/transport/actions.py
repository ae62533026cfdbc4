"""The actions that go to a position in the run, or run until a condition holds."""

from __future__ import annotations

from gems_gui.actions.spec import ActionSpec, in_section, where
from gems_gui.transport.transport_controller import TransportController
from gems_gui.transport.until_controller import UntilController

GO_TO_ACTIONS: tuple[ActionSpec[TransportController], ...] = in_section(
    "Run/Go",
    "Go",
    ActionSpec(
        "go_to",
        "Go to ℓ, i, k…",
        "Go to the start of a loop, call or round",
        ("Ctrl+G",),
        "goto",
        TransportController.go_to,
        refusal=TransportController.go_to_refusal,
        words="jump seek",
    ),
)
UNTIL_ACTIONS: tuple[ActionSpec[UntilController], ...] = in_section(
    "Run/Go",
    "Go",
    *where(
        UntilController.run_until_refusal,
        ActionSpec(
            "run_until",
            "Run until…",
            "Choose a condition to run until, or to go back to",
            ("U",),
            do=UntilController.run_until,
        ),
        ActionSpec(
            "until_forward",
            "Run until the next match",
            "Run until the same condition holds again, computing new events if needed",
            ("F3",),
            do=UntilController.until_forward,
            repeats=True,
        ),
        ActionSpec(
            "until_back",
            "Back to the previous match",
            "Go back to where the same condition held before",
            ("Shift+F3",),
            do=UntilController.until_back,
            repeats=True,
        ),
    ),
    ActionSpec(
        "stop_waiting",
        'Cancel "run until"',
        "Stop at the current event (Esc)",
        do=UntilController.stop_waiting,
        refusal=UntilController.stop_waiting_refusal,
    ),
)
