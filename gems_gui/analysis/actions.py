"""The actions on designs."""

from __future__ import annotations

from gems_gui.actions.spec import ActionSpec, in_section
from gems_gui.analysis.design_controller import DesignController

DESIGN_ACTIONS: tuple[ActionSpec[DesignController], ...] = (
    *in_section(
        "File",
        "Designs",
        ActionSpec(
            "certify_weights",
            "Certify weights…",
            "Load design weights from a file and see what is proven about them",
            do=DesignController.certify_weights,
        ),
        ActionSpec(
            "save_problem",
            "Save design problem…",
            "Save the problem in the design debugger as a file for gems design and gems certify",
            do=DesignController.save_problem,
        ),
        ActionSpec(
            "save_weights",
            "Save design weights…",
            "Save the weights shown in the design debugger",
            do=DesignController.save_weights,
        ),
        ActionSpec(
            "save_certificate",
            "Save certificate…",
            "Save the weights shown in the design debugger with both bounds and their proof, for independent checking",
            do=DesignController.save_certificate,
        ),
    ),
    *in_section(
        "Edit",
        "Design",
        ActionSpec(
            "improve_weights",
            "Improve weights",
            "Take one step towards better weights in the design debugger",
            ("Ctrl+I",),
            do=DesignController.improve_weights,
        ),
    ),
    *in_section(
        "View",
        "Lists",
        ActionSpec(
            "debug_design",
            "Design debugger",
            "Examine the design of this round, or of any targets and dimension",
            ("Ctrl+Shift+D",),
            toggle=DesignController.debug_design,
            checked=lambda designs: designs.is_open,
            after="list_runs",
            words="optimal weights",
        ),
    ),
)
