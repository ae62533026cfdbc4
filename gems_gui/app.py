"""Where the window starts. It is not built yet: until it is, this shows what the command line can do."""

from gems_engine.cli import main as command_line


def main() -> int:
    """Say that there is no window yet, and what there is instead."""
    print("GEMS Lab has no window yet; its engine works from the command line.\n")
    return command_line([])
