"""The contract of a view of another package: it paints at every cursor, shows nothing after it, and can be exported."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

from gems_engine.gallery import make
from gems_engine.instance import Instance
from gems_engine.plugin_contract import Violation, findings, require_sentence
from gems_engine.running import run
from gems_engine.self_test import Finding
from gems_engine.trace import Trace
from gems_gui.appearance import Appearance
from gems_gui.painting.offscreen import start_painting
from gems_gui.painting.render import paint, png
from gems_gui.snapshot import Snapshot
from gems_gui.start_checks import painting_obstacle
from gems_gui.theme import LIGHT, THEMES
from gems_gui.views import EVERY_VIEW

_SIZE = (640, 400)


def check_view(name: str) -> Iterator[Finding]:
    """The findings about an installed view."""
    if obstacle := painting_obstacle():
        return iter((Finding("painting", obstacle, good=False),))
    start_painting()
    return findings(
        (
            ("documented", lambda: _documented(name)),
            ("paints", lambda: _paints(name)),
            ("cursor", lambda: _cursor(name)),
            ("exports", lambda: _exports(name)),
        )
    )


def _documented(name: str) -> str:
    view = EVERY_VIEW[name]
    require_sentence("about", view.about)
    for option in view.options:
        if not option.label or not option.words:
            raise Violation(f"Its option {option.name} is not described. Give it a label and words.")
    return view.title


def _runs() -> dict[str, Trace]:
    """Runs of different algorithms, one of them without rewards of its own."""

    def measured(arms: object, counts: object) -> object:
        return counts

    features = Instance.from_features([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    return {
        "GEMS": run(make("paper-hard", epsilon=0.3), "fixed-confidence", seed=1, max_samples=3000).finish(),
        "GEMS with a fixed budget": run(make("soare", D=3), "fixed-budget", seed=1, budget=2000).finish(),
        "RAGE without known rewards": run(features, "rage", rewards=measured, max_samples=500).finish(),
    }


def _cursors(trace: Trace) -> list[int]:
    """A few positions: before the first event, after each of the first, in the middle, and at the end."""
    return sorted({*range(min(8, len(trace))), len(trace) // 2, len(trace) - 1, len(trace)})


def _paints(name: str) -> str:
    painted = 0
    for theme in THEMES.values():
        view = EVERY_VIEW[name](Appearance(theme))
        view.show(None)
        _require_shown(view.failure, "without a run")
        for what, trace in _runs().items():
            for cursor in _cursors(trace):
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    view.show(Snapshot.of(trace, cursor))
                where = f"in a run of {what} at event {cursor}"
                _require_shown(view.failure, where)
                if caught:
                    raise Violation(f"It warns {where}: {caught[0].message}. Handle the case first.")
                painted += 1
    return f"{painted} snapshots of {len(_runs())} runs in {len(THEMES)} themes"


def _require_shown(failure: tuple[str, str] | None, where: str) -> None:
    if failure is not None:
        raise Violation(f"{failure[0]} This happens {where}. Handle the case, with a placeholder if there is nothing.")


def _cursor(name: str) -> str:
    """What it shows at a cursor does not depend on later events: those are cut off, and its table is the same."""
    if not EVERY_VIEW[name].has_numbers:
        return "it has no numbers to compare"
    trace = _runs()["GEMS"]
    for cursor in _cursors(trace)[1:]:
        begun = Trace(trace.instance)
        begun.extend(trace[:cursor])
        tables = []
        for each in (trace, begun):
            view = EVERY_VIEW[name](Appearance(LIGHT), exporting=True)
            view.show(Snapshot.of(each, cursor))
            tables.append(view.as_table())
        if repr(tables[0]) != repr(tables[1]):
            raise Violation(
                f"At event {cursor} it shows something of later events. Use snapshot.state, or events before "
                "snapshot.cursor only."
            )
    return f"the same table at {len(_cursors(trace)) - 1} cursors, with and without later events"


def _exports(name: str) -> str:
    data = png(paint(Snapshot.of(_runs()["GEMS"]), name, _SIZE, LIGHT))
    return f"a picture of {len(data):,} bytes"
