"""What objects look like in a notebook: HTML of facts and tables, and pictures painted by ``gems render``.

All text goes through :func:`html.escape`, because names come from files.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from gems_engine.columns import Columns
from gems_engine.errors import InputError
from gems_engine.parameters import Value
from gems_engine.terminal import mark, number, plural, superscript

if TYPE_CHECKING:
    from gems_engine.complexity.table import Complexities
    from gems_engine.design.result import Design
    from gems_engine.instance import Instance
    from gems_engine.running import Run
    from gems_engine.session import Session
    from gems_engine.summary import Summary
    from gems_engine.trace import Trace

_MOST_ROWS = 12  # of a table; more are counted
_WAIT = 300.0  # seconds for a picture


@dataclass(frozen=True)
class Picture:
    """A picture as SVG; a notebook shows it.

    Attributes
    ----------
    name
        What it shows.
    svg
        The picture itself.
    """

    name: str
    svg: str

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | Path) -> None:
        """Write the picture to an ``.svg`` file; other formats are written by ``gems render``."""
        from gems_engine.files import atomic_write

        if Path(path).suffix.lower() != ".svg":
            raise InputError(f"Cannot save the picture as {path}: the name must end in .svg.")
        atomic_write(path, self.svg.encode())

    def __repr__(self) -> str:
        return f"<Picture {self.name}: SVG of {number(len(self.svg.encode()))} bytes>"


def plotted(
    trace: Trace,
    view: str,
    at: int | str | None,
    *,
    size: tuple[int, int],
    theme: str,
    style: str,
    text: float,
    truth: bool,
    options: Mapping[str, Value],
) -> Picture:
    """A view of a run, painted by ``gems render`` in another process: Qt would disturb the kernel of a notebook."""
    from gems_engine.commands import plugin_commands
    from gems_engine.files import write_run

    if "render" not in plugin_commands().usable:
        raise InputError("Plots are painted by the window's package, which is not installed. Run: pip install gems-lab")
    words = ["--view", view, "--size", _pixels(size, style), "--theme", theme, "--style", style, "--text", f"{text:g}"]
    words += [] if at is None else ["--at", str(at)]
    words += [] if truth else ["--hide-truth"]
    for name, value in options.items():
        words += ["--option", f"{view}.{name}={value}"]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.gems"
        write_run(file, trace)
        svg = _render([str(file), "-o", "-", "--format", "svg", *words])
    return Picture(view, svg)


def _pixels(size: tuple[int, int], style: str) -> str:
    width, height = size
    return f"{width / 96:g}x{height / 96:g}in" if style == "paper" else f"{int(width)}x{int(height)}"


def _render(words: Sequence[str]) -> str:
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    try:
        done = subprocess.run(
            [sys.executable, "-m", "gems_engine", "render", *words],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=_WAIT,
            env=environment,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"The picture could not be painted: {error}") from error
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines() or ["gems render failed without a message."]
        raise InputError(said[-1].removeprefix("gems: "))
    return done.stdout.decode()


# -- tables ------------------------------------------------------------------------------------------------------


def table_html(header: Sequence[str], rows: Sequence[Sequence[str]], total: int | None = None) -> str:
    """A table; ``total`` is the number of its rows if only the first are given."""
    head = "".join(f"<th>{escape(each)}</th>" for each in header)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    more = (len(rows) if total is None else total) - len(rows)
    tail = f"<p>… and {plural(more, 'more row')}</p>" if more > 0 else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{tail}"


def facts_html(title: str, facts: Iterable[tuple[str, str]]) -> str:
    """A title and a table of names and values."""
    rows = "".join(
        f'<tr><th style="text-align:left">{escape(name)}</th><td style="text-align:left">{escape(value)}</td></tr>'
        for name, value in facts
    )
    return f"<p><b>{escape(title)}</b></p><table><tbody>{rows}</tbody></table>"


def columns_html(values: Mapping[str, Sequence[Value]]) -> str:
    """The first rows of columns; missing values are dashes."""
    rows = list(zip(*(column[:_MOST_ROWS] for column in values.values()), strict=True))
    total = len(next(iter(values.values()), ()))
    return table_html(list(values), [[_cell(value) for value in row] for row in rows], total)


def _cell(value: Value) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return number(value, 5) if isinstance(value, int | float) else str(value)


def event_columns(trace: Trace) -> Columns:
    """Every event with its position, its kind, the samples so far and what it says."""
    from gems_engine.wording import describe

    algorithm = "" if trace.started is None else trace.started.algorithm
    names = ("event", "kind", "ell", "i", "k", "samples", "text")
    values: dict[str, list[Value]] = {name: [] for name in names}
    samples = 0
    for at, event in enumerate(trace):
        samples = getattr(event, "samples", samples)
        place = event.place
        said = describe(event, trace.instance, algorithm)
        row = (at, event.kind, place.ell or None, place.i or None, place.k or None, samples, said)
        for name, value in zip(names, row, strict=True):
            values[name].append(value)
    return Columns(values)


# -- objects -----------------------------------------------------------------------------------------------------


def instance_html(instance: Instance) -> str:
    """Size, truth if it is known, and the assumptions."""
    facts = [
        ("arms", f"{number(len(instance.arms))} in R{superscript(instance.D)}"),
        ("targets", "the arms" if instance.targets is instance.arms else number(len(instance.targets))),
    ]
    if instance.has_rewards:
        d_star = instance.d_star
        best = instance.target_label(instance.best) if instance.best_is_unique else f"tied: {instance.tied_labels()}"
        facts += [
            ("d⋆", "none: the rewards are not linear" if d_star is None else str(d_star)),
            ("best target", best),
            ("gaps", f"{number(instance.min_gap)} to {number(float(instance.gaps.max()))}"),
        ]
    else:
        facts.append(("rewards", "not known"))
    facts.append(("noise", str(instance.noise)))
    facts += [(f"{mark(each.holds)} {each.name}", each.statement) for each in instance.assumptions()]
    return facts_html(instance.name or "Unnamed instance", facts)


def trace_text(trace: Trace) -> str:
    """Algorithm, instance, seed and size of a recorded run in one line."""
    if trace.started is None:
        return "without events"
    started = trace.started
    where = trace.instance.name or "an unnamed instance"
    size = f"{plural(len(trace), 'event')}, {plural(len(trace.round_starts), 'round')}"
    return f"{started.algorithm} on {where}, seed {started.seed}: {size}, {_end_text(trace)}"


def _end_text(trace: Trace) -> str:
    from gems_engine.wording import answer_text, recorded_text

    state = trace.state_at(len(trace))
    answer = answer_text(state, trace.instance)
    ended = "not finished" if state.finished is None else f"ended ({recorded_text(state.finished.why)})"
    return f"{plural(state.samples, 'sample')}, {f'{answer}, ' if answer else ''}{ended}"


def _title(trace: Trace) -> str:
    from gems_engine.algorithms import algorithm_title

    if trace.started is None:
        return "A run without events"
    where = trace.instance.name or "an unnamed instance"
    return f"{algorithm_title(trace.started.algorithm)} on {where}, seed {trace.started.seed}"


def trace_html(trace: Trace) -> str:
    """What a recorded run found, and its first rounds."""
    from gems_engine.summary import summarise
    from gems_engine.verdict import verdict_of

    judged = verdict_of(trace)
    facts = _summary_facts(summarise(trace), trace.instance)
    facts += [("parameters", _parameters(trace.started.parameters))] if trace.started is not None else []
    title = _title(trace) + ("" if judged is None else f": {judged.headline()}")
    return facts_html(title, facts) + trace.rounds._repr_html_()


def _parameters(values: Mapping[str, Value]) -> str:
    return ", ".join(f"{name} = {_cell(value)}" for name, value in values.items() if value is not None)


def summary_text(summary: Summary) -> str:
    """A summary in one line."""
    found = "no recommendation" if summary.recommendation is None else f"recommends target {summary.recommendation}"
    right = "" if summary.correct is None else ", right" if summary.correct else ", wrong"
    tau = "" if summary.tau is None else f", τ = {number(summary.tau)}"
    return f"{summary.algorithm}, seed {summary.seed}: {found}{right}{tau}, {plural(summary.samples, 'sample')}"


def summary_html(summary: Summary) -> str:
    """The facts of a run."""
    return facts_html(summary_text(summary), _summary_facts(summary))


def _summary_facts(summary: Summary, instance: Instance | None = None) -> list[tuple[str, str]]:
    from gems_engine.wording import recorded_text

    label = str if instance is None else instance.target_label
    target, correct = summary.recommendation, summary.correct
    judged = "not known" if correct is None else f"{mark(correct)} {'right' if correct else 'wrong'}"
    return [
        ("recommendation", "–" if target is None else label(target)),
        ("right", judged),
        ("τ", "–" if summary.tau is None else number(summary.tau)),
        ("samples", number(summary.samples)),
        ("rounds", f"{number(summary.rounds)} in {plural(summary.subroutines, 'call')}"),
        ("changes", number(summary.changes)),
        ("targets that remain", number(len(summary.survivors))),
        ("end", recorded_text(summary.finish) if summary.finish else "not finished"),
    ]


def run_html(run: Run) -> str:
    """What will run, and how far it is."""
    facts = [
        ("algorithm", run.algorithm.title),
        ("instance", repr(run.instance)[1:-1]),
        ("seed", str(run.seed)),
        ("parameters", _parameters(run.parameters)),
        ("events so far", number(run._said)),
    ]
    return facts_html("Run", facts)


def session_state(session: Session) -> str:
    """How far a session is."""
    batch = session._batch
    if session.finished:
        return f"finished, {_end_text(session.trace)}"
    samples = session.trace.state_at(len(session.trace)).samples
    if batch is None:
        return f"{plural(samples, 'sample')}, ready for next_batch()"
    from gems_engine.wording import waiting_text

    return f"{plural(samples, 'sample')}, {waiting_text(session.trace)}"


def session_html(session: Session) -> str:
    """How far a session is, and the pulls that it waits for."""
    instance, batch = session.trace.instance, session._batch
    found = session.recommendation
    facts = [
        ("algorithm", session._run.algorithm.title),
        ("instance", repr(instance)[1:-1]),
        ("state", session_state(session)),
        ("recommendation", "–" if found is None else instance.target_label(found)),
    ]
    text = facts_html("Session", facts)
    if batch is None:
        return text
    pairs = list(zip(batch.arms.tolist(), batch.counts.tolist(), strict=True))
    rows = [[instance.arm_label(arm), number(count)] for arm, count in pairs[:_MOST_ROWS]]
    return text + table_html(["arm", "pulls"], rows, len(pairs))


def design_html(design: Design) -> str:
    """The proven bounds of a design, and its largest weights."""
    from gems_engine.design.result import how_proven

    facts = [
        ("value", number(design.value, 9)),
        ("bounds", f"{number(design.lower_bound, 9)} to {number(design.upper_bound, 9)}, {how_proven(design.proof)}"),
        ("gap", f"{number(design.gap, 2)} ({design.status})"),
        ("solver", f"{design.solver}, {plural(design.iterations, 'iteration')}"),
        ("support", f"{number(len(design.support))} of {plural(len(design.weights), 'arm')}"),
    ]
    order = design.support[(-design.support_weights).argsort(kind="stable")]
    rows = [[str(arm), number(float(design.weights[arm]), 5)] for arm in order[:_MOST_ROWS].tolist()]
    return facts_html("Design", facts) + (table_html(["arm", "weight λ"], rows, len(order)) if rows else "")


def complexities_html(numbers: Complexities) -> str:
    """A row for each dimension."""
    from gems_engine.complexity.table import cells

    header, rows = cells(numbers)
    return table_html(header, rows)
