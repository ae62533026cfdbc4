"""The documentation: its generated pages have what the program has, every page is in the navigation, faults are found.

`.ci/run` builds the site itself, with warnings as errors.
"""

import argparse
import re
from pathlib import Path

import pytest

from docs_build.check_site import main, problems
from docs_build.command_pages import command_pages
from docs_build.help_pages import help_pages
from docs_build.key_page import PATH, key_page
from docs_build.markdown import with_formulas, with_indices, with_links
from docs_build.navigation import NAVIGATION
from docs_build.notebooks import notebook_pages
from docs_build.signatures import literal_shapes
from docs_build.sources import DOCUMENTS, adapted, site_path
from gems_engine.cli import command_parser
from gems_engine.commands import commands
from gems_gui.action_table import EVERY_ACTION
from gems_gui.glossary import GLOSSARY, glossary
from gems_gui.help.pages import pages
from gems_gui.menus.action_set import key_text

ROOT = Path(__file__).parents[1]


def test_every_page_is_in_the_navigation():
    there = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    there |= set(notebook_pages())
    listed = [path for paths in NAVIGATION.values() for path in paths]
    missing = sorted(there - set(listed))
    assert not missing, f"add them to NAVIGATION in docs_build/navigation.py: {missing}"
    assert set(listed) <= {*there, *DOCUMENTS.values(), PATH, "help/index.md", "commands/index.md", "api/index.md"}


def test_links_lead_to_pages_of_the_site():
    assert site_path("docs/gallery.md", "README.md") == "gallery.md"
    assert site_path("../../CONTRIBUTING.md", "docs/guide/window.md") == "contributing.md"
    assert site_path("../assets/help/families/wine.md", "docs/data-wine.md") == "help/families/wine.md"
    assert adapted("[a](../CHANGELOG.md#b) x_9", "docs/deprecation.md", "deprecation.md") == (
        "[a](changelog.md#b) x<sub>9</sub>"
    )


def test_ci_builds_the_site():
    assert 'python -m docs_build "$work/site"' in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert '"-W"' in (ROOT / "docs_build" / "__main__.py").read_text(encoding="utf-8"), "warnings are errors"


def test_the_key_page_has_every_key_with_its_action():
    rows = [line.split(" | ") for line in key_page().splitlines() if line.startswith("| `")]
    shown = {(row[0].removeprefix("| "), row[1]) for row in rows}
    wanted = [spec for spec in EVERY_ACTION if spec.keys]
    assert len(rows) == len(wanted) > 60
    for spec in wanted:
        keys = " or ".join(f"`{key_text(key)}`" for key in spec.keys)
        assert (keys, spec.text.removesuffix("…")) in shown


def parsers(parser):
    """A parser and those of its subcommands."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for each in action.choices.values():
                yield from parsers(each)


@pytest.mark.parametrize("name", commands())
def test_a_command_page_has_every_argument_and_the_example(name):
    page = command_pages()[f"commands/{name}.md"]
    assert commands()[name].example in page
    for parser in parsers(command_parser(name)):
        assert f"# {parser.prog}\n" in page
        rows = page.partition(f"# {parser.prog}\n")[2].partition("\n#")[0]
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction | argparse._HelpAction):
                continue
            for word in action.option_strings or [action.metavar or action.dest]:
                shown = re.escape(word.replace("|", r"\|"))
                assert re.search(rf"^\| `[^`]*{shown}", rows, re.MULTILINE), (parser.prog, word)


def test_the_list_of_commands_links_to_each():
    text = command_pages()["commands/index.md"]
    assert re.findall(r"^\| \[`gems (\w+)`\]\(\1\.md\)", text, re.MULTILINE) == list(commands())


def test_help_pages_are_those_of_the_window():
    made = help_pages()
    assert made.keys() == {"help/index.md", *(f"help/{key}.md" for key in pages())}
    for key in pages():
        assert f"<{key}>\n" in made["help/index.md"]
    for key, page in pages().items():
        plain = re.sub(r"</?su[bp]>|[\W_]", "", made[f"help/{key}.md"])
        for line in page.text.splitlines():
            if "](" not in line and not (key == GLOSSARY and line.startswith("|")):
                words = re.sub(r"[\W_]", "", line)
                assert words in plain, (key, line)
        assert "?marked" not in made[f"help/{key}.md"]
    for anchor, entry in glossary().items():
        assert f"\n| [{entry.term}]{{#{anchor}}} |" in made[f"help/{GLOSSARY}.md"]


def test_markdown_of_the_repository_is_read_as_github_does():
    assert with_indices("x_9, R^{d_k} and ρ⋆_d, not gems_engine or `a_b` or [t](a_b.md)") == (
        "x<sub>9</sub>, R<sup>d<sub>k</sub></sup> and ρ⋆<sub>d</sub>, not gems_engine or `a_b` or [t](a_b.md)"
    )
    assert with_indices("x_10 and ρ⋆_10") == "x<sub>10</sub> and ρ⋆<sub>10</sub>"
    assert with_indices("min_λ 2^{−k}", everywhere=True) == "min<sub>λ</sub> 2<sup>−k</sup>"
    assert with_formulas("> a\n> b\n\nc") == "> a  \n> b  \n\nc"
    assert with_links("[a](b.md#c) `[a](b.md)` [w](https://x.org)", lambda _: "d.md") == (
        "[a](d.md#c) `[a](b.md)` [w](https://x.org)"
    )


def test_shapes_are_not_links():
    lines = ["arms : array_like of shape (K, D)", "    Rows of shape (K, D)."]
    literal_shapes(None, "class", "Instance", None, None, lines)
    assert lines == ["arms : array_like of shape ``(K, D)``", "    Rows of shape (K, D)."]


def test_the_check_of_the_site_finds_faults(tmp_path, capsys):
    (tmp_path / "a.html").write_text('<p id="here">Fine</p><a href="b.html#there">b</a>', encoding="utf-8")
    (tmp_path / "b.html").write_text('<p id="there"><code>| --- |</code></p><a href="a.html">a</a>', encoding="utf-8")
    assert main([str(tmp_path)]) == 0
    assert "2 pages: all links work" in capsys.readouterr().out
    (tmp_path / "b.html").write_text(
        '<script src="https://x.org/s.js"></script><a href="a.html#gone">a</a><a href="c.html">c</a><img src="d.png">'
        "<p>| --- |</p>",
        encoding="utf-8",
    )
    (tmp_path / "s.css").write_text(
        "@import 'https://x.org/f.css'; p {background: url(//x.org/p.png)}", encoding="utf-8"
    )
    assert problems(tmp_path) == [
        "a.html: links to b.html#there, which has no such anchor",
        "b.html: loads https://x.org/s.js from another server",
        "b.html: links to a.html#gone, which has no such anchor",
        "b.html: links to c.html, which does not exist",
        "b.html: links to d.png, which does not exist",
        "b.html: shows markup: '| ---'",
        "s.css: loads https://x.org/f.css from another server",
        "s.css: loads //x.org/p.png from another server",
    ]
    assert main([str(tmp_path)]) == 1
