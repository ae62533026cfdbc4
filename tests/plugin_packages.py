"""Packages with plug-ins, as another project would install them."""

from gems_engine.plugin_scaffold import _files

ALGORITHM = """
from gems_engine.algorithms.algorithm import SHARED, Algorithm
from gems_engine.events import *
from gems_engine.parameters import Parameter
import numpy as np


def steps(context, given):
    place = Place(1, 1, 1)
    yield Recommended(Place(), 0, 0, "first guess")
{body}
    return RunFinished(place, "done", 0, context.reset_survivors()[:1], context.samples)


PLUGIN = Algorithm("{name}", "A toy.", ({parameters}), "best arm", steps)
"""


def algorithm(name, body="", parameters="*SHARED,"):
    """The source of an algorithm; the body comes between its first guess and its end."""
    lines = "\n".join(f"    {line}" for line in body.strip().splitlines())
    return ALGORITHM.format(name=name, body=lines, parameters=parameters)


def template(name, kind):
    """The source that `gems plugin new` writes."""
    files = _files(name, kind)
    return files[f"{name.replace('-', '_')}/__init__.py"]


def install(folder, package, source, group="gems.algorithms", entry=None, lines=None):
    """Write a package with one entry point into a folder for PYTHONPATH; its object is PLUGIN."""
    module = package.replace("-", "_")
    (folder / f"{module}.py").write_text(source, encoding="utf-8")
    about = folder / f"{module}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    text = lines or f"{entry or package} = {module}:PLUGIN"
    (about / "entry_points.txt").write_text(f"[{group}]\n{text}\n")
