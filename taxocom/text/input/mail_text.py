"""The text of mails: one in a file, or many in a mailbox."""

from __future__ import annotations

import email
from collections.abc import Iterator
from email import policy
from email.message import EmailMessage
from email.utils import parsedate_to_datetime
from typing import IO

from taxocom.errors import InputError
from taxocom.text.input.documents import Extracted
from taxocom.text.input.html_text import page_text

MAX_MAIL = 64 * 2**20
_LINE = 2**16


def read_mail(content: bytes, name: str) -> Extracted:
    """Return the one document of a mail: its text or, without one, that of its page; what is attached is not read."""
    try:
        mail = email.message_from_bytes(content, policy=policy.default)
        if not mail.keys():
            raise InputError(f"{name} is no mail: it has no lines such as Subject before its text.")
        body = mail.get_body(("plain", "html"))
        text = str(body.get_content()) if isinstance(body, EmailMessage) else ""
        if isinstance(body, EmailMessage) and body.get_content_subtype() == "html":
            text = page_text(text).text
        part = str(mail.get("message-id", "")).strip(" <>\r\n\t")
        return Extracted(text.replace("\0", ""), str(mail.get("subject", "")).strip(), _day(mail), part)
    except (InputError, MemoryError):
        raise
    except Exception as error:
        # The parser of the standard library raises many things where a header is torn.
        raise InputError(
            f"{name} is a damaged mail ({type(error).__name__}). Take it out, or save it again."
        ) from error


def _day(mail: EmailMessage) -> str:
    try:
        return parsedate_to_datetime(str(mail["date"])).date().isoformat()
    except (TypeError, ValueError, OverflowError):
        return ""


def split_mailbox(stream: IO[bytes], name: str) -> Iterator[bytes]:
    """Yield the mails of a mailbox (mbox) as bytes, one after another; a line that begins one is `From `."""
    held, size, empty_before, started = list[bytes](), 0, True, False
    while line := stream.readline(_LINE):
        if empty_before and line.startswith(b"From "):
            if started:
                yield b"".join(held)
            held, size, started = [], 0, True
        elif not started:
            raise InputError(f"{name} is no mailbox: its first line does not begin with 'From '.")
        else:
            # Who wrote the mailbox put a sign before lines of the text that look like a beginning.
            held.append(line[1:] if line.lstrip(b">").startswith(b"From ") and line.startswith(b">") else line)
            size += len(line)
        if size > MAX_MAIL:
            raise InputError(f"{name} holds a mail of more than {MAX_MAIL:,} bytes. Take that mail out.")
        empty_before = line in (b"\n", b"\r\n")
    if started:
        yield b"".join(held)
