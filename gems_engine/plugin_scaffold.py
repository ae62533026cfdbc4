"""Writes a new package with a plug-in that works, for its author to change."""

from __future__ import annotations

import keyword
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from gems_engine.commands import plugin_groups
from gems_engine.errors import InputError, quoted
from gems_engine.files import atomic_write, make_folder, read_text

TEMPLATES = Path(__file__).parent / "plugin_templates"
_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_LONGEST = 50


@dataclass(frozen=True)
class Kind:
    """What a new package provides.

    Attributes
    ----------
    group
        The group of its entry point.
    summary
        One sentence about the plug-in.
    trial
        A command that uses it.
    files
        Further files of the package, and their templates.
    """

    group: str
    summary: str
    trial: str
    files: tuple[tuple[str, str], ...] = ()


KINDS = {
    "algorithm": Kind(
        "gems.algorithms",
        "Pulls every arm equally often, and recommends by least squares.",
        "gems run paper-hard --algorithm @NAME@",
    ),
    "family": Kind(
        "gems.families",
        "Unit vectors in the plane at equal angles; the first is the best arm.",
        "gems instance show @NAME@:n=8",
    ),
    "metric": Kind(
        "gems.metrics",
        "Samples that were drawn after τ, when the recommendation was right already.",
        "gems experiment verifiability --trials 2",
    ),
    "view": Kind(
        "gems.views",
        "The samples drawn so far, after each allocation.",
        "gems render paper-hard -o view.png --view @NAME@",
    ),
    "experiment": Kind(
        "gems.experiments",
        "How many samples GEMS and RAGE need on two instances.",
        "gems experiment @NAME@ --trials 2",
        (("experiment.toml", "experiment.toml.txt"),),
    ),
}
"""The kinds of plug-ins by name."""


def check_name(name: str, kind: str) -> None:
    """Raise InputError unless a name can be that of a package and of a plug-in."""
    if not _NAME.fullmatch(name) or len(name) > _LONGEST:
        raise InputError(
            f"{quoted(name)} is not a name for a plug-in: use at most {_LONGEST} lower-case letters, digits and single "
            "hyphens, such as my-algorithm."
        )
    module = name.replace("-", "_")
    if keyword.iskeyword(module) or module in sys.stdlib_module_names or module in ("tests", "gems_engine", "gems_gui"):
        raise InputError(f"{quoted(name)} is not a name for a plug-in: Python has a word or module of this name.")
    group = next((each for each in plugin_groups() if each.what == kind), None)  # that of views comes with the window
    if group is not None and (name in group.taken() or module in group.taken()):
        raise InputError(f"{quoted(name)} is the name of something built in. Choose another name.")


def new_plugin(name: str, kind: str, folder: Path) -> list[Path]:
    """Write a package into a new folder and return its files.

    Parameters
    ----------
    name
        The name of the package and of the plug-in; a metric has underscores instead of hyphens.
    kind
        One of `KINDS`.
    folder
        The folder of the package; it must not exist.
    """
    check_name(name, kind)
    if folder.exists() or folder.is_symlink():
        raise InputError(f"{folder} exists already. Choose another name or --output.")
    written = _files(name, kind)
    part = folder.with_name(f".{folder.name}.part")
    try:
        for path, text in written.items():
            make_folder((part / path).parent)
            atomic_write(part / path, text.encode(), wait=False)
        part.rename(folder)
    except OSError as error:
        raise InputError(f"Cannot create the folder {folder}: {error.strerror or error}.") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return [folder / path for path in written]


def _files(name: str, kind: str) -> dict[str, str]:
    """The files of the package and their texts."""
    what, module = KINDS[kind], name.replace("-", "_")
    words = {
        "PROJECT": name,
        "MODULE": module,
        "NAME": module if kind == "metric" else name,
        "TITLE": name.replace("-", " ").capitalize(),
        "OBJECT": name.title().replace("-", "") if kind == "view" else module.upper(),
        "SUMMARY": what.summary,
        "GROUP": what.group,
    }
    words["TRY"] = _filled(what.trial, words)
    templates = {
        "pyproject.toml": "pyproject.toml.txt",
        "README.md": "README.md.txt",
        f"{module}/__init__.py": f"{kind}.py.txt",
        **{f"{module}/{path}": template for path, template in what.files},
        f"tests/test_{module}.py": f"{kind}_test.py.txt",
    }
    texts = {path: _filled(read_text(TEMPLATES / template), words) for path, template in templates.items()}
    return {**texts, f"{module}/py.typed": ""}


def _filled(text: str, words: dict[str, str]) -> str:
    return re.sub(r"@([A-Z]+)@", lambda found: words[found[1]], text)
