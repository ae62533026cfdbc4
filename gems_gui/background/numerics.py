"""Libraries of numbers, loaded by a thread while the window is used already."""

from __future__ import annotations

import threading

from gems_engine.blas import one_blas_thread


def load_numerics() -> None:
    """Begin to load what the first estimate shown would have to wait for."""
    threading.Thread(target=_load, name="gems loads", daemon=True).start()


def _load() -> None:
    import scipy.linalg  # noqa: F401  # takes a while: the window is painted first

    with one_blas_thread():
        pass
