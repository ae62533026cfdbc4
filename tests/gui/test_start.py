"""Starting the program where it can, and refusing in one sentence where it cannot, before Qt aborts."""

import os
import shlex
import signal
import socket
import struct
import subprocess
import sys
import threading
import tomllib
from contextlib import contextmanager, nullcontext
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QColor, QIcon
from PySide6.QtWidgets import QApplication, QMainWindow

from gems_engine import self_test
from gems_engine.cli import Parser, execute, help_around, main
from gems_gui import start_checks
from gems_gui.assets import asset
from gems_gui.commands import demo as demo_command
from gems_gui.commands import window as window_command
from gems_gui.start_checks import (
    PAINTING,
    PLATFORMS,
    display_available,
    missing_packages,
    painting_obstacle,
    window_obstacle,
)

ROOT = Path(__file__).parents[2]
EXAMPLES = {
    "demo": ([((), "race", True, None)], []),
    "doctor": ([], []),
    "render": ([], ["run.png"]),
    "stories": ([], []),
    "window": ([((), "paper-hard", True, None)], []),
}
"""Commands that need Qt: how their examples ask for a window, and the files that they write."""


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """A folder that declares the project's entry points, so that a checkout behaves as an installation."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
    folder = tmp_path_factory.mktemp("site")
    info = folder / "gems_lab_commands-0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: gems-lab-commands\nVersion: 0\n")
    lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in names.items()) for group, names in groups.items()]
    (info / "entry_points.txt").write_text("\n".join(lines))
    return folder


@pytest.fixture
def start(site, tmp_path):
    """Run a module in a process of its own, in an empty folder and an environment with nothing about displays."""

    def run(*words, module="gems_engine", code=0, **environment):
        clean = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": f"{site}{os.pathsep}{ROOT}"}
        answer = subprocess.run(
            [sys.executable, "-m", module, *words],
            capture_output=True,
            text=True,
            encoding="utf-8",
            cwd=tmp_path,
            env=clean | environment,
            timeout=100,
        )
        assert answer.returncode == code, answer.stderr
        if code:
            assert answer.stderr.startswith("gems: ")
            assert len(answer.stderr.splitlines()) == 1
        return answer.stderr if code else answer.stdout

    return run


def everything_loads(name):
    return name


def without(*libraries):
    def load(name):
        if name in libraries:
            raise OSError(f"{name}: cannot open shared object file")
        return name

    return load


@pytest.fixture
def x_server():
    """Something that listens where an X server would and turns everybody away; its DISPLAY."""
    with socket.socket(socket.AF_UNIX) as listener:
        for number in range(300, 400):
            try:
                listener.bind(f"\0/tmp/.X11-unix/X{number}")
                break
            except OSError:
                continue
        listener.listen()

        def turn_away():
            while True:
                try:
                    visitor = listener.accept()[0]
                except OSError:
                    return
                with visitor:
                    if visitor.recv(4096):  # a client greets; who only looks whether we are here does not
                        visitor.sendall(struct.pack("<BBHHH", 0, 8, 11, 0, 2) + b"Go away!")

        thread = threading.Thread(target=turn_away)
        thread.start()
        yield f":{number}"
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(10)


@pytest.fixture(scope="module")
def no_display():
    """A DISPLAY at which nothing responds."""

    def answers(number):
        for address in (f"\0/tmp/.X11-unix/X{number}", f"/tmp/.X11-unix/X{number}"):
            with socket.socket(socket.AF_UNIX) as visitor:
                if visitor.connect_ex(address) == 0:
                    return True
        return False

    return next(f":{number}" for number in range(77, 300) if not answers(number))


# -- displays -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [(), ("window",), ("window", "run.gems")])
def test_without_a_display_one_sentence_and_code_3(start, words):
    said = start(*words, code=3)
    assert "there is no display" in said
    for instead in ("gems demo", "gems run", "gems render"):
        assert instead in said


def test_gems_gui_says_the_same(start):
    assert start(module="gems_gui", code=3) == start(code=3)


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"DISPLAY": "NONE"}, "the display NONE does not respond (DISPLAY)"),
        ({"DISPLAY": "nonsense"}, "display nonsense"),
        ({"WAYLAND_DISPLAY": "wayland-7"}, "display wayland-7 does not respond (WAYLAND_DISPLAY)"),
        ({"DISPLAY": "NONE", "WAYLAND_DISPLAY": "wayland-7"}, "(DISPLAY) and the display wayland-7 does not respond"),
        ({"QT_QPA_PLATFORM": "xcb"}, "DISPLAY is not set"),
        (
            {"QT_QPA_PLATFORM": "wayland;xcb:a=1", "DISPLAY": "NONE"},
            "WAYLAND_DISPLAY is not set and the display NONE does not respond",
        ),
    ],
)
def test_a_display_that_is_not_there(start, no_display, environment, words):
    given = {name: value.replace("NONE", no_display) for name, value in environment.items()}
    assert words.replace("NONE", no_display) in start(code=3, **given)


def test_a_display_that_turns_us_away(x_server, capfd):
    sentence = window_obstacle({"DISPLAY": x_server}, everything_loads)
    assert f"the display {x_server} does not accept this user" in sentence
    assert capfd.readouterr().err == ""  # the server's own words would be a second line


def test_displays_that_are_there(tmp_path, x_server):
    with socket.socket(socket.AF_UNIX) as wayland:
        wayland.bind(str(tmp_path / "wayland-3"))
        wayland.listen()
        there = {"WAYLAND_DISPLAY": "wayland-3", "XDG_RUNTIME_DIR": str(tmp_path)}
        assert window_obstacle(there, everything_loads) == ""
        assert display_available(there)
        # Qt goes on to the next platform where the libraries of one are missing.
        both = there | {"DISPLAY": x_server}
        assert window_obstacle(both, without("libxcb-cursor.so.0")) == ""
    for name in ("offscreen", "minimal", "vnc:size=800x600"):
        assert window_obstacle({"QT_QPA_PLATFORM": name}, everything_loads) == ""
    assert not display_available({"QT_QPA_PLATFORM": "offscreen", "DISPLAY": x_server})
    assert not display_available({})
    assert display_available({"DISPLAY": x_server})


@pytest.mark.parametrize(
    ("display", "addresses"),
    [
        (":0", ["\0/tmp/.X11-unix/X0", "/tmp/.X11-unix/X0", ("localhost", 6000)]),
        ("unix:2.1", ["\0/tmp/.X11-unix/X2", "/tmp/.X11-unix/X2", ("localhost", 6002)]),
        ("localhost:10.0", [("localhost", 6010)]),
        ("tcp/far.example:3", [("far.example", 6003)]),
        ("[::1]:4", [("::1", 6004)]),
        (":99999", []),
        ("", []),
        ("five", []),
    ],
)
def test_where_an_x_server_listens(display, addresses):
    assert start_checks._x11_addresses(display) == addresses


def test_a_display_in_the_network():
    with socket.create_server(("127.0.0.1", 0)) as server:
        number = server.getsockname()[1] - 6000
        assert display_available({"DISPLAY": f"127.0.0.1:{number}.0"})
    assert not display_available({"DISPLAY": f"127.0.0.1:{number}.0"})


# -- libraries and fonts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("library", [*PAINTING, *PLATFORMS["xcb"]])
def test_a_missing_library_is_named_by_its_package(library, x_server):
    package = (PAINTING | PLATFORMS["xcb"])[library]
    sentence = window_obstacle({"DISPLAY": x_server}, without(library))
    assert f"install {package} (Debian and Ubuntu; or your system's equivalents)." in sentence
    assert (painting_obstacle(without(library)) == "") == (library not in PAINTING)


def test_several_missing_libraries_in_one_sentence():
    gone = ("libEGL.so.1", "libglib-2.0.so.0", "libgthread-2.0.so.0")
    assert missing_packages(PAINTING, without(*gone)) == ["libegl1", "libglib2.0-0"]
    assert "install libegl1 libglib2.0-0 (" in painting_obstacle(without(*gone))


@pytest.mark.skipif(sys.platform != "linux", reason="only there are libraries checked")
def test_the_lists_of_libraries_are_complete():
    """What Qt's own files ask for, and is neither Qt nor the C and C++ library, is on our lists."""
    import PySide6

    qt = Path(PySide6.__path__[0]) / "Qt"
    for file, known in [
        (qt / "lib/libQt6Gui.so.6", PAINTING),
        (qt / "plugins/platforms/libqoffscreen.so", PAINTING),
        (qt / "plugins/platforms/libqxcb.so", PAINTING | PLATFORMS["xcb"]),
        (qt / "lib/libQt6XcbQpa.so.6", PAINTING | PLATFORMS["xcb"]),
    ]:
        needed = _needed(file) - {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "libpthread.so.0"}
        own = {name for name in needed if name.startswith(("libQt6", "libicu"))}
        assert needed - own <= set(known)
        assert needed


def _needed(file):
    """The libraries that an ELF file asks for by itself, from its dynamic section."""
    data = file.read_bytes()
    (sections,) = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    heads = [struct.unpack_from("<IIQQQQIIQQ", data, sections + i * size) for i in range(count)]
    (dynamic,) = (head for head in heads if head[1] == 6)
    strings = heads[dynamic[6]][4]
    names = set()
    for at in range(dynamic[4], dynamic[4] + dynamic[5], 16):
        tag, value = struct.unpack_from("<QQ", data, at)
        if tag == 1:
            start = strings + value
            names.add(data[start : data.index(b"\0", start)].decode())
    return names


@pytest.mark.parametrize("words", [("window",), ("render", "paper-hard", "-o", "x.png")])
def test_without_any_font_the_package_is_named(start, tmp_path, words):
    (tmp_path / "no-fonts").mkdir()
    config = tmp_path / "fonts.conf"
    config.write_text(f"<fontconfig><dir>{tmp_path / 'no-fonts'}</dir></fontconfig>")
    said = start(*words, code=3, QT_QPA_PLATFORM="offscreen", FONTCONFIG_FILE=str(config))
    assert "install fonts-dejavu-core" in said


def test_demo_says_its_words_where_nothing_can_be_painted(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(
        "gems_gui.commands.demo_folder.painting_obstacle", lambda: painting_obstacle(without("libEGL.so.1"))
    )
    monkeypatch.chdir(tmp_path)
    assert main_with("demo", "--no-window") == 0
    said = capsys.readouterr()
    assert "ρ⋆_10 is proven" in said.out
    assert "install libegl1" in said.err
    assert sorted(each.name for each in (tmp_path / "gems-demo").iterdir()) == [
        "run.gems",
        "summary.json",
        "summary.txt",
    ]


def test_demo_writes_its_files_where_no_window_can_open(monkeypatch, tmp_path, capsys):
    """There is a display, and a library of Qt's is missing for it."""
    monkeypatch.setattr("gems_gui.commands.demo.display_available", lambda: True)
    monkeypatch.setattr("gems_gui.commands.demo.window_obstacle", lambda: "Install libxcb-cursor0.")
    monkeypatch.setattr("gems_gui.commands.demo_pictures.paint_story", lambda trace, folder: 7)
    monkeypatch.chdir(tmp_path)
    assert main_with("demo") == 0
    said = capsys.readouterr()
    assert "ρ⋆_10 is proven" in said.out
    assert "7 pictures" in said.out
    assert said.err == "gems: Install libxcb-cursor0.\n"


@pytest.mark.parametrize("package", ["PySide6", "pyqtgraph"])
def test_without_qt_a_window_and_a_picture_are_refused_in_one_sentence(package, monkeypatch, capsys):
    """As on the workers of a cluster, where the engine is installed alone."""
    monkeypatch.setattr(start_checks, "find_spec", lambda name: None if name == package else find_spec(name))
    for words in (["window"], ["render", "soare", "-o", "soare.png"]):
        assert main_with(*words) == 3
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err == (
            "gems: Windows and pictures need Qt (PySide6 and pyqtgraph), which is not installed: "
            "run pip install gems-lab.\n"
        )


WITHOUT_QT = """
import ctypes, importlib.abc, sys

class Hidden(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == "PySide6.QtGui":
            raise ImportError("libEGL.so.1: cannot open shared object file: No such file or directory")

class Library(ctypes.CDLL):
    def __init__(self, name, *rest, **named):
        if name in ("libEGL.so.1", "libGL.so.1"):
            raise OSError(f"{name}: cannot open shared object file: No such file or directory")
        super().__init__(name, *rest, **named)

sys.meta_path.insert(0, Hidden())
ctypes.CDLL = Library
"""
"""A machine without libEGL and libGL, such as a slim container."""


@pytest.fixture
def slim(tmp_path):
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "sitecustomize.py").write_text(WITHOUT_QT)
    return tmp_path / "hidden"


def test_on_a_machine_without_qts_libraries_the_demo_does_all_it_can(slim, site, tmp_path):
    answer = subprocess.run(
        [sys.executable, "-m", "gems_engine", "demo"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(map(str, (slim, site, ROOT)))},
        timeout=100,
    )
    assert answer.returncode == 0, answer.stderr
    assert answer.stderr == (
        "gems: Qt needs system libraries that are missing: install libegl1 libgl1 (Debian and Ubuntu; or your system's "
        "equivalents).\n"
    )
    assert "The pictures could not be painted" in answer.stdout
    assert {each.name for each in (tmp_path / "gems-demo").iterdir()} == {"run.gems", "summary.json", "summary.txt"}


@pytest.mark.parametrize("words", [(), ("tests/engine/test_session.py",), ("-n", "0", "tests/gui/test_plugins.py")])
def test_on_a_machine_without_qts_libraries_pytest_says_so_in_one_sentence(slim, words):
    answer = subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{slim}{os.pathsep}{ROOT}"},
        timeout=100,
    )
    assert answer.returncode == 4
    assert answer.stdout == ""
    assert answer.stderr.startswith("ERROR: Qt needs system libraries that are missing: install libegl1 libgl1 (")
    assert len(answer.stderr.splitlines()) == 1


# -- commands --------------------------------------------------------------------------------------------------


def main_with(*words):
    """`gems` with the window's commands, whether the project is installed or not."""
    return execute(parser_of(words[0]), words[1:])


def command_named(name):
    return import_module(f"gems_gui.commands.{name}").COMMAND


def parser_of(name):
    parser = Parser(prog=f"gems {name}", **help_around(command_named(name)))
    command_named(name).configure(parser)
    parser.set_defaults(execute=command_named(name).run)
    return parser


def test_help_is_instant(site):
    code = (
        "import sys, gems_engine.cli as c; c.main(['--help']); "
        "sys.exit(any(each in sys.modules for each in ('PySide6', 'numpy', 'pyqtgraph')))"
    )
    clean = {**os.environ, "PYTHONPATH": f"{site}{os.pathsep}{ROOT}"}
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=clean)
    assert answer.returncode == 0
    for name in ("demo", "render", "window"):
        assert f"\n    {name} " in answer.stdout


def test_the_first_picture_waits_for_no_plot(tmp_path):
    """What takes time and is not seen yet comes after it: pyqtgraph with the views, the engine, dialogs."""
    code = """if True:
        import sys
        from PySide6.QtCore import QEvent, QEventLoop, QTimer
        from gems_gui.application import application
        app = application()
        from gems_gui.window import open_window
        window = open_window()
        window.show()
        app.sendPostedEvents(window, QEvent.Type.UpdateRequest)
        assert window.grab().width() > 0
        heavy = ("pyqtgraph", "scipy", "gems_gui.views.view", "gems_engine.running", "gems_engine.explanation")
        dialogs = (
            *("runs.branch_dialog", "compare.compare_dialog", "transport.run_until", "menus.palette"),
            *("exports.export_dialog", "help.pages"),
        )
        early = {*heavy, *(f"gems_gui.{each}" for each in dialogs)} & {*sys.modules}
        loop = QEventLoop()
        window.board.views_created.connect(loop.quit)
        QTimer.singleShot(60_000, app.quit)
        loop.exec()
        late = not window.board.views and "pyqtgraph" in sys.modules and "plane" in vars(window.auto_run)
        window.welcome.dismiss()
        loop.exec()
        late = late and window.board.ready and bool(window.board.views)
        window.close_without_asking()
        print(early, late)
    """
    clean = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CONFIG_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=clean)
    assert done.stdout == "set() True\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere.json"], "There is no file nowhere.json"),
        (["--screenshot", "x.jpg"], "must end in .png"),
        (["--screenshot", "nowhere/x.png"], "the folder nowhere does not exist"),
        (["--after", "3"], "Use it with --screenshot"),
        (["--screenshot", "x.png", "--after", "soon"], "--after"),
        (["--screenshot", "x.png", "--size", "9x9"], "--size"),
        (["--preset", "paper-hrd"], 'did you mean "paper-hard"?'),
        (["--story", "a-budget-spent"], 'did you mean "a-budget-spent-twice"?'),
    ],
)
def test_bad_words_for_the_window(words, said, capsys):
    assert main_with("window", *words) == 2
    out, err = capsys.readouterr()
    assert said in err
    assert len(err.splitlines()) == 1
    assert out == ""


class SmallWindow(QMainWindow):
    """Closes as the real one does without a question."""

    workbench = SimpleNamespace(messages=None)

    def close_without_asking(self):
        self.close()

    end_at_once = close_without_asking


class Opened:
    """A stand-in for the module of the window: remembers how it was asked, and opens a small one."""

    def __init__(self):
        self.asked = []

    def open_window(self, files=(), preset=None, play=False, story=None, *, recovers=True):
        self.asked.append((files, preset, play, story))
        window = SmallWindow()
        window.setStyleSheet("background: #0072b2")
        return window


@contextmanager
def closing_windows():
    """Closes every window, again and again: the time of the first one is unknown.

    Then it ends the loop: what another test of this process has left in Qt must not keep it.
    """

    def close():
        QApplication.closeAllWindows()
        if not any(isinstance(each, SmallWindow) and each.isVisible() for each in QApplication.topLevelWidgets()):
            QApplication.exit(0)

    timer = QTimer(interval=50)
    timer.timeout.connect(close)
    timer.start()
    yield
    timer.stop()


@pytest.fixture
def opened(monkeypatch):
    module = Opened()
    monkeypatch.setitem(sys.modules, "gems_gui.window", module)
    return module


def test_files_that_are_there_open_although_another_is_not(monkeypatch, tmp_path, capsys):
    asked = []
    monkeypatch.setattr("gems_gui.launch.show", lambda files, *rest: asked.append(files) or (0, b""))
    run = tmp_path / "a.gems"
    run.touch()
    assert main_with("window", str(run), "nowhere.json") == 0
    assert asked == [[str(run), "nowhere.json"]], "the window says which there is not"
    monkeypatch.chdir(tmp_path)
    installed = SimpleNamespace(usable={"window": command_named("window")}, broken=[])
    monkeypatch.setattr("gems_engine.cli.plugin_commands", lambda: installed)
    assert main(["a.gems", str(run)]) == 0
    assert asked.pop() == ["a.gems", str(run)], "the word window may be left out"
    for words, sentence in (
        ("items.csv", "There is no file items.csv."),
        ("of/items", "There is no file of/items."),
        ("runn", 'Unknown command "runn": did you mean "run"? See gems --help.'),
        ("--paly", 'Unknown option "--paly". See gems --help.'),
    ):
        assert main([words]) == 2
        assert capsys.readouterr().err == f"gems: {sentence}\n"
    assert len(asked) == 1
    assert main_with("window", str(run), "nowhere.json", "--screenshot", str(tmp_path / "x.png")) == 2
    assert "There is no file nowhere.json" in capsys.readouterr().err


def test_the_window_command_takes_a_picture(qapp, opened, tmp_path, capsys):
    file, run = tmp_path / "x.png", tmp_path / "a.gems"
    run.touch()
    words = ["--screenshot", str(file), "--after", "0.1", "--size", "300x200", "--preset", "paper-hard", "--play"]
    assert main_with("window", str(run), *words) == 0
    assert opened.asked == [((str(run),), "paper-hard", True, None)]
    image = QIcon(str(file)).pixmap(300, 200).toImage()
    assert (image.width(), image.height()) == (300, 200)
    assert image.pixelColor(150, 100) == QColor("#0072b2")
    assert capsys.readouterr().out == f"Saved a picture of the window as {file}.\n"


def test_demo_opens_the_race_in_the_window(qapp, opened, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo_command, "display_available", lambda: True)
    with closing_windows():
        assert main_with("demo") == 0
    assert opened.asked == [((), "race", True, None)]
    assert list(tmp_path.iterdir()) == []


def test_the_examples_are_of_every_command_of_the_window():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(project["entry-points"]["gems.commands"]) == EXAMPLES.keys()


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_works_when_pasted_into_an_empty_folder(qapp, opened, monkeypatch, tmp_path, capsys, name):
    """With a small window that closes by itself, and a doctor who looks at one thing: both are tested elsewhere."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo_command, "display_available", lambda: True)
    monkeypatch.setattr("gems_engine.self_test.CHECKS", self_test.CHECKS[:1])
    monkeypatch.setattr("gems_gui.self_test.CHECKS", ())
    program, command, *words = shlex.split(command_named(name).example)
    assert (program, command) == ("gems", name)
    with closing_windows() if name in ("demo", "window") else nullcontext():
        assert main_with(name, *words) == 0
    asked, written = EXAMPLES[name]
    assert opened.asked == asked
    assert [each.name for each in tmp_path.iterdir()] == written
    if not asked:
        assert capsys.readouterr().out
    assert main_with(name, "--help") == 0
    assert capsys.readouterr().out.endswith(f"\n\nExample: {command_named(name).example}\n")
    assert all(action.help for action in parser_of(name)._actions)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_closes_the_window(number):
    """In a process of its own, with a window in which nothing happens: the signal alone has to wake the loop."""
    code = """
import sys, types
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget
class Window(QWidget):
    workbench = types.SimpleNamespace(messages=None)
    def showEvent(self, event):
        QTimer.singleShot(0, self.say)
    def say(self):
        print("shown", flush=True)
    def closeEvent(self, event):
        print("closed", flush=True)
    def end_at_once(self):
        self.close()
module = types.ModuleType("gems_gui.window")
module.open_window = lambda **rest: Window()
sys.modules["gems_gui.window"] = module
from gems_gui.launch import show
sys.exit(show()[0])
"""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    assert process.stdout.readline() == "shown\n"
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (out, process.returncode) == ("closed\n", 130)
    assert "Traceback" not in err


# -- assets ----------------------------------------------------------------------------------------------------


def test_the_icon_is_drawn_in_the_role_colours(qapp):
    image = QIcon(str(asset("icon.svg"))).pixmap(128, 128).toImage()
    seen = {image.pixelColor(x, y).name() for x in range(128) for y in range(128)}
    assert {"#ffffff", "#0072b2", "#d55e00", "#009e73"} <= seen
    assert image.pixelColor(0, 0).alpha() == 0


def test_an_asset_that_is_missing():
    with pytest.raises(FileNotFoundError, match=r"assets/nothing\.png"):
        asset("nothing.png")


def test_bare_gems_runs_the_registered_window(opened, qapp, monkeypatch):
    class Entry:
        name = "window"
        value = "elsewhere:ENTRY"
        dist = None

        @staticmethod
        def load():
            return window_command.COMMAND

    monkeypatch.setattr("gems_engine.plugins.entry_points", lambda group: [Entry()])
    with closing_windows():
        assert main([]) == 0
    assert opened.asked == [((), None, False, None)]
