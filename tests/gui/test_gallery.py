"""The gallery of the documentation: its commands are the ones that made its pictures.

After a change that is meant to be seen, make the pictures again and look at what changed:

    python -m tests.gui.test_gallery --renew
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

if __name__ == "__main__":  # before anything else knows of a screen
    os.environ["QT_QPA_PLATFORM"] = "offscreen"

from PySide6.QtGui import QImage

from gems_engine.cli import main
from gems_gui.views import EVERY_VIEW
from tests.gui.test_snapshots import alike, difference

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "gallery.md").read_text(encoding="utf-8")
RUNS, *COMMANDS = (block.strip().splitlines() for block in re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL))
PICTURES = re.findall(r"```\n!\[.+\]\(gallery/(.+)\)", TEXT)


def execute(line: str) -> None:
    program, *words = shlex.split(line)
    assert program == "gems"
    assert main(words) == 0, line


def make_pictures() -> None:
    """Run all commands in the current folder."""
    for line in (*RUNS, *(line for block in COMMANDS for line in block)):
        execute(line)


def test_every_view_has_a_command_in_paper_style_and_its_picture():
    lines = [line for (line,) in COMMANDS]
    views = [re.search(r"--view (\S+)", line)[1] for line in lines]
    assert set(EVERY_VIEW) <= set(views)
    assert all("--style paper" in line for line in lines)
    assert [line.split()[-1] for line in lines] == [f"{view}.png" for view in views] == PICTURES
    assert sorted(each.name for each in (DOCS / "gallery").iterdir()) == sorted(PICTURES)


def test_the_commands_make_the_pictures(qapp, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")  # rendering sets it: the fixture puts it back
    make_pictures()
    made = {name: (QImage(str(tmp_path / name)), QImage(str(DOCS / "gallery" / name))) for name in PICTURES}
    others = {name: difference(*pair) for name, pair in made.items() if not alike(*pair)}
    assert not others, f"they look different: {others}; see {tmp_path}"


if __name__ == "__main__" and "--renew" in sys.argv:
    with TemporaryDirectory() as folder, chdir(folder):
        make_pictures()
        for name in PICTURES:
            (DOCS / "gallery" / name).write_bytes(Path(name).read_bytes())
