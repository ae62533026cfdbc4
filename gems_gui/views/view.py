"""The base of all views: a view shows a snapshot of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QActionGroup, QPainter
from PySide6.QtWidgets import QGraphicsView, QMenu, QWidget

from gems_engine.errors import InputError
from gems_engine.terminal import with_indices
from gems_gui.appearance import Appearance
from gems_gui.series.table import Table, Tabled
from gems_gui.series.wordings import Phrasings
from gems_gui.snapshot import ARM as ARM
from gems_gui.snapshot import PLACE as PLACE
from gems_gui.snapshot import TARGET as TARGET
from gems_gui.snapshot import Snapshot
from gems_gui.theme import Theme
from gems_gui.views.card import Body, Head
from gems_gui.views.error_card import ErrorCard
from gems_gui.views.legend import Legend
from gems_gui.views.option import Option, Whole
from gems_gui.views.plot import AxisRanges, Plot
from gems_gui.widgets.dialogs import LazyDialog

if TYPE_CHECKING:
    from gems_engine.talk.annotation import Mark
    from gems_gui.views.number_dialog import NumberDialog


class View(QObject):
    """One view. A subclass creates its widget once and then only updates it.

    A subclass has ``name`` (its key in the registry), ``title``, ``about`` (what it shows and how to read it),
    ``options``, and the method :meth:`paint`. It computes nothing: the numbers come from :mod:`gems_gui.series`. A plot
    declares what it draws, see :class:`gems_gui.views.plot_view.PlotView`; a text or a table has the methods
    :meth:`make`, :meth:`apply_theme` and :meth:`clear`.
    """

    name: ClassVar[str] = ""
    title: ClassVar[str] = ""
    about: ClassVar[str] = ""
    options: ClassVar[tuple[Option, ...]] = ()
    picks: ClassVar[str] = ""
    """What a click or the arrow keys select: an arm, a target, a position in the run, or nothing."""
    steps: ClassVar[bool] = True
    """Whether ↑ and ↓ select the next one, where something can be selected."""
    is_plot: ClassVar[bool] = True
    """Whether it has axes with numbers that can be zoomed; a text or a table scrolls instead."""
    has_numbers: ClassVar[bool] = True
    """Whether its content can be written as a table; a text cannot."""
    blanks: ClassVar[bool] = True
    """Whether scales and marks are hidden while there is nothing to show of a run."""
    marks_selection: ClassVar[bool] = True
    """Whether it shows arms or targets, and so marks the selected one."""

    series: Tabled | None = None
    """What is drawn for the current snapshot; None before the first one, and for a text."""

    arm_picked = Signal(object)
    """The user selects an arm (an index), or none."""
    target_picked = Signal(object)
    """The user selects a target, or none."""
    place_picked = Signal(object)
    """The user wants to go to an event of the shown run, given by its index."""
    until_asked = Signal(object, bool)
    """The user wants to go to an event that meets a condition; and whether forwards."""
    seed_picked = Signal(object)
    """The user clicks a trial: its seed."""
    race_seed_picked = Signal(object)
    """The user wants the race with another seed."""
    samples_picked = Signal(object)
    """The user wants to go to a number of samples."""
    view_asked = Signal(str)
    """The user wants to see another view."""
    theory_asked = Signal(object)
    """A theory that is not known yet and has to be computed elsewhere."""
    failed = Signal(str, str)
    """It cannot be drawn: a sentence, and a report for the developers."""
    options_changed = Signal()

    def __init__(self, appearance: Appearance, exporting: bool = False) -> None:
        super().__init__()
        self.appearance = appearance
        self.exporting = exporting
        """Whether this is for a picture: antialiased, without mouse interaction."""
        self.snapshot: Snapshot | None = None
        self.settings = {option.name: option.default for option in self.options}
        self.head = Head(self.title)
        self.head.title.setToolTip(self.about)
        self.legend = Legend()
        self.body = Body(self.make(), self.legend)
        self._plots = self.body.findChildren(Plot)
        self.body.setAccessibleName(self.title)
        self.body.setAccessibleDescription(self.about)
        self._choices: dict[tuple[str, str], QAction] = {}
        self._number_dialog = LazyDialog(self._make_number_dialog)
        self._error_card: ErrorCard | None = None
        self.failure: tuple[str, str] | None = None
        """Why it cannot be drawn: a sentence, and a report for the developers."""
        self._reported = ""
        if self.options and not exporting:
            self.head.options.setMenu(self._menu())
            self.head.options.show()
        if exporting:
            self._smooth()
        appearance.follow(self._apply_theme)
        self.body.resized.connect(self._on_resized)

    def _on_resized(self) -> None:
        if self.snapshot is not None:
            self.refit(self.make_room)

    def _smooth(self) -> None:
        """Antialias everything: too slow on screen (200 times slower for a noisy line), right for a picture.

        Also make the layout independent of earlier snapshots: every frame of a film looks as if it were the only one.
        """
        self.legend.steady = self.is_plot
        for plot in self._plots:
            plot.freeze_layout()
        for scene in self.body.findChildren(QGraphicsView):
            scene.setCacheMode(QGraphicsView.CacheModeFlag.CacheNone)  # an SVG cannot contain a background of pixels
            scene.setRenderHint(QPainter.RenderHint.Antialiasing)
            scene.setRenderHint(QPainter.RenderHint.LosslessImageRendering)  # no JPEG in a PDF
            for item in scene.scene().items():
                options = getattr(item, "opts", None)
                if isinstance(options, dict) and "antialias" in options:
                    options["antialias"] = True

    # -- for subclasses -----------------------------------------------------------------------------------------

    def make(self) -> QWidget:
        """The widget, with all its items."""
        raise NotImplementedError

    def paint(self, snapshot: Snapshot) -> None:
        """Show a snapshot in the existing items."""
        raise NotImplementedError

    def explain(self) -> None:
        """Show the subtitle and the legend of what is painted."""

    def clear(self) -> None:
        """Show nothing."""
        raise NotImplementedError

    def expect(self, algorithm: str) -> None:
        """Take the algorithm of the form, for a view that shows it before the first run."""

    def make_room(self) -> None:
        """Show the controls and tables that fit into the body; called after painting and whenever its size changes."""

    def apply_theme(self, theme: Theme) -> None:
        """Set the pens, brushes and fonts of the items."""
        raise NotImplementedError

    # -- for callers --------------------------------------------------------------------------------------------

    @property
    def theme(self) -> Theme:
        """The current theme; on a projector, a view with much text has smaller text than a plot."""
        theme = self.appearance.theme
        return theme if self.is_plot else theme.for_tables()

    def show(self, snapshot: Snapshot | None) -> None:
        """Show a snapshot of a run, or a placeholder if there is none; if that fails, why it does."""
        before, self.snapshot = self.snapshot, snapshot
        if before is not None and snapshot is not None and not _alike(before, snapshot):
            self.let_go()
        self.failure = None
        self.attempt(self._show_snapshot)
        if self.failure is None and self._error_card is not None:
            self._reported = ""
            self._error_card.hide()

    def _show_snapshot(self) -> None:
        if self.snapshot is None:
            self.set_subtitle("", (self.about, "no run yet"))
        else:
            self.paint(self.snapshot)
            self.explain()
            self.make_room()
        self._settle()

    def let_go(self) -> None:
        """Let go of the space that axes reserved for another kind of run."""
        for each in self._plots:
            each.let_go()

    def attempt(self, work: Callable[[], None]) -> bool:
        """Do this; if it fails, cover the view with an error card, and other views are not affected.

        A picture is not made from a view that fails.
        """
        if self.exporting:
            work()
            return True
        try:
            work()
        except Exception as error:
            self._cover(error)
            return False
        return True

    def refit(self, work: Callable[[], None]) -> None:
        """Adapt what is drawn to a new size or range; a view that failed is drawn again first."""
        if self.failure is None:
            self.attempt(work)

    def _cover(self, error: Exception) -> None:
        where = "without a run" if self.snapshot is None else f"at event {self.snapshot.state.cursor}"
        self.cover(*failure_of(self.name, self.title, where, error))

    def cover(self, sentence: str, report: str) -> None:
        """Show why it cannot be drawn in its place."""
        self.failure = sentence, report
        if self._error_card is None:
            self._error_card = ErrorCard(self.body)
            self._error_card.retry_requested.connect(self.retry)
        self.head.subtitle.setText("")
        self._error_card.cover(sentence, report)
        if sentence != self._reported:  # not again for every snapshot
            self._reported = sentence
            self.failed.emit(sentence, report)

    def retry(self) -> None:
        """Draw it again after a failure."""
        self.show(self.snapshot)

    def reset(self) -> None:
        """Forget the layout of earlier snapshots: for pictures, which must not depend on each other."""
        for each in self._plots:
            each.reset()

    # -- stories ------------------------------------------------------------------------------------------------

    @property
    def axis_ranges(self) -> tuple[AxisRanges, ...]:
        """The ranges of the axes of its plots, without a lock."""
        return tuple(each.axis_ranges for each in self._plots)

    def lock_axes(self, ranges: Sequence[AxisRanges]) -> None:
        """Use these ranges from the next snapshot on; without ranges, those that fit each snapshot."""
        for at, each in enumerate(self._plots):
            each.locked = ranges[at] if at < len(ranges) else None

    def annotate(self, marks: Sequence[Mark]) -> None:
        """Draw these arrows and brackets in its plot; a view without one has none."""
        main = getattr(self, "plot", None)
        for each in self._plots:
            each.annotations.show_marks(tuple(marks) if each is main else ())

    def name_run(self, name: str) -> None:
        """Show the name of a run before the title, where there are two; empty for none."""
        self.head.title.setText(with_indices(f"{name}: {self.title}" if name else self.title))

    def set_subtitle(self, subtitle: str | Phrasings, nothing: Phrasings = ()) -> None:
        """Show the subtitle in the head, or a placeholder in the plot (if there is one)."""
        if nothing and not self._plots and self.snapshot is not None:
            subtitle = nothing
        self.head.subtitle.setText(subtitle)
        if nothing and (self.blanks or self.snapshot is None):
            series = self.series
            self.clear()
            self.series = None if self.snapshot is None else series  # a table without rows still has its columns
            self.legend.show_entries([], self.theme)
        for each in self._plots:
            each.show_placeholder(nothing, self.snapshot is not None)

    def _settle(self) -> None:
        """Update transforms and axes now; pyqtgraph would do so at the first paint and request a second one."""
        for each in self._plots:
            each.settle()

    def _apply_theme(self, theme: Theme) -> None:
        """Apply a theme, and paint again."""
        self.head.apply_theme(theme)
        theme = self.theme
        self.legend.complete = theme.paper or theme.hall
        if self.options and not self.exporting:
            from gems_gui.icons import icon  # pictures have no buttons

            self.head.options.setIcon(icon("options", theme))
        if self.attempt(lambda: self.apply_theme(theme)):
            self.show(self.snapshot)

    def set_option(self, name: str, value: str) -> None:
        """Set an option; an InputError lists the valid ones."""
        option = next(each for each in self.options if each.name == name)
        self.settings[name] = option.check(value)
        if (name, value) in self._choices:
            self._choices[name, value].setChecked(True)
        self.show(self.snapshot)
        self.options_changed.emit()

    def as_table(self) -> Table:
        """The numbers that it shows; an InputError if it has none."""
        if self.series is None or self.snapshot is None:
            raise InputError(f'View "{self.name}" cannot be written as a table: it shows no numbers.')
        return self.series.table(self.snapshot)

    # -- keyboard selection -------------------------------------------------------------------------------------

    def in_order(self) -> Sequence[int]:
        """What can be selected, in the order in which it is shown."""
        return ()

    def pointed_at(self) -> int | None:
        """The current selection."""
        if self.snapshot is None:
            return None
        return self.snapshot.selection.arm if self.picks == ARM else self.snapshot.selection.target

    def point(self, at: int | None) -> None:
        """Select something, or nothing, as a click does."""
        (self.arm_picked if self.picks == ARM else self.target_picked).emit(at)

    @property
    def holds(self) -> bool:
        """Whether something is being dragged, which Esc cancels."""
        return False

    def give_up(self) -> None:
        """Cancel the drag and restore the previous value."""

    def step(self, by: int) -> None:
        """Select the next or the previous one; without a selection, the first or the last."""
        order = [int(each) for each in self.in_order()]
        if self.snapshot is None or not order:
            return
        now = self.pointed_at()
        if now in order:
            self.point(order[min(max(order.index(now) + by, 0), len(order) - 1)])
        else:
            self.point(order[0 if by > 0 else -1])

    def _menu(self) -> QMenu:
        menu = QMenu(self.head.options)
        for option in self.options:
            if isinstance(option, Whole):
                action = menu.addAction(f"{option.label}…")
                action.setData((option.name, ""))
                action.triggered.connect(self._ask_number)
                continue
            if menu.actions():
                menu.addSeparator()
            menu.addAction(option.label).setEnabled(False)  # a heading: some styles do not show those of sections
            group = QActionGroup(menu)
            for value, words in option.choices.items():
                action = QAction(words, group)
                action.setCheckable(True)
                action.setChecked(value == option.default)
                action.setData((option.name, value))
                menu.addAction(action)
                self._choices[option.name, value] = action
            group.triggered.connect(self._on_option_chosen)
        return menu

    def _ask_number(self) -> None:
        """Ask for a number, also where the view is too small for its own control."""
        action = self.sender()
        assert isinstance(action, QAction)
        option = next(each for each in self.options if each.name == action.data()[0])
        assert isinstance(option, Whole)
        self._number_dialog.show(option)

    def _make_number_dialog(self, option: Whole) -> NumberDialog:
        from gems_gui.views.number_dialog import NumberDialog  # not needed for pictures

        dialog = NumberDialog(self.head, self.title, option, self.settings[option.name])
        dialog.chosen.connect(lambda value: self.set_option(option.name, value))
        return dialog

    def _on_option_chosen(self, action: QAction) -> None:
        self.set_option(*action.data())


def failure_of(name: str, title: str, where: str, error: Exception) -> tuple[str, str]:
    """Why a view cannot be drawn: a sentence, and a report for the developers."""
    from gems_gui.background.worker import failure  # needed only if a view fails

    outcome = failure(error, f'The view "{with_indices(title)}" cannot be drawn', f"View {name} {where}")
    return outcome.sentence, outcome.report


def _alike(one: Snapshot, other: Snapshot) -> bool:
    """Whether two runs have the same kind of labels: an algorithm, and a family or a file with as many arms.

    The space for labels stays while a slider is dragged, which starts a run for each value.
    """
    first, second = one.instance, other.instance
    if first is not second and (
        first.recipe.title != second.recipe.title
        or first.recipe.file != second.recipe.file
        or first.arms.shape != second.arms.shape
        or first.arm_names != second.arm_names
    ):
        return False
    return one.state.algorithm == other.state.algorithm or not (one.cursor and other.cursor)
