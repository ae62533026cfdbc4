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


class PicturePage:
    """A page whose commands make its pictures, which are in a folder next to it."""

    def __init__(self, page: str, folder: str) -> None:
        self.text = (DOCS / page).read_text(encoding="utf-8")
        self.folder = DOCS / folder
        lines = [line for block in re.findall(r"```sh\n(.*?)```", self.text, re.DOTALL) for line in block.splitlines()]
        self.renders = [line for line in lines if line.startswith("gems render ")]
        self.runs = [line for line in lines if line not in self.renders]
        self.pictures = re.findall(rf"^!\[.+\]\({folder}/(.+)\)", self.text, re.MULTILINE)

    def make(self) -> None:
        """Run all commands in the current folder, the runs first."""
        for line in (*self.runs, *self.renders):
            program, *words = shlex.split(line)
            assert program == "gems"
            assert main(words) == 0, line

    def check(self, made: Path) -> None:
        """Compare the pictures in a folder with those of the page."""
        pairs = {name: (QImage(str(made / name)), QImage(str(self.folder / name))) for name in self.pictures}
        others = {name: difference(*pair) for name, pair in pairs.items() if not alike(*pair)}
        assert not others, f"they look different: {others}; see {made}"

    def renew(self) -> None:
        """Make the pictures of the page again."""
        with TemporaryDirectory() as folder, chdir(folder):
            self.make()
            for name in self.pictures:
                (self.folder / name).write_bytes(Path(name).read_bytes())


GALLERY = PicturePage("gallery.md", "gallery")


def test_every_view_has_a_command_in_paper_style_and_its_picture():
    views = [re.search(r"--view (\S+)", line)[1] for line in GALLERY.renders]
    assert set(EVERY_VIEW) <= set(views)
    assert all("--style paper" in line for line in GALLERY.renders)
    assert [line.split()[-1] for line in GALLERY.renders] == [f"{view}.png" for view in views] == GALLERY.pictures
    assert sorted(each.name for each in GALLERY.folder.iterdir()) == sorted(GALLERY.pictures)


def test_the_commands_make_the_pictures(qapp, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")  # rendering sets it: the fixture puts it back
    GALLERY.make()
    GALLERY.check(tmp_path)


if __name__ == "__main__" and "--renew" in sys.argv:
    GALLERY.renew()
