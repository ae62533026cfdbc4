"""The former name of :mod:`gems_engine.algorithms.run_context`, kept for plug-ins for one release."""

import warnings

from gems_engine.algorithms.run_context import *  # noqa: F403
from gems_engine.algorithms.run_context import RunContext

Laboratory = RunContext
"""The former name of `RunContext`."""

warnings.warn(
    "gems_engine.algorithms.laboratory is now gems_engine.algorithms.run_context, and Laboratory is RunContext.",
    DeprecationWarning,
    stacklevel=2,
)
