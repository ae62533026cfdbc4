"""`gems experiment`: run the trials of an experiment, locally or on a cluster, and record each result."""

from __future__ import annotations

import signal
import sys
import threading
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gems_engine.commands.command import Command, add_json, whole
from gems_engine.errors import InputError
from gems_engine.plugins import PluginGroup
from gems_engine.processes import cores
from gems_engine.terminal import LiveLines, bar, number, plural, shown_json, table

if TYPE_CHECKING:
    from gems_engine.experiment.cluster import ClusterExecutor, Tls
    from gems_engine.experiment.folder import Recorder
    from gems_engine.experiment.harness import Harness, Progress
    from gems_engine.experiment.local import LocalWorkers
    from gems_engine.experiment.measures import Measures, Summary
    from gems_engine.experiment.specification import Specification

_SAY_EVERY = 60.0
"""Seconds between progress lines if stderr is not a terminal."""


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "experiment",
        metavar="NAME|FILE|FOLDER",
        help="an experiment by its name (use list to see them), a .toml file, or a folder of results to continue",
    )
    parser.add_argument("--trials", metavar="N", help="trials of every cell (default: as in the specification)")
    parser.add_argument("--jobs", metavar="J", help="worker processes (default: one for each core; 0: this process)")
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="run on a Dask cluster, such as tcp://10.0.0.1:8786; the scheduler can run code on this machine, so use "
        "only one that you trust",
    )
    parser.add_argument("--tls-ca", metavar="FILE", help="with --scheduler tls://…: certificate of the authority")
    parser.add_argument("--tls-cert", metavar="FILE", help="with --scheduler tls://…: your certificate")
    parser.add_argument(
        "--tls-key", metavar="FILE", help="with --scheduler tls://…: its key, unless it is in the same file"
    )
    parser.add_argument("--seed", metavar="S", help="seed of the experiment (default: as in the specification)")
    parser.add_argument("-o", "--output", metavar="FOLDER", help="folder for the results (default gems-NAME)")
    parser.add_argument(
        "--resume", action="store_true", help="continue the results in the folder: run only missing trials"
    )
    parser.add_argument("--retry-failed", action="store_true", help="with --resume, also run failed trials again")
    parser.add_argument("--show", action="store_true", help="print the specification instead, as a start for your own")
    add_json(parser)


def _run(arguments: Namespace) -> int:
    if arguments.retry_failed and not arguments.resume:
        raise InputError("--retry-failed applies to recorded trials. Add --resume.")
    if arguments.experiment == "list":
        print(_listed())
        return 0
    specification, folder = _asked(arguments)
    if arguments.show:
        if arguments.trials is not None or arguments.seed is not None:
            raise InputError("--show prints the specification unchanged. Omit --trials and --seed.")
        print(specification.text.strip())
        return 0
    jobs = whole(arguments.jobs, cores(), "--jobs", 0, 1024)
    if arguments.scheduler is not None and arguments.jobs is not None:
        raise InputError("--jobs applies to processes on this machine. Omit it with --scheduler.")
    return _experiment(specification, folder, jobs, arguments, _tls(arguments))


def _tls(arguments: Namespace) -> Tls | None:
    """The files of an encrypted connection to the scheduler, None without options."""
    ca, cert, key = arguments.tls_ca, arguments.tls_cert, arguments.tls_key
    if (ca, cert, key) == (None, None, None):
        return None
    if arguments.scheduler is None:
        raise InputError("--tls-ca, --tls-cert and --tls-key apply to a cluster. Add --scheduler.")
    if ca is None or cert is None:
        raise InputError("An encrypted connection needs --tls-ca and --tls-cert.")
    from gems_engine.experiment.cluster import Tls

    return Tls(ca, cert, key)


def _listed() -> str:
    from gems_engine.experiment.library import EXPERIMENTS, specification_of

    known = [specification_of(name, rehearse=False) for name in EXPERIMENTS]
    rows = [[each.name, str(len(each.cells)), str(each.trials), each.title] for each in known]
    names = table(["experiment", "cells", "trials per cell", "question"], rows, left=1)
    return f"{names}\n\nExample: gems experiment paper-table-1 --trials 10"


def _asked(arguments: Namespace) -> tuple[Specification, Path]:
    """The experiment that a command line names, and its folder."""
    from gems_engine.experiment.folder import holds_results, read_results
    from gems_engine.experiment.library import specification_of
    from gems_engine.experiment.specification import MOST_TRIALS

    word = Path(arguments.experiment)
    if holds_results(word):
        if arguments.output is not None:
            raise InputError("-o is not allowed with a folder of results: new rows are added to that folder.")
        specification, folder = read_results(word).specification, word
        arguments.resume = arguments.resume or arguments.show
        if not arguments.resume:
            raise InputError(f"{word} has results already. Use --resume to continue, or gems report to show them.")
    else:
        specification = specification_of(arguments.experiment)
        folder = Path(arguments.output if arguments.output is not None else f"gems-{specification.name}")
    trials = whole(arguments.trials, specification.trials, "--trials", 1, MOST_TRIALS)
    seed = whole(arguments.seed, specification.seed, "--seed", 0, 2**63 - 1)
    if arguments.seed is None and arguments.resume and holds_results(folder):
        seed = read_results(folder).specification.seed
    return specification.with_(trials, seed), folder


def _experiment(specification: Specification, folder: Path, jobs: int, arguments: Namespace, tls: Tls | None) -> int:
    from gems_engine.experiment.control import Lost
    from gems_engine.experiment.folder import Recorder, holds_results

    lost: Lost | None = None
    where = _in_words(jobs, arguments.scheduler)
    with Recorder(folder, specification, where, arguments.resume, arguments.retry_failed) as recorder:
        for note in recorder.notes:
            print(note, file=sys.stderr)
        try:
            progress, cancelled = _play(specification, recorder, jobs, arguments.scheduler, tls, where)
        except Lost as error:
            lost, cancelled = error, False
    if holds_results(folder):
        _say(folder, arguments.json)
    if lost is not None:
        raise InputError(f"{lost} Finished trials are saved. {_go_on(folder)}")
    if cancelled:
        print(
            f"gems: interrupted after {number(progress.done)} of {number(progress.total)} trials, which are saved. "
            f"{_go_on(folder)}",
            file=sys.stderr,
        )
        return 130
    return 0


def _say(folder: Path, as_json: bool) -> None:
    """Write the report and print what is in it."""
    from gems_engine.experiment.report import REPORT, write_report

    summary = write_report(folder).measures.summary()
    print(shown_json(summary.as_dict()) if as_json else results_text(summary, folder / REPORT))


def _go_on(folder: Path) -> str:
    return f"To continue: gems experiment {folder} --resume"


def _in_words(jobs: int, scheduler: str | None) -> str:
    if scheduler is not None:
        return f"the Dask scheduler {scheduler}"
    return "this process" if jobs == 0 else "one process" if jobs == 1 else f"{jobs} processes"


def _play(
    specification: Specification, recorder: Recorder, jobs: int, scheduler: str | None, tls: Tls | None, where: str
) -> tuple[Progress, bool]:
    """Run the missing trials; return the progress, and whether it was interrupted."""
    from gems_engine.experiment.harness import Harness

    missing = len(specification) - sum(recorder.done)
    with LiveLines() as live, _executor(min(jobs, missing), scheduler if missing else None, tls, live) as executor:
        harness = Harness(specification, executor, recorder)
        watch = _Watch(harness, where, live)
        harness.told = watch
        with _interruptible(harness):
            progress = harness.run()
        if harness.control.cancelled and executor is not None:
            executor.kill()
    return progress, harness.control.cancelled


@contextmanager
def _executor(
    jobs: int, scheduler: str | None, tls: Tls | None, live: LiveLines
) -> Iterator[LocalWorkers | ClusterExecutor | None]:
    """The executor of the trials; after an error, running trials are not awaited."""
    from gems_engine.experiment import cluster_executor, local_executor

    if scheduler is not None:
        cluster = cluster_executor(scheduler, tls, live.print)
        executor: LocalWorkers | ClusterExecutor = cluster
        encrypted = "" if tls is not None else " The connection is not encrypted: see --tls-ca."
        live.print(f"The scheduler {scheduler} is trusted: it can run code on this machine.{encrypted}")
    elif jobs:
        executor = local_executor(jobs)
    else:
        yield None
        return
    try:
        yield executor
    except BaseException:
        executor.kill()
        raise
    executor.shutdown()


@contextmanager
def _interruptible(harness: Harness) -> Iterator[None]:
    """Ctrl-C ends the experiment between two rows, so that no row is incomplete; a second one ends the program."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: Any) -> None:
        if harness.control.cancelled:
            raise KeyboardInterrupt
        harness.cancel()

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class _Watch:
    """Shows the progress and the results so far of an experiment."""

    def __init__(self, harness: Harness, where: str, live: LiveLines) -> None:
        self._harness, self._where, self._live = harness, where, live
        self._reported_at = time.monotonic()

    def __call__(self, row: Any) -> None:
        if self._live.due():
            self._live.draw([self._line(), *partial(self._harness.measures).splitlines()])
        elif not self._live.seen and time.monotonic() - self._reported_at > _SAY_EVERY:
            self._reported_at = time.monotonic()
            print(f"gems: {self._line()}", file=sys.stderr, flush=True)

    def _line(self) -> str:
        from gems_engine.experiment.words import time_remaining

        progress = self._harness.progress
        failed = f", {number(progress.failed)} failed" if progress.failed else ""
        return (
            f"{bar(progress.done / progress.total)} {number(progress.done)} of {number(progress.total)}{failed}, "
            f"{time_remaining(progress.remaining)} · {self._harness.specification.name} on {self._where}"
        )


def partial(measures: Measures) -> str:
    """Right trials out of all so far: one line per series, one column per x."""
    said = measures.specification
    columns = list(dict.fromkeys(said.group(cell) for cell in said.cells))
    found: dict[str, dict[str, str]] = {}
    for cell, right, total in measures.shares():
        found.setdefault(said.series(cell), {})[said.group(cell)] = f"{right}/{total}"
    rows = [[name, *(of.get(column, "–") for column in columns)] for name, of in found.items()]
    return table(["right so far", *columns], rows, left=1)


def results_text(summary: Summary, report: Path) -> str:
    """The results as tables for a terminal."""
    from gems_engine.experiment.tables import tables_of

    parts = [summary.specification.title]
    for each in tables_of(summary):
        parts.append(f"{each.title}\n{table(list(each.header), [list(row) for row in each.rows], left=1)}")
    failed = f", {number(summary.failed)} of them failed" if summary.failed else ""
    parts.append(f"{plural(summary.done, 'trial')}{failed}. Report: {report}")
    return "\n\n".join(parts)


COMMAND = Command(
    summary="run the paper's experiments, or your own",
    example="gems experiment verifiability --trials 2",
    configure=_configure,
    run=_run,
    groups=(
        PluginGroup(
            "gems.experiments",
            "experiment",
            "gems_engine.experiment.library:plugin_experiments",
            "gems_engine.experiment.contract:check_experiment",
            "gems_engine.experiment.library:built_in",
        ),
        PluginGroup(
            "gems.metrics",
            "metric",
            "gems_engine.experiment.metrics:plugin_metrics",
            "gems_engine.experiment.contract:check_metric",
            "gems_engine.experiment.metrics:taken_names",
        ),
    ),
)
