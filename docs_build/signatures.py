"""Signatures as they are written: an alias such as `ArrayLike` stays one word."""

from __future__ import annotations

import ast
import inspect
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
