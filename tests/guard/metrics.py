"""Metrics of the architecture of gems_gui, read from the source alone, so that any commit can be measured.

python -m tests.guard.metrics               a table for this checkout
python -m tests.guard.metrics --repo DIR    for another one
python -m tests.guard.metrics --json        numbers and the names behind them

Definitions. A code line is a line that is not blank, not a comment and not part of a docstring. A package is a folder
directly in gems_gui, or a module there. Imports count wherever they are: at the top, under TYPE_CHECKING, and inside
functions. A module or package is in a cycle if it imports itself through others; an import of a package's `__init__`
counts only where the package itself is named.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

PACKAGE = "gems_gui"
LONG_FILE = 600
STARTS = ("window", "self.window", "self._window", "self.parent()", "ui", "self.ui", "self._ui")
"""How a chain through the window or the interface protocol starts."""
SKIPPED = frozenset(
    {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass
class Module:
    """A file of the package."""

    name: str
    path: Path
    text: str
    tree: ast.Module

    @cached_property
    def nodes(self) -> list[ast.AST]:
        return list(ast.walk(self.tree))

    @property
    def package(self) -> str:
        return package_of(self.name)


def package_of(name: str) -> str:
    """The folder in gems_gui that a module is in, or the module itself where it is in none."""
    return ".".join(name.split(".")[:2])


def read(repo: Path) -> list[Module]:
    """All modules of the package, in the order of their names."""
    found = []
    for path in sorted((repo / PACKAGE).rglob("*.py")):
        parts = path.relative_to(repo).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        text = path.read_text(encoding="utf-8")
        found.append(Module(name, path.relative_to(repo), text, ast.parse(text)))
    return found


# -- size -----------------------------------------------------------------------------------------------------------


def code_lines(module: Module) -> int:
    """Lines with code on them."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(module.text).readline):
        if token.type not in SKIPPED:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in docstrings(module):
        lines.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


def docstrings(module: Module) -> Iterator[ast.Expr]:
    """Strings on their own: docstrings, and those below an attribute."""
    for node in module.nodes:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node


# -- imports --------------------------------------------------------------------------------------------------------


def imports(module: Module, known: set[str]) -> set[str]:
    """The modules of the package that a module imports."""
    found: set[str] = set()
    for node in module.nodes:
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            source = absolute(node, module)
            for alias in node.names:
                inner = f"{source}.{alias.name}"
                found.update({inner} if inner in known else {source} & known)
    return found - {module.name}


def absolute(node: ast.ImportFrom, module: Module) -> str:
    """The full name of what an import is from."""
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    up = node.level - (module.path.name == "__init__.py")
    return ".".join([*parts[: len(parts) - up], *([node.module] if node.module else [])])


def in_cycles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The groups of nodes that reach each other, largest first, by Tarjan's algorithm."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    groups: list[list[str]] = []

    def visit(node: str) -> None:
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in graph[node]:
            if other not in order:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == order[node]:
            at = stack.index(node)
            groups.append(sorted(stack[at:]))
            del stack[at:]

    for node in graph:
        if node not in order:
            visit(node)
    return sorted((group for group in groups if len(group) > 1), key=lambda group: (-len(group), group))


def function_imports(module: Module) -> list[str]:
    """Imports inside a function, with their lines."""
    spans = [(each.lineno, each.end_lineno or 0) for each in module.nodes if isinstance(each, FUNCTIONS)]
    lines = [each.lineno for each in module.nodes if isinstance(each, ast.Import | ast.ImportFrom)]
    found = {line for line in lines if any(first <= line <= last for first, last in spans)}
    return [f"{module.path}:{line}" for line in sorted(found)]


# -- reaching through -----------------------------------------------------------------------------------------------


def attribute_chains(module: Module) -> Iterator[tuple[str, list[str], int]]:
    """Every longest chain of attributes that starts at the window or the interface: its start, the rest, its line."""
    inner = {id(node.value) for node in module.nodes if isinstance(node, ast.Attribute)}
    for node in module.nodes:
        if isinstance(node, ast.Attribute) and id(node) not in inner and starts_at_name(node):
            chain = ast.unparse(node)
            start = max((each for each in STARTS if chain.startswith(f"{each}.")), key=len, default="")
            if start:
                yield start, chain[len(start) + 1 :].split("."), node.lineno


def starts_at_name(node: ast.expr) -> bool:
    """Whether a chain begins with self, window or ui, and has no calls but self.parent()."""
    while isinstance(node, ast.Attribute):
        node = node.value
    if isinstance(node, ast.Call):
        return ast.unparse(node) == "self.parent()"
    return isinstance(node, ast.Name) and node.id in ("self", "window", "ui")


# -- classes --------------------------------------------------------------------------------------------------------


def methods(module: Module) -> Iterator[tuple[ast.ClassDef, ast.FunctionDef]]:
    for node in module.nodes:
        if isinstance(node, ast.ClassDef):
            yield from ((node, each) for each in node.body if isinstance(each, ast.FunctionDef))


def reassigned(module: Module) -> list[str]:
    """Attributes of self that a method other than __init__ assigns; each once for its class."""
    found: dict[str, None] = {}
    for owner, method in methods(module):
        if method.name not in ("__init__", "__new__", "__post_init__"):
            for node in ast.walk(method):
                for target in targets(node):
                    if is_own(target):
                        found[f"{module.name}.{owner.name}.{target.attr}"] = None
    return list(found)


def targets(node: ast.AST) -> Iterator[ast.Attribute]:
    """The attributes that a statement assigns."""
    given: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        given = list(node.targets)
    elif isinstance(node, ast.AugAssign | ast.For) or (isinstance(node, ast.AnnAssign) and node.value is not None):
        given = [node.target]
    while given:
        each = given.pop()
        if isinstance(each, ast.Tuple | ast.List):
            given.extend(each.elts)
        elif isinstance(each, ast.Starred):
            given.append(each.value)
        elif isinstance(each, ast.Attribute):
            yield each


def is_own(node: ast.expr) -> bool:
    """Whether it is an attribute of self."""
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def assignments(module: Module) -> int:
    """How often methods other than __init__ assign an attribute of self."""
    inside = [m for _, m in methods(module) if m.name not in ("__init__", "__new__", "__post_init__")]
    return sum(is_own(target) for method in inside for node in ast.walk(method) for target in targets(node))


def forwards(method: ast.FunctionDef) -> bool:
    """Whether all that a method does is to call a method of one of its attributes with its own arguments, or none."""
    body = [each for each in method.body if not is_text(each)]
    if len(body) != 1 or not isinstance(body[0], ast.Return | ast.Expr) or not isinstance(body[0].value, ast.Call):
        return False
    call = body[0].value
    if not (isinstance(call.func, ast.Attribute) and is_attribute_of_self(call.func.value)):
        return False
    own = {each.arg for each in (*method.args.posonlyargs, *method.args.args, *method.args.kwonlyargs)}
    passed = [*call.args, *(each.value for each in call.keywords)]
    return all(isinstance(each, ast.Name) and each.id in own for each in passed)


def is_attribute_of_self(node: ast.expr) -> bool:
    """Whether it is self.a, self.a.b and so on."""
    while isinstance(node, ast.Attribute):
        if is_own(node):
            return True
        node = node.value
    return False


def is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


# -- the table ------------------------------------------------------------------------------------------------------


def frame(modules: list[Module]) -> dict[str, Any]:
    """The metrics that a test holds at zero, and the imports that need a reason."""
    known = {each.name for each in modules}
    graph = {each.name: imports(each, known) for each in modules}
    packages: dict[str, set[str]] = defaultdict(set)
    for name, used in graph.items():
        packages[package_of(name)].update(package_of(each) for each in used)
    packages = {name: used - {name} for name, used in packages.items()}
    folders = {each.package for each in modules if len(each.path.parts) > 2}
    classes = defaultdict(list)
    for each in modules:
        for node in each.nodes:
            if isinstance(node, ast.ClassDef):
                classes[node.name].append(each.name)
    return {
        "packages in cycles": in_cycles(packages),
        "folders in cycles": [name for group in in_cycles(packages) for name in group if name in folders],
        "modules in cycles": in_cycles(graph),
        "mutual pairs of packages": sorted(
            f"{a} ⇄ {b}" for a in packages for b in packages[a] if a < b and a in packages[b]
        ),
        "imports inside functions": [line for each in modules for line in function_imports(each)],
        "class names used twice": {name: homes for name, homes in sorted(classes.items()) if len(homes) > 1},
        "files named *handlers.py": [str(each.path) for each in modules if each.path.name.endswith("handlers.py")],
        "files over 600 lines": [str(each.path) for each in modules if each.text.count("\n") > LONG_FILE],
    }


def measure(repo: Path) -> dict[str, Any]:
    """All metrics, with the names behind the numbers."""
    modules = read(repo)
    lines: Counter[str] = Counter()
    for each in modules:
        lines[each.package] += code_lines(each)
    chains = [(each.path, *chain) for each in modules for chain in attribute_chains(each)]
    through_window = [(path, rest) for path, start, rest, _ in chains if "ui" not in start]
    named = [(each, owner, method) for each in modules for owner, method in methods(each)]
    return {
        "code lines": sum(lines.values()),
        "code lines by package": dict(sorted(lines.items(), key=lambda pair: -pair[1])),
        "files": len(modules),
        **frame(modules),
        "chains through window or interface": [
            f"{p}:{line} {s}.{'.'.join(r)}" for p, s, r, line in chains if len(r) > 1
        ],
        "uses of the window": len(through_window),
        "files that use the window": sorted({str(path) for path, _ in through_window}),
        "attributes reassigned outside __init__": [name for each in modules for name in reassigned(each)],
        "assignments to self outside __init__": sum(map(assignments, modules)),
        "files named handlers.py": [str(each.path) for each in modules if each.path.name == "handlers.py"],
        "set_theme methods": [f"{m.name}.{owner.name}" for m, owner, f in named if f.name == "set_theme"],
        "forwarding methods": [f"{m.name}.{owner.name}.{f.name}" for m, owner, f in named if forwards(f)],
    }


def count(value: object) -> str:
    """A metric as a number; of groups, how many members they have in all and of how many groups."""
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list) and value and isinstance(value[0], list):
        return f"{sum(map(len, value))} (in groups of {', '.join(str(len(group)) for group in value)})"
    return str(len(value)) if isinstance(value, list | dict) else str(value)


def table(found: dict[str, object]) -> str:
    """The metrics as lines of a Markdown table."""
    rows = [(name, count(value)) for name, value in found.items() if name != "code lines by package"]
    by_package = found["code lines by package"]
    assert isinstance(by_package, dict)
    rows += [(f"code lines in {name}", str(lines)) for name, lines in by_package.items()]
    return "\n".join(["| metric | value |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows)])


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", type=Path, default=Path(__file__).parents[2], help="the checkout to measure")
    parser.add_argument("--json", action="store_true", help="print JSON, with the names behind the numbers")
    given = parser.parse_args(arguments)
    found = measure(given.repo)
    print(json.dumps(found, indent=1, ensure_ascii=False) if given.json else table(found))


if __name__ == "__main__":
    main()
