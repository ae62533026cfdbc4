"""`gems render`: pictures, films and tables of runs, made without a display."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from pathlib import Path

from gems_engine.commands.command import Command, add_items, items_of, real, whole
from gems_engine.errors import InputError
from gems_engine.plugins import PluginGroup
from gems_engine.talk.shipped import SHIPPED
from gems_gui.commands.arguments import WHAT_HAPPENED, export_file, refuse
from gems_gui.commands.render_list import add_to_help, list_views
from gems_gui.commands.standard_output import STDOUT, check_stdout, export_path
from gems_gui.painting.limits import MOST_FPS
from gems_gui.painting.offscreen import start_painting
from gems_gui.painting.picture_size import PAPER_SIZES
from gems_gui.painting.rows import BOARD
from gems_gui.start_checks import painting_obstacle


def _configure(parser: ArgumentParser) -> None:
    add_to_help(parser)
    parser.add_argument(
        "sources",
        metavar="RUN|INSTANCE|STORY|FOLDER",
        nargs="*",
        help="a run (.gems); an instance to run GEMS (fixed confidence) on, a file or paper-hard:d_star=9; or with "
        "--story a built-in story by its name; or a folder of results of gems experiment, for its plots",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="a picture (.png, .svg, .pdf), what one view plots (.csv), a film (.gif, .mp4), a page for each step "
        "(.pdf), one page to share with everything (.html), or a new folder of numbered pictures (no suffix); of "
        "several runs: FILE-1.png, FILE-2.png, …; - for standard output, with --format",
    )
    parser.add_argument("--format", metavar="FORMAT", help="format of -o -: png, svg, pdf, csv, gif, mp4 or html")
    parser.add_argument("--list", action="store_true", help="list the views with their options, and exit")
    parser.add_argument("--json", action="store_true", help="with --list: print JSON instead of text")
    parser.add_argument(
        "--view",
        default=BOARD,
        metavar="NAME",
        help="a view, or several as in why,gaps (default: the board); of an experiment, a plot such as success "
        "(default: all, one per file)",
    )
    parser.add_argument(
        "--with",
        dest="beside",
        action="append",
        metavar="RUN",
        help="another run of the same instance for the views compare, compare-table and compare-counts, up to three; "
        "or of any instance for the view difference",
    )
    parser.add_argument(
        "--at", metavar="STEP", help="a number of events, or a position as in l=5,i=1,k=3 (default: the end)"
    )
    parser.add_argument("--from", dest="first", metavar="STEP", help="first of several steps (default: the start)")
    parser.add_argument("--to", dest="last", metavar="STEP", help="last of several steps (default: the end)")
    parser.add_argument(
        "--every", metavar="UNIT", help="one picture for each event, round, subroutine or loop (default: round)"
    )
    parser.add_argument(
        "--size",
        metavar="WxH",
        help="size of the picture in pixels before --scale (default: 1600x1000; for a story 1920x1080; in a page, of "
        "each view: 640x400); on paper in inches or centimetres, such as 3.25x2.2in or 8.5x6cm, or one of "
        f"{', '.join(PAPER_SIZES)}; plots of an experiment have this width, and the height that they need",
    )
    parser.add_argument(
        "--style",
        choices=["window", "paper"],
        default="window",
        help="paper for figures of articles: no card, title or subtitle, text of 7 to 9 pt, complete legends, roles "
        "told apart by hatches and markers, too (default: window)",
    )
    parser.add_argument("--svg-text", action="store_true", help="keep text in an SVG as text, not as outlines")
    parser.add_argument(
        "--theme", choices=["light", "dark"], default="light", help="theme of the pictures (default: light)"
    )
    parser.add_argument(
        "--scale", metavar="S", help="multiply the pixels in each direction (default: 1; on paper 3.125: 300 dpi)"
    )
    parser.add_argument("--fps", metavar="F", help="frames per second of a film (default: 10)")
    parser.add_argument(
        "--caption",
        nargs="?",
        const=WHAT_HAPPENED,
        metavar="WORDS",
        help="add a caption under each picture: this text (placeholders such as {samples} are filled only in stories), "
        "or by default what has happened",
    )
    parser.add_argument(
        "--story",
        nargs="?",
        const="",
        metavar="N",
        help="the story of the run, or its moment N: pictures and captions as in a talk",
    )
    parser.add_argument(
        "--trials", metavar="R", help="first run R more seeds, for the views replicates, tau and seeds (up to 10000)"
    )
    parser.add_argument("--text", metavar="S", help="scale of all text (default: 1)")
    parser.add_argument("--arm", metavar="ARM", help="mark this arm in every view, by label or index: x_3 or 2")
    parser.add_argument(
        "--hide-truth", action="store_true", help="hide d⋆, the best arm and everything that reveals them"
    )
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="VIEW.NAME=VALUE",
        help="set an option of a view, as in survivors.order=index",
    )
    add_items(parser)


def _run(arguments: Namespace) -> int:
    if arguments.list:
        list_views(arguments.json)
        return 0
    _require(arguments)
    fps = real(arguments.fps, 10.0, "--fps", 0.0, MOST_FPS)
    trials = None if arguments.trials is None else whole(arguments.trials, 1, "--trials", 1, 10_000)
    if arguments.output == STDOUT:
        check_stdout(arguments.format, len(arguments.sources))
    elif arguments.format is not None:
        raise InputError("--format applies to -o -. The name of a file determines its format.")
    else:
        export_file(arguments.output)
    if obstacle := painting_obstacle():
        return refuse(obstacle)
    start_painting()
    with export_path(arguments.output, arguments.format) as output:
        if any(map(os.path.isdir, arguments.sources)):
            _refuse_items(arguments, "A folder of results has")
            return _experiment(arguments, output)
        if arguments.story is None and output.suffix.lower() == ".html" and set(arguments.sources) <= set(SHIPPED):
            arguments.story = ""  # the name of a story says that it is one
        if arguments.story is not None:
            _refuse_items(arguments, "A story has")
            from gems_gui.commands.render_story import render_story  # imports Qt, only after the checks

            return render_story(arguments, output, fps)
        from gems_gui.commands.render_run import is_run, render_runs  # imports Qt, only after the checks

        if all(map(is_run, (*arguments.sources, *(arguments.beside or ())))):
            _refuse_items(arguments, "A run has")
        return render_runs(arguments, output, fps, trials, items_of(arguments))


def _refuse_items(arguments: Namespace, has: str) -> None:
    """Raise an InputError if options of an instance are given for something else."""
    if given := items_of(arguments).given():
        flag = next(iter(given)).replace("_", "-")
        raise InputError(f"--{flag} applies to an instance. {has} its own.")


def _require(arguments: Namespace) -> None:
    """Raise an InputError if an argument is missing that only --list does without."""
    if arguments.json:
        raise InputError("--json applies to --list. What is rendered is in the file of -o.")
    for name, given in (("RUN|INSTANCE|STORY|FOLDER", arguments.sources), ("-o/--output", arguments.output)):
        if not given:
            raise InputError(f"{name} is missing. See gems render --help.")


def _experiment(arguments: Namespace, output: Path) -> int:
    from gems_engine.experiment.folder import holds_results  # imports the engine, only after the checks
    from gems_gui.commands.render_experiment import render_experiment  # imports Qt, only after the checks

    folder, *others = arguments.sources
    if others:
        raise InputError("A folder of results is rendered alone. Name one folder.")
    if not holds_results(folder):
        raise InputError(f"{folder} has no results of an experiment. Make them with gems experiment.")
    return render_experiment(arguments, Path(folder), output)


COMMAND = Command(
    summary="export a run as a picture, film, pages, a page to share or a table; needs no display",
    example="gems render paper-hard:epsilon=0.1 -o run.png",
    configure=_configure,
    run=_run,
    groups=(
        PluginGroup(
            "gems.views",
            "view",
            "gems_gui.views:plugin_views",
            "gems_gui.commands.view_contract:check_view",
            "gems_gui.views:taken_names",
        ),
    ),
)
