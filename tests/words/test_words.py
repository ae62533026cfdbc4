"""Texts avoid the words that style and glossary rule out, and the catalogue finds the texts."""

from pathlib import Path

import pytest

from tests.words.asset_texts import entries, markdown_entries, toml_entries
from tests.words.catalogue import ROOT, catalogue, counts, forbidden, main
from tests.words.forbidden import violations
from tests.words.python_texts import Entry, Kind, python_entries

SOURCE = '''"""A module beside another."""

from __future__ import annotations

KEYS = {"too_many": 1}
"""Of an attribute."""


class Panel(Base):
    """A class."""

    def say(self, found: "beside me") -> str:
        """Of a function."""
        self.button.setToolTip("stop")  # a comment
        self.setObjectName("an object name")
        self.setStyleSheet("QLabel { color: red; }")
        if found == "too dear to me":
            return re.compile("a pattern here") or table["a key here"]
        return f"{len(found.beside)} arms {'remain' if found else 'of two'}" + "Run" + "run" + "x_1, " + "too dear"
'''


def texts(source: str, kind: Kind = Kind.TEXT) -> list[str]:
    return [each.text for each in python_entries("x.py", source) if each.kind is kind]


def rules(text: str) -> list[str]:
    return [rule.name for rule in violations(Entry("x.py", 1, Kind.TEXT, text))]


def test_python_texts_are_what_is_read() -> None:
    assert texts(SOURCE) == ["stop", "{len(found.beside)} arms {'remain' if found else 'of two'}", "of two", "Run"]


def test_docstrings_and_comments_are_told_apart() -> None:
    assert texts(SOURCE, Kind.DOCSTRING) == ["A module beside another.", "A class."]
    assert sorted(texts(SOURCE, Kind.FUNCTION)) == ["Of a function.", "Of an attribute."]
    assert texts(SOURCE, Kind.COMMENT) == ["a comment"]


def test_markdown_has_blocks_without_code() -> None:
    text = "# Title\nOne\ntwo `code beside`.\n\n- item\n  more\n| a | b |\n|---|---|\n```sh\nbeside\n```\nend\n"
    found = [(each.line, each.text) for each in markdown_entries("x.md", text)]
    assert found == [(1, "# Title"), (2, "One two `code beside`."), (5, "- item more"), (7, "| a | b |"), (12, "end")]
    assert not any(rules(words) for _, words in found)


def test_toml_has_sentences_with_their_lines() -> None:
    text = 'name = "rage"\ntitle = "Two arms"\n[[paper]]\nwhere = "section 7"\n'
    assert [(each.line, each.text) for each in toml_entries("x.toml", text)] == [(2, "Two arms"), (4, "section 7")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Run beside it", ["beside"]),
        ("Nobody and somebody, whoever it is", ["nobody", "somebody", "whoever"]),
        ("«x» is too dear", ["dear", "« »", "« »"]),
        ("3 arms left", ["left"]),
        ("x_3 left in round 2", ["left"]),
        ("3 arms Left", ["Left"]),
        ("arms leave at once", ["leaves"]),
        ("it stands here, so many times", ["so many", "stands"]),
        ("The form on the left, left of it, from left to right; what is left out; Alt+Left", []),
        ("ρ stands for the complexity, besides τ", []),
        ("{beside.left} `nobody` <b class='dear'>3 arms remain</b>", []),
    ],
)
def test_rules(text: str, found: list[str]) -> None:
    assert rules(text) == found


@pytest.fixture(scope="module")
def ours() -> list[Entry]:
    """The texts of this checkout."""
    return entries(ROOT)


def test_texts_avoid_forbidden_words(ours: list[Entry]) -> None:
    assert forbidden(ours) == []


def test_the_catalogue_has_every_kind_of_file(ours: list[Entry]) -> None:
    text = catalogue(ours)
    for path in (
        "assets/help/views/gaps.md",
        "assets/stories/why-model-selection.gems",
        "gems_engine/experiment/built_in/paper-table-1.toml",
        "gems_gui/drafts/presets.py",
        "README.md",
    ):
        assert f"\n## {path}\n{path}:" in text


def test_counts_are_by_package_and_kind(tmp_path: Path) -> None:
    package = tmp_path / "gems_engine"
    package.mkdir()
    (package / "one.py").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "README.md").write_text("Left beside, beside\n", encoding="utf-8")
    lines = counts(entries(tmp_path)).splitlines()
    beside = {line.split(" | ")[0].strip("| "): line.split(" | ")[1] for line in lines[2:]}
    assert beside["documents, text"] == "2"
    assert beside["gems_engine, docstring of a module or class"] == "1"
    assert beside["gems_engine, text"] == "0"
    assert beside["all"] == "3"
    assert 'gems_engine/one.py:1: "beside"' in forbidden(entries(tmp_path))[1]
    assert "Docstrings of modules" in catalogue(entries(tmp_path))
    main(["--repo", str(tmp_path), "-o", str(tmp_path / "catalogue.txt")])
    assert (tmp_path / "catalogue.txt").read_text(encoding="utf-8") == f"{catalogue(entries(tmp_path))}\n"
