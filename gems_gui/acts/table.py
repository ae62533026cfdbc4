"""The one table of everything that a menu, a button or a key can do, without Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gems_gui.board.layouts import LAYOUTS


@dataclass(frozen=True)
class Act:
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


def _in(menu: str, section: str, *acts: Act) -> tuple[Act, ...]:
    return tuple(replace(act, menu=menu, section=section) for act in acts)


MENUS = ("File", "Edit", "Run", "View", "Experiment", "Talk", "Help")
"""The menus in their order."""

ACTS: tuple[Act, ...] = (
    *_in(
        "File",
        "Files",
        Act("new_instance", "New instance", "Begin an instance of your own with a small table", ("Ctrl+N",)),
        Act("open", "Open…", "Open instances or recorded runs", ("Ctrl+O",), "open"),
        Act("save", "Save run…", "Save the run that is shown as a .gems file", ("Ctrl+S",), "save"),
        Act(
            "save_instance",
            "Save instance",
            "Save the instance of the form; one that was opened and edited goes to its file",
            ("Ctrl+Shift+S",),
        ),
        Act("save_instance_as", "Save instance as…", "Save the instance of the form as another file"),
        Act(
            "export", "Export…", "Write pictures, a film, pages or the plotted numbers to a file", ("Ctrl+E",), "export"
        ),
    ),
    *_in(
        "File",
        "Designs",
        Act("certify_weights", "Certify weights…", "Load weights of your own and see what is proven about them"),
        Act(
            "save_problem",
            "Save design problem…",
            "Save what the design debugger examines as a file that gems design and gems certify read",
        ),
        Act("save_weights", "Save design weights…", "Save the weights that the design debugger shows"),
        Act(
            "save_certificate",
            "Save certificate…",
            "Save the weights that the design debugger shows with both bounds and their proof, to be checked by anyone",
        ),
    ),
    *_in("File", "Program", Act("quit", "Quit", "Close the window and end the engine", ("Ctrl+Q",))),
    *_in(
        "Edit",
        "Undo",
        Act(
            "undo",
            "Undo",
            "Take the last change of the form, the removal of a run, or a step in the design debugger back",
            ("Ctrl+Z",),
            "undo",
            repeats=True,
        ),
        Act(
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
        Act("edit_table", "Edit table", "Edit arms, targets and rewards by hand", ("Ctrl+T",), checkable=True),
    ),
    *_in(
        "Edit",
        "Design",
        Act(
            "improve_weights", "Improve weights", "Take one step to better weights in the design debugger", ("Ctrl+I",)
        ),
    ),
    *_in("Edit", "Form", Act("revert", "Revert the form", "Put what the shown run was started with into the form")),
    *_in(
        "Edit",
        "Copy",
        Act(
            "copy_command", "Copy as command", "Copy the command that repeats the shown run", ("Ctrl+Shift+C",), "copy"
        ),
        Act(
            "copy_picture", "Copy picture", "Put a picture of the views in sight into the clipboard", ("Ctrl+Shift+E",)
        ),
    ),
    *_in(
        "Run",
        "Engine",
        Act("run", "Run", "Start the engine on the form and play from its start", ("Ctrl+R",), "run", toolbar=7),
        Act(
            "auto_run",
            "Auto-run",
            "Compute every change of the form at once and show it at the same place",
            ("Ctrl+Shift+R",),
            checkable=True,
        ),
        Act(
            "hold",
            "Hold the engine",
            "Let the engine wait at the next event",
            ("H",),
            "hold",
            checkable=True,
            toolbar=8,
        ),
        Act(
            "run_to_end",
            "Run to the end",
            "Compute up to the cap without waiting for the cursor, which follows",
            ("Ctrl+Return", "Ctrl+Enter"),
            "run_to_end",
            checkable=True,
        ),
        Act("stop", "Stop", "End the engine at once and keep what it has computed", ("Ctrl+.",), "stop", toolbar=9),
    ),
    *_in(
        "Run",
        "Play",
        Act("play", "Play", "Play or pause", ("Space",), "play", toolbar=3),
        Act(
            "live",
            "Live",
            "Follow the newest event while the engine runs as fast as it can",
            ("L",),
            "live",
            checkable=True,
            toolbar=6,
            label="live",
        ),
        Act("slower", "Slower", "Play fewer rounds per second", ("[",), "slower", repeats=True),
        Act("faster", "Faster", "Play more rounds per second", ("]",), "faster", repeats=True),
        Act("repeat", "Repeat", "Play from the start again when the end has come", (), "loop", checkable=True),
    ),
    *_in(
        "Run",
        "Step forward",
        Act("event_forward", "Next event", "Show one more event", ("Right",), "forward", repeats=True, toolbar=4),
        Act(
            "round_forward", "Next round", "Go to the end of this round or of the next", ("Shift+Right",), repeats=True
        ),
        Act(
            "subroutine_forward",
            "Next subroutine",
            "Go to where the next subroutine begins",
            ("Ctrl+Right",),
            repeats=True,
        ),
        Act("loop_forward", "Next loop ℓ", "Go to where the next ℓ begins", ("Alt+Right",), repeats=True),
        Act("last", "Newest event", "Go to the newest event", ("End",), "last", toolbar=5),
    ),
    *_in(
        "Run",
        "Step back",
        Act("event_back", "Previous event", "Show one event less", ("Left",), "back", repeats=True, toolbar=2),
        Act("round_back", "Previous round", "Go back to the end of the round before", ("Shift+Left",), repeats=True),
        Act(
            "subroutine_back",
            "Previous subroutine",
            "Go back to where this subroutine began",
            ("Ctrl+Left",),
            repeats=True,
        ),
        Act("loop_back", "Previous loop ℓ", "Go back to where this ℓ began", ("Alt+Left",), repeats=True),
        Act("first", "Start", "Go before the first event", ("Home",), "first", toolbar=1),
    ),
    *_in(
        "Run",
        "Go",
        Act("go_to", "Go to ℓ, i, k…", "Go to where a loop, a subroutine or a round begins", ("Ctrl+G",), "goto"),
        Act("run_until", "Run until…", "Choose what the run goes on until, or goes back to", ("U",)),
        Act(
            "until_forward",
            "Until it happens again",
            "Run until the same happens the next time, with the engine where it has to compute",
            ("F3",),
            repeats=True,
        ),
        Act(
            "until_back", "Back to where it happened", "Go back to where the same happened", ("Shift+F3",), repeats=True
        ),
        Act("stop_waiting", "Stop running until it happens", "Stop at this place (Esc)"),
    ),
    *_in(
        "Run",
        "Runs",
        Act(
            "branch",
            "Branch from here…",
            "Run it again up to the cursor, then with another seed, d, B, solver or tolerance",
            ("Ctrl+B",),
        ),
        Act(
            "run_beside",
            "Run beside it…",
            "Run other algorithms on the same instance with the same seed, and show them side by side",
            ("Ctrl+Shift+B",),
        ),
        Act("compare", "Compare runs…", "Find the first event in which another run differs from this one", ("Ctrl+D",)),
    ),
    *_in(
        "Run",
        "More seeds",
        Act("replicate", "Replicate…", "Run more seeds of the shown run in the background", ("Ctrl+K",)),
        Act(
            "find_failing",
            "Find a failing seed",
            "Look for a seed of the shown run that fails, and open it as a run",
            ("Ctrl+Shift+K",),
        ),
        Act("sensitivity", "Sensitivity…", "See what one parameter of the form does to τ and success", ("Ctrl+J",)),
    ),
    *_in(
        "View",
        "Truth",
        Act(
            "hide_truth", "Hide the truth", "Take d⋆, the best arm and all that follows from them out of sight", ("T",)
        ),
        Act("show_truth", "Show the truth", "Bring d⋆, the best arm and all that follows from them back", ("Shift+T",)),
    ),
    *_in(
        "View",
        "Lists",
        Act("list_runs", "Runs", "Show the list of all runs of this window", ("Ctrl+L",), checkable=True),
        Act(
            "debug_design",
            "Design debugger",
            "Examine the design of this round, or of any set of targets and dimension",
            ("Ctrl+Shift+D",),
            checkable=True,
        ),
        Act("show_log", "Log", "Show what happened in this window, and when", checkable=True),
    ),
    *_in(
        "View",
        "Look",
        Act("font_larger", "Larger text", "Make all text larger", ("Ctrl++", "Ctrl+="), repeats=True),
        Act("font_smaller", "Smaller text", "Make all text smaller", ("Ctrl+-",), repeats=True),
        Act("font_normal", "Normal text", "Give all text its normal size", ("Ctrl+0",)),
        Act("full_screen", "Full screen", "Let the window fill the screen", ("F11",), "maximise", checkable=True),
    ),
    *_in(
        "View",
        "Views",
        Act(
            "maximise_view",
            "Maximise view",
            "Let the view with the focus or under the mouse fill the board, or give back the room",
            ("Ctrl+M",),
        ),
        Act(
            "leave_maximised",
            "Back to all views",
            "Close the welcome page or give back the room of the maximised view; while the run goes on until something "
            "happens, end that",
            ("Esc",),
        ),
        Act("float_view", "Float view", "Take that view out of the window, or put it back", ("Ctrl+Shift+M",)),
    ),
    *_in(
        "View/Layout",
        "Layouts",
        *(
            Act(f"layout_{each.name}", each.title, each.tip, (f"Ctrl+{place}",), choice="layout")
            for place, each in enumerate(LAYOUTS.values(), start=1)
        ),
    ),
    *_in(
        "View/Layout",
        "Own layouts",
        Act("save_layout", "Save layout as…", "Give this arrangement of views a name, to choose it again"),
        Act("reset_layout", "Reset the layout", "Put all views back where this layout has them"),
    ),
    *_in(
        "View/Theme",
        "Theme",
        Act("theme_system", "System", "Look as the desktop does", choice="theme"),
        Act("theme_light", "Light", "Dark text on a light ground", choice="theme"),
        Act("theme_dark", "Dark", "Light text on a dark ground", choice="theme"),
    ),
    *_in(
        "Experiment",
        "Experiments",
        Act(
            "experiments",
            "Experiments",
            "Choose, edit and run many trials, and watch what they say",
            ("Ctrl+Shift+X",),
            checkable=True,
        ),
        Act("experiment_open", "Open specification…", "Open an experiment of your own, a TOML file"),
        Act("experiment_results", "Open results…", "Show what a folder of results holds, and go on with it"),
        Act("experiment_save", "Save specification", "Save the specification that is edited to its file"),
        Act("experiment_save_as", "Save specification as…", "Save the specification that is edited as another file"),
    ),
    *_in(
        "Experiment",
        "Trials",
        Act("experiment_start", "Start the experiment", "Run the trials that are missing in the folder"),
        Act("experiment_pause", "Pause the experiment", "Begin no further trial until it goes on", checkable=True),
        Act("experiment_cancel", "Cancel the experiment", "End it at once; the rows that have come are kept"),
    ),
    *_in(
        "Experiment",
        "Results",
        Act("experiment_report", "Write report", "Write plots, tables and a page into the folder, and open the page"),
        Act("experiment_markdown", "Copy tables as Markdown", "Copy the tables of what was measured, for a README"),
        Act("experiment_csv", "Copy summary as CSV", "Copy every number of the summary, for other programs"),
    ),
    *_in(
        "Talk",
        "Talk",
        Act("present", "Present", "Tell the story of the shown run on the whole screen, or show it alone", ("F5",)),
        Act("play_story", "Play the story here", "Let the story play by itself, in the window", ("Shift+F5",)),
    ),
    *_in(
        "Talk",
        "Story",
        Act("add_moment", "Add this moment", "Add what is shown now to the story of this run", ("M",)),
        Act(
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
        Act("help", "Help", "Explain the view or the field that has the focus or is under the mouse", ("F1",), "help"),
        Act("welcome", "Welcome page", "Show what to begin with: stories, presets, recent files, and where to read on"),
        Act("how_to_read", "How to read this window", "What the program is and what its views show"),
        Act("keys", "Keys", "Show the sheet of keys", ("?",), "keys"),
        Act("whats_this", "What is this?", "Click something to read what it is", ("Shift+F1",)),
        Act("palette", "Command palette…", "Find anything that can be asked for by its name", ("Ctrl+Shift+P",)),
    ),
    *_in("Help", "About", Act("about", "About GEMS Lab", "Versions, licence, how to cite the paper, and a self-test")),
)
"""Everything, in the order of the menus."""

TOOLBAR = tuple(sorted((act for act in ACTS if act.toolbar), key=lambda act: act.toolbar))
"""What has a button in the transport, from left to right."""


def sections(acts: tuple[Act, ...] = ACTS) -> dict[str, list[Act]]:
    """The acts under the headings of the sheet of keys: those that have a key."""
    found: dict[str, list[Act]] = {}
    for act in acts:
        if act.keys:
            found.setdefault(act.section, []).append(act)
    return found
