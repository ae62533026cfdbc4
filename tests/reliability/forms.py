"""The forms that the measurements run, and the events that their runs must have."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import islice

from gems_engine.events import Event
from gems_engine.gallery import make
from gems_engine.running import Run
from gems_gui.drafts.draft import Draft

SMALL = Draft.of("paper-hard", seed=1, instance={"d_star": 4, "epsilon": 0.3}, parameters={"max_samples": 3000})
"""116 events, computed in a tenth of a second."""
MIDDLE = SMALL.with_text("algorithm.max_samples", "30000")
"""209 events, with eleven eliminations and a recommendation that changes."""
LARGE = Draft.of(
    "paper-hard", seed=1, instance={"epsilon": 1e-5}, parameters={"base": 2, "max_samples": 10**15, "max_loops": 200}
)
"""42,883 events in some seconds."""
ENDLESS = Draft.of(
    "sphere",
    seed=1,
    instance={"n": 1000, "D": 60, "d_star": 20, "min_gap": 1e-3},
    parameters={"base": 2, "max_samples": 10**15, "max_loops": 200},
)
"""Hundreds of events per second at first, 1,600 after 16 seconds, and then more: it is never over before a kill."""
EDITED = SMALL.with_text("run.seed", "7")
"""What is in the form while another run goes on."""
FORMS = {
    "small": SMALL,
    "middle": MIDDLE,
    "large": LARGE,
    "endless": ENDLESS,
    "edited": EDITED,
    "rage": SMALL.with_algorithm("rage"),
    "budget": SMALL.with_algorithm("fixed-budget"),
}


class Reference:
    """The events of the run of a form, computed without a window, as far as they are needed."""

    def __init__(self, draft: Draft) -> None:
        instance = make(draft.family.name, **draft.family_values())
        self._run: Iterator[Event] = iter(
            Run(instance, draft.algorithm, draft.seed_value(), **draft.algorithm_values())
        )
        self._events: list[Event] = []

    def first(self, count: int) -> list[Event]:
        """The first events."""
        self._events += islice(self._run, max(0, count - len(self._events)))
        return self._events[:count]


@cache
def reference(name: str) -> Reference:
    """The reference for a form."""
    return Reference(FORMS[name])
