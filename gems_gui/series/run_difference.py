"""The differences of two runs, as sentences and rows for a table; does not import Qt."""

from __future__ import annotations

from dataclasses import dataclass

from gems_engine.diff import ROUNDING, Comparison, Difference, differences_between
from gems_engine.diff_wording import decided, difference_text, event_text, side_by_side
from gems_engine.events import Allocated, DimensionProbed, Eliminated, Estimated, Pulled, Recommended
from gems_engine.terminal import THIN, number
from gems_engine.trace import Trace
from gems_engine.wording import ordinal
from gems_gui.series.setting_titles import setting_title, setting_value
from gems_gui.series.table import Table, TextRow
from gems_gui.snapshot import Snapshot
from gems_gui.truth import HIDDEN

MOST = 100
"""The largest number of rows for settings, and for one event."""
_SECRET = ("instance.rewards", "instance.target_rewards", "instance.theta")
NAMES = ("this run", "the other")
"""What the runs are called in sentences, as in the table."""
ASKED = "settings"
"""Where two runs differ before their first event: in their settings."""


@dataclass(frozen=True)
class DifferenceRow(TextRow):
    """One difference.

    Attributes
    ----------
    where, what
        The event, or the settings; and the field.
    a, b
        Both values.
    relative
        Their relative difference, if it is defined.
    event, other_event
        Index of the event in each run, None for settings.
    """

    where: str
    what: str
    a: str
    b: str
    relative: str = ""
    event: int | None = None
    other_event: int | None = None

    @property
    def events(self) -> tuple[int, int] | None:
        """The events of both runs that it is about; None for settings."""
        if self.event is None:
            return None
        return self.event, self.event if self.other_event is None else self.other_event

    def texts(self) -> tuple[str, ...]:
        return self.where, self.what, self.a, self.b, self.relative

    def tip(self, column: int) -> str:
        relative = f", relative difference {self.relative}" if self.relative else ""
        return f"{self.where}, {self.what}: {self.a} – {self.b}{relative}"

    def role(self, column: int) -> str:
        return "dim" if column in (0, 4) else ""


@dataclass(frozen=True, eq=False)
class DifferenceSeries:
    """The differences between the run of a snapshot and the compared one before the cursor; empty without one."""

    rows: tuple[DifferenceRow, ...]
    subtitle: tuple[str, ...]
    found: Difference | None = None

    def table(self, snapshot: Snapshot) -> Table:
        """One row for each difference."""
        plain = [tuple(cell.replace(THIN, "") for cell in each.texts()) for each in self.rows]
        return Table(("where", "what", "this_run", "the_other", "relative"), plain)


def difference_series(snapshot: Snapshot) -> DifferenceSeries:
    """Compare the events before the cursor; later ones are ignored."""
    other = next((each.trace for each in snapshot.compared if each.trace is not snapshot.trace), None)
    if other is None:
        return DifferenceSeries((), ("There is no other run to compare with.", "no other run"))
    comparison = Comparison(snapshot.trace, other, snapshot.cursor)
    comparison.update()
    whole = snapshot.cursor >= max(len(snapshot.trace), len(other))
    words = difference_text(comparison, (whole, whole), truth=snapshot.truth, names=NAMES)
    found = comparison.found
    short = "no difference" if found.position is None else f"event {ordinal(found.position)} differs"
    # A picture does not scroll: the most important rows are on top.
    rows = sorted(difference_rows(comparison, snapshot.truth), key=lambda row: row.event is None)
    return DifferenceSeries(tuple(rows), (words, words.split(". ")[0].rstrip("."), short), found)


def difference_rows(comparison: Comparison, truth: bool = True) -> list[DifferenceRow]:
    """One row for each difference: settings, the first event, where the runs diverge, the largest rounding."""
    found, a, b = comparison.found, comparison.a, comparison.b
    open_to_all = [each for each in found.settings if truth or each.name not in _SECRET]
    asked, more = side_by_side(open_to_all, MOST)
    algorithms = [trace.started.algorithm for trace in (a, b) if trace.started is not None]
    rows = [
        DifferenceRow(
            ASKED,
            setting_title(name, algorithms, a.instance),
            setting_value(name, one),
            setting_value(name, other),
            relative,
        )
        for name, one, other, relative in asked
    ]
    if more:
        rows.append(DifferenceRow(ASKED, f"and {number(more)} more", "", ""))
    if len(open_to_all) < len(found.settings):
        rows.append(DifferenceRow(ASKED, "Instance, its truth", HIDDEN, HIDDEN))
    if found.position is None:
        return rows
    if found.decision is not None:
        first, second = found.decision.a.event, found.decision.b.event
        where = f"event {ordinal(first)}" if first == second else f"events {ordinal(first)}, {ordinal(second)}"
        rows.append(DifferenceRow(where, "decision", *decided(found, a, b, truth), "", first, second))
    if any(each.name == "algorithm" for each in found.settings):
        return rows  # other algorithms have other events
    where = f"event {ordinal(found.position)}"
    if found.fields:
        fields, more = side_by_side(found.fields, MOST, (a.instance, b.instance))
        rows += [
            DifferenceRow(where, _field_title(row[0], a, found.position), *row[1:], event=found.position)
            for row in fields
        ]
        if more:
            rows.append(DifferenceRow(where, f"and {number(more)} more", "", "", event=found.position))
    else:
        rows.append(DifferenceRow(where, "event", event_text(found.a, a), event_text(found.b, b), event=found.position))
    widest = "largest rounding" if found.rounding <= ROUNDING else "largest difference"
    apart = "steps differ" if found.decision is None else "runs diverge"  # as in rounding_text
    for what, at in ((widest, found.widest), (apart, found.parted)):
        if at is not None and at != found.position:
            rows.append(_event_row(comparison, what, at, at == found.parted))
    return rows


def _event_row(comparison: Comparison, what: str, at: int, structural: bool) -> DifferenceRow:
    """What differs most in an event: the first entry that is more than a number, or the largest difference."""
    a, b = comparison.a, comparison.b
    one, other = (trace[at] if at < len(trace) else None for trace in (a, b))
    where = f"event {ordinal(at)}"
    fields = [each for each in differences_between(one, other) if each.structural == structural and not each.on_the_way]
    if not fields:
        return DifferenceRow(where, what, event_text(one, a), event_text(other, b), event=at)
    field = max(fields, key=lambda each: each.largest)  # the first one, if none has numbers
    most = int(field.relative.argmax()) if len(field.entries) and len(field.relative) else 0
    shown, _ = side_by_side([field], most + 1, (a.instance, b.instance))
    name, mine, theirs, relative = shown[most]
    return DifferenceRow(where, f"{what}: {_field_title(name, a, at)}", mine, theirs, relative, at)


def _field_title(name: str, trace: Trace, at: int) -> str:
    """A field of an event, and the arm that an entry belongs to: "sums, x_4" for "sums[3]"."""
    field, _, entry = name.rstrip("]").partition("[")
    event, instance = trace[at], trace.instance
    if entry.isdigit() and isinstance(event, Pulled) and field == "sums":
        allocation = trace.state_at(at).allocation
        return name if allocation is None else f"sums, {instance.arm_label(int(allocation.arms[int(entry)]))}"
    if entry.isdigit() and isinstance(event, Allocated) and field == "counts":
        return f"counts, {instance.arm_label(int(event.arms[int(entry)]))}"
    if entry.isdigit() and isinstance(event, Eliminated) and field in ("by", "gaps", "widths"):
        target = instance.target_label(int(event.targets[int(entry)]))
        return f"{target} eliminated by" if field == "by" else f"{field}, {target}"
    if entry.isdigit() and isinstance(event, Estimated) and field == "theta":
        return f"estimate, {instance.feature_label(int(entry))}"
    if isinstance(event, DimensionProbed) and field == "d":
        return "d examined"
    return "recommendation" if isinstance(event, Recommended) and field == "target" else name.replace("_", " ")


def first_events(found: Difference) -> tuple[int, int] | None:
    """The event of each run where they first differ: in a decision, for two algorithms; None if they do not."""
    if any(each.name == "algorithm" for each in found.settings):
        return None if found.decision is None else (found.decision.a.event, found.decision.b.event)
    return None if found.position is None else (found.position, found.position)
