"""Markdown of the repository as MkDocs reads it: indices, formulas, and links between files."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable

_KEPT = re.compile(r"(^```.*?^```$|`[^`\n]+`|\]\([^)\s]+\)|<[^>\n]+>|^\s*\|[-| :]+\|$)", re.MULTILINE | re.DOTALL)
_SCRIPT = re.compile(r"([_^])(?:\{((?:[^{}]|\{[^{}]*\})+)\}|(min\b|\d+|[^\s{}*|]))")
_SHORT = re.compile(r"(?<![\w\\])((?:[A-Za-zÀ-ÿŜẐΑ-ωψ\]\)|‖]\u0302?){1,2}⋆?)(?=[_^])" + _SCRIPT.pattern)
_LINK = re.compile(r"(?<=\]\()([^)\s#?]+)((?:\?[^)\s#]*)?)(#[^)\s]*)?(?=\))")


def _scripts(text: str) -> str:
    def tagged(found: re.Match[str]) -> str:
        tag = "sup" if found[1] == "^" else "sub"
        return f"<{tag}>{_scripts(found[2] or found[3])}</{tag}>"

    return _SCRIPT.sub(tagged, text)


def with_indices(text: str, everywhere: bool = False) -> str:
    """Markdown with ``x_9`` and ``R^{d_k}`` as indices; not in code, in links or in tags.

    Parameters
    ----------
    text
        Markdown.
    everywhere
        Whether every ``_`` and ``^`` marks an index, as in help pages; otherwise only after one or two letters, so
        that names with underscores stay as they are.
    """

    def short(found: re.Match[str]) -> str:
        return found[1] + _scripts(found[0][len(found[1]) :])

    parts = _KEPT.split(text)
    for at in range(0, len(parts), 2):
        parts[at] = _scripts(parts[at]) if everywhere else _SHORT.sub(short, parts[at])
    return "".join(parts)


def with_formulas(text: str) -> str:
    """Markdown in which each line of a quotation, which is a formula in a help page, stays a line."""
    return re.sub(r"^(> .*\S) *$", r"\1  ", text, flags=re.MULTILINE)


def with_links(text: str, target: Callable[[str], str]) -> str:
    """Markdown with other targets of its links to files; code and addresses of the web are left as they are."""

    def changed(found: re.Match[str]) -> str:
        return found[0] if ":" in found[1] else f"{target(found[1])}{found[3] or ''}"

    parts = re.split(r"(^```.*?^```$|`[^`\n]+`)", text, flags=re.MULTILINE | re.DOTALL)
    parts[::2] = [_LINK.sub(changed, part) for part in parts[::2]]
    return "".join(parts)


def relative(path: str, page: str) -> str:
    """A path of the site, relative to the page that links to it."""
    return posixpath.relpath(path, posixpath.dirname(page) or ".")


def cell(text: str) -> str:
    """A text in a cell of a table."""
    return text.replace("|", "\\|").replace("\n", " ")


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A table in Markdown; its cells may have markup."""
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
