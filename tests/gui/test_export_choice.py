"""What is chosen in the dialog of exports: the order, and the command line, that it means; without a window."""

import shlex
from argparse import ArgumentParser
from dataclasses import replace

import pytest

from gems_engine.errors import InputError
from gems_gui.commands import render, render_run
from gems_gui.exports.export_choice import (
    ExportChoice,
    Scene,
    count_of,
    look_of,
    preview_look,
    preview_of,
    render_line,
    request_of,
    steps_of,
)
from gems_gui.painting.frames import FrameRange, Look
from gems_gui.snapshot import Selection, Snapshot
from tests.gui.sample_runs import run


@pytest.fixture
def scene():
    trace = run("paper-hard")
    snapshot = Snapshot.of(trace, 90, Selection.of_arm(trace.instance, 3))
    return Scene(snapshot, ("counts", "gaps"), {"counts": {"scale": "log"}, "why": {}}, 1.25)


def test_the_step_that_is_shown(scene):
    order = request_of(ExportChoice(size="800x 600", scale="2", theme="dark"), scene, "a.png")
    assert order.what == FrameRange(90, 90, "round", ("counts", "gaps"), "", scene.snapshot.selection)
    assert order.look == Look((800, 600), 2.0, "dark", 1.25, options={"counts": {"scale": "log"}})
    frame = preview_of(ExportChoice(), scene)
    assert (frame.cursor, frame.views, frame.caption) == (90, ("counts", "gaps"), "")


def test_a_range(scene):
    choice = ExportChoice(
        "gaps", ".mp4", several=True, first="l=2", last=" 100 ", every="event", fps="12,5", captioned=True
    )
    order = request_of(choice, scene, "a.mp4")
    assert order.fps == 12.5
    assert order.look.captions
    assert order.look.options == {}
    assert order.what.caption is None
    assert count_of(order.what, scene.snapshot) == 100 - order.what.first + 1
    whole = steps_of(replace(choice, first="", last=""), scene)
    assert (whole.first, whole.last) == (0, len(scene.snapshot.trace))
    assert "samples" in preview_of(choice, scene).caption
    assert preview_of(replace(choice, words="Mine."), scene).caption == "Mine."


def test_frames_hide_the_truth_where_it_is_hidden(scene):
    hidden = replace(scene, snapshot=replace(scene.snapshot, truth=False))
    job = request_of(ExportChoice(several=True, suffix=".pdf", captioned=True), hidden, "a.pdf").job(hidden.snapshot)
    assert not job.look.truth
    assert scene.snapshot.instance.name not in " ".join([job.title, *(frame.caption for frame in job.frames)])
    shown = request_of(ExportChoice(several=True, suffix=".pdf", captioned=True), scene, "a.pdf").job(hidden.snapshot)
    assert scene.snapshot.instance.name in shown.title


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"size": "12"}, 'The size "12" is not valid'),
        ({"scale": "x"}, 'The scale "x"'),
        ({"fps": "0"}, 'Frames per second "0"'),
        ({"several": True, "first": "soon"}, 'From "soon": write a number of events'),
        ({"several": True, "last": "l=99"}, "To l=99: the run does not reach this position"),
        ({"several": True, "first": "9", "last": "3"}, "forwards"),
    ],
)
def test_what_makes_no_sense(scene, change, said):
    with pytest.raises(InputError, match=said):
        request_of(replace(ExportChoice(), **change), scene, "a.png")


def test_what_is_remembered():
    choice = ExportChoice("gaps", ".gif", "640 × 480", "2", "dark", True, "3", "l=4", "event", "5", True, "Look")
    values = {name: getattr(choice, name) for name in choice.__dataclass_fields__}
    assert ExportChoice.remembered(values) == choice
    assert ExportChoice.remembered({}) == ExportChoice()
    assert ExportChoice.remembered({"suffix": ".jpg", "size": "640 × 480"}) == ExportChoice()
    assert ExportChoice.remembered({"theme": "pink"}) == ExportChoice()
    assert ExportChoice.remembered({"size": 3, "fps": "7", "unheard": 1}) == ExportChoice(fps="7")


@pytest.mark.parametrize(
    "choice",
    [
        ExportChoice(),
        ExportChoice("gaps", ".svg", "640 × 480", "2", "dark"),
        ExportChoice("counts", ".mp4", several=True, first="l=2", every="event", fps="4", captioned=True),
        ExportChoice(suffix=".pdf", several=True, last="60", captioned=True, words="It's “this”"),
    ],
)
def test_the_command_asks_for_the_same(scene, choice):
    """Reading the line as the command does gives the order back."""
    for each in (scene, replace(scene, snapshot=replace(scene.snapshot, truth=False))):
        order = request_of(choice, each, f"a{choice.suffix}")
        line = render_line(choice, each, "my run.gems", f"a{choice.suffix}")
        name, command, *words = shlex.split(line)
        assert (name, command) == ("gems", "render")
        parser = ArgumentParser()
        render.COMMAND.configure(parser)
        arguments = parser.parse_args(words)
        assert (arguments.sources, arguments.output) == (["my run.gems"], f"a{choice.suffix}")
        assert render_run._look(arguments) == order.look
        asked = render_run._asked(arguments, each.snapshot.trace, render_run._views(arguments.view), several=False)
        assert replace(asked, selection=order.what.selection, every=order.what.every) == order.what
        assert asked.selection.arm == order.what.selection.arm
        if choice.several:
            assert asked.every == choice.every
            assert float(arguments.fps) == order.fps


def test_the_preview_of_a_page_arranges_its_views(scene):
    shown = ("board", scene.visible_views, (1280, 400)), ("gaps", scene.visible_views, (640, 400))
    for what, visible, size in (*shown, ("board", (), (1280, 1200))):
        choice = ExportChoice(what, ".html", "640 × 400", "2", several=True, captioned=True)
        seen = replace(scene, visible_views=visible)
        look = preview_look(choice, seen, preview_of(choice, seen))
        assert (look.size, look.scale, look.captions) == (size, 1.0, False)
    choice = ExportChoice(captioned=True)
    assert preview_look(choice, scene, preview_of(choice, scene)) == look_of(choice, scene)


def test_no_command_for_a_target_that_is_no_arm(scene):
    with pytest.raises(InputError, match="The command cannot mark"):
        render_line(
            ExportChoice(), replace(scene, snapshot=replace(scene.snapshot, selection=Selection(None, 2))), "a", "b.png"
        )
