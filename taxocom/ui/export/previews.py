"""The first lines of an exported file, whatever its format, as text or as a table."""

from __future__ import annotations

import io
import zipfile
from html.parser import HTMLParser

import pandas as pd

LINES = 14
_WIDTH = 160
_MEMBER_LINES = 6
_MEMBERS = 24


def preview(format_name: str, content: bytes) -> str | pd.DataFrame:
    """Return what a person sees of a file before downloading it: rows of a table, else lines of text."""
    if format_name == "xlsx":
        return pd.read_excel(io.BytesIO(content), dtype=str, nrows=LINES).fillna("")
    if format_name == "documents-parquet":
        return pd.read_parquet(io.BytesIO(content)).head(LINES)
    if format_name in ("classifier", "bundle"):
        return _members(content, with_text=format_name == "classifier")
    text = content.decode("utf-8", "replace")
    return first_lines("\n".join(_Words.of(text)) if format_name == "html" else text, LINES)


def first_lines(text: str, limit: int) -> str:
    """Return so many lines, none too wide, and how many more there are."""
    lines = text.splitlines()
    shown = [line[:_WIDTH] for line in lines[:limit]]
    more = len(lines) - limit
    return "\n".join([*shown, *([f"… {more:,} more lines"] if more > 0 else [])])


def _members(content: bytes, *, with_text: bool) -> str:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = archive.infolist()
        said = []
        for entry in entries[:_MEMBERS]:
            said.append(f"{entry.filename}  ({entry.file_size:,} bytes)")
            if with_text:
                said.append(first_lines(archive.read(entry).decode("utf-8", "replace"), _MEMBER_LINES))
    return "\n".join([*said, *([f"… {len(entries) - _MEMBERS:,} more files"] if len(entries) > _MEMBERS else [])])


class _Words(HTMLParser):
    """What a page says, without its markup, styles and scripts: nothing of it runs in a preview."""

    _SILENT = ("style", "script", "svg", "title")

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []
        self._silent = 0

    @classmethod
    def of(cls, markup: str) -> list[str]:
        """Return the texts of a page in order."""
        parser = cls()
        parser.feed(markup)
        return parser.said

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002  # the parser's signature
        """Fall silent inside what is no text."""
        self._silent += tag in self._SILENT

    def handle_endtag(self, tag: str) -> None:
        """Speak again."""
        self._silent -= tag in self._SILENT

    def handle_data(self, data: str) -> None:
        """Keep a text."""
        if not self._silent and data.strip():
            self.said.append(" ".join(data.split()))
