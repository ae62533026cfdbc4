"""Settings of Sphinx; `python -m docs_build` builds the site."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # the packages of this checkout

from gems_engine.version import own_version

project = "GEMS Lab"
author = copyright = "The GEMS Lab contributors"
release = own_version() or "unknown"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
nitpicky = False  # docstrings also name what is not public

html_theme = "furo"
html_title = f"GEMS Lab {release}"
html_logo = html_favicon = str(Path(__file__).parents[1] / "assets" / "icon.svg")
html_static_path = [str(Path(__file__).parent / "site.css")]
html_css_files = ["site.css"]
html_copy_source = False
html_theme_options = {"footer_icons": []}

default_role = "code"
myst_heading_anchors = 3
myst_enable_extensions = ["attrs_inline"]
suppress_warnings = ["ref.python"]  # attributes of several classes have the same name
highlight_language = "none"

napoleon_google_docstring = False
napoleon_use_ivar = True
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_class_signature = "mixed"


def setup(app: object) -> None:
    """Show signatures and shapes as they are written."""
    from docs_build.signatures import literal_shapes, written_signature

    app.connect("autodoc-process-signature", written_signature)  # type: ignore[attr-defined]
    app.connect("autodoc-process-docstring", literal_shapes, 400)  # type: ignore[attr-defined]  # before napoleon
