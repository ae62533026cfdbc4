"""The version of GEMS Lab, read without parsing the rest of the package metadata."""

from functools import cache
from importlib.metadata import PackageNotFoundError, distribution


@cache
def own_version() -> str | None:
    """The installed version; None in a checkout that is not installed."""
    try:
        noted = distribution("gems-lab").read_text("METADATA") or ""
    except PackageNotFoundError:
        return None
    lines = (line.partition(":") for line in noted.split("\n\n", 1)[0].splitlines())
    return next((value.strip() for name, _, value in lines if name == "Version"), None)
