"""Loads numeric libraries in a thread while the window is already in use."""

from __future__ import annotations

import threading

from gems_engine.blas import one_blas_thread


def load_numerics() -> None:
    """Start loading what the first estimate needs."""
    threading.Thread(target=_load, name="gems loads", daemon=True).start()


def _load() -> None:
    import scipy.linalg  # noqa: F401  # slow: the window is painted first

    with one_blas_thread():
        pass
