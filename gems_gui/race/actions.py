"""The actions of the race."""

from __future__ import annotations

from gems_gui.actions.spec import ActionSpec, in_section
from gems_gui.race.race_controller import RaceController

RACE_ACTIONS: tuple[ActionSpec[RaceController], ...] = in_section(
    "Run",
    "Engine",
    ActionSpec(
        "race",
        "Race GEMS against RAGE",
        "Run GEMS and RAGE together on the same instance with the same random numbers, on one clock in samples",
        ("R",),
        do=RaceController.race,
        refusal=RaceController.race_refusal,
        words="versus rage baseline",
    ),
    ActionSpec(
        "race_run",
        "Race the shown run",
        "Run GEMS and RAGE with the settings of the shown run, whatever the form shows",
        do=RaceController.race_run,
        refusal=RaceController.race_run_refusal,
    ),
    ActionSpec(
        "race_oracle",
        "Race with the oracle",
        "Run RAGE, told d⋆, together with the others",
        toggle=RaceController.set_oracle,
        checked=lambda controller: controller.oracle,
        refusal=lambda controller: "" if controller.racing is not None else "No race is shown. Press R to start one.",
    ),
)
