"""The history of drafts: where undo and redo go, and what each step changed, in words. Knows no Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gems_engine.parameters import Parameter
from gems_gui.draft import RUN_SEED, SEED_FIELD, Draft
from gems_gui.draft_texts import ALGORITHM, INSTANCE, RUN, label_of
from gems_gui.instance_table import InstanceTable
from gems_gui.sources import FromFile, FromGallery, FromTable, Source
from gems_gui.turns import next_turn

LONGEST = 200
"""Steps that are remembered: a draft with a table of 1,000 × 100 numbers takes almost a megabyte."""


@dataclass(frozen=True)
class _Step:
    draft: Draft
    what: str
    merge: str | None
    turn: int = 0


class DraftHistory:
    """All drafts that the form has had, and which of them it has now.

    Parameters
    ----------
    draft
        The first one.
    """

    def __init__(self, draft: Draft) -> None:
        self._steps = [_Step(draft, "", None)]
        self._at = 0
        self.latest = 0

    @property
    def draft(self) -> Draft:
        """The one that the form has now."""
        return self._steps[self._at].draft

    def record(self, draft: Draft, merge: str | None = None) -> None:
        """A change; what could be redone is forgotten.

        Consecutive changes with the same `merge` are one step, until :meth:`seal`. What leads back to where its step
        began is none.
        """
        now = self._steps[self._at]
        if draft == now.draft:
            return
        del self._steps[self._at + 1 :]
        self.latest = next_turn()
        if merge is not None and merge == now.merge:
            del self._steps[-1]
        before = self._steps[-1].draft
        back = draft == before
        if not back:
            self._steps.append(_Step(draft, what_changed(before, draft), merge, self.latest))
        del self._steps[: max(0, len(self._steps) - 1 - LONGEST)]
        self._at = len(self._steps) - 1
        if back:
            self.seal()

    def seal(self) -> None:
        """Let the next change be a step of its own, whatever its key."""
        self._steps[self._at] = replace(self._steps[self._at], merge=None)

    @property
    def can_undo(self) -> bool:
        """Whether there is a draft before this one."""
        return self._at > 0

    @property
    def can_redo(self) -> bool:
        """Whether a step was undone and nothing has changed since."""
        return self._at < len(self._steps) - 1

    @property
    def undo_words(self) -> str:
        """What undo would take back, as «change of δ»; empty if nothing."""
        return self._steps[self._at].what if self.can_undo else ""

    @property
    def redo_words(self) -> str:
        """What redo would do again; empty if nothing."""
        return self._steps[self._at + 1].what if self.can_redo else ""

    @property
    def undo_turn(self) -> int:
        """When what undo would take back was done."""
        return self._steps[self._at].turn if self.can_undo else 0

    @property
    def redo_turn(self) -> int:
        """When what redo would do again was taken back."""
        return self._steps[self._at + 1].turn if self.can_redo else 0

    def undo(self) -> Draft:
        """Go one step back, where there is one: the draft there."""
        if self.can_undo:
            self._note(self._at)
            self._at -= 1
        self.seal()
        return self.draft

    def redo(self) -> Draft:
        """Go one step forward, where there is one: the draft there."""
        if self.can_redo:
            self._at += 1
            self._note(self._at)
        self.seal()
        return self.draft

    def _note(self, at: int) -> None:
        """Something happens to this step now."""
        self._steps[at] = replace(self._steps[at], turn=next_turn())


def what_changed(before: Draft, after: Draft) -> str:
    """The difference between two drafts as a user would name it: «change of δ», «opening of hard.json»."""
    instance = _instance_change(before, after)
    fields = _field_labels(before, after)
    algorithm = before.algorithm != after.algorithm
    if bool(instance) + algorithm + bool(fields) > 1:
        return "change of the whole form"
    if instance:
        return instance
    if algorithm:
        return "choice of the algorithm"
    return f"change of {_enumerated(fields)}"


def typing_key(before: Draft, after: Draft) -> str | None:
    """The key under which what is typed becomes one step: that of the one field that differs, if it is typed into."""
    changed = _changed_fields(before, after)
    if _typed_D(before.source, after.source) and not changed:
        return f"typing {INSTANCE}.D"
    if before.algorithm != after.algorithm or _instance_change(before, after):
        return None
    if len(changed) != 1 or changed[0][1].kind in ("bool", "choice"):
        return None
    return f"typing {changed[0][0]}"


def _instance_change(before: Draft, after: Draft) -> str:
    """What became of the source, beyond the fields of the same family; empty if nothing."""
    old, new = before.source, after.source
    if old == new or (isinstance(old, FromGallery) and isinstance(new, FromGallery) and old.family == new.family):
        return ""
    if _typed_D(old, new):
        return "change of D"
    if isinstance(new, FromGallery):
        return "choice of the family"
    if isinstance(new, FromFile):
        return f"opening of {new.title.removeprefix('File: ')}"
    return "change of the table"


def _typed_D(old: Source, new: Source) -> bool:
    """Whether only the number of features of an opened or own instance is another."""
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
    """A label within a sentence: words begin small, symbols stay."""
    word = label.split()[0]
    return f"the {label[0].lower()}{label[1:]}" if len(word) > 2 and word.isascii() else label


def _enumerated(labels: list[str]) -> str:
    if len(labels) > 3:
        return f"{len(labels)} fields"
    return " and ".join(filter(None, (", ".join(labels[:-1]), labels[-1])))
