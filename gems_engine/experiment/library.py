"""The experiments that have a name: the built-in ones, each a TOML file, and those of other packages.

Other packages use the entry-point group ``gems.experiments``, whose object is the path of a TOML file, or a function
that returns a specification: a :class:`Specification`, or a dict as for :func:`run_experiment`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gems_engine.errors import InputError
from gems_engine.experiment.folder import parse_beside, read_specification
from gems_engine.experiment.specification import Specification
from gems_engine.experiment.toml_format import parse_specification
from gems_engine.experiment.toml_text import to_toml, with_files
from gems_engine.files import read_instance, read_text
from gems_engine.parameters import shown, unknown_name
from gems_engine.plugins import Plugins, Registry, in_words, require_name

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from gems_engine.formats.item_options import ItemOptions
from gems_engine.instance import Instance

BUILT_IN = (
    Path(__file__).parent / "built_in"
)  # inside the package, so that checkouts, editable installs and wheels have it


@dataclass(frozen=True, eq=False)
class NamedExperiment:
    """An experiment with a name.

    Attributes
    ----------
    name
        Its name on the command line.
    text
        Its specification in TOML.
    file
        Its file, next to which the instances that it names are looked for; None if a function has made it.
    instances
        The instances that a function gives instead of files, by the number of their table.
    """

    name: str
    text: str
    file: Path | None
    instances: Mapping[int, Instance]

    def specification(self, rehearse: bool = True) -> Specification:
        """The specification; raises InputError if something is wrong with it."""
        return self.parse(self.text, self.name, rehearse)

    def parse(self, text: str, name: str, rehearse: bool = True) -> Specification:
        """The specification in an edited text, with the same instances."""
        if self.file is not None:
            return parse_beside(text, name, self.file.parent, rehearse)
        return parse_specification(text, name, self._instance, rehearse)

    def _instance(self, number: int, file: str, options: ItemOptions) -> Instance:
        if number not in self.instances:
            raise InputError(f"There is no file {file}: this experiment is made by a function of its package.")
        return _as_given(self.instances[number], options)


def _as_given(instance: Instance, options: ItemOptions) -> Instance:
    """An instance that is given as such; raises InputError for options that apply to files."""
    if options.given():
        raise InputError(f"{next(iter(options.given()))} applies to a file: change the instance itself.")
    return instance


def built_in() -> dict[str, Path]:
    """The files of the built-in experiments by name."""
    return {path.stem: path for path in sorted(BUILT_IN.glob("*.toml"))}


def _of_file(name: str, path: Path) -> NamedExperiment:
    return NamedExperiment(name, read_text(path), path, {})


def _checked(entry: EntryPoint, found: Any) -> NamedExperiment:
    """The experiment of an entry point; raises InputError with the reason if it cannot be used."""
    require_name("experiment", entry, entry.name)
    if isinstance(found, Path):
        made = _of_file(entry.name, found)
    elif callable(found):
        made = _of_function(entry.name, found)
    else:
        what = type(found).__name__
        raise InputError(f"it is of the type {what}, not the path of a TOML file or a function.")
    made.specification(rehearse=False)
    return made


def _of_function(name: str, function: Any) -> NamedExperiment:
    try:
        returned = function()
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"its function has an error: {in_words(error)}") from error
    if isinstance(returned, Mapping):
        returned = specification_from({**returned, "name": name})
    if not isinstance(returned, Specification):
        raise InputError(f"its function returns something of the type {type(returned).__name__}, not a specification.")
    return NamedExperiment(name, returned.text, None, returned.files)


class _Experiments(Registry[NamedExperiment]):
    """The experiments by name; the files of the built-in ones are read when they are needed."""

    def __init__(self) -> None:
        super().__init__("gems.experiments", "experiment", _checked, dict.fromkeys(built_in()))  # type: ignore[arg-type]

    def __getitem__(self, name: str) -> NamedExperiment:
        path = built_in().get(name)
        return super().__getitem__(name) if path is None else _of_file(name, path)


EXPERIMENTS: Registry[NamedExperiment] = _Experiments()
"""All experiments by name: the built-in ones, then those of other packages."""


def plugin_experiments() -> Plugins[NamedExperiment]:
    """The experiments of other packages, with those that cannot be used."""
    return EXPERIMENTS.plugins()


def built_in_specification(name: str, rehearse: bool = True) -> Specification:
    """The specification of that name, of a built-in experiment or one of another package."""
    if name in built_in():
        return read_specification(built_in()[name], rehearse)
    EXPERIMENTS.refuse_broken(name)
    if name not in EXPERIMENTS:
        raise InputError(f"{unknown_name('experiment', name, EXPERIMENTS)} Your own are .toml files.")
    return EXPERIMENTS[name].specification(rehearse)


def specification_of(word: str | Path, rehearse: bool = True) -> Specification:
    """The specification that a word names: a ``.toml`` file, or an experiment with a name."""
    path = Path(word)
    is_file = isinstance(word, Path) or path.suffix.lower() == ".toml" or len(path.parts) > 1
    return read_specification(path, rehearse) if is_file else built_in_specification(str(word), rehearse)


def specification_from(said: Mapping[str, Any]) -> Specification:
    """The specification in a dict with the keys of a TOML file, and ``name``; instances may be given themselves."""
    said, files = with_files(said)
    name = said.pop("name", "experiment")
    if not isinstance(name, str):
        raise InputError(f"name = {shown(name)} is not allowed: it must be text.")

    def open_file(number: int, file: str, options: ItemOptions) -> Instance:
        return files[number] if number in files else read_instance(file, options)

    return parse_specification(to_toml(said), name, open_file)
