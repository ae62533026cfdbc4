"""Files about the project: the citation is that of the paper, policies are there, and templates can be read."""

import re
import tomllib
from pathlib import Path

import yaml  # installed with distributed

import gems_engine
from gems_engine.version import own_version

ROOT = Path(__file__).parents[1]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def bib(field):
    """A field of the entry in assets/paper.bib."""
    return re.search(rf"^\s*{field} = {{(.*)}},$", (ROOT / "assets" / "paper.bib").read_text(encoding="utf-8"), re.M)[1]


def test_the_citation_file_names_the_program_and_its_contributors():
    required = {"cff-version", "message", "title", "authors"}  # of the format, version 1.2.0
    optional = {"type", "abstract", "version", "license", "keywords", "preferred-citation"}
    assert required <= CITATION.keys() <= required | optional
    assert CITATION["cff-version"] == "1.2.0"
    assert CITATION["type"] == "software"
    assert CITATION["authors"] == [{"name": "The GEMS Lab contributors"}]
    assert CITATION["version"] == PROJECT["version"] == own_version() == gems_engine.__version__
    assert CITATION["license"] == PROJECT["license"]
    assert CITATION["keywords"] == PROJECT["keywords"]
    assert " ".join(CITATION["abstract"].split()) == PROJECT["description"]


def test_the_preferred_citation_is_the_paper():
    paper = CITATION["preferred-citation"]
    assert {"type", "title", "authors"} <= paper.keys()
    assert paper["type"] == "conference-paper"
    assert paper["title"] == bib("title")
    names = [f"{each['family-names']}, {each['given-names']}" for each in paper["authors"]]
    assert " and ".join(names) == bib("author")
    assert paper["collection-title"] == bib("booktitle")
    assert str(paper["year"]) == bib("year")
    assert str(paper["volume"]) == bib("volume")
    assert f"{paper['start']}--{paper['end']}" == bib("pages")
    assert paper["publisher"] == {"name": bib("publisher")}


def test_the_engine_alone_needs_what_the_project_needs_without_qt():
    wanted = [each for each in PROJECT["dependencies"] if not re.match(r"PySide6|pyqtgraph", each)]
    lines = (ROOT / "requirements-engine.txt").read_text(encoding="utf-8").splitlines()
    listed = [line for line in lines if not line.startswith("#")]
    assert listed == [*wanted, *PROJECT["optional-dependencies"]["cluster"]]
    run = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert 'install -q --disable-pip-version-check -r "$work/clone/requirements-engine.txt"' in run


def test_the_program_has_the_name_of_the_distribution_too():
    assert PROJECT["scripts"]["gems-lab"] == PROJECT["scripts"]["gems"]
    assert PROJECT["name"] == "gems-lab"


def test_issue_templates_can_be_read():
    templates = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
    assert [path.stem for path in templates] == ["bug", "config", "idea", "question"]
    for path in templates:
        form = yaml.safe_load(path.read_text(encoding="utf-8"))
        if path.stem == "config":
            assert form == {"blank_issues_enabled": True}
            continue
        assert {"name", "description", "body"} <= form.keys() <= {"name", "description", "body", "labels"}
        ids = [each["id"] for each in form["body"] if each["type"] != "markdown"]
        assert len(ids) == len(set(ids)) > 0
        for each in form["body"]:
            assert each["type"] in {"markdown", "textarea", "input", "dropdown"}
            assert each["attributes"].get("label" if each["type"] != "markdown" else "value")


def test_commands_in_the_templates_and_policies_exist():
    from gems_engine.commands import commands

    paths = [
        *(ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"),
        ROOT / "SECURITY.md",
        ROOT / "docs" / "deprecation.md",
    ]
    named = {name for path in paths for name in re.findall(r"`gems ([a-z]+)", path.read_text(encoding="utf-8"))}
    assert {"doctor"} <= named <= set(commands())


def test_the_top_of_the_changelog_is_not_released_yet_or_is_the_version():
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] in ("Unreleased", PROJECT["version"])
    assert any(PROJECT["version"] in heading for heading in headings)
