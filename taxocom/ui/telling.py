"""Errors as a page shows them: safe in Markdown, and without places on the disk that mean nothing to a reader."""

from __future__ import annotations

import re
import tempfile

from taxocom.store import home
from taxocom.ui import access
from taxocom.ui.plain import md


def told(error: object) -> str:
    """Return what an error says, fit for a page."""
    return md(without_places(str(error)))


def without_places(text: str) -> str:
    """Return a text in which files of ours are called what people know them by.

    Where the app serves the one person at this machine, the home keeps its path: they may have to look after it.
    """
    where, temporary = re.escape(str(home())), re.escape(tempfile.gettempdir())
    text = re.sub(rf"{where}/work/upload-[0-9a-f]+/[0-9a-f]+/", "", text)
    text = re.sub(rf"{temporary}/taxocom-[a-z]+-[^/\s]+/", "", text)
    text = re.sub(
        rf"{where}/projects/[^/\s]+/artifacts/[0-9a-f]{{64}}(?:\.[a-z0-9]+){{0,2}}", "the uploaded file", text
    )
    if access.is_personal():
        return text
    text = re.sub(rf"{where}/projects/([^/\s]+)/project\.db", r"the database of \1", text)
    text = re.sub(rf"{where}/projects/([^/\s:,.]+)(?:/[\w./-]*\w)?", r"the project \1", text)
    return re.sub(rf"{where}(?:/[\w./-]*\w)?", "the data folder of the server", text)
