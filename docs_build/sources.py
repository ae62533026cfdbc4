"""The sources of the site: the pages of `docs/`, documents of the repository, and generated pages."""

from __future__ import annotations

import posixpath
import shutil
from pathlib import Path

from docs_build.api_pages import api_pages
from docs_build.command_pages import command_pages
from docs_build.help_pages import help_pages
from docs_build.key_page import PATH, key_page
from docs_build.markdown import relative, with_indices, with_links
from docs_build.navigation import navigation
from docs_build.notebooks import notebook_pages

ROOT = Path(__file__).parents[1]
DOCUMENTS = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "CODE_OF_CONDUCT.md": "conduct.md",
    "SECURITY.md": "security.md",
}
"""Documents of the repository and their paths in the site."""


def write_sources(folder: Path) -> None:
    """Write all sources to a new folder."""
    shutil.copytree(ROOT / "docs", folder)
    shutil.copytree(ROOT / "assets", folder / "assets", ignore=shutil.ignore_patterns("help", "stories", "page"))
    for name in ("LICENSE", "CITATION.cff"):
        shutil.copy(ROOT / name, folder)
    for path, text in pages().items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


def pages() -> dict[str, str]:
    """The text of each page by its path in the site."""
    own = {path.relative_to(ROOT / "docs").as_posix(): path for path in sorted((ROOT / "docs").rglob("*.md"))}
    read = {path: adapted(file.read_text(encoding="utf-8"), f"docs/{path}", path) for path, file in own.items()}
    for name, path in DOCUMENTS.items():
        read[path] = adapted((ROOT / name).read_text(encoding="utf-8"), name, path)
    read["index.md"] += navigation()
    return {**read, **notebook_pages(), **help_pages(), **command_pages(), **api_pages(), PATH: key_page()}


def adapted(text: str, file: str, page: str) -> str:
    """The text of a file of the repository as a page of the site: indices, and links to pages of the site."""
    return with_indices(with_links(text, lambda target: relative(site_path(target, file), page)))


def site_path(target: str, file: str) -> str:
    """The path in the site of a link in a file of the repository."""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(file), target))
    if path.startswith("assets/help/"):
        return path.removeprefix("assets/")
    return DOCUMENTS.get(path, path.removeprefix("docs/"))
