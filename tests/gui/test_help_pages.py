"""Every registered view and parameter has a page of help, whole, linked, and with the facts of the registry."""

import re
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder
from PySide6.QtGui import QFont, QFontMetrics, QTextDocument

from gems_engine.algorithms import BUILT_IN
from gems_engine.algorithms.algorithm import Algorithm
from gems_engine.conditions import CONDITIONS
from gems_engine.forcing import PARAMETERS as FORCED
from gems_engine.gallery import FAMILIES
from gems_engine.parameters import Parameter
from gems_engine.terminal import THIN
from gems_gui.field_text import label_of, text_of
from gems_gui.help import pages as help_pages
from gems_gui.help.how_to_read import page
from gems_gui.help.pages import (
    ALGORITHM_SECTIONS,
    FAMILY_SECTIONS,
    PARAMETER_SECTIONS,
    START,
    TOPICS,
    VIEW_SECTIONS,
    algorithm_key,
    family_key,
    pages,
    parameter_key,
    resolved,
    view_key,
)
from gems_gui.markup import as_html
from gems_gui.theme import LIGHT
from gems_gui.views import EVERY_VIEW

ROOT = Path(__file__).parents[2]
HELP = ROOT / "assets" / "help"
OWNED = [
    *(("instance", each) for family in FAMILIES.values() for each in family.parameters),
    *(("algorithm", each) for algorithm in BUILT_IN.values() for each in algorithm.parameters),
    *(("forced", each) for each in FORCED),
    *(("until", each) for condition in CONDITIONS.values() for each in condition.parameters),
]
"""Scope and parameter, as the registries of the engine have them."""
KEYS = sorted({parameter_key(scope, each.name) for scope, each in OWNED} | {parameter_key("run", "seed")})
OWNERS = [
    *((algorithm_key(each.name), each, ALGORITHM_SECTIONS) for each in BUILT_IN.values()),
    *((family_key(each.name), each, FAMILY_SECTIONS) for each in FAMILIES.values()),
]
EVERY = [*map(view_key, EVERY_VIEW), *(key for key, _, _ in OWNERS), *KEYS, *TOPICS]


HEADINGS = {
    "views": VIEW_SECTIONS,
    "algorithms": ALGORITHM_SECTIONS,
    "families": FAMILY_SECTIONS,
    "parameters": PARAMETER_SECTIONS,
}


def written(key):
    file = HELP / f"{key}.md"
    assert file.is_file(), stub(key)
    return file.read_text(encoding="utf-8")


def stub(key):
    """What to write where, for a page that is missing."""
    kind, name = key.split("/")[0], key.split("/")[-1]
    labels = {parameter_key(scope, each.name): label_of(each, scope) for scope, each in OWNED}
    title = EVERY_VIEW.titles[name] if kind == "views" else f"{labels.get(key, name)}, what it is in a few words"
    least = {
        "views": "12 words or more each; the formula is a line that begins with > ",
        "parameters": "7 words or more",
    }
    headings = "".join(f"\n## {each}\n\n" for each in HEADINGS.get(kind, ()))
    text = f"with text below each heading ({least.get(kind, 'a sentence')})"
    return f"write assets/help/{key}.md, {text}:\n\n# {title}\n{headings}"


def sections_of(text):
    """The texts under the second headings of a page."""
    _, *parts = re.split(r"^## ", text, flags=re.MULTILINE)
    return {heading.strip(): body.strip() for heading, _, body in (part.partition("\n") for part in parts)}


def links_in(text):
    """Where the links of a page lead, apart from what is code."""
    return re.findall(r"\[[^\]]+\]\(([^)\s]+)\)", re.sub(r"`[^`]+`", "", text))


def shown(key):
    """The words of a page, as a reader sees them."""
    document = QTextDocument()
    document.setHtml(as_html(pages()[key].text))
    return document.toPlainText()


@pytest.mark.parametrize("name", EVERY_VIEW)
def test_every_view_has_a_page_with_all_sections(name):
    text = written(view_key(name))
    assert text.startswith(f"# {EVERY_VIEW[name].title}\n")
    sections = sections_of(text)
    assert tuple(sections) == VIEW_SECTIONS
    for heading, body in sections.items():
        assert len(body.split()) >= 12, heading
    assert "> " in sections["Formula"]


@pytest.mark.parametrize("key", KEYS)
def test_every_parameter_has_a_page_with_all_sections(key):
    sections = sections_of(written(key))
    assert tuple(sections) == PARAMETER_SECTIONS
    for heading, body in sections.items():
        assert len(body.split()) >= 7, heading


@pytest.mark.parametrize(("key", "owner", "headings"), OWNERS, ids=[key for key, _, _ in OWNERS])
def test_every_algorithm_and_family_has_a_page_with_links_to_its_parameters(key, owner, headings):
    sections = sections_of(written(key))
    assert tuple(sections) == headings
    first = f"# {owner.title}\n" if isinstance(owner, Algorithm) else f"# {owner.name}, "
    assert written(key).startswith(first)
    scope = "algorithm" if isinstance(owner, Algorithm) else "instance"
    linked = links_in(sections_of(pages()[key].text)["Parameters"])
    assert [resolved(each, key) for each in linked] == [parameter_key(scope, each.name) for each in owner.parameters]


def test_the_window_knows_them_all_and_no_other_file_is_there():
    files = {path.relative_to(HELP).with_suffix("").as_posix() for path in HELP.rglob("*") if path.is_file()}
    assert files - set(EVERY) == set(), "remove these pages of assets/help: nothing of that name is registered"
    assert files == set(EVERY), "\n\n".join(map(stub, sorted(set(EVERY) - files)))
    assert set(EVERY) <= set(pages())


@pytest.mark.parametrize("key", EVERY)
def test_links_lead_to_pages_and_markup_is_understood(qapp, key):
    for target in links_in(written(key)):
        assert target.endswith(".md")
        assert resolved(target, key) in pages(), target
    text = shown(key)
    for left_over in ("**", "](", "`", "|--", "_{", "^{", "##", "\N{REPLACEMENT CHARACTER}"):
        assert left_over not in text, left_over


def test_every_page_can_be_reached_from_the_first(qapp):
    linked = re.findall(r'href="help:([^"]+)"', page(LIGHT))
    assert sorted(linked) == sorted(pages())
    assert START not in pages()


@pytest.mark.parametrize(("scope", "parameter"), OWNED, ids=lambda each: getattr(each, "name", each))
def test_range_and_default_come_from_the_registry(qapp, scope, parameter):
    key = parameter_key(scope, parameter.name)
    assert label_of(parameter, scope) in pages()[key].title, (
        f"assets/help/{key}.md is about every {scope} parameter that is called {parameter.name}: where yours means "
        f"something else, give it a name of its own, and begin its page with # {label_of(parameter, scope)}"
    )
    plain = shown(key).replace(THIN, "").replace("\N{NON-BREAKING HYPHEN}", "-")
    facts = plain.partition("Range and default")[2].partition("Effect of changing it")[0]
    assert parameter.allowed.replace(THIN, "") in facts
    default = (text_of(parameter, parameter.default) or "none").replace(THIN, "")
    assert f"{default} {parameter.unit}".strip() in facts.splitlines()
    typed = {"algorithm": f"--{parameter.name.replace('_', '-')}", "until": ""}.get(scope, f"{parameter.name}=")
    assert typed in facts
    assert "Range and default" not in written(key)


def test_options_of_a_view_come_from_the_registry(qapp):
    for name, view in EVERY_VIEW.items():
        text = shown(view_key(name))
        for option in view.options:
            assert f"{option.label}: {option.words}" in text


def test_all_text_can_be_drawn_with_the_font_we_ship_for(qapp):
    font = QFont("DejaVu Sans")
    font.setStyleStrategy(QFont.StyleStrategy.NoFontMerging)  # otherwise other fonts are used, too
    metrics = QFontMetrics(font)
    assert not metrics.inFontUcs4(ord("漢"))
    text = "".join(map(shown, EVERY)) + page(LIGHT)
    assert [each for each in sorted(set(text) - {"\n"}) if not metrics.inFontUcs4(ord(each))] == []


def test_a_parameter_of_another_package_has_what_its_registry_says(qapp, monkeypatch):
    odd = Parameter("oddity", "int", 3, "How odd it is.", "ö", 1, 5)
    toy = Algorithm("toy", "A toy.", (odd,), "best arm", lambda context, given: iter(()))
    monkeypatch.setattr(help_pages.parameters, "algorithms", lambda: {**BUILT_IN, "toy": toy})
    help_pages.parameters.parameters.cache_clear()
    pages.cache_clear()
    try:
        text = shown(parameter_key("algorithm", "oddity"))
        assert text.startswith("ö\nHow odd it is.\nRange and default")
        assert "a whole number from 1 to 5" in text
    finally:
        monkeypatch.undo()
        help_pages.parameters.parameters.cache_clear()
        pages.cache_clear()


def test_the_wheel_has_the_pages_where_the_program_looks(tmp_path):
    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {f"gems_gui/assets/help/{key}.md" for key in EVERY} <= names
    assert {f"gems_gui/assets/page/page.{kind}" for kind in ("html", "css", "js")} <= names


@pytest.mark.parametrize("algorithm", BUILT_IN.values(), ids=lambda each: each.name)
def test_the_page_of_an_algorithm_has_its_title_and_its_id(algorithm: Algorithm):
    assert pages()[algorithm_key(algorithm.name)].text.splitlines()[:3] == [
        f"# {algorithm.title}",
        "",
        f"Id: `{algorithm.name}`",
    ]
