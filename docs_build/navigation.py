"""The navigation of the site: its sections, in their order."""

from __future__ import annotations

NAVIGATION = {
    "Start": ("guide/first-steps.md", "paper-in-ten-pictures.md"),
    "Guide": (
        "guide/watch-a-run.md",
        "guide/compare-with-rage.md",
        "guide/debug-a-design.md",
        "guide/own-data.md",
        "data-diabetes.md",
        "data-wine.md",
        "guide/run-experiments.md",
        "guide/cluster.md",
        "guide/figures.md",
        "guide/share-a-run.md",
        "guide/give-a-talk.md",
        "guide/library.md",
        "real-experiments.md",
        "notebook.md",
        "extending.md",
    ),
    "Reference": (
        "help/index.md",
        "guide/command-lines.md",
        "commands/index.md",
        "guide/keys.md",
        "api/index.md",
        "gallery.md",
    ),
    "Background": (
        "decisions.md",
        "performance.md",
        "reliability.md",
        "architecture.md",
        "events.md",
    ),
    "Project": ("deprecation.md", "changelog.md", "contributing.md", "conduct.md", "security.md"),
}
"""The pages of each section; those of `docs/` must all be here, generated ones follow from their lists."""


def contents(caption: str, paths: tuple[str, ...] | list[str], hidden: bool = True) -> str:
    """A section of the navigation in Markdown; a path may have its title before it, as in "Title <path>"."""
    options = [f":caption: {caption}"] if caption else []
    options += [":hidden:"] if hidden else []
    return "\n".join(["", "```{toctree}", *options, "", *paths, "```", ""])


def navigation() -> str:
    """All sections, for the end of the start page."""
    return "".join(contents(caption, paths) for caption, paths in NAVIGATION.items())
