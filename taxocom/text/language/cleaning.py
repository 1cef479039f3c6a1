"""What is in a text but is not language: addresses, TeX, HTML, encoded binaries. It must not become terms."""

from __future__ import annotations

import re
import unicodedata

# A full stop set apart: whatever is dropped also ends a phrase.
_GAP = " . "

# Every repetition is bounded or stops at what opens it: a text may be megabytes of any character.
_ADDRESS = re.compile(
    r"\b(?:[a-z][a-z0-9+.-]{1,20}://|www\.)[!#-;=?-~]+"
    r"|(?<![a-z0-9.+%!_-])[a-z0-9.+%!_-]{1,64}@[a-z0-9.-]{1,255}",
    re.IGNORECASE | re.ASCII,
)
_UUENCODED = re.compile(r"^M[ -`]{60}$", re.MULTILINE)
_ENCODED = re.compile(r"[!-~]{45,}")
_LONGEST_RUN = 45
_TAG = re.compile(r"<(?:/?[a-zA-Z][^<>]{0,300}|!--[^<>]{0,300}--)>")
_ENTITY = re.compile(r"&(?:[a-zA-Z]{2,8}|#\d{1,6}|#x[0-9a-fA-F]{1,6});")

# Dollars are money as often as mathematics. The rule that tells them apart is pandoc's (no space inside either dollar,
# no digit behind the closing one); what opens with a digit and holds blanks must also look like a formula.
_MATH = re.compile(
    r"\$\$[^$]{1,2000}\$\$"
    r"|\$(?![\s\d])(?:[^$\\]|\\.){0,400}?(?<!\s)\$(?!\d)"
    r"|\$\d(?:[^\s$\\]|\\.){0,60}\$(?!\d)"
    r"|\$\d(?=[^$]{0,100}[\\^_={}<>])(?:[^$\\]|\\.){0,200}?(?<!\s)\$(?!\d)"
    r"|\\\[(?:[^\\]|\\[^\[\]]){1,2000}\\\]|\\\((?:[^\\]|\\[^()]){1,1000}\\\)",
    re.DOTALL,
)
_ACCENT = re.compile(r"\\(?:([`'^\"~=.])|([Hcvukrbdt])(?=[{\s]))\s*\{?\s*\\?([A-Za-z])\s*\}?")
_LETTER = re.compile(r"\\(ss|oe|OE|ae|AE|aa|AA|o|O|l|L|i|j)(?![a-zA-Z])(?:\{\}|\s)?")
_CITATION = re.compile(
    r"\\(?:cite[a-z]{0,12}|ref|eqref|label|begin|end|includegraphics)\*?(?:\[[^\]]{0,80}\])?\{[^{}]{0,200}\}"
)
_COMMAND = re.compile(r"\\[a-zA-Z]+\*?")

_MARKS = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "H": "\u030b", "c": "\u0327", "v": "\u030c", "u": "\u0306", "k": "\u0328", "r": "\u030a", "b": "\u0331",
    "d": "\u0323", "t": "",
}  # fmt: skip
_LETTERS = {"ss": "ß", "oe": "œ", "OE": "Œ", "ae": "æ", "AE": "Æ", "aa": "å", "AA": "Å", "o": "ø", "O": "Ø", "l": "ł",
            "L": "Ł", "i": "i", "j": "j"}  # fmt: skip


def clean(text: str) -> str:
    """Return `text` without what is not language; each gap left behind ends a phrase.

    TeX accents become letters ("Schr\\"odinger" is a name); formulas and commands go. Each rule runs only where its
    mark occurs, since most documents have none.
    """
    if "\\" in text:
        text = _ACCENT.sub(_accented, text)
        text = _LETTER.sub(lambda match: _LETTERS[match[1]], text)
    if text.count("$") > 1 or "\\[" in text or "\\(" in text:
        text = _MATH.sub(_GAP, text)
    if "\\" in text:
        text = _CITATION.sub(_GAP, text)
        text = _COMMAND.sub(" ", text)
    if "@" in text or "://" in text or "www." in text:
        text = _ADDRESS.sub(_GAP, text)
    if "<" in text and ">" in text:
        text = _TAG.sub(_GAP, text)
    if "&" in text and ";" in text:
        text = _ENTITY.sub(" ", text)
    if "\nM" in text:
        text = _UUENCODED.sub(_GAP, text)
    if max(map(len, text.split()), default=0) >= _LONGEST_RUN:
        text = _ENCODED.sub(_GAP, text)
    return text


def _accented(match: re.Match[str]) -> str:
    return unicodedata.normalize("NFC", match[3] + _MARKS[match[1] or match[2]])
