"""The page of all keys of the window, from the action table."""

from __future__ import annotations

from docs_build.markdown import cell, table
from gems_gui.action_table import ACTIONS
from gems_gui.actions.spec import sections
from gems_gui.menus.action_set import key_text
from gems_gui.talk.stage_actions import STAGE_ACTIONS

PATH = "guide/keys.md"
"""The path of the page in the site."""


def key_page() -> str:
    """Markdown of the page."""
    parts = ["# Keys\n", "In the window, **?** shows this list, and **Ctrl+Shift+P** searches all commands by name.\n"]
    parts.append("While you type in a field, letters, arrows and Space belong to the field.\n")
    for title, specs in (*sections(ACTIONS).items(), ("On the stage of a talk", [s for s in STAGE_ACTIONS if s.keys])):
        rows = [(" or ".join(f"`{key_text(key)}`" for key in spec.keys), spec.text.removesuffix("…"), cell(spec.tip))
                for spec in specs]  # fmt: skip
        parts += [f"## {title}\n", table(("key", "action", "what it does"), rows)]
    return "\n".join(parts)
