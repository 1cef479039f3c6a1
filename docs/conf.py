"""How the pages in `docs/` become a site (Sphinx); `make docs` writes it to `build/docs`."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import click  # noqa: E402
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

# These pages are documents elsewhere in the checkout: there for who reads the code, here for who reads the site.
SHOWN = {
    "changelog": "CHANGELOG.md",
    "contributing": "CONTRIBUTING.md",
    "deployment": "deploy/README.md",
    "how-it-works": "ARCHITECTURE.md",
    "quality": "EVALUATION.md",
    "security": "SECURITY.md",
}
PAGE_OF = {document: page for page, document in SHOWN.items()}
TABLES_OF_CONTENTS = ("evaluation/index", "decisions/index")


def as_page(app: Sphinx, name: str, source: list[str]) -> None:  # noqa: ARG001
    """Put the document in the place of its page, point links at pages, and list what an index describes in words."""
    folder = (ROOT / "docs" / name).parent
    text = source[0]
    if name in SHOWN:
        text = (ROOT / SHOWN[name]).read_text(encoding="utf-8")
        folder = (ROOT / SHOWN[name]).parent
    source[0] = re.sub(r"\]\((?![a-z]+:|#)([^)#\s]+)", lambda found: f"]({_from(name, folder / found[1])}", text)
    if name == "index":
        # A page that nobody has listed yet stands behind the listed ones.
        listed = set(source[0].splitlines())
        others = sorted(page.stem for page in (ROOT / "docs").glob("*.md") if page.stem not in {*listed, "index"})
        source[0] = source[0].replace("\ncontributing\n", "\n".join(["\ncontributing", *others, ""]))
    if name in TABLES_OF_CONTENTS:
        source[0] += "\n\n```{toctree}\n:hidden:\n:glob:\n\n*\n```\n"


def _from(name: str, target: Path) -> str:
    """Return the way from a page to a file of the checkout, or to the page that shows it."""
    place = os.path.relpath(target.resolve(), ROOT)
    if place in PAGE_OF:
        target = ROOT / "docs" / f"{PAGE_OF[place]}.md"
    return Path(os.path.relpath(target.resolve(), (ROOT / "docs" / name).parent)).as_posix()


def as_text(app: Sphinx, context: click.Context, lines: list[str]) -> None:  # noqa: ARG001
    """Let the help of a command stand as it is: it is written for a terminal, where * and | are just signs."""
    for number, line in enumerate(lines):
        if not line.lstrip().startswith(".."):
            parts = re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``", line).split("``")
            plain = [re.sub(r"[*|]", r"\\\g<0>", part) for part in parts[::2]]
            parts[::2] = plain
            lines[number] = "``".join(parts)


def setup(app: Sphinx) -> None:
    """Let Sphinx know."""
    app.connect("source-read", as_page)
    for part in ("description", "options", "epilog"):
        app.connect(f"sphinx-click-process-{part}", as_text)
