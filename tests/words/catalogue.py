"""A catalogue of all texts that users read, with their places, for an editor and a second reader.

python -m tests.words.catalogue -o FILE     all texts, grouped by file, then docstrings of modules and classes
python -m tests.words.catalogue --counts    how often forbidden words occur, by package
python -m tests.words.catalogue --forbidden    where they occur
python -m tests.words.catalogue --repo DIR …   in another checkout, for example that of a release

Texts are found by `tests/words/python_texts.py` and `tests/words/asset_texts.py`; the rules are in
`tests/words/forbidden.py`. The catalogue is not committed.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

from tests.words.asset_texts import PACKAGES, entries
from tests.words.forbidden import CHECKED, RULES, violations
from tests.words.python_texts import Entry, Kind

ROOT = Path(__file__).parents[2]


def catalogue(found: Iterable[Entry]) -> str:
    """The texts grouped by file, then the docstrings of modules and classes."""
    listed = list(found)
    parts = []
    for kind, title in ((Kind.TEXT, "Texts"), (Kind.DOCSTRING, "Docstrings of modules and classes")):
        parts.append(f"# {title}")
        chosen = (each for each in listed if each.kind is kind)
        for path, group in groupby(chosen, key=lambda each: each.path):
            parts.append(f"\n## {path}")
            parts += [f"{path}:{each.line}\t{_one_line(each.text)}" for each in group]
        parts.append("")
    return "\n".join(parts)


def _one_line(text: str) -> str:
    return "\\n".join(text.strip().splitlines())


def package_of(entry: Entry) -> str:
    """A package, the assets, or the documents, with the kind of text."""
    top = entry.path.split("/")[0]
    where = top if top in (*PACKAGES, "assets") else "documents"
    return f"{where}, {entry.kind}"


def counts(found: Iterable[Entry]) -> str:
    """A table: how often each forbidden word occurs in each package and kind of text."""
    counted: dict[str, Counter[str]] = {}
    for entry in found:
        counted.setdefault(package_of(entry), Counter()).update(rule.name for rule in violations(entry))
    names = [rule.name for rule in RULES]
    total: Counter[str] = sum(counted.values(), Counter())
    rows = [_row(where, names, count) for where, count in sorted(counted.items())]
    head = ["| where | " + " | ".join([*names, "all"]) + " |", "|---|" + "---|" * (len(names) + 1)]
    return "\n".join([*head, *rows, _row("all", names, total)])


def _row(where: str, names: Sequence[str], count: Counter[str]) -> str:
    cells = [where, *(str(count[name]) for name in names), str(sum(count.values()))]
    return "| " + " | ".join(cells) + " |"


def forbidden(found: Iterable[Entry]) -> list[str]:
    """Every forbidden word in a text or in a docstring of a module or class: its place and what to write."""
    return [
        f'{entry.path}:{entry.line}: "{rule.name}" (write: {rule.instead}) in: {_one_line(entry.text)[:200]}'
        for entry in found
        if entry.kind in CHECKED
        for rule in dict.fromkeys(violations(entry))
    ]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, help="the file to write; without it, the catalogue is printed")
    parser.add_argument("--repo", type=Path, default=ROOT, help="the checkout to read")
    parser.add_argument("--counts", action="store_true", help="count forbidden words by package")
    parser.add_argument("--forbidden", action="store_true", help="list forbidden words with their places")
    given = parser.parse_args(arguments)
    found = entries(given.repo)
    if given.counts:
        text = counts(found)
    elif given.forbidden:
        text = "\n".join(forbidden(found))
    else:
        text = catalogue(found)
    if given.output is None:
        print(text)
    else:
        given.output.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
