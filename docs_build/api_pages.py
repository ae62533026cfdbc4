"""The reference of the library: which names are public, and a page for each of their modules."""

from __future__ import annotations

from importlib import import_module

from docs_build.markdown import table
from docs_build.navigation import contents

PUBLIC = {
    "gems_engine": "The names that a notebook needs",
    "gems_engine.instances": "Instances: families, files and arrays",
    "gems_engine.design": "Optimal designs with proofs",
    "gems_engine.dimension": "The choice of a dimension (OPT)",
    "gems_engine.rounding": "From weights to whole pulls",
    "gems_engine.complexity": "Complexities and guarantees",
    "gems_engine.events": "The events of a run",
    "gems_engine.trace": "The record of a run",
    "gems_engine.experiment": "Experiments",
    "gems_engine.gallery": "Families of instances",
    "gems_engine.algorithms.algorithm": "The type of an algorithm, for plug-ins",
    "gems_engine.algorithms.run_context": "What an algorithm works with, for plug-ins",
    "gems_engine.parameters": "Parameters of algorithms and families, for plug-ins",
    "gems_engine.algorithms.contract": "The contract of an algorithm, for tests of plug-ins",
    "gems_engine.plugin_contract": "The contracts of all plug-ins, for their tests",
}
"""The public modules and what each is about. A name is public if it is in the `__all__` of one of them."""
FOLDER = "api"
"""The folder of these pages in the site."""


def public_names() -> dict[str, list[str]]:
    """The public names of each public module, in its order; a name of several modules belongs to the first."""
    found: dict[str, list[str]] = {}
    known: set[int] = set()
    for module in PUBLIC:
        loaded = import_module(module)
        names = [name for name in loaded.__all__ if f"{module}.{name}" not in _ELSEWHERE]
        found[module] = [name for name in names if id(getattr(loaded, name)) not in known]
        known |= {id(getattr(loaded, name)) for name in found[module]}
    return found


_ELSEWHERE = ("gems_engine.instances", "gems_engine.__version__", "gems_engine.instances.families")
"""Names without an entry of their own: a module, which has a page, a text, and another name of `gallery.FAMILIES`."""


def api_pages() -> dict[str, str]:
    """The text of a page for each public module, by path, and of their list."""
    names = public_names()
    rows = [(f"[`{module}`]({module}.rst)", about, str(len(names[module]))) for module, about in PUBLIC.items()]
    start = f"""# Library

These modules are public: a name is public if it is in the `__all__` of one of them, and it has an entry here.
Everything else may change without notice; [what a release may change](../deprecation.md) says how public names
change. The engine needs no Qt. The tests run the examples on these pages.

{table(("module", "about", "names"), rows)}"""
    found = {f"{FOLDER}/{module}.rst": _page(module, names[module]) for module in PUBLIC}
    return {f"{FOLDER}/index.md": start + contents("", list(PUBLIC)), **found}


def _page(module: str, names: list[str]) -> str:
    """A page in reStructuredText, as docstrings are."""
    doc = (import_module(module).__doc__ or "").strip()
    loaded = import_module(module)
    entries = [_entry(f"{module}.{name}", getattr(loaded, name)) for name in names]
    return "\n\n".join([f"{module}\n{'=' * len(module)}", doc, *entries, ""])


def _entry(name: str, found: object) -> str:
    """The directive of autodoc for an object."""
    if isinstance(found, type):
        return f".. autoclass:: {name}" + ("" if issubclass(found, Exception) else "\n   :members:")
    return f".. autofunction:: {name}" if callable(found) else f".. autodata:: {name}\n   :no-value:"
