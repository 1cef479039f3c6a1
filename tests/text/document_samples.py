"""Small whole files of every kind of document, made here."""

from __future__ import annotations

import io
import zlib
from email.message import EmailMessage

from docx import Document


def pdf(*pages: str, title: str = "") -> bytes:
    """Return a PDF file with a line of text a page."""
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"", font]
    kids = []
    for text in pages:
        escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        lines = "".join(f"({line}) Tj 0 -14 Td " for line in escaped.split("\n"))
        content = zlib.compress(f"BT /F1 12 Tf 72 720 Td {lines}ET".encode("latin-1"))
        objects.append(b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(content), content))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % len(objects)
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(kids), b" ".join(kids))
    objects.append(b"<< /Title (%s) /CreationDate (D:20260507120000Z) >>" % title.encode("latin-1"))
    return _numbered(objects)


def _numbered(objects: list[bytes]) -> bytes:
    out, places = io.BytesIO(), []
    out.write(b"%PDF-1.4\n")
    for number, each in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, each))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.write(b"".join(b"%010d 00000 n \n" % place for place in places))
    out.write(b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\n" % (len(objects) + 1, len(objects)))
    out.write(b"startxref\n%d\n%%%%EOF\n" % start)
    return out.getvalue()


def docx(*paragraphs: str, title: str = "", table: tuple[str, ...] = ()) -> bytes:
    document, out = Document(), io.BytesIO()
    document.core_properties.title = title
    for text in paragraphs:
        document.add_paragraph(text)
    if table:
        cells = document.add_table(1, len(table)).rows[0].cells
        for cell, text in zip(cells, table, strict=True):
            cell.text = text
    document.save(out)
    return out.getvalue()


def html(body: str, title: str = "", head: str = "") -> bytes:
    return f"<!doctype html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>".encode()


def mail(text: str, subject: str = "", number: int = 1, *, as_page: bool = False) -> bytes:
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = "ada@example.org", "ben@example.org", subject
    made["Date"], made["Message-ID"] = f"Thu, {number:02} Nov 2026 10:00:00 +0000", f"<mail-{number}@example.org>"
    made.set_content(text, subtype="html" if as_page else "plain")
    made.add_attachment(b"\x00\x01", maintype="application", subtype="octet-stream", filename="attached.bin")
    return bytes(made)


def mailbox(*mails: bytes) -> bytes:
    escaped = (each.replace(b"\nFrom ", b"\n>From ") for each in mails)
    return b"".join(b"From ada@example.org Thu Nov  5 10:00:00 2026\n%s\n\n" % each.rstrip(b"\n") for each in escaped)


def slow_pdf() -> bytes:
    """Return a whole PDF file that takes a minute to read: the library refuses single pages that take so long."""
    return pdf(*["\n".join("b" for _ in range(20_000))] * 100)
