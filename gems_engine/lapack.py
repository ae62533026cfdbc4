"""The routines of LAPACK that designs need: scipy's, without the rest of scipy.linalg, which takes longer than a run.

A command line or a worker that solves one small design would spend most of its time on importing the package. The
compiled module inside it is all that is needed, and it is the same one that the package itself would load.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType

import scipy

NAME = "scipy.linalg._flapack"


def _compiled() -> ModuleType:
    """The compiled module; by the package where it is loaded already or keeps its modules elsewhere."""
    if NAME in sys.modules:
        return sys.modules[NAME]
    spec = PathFinder.find_spec(NAME, [str(Path(scipy.__file__).parent / "linalg")])
    if "scipy.linalg" in sys.modules or spec is None or spec.loader is None:
        return import_module(NAME)
    module = module_from_spec(spec)
    sys.modules[NAME] = module  # the package takes this one if it is loaded later
    spec.loader.exec_module(module)
    return module


_lapack = _compiled()
dgeqrf = _lapack.dgeqrf
dpotrf = _lapack.dpotrf
dpotrs = _lapack.dpotrs
dtrtri = _lapack.dtrtri
dtrtrs = _lapack.dtrtrs
