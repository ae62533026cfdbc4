"""All objects inside a widget, without the leak of `findChildren`.

PySide lets the widget on which `findChildren` is called keep the Python objects that it returns. Those of parts that Qt
itself creates, such as the list of a combo box, remain after Qt has deleted the parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from PySide6.QtCore import QObject

Kind = TypeVar("Kind", bound=QObject)


def descendants(root: QObject, kind: type[Kind]) -> Iterator[Kind]:
    """The objects of a kind inside another one, each before those inside it."""
    waiting = [*reversed(root.children())]
    while waiting:
        child = waiting.pop()
        if isinstance(child, kind):
            yield child
        waiting += reversed(child.children())
