"""The report of an experiment: a self-contained HTML page, plots, and tables for other programs."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from pathlib import Path

from gems_engine.algorithms import algorithm_title
from gems_engine.experiment import words
from gems_engine.experiment.folder import SPECIFICATION, Results, read_results, rows_in_order
from gems_engine.experiment.library import EXPERIMENTS
from gems_engine.experiment.measures import Summary
from gems_engine.experiment.plots import plots_of
from gems_engine.experiment.plots.svg import ROLES, dark_rules
from gems_engine.experiment.specification import RatioMap
from gems_engine.experiment.tables import Table, everything, tables_of, to_csv, to_latex, to_markdown
from gems_engine.experiment.theory import SAMPLE, CellBound, bounds_of
from gems_engine.experiment.trial_table import TrialTable
from gems_engine.files import atomic_write, make_folder
from gems_engine.terminal import number, plural, shown_json

REPORT = "report.html"
RESULTS = "results.csv"

Bounds = dict[int, tuple[CellBound, ...]]


def write_report(folder: str | Path, results: Results | None = None) -> Results:
    """Make the report from the rows of a folder and write it there; return the results."""
    place = Path(folder)
    results = results or read_results(place)
    summary = results.measures.summary()
    bounds = bounds_of(results.specification)
    tables = tables_of(summary)
    plots = plots_of(summary, bounds)
    for name, svg in plots.items():
        atomic_write(make_folder(place / "plots") / f"{name}.svg", svg.encode())
    atomic_write(place / RESULTS, TrialTable(results.specification).csv(rows_in_order(place, results)))
    atomic_write(place / "summary.csv", to_csv(everything(summary, bounds)).encode())
    atomic_write(place / "summary.json", shown_json(summary.as_dict()).encode())
    atomic_write(place / "tables.md", markdown(summary).encode())
    atomic_write(place / "tables.tex", to_latex(tables).encode())
    atomic_write(place / REPORT, page(results, summary, bounds, plots).encode())
    return results


def markdown(summary: Summary) -> str:
    """The tables as Markdown."""
    return to_markdown(tables_of(summary))


# -- the page ----------------------------------------------------------------------------------------------------


def page(results: Results, summary: Summary, bounds: Bounds, plots: dict[str, str]) -> str:
    """The report as one self-contained HTML page."""
    said = summary.specification
    body = [
        f"<h1>{escape(said.title)}</h1>",
        *(f"<p>{escape(each)}</p>" for each in said.about.split("\n\n") if each.strip()),
        _facts(results, summary),
        *(f"<figure>{svg}</figure>" for svg in plots.values()),
        "<h2>Tables</h2>",
        *(_table(table) for table in tables_of(summary)),
        _reading(summary),
        _theory(summary, bounds),
        _failures(summary),
        "<h2>Reproduce</h2>",
        _again(summary),
        f"<details><summary>The specification</summary><pre>{escape(said.text)}</pre></details>",
    ]
    head = f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(said.title)}</title>'
    style = f'<meta name="viewport" content="width=device-width">\n<style>{_style()}</style>\n</head>'
    return "\n".join([head, style, "<body>", *filter(None, body), "</body>", "</html>", ""])


def _facts(results: Results, summary: Summary) -> str:
    said = summary.specification
    lines = [
        f"{number(summary.done)} of {number(max(len(said), summary.done))} trials, {len(said.cells)} cells, "
        f"seed {said.seed}."
    ]
    if summary.failed:
        lines.append(f"{number(summary.failed)} failed; they count as not right, and their numbers as unknown.")
    lines += [f"Session of {session.started} on {session.workers}." for session in results.sessions]
    lines += [
        f"{plural(count, 'row')} made by {name or 'an unknown version'}." for name, count in summary.made_by.items()
    ]
    lines += results.notes
    return '<ul class="facts">' + "".join(f"<li>{escape(each)}</li>" for each in lines) + "</ul>"


def _table(table: Table) -> str:
    def cells(kind: str, texts: Iterable[str]) -> str:
        return "<tr>" + "".join(f"<{kind}>{escape(each)}</{kind}>" for each in texts) + "</tr>"

    head = cells("th", table.header)
    rows = "".join(cells("td", row) for row in table.rows)
    return f"<h3>{escape(table.title)}</h3><table><thead>{head}</thead><tbody>{rows}</tbody></table>"


def _reading(summary: Summary) -> str:
    """How to read the numbers."""
    lines = [
        "Intervals have 95 % confidence: Wilson's interval for shares; for medians and other quantiles the interval "
        "between two order statistics, which assumes no distribution.",
        "τ is the sample after which the recommendation stays right until the run ends, by itself or at the cap. A "
        "trial that is wrong at the end has no τ, and one that is cut off has no stop: it is censored, not dropped. "
        'If it was cut off, its number is above the cap ("> cap"); if it stopped by itself and was wrong, it is never '
        "right. Nothing is known about a failed trial: its numbers may be anything from 0 to ∞.",
    ]
    if summary.specification.map is not None:
        lines.append(_about_ratios(summary.specification.map, sum(each.at_zero for each in summary.ratios)))
    lucky = sum(each.measured["tau"].zeros for each in summary.cells)
    if lucky:
        lines.append(f"In {plural(lucky, 'trial')}, the first guess was right and never changed: τ = 0.")
    where = dict.fromkeys(each.where for each in summary.specification.printed if each.where)
    if where:
        lines.append(f"The paper's numbers: {'; '.join(where)}. They are means over the trials that were right.")
    return "".join(f'<p class="dim">{escape(each)}</p>' for each in lines)


def _about_ratios(asked: RatioMap, at_zero: int) -> str:
    return (
        f"A ratio is τ of {asked.of} divided by τ of {asked.over} in one trial; both have the same instance and seed. "
        "The median of these ratios, and the interval between two of them, assume no distribution. If a trial was cut "
        "off, its ratio is between two bounds: where the median depends on it, it is a bound, or unknown (?). If only "
        "one of the two was right from its first guess on (τ = 0), the ratio is 0 or ∞. If both were, there is no "
        f"ratio, and the trial is left out: {plural(at_zero, 'trial')} here."
    )


def _theory(summary: Summary, bounds: Bounds) -> str:
    said = summary.specification
    rows = []
    for cell in said.cells:
        for bound in bounds.get(cell.index, ()):
            several = f" (median over the first {min(SAMPLE, said.trials)} instances)" if cell.fresh else ""
            text = words.value(bound.value, "samples") if bound.side != "error" else f"{bound.value:.3g}"
            name = ", ".join(filter(None, [said.series(cell), said.group(cell)]))
            verdict = "holds" if bound.holds else "conditions fail"
            rows.append((name, bound.side, text + several, verdict, bound.says))
    if not rows:
        return ""
    table = Table(
        "theory", "", ("cell", "side", "value", "conditions", "theorem, for the first instance only"), tuple(rows)
    )
    return f"<details><summary>Theorems</summary>{_table(table)}</details>"


def _failures(summary: Summary) -> str:
    if not summary.failures:
        return ""
    rows = tuple(
        (str(row.index), row.instance, algorithm_title(row.algorithm), str(row.seed), str(row.tries), row.error)
        for row in summary.failures
    )
    table = Table("failures", "", ("trial", "instance", "algorithm", "seed", "tries", "error"), rows)
    more = summary.failed - len(rows)
    rest = f"<p>{number(more)} more are in the rows.</p>" if more else ""
    return f"<h2>Failed trials</h2>{_table(table)}{rest}"


def _again(summary: Summary) -> str:
    """The command that reproduces the rows, of an experiment with a name or of the file in this folder."""
    said = summary.specification
    how = f"--trials {said.trials} --seed {said.seed}"
    if said.name in EXPERIMENTS and EXPERIMENTS[said.name].text == said.text:
        return f"<pre>{escape(f'gems experiment {said.name} {how}')}</pre>"
    command = f"gems experiment {SPECIFICATION} {how} -o again"
    return f"<p>In the folder of this report:</p><pre>{escape(command)}</pre>"


def _style() -> str:
    light, dark = ({role: pair[at] for role, pair in ROLES.items()} for at in (0, 1))

    def of(colours: dict[str, str], ground: str) -> str:
        return (
            f"body{{background:{ground};color:{colours['text']}}}"
            f"figure,table,pre,details{{background:{colours['card']};border-color:{colours['line']}}}"
            f"td,th{{border-color:{colours['line']}}}.dim,.facts,th{{color:{colours['dim']}}}"
        )

    plain = (
        "body{font:14px/1.5 'DejaVu Sans',Verdana,sans-serif;max-width:960px;margin:24px auto;padding:0 16px}"
        "h1{font-size:22px}h2{font-size:17px;margin-top:32px}h3{font-size:14px;margin:20px 0 6px}"
        "figure,table,pre,details{border:1px solid;border-radius:6px}figure{margin:14px 0;overflow-x:auto;padding:4px}"
        "svg{max-width:100%;height:auto;display:block}pre,details{padding:10px;overflow-x:auto}"
        "table{border-collapse:collapse;width:100%;display:block;overflow-x:auto}"
        "td,th{padding:5px 10px;border-bottom:1px solid;text-align:right;white-space:nowrap;font-weight:normal}"
        "td:first-child,th:first-child{text-align:left}details td{white-space:normal;text-align:left}"
        ".facts{list-style:none;padding:0;font-size:12px}.dim{font-size:12px}summary{cursor:pointer}"
    )
    return (
        plain
        + of(light, "#F3F5F7")
        + "@media (prefers-color-scheme:dark){"
        + of(dark, "#1B1F24")
        + dark_rules()
        + "}@media print{figure{break-inside:avoid}}"
    )
