"""The stories that a run has had while one was made: where undo and redo go. Knows no Qt."""

from __future__ import annotations

from gems_engine.talk.story import Story

LONGEST = 100
"""Steps that are remembered."""


class Edits:
    """All stories of a run and which of them it has now; None: it has none.

    Parameters
    ----------
    story
        The first one.
    """

    def __init__(self, story: Story | None) -> None:
        self._steps: list[tuple[Story | None, str, str]] = [(story, "", "")]
        self._at = 0

    @property
    def story(self) -> Story | None:
        """The one that the run has now."""
        return self._steps[self._at][0]

    def record(self, story: Story | None, what: str, merge: str = "") -> None:
        """A change, in words; what could be redone is forgotten.

        Consecutive changes with the same `merge` are one step: what is typed into a field is taken back at once.
        """
        if story == self.story:
            return
        del self._steps[self._at + 1 :]
        if merge and merge == self._steps[self._at][2]:
            self._steps.pop()
        self._steps.append((story, what, merge))
        del self._steps[: max(0, len(self._steps) - 1 - LONGEST)]
        self._at = len(self._steps) - 1

    def seal(self) -> None:
        """Let the next change be a step of its own."""
        story, what, _ = self._steps[self._at]
        self._steps[self._at] = (story, what, "")

    @property
    def undo_words(self) -> str:
        """What undo would take back; empty if nothing."""
        return self._steps[self._at][1] if self._at > 0 else ""

    @property
    def redo_words(self) -> str:
        """What redo would do again; empty if nothing."""
        return self._steps[self._at + 1][1] if self._at + 1 < len(self._steps) else ""

    def undo(self) -> Story | None:
        """One step back, where there is one."""
        self.seal()
        self._at = max(0, self._at - 1)
        return self.story

    def redo(self) -> Story | None:
        """One step on, where there is one."""
        self._at = min(len(self._steps) - 1, self._at + 1)
        return self.story
