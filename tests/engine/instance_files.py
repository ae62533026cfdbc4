"""What tests of files write by hand."""

import io

import numpy as np

ARMS = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]


def savez(**arrays):
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()
