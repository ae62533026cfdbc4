"""All help pages: one for each registered view, algorithm, family and parameter, and topics."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from functools import cache

from gems_engine.algorithms import algorithms
from gems_engine.algorithms.algorithm import Algorithm
from gems_engine.gallery import FAMILIES, Family
from gems_gui.assets import asset
from gems_gui.field_text import ALGORITHM, INSTANCE, label_of
from gems_gui.glossary import GLOSSARY, GlossaryEntry, entries_in, glossary_key
from gems_gui.help import parameters
from gems_gui.markup import title_of
from gems_gui.views import EVERY_VIEW
from gems_gui.views.view import View

START = "start"
"""The key of the start page, which is not a file."""
VIEW_SECTIONS = ("What it shows", "Formula", "How to read it", "Common misreadings")
PARAMETER_SECTIONS = ("What it does", "In the paper", "Effect of changing it", "Pitfalls")
ALGORITHM_SECTIONS = ("What it does", "In the paper", "When it ends", "Pitfalls")
FAMILY_SECTIONS = ("What it is", "Formula", "What to look for", "Pitfalls")
"""The headings of pages, in this order; facts of the registries are inserted between or after them."""
TOPICS = (
    GLOSSARY,
    "topics/decisions",
    "topics/talks",
    "topics/exports",
    "topics/data",
    "topics/experiments",
    "topics/sensitivity",
    "topics/recovery",
    "topics/plane",
)
"""Topics: pages about nothing that is registered."""
_VIEWS, _ALGORITHMS, _FAMILIES, _TOPICS = "Views", "Algorithms", "Families of instances", "Background"
SYMBOLS = "Symbols"
"""The last heading of the page of a view that uses symbols."""
GROUPS = (_VIEWS, _ALGORITHMS, _FAMILIES, *parameters.SCOPES.values(), _TOPICS)
"""The headings of the contents."""


@dataclass(frozen=True)
class HelpPage:
    """A page.

    Attributes
    ----------
    key
        Its file under `assets/help/`, without the suffix.
    label
        The name of its subject in the window.
    group
        Its group in the contents.
    text
        Its Markdown, with facts of the registries.
    """

    key: str
    label: str
    group: str
    text: str

    @property
    def title(self) -> str:
        """Its first heading."""
        return title_of(self.text)

    @property
    def entry(self) -> str:
        """Its entry in the contents: its title or its name."""
        return self.label if self.group in (_ALGORITHMS, _FAMILIES) else self.title


def view_key(name: str) -> str:
    """The key of the page about a view."""
    return f"views/{name}"


def parameter_key(scope: str, name: str) -> str:
    """The key of the page about a parameter."""
    return f"parameters/{scope}/{name}"


def resolved(target: str, key: str) -> str:
    """The target page of a link with its anchor, relative to the page that has the link."""
    path, mark, rest = re.fullmatch(r"([^?#]*)([?#]?)(.*)", target).groups()  # type: ignore[union-attr]
    page = posixpath.normpath(posixpath.join(posixpath.dirname(key), path)).removesuffix(".md")
    return f"{page}{mark}{rest}"


def algorithm_key(name: str) -> str:
    """The key of the page about an algorithm."""
    return f"algorithms/{name}"


def family_key(name: str) -> str:
    """The key of the page about a family of instances."""
    return f"families/{name}"


@cache
def pages() -> dict[str, HelpPage]:
    """All pages by key, in the order of the contents, without the start page."""
    made = [_of_view(view) for view in EVERY_VIEW.values()]
    made += [_of_owner(algorithm_key(each.name), each, _ALGORITHMS, ALGORITHM) for each in algorithms().values()]
    made += [_of_owner(family_key(each.name), each, _FAMILIES, INSTANCE) for each in FAMILIES.values()]
    made += [_of_parameter(*each) for each in parameters.parameters()]
    made += [HelpPage(key, title_of(_written(key, "")), _TOPICS, _written(key, "")) for key in TOPICS]
    return {page.key: page for page in made}


def _written(key: str, otherwise: str) -> str:
    """The text of a file, or a default text for plugins without one."""
    try:
        return asset(f"help/{key}.md").read_text(encoding="utf-8")
    except FileNotFoundError:
        return otherwise


def _of_view(view: type[View]) -> HelpPage:
    key = view_key(view.name)
    text = _written(key, f"# {view.title}\n\n{view.about}\n") + _options(view)
    return HelpPage(key, view.title, _VIEWS, text + _symbols(entries_in(text)))


def view_symbols(name: str) -> tuple[GlossaryEntry, ...]:
    """The entries of the glossary whose symbols the page of a view uses."""
    return entries_in(pages()[view_key(name)].text.partition(f"\n## {SYMBOLS}\n")[0])


def _symbols(entries: tuple[GlossaryEntry, ...]) -> str:
    """What the symbols of a page mean, with links to the glossary."""
    if not entries:
        return ""
    rows = [f"| [{', '.join(e.symbols)}](../{GLOSSARY}.md#{e.anchor}) | **{e.term}**: {e.meaning} |" for e in entries]
    whole = f"[In the glossary](../{glossary_key(entries).replace(GLOSSARY, f'{GLOSSARY}.md')})"
    return "\n".join([f"\n## {SYMBOLS}\n", "| symbol | meaning |", "|---|---|", *rows, "", whole, ""])


def _options(view: type[View]) -> str:
    if not view.options:
        return ""
    lines = [f"- **{option.label}**: {option.words}" for option in view.options]
    return "\n".join(["\n## Options", "", *lines, "", "The first value of each option is the default.", ""])


def _of_owner(key: str, owner: Algorithm | Family, group: str, scope: str) -> HelpPage:
    """A page about something with parameters, with links to them."""
    links = [f"[{label_of(each, scope)}](../{parameter_key(scope, each.name)}.md)" for each in owner.parameters]
    title = owner.title if isinstance(owner, Algorithm) else owner.name
    text = _written(key, f"# {title}\n\nId: `{owner.name}`\n\n{owner.summary}\n")
    return HelpPage(key, title, group, f"{text}\n## Parameters\n{' · '.join(links)}\n")


def _of_parameter(scope: str, name: str) -> HelpPage:
    key, label = parameter_key(scope, name), parameters.label(scope, name)
    text = _written(key, f"# {label}\n\n{parameters.sentences(scope, name)}\n\n")
    before, heading, after = text.partition(f"## {PARAMETER_SECTIONS[2]}")
    facts = f"## Range and default\n\n{parameters.facts(scope, name)}\n\n"
    return HelpPage(key, label, parameters.SCOPES[scope], f"{before}{facts}{heading}{after}")
