"""The notebooks of `docs/` as pages of the site, and their execution: ``python -m docs_build.notebooks`` renews them.

Executing needs ``nbclient`` and ``ipykernel`` (``pip install -e ".[test]"``); building the site does not.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

FOLDER = Path(__file__).parents[1] / "docs"
_WAIT = 300  # seconds for a cell


def notebook_pages() -> dict[str, str]:
    """Markdown of each notebook by its path in the site."""
    return {
        file.relative_to(FOLDER).with_suffix(".md").as_posix(): page(json.loads(file.read_text(encoding="utf-8")), file)
        for file in sorted(FOLDER.rglob("*.ipynb"))
    }


def page(notebook: dict[str, Any], file: Path) -> str:
    """A notebook with its outputs as Markdown, and a link to the file."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        parts.append(f"```python\n{source}\n```" if cell["cell_type"] == "code" else source)
        parts += [_shown(output) for output in cell.get("outputs", ())]
    parts.append(f"This page is the notebook {{download}}`{file.name}`.")
    return "\n\n".join(parts) + "\n"


def _shown(output: dict[str, Any]) -> str:
    data = output.get("data", {})
    for kind in ("image/svg+xml", "text/html"):
        if kind in data:
            return f'```{{raw}} html\n<div class="output">{"".join(data[kind])}</div>\n```'
    return f"```text\n{''.join(output.get('text', data.get('text/plain', ''))).rstrip()}\n```"


def executed(file: Path) -> Any:
    """The notebook, executed in a new kernel in an empty folder; an exception in a cell is raised here."""
    import nbclient
    import nbformat

    notebook = nbformat.read(file, as_version=4)
    with TemporaryDirectory() as folder:
        client = nbclient.NotebookClient(notebook, timeout=_WAIT, resources={"metadata": {"path": folder}})
        client.execute()
    return notebook


def main() -> int:
    """Execute every notebook and write its outputs into it."""
    import nbformat

    for file in sorted(FOLDER.rglob("*.ipynb")):
        notebook = executed(file)
        for number, cell in enumerate(notebook.cells):
            cell["id"] = f"cell-{number}"
            cell["metadata"] = {}  # without the times of execution
        notebook.metadata.pop("language_info", None)  # this machine's Python
        nbformat.write(notebook, file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
