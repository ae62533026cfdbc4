"""`gems render` and `gems demo` without a display: what they write, and what they refuse."""

import csv
import io
import json
import os
import shlex
import signal
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pypdf
import pytest
from PIL import Image
from PySide6.QtGui import QImage

from gems_engine.cli import Parser, execute
from gems_engine.files import read_run, write_run
from gems_engine.gallery import make
from gems_engine.history import History
from gems_engine.running import Run
from gems_engine.summary import summarise
from gems_engine.verdict import promise_of, verdict_of
from gems_gui.commands import demo, demo_folder, render
from gems_gui.painting.cursor_parser import cursor_at
from gems_gui.painting.frames import Look
from gems_gui.painting.render import PictureSheet, png
from gems_gui.snapshot import Selection, Snapshot
from gems_gui.views import EVERY_VIEW

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def trace():
    return Run(make("paper-hard", d_star=4, epsilon=0.1), "fixed-confidence", 3, base=4, max_samples=50_000).finish()


@pytest.fixture(scope="module")
def budget_trace():
    return Run(make("paper-hard", epsilon=0.3), "fixed-budget", 1, budget=2000).finish()


@pytest.fixture
def here(tmp_path, monkeypatch, trace):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")  # rendering sets it: the fixture puts it back
    write_run("run.gems", trace)
    return tmp_path


@pytest.fixture
def gems(capsys, qapp):
    def run(line, code=0):
        name, *words = shlex.split(line)
        parser = Parser(prog=f"gems {name}")
        command = {"render": render.COMMAND, "demo": demo.COMMAND}[name]
        command.configure(parser)
        parser.set_defaults(execute=command.run)
        assert execute(parser, words) == code
        out, err = capsys.readouterr()
        if code:
            assert err.startswith("gems: ")
            assert len(err.splitlines()) == 1
        return err if code else out

    return run


def pixels(file):
    image = QImage(str(file)).convertToFormat(QImage.Format.Format_RGB32)
    assert not image.isNull()
    data = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4)
    return data[:, : image.width(), :3].copy()


def test_more_seeds_are_run_first_where_they_are_asked_for(gems, here, budget_trace):
    write_run("budget.gems", budget_trace)
    gems("render budget.gems -o tau.csv --view tau --trials 6")
    instance, started = budget_trace.instance, budget_trace.started
    alone = {
        seed: summarise(Run(instance, started.algorithm, seed, **started.parameters).finish()).tau
        for seed in range(2, 8)
    }
    rows = list(csv.DictReader(Path("tau.csv").read_text("utf-8").splitlines()))
    assert {int(row["seed"]): int(float(row["tau"])) if row["tau"] else None for row in rows} == alone
    assert "--trials" in gems("render budget.gems -o tau.csv --view tau --trials 0", code=2)


def test_the_seeds_of_a_race_are_run_first_too(gems, here, trace):
    other = Run(trace.instance, "rage", 3, max_samples=3000).finish()
    write_run("rage.gems", other)
    gems("render run.gems --with rage.gems -o seeds.csv --view seeds --trials 2")
    rows = list(csv.DictReader(Path("seeds.csv").read_text("utf-8").splitlines()))
    assert [(row["run"], row["seed"]) for row in rows] == [("GEMS", "1"), ("GEMS", "2"), ("RAGE", "1"), ("RAGE", "2")]
    for row in rows:
        started = (trace if row["run"] == "GEMS" else other).started
        alone = summarise(Run(trace.instance, started.algorithm, int(row["seed"]), **started.parameters).finish())
        assert (row["right"], row["samples"]) == (str(alone.correct).lower(), str(alone.samples))


# -- render ----------------------------------------------------------------------------------------------------


def test_a_picture_of_a_run(gems, here, trace):
    said = gems("render run.gems -o run.png --size 640x400")
    assert said.startswith("run.png: board of GEMS (fixed confidence) on ")
    assert f"after {len(trace)} of {len(trace)} events" in said
    picture = pixels("run.png")
    assert picture.shape == (400, 640, 3)
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 20


def test_the_options_change_the_picture(gems, here):
    from gems_gui.painting.render import view_names

    lone = next(name for name in view_names() if name != "board")
    pictures = {}
    for name, options in {
        "end": "",
        "start": "--at 0",
        "dark": "--theme dark",
        "view": f"--view {lone}",
        "scaled": "--scale 1.5",
    }.items():
        gems(f"render run.gems -o {name}.png --size 400x300 {options}")
        pictures[name] = pixels(f"{name}.png")
    assert pictures["scaled"].shape == (450, 600, 3)
    for name in ("start", "dark", "view"):
        assert pictures[name].shape == (300, 400, 3)
        assert not np.array_equal(pictures[name], pictures["end"])
    assert pictures["end"].mean() > 200
    assert pictures["dark"].mean() < 80


def test_the_same_picture_twice(gems, here):
    gems("render run.gems -o one.png --size 400x300")
    gems("render run.gems -o two.png --size 400x300")
    assert np.array_equal(pixels("one.png"), pixels("two.png"))


def test_the_columns_of_a_file_can_be_chosen(gems, here):
    rows = [f"item{i},{i % 3},{i % 5},{i * i}" for i in range(8)]
    (here / "shop.csv").write_text("\n".join(["product,a,b,sales", *rows]) + "\n")
    roles = "--name-column product --reward-column sales --scale-rewards"
    gems(f"render shop.csv {roles} --columns b,a --view survivors -o items.csv")
    assert "item7" in (here / "items.csv").read_text()
    gems(f"render run.gems shop.csv {roles} --view survivors -o both.csv")  # a run next to it has its own
    assert gems("render run.gems --scale-rewards -o x.png", 2) == (
        "gems: --scale-rewards applies to an instance. A run has its own.\n"
    )
    refused = gems("render why-model-selection --story --name-column product -o x.pdf", 2)
    assert refused == "gems: --name-column applies to an instance. A story has its own.\n"
    assert "--columns applies to a CSV file of items" in gems("render soare --columns a -o x.png", 2)


def test_instances_and_several_at_once(gems, here):
    said = gems("render run.gems paper-hard:d_star=3,epsilon=0.3 -o each.png --size 300x200")
    assert [line.split(":")[0] for line in said.splitlines()][::2] == ["each-1.png", "each-2.png"]
    trace = read_run("run.gems")
    assert said.splitlines()[1].strip() == verdict_of(trace).sentence(promise=promise_of(trace))
    assert " · theory: τ ≤ " in said.splitlines()[1]
    assert not (here / "each.png").exists()
    assert not np.array_equal(pixels("each-1.png"), pixels("each-2.png"))


def test_every_format(gems, here, trace):
    """What is in the files is checked where formats are; here that the command asks for what was said."""
    for name, options in {
        "a.svg": "--at l=2",
        "a.pdf": "--from 10 --to 14 --every event --caption",
        "a.csv": "--view counts --at 50",
        "a.gif": "--from l=1 --to l=2 --fps 20 --view counts",
        "a.mp4": "--caption 'Look here' --view counts",
        "frames": "--to 12",
    }.items():
        said = gems(f"render run.gems -o {name} --size 400x300 {options}")
        assert said.startswith(f"{name}: ")
    made = ["a.csv", "a.gif", "a.mp4", "a.pdf", "a.svg", "frames", "run.gems"]
    assert sorted(each.name for each in here.iterdir()) == made
    assert len(pypdf.PdfReader("a.pdf").pages) == 5
    rows = Path("a.csv").read_text(encoding="utf-8").splitlines()
    assert [int(row.split(",")[4]) for row in rows[1:]] == trace.state_at(50).counts.tolist()
    history = History(trace)
    history.update()
    rounds = history.stops("round").tolist()
    first, last = cursor_at(trace, "l=1"), cursor_at(trace, "l=2")
    with Image.open("a.gif") as film:
        assert film.n_frames == len({first, last, *(stop for stop in rounds if first < stop < last)})
        assert film.info["duration"] == 50
    with av.open("a.mp4") as film:
        assert film.streams.video[0].frames == len({0, *rounds, len(trace)})
    assert pixels("frames/0001.png").shape == (300, 400, 3)


def test_every_option_reaches_the_picture(gems, here, trace):
    """The same picture as a sheet paints that is told the same."""
    gems(
        "render run.gems -o a.png --size 500x400 --view counts,weights --at 60 --theme dark --text 1.3 --arm x_3 "
        "--hide-truth --caption Words --option counts.scale=log --option weights.order=size"
    )
    options = {"counts": {"scale": "log"}, "weights": {"order": "size"}}
    sheet = PictureSheet(("counts", "weights"), Look((500, 400), 1.0, "dark", 1.3, True, False, options))
    sheet.show(replace(Snapshot.of(trace, 60, Selection.of_arm(trace.instance, 2)), truth=False), "Words")
    assert png(sheet.image()) == Path("a.png").read_bytes()
    sheet.close()


@pytest.mark.parametrize("output", ["film", "film.pdf", "film.mp4", "film.html"])
def test_ctrl_c_is_heard_between_two_frames_and_leaves_nothing(gems, here, monkeypatch, output):
    """A real signal in the midst of painting, where an exception would be Qt's to lose."""
    painted = []
    paint = PictureSheet.paint

    def interrupted(sheet, painter):
        painted.append(sheet)
        if len(painted) == 3:
            signal.raise_signal(signal.SIGINT)
        paint(sheet, painter)

    monkeypatch.setattr(PictureSheet, "paint", interrupted)
    before = signal.getsignal(signal.SIGINT)
    said = gems(f"render run.gems -o {output} --view counts --every event --size 400x300", code=130)
    assert "interrupted" in said
    assert len(painted) == 3
    assert signal.getsignal(signal.SIGINT) is before
    assert [each.name for each in here.iterdir()] == ["run.gems"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("run.gems", "-o"),
        ("run.gems -o run.jpg", "must end in .png, .svg, .pdf, .gif, .mp4"),
        ("run.gems -o run.png --from 5", "contains one picture"),
        ("run.gems -o run.csv", "of one view"),
        ("run.gems -o run.csv --view why", "shows no numbers"),
        ("run.gems -o run.mp4 --size 401x301", "Use 402 × 302"),
        ("run.gems -o run.pdf --from 9 --to 5", "forwards"),
        ("run.gems -o run.pdf --from l=99", "--from l=99: the run does not reach this position"),
        ("run.gems -o run.pdf --every rond", 'did you mean "round"?'),
        ("run.gems -o run.pdf --at 5 --to 9", "one or the other"),
        ("run.gems -o run.gif --fps 0", "--fps"),
        ("run.gems -o run.png --arm x_99", "There is no arm x_99: write a name such as"),
        ("run.gems -o run.png --option order=index", "VIEW.NAME=VALUE"),
        ("run.gems -o run.png --option counts.scale=lg", 'did you mean "log"?'),
        ("run.gems -o run.png --view counts,board", "view"),
        ("run.gems -o run.gems", "must end in"),
        ("run.gems -o nowhere/run.png", "the folder nowhere does not exist"),
        ("missing.gems -o x.png", "There is no file missing.gems"),
        ("paper-hrd -o x.png", "paper-hard"),
        ("broken.gems -o x.png", "broken.gems"),
        ("run.gems -o x.png --size 12", "such as 1600x1000"),
        ("run.gems -o x.png --size 10x10", "at least 200"),
        ("run.gems -o x.png --size 90000x90000", "at most 100 million"),
        ("run.gems -o x.png --size 9000x9000 --scale 2", "the limit is 100 million"),
        ("run.gems -o x.png --scale 0", "--scale"),
        ("run.gems -o x.png --view seeds", "--view seeds needs --trials R, the number of seeds to run."),
        ("run.gems -o x.png --theme pink", '--theme "pink" is not allowed: choose one of light, dark.'),
        ("run.gems -o x.png --view bord", 'did you mean "board"? The views are board, survivors, dimension,'),
        ("run.gems -o x.png --view what-is-it", "The views are board, survivors, dimension,"),
        ("run.gems -o x.html --style paper", "cannot be used for a page to share"),
        ("run.gems -o x.png --style paper --theme dark", "paper is white"),
        ("run.gems -o x.png --style paper --caption", "--caption cannot be used with --style paper"),
        ("run.gems -o x.png --style paper --size 800x600", "such as 3.25x2.2in or 8.5x6cm"),
        ("run.gems -o x.png --size 3.25x2.2in", "such as 1600x1000"),
        ("run.gems -o x.png --style paper --story", "a story is for a talk"),
        ("run.gems -o -", "Add --format with one of png, svg, pdf"),
        ("run.gems -o - --format jpg", '--format "jpg" is not allowed'),
        ("run.gems run.gems -o - --format png", "Name one run"),
        ("run.gems -o x.png --format png", "--format applies to -o -"),
        ("run.gems -o x.png --at 99999", "events. Choose a number from 0 to"),
        ("run.gems -o x.png --at -1", "--at"),
        ("run.gems -o x.png --at soon", "such as l=5,i=1,k=3"),
        ("run.gems -o x.png --at l=99", "its last round is ℓ"),
        ("run.gems -o x.png --at j=2", '"j=2" is not part of a position'),
        ("run.gems -o x.png --at l=1,l=2", '"l=2" is not part of a position'),
    ],
)
def test_bad_words(gems, here, words, said):
    (here / "broken.gems").write_bytes(b"GEMS\0nonsense")
    before = sorted(here.iterdir())
    assert said in gems(f"render {words}", code=2)
    assert sorted(here.iterdir()) == before


def test_the_list_and_the_help_name_every_view_and_option(gems, here):
    listed = gems("render --list")
    assert gems("render --help").endswith(listed)
    lines = listed.splitlines()
    for name, kind in EVERY_VIEW.items():
        (at,) = [number for number, line in enumerate(lines) if line.split()[:1] == [name] and line[2] != " "]
        assert len(lines[at].split()) > 2
        for option, line in zip(kind.options, lines[at + 1 :], strict=False):
            assert line.strip().startswith(f"{option.name}={option.default}")
    found = {each["name"]: each for each in json.loads(gems("render --list --json"))}
    assert list(found) == list(EVERY_VIEW)
    for name, kind in EVERY_VIEW.items():
        assert found[name]["title"] == kind.title
        assert [each["name"] for each in found[name]["options"]] == [each.name for each in kind.options]
    assert "applies to --list" in gems("render paper-hard -o run.png --json", code=2)
    assert "RUN|INSTANCE|STORY|FOLDER is missing" in gems("render", code=2)
    assert "-o/--output is missing" in gems("render paper-hard", code=2)


class _Output(io.StringIO):
    """Standard output as text and bytes, perhaps of a terminal."""

    def __init__(self, terminal=False):
        super().__init__()
        self.buffer = io.BytesIO()
        self.terminal = terminal

    def isatty(self):
        return self.terminal


@pytest.mark.parametrize("form", ["png", "svg", "pdf", "csv"])
def test_standard_output_has_the_same_bytes_as_a_file(gems, here, monkeypatch, form):
    gems(f"render run.gems -o x.{form} --view cost --size 400x300")
    output = _Output()
    monkeypatch.setattr(sys, "stdout", output)
    gems(f"render run.gems -o - --format {form} --view cost --size 400x300")
    assert not output.getvalue()  # what is said about the file is on standard error
    expected = (here / f"x.{form}").read_bytes()
    if form == "pdf":  # its date and its ID differ
        assert len(pypdf.PdfReader(output.buffer).pages) == 1
    else:
        assert output.buffer.getvalue() == expected


def test_a_terminal_gets_no_bytes_that_it_cannot_show(gems, here, monkeypatch):
    monkeypatch.setattr(sys, "stdout", _Output(terminal=True))
    assert "A terminal cannot show a png file." in gems("render run.gems -o - --format png", code=2)


def test_at_a_number_of_events(trace):
    assert cursor_at(trace, None) == len(trace)
    for cursor in (0, 17, len(trace)):
        assert cursor_at(trace, str(cursor)) == cursor


@pytest.mark.parametrize("letters", [("l", "i", "k"), ("ℓ", "i", "k")])
def test_at_the_end_of_every_place(trace, letters):
    places = [(event.place.ell, event.place.i, event.place.k) for event in trace]
    for depth in (1, 2, 3):
        wanted = {place[:depth] for place in places if all(place[:depth])}
        assert len(wanted) > 2
        for place in wanted:
            text = ",".join(f"{letter}={value}" for letter, value in zip(letters, place, strict=False))
            last = max(at for at, each in enumerate(places) if each[:depth] == place)
            assert cursor_at(trace, text) == last + 1


def test_the_letters_of_a_fixed_budget_run(budget_trace):
    place = budget_trace[int(budget_trace.round_starts[-1])].place
    cursor = cursor_at(budget_trace, f"i={place.ell}, j={place.i}, k={place.k}")
    assert budget_trace.state_at(cursor).round_place == place
    assert budget_trace[cursor].place != place


# -- demo ------------------------------------------------------------------------------------------------------


def test_folders_are_new_or_empty(tmp_path):
    wanted = tmp_path / "deep" / "gems-demo"
    assert demo_folder.new_folder(wanted) == wanted
    assert demo_folder.new_folder(wanted) == wanted  # still empty
    (wanted / "mine.txt").write_text("mine")
    (tmp_path / "deep" / "gems-demo-2").write_text("a file")
    assert demo_folder.new_folder(wanted) == tmp_path / "deep" / "gems-demo-3"
    assert (wanted / "mine.txt").read_text() == "mine"


def test_a_folder_that_cannot_be_made(gems, here):
    (here / "file").write_text("")
    assert "Choose another with --output" in gems("demo --no-window --output file/demo", code=2)


@pytest.mark.long  # .ci/run does it too, in the environment of a user
def test_demo_without_a_display_in_a_process_of_its_own(tmp_path):
    """No display, no settings: words, pictures, summary and run in a folder, and code 0."""
    code = "import sys; from gems_gui.commands.demo import COMMAND as c; from gems_engine.cli import *; " + (
        "p = Parser(); c.configure(p); p.set_defaults(execute=c.run); sys.exit(execute(p, []))"
    )
    clean = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    (tmp_path / "gems-demo").mkdir()
    (tmp_path / "gems-demo" / "foreign.txt").write_text("keep")
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", cwd=tmp_path, env=clean
    )
    assert answer.returncode == 0, answer.stderr
    assert answer.stderr == ""
    assert os.listdir(tmp_path / "gems-demo") == ["foreign.txt"]
    folder = tmp_path / "gems-demo-2"
    assert sorted(os.listdir(folder)) == ["run.gems", "story", "summary.json", "summary.txt"]
    trace = read_run(folder / "run.gems")
    pictures = sorted(os.listdir(folder / "story"))
    assert pictures == [f"{number:04}.png" for number in range(1, len(trace.story.moments) + 1)]
    seen = [pixels(folder / "story" / name) for name in pictures]
    assert {each.shape for each in seen} == {(900, 1600, 3)}
    assert not any(np.array_equal(one, other) for one, other in pairwise(seen))
    facts = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    assert facts["correct"] is True
    assert facts["trajectory"] == json.loads(json.dumps(summarise(trace).as_dict()))["trajectory"]
    text = (folder / "summary.txt").read_text(encoding="utf-8")
    assert answer.stdout.startswith(text)
    assert "RAGE in R¹⁰" in text
    assert f"is in gems-demo-2/story: {len(pictures)} pictures." in answer.stdout
