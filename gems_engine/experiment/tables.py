"""Tables of an experiment as CSV, Markdown and LaTeX: one with everything, and one for each metric along x."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gems_engine.experiment import words
from gems_engine.experiment.agreement import Comparison, comparison_of, difference
from gems_engine.experiment.measures import CellSummary, Summary
from gems_engine.experiment.metrics import METRICS, Metric
from gems_engine.experiment.ratios import CellRatio
from gems_engine.experiment.theory import CellBound
from gems_engine.formats.csv_cells import csv_text

IN_PAPER = "in the paper"
"""The end of a row's name if the row has numbers of the paper."""
MINUS_PAPER = "minus the paper"
"""The end of a row's name if it compares the measured numbers with them."""


@dataclass(frozen=True)
class Table:
    """Texts in rows and columns.

    Attributes
    ----------
    name, title
        A key, and a title.
    header, rows
        The first column names the row.
    """

    name: str
    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


# -- along x -----------------------------------------------------------------------------------------------------


def tables_of(summary: Summary) -> list[Table]:
    """The map, if there is one; for every metric a row per series, a column per x, and the numbers of the paper."""
    return _map(summary) + [
        _along_x(summary, metric)
        for name, metric in METRICS.items()
        if summary.done and (metric.kind == "share" or summary.shows(name))
    ]


def _along_x(summary: Summary, metric: Metric) -> Table:
    said = summary.specification
    columns = list(dict.fromkeys(said.group(each.cell) for each in summary.cells))
    by_series: dict[str, dict[str, CellSummary]] = {}
    for each in summary.cells:
        by_series.setdefault(said.series(each.cell), {})[said.group(each.cell)] = each
    rows = []
    for name, cells in by_series.items():
        if metric.name in ("stopped", "verified") and not any(each.tells(metric.name) for each in cells.values()):
            continue  # it never has a value, which is no result
        in_columns = [cells.get(column) for column in columns]
        rows.append((_named(name, cells.values(), metric), *(_shown(each, metric) for each in in_columns)))
        printed = [comparison_of(summary, each, metric.name) for each in in_columns]
        in_paper = any(each is not None for each in printed)
        if metric.kind != "share" and (in_paper or (metric.name == "tau" and said.printed)):
            rows.append((f"{name}, mean of right trials", *(_mean(each, metric) for each in in_columns)))
        if in_paper:
            rows.append((f"{name}, {IN_PAPER}", *(_in_paper(each, metric) for each in printed)))
        if any(each is not None and each.agrees is not None for each in printed):
            rows.append((f"{name}, {MINUS_PAPER}", *(map(_minus_paper, printed))))
    kind = "Wilson 95 % intervals" if metric.kind == "share" else "medians over all trials, 95 % intervals"
    heads = tuple(column or metric.title for column in columns)
    return Table(metric.name, f"{metric.title} ({kind})", ("", *heads), tuple(rows))


def _map(summary: Summary) -> list[Table]:
    """The ratio of two algorithms: a row per y, a column per x."""
    said, asked = summary.specification, summary.specification.map
    if asked is None or not summary.done:
        return []
    columns = list(dict.fromkeys(said.group(each.cell) for each in summary.cells))
    rows: dict[str, dict[str, str]] = {}
    for each in summary.ratios:
        row = rows.setdefault(said.setting(asked.y, each.of.varied[asked.y]), {})
        row[said.group(each.of)] = _ratio(each)
    title = f"τ of {asked.of} divided by τ of {asked.over} (medians over trials with the same seed, 95 % intervals)"
    texts = ((name, *(row.get(column, "–") for column in columns)) for name, row in rows.items())
    return [Table("map", title, ("", *columns), tuple(texts))]


def _ratio(each: CellRatio) -> str:
    unknown = f"; {each.unknown} of {each.trials} unknown" if each.unknown else ""
    return f"{words.ratio(each)} {words.ratio_interval(each)}".strip() + unknown


def _named(name: str, cells: Iterable[CellSummary], metric: Metric) -> str:
    """The name of a series, with a note if it should have stopped but never did."""
    never = metric.name == "stopped" and not any(each.measured[metric.name].known for each in cells)
    return f"{name}, cut off in every trial" if never else name


def _in_paper(found: Comparison | None, metric: Metric) -> str:
    """The number of the paper for a cell, with its interval if it is known."""
    if found is None:
        return "–"
    if found.paper_interval is None:
        return words.value(found.paper, metric.kind)
    return words.interval(words.percent(found.paper), found.paper_interval)


def _minus_paper(found: Comparison | None) -> str:
    if found is None or found.agrees is None:
        return "–"
    return f"{difference(found)}, {'agrees' if found.agrees else 'differs'}"


def _shown(cell: CellSummary | None, metric: Metric) -> str:
    if cell is None or not cell.success.total:
        return "–"
    return words.share(cell.success) if metric.kind == "share" else words.median(cell, metric.name)


def _mean(cell: CellSummary | None, metric: Metric) -> str:
    """The mean over the trials that have a number, as in the paper, with its interval."""
    return "–" if cell is None else words.mean(cell.measured[metric.name], metric.kind)


# -- everything --------------------------------------------------------------------------------------------------


def everything(summary: Summary, bounds: dict[int, tuple[CellBound, ...]]) -> Table:
    """One row per cell with every number in full, for other programs.

    Infinite or unknown numbers are ``inf``; ``censored_at`` is the lower bound of an unknown one.
    """
    said = summary.specification
    varied = list(dict.fromkeys(name for each in summary.cells for name in each.cell.varied))
    header = ["label", *varied, "instance", "algorithm", "parameters", "trials", "failed"]
    header += ["right", "success", "success_low", "success_high"]
    for name, metric in METRICS.items():
        if metric.kind != "share":
            header += [f"{name}_censored", f"{name}_zeros", f"{name}_mean_of_known"]
            parts = ("", "_censored_at", "_low", "_high")
            header += [f"{name}_{p}{part}" for p in _percents(summary) for part in parts]
    header += ["bound_lower", "bound_upper", "bound_error"]
    header += [f"paper_{name}{part}" for name in _of_paper(summary) for part in _COMPARED]
    header += [f"ratio_{name}" for name in _RATIO] if summary.ratios else []
    return Table(
        "summary",
        said.title,
        tuple(header),
        tuple(tuple(_full(summary, each, varied, bounds)) for each in summary.cells),
    )


def _percents(summary: Summary) -> list[str]:
    first = next(iter(summary.cells[0].measured.values()))
    return [f"p{100 * each:g}" for each in first.quantiles]


def _full(
    summary: Summary, each: CellSummary, varied: Sequence[str], bounds: dict[int, tuple[CellBound, ...]]
) -> Iterable[str]:
    cell, right = each.cell, each.success
    yield cell.label
    yield from (str(cell.varied.get(name, "")) for name in varied)
    yield cell.instance_name
    yield cell.algorithm
    yield ";".join(f"{name}={value}" for name, value in cell.parameters.items())
    yield from (str(number) for number in (right.total, each.failed, right.count))
    yield from (repr(number) for number in (right.share, right.low, right.high))
    for measured in each.measured.values():
        yield from (str(measured.censored), str(measured.zeros), repr(measured.mean))
        for found in measured.quantiles.values():
            yield repr(found.value)
            yield "" if found.censored_at is None else repr(found.censored_at)
            yield from (repr(number) for number in (found.low, found.high))
    for side in ("lower", "upper", "error"):
        holding = [bound.value for bound in bounds.get(cell.index, ()) if bound.side == side and bound.holds]
        yield repr(holding[0]) if holding else ""
    for name in _of_paper(summary):
        yield from _compared(comparison_of(summary, each, name))
    if summary.ratios:
        ratio = next((one for one in summary.ratios if one.of.index == cell.index), None)
        yield from ("" if ratio is None else repr(getattr(ratio, name)) for name in _RATIO)


def _compared(found: Comparison | None) -> Iterable[str]:
    """The columns of a comparison with the paper, empty if there is none."""
    yield "" if found is None else repr(found.paper)
    yield from ("", "") if found is None or found.paper_interval is None else map(repr, found.paper_interval)
    yield "" if found is None or found.agrees is None else str(found.agrees).lower()


_COMPARED = ("", "_low", "_high", "_agrees")
"""The columns of a metric that has numbers in the paper."""
_RATIO = ("trials", "at_zero", "unknown", "least", "most", "low", "high")
"""The columns of a map, in the rows of the algorithm that is divided."""


def _of_paper(summary: Summary) -> list[str]:
    """The metrics that have numbers in the paper."""
    return list(dict.fromkeys(each.metric for each in summary.specification.printed))


# -- formats -----------------------------------------------------------------------------------------------------


def to_csv(table: Table) -> str:
    """A table as CSV, for other programs."""
    return csv_text([table.header, *table.rows])


def to_markdown(tables: Sequence[Table]) -> str:
    """Tables as Markdown, for a README."""
    parts = []
    for table in tables:
        lines = [table.header, ("---",) * len(table.header), *table.rows]
        cells = ("| " + " | ".join(map(markdown_text, line)) + " |" for line in lines)
        parts.append("\n".join([f"**{markdown_text(table.title)}**", "", *cells]))
    return "\n\n".join(parts) + "\n"


_BREAKS = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")  # where a line would end
_MARKDOWN = re.compile(r"[\\|`*_~]|<(?=[A-Za-z/!?])|&(?=#?\w+;)|(?<=\])\((?=[^)]*\))")


def markdown_text(text: str) -> str:
    """A text escaped for a cell of a Markdown table: no new cell, markup, tag, entity or link."""
    return _MARKDOWN.sub(r"\\\g<0>", _BREAKS.sub(" ", text))


_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\u202f": r"\,",
    "ε": r"$\varepsilon$",
    "δ": r"$\delta$",
    "ζ": r"$\zeta$",
    "β": r"$\beta$",
    "τ": r"$\tau$",
    "θ": r"$\theta$",
    "ω": r"$\omega$",
    "Δ": r"$\Delta$",
    "ρ": r"$\rho$",
    "⋆": r"$_\star$",
    ">": r"$>$",
    "<": r"$<$",
    "|": r"\textbar{}",
    "−": r"$-$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "–": "--",
    "∞": r"$\infty$",
    "·": r"$\cdot$",
    "×": r"$\times$",
    "«": "``",
    "»": "''",
    "’": "'",
    **{letter: rf"$^{{{plain}}}$" for letter, plain in zip("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789", strict=True)},
}


def latex_text(text: str) -> str:
    """A text escaped for LaTeX, in one line."""
    line = _BREAKS.sub(" ", text)
    return "".join(_LATEX.get(letter, letter) for letter in line).replace("}$$^{", "")  # 10⁻⁵ has one exponent


def to_latex(tables: Sequence[Table]) -> str:
    """Tables as LaTeX, for a paper; needs the package booktabs."""
    return "\n\n".join([r"% Needs \usepackage{booktabs}.", *(_latex(table) for table in tables)]) + "\n"


def _latex(table: Table) -> str:
    def line(cells: Sequence[str]) -> str:
        shown = " & ".join(map(latex_text, cells))
        # After \\ and \midrule, a bracket or a star would be an option.
        return "    " + ("{}" if shown.startswith(("[", "*")) else "") + shown + r" \\"

    return "\n".join(
        [
            r"\begin{table}[h]",
            r"  \centering",
            rf"  \caption{{{latex_text(table.title)}}}",
            rf"  \begin{{tabular}}{{l{'c' * (len(table.header) - 1)}}}",
            r"    \toprule",
            line(table.header),
            r"    \midrule",
            *(line(row) for row in table.rows),
            r"    \bottomrule",
            r"  \end{tabular}",
            r"\end{table}",
        ]
    )
