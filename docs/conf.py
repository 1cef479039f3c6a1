"""How the pages in `docs/` become a site (Sphinx); `make docs` writes it to `build/docs`."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from sphinx.application import Sphinx  # noqa: E402

import taxocom  # noqa: E402

project = "TaxoCom Studio"
author = copyright = "The TaxoCom Studio authors"
version = release = taxocom.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_click"]
exclude_patterns = ["notebooks/*"]
myst_heading_anchors = 4
# Our examples are plain Python with prompts; a parser of its own would only warn of what doctest runs.
# Generated tables start at the third level of headings.
suppress_warnings = ["misc.highlighting_failure", "myst.header"]
nitpicky = False

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
napoleon_google_docstring = False

html_theme = "furo"
html_title = f"TaxoCom Studio {release}"
html_favicon = "../assets/icon.png"
html_copy_source = False
html_show_sphinx = False
# Nothing is loaded from another host: the site works without a network.
html_theme_options = {"footer_icons": []}

# Documents at the root of the checkout are pages here; what links to one there links to its page here.
ROOT_PAGES = {
    "ARCHITECTURE": "how-it-works",
    "CHANGELOG": "changelog",
    "CONTRIBUTING": "contributing",
    "EVALUATION": "quality",
    "SECURITY": "security",
}
TABLES_OF_CONTENTS = ("evaluation/index", "decisions/index")


def as_page(app: Sphinx, name: str, source: list[str]) -> None:  # noqa: ARG001
    """Point links at pages, and list the pages of a folder that its index describes in words."""
    for document, page in ROOT_PAGES.items():
        source[0] = source[0].replace(f"](../../{document}.md", f"](../{page}.md")
    if name in TABLES_OF_CONTENTS:
        source[0] += "\n\n```{toctree}\n:hidden:\n:glob:\n\n*\n```\n"


def setup(app: Sphinx) -> None:
    """Let Sphinx know."""
    app.connect("source-read", as_page)
