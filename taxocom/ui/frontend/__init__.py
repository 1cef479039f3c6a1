"""Our components for the browser: plain JavaScript and CSS, read from files, without a build step."""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

FOLDER = Path(__file__).parent
"""Where the script and the styles are that all components share."""


def component(name: str, folder: Path, scripts: tuple[str, ...], styles: tuple[str, ...] = ()) -> ComponentRenderer:
    """Register a component made of files in `folder`, with the shared helpers and the shared ground before them.

    The browser gets one module per component, so the parts of a component share a scope without imports.
    """
    script = "\n".join(path.read_text() for path in (FOLDER / "common.js", *(folder / script for script in scripts)))
    style = "\n".join(path.read_text() for path in (FOLDER / "base.css", *(folder / style for style in styles)))
    return st.components.v2.component(name, js=script, css=style if styles else None)
