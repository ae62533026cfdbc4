"""The base of the views of the design debugger: they show a study, that of the snapshot or that of the debugger."""

from __future__ import annotations

from gems_engine.errors import InputError
from gems_gui.design_study import Study
from gems_gui.series.arm_order import INDEX, SIZE
from gems_gui.series.design.study import study_of
from gems_gui.series.wordings import phrasings
from gems_gui.snapshot import Snapshot
from gems_gui.views.option import Option
from gems_gui.views.view import View

NOTHING = "no design before this event"


def arm_option(size: str) -> Option:
    """The option for the order of the arms; ``size`` is the text of the choice by what is drawn."""
    return Option("order", "Arms", {INDEX: "By index", SIZE: size})


class StudyView(View):
    """A view of a study. A subclass has :meth:`draw` instead of ``paint``."""

    study: Study | None = None

    def draw(self, snapshot: Snapshot, study: Study) -> None:
        """Show a study."""
        raise NotImplementedError

    def paint(self, snapshot: Snapshot) -> None:
        """Show the study of the debugger or, in a picture, of the round at the cursor; or why there is none."""
        try:
            self.study, words = study_of(snapshot), NOTHING
        except InputError as error:
            self.study, words = None, str(error)
        if self.study is not None:
            self.draw(snapshot, self.study)
            return
        self.clear()
        self.legend.show_entries([], self.theme)
        self.set_subtitle("", phrasings(words))
