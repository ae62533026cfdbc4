"""Every reader of files from outside, each with real files to start with."""

import contextlib
import io
import json
import os
import shlex
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

from gems_engine.certificate_check import check_certificate
from gems_engine.cli import Parser
from gems_engine.commands import commands
from gems_engine.errors import InputError
from gems_engine.experiment.folder import parse_beside
from gems_engine.experiment.rows import Session, parse_line, row_line, session_line
from gems_engine.experiment.trials import Row
from gems_engine.files import read_run
from gems_engine.formats import certificate_format, csv_format, json_format, npz_format, story_format, weights
from gems_engine.gallery import make, make_from_spec
from gems_engine.instance import Instance
from gems_engine.summary import summarise
from gems_engine.talk.bound_story import BoundStory
from gems_gui.settings import Settings
from gems_gui.settings_store import settings_file
from gems_gui.theme import CHOICES
from tests.engine.certificates import by_hand
from tests.engine.hard_problems import make as make_hard

ROOT = Path(__file__).parents[2]
SMALL = [
    make("paper-hard", d_star=2),
    make("transductive", D=3, d_star=2, n=3),
    make("misspecified", D=3, n=4, d_star=2),
]
THIRDS = np.full(3, 1 / 3)


def _instance(instance):
    assert np.isfinite(instance.gaps).all()
    assert len(instance.assumptions()) == 6


def json_instance(data):
    _instance(json_format.from_json(data, "name", "file"))


def npz_instance(data):
    _instance(npz_format.from_npz(io.BytesIO(data), "name", "file"))


def csv_instance(data):
    items = csv_format.read_items(data)
    for how in csv_format.FEATURES:
        _instance(Instance.from_rewards(csv_format.transform(items.features, how, True), items.rewards))


def json_weights(data):
    assert weights.checked(weights.weights_from_json(data), 3).shape == (3,)


def npz_weights(data):
    assert weights.checked(weights.weights_from_npz(io.BytesIO(data)), 3).shape == (3,)


def npy_weights(data):
    assert weights.checked(weights.weights_from_npy(data), 3).shape == (3,)


def csv_weights(data):
    assert weights.checked(weights.weights_from_csv(data, 3, ["a", "b", "c"]), 3).shape == (3,)


def certificate(data):
    """As `gems certify --check` reads it: a certificate, which may hold or not."""
    verdict = check_certificate(certificate_format.from_json(data))
    assert verdict.holds == (verdict.failure is None)


@cache
def _folder():
    return tempfile.TemporaryDirectory(prefix="gems-fuzz-")


def run_file(data):
    """As a person opens it: the file with its story, the state at a few places, the summary."""
    path = Path(_folder().name, "runs", "run.gems")
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    trace = read_run(path)
    for cursor in (0, len(trace) // 2, len(trace)):
        trace.state_at(cursor)
    json.dumps(summarise(trace).as_dict())
    assert [each.name for each in path.parent.iterdir()] == ["run.gems"]  # a file writes nothing


def story(data):
    """As a run with it is opened: with the cursor, the caption and the duration of each moment."""
    bound = BoundStory(_told(), story_format.from_json(data, []))
    for at in range(len(bound)):
        bound.state(at)
        with contextlib.suppress(InputError):  # a placeholder has no meaning in this run
            assert bound.seconds(at, lookup=lambda *_: None) > 0


@cache
def _told():
    return read_run(ROOT / "tests" / "data" / "runs" / "version-2-fixed-budget.gems")


def experiment(data):
    """As a command reads it: with the instances next to it, and every cell looked at as its first trial would."""
    specification = parse_beside(data.decode("utf-8", "replace"), "fuzzed", _instances_beside())
    assert specification.trial(len(specification) - 1).index == len(specification) - 1


@cache
def _instances_beside():
    folder = Path(_folder().name, "experiment")
    folder.mkdir()
    (folder / "mine.json").write_bytes(json_format.to_json(SMALL[0]))
    return folder


def row(data):
    assert isinstance(parse_line(data.split(b"\n")[0], 1), Row | Session)


def spec(data):
    _instance(make_from_spec(data.decode("utf-8", "replace")))


@cache
def _parser():
    parser = Parser(prog="gems")
    choices = parser.add_subparsers()
    for name, command in commands().items():
        command.configure(choices.add_parser(name))
    return parser


def command_line(data):
    """Words that the parser takes or refuses with a line; nothing is run."""
    try:
        words = shlex.split(data.decode("utf-8", "replace"))
    except ValueError:  # a shell would not take it either
        return
    try:
        _parser().parse_args([word for word in words if word not in ("-h", "--help")])
    except SystemExit as end:
        if end.code != 2:
            raise


def settings(data):
    """As the window reads them; nothing in them runs, and every one of them makes sense."""
    folder = Path(_folder().name, "config")
    os.environ["XDG_CONFIG_HOME"] = str(folder)
    file = settings_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    read = Settings()
    assert read.theme in CHOICES
    assert 0.5 < read.font_scale < 3
    assert all(isinstance(path, str) for path in (*read.recent(), *read.recent_experiments(), *read.layouts()))
    assert all(isinstance(chosen, dict) for chosen in (read.export_choice(), *read.view_options().values()))
    assert read.bytes_of("board").size() < 2**20


def _stories():
    found = [read_run(path).story for path in sorted((ROOT / "assets" / "stories").glob("*.gems"))]
    return [story_format.to_json(each) for each in found if not each.companions]


_SPECS = [
    "paper-hard:d_star=9,epsilon=0.01",
    "sphere:D=8,d_star=3,n=20,seed=3",
    "soare:D=4,omega=0.3",
    "multivariate:m=3",
]


def _npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


_OWN_EXPERIMENT = b"""
trials = 20
[[instance]]
file = "mine.json"
[[algorithm]]
name = "rage"
delta = [0.1, 0.05]
[stop]
samples = 10000
"""
_SETTINGS = {
    "version": 1,
    "theme": "dark",
    "font_scale": 1.21,
    "recent": ["/tmp/one.json", "/tmp/two.gems"],
    "layouts": {"mine": "AAAA/w=="},
    "view_options": {"survivors": {"scope": "run"}},
    "export": {"suffix": ".png", "size": [1600, 1000]},
    "board": "AAAA/w==",
    "welcome": False,
}
_ROW = Row(3, "sphere:D=8", "rage", 5, True, 2, 1000, 900, 800, 1, 7, 900, "budget spent", "", 0.5, 0.4, 1, "here")

READERS = {
    json_instance: lambda: [json_format.to_json(each) for each in SMALL],
    npz_instance: lambda: [npz_format.to_npz(each) for each in SMALL],
    csv_instance: lambda: [csv_format.to_csv(SMALL[0]), csv_format.to_csv(SMALL[2])],
    json_weights: lambda: [weights.to_bytes(".json", THIRDS)],
    npz_weights: lambda: [weights.to_bytes(".npz", THIRDS)],
    npy_weights: lambda: [_npy(THIRDS)],
    csv_weights: lambda: [weights.to_bytes(".csv", THIRDS)],
    certificate: lambda: [
        certificate_format.to_json(by_hand(make_hard(kind, 0))) for kind in ("duplicates", "quotients")
    ],
    run_file: lambda: [path.read_bytes() for path in sorted((ROOT / "tests" / "data").glob("[rs]*s/*.gems"))],
    story: _stories,
    experiment: lambda: [
        _OWN_EXPERIMENT,
        *(path.read_bytes() for path in sorted((ROOT / "gems_engine" / "experiment" / "built_in").glob("*.toml"))),
    ],
    row: lambda: [row_line(_ROW), session_line(Session("e", "d", 3, 0, 10, "2 processes", "2026-01-01T00:00:00"))],
    spec: lambda: [each.encode() for each in _SPECS],
    settings: lambda: [json.dumps(_SETTINGS).encode()],
    command_line: lambda: [command.example.removeprefix("gems ").encode() for command in commands().values()],
}
"""Each reader, and what makes real things for it."""
