"""The help pages of the window (F1) as pages of the site: one source, `assets/help/` and the registries."""

from __future__ import annotations

from docs_build.markdown import table, with_formulas, with_indices, with_links
from docs_build.navigation import contents
from gems_engine.algorithms import BUILT_IN
from gems_gui.glossary import GLOSSARY, glossary
from gems_gui.help.pages import GROUPS, HelpPage, pages

FOLDER = "help"
"""The folder of these pages in the site."""


def help_pages() -> dict[str, str]:
    """Markdown of each help page by its path in the site, and a page of contents."""
    shown = {page.key: page for page in pages().values()}
    return {
        f"{FOLDER}/index.md": _contents(shown),
        **{f"{FOLDER}/{key}.md": page_text(page) for key, page in shown.items()},
    }


def page_text(page: HelpPage) -> str:
    """A help page as Markdown for the site."""
    text = with_links(page.text, lambda target: target)  # drops the marks of the help window: ?marked=…
    text = with_indices(with_formulas(text), everywhere=True)
    return _anchored(text) if page.key == GLOSSARY else text


def _anchored(text: str) -> str:
    """The glossary with an anchor in each row, to which the other pages link."""
    for anchor, entry in glossary().items():
        text = text.replace(f"\n| {entry.term} |", f"\n| [{entry.term}]{{#{anchor}}} |")
    return text


def _contents(shown: dict[str, HelpPage]) -> str:
    parts = [
        "# Views, algorithms and parameters\n",
        "These are the help pages of the program: F1 opens the one of the view, field or algorithm under the mouse.\n",
    ]
    for group in GROUPS:
        found = {key: page for key, page in shown.items() if page.group == group}
        parts += [f"## {group}\n", _algorithms() if group == "Algorithms" else ""]
        parts.append(contents("", [f"{page.label} <{key}>" for key, page in found.items()], group == "Algorithms"))
    return "\n".join(parts)


def _algorithms() -> str:
    rows = [(f"[{each.title}](algorithms/{name}.md)", f"`{name}`", each.summary) for name, each in BUILT_IN.items()]
    return table(("algorithm", "name on the command line", "what it does"), rows)
