"""`gems render RUN`: runs and instances, as pictures, films, pages or tables."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from pathlib import Path

from gems_engine.algorithms import algorithm_title
from gems_engine.blas import one_blas_thread
from gems_engine.commands.command import open_instance, real
from gems_engine.errors import InputError, quoted
from gems_engine.events import RunStarted
from gems_engine.experiment.replicates import Replicates, Replication, Source
from gems_engine.experiment.seed_trials import SeedJob, SeedTrials
from gems_engine.experiment.trials import Row
from gems_engine.files import LIMITS, RUN_SUFFIX, SHEETS, read_run
from gems_engine.formats.item_options import ItemOptions
from gems_engine.instance import Instance
from gems_engine.running import Run
from gems_engine.terminal import ProgressBar, number, plural
from gems_engine.trace import Trace
from gems_engine.verdict import promise_of
from gems_gui.commands.arguments import WHAT_HAPPENED
from gems_gui.commands.render_list import check_view
from gems_gui.commands.standard_output import STDOUT
from gems_gui.painting.cursor_parser import cursor_at
from gems_gui.painting.export import export
from gems_gui.painting.format import ExportJob
from gems_gui.painting.formats import PAGE, format_by_suffix, suffix_of
from gems_gui.painting.frames import DIFFERENCE, PAPER, Frame, FrameRange, Look, paper_look, print_scale, snapshot_at
from gems_gui.painting.limits import MOST_SCALE
from gems_gui.painting.picture_size import PAPER_SIZE, picture_size
from gems_gui.painting.render import view_names
from gems_gui.painting.rows import BOARD
from gems_gui.series.side_by_side import MOST, alike, asked_of
from gems_gui.series.status import caption, outcome
from gems_gui.snapshot import Selection, Snapshot
from gems_gui.theme import LARGEST_SCALE

CAP = 1_000_000
"""The sample cap of a run that is made only for a picture."""
SEEDS = "seeds"
"""The view of the seeds of a race."""
SIZE = "1600x1000"


def render_runs(arguments: Namespace, output: Path, fps: float, trials: int | None, items: ItemOptions) -> int:
    """Write the requested file for each run; ``items`` are the options of the instances."""
    form = format_by_suffix(suffix_of(output))
    look = _look(arguments, form.size or SIZE, form.suffix)
    views = _views(arguments.view)
    beside = arguments.beside or []
    companions = _compared_traces(beside, items)
    if SEEDS in views and trials is None:
        raise InputError(f"--view {SEEDS} needs --trials R, the number of seeds to run.")
    for count, source in enumerate(arguments.sources, 1):
        trace = recorded(source, items)
        if views != (DIFFERENCE,):
            _check_beside(trace, companions, beside)
        base = replace(Snapshot.of(trace, 0), truth=look.truth)
        found = None if trials is None or views == (SEEDS,) else _replicates(trace, trials)
        raced = None if trials is None or SEEDS not in views else _race_seeds([trace, *companions], trials)
        frames = _asked(arguments, trace, views, form.all_rounds).frames(base)
        file = output if len(arguments.sources) == 1 else output.with_stem(f"{output.stem}-{count}")
        job = ExportJob(file, frames, look, fps, caption(snapshot_at(base, frames[-1])))
        with ProgressBar(file.name) as bar:
            export(trace, job, bar, companions, found, raced)
        name = "standard output" if arguments.output == STDOUT else file
        print(f"{name}: {arguments.view} of {_run_text(trace)} after {_steps(frames)} of {number(len(trace))} events")
        if (last := snapshot_at(base, frames[-1])).state.finished is not None:
            print(f"  {outcome(last, promise_of(trace) if last.truth else '')}")
        for note in trace.notes:
            print(f"  {note}")
    return 0


def _compared_traces(sources: list[str], items: ItemOptions) -> list[Trace]:
    """The runs to compare with."""
    if len(sources) >= MOST:
        raise InputError(f"--with is given {len(sources)} times; at most {MOST - 1} runs can be compared with another.")
    if twice := [each for each in dict.fromkeys(sources) if sources.count(each) > 1]:
        raise InputError(f"--with names {twice[0]} twice. Name each run once.")
    return [recorded(source, items) for source in sources]


def _check_beside(trace: Trace, companions: list[Trace], sources: list[str]) -> None:
    """Raise an InputError for runs of another instance, and for the painted run itself."""
    for companion, source in zip(companions, sources, strict=True):
        if not alike(trace.instance, companion.instance):
            raise InputError(f"{source} was made on another instance. Only runs of the same instance can be compared.")
        outside = trace.started is not None and trace.started.rewards
        if (asked_of(trace), len(trace)) == (asked_of(companion), len(companion)) and not outside:
            raise InputError(f"--with {source} is the rendered run itself. Name another run of its instance.")


def _replicates(trace: Trace, count: int) -> Replicates:
    """Replicates of a recorded run; raises an InputError if it has no other seeds."""
    started = _reseeded(trace)
    found = Replicates(Source(trace.instance, started.algorithm, started.seed, started.parameters), count)
    with ProgressBar("more seeds") as bar:

        def told(row: Row) -> None:
            found.add(row)
            bar(len(found), count)

        Replication(found.source, range(1, count + 1), told=told).run()
    return found


def _reseeded(trace: Trace) -> RunStarted:
    """The settings of a run that can be repeated with other seeds; raises an InputError for another one."""
    started = trace.started
    if started is None or started.rewards or started.forced:
        raise InputError("--trials: a run with external rewards, or a branch, has no other seeds.")
    return started


def _race_seeds(traces: list[Trace], count: int) -> SeedTrials:
    """The same seeds of all compared runs."""
    lanes = [(started.algorithm, started.parameters) for started in map(_reseeded, traces)]
    found = SeedTrials(traces[0].instance, lanes, range(1, count + 1))
    with ProgressBar("seeds of the race") as bar:
        done = 0

        def told(row: Row) -> None:
            nonlocal done
            found.add(row)
            done += 1
            bar(done, count * len(lanes))

        SeedJob(found, told=told).run()
    return found


def _run_text(trace: Trace) -> str:
    title = algorithm_title(trace.started.algorithm) if trace.started else "a run"
    return f"{title} on {trace.instance.name or 'an instance'}"


def _look(arguments: Namespace, size: str = SIZE, suffix: str = "") -> Look:
    if arguments.style == PAPER:
        if suffix == PAGE:
            raise InputError("--style paper cannot be used for a page to share: it is for figures of articles.")
        for name, option in {"caption": "--caption", "text": "--text"}.items():
            if getattr(arguments, name) is not None:
                raise InputError(
                    f"{option} cannot be used with --style paper, which has text of 7 to 9 pt and no line below."
                )
        if arguments.theme == "dark":
            raise InputError("--theme dark cannot be used with --style paper: paper is white.")
        usual = print_scale(suffix)
        scale = real(arguments.scale, usual, "--scale", 0.0, MOST_SCALE) if usual > 1 else 1.0
        return paper_look(
            arguments.size or PAPER_SIZE,
            scale,
            not arguments.hide_truth,
            _options(arguments.option),
            arguments.svg_text,
        )
    look = Look(
        picture_size(arguments.size or size),
        real(arguments.scale, 1.0, "--scale", 0.0, MOST_SCALE),
        arguments.theme,
        real(arguments.text, 1.0, "--text", 0.0, LARGEST_SCALE),
        arguments.caption is not None,
        not arguments.hide_truth,
        _options(arguments.option),
        live_text=arguments.svg_text,
    )
    look.check()
    return look


def _options(words: list[str]) -> dict[str, dict[str, str]]:
    """The options of views; they are checked when the views are made."""
    found: dict[str, dict[str, str]] = {}
    for each in words:
        key, equals, value = each.partition("=")
        view, dot, name = key.partition(".")
        if not (equals and dot):
            raise InputError(
                f"--option {quoted(each)} is not valid. Write VIEW.NAME=VALUE, as in survivors.order=index."
            )
        found.setdefault(view, {})[name] = value
    return found


def _views(text: str) -> tuple[str, ...]:
    views = tuple(each.strip() for each in text.split(","))
    for name in views:
        check_view(name, view_names())
    if BOARD in views and len(views) > 1:
        raise InputError(f"--view {quoted(text)} is not valid: {BOARD} cannot be combined with other views.")
    return () if views == (BOARD,) else views


def _asked(arguments: Namespace, trace: Trace, views: tuple[str, ...], several: bool) -> FrameRange:
    """The requested steps; by default one step, or all rounds if the format has several."""
    ranged = any(each is not None for each in (arguments.first, arguments.last, arguments.every))
    if ranged and arguments.at is not None:
        raise InputError("--at is for one step; --from, --to and --every are for several. Use one or the other.")
    if ranged or (several and arguments.at is None):
        first = 0 if arguments.first is None else cursor_at(trace, arguments.first, "--from")
        last = cursor_at(trace, arguments.last, "--to")
    else:
        first = last = cursor_at(trace, arguments.at)
    arm = None if arguments.arm is None else trace.instance.arm_labels.one(arguments.arm)
    words = None if arguments.caption == WHAT_HAPPENED else arguments.caption or ""
    selection = Selection.of_arm(trace.instance, arm)
    return FrameRange(first, last, arguments.every or "round", views, words, selection)


def _steps(frames: list[Frame]) -> str:
    first, last = number(frames[0].cursor), number(frames[-1].cursor)
    return first if len(frames) == 1 else f"{first} to {last} ({plural(len(frames), 'step')})"


def is_run(source: str) -> bool:
    """Whether a source is the file of a run, not an instance."""
    file = Path(source)
    return file.suffix.lower() == RUN_SUFFIX or (file.is_file() and file.suffix.lower() not in (*LIMITS, *SHEETS))


def recorded(source: str, items: ItemOptions | None = None) -> Trace:
    """The run of a run file, or a new run on an instance."""
    return read_run(source) if is_run(source) else _run_on(open_instance(source, items))


def _run_on(instance: Instance) -> Trace:
    run = Run(instance, "fixed-confidence", max_samples=CAP)
    trace = Trace(run.instance)
    with ProgressBar(run.algorithm.title) as bar, one_blas_thread():
        for event in run:
            trace.append(event)
            bar(min(int(getattr(event, "samples", 0)), CAP), CAP)
    return trace
