"""Statements as RDF has them, without a library: what is written and what was read both look like this."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
XSD = "http://www.w3.org/2001/XMLSchema#"
OWL = "http://www.w3.org/2002/07/owl#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
DCT = "http://purl.org/dc/terms/"
PROV = "http://www.w3.org/ns/prov#"
OURS = "urn:taxocom:vocabulary#"
"""Our own vocabulary; `interchange/skos/vocabulary.ttl` says what each word means."""

PREFIXES = {"skos": SKOS, "dct": DCT, "prov": PROV, "taxocom": OURS, "rdf": RDF, "rdfs": RDFS, "xsd": XSD, "owl": OWL}
TYPE = RDF + "type"
BROADER, RELATED = SKOS + "broader", SKOS + "related"
URI = "taxocom:uri"
"""The property that holds the URI a topic came with."""
STATEMENT = "taxocom:statement"
"""The property of the root that holds a statement about something that is no topic."""

IRI_UNSAFE = re.compile(r'[\x00-\x20<>"{}|^`\\]')
_TERM = re.compile(
    r"<(?P<iri>[^<>\s]*)>|_:(?P<blank>\S+)|topic:(?P<topic>\S+)"
    r'|"(?P<text>(?:[^"\\\n\r]|\\.)*)"(?:@(?P<language>[A-Za-z0-9-]+)|\^\^<(?P<datatype>[^<>\s]*)>)?'
)
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ESCAPED = str.maketrans(_ESCAPES)
_UNESCAPES = {written: character for character, written in _ESCAPES.items()}


@dataclass(frozen=True, slots=True)
class Iri:
    """A thing with a name of its own."""

    value: str


@dataclass(frozen=True, slots=True)
class Blank:
    """A thing without a name; `value` tells it apart within one file."""

    value: str


@dataclass(frozen=True, slots=True)
class Literal:
    """A text, a number or a date; at most one of `language` and `datatype` is said."""

    value: str
    language: str = ""
    datatype: str = ""


@dataclass(frozen=True, slots=True)
class TopicRef:
    """A topic of the tree at hand, whatever URI it will be given."""

    node_id: str


Subject = Iri | Blank
Term = Iri | Blank | Literal
Reference = Term | TopicRef


class Triple(NamedTuple):
    """A statement: something has a property with a value."""

    subject: Subject
    predicate: str
    object: Term


def encode_term(term: Reference) -> str:
    """Return a term as one piece of text in the manner of N-Triples; a topic of ours is `topic:ID`."""
    match term:
        case Iri(value):
            return f"<{value}>"
        case Blank(value):
            return f"_:{value}"
        case TopicRef(node_id):
            return f"topic:{quoted(node_id)}"
        case Literal(value, language, datatype):
            tail = f"@{language}" if language else f"^^<{datatype}>" if datatype else ""
            return f'"{escaped(value)}"{tail}'


def reference(node_id: str) -> str:
    """Return the term that stands for a topic of the tree."""
    return encode_term(TopicRef(node_id))


def statement(subject: Reference, name: str, value: Reference) -> str:
    """Return a statement as one line, which `decode_statement` reads."""
    return " ".join(map(encode_term, (subject, Iri(name), value)))


def decode_term(text: str) -> Reference | None:
    """Undo `encode_term`; None for a text that is no term."""
    found = _TERM.fullmatch(text)
    if found is None:
        return None
    if found["iri"] is not None:
        return Iri(found["iri"])
    if found["blank"] is not None:
        return Blank(found["blank"])
    if found["topic"] is not None:
        return TopicRef(unquoted(found["topic"]))
    return Literal(_unescaped(found["text"]), found["language"] or "", found["datatype"] or "")


def decode_statement(text: str) -> tuple[Reference, str, Reference] | None:
    """Read subject, predicate and object from a line written with `encode_term`; None for anything else."""
    subject = _TERM.match(text)
    predicate = _TERM.match(text, subject.end() + 1) if subject else None
    if subject is None or predicate is None or predicate["iri"] is None:
        return None
    first, last = decode_term(subject[0]), decode_term(text[predicate.end() + 1 :])
    if first is None or last is None or isinstance(first, Literal):
        return None
    return first, predicate["iri"], last


def escaped(text: str) -> str:
    """Escape a literal for Turtle and N-Triples."""
    return text.translate(_ESCAPED)


def quoted(text: str) -> str:
    """Percent-encode what a URI cannot hold, leaving letters of all scripts alone."""
    return re.sub(
        r"[\x00-\x20<>\"{}|^`\\%#?/\[\]:@!$&'()*+,;=\x7f-\xa0\u2000-\u200f\u2028-\u202f\u3000\ufff0-\uffff]",
        lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()),
        text,
    )


def unquoted(text: str) -> str:
    """Undo `quoted`."""
    return re.sub(
        r"(?:%[0-9A-Fa-f]{2})+", lambda found: bytes.fromhex(found[0].replace("%", "")).decode(errors="replace"), text
    )


def is_safe_iri(text: str) -> bool:
    """Tell whether a text can stand between angle brackets: absolute, and without signs that would end it."""
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", text) is not None and IRI_UNSAFE.search(text) is None


def _unescaped(text: str) -> str:
    return re.sub(r"\\.", lambda found: _UNESCAPES.get(found[0], found[0][1]), text)
