"""Numbers of captions that need a solver, computed by the analysis process so that a talk never waits for them."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from gems_engine.instance import Instance
from gems_engine.talk.numbers import Wanted, compute_all
from gems_gui.background.queries import Queries
from gems_gui.workbench.ports import Answer

_KEY = "caption numbers of "


class CaptionNumbers(QObject):
    """Numbers that are known or being computed.

    Signals
    -------
    came
        New numbers have arrived, so that captions can be filled again.
    """

    came = Signal()

    def __init__(self, queries: Queries, parent: QObject) -> None:
        super().__init__(parent)
        self._queries = queries
        self._known: dict[tuple[str, Wanted], float] = {}
        self._missing: dict[str, dict[Wanted, None]] = {}
        queries.answered.connect(self._on_answer)

    def look_up(self, instance: Instance, wanted: Wanted) -> float | None:
        """A number, or None while it is being computed."""
        digest = instance.digest
        known = self._known.get((digest, wanted))
        missing = self._missing.setdefault(digest, {})
        if known is None and wanted not in missing:
            missing[wanted] = None
            # Only the newest query of a key is answered, so it asks for everything that is missing.
            self._queries.ask(f"{_KEY}{digest}", compute_all, instance, tuple(missing))
        return known

    def _on_answer(self, answer: Answer) -> None:
        if not answer.key.startswith(_KEY):
            return
        digest = answer.key.removeprefix(_KEY)
        missing = self._missing.pop(digest, {})
        values = answer.value or dict.fromkeys(missing, float("nan"))
        for wanted, value in values.items():
            self._known[digest, wanted] = value
        self.came.emit()
