"""The actions on the window itself: open files, appearance, and close."""

from __future__ import annotations

from collections.abc import Callable

from gems_engine.files import RUN_SUFFIX
from gems_gui.actions.interface import Bench
from gems_gui.actions.spec import ActionSpec, in_section

_OPENED = f"Instances, runs and experiments (*.json *.npz *.csv *.tsv *.toml *{RUN_SUFFIX});;All files (*)"
_STEP = 1.1  # factor between text sizes


def open_files(bench: Bench) -> None:
    """Ask for files."""
    bench.ui.ask_files("Open", _OPENED, bench.ui.open_files)


def close(bench: Bench) -> None:
    """Close the window."""
    bench.ui.close()


def set_full_screen(bench: Bench, on: bool) -> None:
    """Switch full screen on or off."""
    bench.ui.set_full_screen(on)


def _scale(factor: float | None) -> Callable[[Bench], None]:
    return lambda bench: bench.ui.scale_text(factor)


def _theme(choice: str, text: str, tip: str) -> ActionSpec[Bench]:
    return ActionSpec(
        f"theme_{choice}",
        text,
        tip,
        do=lambda bench: bench.ui.set_theme(choice),
        checked=lambda bench: bench.ui.theme_choice() == choice,
        choice="theme",
        words="colour color mode appearance",
    )


WINDOW_ACTIONS: tuple[ActionSpec[Bench], ...] = (
    *in_section(
        "File",
        "Files",
        ActionSpec(
            "open",
            "Open…",
            "Open instances or recorded runs",
            ("Ctrl+O",),
            "open",
            open_files,
            words="load import file",
        ),
    ),
    *in_section(
        "File",
        "Program",
        ActionSpec("quit", "Quit", "Close the window and stop the engine", ("Ctrl+Q",), do=close, words="exit"),
    ),
    *in_section(
        "View",
        "Look",
        ActionSpec(
            "font_larger",
            "Larger text",
            "Make all text larger",
            ("Ctrl++", "Ctrl+="),
            do=_scale(_STEP),
            repeats=True,
            words="font size zoom in bigger",
        ),
        ActionSpec(
            "font_smaller",
            "Smaller text",
            "Make all text smaller",
            ("Ctrl+-",),
            do=_scale(1 / _STEP),
            repeats=True,
            words="font size zoom out",
        ),
        ActionSpec(
            "font_normal",
            "Normal text",
            "Reset the text size",
            ("Ctrl+0",),
            do=_scale(None),
            words="font size zoom reset default",
        ),
        ActionSpec(
            "full_screen",
            "Full screen",
            "Show the window in full screen",
            ("F11",),
            "maximise",
            toggle=set_full_screen,
            checked=lambda bench: bench.ui.is_full_screen(),
            words="maximise maximize",
        ),
    ),
    *in_section(
        "View/Theme",
        "Theme",
        _theme("system", "System", "Use the theme of the desktop"),
        _theme("light", "Light", "Use dark text on a light background"),
        _theme("dark", "Dark", "Use light text on a dark background"),
    ),
)
"""In the order of their sections."""
