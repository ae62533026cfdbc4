"""`gems report`: make the report of an experiment from its recorded rows."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from gems_engine.commands.command import Command, add_json
from gems_engine.errors import InputError
from gems_engine.terminal import print_document, print_json


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("folder", metavar="FOLDER", help="results of gems experiment, even while it is running")
    parser.add_argument("--markdown", action="store_true", help="print the tables as Markdown; write no files")
    add_json(parser)


def _run(arguments: Namespace) -> int:
    from gems_engine.commands.experiment import results_text
    from gems_engine.experiment.folder import read_results
    from gems_engine.experiment.report import REPORT, markdown, summary_json, write_report

    if arguments.markdown and arguments.json:
        raise InputError("--markdown and --json exclude each other. Omit one of them.")
    results = read_results(arguments.folder)
    for note in results.notes:
        print(note, file=sys.stderr)
    summary = results.measures.summary()
    if arguments.markdown:
        print_document(markdown(summary).strip())
        return 0
    write_report(arguments.folder, results)
    if arguments.json:
        print_json(summary_json(summary))
    else:
        print(results_text(summary, Path(arguments.folder) / REPORT))
    return 0


COMMAND = Command(
    summary="make plots, tables and an HTML page from the results of an experiment",
    example="gems experiment verifiability --trials 1 --jobs 0 -o results && gems report results",
    configure=_configure,
    run=_run,
)
