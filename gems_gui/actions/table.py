"""The one table of everything that a menu, a button or a key can do, without Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gems_gui.workbench.layouts import LAYOUTS


@dataclass(frozen=True)
class ActionSpec:
    """Something that a user can ask for.

    Attributes
    ----------
    name
        Its key, and the name of its handler.
    text
        As menus show it.
    tip
        What it does, without a full stop.
    keys
        Shortcuts; the first one is that which is shown.
    icon
        Of :mod:`gems_gui.icons`, empty for none.
    checkable
        Whether it is on or off; its handler is told which.
    choice
        The group of acts of which always one is chosen, empty for none; its handler is called when it is.
    repeats
        Whether it goes on while its key is held down.
    toolbar
        The place of its button in the transport, from the left; 0: it has none.
    label
        What stands on such a button, where the icon alone would not say it.
    menu
        Where it is: a menu, or a menu and a submenu with a slash between.
    section
        What it belongs to: a line divides the sections of a menu, and the sheet of keys has them as headings.
    """

    name: str
    text: str
    tip: str
    keys: tuple[str, ...] = ()
    icon: str = ""
    checkable: bool = False
    choice: str = ""
    repeats: bool = False
    toolbar: int = 0
    label: str = ""
    menu: str = ""
    section: str = ""


def _in(menu: str, section: str, *acts: ActionSpec) -> tuple[ActionSpec, ...]:
    return tuple(replace(act, menu=menu, section=section) for act in acts)


MENUS = ("File", "Edit", "Run", "View", "Experiment", "Talk", "Help")
"""The menus in their order."""

ACTIONS: tuple[ActionSpec, ...] = (
    *_in(
        "File",
        "Files",
        ActionSpec("new_instance", "New instance", "Begin an instance of your own with a small table", ("Ctrl+N",)),
        ActionSpec("open", "Open…", "Open instances or recorded runs", ("Ctrl+O",), "open"),
        ActionSpec("save", "Save run…", "Save the run that is shown as a .gems file", ("Ctrl+S",), "save"),
        ActionSpec(
            "save_instance",
            "Save instance",
            "Save the instance of the form; one that was opened and edited goes to its file",
            ("Ctrl+Shift+S",),
        ),
        ActionSpec("save_instance_as", "Save instance as…", "Save the instance of the form as another file"),
        ActionSpec(
            "export", "Export…", "Write pictures, a film, pages or the plotted numbers to a file", ("Ctrl+E",), "export"
        ),
    ),
    *_in(
        "File",
        "Designs",
        ActionSpec("certify_weights", "Certify weights…", "Load weights of your own and see what is proven about them"),
        ActionSpec(
            "save_problem",
            "Save design problem…",
            "Save what the design debugger examines as a file that gems design and gems certify read",
        ),
        ActionSpec("save_weights", "Save design weights…", "Save the weights that the design debugger shows"),
        ActionSpec(
            "save_certificate",
            "Save certificate…",
            "Save the weights that the design debugger shows with both bounds and their proof, to be checked by anyone",
        ),
    ),
    *_in("File", "Program", ActionSpec("quit", "Quit", "Close the window and end the engine", ("Ctrl+Q",))),
    *_in(
        "Edit",
        "Undo",
        ActionSpec(
            "undo",
            "Undo",
            "Take the last change of the form, the removal of a run, or a step in the design debugger back",
            ("Ctrl+Z",),
            "undo",
            repeats=True,
        ),
        ActionSpec(
            "redo",
            "Redo",
            "Make what was taken back again",
            ("Ctrl+Shift+Z", "Ctrl+Y"),
            "redo",
            repeats=True,
        ),
    ),
    *_in(
        "Edit",
        "Instance",
        ActionSpec("edit_table", "Edit table", "Edit arms, targets and rewards by hand", ("Ctrl+T",), checkable=True),
    ),
    *_in(
        "Edit",
        "Design",
        ActionSpec(
            "improve_weights", "Improve weights", "Take one step to better weights in the design debugger", ("Ctrl+I",)
        ),
    ),
    *_in(
        "Edit", "Form", ActionSpec("revert", "Revert the form", "Put what the shown run was started with into the form")
    ),
    *_in(
        "Edit",
        "Copy",
        ActionSpec(
            "copy_command", "Copy as command", "Copy the command that repeats the shown run", ("Ctrl+Shift+C",), "copy"
        ),
        ActionSpec(
            "copy_picture", "Copy picture", "Put a picture of the views in sight into the clipboard", ("Ctrl+Shift+E",)
        ),
    ),
    *_in(
        "Run",
        "Engine",
        ActionSpec("run", "Run", "Start the engine on the form and play from its start", ("Ctrl+R",), "run", toolbar=7),
        ActionSpec(
            "auto_run",
            "Auto-run",
            "Compute every change of the form at once and show it at the same place",
            ("Ctrl+Shift+R",),
            checkable=True,
        ),
        ActionSpec(
            "hold",
            "Hold the engine",
            "Let the engine wait at the next event",
            ("H",),
            "hold",
            checkable=True,
            toolbar=8,
        ),
        ActionSpec(
            "run_to_end",
            "Run to the end",
            "Compute up to the cap without waiting for the cursor, which follows",
            ("Ctrl+Return", "Ctrl+Enter"),
            "run_to_end",
            checkable=True,
        ),
        ActionSpec(
            "stop", "Stop", "End the engine at once and keep what it has computed", ("Ctrl+.",), "stop", toolbar=9
        ),
    ),
    *_in(
        "Run",
        "Play",
        ActionSpec("play", "Play", "Play or pause", ("Space",), "play", toolbar=3),
        ActionSpec(
            "live",
            "Live",
            "Follow the newest event while the engine runs as fast as it can",
            ("L",),
            "live",
            checkable=True,
            toolbar=6,
            label="live",
        ),
        ActionSpec("slower", "Slower", "Play fewer rounds per second", ("[",), "slower", repeats=True),
        ActionSpec("faster", "Faster", "Play more rounds per second", ("]",), "faster", repeats=True),
        ActionSpec("repeat", "Repeat", "Play from the start again when the end has come", (), "loop", checkable=True),
    ),
    *_in(
        "Run",
        "Step forward",
        ActionSpec(
            "event_forward", "Next event", "Show one more event", ("Right",), "forward", repeats=True, toolbar=4
        ),
        ActionSpec(
            "round_forward", "Next round", "Go to the end of this round or of the next", ("Shift+Right",), repeats=True
        ),
        ActionSpec(
            "subroutine_forward",
            "Next subroutine",
            "Go to where the next subroutine begins",
            ("Ctrl+Right",),
            repeats=True,
        ),
        ActionSpec("loop_forward", "Next loop ℓ", "Go to where the next ℓ begins", ("Alt+Right",), repeats=True),
        ActionSpec("last", "Newest event", "Go to the newest event", ("End",), "last", toolbar=5),
    ),
    *_in(
        "Run",
        "Step back",
        ActionSpec("event_back", "Previous event", "Show one event less", ("Left",), "back", repeats=True, toolbar=2),
        ActionSpec(
            "round_back", "Previous round", "Go back to the end of the round before", ("Shift+Left",), repeats=True
        ),
        ActionSpec(
            "subroutine_back",
            "Previous subroutine",
            "Go back to where this subroutine began",
            ("Ctrl+Left",),
            repeats=True,
        ),
        ActionSpec("loop_back", "Previous loop ℓ", "Go back to where this ℓ began", ("Alt+Left",), repeats=True),
        ActionSpec("first", "Start", "Go before the first event", ("Home",), "first", toolbar=1),
    ),
    *_in(
        "Run",
        "Go",
        ActionSpec(
            "go_to", "Go to ℓ, i, k…", "Go to where a loop, a subroutine or a round begins", ("Ctrl+G",), "goto"
        ),
        ActionSpec("run_until", "Run until…", "Choose what the run goes on until, or goes back to", ("U",)),
        ActionSpec(
            "until_forward",
            "Until it happens again",
            "Run until the same happens the next time, with the engine where it has to compute",
            ("F3",),
            repeats=True,
        ),
        ActionSpec(
            "until_back", "Back to where it happened", "Go back to where the same happened", ("Shift+F3",), repeats=True
        ),
        ActionSpec("stop_waiting", "Stop running until it happens", "Stop at this place (Esc)"),
    ),
    *_in(
        "Run",
        "Runs",
        ActionSpec(
            "branch",
            "Branch from here…",
            "Run it again up to the cursor, then with another seed, d, B, solver or tolerance",
            ("Ctrl+B",),
        ),
        ActionSpec(
            "run_beside",
            "Run beside it…",
            "Run other algorithms on the same instance with the same seed, and show them side by side",
            ("Ctrl+Shift+B",),
        ),
        ActionSpec(
            "compare", "Compare runs…", "Find the first event in which another run differs from this one", ("Ctrl+D",)
        ),
    ),
    *_in(
        "Run",
        "More seeds",
        ActionSpec("replicate", "Replicate…", "Run more seeds of the shown run in the background", ("Ctrl+K",)),
        ActionSpec(
            "find_failing",
            "Find a failing seed",
            "Look for a seed of the shown run that fails, and open it as a run",
            ("Ctrl+Shift+K",),
        ),
        ActionSpec(
            "sensitivity", "Sensitivity…", "See what one parameter of the form does to τ and success", ("Ctrl+J",)
        ),
    ),
    *_in(
        "View",
        "Truth",
        ActionSpec(
            "hide_truth", "Hide the truth", "Take d⋆, the best arm and all that follows from them out of sight", ("T",)
        ),
        ActionSpec(
            "show_truth", "Show the truth", "Bring d⋆, the best arm and all that follows from them back", ("Shift+T",)
        ),
    ),
    *_in(
        "View",
        "Lists",
        ActionSpec("list_runs", "Runs", "Show the list of all runs of this window", ("Ctrl+L",), checkable=True),
        ActionSpec(
            "debug_design",
            "Design debugger",
            "Examine the design of this round, or of any set of targets and dimension",
            ("Ctrl+Shift+D",),
            checkable=True,
        ),
        ActionSpec("show_log", "Log", "Show what happened in this window, and when", checkable=True),
    ),
    *_in(
        "View",
        "Look",
        ActionSpec("font_larger", "Larger text", "Make all text larger", ("Ctrl++", "Ctrl+="), repeats=True),
        ActionSpec("font_smaller", "Smaller text", "Make all text smaller", ("Ctrl+-",), repeats=True),
        ActionSpec("font_normal", "Normal text", "Give all text its normal size", ("Ctrl+0",)),
        ActionSpec(
            "full_screen", "Full screen", "Let the window fill the screen", ("F11",), "maximise", checkable=True
        ),
    ),
    *_in(
        "View",
        "Views",
        ActionSpec(
            "maximise_view",
            "Maximise view",
            "Let the view with the focus or under the mouse fill the board, or give back the room",
            ("Ctrl+M",),
        ),
        ActionSpec(
            "leave_maximised",
            "Back to all views",
            "Close the welcome page or give back the room of the maximised view; while the run goes on until something "
            "happens, end that",
            ("Esc",),
        ),
        ActionSpec("float_view", "Float view", "Take that view out of the window, or put it back", ("Ctrl+Shift+M",)),
    ),
    *_in(
        "View/Layout",
        "Layouts",
        *(
            ActionSpec(f"layout_{each.name}", each.title, each.tip, (f"Ctrl+{place}",), choice="layout")
            for place, each in enumerate(LAYOUTS.values(), start=1)
        ),
    ),
    *_in(
        "View/Layout",
        "Own layouts",
        ActionSpec("save_layout", "Save layout as…", "Give this arrangement of views a name, to choose it again"),
        ActionSpec("reset_layout", "Reset the layout", "Put all views back where this layout has them"),
    ),
    *_in(
        "View/Theme",
        "Theme",
        ActionSpec("theme_system", "System", "Look as the desktop does", choice="theme"),
        ActionSpec("theme_light", "Light", "Dark text on a light ground", choice="theme"),
        ActionSpec("theme_dark", "Dark", "Light text on a dark ground", choice="theme"),
    ),
    *_in(
        "Experiment",
        "Experiments",
        ActionSpec(
            "experiments",
            "Experiments",
            "Choose, edit and run many trials, and watch what they say",
            ("Ctrl+Shift+X",),
            checkable=True,
        ),
        ActionSpec("experiment_open", "Open specification…", "Open an experiment of your own, a TOML file"),
        ActionSpec("experiment_results", "Open results…", "Show what a folder of results holds, and go on with it"),
        ActionSpec("experiment_save", "Save specification", "Save the specification that is edited to its file"),
        ActionSpec(
            "experiment_save_as", "Save specification as…", "Save the specification that is edited as another file"
        ),
    ),
    *_in(
        "Experiment",
        "Trials",
        ActionSpec("experiment_start", "Start the experiment", "Run the trials that are missing in the folder"),
        ActionSpec(
            "experiment_pause", "Pause the experiment", "Begin no further trial until it goes on", checkable=True
        ),
        ActionSpec("experiment_cancel", "Cancel the experiment", "End it at once; the rows that have come are kept"),
    ),
    *_in(
        "Experiment",
        "Results",
        ActionSpec(
            "experiment_report", "Write report", "Write plots, tables and a page into the folder, and open the page"
        ),
        ActionSpec(
            "experiment_markdown", "Copy tables as Markdown", "Copy the tables of what was measured, for a README"
        ),
        ActionSpec("experiment_csv", "Copy summary as CSV", "Copy every number of the summary, for other programs"),
    ),
    *_in(
        "Talk",
        "Talk",
        ActionSpec(
            "present", "Present", "Tell the story of the shown run on the whole screen, or show it alone", ("F5",)
        ),
        ActionSpec("play_story", "Play the story here", "Let the story play by itself, in the window", ("Shift+F5",)),
    ),
    *_in(
        "Talk",
        "Story",
        ActionSpec("add_moment", "Add this moment", "Add what is shown now to the story of this run", ("M",)),
        ActionSpec(
            "show_talk",
            "Edit the story",
            "Show the moments of this run's story as a list, to edit, order and tell them",
            ("Ctrl+Shift+T",),
            checkable=True,
        ),
    ),
    *_in(
        "Help",
        "Help",
        ActionSpec(
            "help", "Help", "Explain the view or the field that has the focus or is under the mouse", ("F1",), "help"
        ),
        ActionSpec(
            "welcome", "Welcome page", "Show what to begin with: stories, presets, recent files, and where to read on"
        ),
        ActionSpec("how_to_read", "How to read this window", "What the program is and what its views show"),
        ActionSpec("keys", "Keys", "Show the sheet of keys", ("?",), "keys"),
        ActionSpec("whats_this", "What is this?", "Click something to read what it is", ("Shift+F1",)),
        ActionSpec("palette", "Command palette…", "Find anything that can be asked for by its name", ("Ctrl+Shift+P",)),
    ),
    *_in(
        "Help",
        "About",
        ActionSpec("about", "About GEMS Lab", "Versions, licence, how to cite the paper, and a self-test"),
    ),
)
"""Everything, in the order of the menus."""

TOOLBAR = tuple(sorted((act for act in ACTIONS if act.toolbar), key=lambda act: act.toolbar))
"""What has a button in the transport, from left to right."""


def sections(acts: tuple[ActionSpec, ...] = ACTIONS) -> dict[str, list[ActionSpec]]:
    """The acts under the headings of the sheet of keys: those that have a key."""
    found: dict[str, list[ActionSpec]] = {}
    for act in acts:
        if act.keys:
            found.setdefault(act.section, []).append(act)
    return found
