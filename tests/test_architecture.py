"""docs/architecture.md matches the code: what it names is there, and what is there is named."""

import importlib
import re
from pathlib import Path

import pytest

from gems_gui.views import EVERY_VIEW
from tests.docstring_names import Source
from tests.guard import metrics

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
NAMED = set(re.findall(r"`((?:gems_engine|gems_gui)/[\w/]+(?:\.py|/))`", PAGE))


def test_what_the_page_names_is_there():
    assert len(NAMED) > 30
    assert [each for each in sorted(NAMED) if not (ROOT / each).exists()] == []


def test_every_package_inside_ours_is_named():
    inside = [path.parent for package in ("gems_engine", "gems_gui") for path in (ROOT / package).glob("*/__init__.py")]
    left_out = {f"{each.relative_to(ROOT).as_posix()}/" for each in inside} - NAMED
    assert left_out == set()


def test_every_module_says_in_its_first_line_what_it_is():
    modules = [path for package in ("gems_engine", "gems_gui") for path in (ROOT / package).rglob("*.py")]
    first = {path: path.read_text(encoding="utf-8").split("\n", 1)[0] for path in modules}
    assert len(modules) > 200
    wrong = [path.name for path, line in first.items() if not re.match(r'"""\S.*[.:?]|"""\S.+\w$', line)]
    assert wrong == []
    summaries = {path: path.read_text(encoding="utf-8").split('"""')[1].split("\n\n")[0] for path in modules}
    engine = {path: " ".join(text.split()) for path, text in summaries.items() if "gems_engine" in path.parts}
    assert [path.name for path, text in engine.items() if re.search(r"[.?!] [A-Z`]", text)] == []  # one sentence


def test_what_docstrings_name_is_there():
    """Attributes, parameters and signals in the sections of docstrings exist in that class or function."""
    assert Source(ROOT).false_names() == []


def test_a_false_name_in_a_docstring_is_found(tmp_path):
    (tmp_path / "gems_gui").mkdir()
    (tmp_path / "gems_gui" / "one.py").write_text(
        "class Base:\n    def __init__(self, size):\n        self.area = size**2\n\n\n"
        'class Square(Base):\n    """One.\n\n    Parameters\n    ----------\n    size, color : float\n        Two.\n\n'
        '    Attributes\n    ----------\n    area\n        Its area.\n    side\n        Its side.\n    """\n'
    )
    found = Source(tmp_path).false_names()
    assert [each.partition(" ")[2] for each in found] == ["Square: Parameters: color", "Square: Attributes: side"]


@pytest.fixture(scope="module")
def measured():
    return metrics.frame(metrics.read(ROOT))


def test_every_import_inside_a_function_says_why_it_is_there(measured):
    """Start-up time is the usual reason; packages form no cycle, so that none is needed to avoid one."""
    silent = []
    for place in measured["imports inside functions"]:
        path, number = place.split(":")
        line = (ROOT / path).read_text(encoding="utf-8").splitlines()[int(number) - 1]
        reason = re.sub(r"^[^#]*#|noqa: [A-Z]+\d+|#", "", line) if "#" in line else ""
        if len(reason.split()) < 2:
            silent.append(place)
    assert silent == [], "move these imports to the top of the module, or end the line with # and the reason"


def test_a_view_leaves_drawing_to_the_kit():
    """The file of a view declares items of gems_gui/views/kit.py; classes that draw are in files of their own."""
    homes = {importlib.import_module(kind.__module__).__file__ for kind in EVERY_VIEW.values()}
    assert len(homes) > 25
    draws = re.compile(r"\b(?:pyqtgraph|QPainter|QPen|QBrush|QGraphics\w+|ItemSpec\()")
    wrong = [home for home in sorted(homes) if draws.search(Path(home).read_text(encoding="utf-8"))]
    assert wrong == [], "move what draws to a file next to gems_gui/views/kit.py, with a function for it in the kit"


def test_the_frame_of_the_window_holds(measured):
    """No cycle of packages or modules, no class name twice, nothing that reaches for "handlers", no file too long."""
    for name in (
        *("packages in cycles", "modules in cycles", "mutual pairs of packages"),
        *("class names used twice", "files named *handlers.py", "files over 600 lines"),
    ):
        assert not measured[name], f"{name}: {measured[name]}"
