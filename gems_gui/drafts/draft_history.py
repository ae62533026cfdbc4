"""The history of drafts and a description of each step; independent of Qt."""

from __future__ import annotations

from gems_engine.parameters import Parameter
from gems_gui.drafts.draft import RUN_SEED, SEED_FIELD, Draft
from gems_gui.drafts.instance_table import InstanceTable
from gems_gui.drafts.sources import FromFile, FromGallery, FromTable, Source
from gems_gui.drafts.undo_stack import UndoStack
from gems_gui.field_text import ALGORITHM, INSTANCE, RUN, label_of

LONGEST = 200
"""Number of steps kept: a draft with a table of 1000 × 100 numbers takes almost a megabyte."""


class DraftHistory(UndoStack[Draft]):
    """All drafts of the form, and the position of the current one."""

    def __init__(self, draft: Draft) -> None:
        super().__init__(draft, LONGEST)

    @property
    def draft(self) -> Draft:
        """The current draft."""
        return self.now

    def record(self, draft: Draft, merge: str | None = None) -> None:
        """Record a change; consecutive ones with the same `merge` are one step."""
        self._record(draft, what_changed, merge or "")


def what_changed(before: Draft, after: Draft) -> str:
    """The difference between two drafts in words: "change of δ", "opening of hard.json"."""
    instance = _instance_change(before, after)
    fields = _field_labels(before, after)
    algorithm = before.algorithm != after.algorithm
    if bool(instance) + algorithm + bool(fields) > 1:
        return "change of the whole form"
    if instance:
        return instance
    if algorithm:
        return "choice of the algorithm"
    return f"change of {_enumerated(fields) if fields else 'the custom instances'}"


def typing_key(before: Draft, after: Draft) -> str | None:
    """The key that merges typing into one step: that of the only text field that differs, else empty."""
    changed = _changed_fields(before, after)
    if _typed_D(before.source, after.source) and not changed:
        return f"typing {INSTANCE}.D"
    if before.algorithm != after.algorithm or _instance_change(before, after):
        return None
    if len(changed) != 1 or changed[0][1].kind in ("bool", "choice"):
        return None
    return f"typing {changed[0][0]}"


def _instance_change(before: Draft, after: Draft) -> str:
    """The change of the source, beyond the fields of the same family; empty if there is none."""
    old, new = before.source, after.source
    if old == new or (isinstance(old, FromGallery) and isinstance(new, FromGallery) and old.family == new.family):
        return ""
    if _typed_D(old, new):
        return "change of D"
    if isinstance(new, FromGallery):
        return "choice of the family"
    if new in before.own:
        return "choice of a custom instance"
    if isinstance(new, FromFile):
        return f"opening of {new.title.removeprefix('File: ')}"
    return "change of the table"


def _typed_D(old: Source, new: Source) -> bool:
    """Whether only the number of features of an opened or custom instance differs."""
    if isinstance(old, FromFile) and isinstance(new, FromFile):
        return old.instance is new.instance and old.D_text != new.D_text
    if isinstance(old, FromTable) and isinstance(new, FromTable):
        return (old.D, old.D_text) != (new.D, new.D_text) and _whole(old) == _whole(new)
    return False


def _whole(source: FromTable) -> InstanceTable:
    return source.table if source.whole is None else source.whole


def _changed_fields(before: Draft, after: Draft) -> list[tuple[str, Parameter, str]]:
    """Key, parameter and scope of the fields that both drafts have with different texts."""
    both: list[tuple[str, Parameter, str]] = []
    old, new = before.source, after.source
    if isinstance(old, FromGallery) and isinstance(new, FromGallery) and old.family == new.family:
        both += [(f"{INSTANCE}.{each.name}", each, INSTANCE) for each in new.parameters]
    if before.algorithm == after.algorithm:
        both += [(f"{ALGORITHM}.{each.name}", each, ALGORITHM) for each in after.method.parameters]
    both.append((SEED_FIELD, RUN_SEED, RUN))
    return [each for each in both if before.text(each[0]) != after.text(each[0])]


def _field_labels(before: Draft, after: Draft) -> list[str]:
    return [_in_sentence(label_of(parameter, scope)) for _, parameter, scope in _changed_fields(before, after)]


def _in_sentence(label: str) -> str:
    """A label within a sentence: words in lower case, symbols unchanged."""
    word = label.split()[0]
    return f"the {label[0].lower()}{label[1:]}" if len(word) > 2 and word.isascii() else label


def _enumerated(labels: list[str]) -> str:
    if len(labels) > 3:
        return f"{len(labels)} fields"
    return " and ".join(filter(None, (", ".join(labels[:-1]), labels[-1])))
