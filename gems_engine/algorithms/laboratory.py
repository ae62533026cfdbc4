"""The former name of :mod:`gems_engine.algorithms.run_context`, kept for plug-ins for one release."""

import warnings

from gems_engine.algorithms import run_context

globals().update({name: value for name, value in vars(run_context).items() if not name.startswith("_")})

Laboratory = run_context.RunContext
"""The former name of `RunContext`."""

warnings.warn(
    "gems_engine.algorithms.laboratory is now gems_engine.algorithms.run_context, and Laboratory is RunContext.",
    DeprecationWarning,
    stacklevel=2,
)
