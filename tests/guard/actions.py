"""All actions, menus and entries of the command palette in several states of the window, as JSON.

python -m tests.guard.actions              print it
python -m tests.guard.actions FILE         write it
python -m tests.guard.actions --compare A B   what differs between two files

Everything is read from Qt: the actions of the window, its menu bar, the palette that opens, and its title. The folder
of the script reads HOME in it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import unified_diff
from pathlib import Path
from typing import Any

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QFrame, QMainWindow, QMenu, QTreeWidget, QWidget

from tests.guard import adapter

PALETTE = "Command palette"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, help="where it goes; without one it is printed")
    parser.add_argument("--compare", nargs=2, type=Path, metavar=("A", "B"), help="compare two files")
    given = parser.parse_args(arguments)
    if given.compare:
        return compare(*given.compare)
    text = as_text(dump())
    if given.file is None:
        print(text)
    else:
        given.file.write_text(text, encoding="utf-8")
    return 0


def as_text(found: dict[str, Any]) -> str:
    """A dump as text, one line for each action, entry and command."""
    lines = ["{"]
    for state, parts in sorted(found.items()):
        lines.append(f" {json.dumps(state)}: {{")
        for part, rows in parts.items():
            lines.append(f"  {json.dumps(part)}: [")
            lines += ["   " + json.dumps(row, ensure_ascii=False, sort_keys=True) + "," for row in rows]
            lines[-1] = lines[-1].removesuffix(",")
            lines.append("  ],")
        lines[-1] = lines[-1].removesuffix(",")
        lines.append(" },")
    lines[-1] = lines[-1].removesuffix(",")
    return "\n".join([*lines, "}", ""])


def compare(one: Path, other: Path) -> int:
    """Print the lines that differ; 1 if any does."""
    first, second = (path.read_text(encoding="utf-8").splitlines() for path in (one, other))
    found = list(unified_diff(first, second, str(one), str(other), lineterm="", n=0))
    print("\n".join(found) if found else "no action differs")
    return 1 if found else 0


# -- states ---------------------------------------------------------------------------------------------------------


def dump() -> dict[str, Any]:
    """What there is in each state of the window."""
    return {name: found for states in (small_states, long_states) for name, found in states()}


def small_states() -> Iterator[tuple[str, Any]]:
    """States of a window with runs that have ended."""
    runs = adapter.sample_runs()
    with adapter.home() as folder, adapter.window() as driver:

        def told() -> Any:
            return parts(driver, adapter.widget(driver), folder)

        yield "draft", told()
        adapter.trigger(driver, "welcome")
        yield "welcome page", told()
        adapter.open_run(driver, "paper-hard", runs["paper-hard"])
        yield "run ended, at its end", told()
        adapter.seek(driver, adapter.cursors(runs["paper-hard"])["in-round"])
        yield "run ended, in a round", told()
        adapter.trigger(driver, "toggle_truth")
        yield "truth hidden", told()
        adapter.trigger(driver, "toggle_truth")
        for page in ("edit_table", "debug_design", "experiments"):
            adapter.trigger(driver, page)
            yield page.replace("_", " "), told()
            adapter.trigger(driver, page)
        for name in ("gems-c", "gems-b"):
            adapter.open_run(driver, name, runs[name])
        adapter.trigger(driver, "layout_compare")
        yield "two runs compared", told()
        adapter.trigger(driver, "add_moment")
        yield "run with a story", told()
        with presented(driver) as stage:
            yield "presentation", told()
            yield "presentation, the stage", {"actions": [row(each) for each in actions_of(stage)]}


def long_states() -> Iterator[tuple[str, Any]]:
    """States of a window with a run that is under way: the engine waits, since the cursor does."""
    with adapter.home() as folder, adapter.window(long=True) as driver:
        adapter.start_paused(driver)
        yield "run under way, paused", parts(driver, adapter.widget(driver), folder)
        adapter.action(driver, "stop").trigger()
        driver.finish()
        adapter.rest(driver)
        yield "run stopped", parts(driver, adapter.widget(driver), folder)


@contextmanager
def presented(driver: Any) -> Iterator[QWidget]:
    """A presentation of the shown run on its stage."""
    before = set(QApplication.topLevelWidgets())
    adapter.action(driver, "present").trigger()
    yield next(each for each in QApplication.topLevelWidgets() if each not in before and each.isVisible())
    adapter.action(driver, "present").trigger()


# -- what is read ---------------------------------------------------------------------------------------------------


def parts(driver: Any, window: QMainWindow, folder: Path) -> Any:
    """Title, actions, menus and palette of a window now."""
    found = {
        "title": [window.windowTitle()],
        "actions": [row(each) for each in actions_of(window)],
        "menus": list(menu_rows(window.menuBar())),
        "palette": palette(driver, window),
    }
    return json.loads(json.dumps(found).replace(str(folder), "HOME"))


def actions_of(widget: QWidget) -> list[QAction]:
    """The actions of a widget, by id."""
    return sorted(widget.actions(), key=lambda each: (each.objectName(), each.text()))


def row(action: QAction) -> dict[str, object]:
    """What can be said about an action."""
    return {
        "id": action.objectName(),
        "text": action.text(),
        "label": action.iconText(),
        "tip": action.toolTip(),
        "status tip": action.statusTip(),
        "keys": [each.toString() for each in action.shortcuts()],
        "repeats": action.autoRepeat(),
        "checkable": action.isCheckable(),
        "checked": action.isChecked(),
        "enabled": action.isEnabled(),
        "visible": action.isVisible(),
    }


def menu_rows(menu: QWidget, path: str = "") -> Iterator[str]:
    """The entries of a menu and of those in it, in their order."""
    for action in menu.actions():
        inner = action.menu()
        if isinstance(inner, QMenu):
            where = f"{path}{inner.title().replace('&', '')} > "
            yield f"{where}{'' if action.isEnabled() else '(disabled)'}"
            yield from menu_rows(inner, where)
        elif action.isSeparator():
            yield f"{path}----"
        else:
            marks = [*(["checked"] if action.isChecked() else []), *([] if action.isEnabled() else ["disabled"])]
            yield f"{path}{action.text()} [{action.objectName()}]{''.join(f' ({mark})' for mark in marks)}"


def palette(driver: Any, window: QMainWindow) -> list[dict[str, object]]:
    """The entries of the command palette, in the order in which it shows them."""
    adapter.action(driver, "palette").trigger()
    frame = next(each for each in window.findChildren(QFrame) if each.accessibleName() == PALETTE and each.isVisible())
    tree = frame.findChild(QTreeWidget)
    assert isinstance(tree, QTreeWidget)
    items = [tree.topLevelItem(at) for at in range(tree.topLevelItemCount())]
    found: list[dict[str, object]] = [
        {
            "entry": [item.text(column) for column in range(tree.columnCount())],
            "tip": item.toolTip(0),
            "enabled": not item.isDisabled() and bool(item.flags()),
        }
        for item in items
        if item is not None
    ]
    frame.close()
    QApplication.processEvents()
    return found


if __name__ == "__main__":
    raise SystemExit(main())
