"""The texts in Python source, told from identifiers, keys and recorded data.

A string is a text if it has two words, or is one capitalised word (a label), or is passed to a call that shows it.
Strings that are compared, used as keys, or passed to calls that name things are no texts, whatever they contain.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

SHOWING = frozenset(
    [
        "setText",
        "setToolTip",
        "setStatusTip",
        "setWhatsThis",
        "setAccessibleName",
        "setAccessibleDescription",
        "setWindowTitle",
        "setTitle",
        "setPlaceholderText",
        "setPrefix",
        "setSuffix",
        "setLabel",
        "QLabel",
        "QPushButton",
        "QGroupBox",
        "QAction",
        "QRadioButton",
        "QCheckBox",
        "addTab",
        "addRow",
        "addMenu",
        "addAction",
        "explain",
        "push_button",
        "sentence_label",
        "set_subtitle",
        "show_placeholder",
        "label",
        "InputError",
        "ActionSpec",
        "Parameter",
    ]
)
"""Calls whose strings are shown, even one word in lower case."""
NAMING = frozenset(
    [
        "compile",
        "match",
        "fullmatch",
        "search",
        "sub",
        "split",
        "rsplit",
        "partition",
        "rpartition",
        "startswith",
        "endswith",
        "removeprefix",
        "removesuffix",
        "replace",
        "find",
        "getattr",
        "hasattr",
        "setattr",
        "property",
        "setProperty",
        "setObjectName",
        "setStyleSheet",
        "setDefaultStyleSheet",
        "encode",
        "decode",
        "einsum",
        "pack",
        "unpack",
        "dtype",
        "environ",
        "getenv",
        "import_module",
        "registered",
        "TypeVar",
        "NamedTuple",
        "translate",
        "strip",
        "lstrip",
        "rstrip",
    ]
)
"""Calls whose strings are names, patterns or formats."""
RECORDED = frozenset(
    {"too dear", "the largest estimate among those left", "the largest last estimate among those left"}
)
"""Words in run files. What is recorded does not change; how it is shown does."""

_HOLE = re.compile(r"\{[^{}]*\}")
_TAG = re.compile(r"<[^<>]*>")
_STYLE = re.compile(r"(?:^|[;{])\s*[a-z-]+\s*:[^;:{}]*;")
_WORD = re.compile(r"[^\W\d_]{2,}")
_LABEL = re.compile(r"[A-Z][a-z]+")


class Kind(StrEnum):
    """What a text is."""

    TEXT = "text"
    DOCSTRING = "docstring of a module or class"
    FUNCTION = "docstring of a function or attribute"
    COMMENT = "comment"


@dataclass(frozen=True, order=True)
class Entry:
    """A text and its place."""

    path: str
    line: int
    kind: Kind
    text: str

    @property
    def prose(self) -> str:
        """The text without the expressions of an f-string, the tags of HTML and code in Markdown."""
        return prose(self.text)


def prose(text: str) -> str:
    """A text without what is no English: holes, tags and code, which become …"""
    return re.sub(r"``[^`]*``|`[^`]*`", "…", _TAG.sub(" ", _HOLE.sub("…", text)))


def python_entries(path: str, source: str) -> Iterator[Entry]:
    """All texts, docstrings and comments of a file."""
    tree = ast.parse(source)
    nodes = list(ast.walk(tree))
    documents = dict(_docstrings(nodes))
    for node, kind in documents.items():
        yield Entry(path, node.lineno, kind, ast.literal_eval(node))
    hidden = set(_hidden(nodes))
    for node, shown in _strings(tree, False):
        if node in documents or node in hidden:
            continue
        text = _written(node)
        if text not in RECORDED and _is_text(text, shown):
            yield Entry(path, node.lineno, Kind.TEXT, text)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield Entry(path, token.start[0], Kind.COMMENT, token.string.lstrip("# "))


def _docstrings(nodes: list[ast.AST]) -> Iterator[tuple[ast.expr, Kind]]:
    """Every string that is a statement: of the module, a class, a function, or the attribute above it."""
    for node in nodes:
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        for at, statement in enumerate(body):
            value = getattr(statement, "value", None)
            if isinstance(statement, ast.Expr) and isinstance(value, ast.Constant) and isinstance(value.value, str):
                owns = at == 0 and isinstance(node, ast.Module | ast.ClassDef)
                yield value, Kind.DOCSTRING if owns else Kind.FUNCTION


def _hidden(nodes: list[ast.AST]) -> Iterator[ast.AST]:
    """Strings that are annotations, keys, patterns, or what something is compared with."""
    for node in nodes:
        roots: list[ast.AST | None] = []
        if isinstance(node, ast.Compare):
            roots = [node.left, *node.comparators]
            roots = [each for each in roots if isinstance(each, ast.Constant | ast.Tuple | ast.Set | ast.List)]
        elif isinstance(node, ast.Subscript):
            roots = [node.slice]
        elif isinstance(node, ast.MatchValue):
            roots = [node.value]
        elif isinstance(node, ast.arg | ast.AnnAssign):
            roots = [node.annotation]
        elif isinstance(node, ast.FunctionDef):
            roots = [node.returns]
        elif isinstance(node, ast.Call) and _name(node.func) in NAMING:
            roots = [*node.args]
        elif isinstance(node, ast.Assign) and _name(node.targets[0]) in ("__all__", "__slots__"):
            roots = [node.value]
        for root in filter(None, roots):
            yield from ast.walk(root)


def _name(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _strings(node: ast.AST, shown: bool) -> Iterator[tuple[ast.expr, bool]]:
    """Strings and f-strings, with whether they are an argument of a call that shows them."""
    if isinstance(node, ast.JoinedStr):
        yield node, shown
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                yield from _strings(part.value, shown)
        return
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            yield node, shown
        return
    for child in ast.iter_child_nodes(node):
        argument = isinstance(node, ast.Call) and child is not node.func
        yield from _strings(child, _name(node.func) in SHOWING if argument else shown and not _opens(node))


def _opens(node: ast.AST) -> bool:
    """Whether a node is no longer the argument itself: a statement, or a function in it."""
    return isinstance(node, ast.stmt | ast.Lambda)


def _written(node: ast.expr) -> str:
    """A string as it is written, the expressions of an f-string in braces."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    assert isinstance(node, ast.JoinedStr)
    parts = []
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            parts.append("{" + re.sub(r"[{}]", "", ast.unparse(part.value)) + "}")
        else:
            parts.append(_written(part))
    return "".join(parts)


def _is_text(text: str, shown: bool) -> bool:
    if _STYLE.search(text) and not shown:
        return False
    words = prose(text).strip()
    if not _WORD.search(words):
        return False
    return shown or bool(re.search(r"\S\s+\S", words)) or bool(_LABEL.fullmatch(words))
