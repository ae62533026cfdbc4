"""Runs one of the measurements."""

import sys
from importlib import import_module

MEASUREMENTS = {
    "kills": "SIGKILL of every process at random moments",
    "soak": "the memory of a window after hundreds of runs",
    "two_windows": "two windows at once, with one folder of settings and recovery files",
    "files": "files that are deleted or replaced while they are open or being read",
    "hostile": "files that are made to be slow or large, given to the command",
}


def main(words: list[str]) -> int:
    """Run a measurement; its exit code."""
    if not words or words[0] not in MEASUREMENTS:
        print("usage: python -m tests.reliability NAME [options]\n")
        for name, about in MEASUREMENTS.items():
            print(f"  {name:12} {about}")
        return 2
    found: int = import_module(f"tests.reliability.{words[0]}").main(words[1:])
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
