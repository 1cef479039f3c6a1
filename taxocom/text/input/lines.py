"""Bytes to lines of text: the encoding is detected, no line is endless, nothing binary passes."""

from __future__ import annotations

import codecs
import io
from collections.abc import Generator
from dataclasses import dataclass

from charset_normalizer import from_bytes

from taxocom.errors import InputError
from taxocom.text.input.documents import LoadingReport
from taxocom.text.input.opening import ByteSource

# No document is longer: a longer line or cell is a file of another kind, or an unclosed quote.
MAX_CHARACTERS = 5_000_000

_SAMPLE = 4 * 2**20
_TELLING = 2**17
_REPORT_EVERY = 500
_BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


@dataclass(frozen=True)
class Line:
    """A line without its end, and its number, from 1."""

    number: int
    text: str


def detect_encoding(source: ByteSource) -> str:
    """Return the encoding of a source: by its byte order mark, else UTF-8 if it can be, else the likeliest.

    Only lines with bytes beyond ASCII are weighed; the rest say nothing.
    """
    sample = source.sample(_SAMPLE)
    for mark, encoding in _BOMS.items():
        if sample.startswith(mark):
            return encoding
    if b"\0" in sample[:_TELLING]:
        wide = _wide_encoding(sample[:_TELLING])
        if wide is None:
            raise _binary(source.name, 1 + sample[: sample.index(b"\0")].count(b"\n"))
        return wide
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        telling = b"\n".join(line for line in sample.split(b"\n") if not line.isascii())
        best = from_bytes(telling[:_TELLING]).best()
        # Without its mark UTF-16 has zeros in it, which were looked for above.
        return best.encoding if best and not best.encoding.startswith(("utf_16", "utf_32")) else "cp1252"
    return "utf-8"


def _wide_encoding(sample: bytes) -> str | None:
    # In UTF-16 of mostly Western text every other byte is 0, and a pair of zeros is a real NUL.
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if max(even, odd) > 0.3 * len(sample) and min(even, odd) == 0:
        return "utf-16-be" if even > odd else "utf-16-le"
    return None


def _binary(name: str, line: int) -> InputError:
    return InputError(
        f"{name}, line {line}: a NUL byte, so this is not a text file. Export the documents as text first."
    )


def check_encoding(name: str) -> str:
    """Return an encoding's name if Python knows it."""
    try:
        found = codecs.lookup(name)
        # Some are no encodings of text: base64, zip, rot13.
        "a".encode(found.name)
    except (LookupError, ValueError) as error:
        raise InputError(f"The encoding {name!r} is not known. Use utf-8, latin-1, cp1252, utf-16 …") from error
    return found.name


def _next_line(source: ByteSource, text: io.TextIOWrapper, number: int) -> str:
    try:
        return text.readline(MAX_CHARACTERS + 2)
    except UnicodeError as error:
        raise InputError(
            f"{source.name}, line {number}: {error}. Say which encoding it has, or save it as UTF-8."
        ) from error


def read_lines(
    source: ByteSource, encoding: str, report: LoadingReport, *, ends: bool = False
) -> Generator[Line, None, None]:
    """Yield the lines of a source; bytes that the encoding cannot read are replaced and counted.

    With `ends` the line ends stay, as the csv module wants them.
    """
    with source.open() as stream:
        text = io.TextIOWrapper(stream, encoding=encoding, errors="replace", newline="" if ends else None)
        number = 0
        while line := _next_line(source, text, number + 1):
            number += 1
            if len(line) > MAX_CHARACTERS:
                raise InputError(
                    f"{source.name}, line {number} is longer than {MAX_CHARACTERS:,} characters. A document should "
                    "stand on a line of its own: break the file into documents."
                )
            if "\0" in line:
                raise _binary(source.name, number)
            if number % _REPORT_EVERY == 0:
                report.fraction = source.fraction_read()
            if "\ufffd" in line:
                report.n_replaced_characters += line.count("\ufffd")
            yield Line(number, line if ends else line.rstrip("\n"))
