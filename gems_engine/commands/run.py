"""`gems run`: run an algorithm on an instance, and print a summary."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TextIO

from gems_engine.commands.command import (
    Command,
    add_instance,
    add_items,
    add_json,
    as_typed,
    items_of,
    open_instance,
    whole,
)
from gems_engine.errors import InputError, quoted
from gems_engine.plain_text import printable
from gems_engine.plugins import PluginGroup
from gems_engine.terminal import ProgressBar, number, plural, print_json, table

_DEFAULT_ALGORITHM = "fixed-confidence"

if TYPE_CHECKING:
    from gems_engine.algorithms.algorithm import Algorithm
    from gems_engine.files import RecoveryFile
    from gems_engine.forcing import Forced
    from gems_engine.instance import Instance
    from gems_engine.parameters import Parameter
    from gems_engine.running import Run
    from gems_engine.suggestion import Suggestion
    from gems_engine.summary import Summary
    from gems_engine.trace import Trace


def _configure(parser: ArgumentParser) -> None:
    from gems_engine.algorithms import BUILT_IN, plugin_algorithms

    known = {**BUILT_IN, **plugin_algorithms().usable}
    names = _names(known.values()).replace("%", "%%")
    add_instance(parser)
    parser.add_argument("--algorithm", metavar="NAME", help=f"one of {names} (default {_DEFAULT_ALGORITHM})")
    parser.add_argument("--seed", metavar="S", help="seed of the run (default 0)")
    parser.add_argument("-o", "--output", metavar="RUN.gems", help="save the run")
    parser.add_argument(
        "--watch", action="store_true", help="print events as they happen; with --json, on standard error"
    )
    add_json(parser)
    add_items(parser)
    _add_branch(parser)
    group = parser.add_argument_group("parameters of the algorithm")
    for name, variants in _all_parameters(known.values()).items():
        flag = f"--{name.replace('_', '-')}"
        parameter = next(iter(variants))
        text = " ".join(_parameter_help(each, users, len(known)) for each, users in variants.items())
        more = {"nargs": "?", "const": "true"} if parameter.kind == "bool" else {}
        metavar = _metavar(parameter)
        group.add_argument(flag, dest=f"parameter_{name}", metavar=metavar, help=text.replace("%", "%%"), **more)  # type: ignore[arg-type]


def _parameter_help(parameter: Parameter, users: list[str], algorithms: int) -> str:
    whose = "" if len(users) == algorithms else f" [{', '.join(users)}]"
    return f"{parameter.help} {parameter.allowed.capitalize()}; default {as_typed(parameter.default)}.{whose}"


def _names(known: Iterable[Algorithm]) -> str:
    """Every id with its aliases and its title."""

    def line(each: Algorithm) -> str:
        also = f" (or {', '.join(each.aliases)})" if each.aliases else ""
        return each.name + also + ("" if each.title == each.name else f": {each.title}")

    return "; ".join(map(line, known))


def _metavar(parameter: Parameter) -> str:
    """The placeholder of a value in the help: the paper's symbol, or the kind of value."""
    if parameter.kind == "choice":
        return "|".join(parameter.choices)
    return parameter.symbol or {"bool": "true|false", "int": "N", "float": "X", "text": "TEXT"}[parameter.kind]


def _add_branch(parser: ArgumentParser) -> None:
    from gems_engine.forcing import PARAMETERS

    group = parser.add_argument_group("branch of a recorded run (INSTANCE is a .gems file)")
    group.add_argument("--at", metavar="EVENTS", help="number of events that the branch shares with the run")
    known = "; ".join(f"{each.name}: {each.allowed}" for each in PARAMETERS)
    group.add_argument("--force", metavar="NAME=VALUE,…", help=f"values forced from there on ({known})")


def _all_parameters(known: Iterable[Algorithm]) -> dict[str, dict[Parameter, list[str]]]:
    """Every parameter of any algorithm by name, with the algorithms that have it; a budget may be 2T or T."""
    found: dict[str, dict[Parameter, list[str]]] = {}
    for algorithm in known:
        for parameter in algorithm.parameters:
            found.setdefault(parameter.name, {}).setdefault(parameter, []).append(algorithm.name)
    return found


def given_parameters(arguments: Namespace) -> dict[str, Any]:
    """The parameters on a command line, parsed for the chosen algorithm."""
    from gems_engine.algorithms import algorithm_named

    algorithm = algorithm_named(_DEFAULT_ALGORITHM if arguments.algorithm is None else arguments.algorithm)
    known = {parameter.name: parameter for parameter in algorithm.parameters}
    values = {}
    for key, text in vars(arguments).items():
        name = key.removeprefix("parameter_")
        if name == key or text is None:
            continue
        if name not in known:
            flags = ", ".join(f"--{each.replace('_', '-')}" for each in known)
            raise InputError(f"{algorithm.title} has no parameter --{name.replace('_', '-')}; it has {flags}.")
        values[name] = known[name].parse(text)
    return values


def _run(arguments: Namespace) -> int:
    from gems_engine.commands.data_remarks import data_json
    from gems_engine.files import RUN_SUFFIX
    from gems_engine.summary import summarise

    of_a_run = arguments.instance.lower().endswith(RUN_SUFFIX)
    run = _branch(arguments) if of_a_run else _new_run(arguments)
    watched = None if not arguments.watch else sys.stderr if arguments.json else sys.stdout
    trace, interrupted = _play(run, watched, arguments.output)
    summary = summarise(trace)
    if arguments.json:
        forced = trace.started.forced if trace.started is not None else {}
        data = {} if of_a_run else {"data": data_json(trace.instance, run.algorithm.name)}
        print_json({**summary.as_dict(), **({"forced": forced} if forced else {}), **data})
    else:
        print(("\n" if arguments.watch else "") + _text(trace, summary, run.suggested))
    return 130 if interrupted else 0


def _new_run(arguments: Namespace) -> Run:
    from gems_engine.algorithms import algorithm_named
    from gems_engine.commands.data_remarks import data_lines
    from gems_engine.running import Run

    for name in ("at", "force"):
        if getattr(arguments, name) is not None:
            raise InputError(f"--{name} applies to a branch of a recorded run: give its .gems file as INSTANCE.")
    instance = open_instance(arguments.instance, items_of(arguments))
    seed = whole(arguments.seed, 0, "--seed", 0, 2**63 - 1)
    given, algorithm = given_parameters(arguments), algorithm_named(arguments.algorithm or _DEFAULT_ALGORITHM)
    for line in data_lines(instance, algorithm.name):
        print(line, file=sys.stderr, flush=True)
    return Run(instance, algorithm.name, seed, **given)


def _branch(arguments: Namespace) -> Run:
    """A branch of a recorded run, which has the settings of its parent except what is forced."""
    from gems_engine.branching import Branch
    from gems_engine.files import read_run

    given = [key.removeprefix("parameter_") for key, text in vars(arguments).items() if "parameter_" in key and text]
    given += [name for name in ("algorithm", "seed") if getattr(arguments, name) is not None]
    given += items_of(arguments).given()
    if given:
        flag = f"--{given[0].replace('_', '-')}"
        raise InputError(f"{flag} is not allowed: a branch has the settings of its run. Change them with --force.")
    if arguments.at is None:
        raise InputError("A branch needs --at, the number of events that it shares with the run.")
    trace = read_run(arguments.instance)
    cursor = whole(arguments.at, 0, "--at", 0, max(len(trace) - (trace.finished is not None), 0))
    return Branch(trace, cursor, _forced(arguments.force))


def _forced(text: str | None) -> Forced:
    """The forced values, from text such as dimension=2,solver=frank-wolfe."""
    from gems_engine.forcing import PARAMETERS, Forced
    from gems_engine.parameters import unknown_name

    known = {parameter.name: parameter for parameter in PARAMETERS}
    values: dict[str, Any] = {}
    for part in (text or "").split(",") if text else ():
        name, equals, value = part.partition("=")
        if not equals:
            raise InputError(f"--force: cannot read {quoted(part.strip())}. Write name=value, for example dimension=2.")
        if name.strip() not in known:
            raise InputError(f"--force: {unknown_name('name', name.strip(), known)}")
        values[name.strip()] = known[name.strip()].parse(value)
    return Forced(**values)


def _play(run: Run, watch: TextIO | None, output: str | None) -> tuple[Trace, bool]:
    """Run to the end or until Ctrl-C (or a closed pipe), and save the events.

    During the run a recovery file next to the output is kept up to date, so that a kill loses at most one second.
    """
    from gems_engine.files import RUN_SUFFIX, RecoveryFile, write_run
    from gems_engine.trace import Trace

    trace = Trace(run.instance)
    if output is None:
        return trace, _follow(run, trace, watch, None)
    if not output.lower().endswith(RUN_SUFFIX):
        raise InputError(f"Cannot save a run as {output}: the name must end in {RUN_SUFFIX}.")
    recovery = RecoveryFile(
        f"{output}.recovery", trace
    )  # if the folder is not writable, this fails now rather than after an hour
    try:
        interrupted = _follow(run, trace, watch, recovery)
        write_run(output, trace)
    except BaseException:
        recovery.close()
        raise
    recovery.remove()
    return trace, interrupted


def _follow(run: Run, trace: Trace, watch: TextIO | None, recovery: RecoveryFile | None) -> bool:
    """Record events and print them; return whether the run was interrupted."""
    from gems_engine.blas import one_blas_thread
    from gems_engine.wording import describe, place_text

    limit = samples = 0
    with ProgressBar(run.algorithm.title) as bar, one_blas_thread():
        try:
            for event in run:
                limit = limit or int(run.parameters.get("max_samples") or run.parameters.get("budget") or 0)
                trace.append(event)
                if recovery is not None:
                    recovery.update()
                samples = getattr(event, "samples", samples)
                if watch is not None:
                    where = place_text(event.place, run.algorithm.name)
                    print(f"{where:<22} {describe(event, run.instance, run.algorithm.name)}", file=watch, flush=True)
                elif limit:
                    bar(min(samples, limit), limit)
        except (KeyboardInterrupt, BrokenPipeError):
            if trace.finished is None:
                trace.append(run.stopped())
            return True
    return False


def _text(trace: Trace, summary: Summary, suggested: Mapping[str, Suggestion]) -> str:
    from gems_engine.algorithms import algorithm_title
    from gems_engine.summary import found_text
    from gems_engine.verdict import promise_of, verdict_of
    from gems_engine.wording import recorded_text

    facts = summary.as_dict()
    instance, judged = trace.instance, verdict_of(trace)
    lines = [
        f"{algorithm_title(facts['algorithm'])} on {instance.name}, seed {facts['seed']}",
        *forced_lines(trace),
        *_suggested_lines(trace, suggested),
        *([] if judged is None else [f"  {judged.sentence(promise=promise_of(trace))}"]),
        f"  {found_text(summary, instance, truth=judged is None)}",
        f"  samples        {number(facts['samples'])}",
        f"  {printable('τ'):<14} {_tau(facts)}",
        f"  changes        {number(facts['changes'])}",
        f"  rounds         {_rounds(facts)}",
        f"  end            {recorded_text(facts['finish'] or '–')}",
        f"  took           {number(facts['seconds'] * 1e3, 3)} ms",
    ]
    rows = [
        [str(row.ell), number(row.subroutines), number(row.samples), _name(instance, row.recommendation)]
        for row in summary.loops
    ]
    if len(rows) > 1:
        from gems_engine.wording import place_names

        loop = place_names(facts["algorithm"])[0]
        lines += ["", table([loop, "calls", "samples by its end", "recommends"], rows)]
    return "\n".join(lines)


def _suggested_lines(trace: Trace, suggested: Mapping[str, Suggestion]) -> list[str]:
    """B and T if they were derived from the instance, and why."""
    from gems_engine.algorithms import algorithm_named

    assert trace.started is not None
    symbols = {each.name: each.symbol for each in algorithm_named(trace.started.algorithm).parameters}
    return [f"  {symbols[name]} = {number(each.value)}. {each.sentence}" for name, each in suggested.items()]


def forced_lines(trace: Trace) -> list[str]:
    """What was forced in a run, one line for each event at which it starts."""
    from gems_engine.forcing import forks_of

    started = trace.started
    return [f"  forced {fork}" for fork in forks_of(started.forced, trace.instance.D)] if started is not None else []


def _name(instance: Instance, target: int | None) -> str:
    return "–" if target is None else instance.target_label(target)


def _rounds(facts: dict[str, Any]) -> str:
    calls = facts["subroutines"]  # the static oracle makes none
    return number(facts["rounds"]) + (f" in {plural(calls, 'call')}" if calls else "")


def _tau(facts: dict[str, Any]) -> str:
    from gems_engine.events import SINGLE_CALLS

    if facts["correct"] is None:
        return "unknown: the rewards came from outside"
    if facts["tau"] is None:
        return "none: not right at the end"
    if facts["algorithm"] in SINGLE_CALLS:
        return f"{number(facts['tau'])}: right at the end of the call"
    if facts["tau"] == 0:
        return "0: the first guess was right"
    return f"{number(facts['tau'])}: right from there on"


COMMAND = Command(
    summary="run an algorithm on an instance",
    example="gems run paper-hard:epsilon=0.01 --base 4 --max-samples 1e6",
    configure=_configure,
    run=_run,
    groups=(
        PluginGroup(
            "gems.algorithms",
            "algorithm",
            "gems_engine.algorithms:plugin_algorithms",
            "gems_engine.algorithms.contract:check_algorithm",
            "gems_engine.algorithms:built_in_names",
        ),
    ),
)
