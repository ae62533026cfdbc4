"""`gems run`: an algorithm on an instance, with a summary of what it found."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from gems_engine.commands.command import Command, add_instance, add_json, open_instance, whole
from gems_engine.errors import InputError
from gems_engine.terminal import ProgressBar, mark, number, shown_json, table

if TYPE_CHECKING:
    from gems_engine.files import RecoveryFile
    from gems_engine.instance import Instance
    from gems_engine.parameters import Parameter
    from gems_engine.running import Run
    from gems_engine.summary import Summary
    from gems_engine.trace import Trace


def _configure(parser: ArgumentParser) -> None:
    from gems_engine.algorithms import algorithms

    add_instance(parser)
    parser.add_argument(
        "--algorithm", default="fixed-confidence", metavar="NAME", help=f"one of {', '.join(algorithms())}"
    )
    parser.add_argument("--seed", metavar="S", help="seed of the run (default 0)")
    parser.add_argument("-o", "--output", metavar="RUN.gems", help="save the run")
    parser.add_argument("--watch", action="store_true", help="print events as they come")
    add_json(parser)
    group = parser.add_argument_group("parameters of the algorithm")
    for name, (parameter, users) in _all_parameters().items():
        flag = f"--{name.replace('_', '-')}"
        whose = "" if len(users) == len(algorithms()) else f" [{', '.join(users)}]"
        text = f"{parameter.help} {parameter.allowed.capitalize()}; default {_word(parameter.default)}.{whose}"
        more = {"nargs": "?", "const": "true"} if parameter.kind == "bool" else {}
        label = parameter.symbol or parameter.name
        group.add_argument(flag, dest=f"parameter_{name}", metavar=label, help=text.replace("%", "%%"), **more)  # type: ignore[arg-type]


def _all_parameters() -> dict[str, tuple[Parameter, list[str]]]:
    """Every parameter of any algorithm, with who has it."""
    from gems_engine.algorithms import algorithms

    found: dict[str, tuple[Parameter, list[str]]] = {}
    for algorithm in algorithms().values():
        for parameter in algorithm.parameters:
            found.setdefault(parameter.name, (parameter, []))[1].append(algorithm.name)
    return found


def _word(value: Any) -> str:
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def given_parameters(arguments: Namespace) -> dict[str, Any]:
    """The parameters on a command line, parsed as the chosen algorithm understands them."""
    from gems_engine.algorithms import algorithm_named

    algorithm = algorithm_named(arguments.algorithm)
    known = {parameter.name: parameter for parameter in algorithm.parameters}
    values = {}
    for key, text in vars(arguments).items():
        name = key.removeprefix("parameter_")
        if name == key or text is None:
            continue
        if name not in known:
            flags = ", ".join(f"--{each.replace('_', '-')}" for each in known)
            raise InputError(f"{algorithm.name} has no parameter --{name.replace('_', '-')}; it has {flags}.")
        values[name] = known[name].parse(text)
    return values


def _run(arguments: Namespace) -> int:
    from gems_engine.running import Run
    from gems_engine.summary import summarise

    instance = open_instance(arguments.instance)
    seed = whole(arguments.seed, 0, "--seed", 0, 2**63 - 1)
    run = Run(instance, arguments.algorithm, seed, **given_parameters(arguments))
    trace, interrupted = _play(run, arguments.watch, arguments.output)
    summary = summarise(trace)
    if arguments.json:
        print(shown_json(summary.as_dict()))
    else:
        print(("\n" if arguments.watch else "") + _text(trace, summary))
    return 130 if interrupted else 0


def _play(run: Run, watch: bool, output: str | None) -> tuple[Trace, bool]:
    """All events, or those until Ctrl-C (or until nobody reads them), saved.

    While it runs, it is recorded beside the output, so that a kill loses at most its last second.
    """
    from gems_engine.files import RUN_SUFFIX, RecoveryFile, write_run
    from gems_engine.trace import Trace

    trace = Trace(run.instance)
    if output is None:
        return trace, _follow(run, trace, watch, None)
    if not output.lower().endswith(RUN_SUFFIX):
        raise InputError(f"{output}: the name of a run must end in {RUN_SUFFIX}.")
    recovery = RecoveryFile(f"{output}.recovery", trace)  # fails now, not after an hour, where nothing can be written
    try:
        interrupted = _follow(run, trace, watch, recovery)
        write_run(output, trace)
    except BaseException:
        recovery.close()
        raise
    recovery.remove()
    return trace, interrupted


def _follow(run: Run, trace: Trace, watch: bool, recovery: RecoveryFile | None) -> bool:
    """Record events, and show them; whether somebody stopped it."""
    from gems_engine.wording import describe, place_text

    limit = int(run.parameters.get("max_samples") or run.parameters.get("budget") or 0)
    samples = 0
    with ProgressBar(run.algorithm.name) as bar:
        try:
            for event in run:
                trace.append(event)
                if recovery is not None:
                    recovery.update()
                samples = getattr(event, "samples", samples)
                if watch:
                    where = place_text(event.place, budget=run.algorithm.name == "fixed-budget")
                    print(f"{where:<22} {describe(event, run.instance)}", flush=True)
                elif limit:
                    bar(min(samples, limit), limit)
        except (KeyboardInterrupt, BrokenPipeError):
            if trace.finished is None:
                trace.append(run.stopped())
            return True
    return False


def _text(trace: Trace, summary: Summary) -> str:
    facts = summary.as_dict()
    instance = trace.instance
    right = "right" if facts["correct"] else "wrong"
    lines = [
        f"{facts['algorithm']} on {instance.name}, seed {facts['seed']}",
        f"  {mark(facts['correct'])} recommends {instance.target_label(facts['recommendation'])}, which is {right}",
        f"  samples        {number(facts['samples'])}",
        f"  τ              {_tau(facts)}",
        f"  changes        {number(facts['changes'])}",
        f"  rounds         {number(facts['rounds'])} in {number(facts['subroutines'])} subroutines",
        f"  ended by       {facts['finish']}",
        f"  took           {number(facts['seconds'] * 1e3, 3)} ms",
    ]
    rows = [
        [str(row.ell), number(row.subroutines), number(row.samples), _name(instance, row.recommendation)]
        for row in summary.loops
    ]
    if len(rows) > 1:
        loop = "i" if facts["algorithm"] == "fixed-budget" else "ℓ"
        lines += ["", table([loop, "subroutines", "samples by its end", "recommends"], rows)]
    return "\n".join(lines)


def _name(instance: Instance, target: int | None) -> str:
    return "–" if target is None else instance.target_label(target)


def _tau(facts: dict[str, Any]) -> str:
    if facts["tau"] is None:
        return "none: not right to the end"
    if facts["tau"] == 0:
        return "0: the first guess was right"
    return f"{number(facts['tau'])}: right from there on"


COMMAND = Command(
    summary="run an algorithm on an instance",
    example="gems run paper-hard:epsilon=0.01 --base 4 --max-samples 1e6",
    configure=_configure,
    run=_run,
)
