"""Axes that several frames share: the union of what each of them would show; and legends of equal height."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gems_gui.painting.frames import Frame, panels_of, view_of
from gems_gui.snapshot import Snapshot
from gems_gui.views.plot import AxisRanges, united
from gems_gui.views.view import View

FrameSnapshots = Callable[[Frame], tuple[Snapshot, Snapshot | None]]
"""Returns the snapshots of a frame: of its run, and of its second run if it has one."""
SharedAxes = dict[str, tuple[AxisRanges, ...]]
"""The ranges of each view's plots, by view."""


def shared_axes(panels: Mapping[str, View], frame: Frame, snapshots: FrameSnapshots) -> SharedAxes:
    """The axes that the views of a frame share with the frames in its lock, for the two runs of each.

    Only frames that show a view with the same options count. The views show each of these frames once, and afterwards
    have to show the frame again.
    """
    found: SharedAxes = {}
    for name, view in {view_of(panel)[0]: view for panel, view in panels.items()}.items():
        view.lock_axes(())
        ranges: list[tuple[AxisRanges, ...]] = []
        for each in frame.lock:
            if name in each.views and _options(each, name) == _options(frame, name):
                first, other = snapshots(each)
                for snapshot in filter(
                    None, (first, other if len(panels_of((name,), other is not None)) > 1 else None)
                ):
                    view.reset()
                    view.show(snapshot)
                    ranges.append(view.axis_ranges)
        found[name] = tuple(map(united, zip(*ranges, strict=False)))
    return found


def level_legends(panels: Mapping[str, View]) -> None:
    """Give the legends of a view's two runs the same height: equal positions of their axes are then side by side."""
    for panel, view in panels.items():
        pair = [other.legend for name, other in panels.items() if view_of(name)[0] == view_of(panel)[0]]
        view.legend.level(pair if len(pair) > 1 else ())


def _options(frame: Frame, view: str) -> list[tuple[str, str]]:
    return sorted((option, value) for name, option, value in frame.options if name == view)
