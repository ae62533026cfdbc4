"""The README is short and leads to the guide; tests/test_guide.py runs its commands and its Python."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", ["pip install -e . && gems demo", 'pip install -e ".[test]" && pytest'])
def test_the_packages_that_qt_needs_are_next_to_the_commands(command):
    """With their dependencies on Debian 12, these are all packages that the program may name."""
    from gems_gui.start_checks import FONTS, PAINTING, PLATFORMS

    (block,) = [each for each in re.findall(r"```sh\n(.*?)```", README, re.DOTALL) if f"{command}\n" in each]
    named = set(block.partition("apt-get install ")[2].partition("#")[0].replace("\\", "").split())
    assert named <= {FONTS, *PAINTING.values(), *PLATFORMS["xcb"].values()}
    assert {FONTS, "libegl1", "libgl1", "libglib2.0-0", "libfontconfig1", "libdbus-1-3", "libxcb-cursor0"} <= named


def test_the_readme_is_short_and_says_what_there_is():
    assert len(README.splitlines()) <= 150
    headings = re.findall(r"^## (.+)$", README, re.MULTILINE)
    assert headings == [
        *("Run it", "Test it", "Five minutes", "Your own data", "As a library", "Documentation", "Cite the paper")
    ]
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert all((ROOT / link).is_file() for link in links)
    guide = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs" / "guide").glob("*.md")}
    assert guide <= set(links), "the README links to each page of the guide"
