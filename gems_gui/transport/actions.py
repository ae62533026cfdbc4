"""The actions that go to a place of the run, or on until something happens."""

from __future__ import annotations

from gems_gui.actions.spec import ActionSpec, in_section, where
from gems_gui.transport.transport_controller import TransportController
from gems_gui.transport.until_controller import UntilController

GO_TO_ACTIONS: tuple[ActionSpec[TransportController], ...] = in_section(
    "Run",
    "Go",
    ActionSpec(
        "go_to",
        "Go to ℓ, i, k…",
        "Go to where a loop, a subroutine or a round begins",
        ("Ctrl+G",),
        "goto",
        TransportController.go_to,
        enabled=TransportController.can_go,
    ),
)
UNTIL_ACTIONS: tuple[ActionSpec[UntilController], ...] = in_section(
    "Run",
    "Go",
    *where(
        UntilController.can_run_until,
        ActionSpec(
            "run_until",
            "Run until…",
            "Choose what the run goes on until, or goes back to",
            ("U",),
            do=UntilController.run_until,
        ),
        ActionSpec(
            "until_forward",
            "Until it happens again",
            "Run until the same happens the next time, with the engine where it has to compute",
            ("F3",),
            do=UntilController.until_forward,
            repeats=True,
        ),
        ActionSpec(
            "until_back",
            "Back to where it happened",
            "Go back to where the same happened",
            ("Shift+F3",),
            do=UntilController.until_back,
            repeats=True,
        ),
    ),
    ActionSpec(
        "stop_waiting",
        "Stop running until it happens",
        "Stop at this place (Esc)",
        do=UntilController.stop_waiting,
        enabled=UntilController.can_stop_waiting,
    ),
)
