"""Names that numpydoc sections document and that the class or the function does not have, found in the source."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

_HEADING = re.compile(r"^(\w+)\n-{3,}$", re.MULTILINE)
_PACKAGES = ("gems_engine", "gems_gui")

Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def documented(docstring: str, section: str) -> list[str]:
    """The names in a section, such as a and b in "a, b : float"."""
    parts = _HEADING.split(docstring)
    bodies = [body for heading, body in zip(parts[1::2], parts[2::2], strict=True) if heading == section]
    lines = [line for body in bodies for line in body.split("\n\n\n")[0].splitlines()]
    heads = [line.split(" : ")[0] for line in lines if line and not line.startswith(" ")]
    return [name.strip().lstrip("*") for head in heads for name in head.removesuffix(",").split(",")]


def parameters(function: Definition) -> set[str]:
    """The names of the parameters of a function."""
    assert not isinstance(function, ast.ClassDef)
    given = function.args
    rest = [each for each in (given.vararg, given.kwarg) if each is not None]
    return {each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs, *rest)}


def _definitions(parent: ast.AST) -> Iterator[Definition]:
    """The classes and functions in a statement, at any depth; expressions, which have none, are not visited."""
    for part in ("body", "orelse", "finalbody", "handlers", "cases"):
        inside = getattr(parent, part, ())
        for each in inside if isinstance(inside, list) else ():
            if isinstance(each, Definition):
                yield each
            yield from _definitions(each)


class Source:
    """The classes and functions of the packages in a folder."""

    def __init__(self, root: Path) -> None:
        self.definitions: list[tuple[str, Definition]] = []
        for path in sorted(path for package in _PACKAGES for path in (root / package).rglob("*.py")):
            for node in _definitions(ast.parse(path.read_text(encoding="utf-8"))):
                self.definitions.append((f"{path.relative_to(root).as_posix()}:{node.lineno}", node))
        self._classes = {node.name: node for _, node in self.definitions if isinstance(node, ast.ClassDef)}

    def _ancestry(self, node: ast.ClassDef) -> list[ast.ClassDef]:
        """A class and its base classes, as far as they are in the packages."""
        names = [each.value if isinstance(each, ast.Subscript) else each for each in node.bases]
        bases = [self._classes[each.id] for each in names if isinstance(each, ast.Name) and each.id in self._classes]
        return [node, *(each for base in bases if base is not node for each in self._ancestry(base))]

    def _attributes(self, node: Definition) -> set[str]:
        """What is assigned, annotated or defined in a class or its base classes, and what is assigned to self."""
        found: set[str] = set()
        if not isinstance(node, ast.ClassDef):
            return found
        for each in self._ancestry(node):
            for inside in ast.walk(each):
                if isinstance(inside, ast.Attribute) and isinstance(inside.ctx, ast.Store):
                    found.add(inside.attr)
            for statement in each.body:
                if isinstance(statement, Definition):
                    found.add(statement.name)
                targets = statement.targets if isinstance(statement, ast.Assign) else ()
                if isinstance(statement, ast.AnnAssign):
                    targets = (statement.target,)
                found.update(name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name))
        return found

    def _parameters(self, node: Definition) -> set[str]:
        """The parameters of a function; those of the constructor of a class, or its fields if it is generated."""
        if not isinstance(node, ast.ClassDef):
            return parameters(node)
        for each in self._ancestry(node):
            for method in each.body:
                if isinstance(method, ast.FunctionDef) and method.name in ("__init__", "__new__"):
                    return parameters(method)
        return self._attributes(node)

    def false_names(self) -> list[str]:
        """Each place with a name that its docstring documents wrongly."""
        wrong = []
        for place, node in self.definitions:
            docstring = ast.get_docstring(node) or ""
            for section in ("Parameters", "Attributes", "Signals"):
                if listed := documented(docstring, section):
                    names = self._parameters(node) if section == "Parameters" else self._attributes(node)
                    wrong += [f"{place} {node.name}: {section}: {name}" for name in listed if name not in names]
        return wrong
