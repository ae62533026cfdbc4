"""The actions on views and layouts."""

from __future__ import annotations

from gems_gui.actions.spec import ActionSpec, in_section
from gems_gui.board.layout_controller import LayoutController
from gems_gui.workbench.layouts import LAYOUTS, BoardLayout


def _layout(layout: BoardLayout, place: int) -> ActionSpec[LayoutController]:
    return ActionSpec(
        f"layout_{layout.name}",
        layout.title,
        layout.tip,
        (f"Ctrl+{place}",),
        do=lambda layouts: layouts.choose(layout.name),
        checked=lambda layouts: layouts.current == layout.name,
        choice="layout",
    )


LAYOUT_ACTIONS: tuple[ActionSpec[LayoutController], ...] = (
    *in_section(
        "View",
        "Views",
        ActionSpec(
            "maximise_view",
            "Maximise view",
            "Maximise the view that has the focus or is under the mouse, or restore it",
            ("Ctrl+M",),
            do=LayoutController.maximise_view,
            text_of=lambda layouts: "Restore view" if layouts.is_maximised else "Maximise view",
            words="maximize enlarge",
        ),
        ActionSpec(
            "leave_maximised",
            "Back to all views",
            'Clear the selection, restore the maximised view, cancel "run until", close the welcome page or a message',
            ("Esc",),
            do=LayoutController.leave_maximised,
            refusal=LayoutController.escape_refusal,
        ),
        ActionSpec(
            "float_view",
            "Float view",
            "Detach the view from the window, or put it back",
            ("Ctrl+Shift+M",),
            do=LayoutController.float_view,
        ),
    ),
    *in_section(
        "View/Layout", "Layouts", *(_layout(layout, place) for place, layout in enumerate(LAYOUTS.values(), start=1))
    ),
    *in_section(
        "View/Layout",
        "Own layouts",
        ActionSpec(
            "save_layout",
            "Save layout as…",
            "Save this arrangement of views under a name",
            do=LayoutController.save_layout,
        ),
        ActionSpec(
            "reset_layout",
            "Reset layout",
            "Restore all views to their positions in this layout",
            do=LayoutController.reset_layout,
        ),
    ),
)
