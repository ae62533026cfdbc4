"""The `gems run …` line that repeats a run, for "Copy as command"; independent of Qt."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from gems_engine.algorithms import algorithm_named
from gems_engine.errors import InputError
from gems_engine.files import read_instance
from gems_engine.forcing import Forced
from gems_engine.formats.item_options import ItemOptions
from gems_engine.gallery import FAMILIES, family_named, make
from gems_engine.instance import Instance
from gems_engine.parameters import Parameter, Value, check_all
from gems_engine.recipe import Recipe
from gems_gui.drafts.draft import FromGallery, Source
from gems_gui.drafts.run_request import RunRequest
from gems_gui.workbench.run_session import RunSession

_DEFAULT_ALGORITHM = "fixed-confidence"
_BY_HAND = "The instance of this run is not in a file. Save it with Ctrl+Shift+I, then copy the command again."

_UNSAVED_BRANCH = "This run is a branch. Save it or the run it comes from, then copy the command again."
_OUTSIDE = "The rewards of this run are external, so no command can repeat it."


def repeating_line(run: RunSession, saved: Mapping[str, str]) -> str:
    """The command that repeats a run, or a branch of a saved one; see :func:`command_line`.

    Raises
    ------
    InputError
        If no command can; the sentence says why, and what to do.
    """
    request, started, origin = run.settled_request, run.trace.started, run.origin
    if request is None or (started is not None and started.rewards):
        raise InputError(_OUTSIDE)
    if started is None or not started.forced:
        return command_line(request, None if run.draft is None else run.draft.source, saved)
    if origin is not None and origin.parent.path and origin.parent.saved_events >= origin.cursor:
        return branch_line(origin.parent.path, origin.cursor, origin.forced)
    if run.path:
        return branch_line(run.path, 0, Forced())  # without further forced settings this repeats the run
    raise InputError(_UNSAVED_BRANCH)


def command_line(request: RunRequest, source: Source | None = None, saved: Mapping[str, str] | None = None) -> str:
    """The command that repeats a run, quoted for a shell; parameters with default values are omitted.

    Parameters
    ----------
    source
        The source of the instance in the form; None for an opened run.
    saved
        Digests of instances with the files that they were saved to or opened from.

    Raises
    ------
    InputError
        If neither a family nor a file gives the instance; the sentence says what to do.
    """
    words = ["gems", "run", *_instance_words(request, source, saved or {})]
    if request.algorithm != _DEFAULT_ALGORITHM:
        words += ["--algorithm", request.algorithm]
    if request.seed:
        words += ["--seed", str(request.seed)]
    parameters = algorithm_named(request.algorithm).parameters
    values = check_all(parameters, request.parameters)
    for parameter in parameters:
        if values[parameter.name] != parameter.default:
            words += _flag(parameter, values[parameter.name])
    return shlex.join(words)


def branch_line(path: str, cursor: int, forced: Forced) -> str:
    """The command that repeats a branch of a recorded run, quoted for a shell."""
    given = ",".join(f"{name}={_word(value)}" for name, value in forced.words().items())
    return shlex.join(["gems", "run", path, "--at", str(cursor), *(["--force", given] if given else [])])


def _flag(parameter: Parameter, value: Value) -> list[str]:
    flag, word = f"--{parameter.name.replace('_', '-')}", _word(value)
    # A word that starts with a minus would be parsed as a flag.
    return [f"{flag}={word}"] if word.startswith("-") or not word else [flag, word]


def _word(value: Value) -> str:
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    return value if isinstance(value, str) else repr(value)


def _instance_words(request: RunRequest, source: Source | None, saved: Mapping[str, str]) -> list[str]:
    recipe = request.instance.recipe
    if isinstance(source, FromGallery) or _makes(recipe, request):
        return [_short_spec(recipe)]
    path = saved.get(request.instance.digest) or getattr(source, "path", "") or recipe.file
    if not path:
        raise InputError(_BY_HAND)
    for options in (ItemOptions(), _options_of(recipe)):  # a file that was saved later needs none
        try:
            if _same_run(read_instance(path, options), request):
                return [path, *options.flags()]
        except InputError:
            if options.given():
                continue
            if not recipe.settings:
                raise
    raise InputError(f"{path} contains a different instance from that of this run. {_BY_HAND}")


def _options_of(recipe: Recipe) -> ItemOptions:
    """The options with which the file of a recipe was read; defaults if it has others, written by hand."""
    try:
        return ItemOptions() if recipe.family else ItemOptions.of_settings(recipe.parameters)
    except InputError:
        return ItemOptions()


def _short_spec(recipe: Recipe) -> str:
    """The recipe in the syntax of the command line, without default values."""
    defaults = {each.name: each.default for each in family_named(recipe.family).parameters}
    return Recipe(recipe.family, tuple(pair for pair in recipe.settings if defaults[pair[0]] != pair[1])).spec


def _makes(recipe: Recipe, request: RunRequest) -> bool:
    """Whether a recipe gives the instance of the run; an opened run may have any recipe."""
    if recipe.family not in FAMILIES or recipe.steps:
        return False
    try:
        return _same_run(make(recipe.family, **recipe.parameters), request)
    except InputError:  # of another version, or written by hand
        return False


def _same_run(instance: Instance, request: RunRequest) -> bool:
    """Whether a run with the request's parameters on this instance would be the same run."""
    asked = RunRequest(instance, request.algorithm, request.seed, request.parameters)
    return asked.recorded_on().digest == request.recorded_on().digest
