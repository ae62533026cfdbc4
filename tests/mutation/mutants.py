"""Small faults in a source file: every place where one may be put, and the text with it."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass

COMPARISONS = {
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.Is: ("is", "is not"), ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"), ast.NotIn: ("not in", "in"),
}  # fmt: skip
ARITHMETIC = {
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"), ast.FloorDiv: ("//", "*"),
    ast.Pow: ("**", "*"), ast.Mod: ("%", "*"), ast.BitAnd: ("&", "|"), ast.BitOr: ("|", "&"),
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One fault: characters `start` to `end` of a file become `new`; `lines` are those of the statement around it."""

    file: str
    kind: str
    line: int
    lines: tuple[int, int]
    start: int
    end: int
    old: str
    new: str

    def applied(self, text: str) -> str:
        """The file with the fault."""
        return text[: self.start] + self.new + text[self.end :]

    def __str__(self) -> str:
        old, new = " ".join(self.old.split()), " ".join(self.new.split())
        return f"{self.file}:{self.line} {self.kind}: {old} → {new}"


class _Finder:
    """Walks the tree with the statement around each node; leaves out annotations, decorators, docstrings, asserts."""

    def __init__(self, file: str, text: str) -> None:
        self.file, self.text = file, text
        self.offsets = [0]
        for line in text.splitlines(keepends=True):
            self.offsets.append(self.offsets[-1] + len(line.encode()))
        self.bytes = text.encode()
        self.found: list[Mutant] = []

    def at(self, line: int, column: int) -> int:
        """Characters before this place (the tree counts columns in bytes)."""
        return len(self.bytes[: self.offsets[line - 1] + column].decode())

    def span(self, node: ast.AST) -> tuple[int, int]:
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]

    def source(self, node: ast.AST) -> str:
        start, end = self.span(node)
        return self.text[start:end]

    def note(self, kind: str, node: ast.AST, new: str, lines: tuple[int, int]) -> None:
        start, end = self.span(node)
        mutant = Mutant(self.file, kind, node.lineno, lines, start, end, self.text[start:end], new)  # type: ignore[attr-defined]
        try:
            compile(mutant.applied(self.text), self.file, "exec")
        except (SyntaxError, ValueError):
            return
        self.found.append(mutant)

    def block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Assert | ast.Import | ast.ImportFrom):
            return
        if isinstance(node, ast.If) and "TYPE_CHECKING" in self.source(node.test):
            return
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant | ast.Yield):
            if isinstance(node.value, ast.Yield) and node.value.value is not None:
                self.expression(node.value.value, (node.lineno, node.end_lineno or node.lineno))
            return
        blocks = [getattr(node, name) for name in ("body", "orelse", "finalbody") if getattr(node, name, None)]
        first = min((block[0].lineno for block in blocks), default=None)
        lines = (node.lineno, (node.end_lineno or node.lineno) if first is None else max(node.lineno, first - 1))
        if isinstance(node, ast.Raise | ast.Break | ast.Continue | ast.AugAssign | ast.Expr):
            self.note("deleted statement", node, "pass", lines)
        if isinstance(node, ast.Assign) and not isinstance(node.targets[0], ast.Name | ast.Tuple):
            self.note("deleted statement", node, "pass", lines)
        if isinstance(node, ast.AugAssign) and type(node.op) in ARITHMETIC:
            self.operator("arithmetic", node, node.target, node.value, ARITHMETIC[type(node.op)], lines)
        if isinstance(node, ast.Return) and node.value is not None and self.source(node.value) != "None":
            self.note("return value", node, "return None", lines)
        if isinstance(node, ast.Raise):
            return  # what an error says is no behaviour to break
        for name, value in ast.iter_fields(node):
            if name in ("body", "orelse", "finalbody", "annotation", "returns", "decorator_list", "handlers", "cases"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.arguments):
                    for default in [*child.defaults, *child.kw_defaults]:
                        if default is not None:
                            self.expression(default, lines)
                elif isinstance(child, ast.withitem):
                    self.expression(child.context_expr, lines)
                elif isinstance(child, ast.expr):
                    self.expression(child, lines)
        if isinstance(node, ast.If | ast.While):
            self.note("negated condition", node.test, f"(not ({self.source(node.test)}))", lines)
        for block in blocks:
            self.block(block)
        for handler in getattr(node, "handlers", []):
            self.block(handler.body)

    def expression(self, node: ast.expr, lines: tuple[int, int]) -> None:
        if isinstance(node, ast.JoinedStr):
            return
        if isinstance(node, ast.Subscript) and self.source(node.value) in (
            "Callable",
            "dict",
            "list",
            "tuple",
            "Literal",
        ):
            return  # a type
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            for op, left, right in zip(node.ops, sides, sides[1:], strict=False):
                self.operator("comparison", node, left, right, COMPARISONS[type(op)], lines)
        elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
            self.operator("arithmetic", node, node.left, node.right, ARITHMETIC[type(node.op)], lines)
        elif isinstance(node, ast.BoolOp):
            words = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
            for left, right in zip(node.values, node.values[1:], strict=False):
                self.operator("boolean", node, left, right, words, lines)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self.note("boolean", node, self.source(node).removeprefix("not"), lines)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            self.note("sign", node, self.source(node).removeprefix("-"), lines)
        elif isinstance(node, ast.IfExp):
            self.note("negated condition", node.test, f"(not ({self.source(node.test)}))", lines)
        elif isinstance(node, ast.Constant):
            self.constant(node, lines)
        elif isinstance(node, ast.Call):
            self.call(node, lines)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.comprehension):
                self.expression(child.iter, lines)
                for test in child.ifs:
                    self.note("negated condition", test, f"(not ({self.source(test)}))", lines)
                    self.expression(test, lines)
            elif isinstance(child, ast.keyword):
                self.expression(child.value, lines)
            elif isinstance(child, ast.expr):
                self.expression(child, lines)

    def operator(
        self, kind: str, node: ast.AST, left: ast.expr, right: ast.expr, change: tuple[str, str], lines: tuple[int, int]
    ) -> None:
        """Another operator between these two; their parentheses are not theirs, so that only it is replaced."""
        (start, end), (_, before), (after, _) = self.span(node), self.span(left), self.span(right)
        between = self.text[before:after].replace(*change, 1)
        self.note(kind, node, self.text[start:before] + between + self.text[after:end], lines)

    def constant(self, node: ast.Constant, lines: tuple[int, int]) -> None:
        value = node.value
        if isinstance(value, bool):
            self.note("constant", node, repr(not value), lines)
        elif isinstance(value, int):
            self.note("off by one", node, str(value + 1), lines)
            self.note("off by one", node, f"({value - 1})", lines)
        elif isinstance(value, float):
            self.note("constant", node, repr(value * 2.0 if value else 1.0), lines)
            self.note("constant", node, repr(value * 0.5 if value else -1.0), lines)
        elif isinstance(value, str) and value:
            self.note("constant", node, '"other"', lines)

    def call(self, node: ast.Call, lines: tuple[int, int]) -> None:
        text, (start, end) = self.text, self.span(node)
        if isinstance(node.func, ast.Name) and node.func.id == "isinstance":
            return
        for one, two in zip(node.args, node.args[1:], strict=False):
            if self.source(one) != self.source(two):
                (a, b), (c, d) = self.span(one), self.span(two)
                new = text[start:a] + text[c:d] + text[b:c] + text[a:b] + text[d:end]
                self.note("swapped arguments", node, new, lines)
        if isinstance(node.func, ast.Name) and node.func.id == "range" and node.args:
            last = node.args[-1 if len(node.args) < 3 else 1]
            self.note("off by one", last, f"({self.source(last)}) - 1", lines)


def mutants_of(file: str, text: str) -> list[Mutant]:
    """Every fault that is known here, in the order of the text."""
    finder = _Finder(file, text)
    finder.block(ast.parse(text).body)
    return finder.found


def drawn(candidates: list[Mutant], seed: int) -> Iterator[Mutant]:
    """In random order, all kinds alike often, at most one fault of a kind in the same place."""
    chance = random.Random(seed)
    by_kind: dict[str, list[Mutant]] = {}
    for mutant in chance.sample(candidates, len(candidates)):
        by_kind.setdefault(mutant.kind, []).append(mutant)
    seen: set[tuple[str, str, int, int]] = set()
    while by_kind:
        kind = chance.choice(sorted(by_kind))
        mutant = by_kind[kind].pop()
        if not by_kind[kind]:
            del by_kind[kind]
        place = (mutant.kind, mutant.file, mutant.start, mutant.end)
        if place not in seen:
            seen.add(place)
            yield mutant
