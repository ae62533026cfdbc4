"""The view of the algorithm as written in the paper, while it runs."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QStackedWidget, QWidget

from gems_engine.algorithms import algorithm_title
from gems_engine.algorithms.frames import Frame
from gems_engine.algorithms.pseudocode import Listing
from gems_engine.conditions import LineReached
from gems_engine.trace import Trace
from gems_gui.series.pseudocode import PseudocodeSeries, listing_named, listing_of, pseudocode, unstarted, value_text
from gems_gui.series.wordings import Phrasings
from gems_gui.snapshot import Snapshot
from gems_gui.theme import Theme
from gems_gui.views.option import Option
from gems_gui.views.pseudocode_page import PseudocodePage
from gems_gui.views.view import View
from gems_gui.widgets.dialogs import sentence_label

FOLD, ALL = "fold", "all"
_HOW = "Press Run to follow it"
_NONE = "The algorithm {} has no pseudo-code."


class Pseudocode(View):
    """The call stack: the lines of the algorithm and of the subroutines it calls, the current line, and the symbols."""

    name = "pseudocode"
    title = "Pseudo-code"
    is_plot = False
    marks_selection = False
    about = (
        "The algorithm as written in the paper. The line of the event at the cursor is marked, and so are the lines "
        "that called it; values are shown next to their symbols. Click a line to go to its next event, Shift+click for "
        "the previous one. Hover over a symbol for its definition. Keys: Up and Down select a line, Return and "
        "Shift+Return go to its next and previous event, W explains the step."
    )

    options = (Option("outer", "Lines of the strategy", {FOLD: "Only the calling line if space is short", ALL: "All"}),)

    def make(self) -> QWidget:
        self._trace: Trace | None = None
        self.coming = ""
        self._listing: Listing | None = None
        self.page = PseudocodePage(self.exporting)
        self.page.asked.connect(self._go)
        self.page.why_asked.connect(self._ask_why)
        self.sentence: QLabel = sentence_label("dim")
        self.stack = QStackedWidget()
        self.stack.addWidget(self.page)
        self.stack.addWidget(self.sentence)
        return self.stack

    def apply_theme(self, theme: Theme) -> None:
        self.page.apply_theme(theme)

    def reset(self) -> None:
        super().reset()
        self.page.reset()

    def clear(self) -> None:
        """Without a run, show the lines of the algorithm that would run, if it is known."""
        self._trace = self._listing = self.series = None
        self.page.has_run = False
        coming = listing_named(self.coming) if self.coming else None
        self.head.subtitle.setText("" if coming is None else _HOW)
        self.stack.setCurrentWidget(self.page)
        self.page.show_series(PseudocodeSeries(()) if coming is None else unstarted(coming))

    def expect(self, algorithm: str) -> None:
        """Set the algorithm to show while there is no run."""
        if algorithm != self.coming:
            self.coming = algorithm
            if self.snapshot is None:
                self.show(None)

    def paint(self, snapshot: Snapshot) -> None:
        if snapshot.trace is not self._trace or self._listing is None:
            self._trace, self._listing = snapshot.trace, listing_of(snapshot)
        series = pseudocode(snapshot, self._listing)
        self.series = series
        started = snapshot.trace.started
        name = "" if started is None else algorithm_title(started.algorithm)
        self.sentence.setText(_NONE.format(name) if name and not self._listing else "")
        self.page.has_run = True
        self.page.folds = self.settings["outer"] == FOLD
        self.stack.setCurrentWidget(self.page if self._listing else self.sentence)
        self.page.show_series(series)
        self.set_subtitle(_where(series))
        self.page.setAccessibleDescription(_spoken(series))

    def _go(self, listing: str, line: str, forward: bool) -> None:
        started = self.snapshot.trace.started if self.snapshot is not None else None
        if started is not None:
            self.until_asked.emit(LineReached(started.algorithm, listing, line), forward)

    def _ask_why(self) -> None:
        self.view_asked.emit("why")


def _where(series: PseudocodeSeries) -> Phrasings:
    """The current line as a text, with the calling lines if they fit; first which calls a cut run shows."""
    names = [_line_name(frame) for frame in series.stack if frame.line]
    lines = [" ▸ ".join(names[at:]) for at in range(len(names))]
    calls = " · ".join(series.calls)
    return (*(f"{calls} · {line}" for line in lines), calls, *series.calls[:1]) if calls else tuple(lines)


def _line_name(frame: Frame) -> str:
    number = frame.listing.number_of(frame.line)
    if number:
        return f"{frame.listing.name}, line {number}"
    (text,) = (line.text for line in frame.listing.lines if line.id == frame.line)
    word = next((each for each in ("input", "output") if text.startswith(f"**{each}**")), "added line")
    return f"{frame.listing.name}, {word}"


def _spoken(series: PseudocodeSeries) -> str:
    """The current line and its values, for screen readers."""
    current = series.current
    if current is None:
        return ""
    depth, line = current
    values = [
        f"{name} = {value_text(value)}" for (at, name), value in series.stack[depth].values.items() if at == line.id
    ]
    return ". ".join([_line_name(series.stack[depth]), line.text.replace("**", ""), *values])
