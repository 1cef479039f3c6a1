"""The text of an HTML page, without its markup, scripts and styles."""

from __future__ import annotations

import io
import re
from html.parser import HTMLParser

from taxocom.errors import InputError
from taxocom.text.input.documents import Extracted
from taxocom.text.input.lines import check_encoding, detect_encoding
from taxocom.text.input.opening import ByteSource

_UNREAD = frozenset(("script", "style", "template", "noscript", "svg", "math", "iframe", "object", "select", "nav"))
_VOID = frozenset(
    ("br", "hr", "img", "input", "meta", "link", "wbr", "col", "source", "area", "base", "embed", "track")
)
_BLOCKS = re.compile(
    "address|article|aside|blockquote|br|d[dlt]|div|fieldset|figcaption|figure|footer|form|h[1-6]|header|hr|li|main|ol|"
    "option|p|pre|section|table|t[dhr]|ul"
)
_DATES = ("article:published_time", "date", "dc.date", "dcterms.created", "dcterms.date", "pubdate")
_CHARSET = re.compile(rb"""<meta[^>]{0,200}charset\s*=\s*["']?([a-zA-Z0-9_:-]{1,40})""", re.IGNORECASE)
_HEAD_BYTES = 4096
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def read_html(content: bytes, name: str, encoding: str | None = None) -> Extracted:
    """Return the one document of a page."""
    return page_text(_decoded(content, name, encoding))


def page_text(markup: str) -> Extracted:
    """Return the text, the title and the date of a page."""
    page = _Page()
    page.feed(markup)
    page.close()
    lines = (" ".join(line.split()) for line in "".join(page.parts).split("\n"))
    return Extracted("\n".join(line for line in lines if line), " ".join("".join(page.title).split()), page.date)


def _decoded(content: bytes, name: str, encoding: str | None) -> str:
    said = _CHARSET.search(content[:_HEAD_BYTES])
    wanted = encoding or (said.group(1).decode("ascii") if said else None)
    if wanted is not None:
        try:
            return content.decode(check_encoding(wanted), "replace")
        except (InputError, UnicodeError):
            # A page may say what no program knows; a person who said it is told before.
            if encoding:
                raise
    return content.decode(detect_encoding(ByteSource(name, lambda: io.BytesIO(content), len(content))), "replace")


class _Page(HTMLParser):
    """Gathers what a reader would see. Pages are seldom well-formed: an end that has no beginning ends nothing."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.title: list[str] = []
        self.date = ""
        self._unread: list[str] = []
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "title" and not self.title:
            self._in_title = True
        elif tag == "meta" and not self.date:
            self._look_for_date(dict(attrs))
        elif tag in _UNREAD and tag not in _VOID:
            self._unread.append(tag)
        if _BLOCKS.fullmatch(tag):
            self.parts.append("\n")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if _BLOCKS.fullmatch(tag):
            self.parts.append("\n")
        elif tag == "meta" and not self.date:
            self._look_for_date(dict(attrs))

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
        if tag in self._unread:
            while self._unread.pop() != tag:
                pass
        if _BLOCKS.fullmatch(tag):
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title.append(data)
        elif not self._unread:
            self.parts.append(data)

    def _look_for_date(self, told: dict[str, str | None]) -> None:
        name = (told.get("name") or told.get("property") or "").lower()
        day = _DAY.match(told.get("content") or "")
        if name in _DATES and day:
            self.date = day.group()
