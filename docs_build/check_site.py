"""Checks a built site: every link and picture of its pages exists, and nothing is loaded from another server.

    python -m docs_build.check_site build/site

MkDocs checks the links in Markdown; this checks the pages as a browser reads them.
"""

from __future__ import annotations

import os
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "video": "src"}
_LEFTOVER = re.compile(r"\|\s*:?-{3,}|^\s*(?:- |\d\. |```)|\]\([\w./#-]+\)|:\w+:`", re.MULTILINE)


class _Page(HTMLParser):
    """The anchors, links and loaded files of a page, and its text outside of code."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.text: list[str] = []
        self._inside: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in _LOADED and _LOADED[tag] in given:
            self.loaded.append(given[_LOADED[tag]])
        if tag in ("code", "pre", "script", "style"):
            self._inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._inside and self._inside[-1] == tag:
            self._inside.pop()

    def handle_data(self, data: str) -> None:
        if not self._inside:
            self.text.append(data)


def problems(site: Path) -> list[str]:
    """What is wrong in a site, one line each."""
    site = site.resolve()
    pages = {path: _Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    found = [f"{path.relative_to(site)}: {text}" for path, page in pages.items() for text in _wrong(path, page, pages)]
    for path in sorted(site.rglob("*.css")):
        outside = re.findall(r"(?:url\(|@import\s)\W*?((?:https?:)?//[^)';]*)", path.read_text(encoding="utf-8"))
        found += [f"{path.relative_to(site)}: loads {each} from another server" for each in outside]
    return found


def _wrong(path: Path, page: _Page, pages: dict[Path, _Page]) -> list[str]:
    found = [f"loads {each} from another server" for each in page.loaded if re.match(r"(https?:)?//", each)]
    for link in (*page.links, *page.loaded):
        parts = urlsplit(link)
        if parts.scheme or parts.netloc or path.name == "404.html":
            continue
        target = Path(os.path.normpath(path.parent / unquote(parts.path))) if parts.path else path
        if target not in pages and not target.is_file():
            found.append(f"links to {link}, which does not exist")
        elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
            found.append(f"links to {link}, which has no such anchor")
    found += [f"shows markup: {each.strip()!r}" for each in _LEFTOVER.findall("".join(page.text))]
    return found


def main(words: list[str]) -> int:
    """Print what is wrong in the site in a folder, and return the exit code."""
    site = Path(words[0])
    found = problems(site)
    count = len(list(site.rglob("*.html")))
    print("\n".join(found) or f"{count} pages: all links work, and nothing is loaded from another server")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
