"""The texts in other files: Markdown, the stories of the program, and experiments in TOML."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.words.python_texts import Entry, Kind, python_entries

PACKAGES = ("gems_engine", "gems_gui")
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs")
_STORY = re.compile(rb'"(?:title|caption|notes|about)": ("(?:[^"\\]|\\.)*")')


def entries(repo: Path) -> list[Entry]:
    """All texts of a checkout, by file and line."""
    found: list[Entry] = []
    for package in PACKAGES:
        for path in sorted((repo / package).rglob("*.py")):
            found += python_entries(_place(path, repo), path.read_text(encoding="utf-8"))
        for path in sorted((repo / package).rglob("*.toml")):
            found += toml_entries(_place(path, repo), path.read_text(encoding="utf-8"))
    for path in sorted((repo / "assets").rglob("*.gems")):
        found += story_entries(_place(path, repo), path.read_bytes())
    folders = [repo / "assets", *(repo / each for each in DOCUMENTS)]
    for path in sorted(each for folder in folders for each in ([folder] if folder.is_file() else folder.rglob("*.md"))):
        found += markdown_entries(_place(path, repo), path.read_text(encoding="utf-8"))
    return sorted(found)


def _place(path: Path, repo: Path) -> str:
    return path.relative_to(repo).as_posix()


def markdown_entries(path: str, text: str) -> Iterator[Entry]:
    """Headings, paragraphs, items and rows of tables; no code."""
    block: list[str] = []
    start, code = 1, False
    for line, words in enumerate([*text.splitlines(), ""], 1):
        fence = words.startswith("```")
        if block and (block[0].startswith("#") or not words.strip() or fence or re.match(r"[#|>]|- |\d+\. ", words)):
            yield Entry(path, start, Kind.TEXT, " ".join(block))
            block = []
        code ^= fence
        if words.strip() and not code and not fence and not set(words) <= set("|-: "):
            start = start if block else line
            block.append(words.strip())


def story_entries(path: str, data: bytes) -> Iterator[Entry]:
    """The titles, captions and notes of a story, numbered in place of lines."""
    for at, found in enumerate(_STORY.finditer(data), 1):
        text = json.loads(found[1].decode())
        if text:
            yield Entry(path, at, Kind.TEXT, text)


def toml_entries(path: str, text: str) -> Iterator[Entry]:
    """The sentences of an experiment."""
    lines = text.splitlines()
    for words in _sentences(tomllib.loads(text)):
        head = words.strip()[:24]
        line = next((at for at, each in enumerate(lines, 1) if head.split("\n")[0] in each), 1)
        yield Entry(path, line, Kind.TEXT, words.strip())


def _sentences(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if " " in value.strip():
            yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _sentences(each)
    elif isinstance(value, list):
        for each in value:
            yield from _sentences(each)
