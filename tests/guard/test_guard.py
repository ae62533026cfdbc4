"""The scripts that guard a restructuring still work, and notice a difference."""

import json
from pathlib import Path

import pytest
from PIL import Image

from tests.guard import actions, adapter, hops, metrics, pictures
from tests.gui.conftest import nothing_left_behind, own_look, own_settings  # noqa: F401 - hold here too

ROOT = Path(__file__).parents[2]
ONE = """from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from gems_gui.b.two import A


class A:
    '''Text
    of two lines.'''

    def __init__(self, window):
        self.x = window

    def set_theme(self, theme):
        self.x, self.y = theme, 1  # both
"""
TWO = """from gems_gui.a import one


class A:
    def go(self):
        import os
        return os
"""
HANDLERS = """class B:
    def run(self):
        '''Run.'''
        self._window.work.run()

    def stop(self):
        return self._window.stop()

    def play(self):
        window = self._window
        window.work.play(window.speed + 1)
"""
PACKAGE = {
    "__init__.py": '"""A package."""',
    "a/__init__.py": "",
    "b/__init__.py": "",
    "a/one.py": ONE,
    "b/two.py": TWO,
    "b/handlers.py": HANDLERS,
}


def test_metrics_count_what_their_definitions_say(tmp_path, capsys):
    folder = tmp_path / "gems_gui"
    for name, text in PACKAGE.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    found = metrics.measure(tmp_path)
    assert found["code lines by package"] == {"gems_gui.b": 13, "gems_gui.a": 8, "gems_gui": 0}
    assert found["packages in cycles"] == [["gems_gui.a", "gems_gui.b"]]
    assert found["modules in cycles"] == [["gems_gui.a.one", "gems_gui.b.two"]]
    assert found["mutual pairs of packages"] == ["gems_gui.a ⇄ gems_gui.b"]
    assert [each.split()[1] for each in found["chains through window or interface"]] == [
        "self._window.work.run",
        "window.work.play",
    ]
    assert found["uses of the window"] == 4
    assert found["files that use the window"] == ["gems_gui/b/handlers.py"]
    assert len(found["imports inside functions"]) == 1
    assert sorted(found["attributes reassigned outside __init__"]) == ["gems_gui.a.one.A.x", "gems_gui.a.one.A.y"]
    assert found["class names used twice"] == {"A": ["gems_gui.a.one", "gems_gui.b.two"]}
    assert found["files named handlers.py"] == ["gems_gui/b/handlers.py"]
    assert found["set_theme methods"] == ["gems_gui.a.one.A"]
    assert found["forwarding methods"] == ["gems_gui.b.handlers.B.run", "gems_gui.b.handlers.B.stop"]
    assert found["files over 600 lines"] == []
    metrics.main(["--repo", str(tmp_path), "--json"])
    assert json.loads(capsys.readouterr().out) == found
    metrics.main(["--repo", str(tmp_path)])
    assert "| packages in cycles | 2 (in groups of 2) |" in capsys.readouterr().out


def test_the_modules_of_this_checkout_are_found():
    modules = metrics.read(ROOT)
    known = {each.name for each in modules}
    assert {"gems_gui.window", "gems_gui.views", "gems_gui.series"} <= known
    window = next(each for each in modules if each.name == "gems_gui.window")
    assert len(metrics.imports(window, known)) > 10
    assert metrics.code_lines(window) < window.text.count("\n")


def test_pictures_are_painted_and_compared(qapp, tmp_path, capsys):
    trace = adapter.sample_runs("gems-b")["gems-b"]
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        with adapter.home():
            adapter.save_run(Path("gems-b"), trace)
            pictures.render("gems-b.gems", "-o", str(tmp_path / name / "why.png"), "--view", "why", "--size", "560x360")
    assert pictures.compare(tmp_path / "a", tmp_path / "b") == 0
    with Image.open(tmp_path / "b" / "why.png") as image:
        image.putpixel((5, 6), (1, 2, 3))
        image.save(tmp_path / "b" / "why.png")
    (tmp_path / "a" / "more.png").write_bytes(b"")
    assert pictures.compare(tmp_path / "a", tmp_path / "b") == 1
    said = capsys.readouterr().out
    assert "why.png: 1 pixels differ, in x 5–5, y 6–6" in said
    assert f"more.png: not in {tmp_path / 'b'}" in said


def test_pictures_are_of_the_runs_that_another_commit_recorded(tmp_path, monkeypatch):
    assert pictures.main(["--record", str(tmp_path / "runs")]) == 0
    (tmp_path / "runs" / "gems-b.gems").replace(tmp_path / "runs" / "gems-c.gems")
    (tmp_path / "runs" / "gems-b.gems").write_bytes((tmp_path / "runs" / "sphere.gems").read_bytes())
    painted = []
    monkeypatch.setattr(pictures, "paint_views", lambda folder, runs, only: painted.append((runs, only)))
    assert pictures.main([str(tmp_path / "pictures"), "--runs", str(tmp_path / "runs"), "--only", "why"]) == 0
    ((runs, only),) = painted
    algorithms = {name: trace.started.algorithm for name, trace in runs.items()}
    assert algorithms == {
        "paper-hard": "fixed-confidence",
        "gems-c": "gems-b",
        "gems-b": "fixed-confidence",
        "sphere": "fixed-confidence",
    }
    assert only == "why"


def test_there_is_a_picture_of_every_view_and_layout():
    places = {"sphere": {"early": 1, "middle": 2, "in-round": 3, "end": 4}}
    painted = {view for view, *_ in pictures.view_pictures(places)}
    assert painted == {adapter.BOARD, *adapter.view_names()}
    names = [(view, run, words) for view, run, words, _ in pictures.view_pictures(places)]
    assert len(set(names)) == len(names)


def test_a_window_is_read_painted_and_traced(qapp, tmp_path):
    with adapter.home() as folder, adapter.window((1150, 760)) as driver:
        found = actions.parts(driver, adapter.widget(driver), folder)
        assert adapter.picture(adapter.widget(driver)).width() == 1150
        recorder = hops.record(driver)
    ids = {each["id"]: each for each in found["actions"]}
    assert ids["run"]["keys"] == ["Ctrl+R"]
    assert ids["run"]["enabled"]
    assert not ids["save"]["enabled"]
    assert {f"layout_{each}" for each in pictures.LAYOUTS} == {each for each in ids if each.startswith("layout_")}
    assert "File > Quit [quit]" in found["menus"]
    assert len(found["palette"]) > len(ids)
    said = hops.report(recorder)
    path = hops.hops(recorder.path())
    assert path[0][0] == hops.QT
    assert f"hops on the path: {len(path)}" in said
    assert recorder.in_click["Trace made"] >= 1
    assert recorder.counts["title set"] >= 1
    one = tmp_path / "a.json"
    one.write_text(actions.as_text({"draft": found}), encoding="utf-8")
    assert json.loads(one.read_text(encoding="utf-8")) == {"draft": found}
    other = tmp_path / "b.json"
    other.write_text(one.read_text(encoding="utf-8").replace("Ctrl+R", "Ctrl+U"), encoding="utf-8")
    assert actions.compare(one, one) == 0
    assert actions.compare(one, other) == 1


@pytest.mark.parametrize(("one", "other", "said"), [((4, 4), (4, 4), ""), ((4, 4), (5, 4), "4 × 4 pixels and 5 × 4")])
def test_sizes_of_pictures_are_compared(tmp_path, one, other, said):
    for name, size in (("one.png", one), ("other.png", other)):
        Image.new("RGB", size).save(tmp_path / name)
    assert pictures.difference(tmp_path / "one.png", tmp_path / "other.png") == said
