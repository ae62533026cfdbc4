"""The built-in experiments, each a TOML file in the folder `built_in`."""

from __future__ import annotations

from pathlib import Path

from gems_engine.errors import InputError
from gems_engine.experiment.folder import read_specification
from gems_engine.experiment.specification import Specification
from gems_engine.parameters import unknown_name

BUILT_IN = (
    Path(__file__).parent / "built_in"
)  # inside the package, so that checkouts, editable installs and wheels have it


def built_in() -> dict[str, Path]:
    """The files by name."""
    return {path.stem: path for path in sorted(BUILT_IN.glob("*.toml"))}


def built_in_specification(name: str, rehearse: bool = True) -> Specification:
    """The specification of that name."""
    known = built_in()
    if name not in known:
        raise InputError(f"{unknown_name('experiment', name, known)} Your own are .toml files.")
    return read_specification(known[name], rehearse)


def specification_of(word: str | Path, rehearse: bool = True) -> Specification:
    """The specification that a word names: a ``.toml`` file, or a built-in experiment."""
    path = Path(word)
    is_file = isinstance(word, Path) or path.suffix.lower() == ".toml" or len(path.parts) > 1
    return read_specification(path, rehearse) if is_file else built_in_specification(str(word), rehearse)
