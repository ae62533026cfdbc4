"""The notebook of the documentation: executed in a real kernel, it gives what is stored in it, without Qt."""

import re
from pathlib import Path

import nbformat
import pytest

from docs_build.notebooks import executed, page

FILE = Path(__file__).parents[1] / "docs" / "notebook.ipynb"


def texts(notebook):
    """Outputs as text, cell by cell, and the number of pictures."""
    return [
        [("svg" if "image/svg+xml" in out.get("data", {}) else out.get("text") or out["data"]["text/plain"])]
        for cell in notebook.cells
        if cell.cell_type == "code"
        for out in cell.outputs
    ]


@pytest.mark.filterwarnings("ignore")  # of the kernel's client, which is not ours
def test_the_notebook_runs_and_gives_what_it_shows(tmp_path):
    probe = nbformat.v4.new_code_cell("import sys; print('Qt' if 'PySide6' in sys.modules else 'no Qt')")
    stored = nbformat.read(FILE, as_version=4)
    nbformat.write(nbformat.v4.new_notebook(cells=[*stored.cells, probe]), tmp_path / "probe.ipynb")
    found = texts(executed(tmp_path / "probe.ipynb"))
    assert found[:-1] == texts(stored), "renew it: python -m docs_build.notebooks"
    assert found[-1] == ["no Qt\n"]
    assert found.count(["svg"]) == 2


def test_the_page_of_the_site_has_every_cell_and_output():
    notebook = nbformat.read(FILE, as_version=4)
    text = page(notebook, FILE)
    for cell in notebook.cells:
        first = "".join(cell.source).splitlines()[0]
        assert re.sub(r"[\^_].*", "", first) in text
    assert text.count("<svg") == 2
    assert "ten arms in R¹⁰" in text
