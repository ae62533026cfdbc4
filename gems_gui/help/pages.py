"""Which pages of help there are: one for each registered view and parameter, and some that stand for themselves."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from functools import cache

from gems_gui.assets import asset
from gems_gui.draft_texts import ALGORITHM, INSTANCE, RUN
from gems_gui.help import parameters
from gems_gui.help.markup import title_of
from gems_gui.views import VIEWS
from gems_gui.views.view import View

START = "start"
"""The key of the page that says how to read the window; it is not a file."""
VIEW_SECTIONS = ("What is plotted", "Formula", "How to read it", "Looks wrong, but is not")
PARAMETER_SECTIONS = ("What it does", "In the paper", "What a change does", "Pitfall")
"""The headings that a page has, in this order; what the registries know is set between them."""
TOPICS = ("topics/notation", "topics/decisions")
"""Pages about neither a view nor a parameter."""
_VIEWS, _TOPICS = "Views", "Background"
_SCOPES = {INSTANCE: "Parameters of instances", ALGORITHM: "Parameters of algorithms", RUN: "Parameters of runs"}
GROUPS = (_VIEWS, *_SCOPES.values(), _TOPICS)
"""The headings of the contents."""


@dataclass(frozen=True)
class Page:
    """A page.

    Attributes
    ----------
    key
        Its file under `assets/help/`, without the suffix.
    label
        What it is about, as the rest of the window calls it.
    group
        Where the contents have it.
    text
        Its Markdown, with what the registries add.
    """

    key: str
    label: str
    group: str
    text: str

    @property
    def title(self) -> str:
        """Its first heading."""
        return title_of(self.text)


def view_key(name: str) -> str:
    """The key of the page about a view."""
    return f"views/{name}"


def parameter_key(scope: str, name: str) -> str:
    """The key of the page about a parameter."""
    return f"parameters/{scope}/{name}"


def resolved(target: str, key: str) -> str:
    """The page that a link means: relative to the page that has it, as files link to each other."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(key), target)).removesuffix(".md")


@cache
def pages() -> dict[str, Page]:
    """All pages by key, in the order of the contents, without the one to start from."""
    made = [_of_view(view) for view in VIEWS.values()]
    made += [
        _of_parameter(*each) for each in sorted(parameters.parameters(), key=lambda each: list(_SCOPES).index(each[0]))
    ]
    made += [Page(key, title_of(_written(key)), _TOPICS, _written(key)) for key in TOPICS]
    return {page.key: page for page in made}


def _written(key: str) -> str:
    return asset(f"help/{key}.md").read_text(encoding="utf-8")


def _of_view(view: type[View]) -> Page:
    key = view_key(view.name)
    try:
        text = _written(key)
    except FileNotFoundError:  # it comes from another package
        text = f"# {view.title}\n\n{view.about}\n"
    return Page(key, view.title, _VIEWS, text + _options(view))


def _options(view: type[View]) -> str:
    if not view.options:
        return ""
    lines = [f"- **{option.label}**: {', '.join(option.choices.values())}" for option in view.options]
    return "\n".join(["\n## Options", "", *lines, "", "The first one of each is the default.", ""])


def _of_parameter(scope: str, name: str) -> Page:
    key = parameter_key(scope, name)
    facts = f"## Range and default\n\n{parameters.facts(scope, name)}\n\n"
    label = parameters.label(scope, name)
    try:
        text = _written(key)
    except FileNotFoundError:  # it belongs to an algorithm of another package
        text = f"# {label}\n\n{parameters.sentences(scope, name)}\n\n"
    before, heading, after = text.partition(f"## {PARAMETER_SECTIONS[2]}")
    return Page(key, label, _SCOPES[scope], f"{before}{facts}{heading}{after}")
