"""The page of the glossary: entries by theme, each with an anchor; requested entries are marked."""

from __future__ import annotations

from itertools import groupby

from gems_gui.assets import asset
from gems_gui.glossary import GLOSSARY, GlossaryEntry, glossary
from gems_gui.markup import as_html, inline
from gems_gui.theme import Theme


def glossary_page(theme: Theme, marked: tuple[str, ...] = ()) -> str:
    """The page in rich text; marked entries have another background."""
    introduction = asset(f"help/{GLOSSARY}.md").read_text(encoding="utf-8").partition("\n## ")[0]
    parts = [as_html(introduction)]
    for title, entries in groupby(glossary().values(), key=lambda each: each.theme):
        rows = "".join(_row(each, theme, each.anchor in marked) for each in entries)
        head = "".join(f'<th align="left">{name}</th>' for name in ("term", "symbol", "meaning"))
        table = f'<table cellspacing="0" cellpadding="4"><tr>{head}</tr>{rows}</table>'
        parts.append(as_html(f"## {title}") + table)
    return "".join(parts)


def _row(entry: GlossaryEntry, theme: Theme, marked: bool) -> str:
    ground = f' bgcolor="{theme.line}"' if marked else ""
    term = f'<a name="{entry.anchor}" style="color:{theme.text}">{inline(entry.term)}</a>'
    symbols = ", ".join(inline(each).replace(" ", "&nbsp;") for each in entry.symbols)
    return f"<tr{ground}><td>{term}</td><td>{symbols}</td><td>{inline(entry.meaning)}</td></tr>"
