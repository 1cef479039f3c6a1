"""Errors as a page shows them: safe in Markdown, and without places on the disk that mean nothing to a reader."""

from __future__ import annotations

import logging
import re
import secrets
import tempfile

from taxocom.errors import TaxocomError
from taxocom.store import home
from taxocom.ui.runtime import access
from taxocom.ui.runtime.safe_text import md

log = logging.getLogger("taxocom.ui")


def words_for(error: Exception) -> str:
    """Return what to say of anything that went wrong; what is unexpected goes to the log under a reference."""
    if isinstance(error, TaxocomError):
        log.info("shown to the user: %s", type(error).__name__, exc_info=log.isEnabledFor(logging.DEBUG))
        return told(error)
    reference = secrets.token_hex(4)
    log.error("reference %s", reference, exc_info=error)
    return (
        "Something unexpected went wrong. Your decisions are safe. "
        f"The server log has the details under the reference **{reference}**."
    )


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
