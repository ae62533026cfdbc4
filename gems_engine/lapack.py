"""The LAPACK and BLAS routines that designs need, from scipy without the rest of scipy.linalg.

Importing scipy.linalg takes longer than a run, and a command line or a worker may solve only one small design. Its
compiled modules are all that is needed; they are the same ones that the package itself would load.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType

import numpy as np
import scipy

from gems_engine.arrays import Floats

PACKAGE = "scipy.linalg"


def _compiled(name: str) -> ModuleType:
    """A compiled module; imported normally if the package is already loaded or has a different layout."""
    whole = f"{PACKAGE}.{name}"
    if whole in sys.modules:
        return sys.modules[whole]
    spec = PathFinder.find_spec(whole, [str(Path(scipy.__file__).parent / "linalg")])
    if PACKAGE in sys.modules or spec is None or spec.loader is None:
        return import_module(whole)
    module = module_from_spec(spec)
    sys.modules[whole] = module  # the package takes this one if it is loaded later
    spec.loader.exec_module(module)
    return module


_blas = _compiled("_fblas")
dsyrk = _blas.dsyrk
ssyrk = _blas.ssyrk
dtrmm = _blas.dtrmm
_lapack = _compiled("_flapack")
dgeqrf = _lapack.dgeqrf
dorgqr = _lapack.dorgqr
dpotrf = _lapack.dpotrf
dpotrs = _lapack.dpotrs
dtrtri = _lapack.dtrtri
dtrtrs = _lapack.dtrtrs
spotrf = _lapack.spotrf
spotrs = _lapack.spotrs


def thin_qr(table: Floats) -> tuple[Floats, Floats]:
    """Orthonormal columns, and an upper triangle: their product is this table, which has no more columns than rows."""
    columns = table.shape[1]
    factor, scales, _, _ = dgeqrf(table, lwork=32 * columns)
    triangle = factor[:columns] * upper(columns)
    white, _, _ = dorgqr(factor, scales, lwork=32 * columns, overwrite_a=1)
    return np.ascontiguousarray(white), triangle


@lru_cache(maxsize=256)
def upper(size: int) -> Floats:
    """Ones in the upper triangle."""
    return np.triu(np.ones((size, size)))
