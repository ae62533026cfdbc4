"""Signatures and shapes as they are written: an alias such as `ArrayLike` stays one word."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from typing import Any


def written_signature(
    app: object, what: str, name: str, found: Any, options: object, signature: str | None, returns: str | None
) -> tuple[str | None, str | None] | None:
    """The signature of an object, for the event `autodoc-process-signature` of Sphinx."""
    if inspect.isclass(found):
        if signature is None:
            return None
        plain = [each.replace(annotation=each.empty) for each in inspect.signature(found).parameters.values()]
        shown = str(inspect.Signature(plain)).replace("<factory>", "…")
        return shown, None
    if not (inspect.isfunction(found) or inspect.ismethod(found)):
        return None
    node = ast.parse(textwrap.dedent(inspect.getsource(found))).body[0]
    if not isinstance(node, ast.FunctionDef):
        return None
    if node.args.args and node.args.args[0].arg in ("self", "cls"):
        del node.args.args[0]
    return f"({ast.unparse(node.args)})", ast.unparse(node.returns).strip("'\"") if node.returns else None


def literal_shapes(app: object, what: str, name: str, found: Any, options: object, lines: list[str]) -> None:
    """Shapes in the types of a docstring as code, for the event `autodoc-process-docstring` of Sphinx.

    Otherwise the D of "array of shape (n, D)" is a link to whatever is called D.
    """
    lines[:] = [re.sub(r"(?<= of shape )(\([^()]*\))", r"``\1``", line) if " : " in line else line for line in lines]
