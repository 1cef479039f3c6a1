"""Statements as Turtle, RDF/XML and JSON-LD: subjects in the order given, so that equal trees give equal bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from taxocom.errors import ExportError
from taxocom.taxonomy.statements import (
    PREFIXES,
    TYPE,
    Blank,
    Iri,
    Literal,
    Subject,
    Term,
    Triple,
    encode_term,
    escaped,
)

_LOCAL = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_SPLIT = re.compile(r"(.*[^A-Za-z0-9_-]|)([A-Za-z_][A-Za-z0-9_-]*)")
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

Grouped = dict[Subject, dict[str, list[Term]]]


def to_turtle(triples: Iterable[Triple], base_uri: str) -> bytes:
    """Write Turtle, a block a subject; what lies under the base is written short."""
    prefixes = {**PREFIXES, "": base_uri}
    blocks = ["".join(f"@prefix {prefix}: <{uri}> .\n" for prefix, uri in prefixes.items())]
    for subject, said in _grouped(triples).items():
        lines = [
            f"{'a' if predicate == TYPE else _short(predicate, base_uri)} "
            + ", ".join(_turtle(value, base_uri) for value in values)
            for predicate, values in said.items()
        ]
        blocks.append(f"{_turtle(subject, base_uri)} " + " ;\n    ".join(lines) + " .\n")
    return "\n".join(blocks).encode()


def to_jsonld(triples: Iterable[Triple]) -> bytes:
    """Write JSON-LD with its context inside: nothing has to be fetched to read it."""
    graph: list[dict[str, Any]] = []
    for subject, said in _grouped(triples).items():
        entry: dict[str, Any] = {"@id": _json_id(subject)}
        for predicate, values in said.items():
            if predicate == TYPE and all(isinstance(value, Iri) for value in values):
                entry["@type"] = [_compact(value.value) for value in values]
            else:
                entry[_compact(predicate)] = [_json_value(value) for value in values]
        graph.append(entry)
    # A line a subject: readable enough, and many times quicker than indented JSON.
    subjects = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in graph)
    return f'{{"@context": {json.dumps(PREFIXES, indent=1)},\n"@graph": [\n{subjects}\n]}}\n'.encode()


def to_rdfxml(triples: Iterable[Triple]) -> bytes:
    """Write RDF/XML, an element a subject."""
    prefixes = dict(PREFIXES)
    body: list[str] = []
    for subject, said in _grouped(triples).items():
        about = "rdf:nodeID" if isinstance(subject, Blank) else "rdf:about"
        body.append(f"  <rdf:Description {about}={_attribute(subject.value)}>")
        for predicate, values in said.items():
            name = _element_name(predicate, prefixes)
            body.extend(f"    {_element(name, value)}" for value in values)
        body.append("  </rdf:Description>")
    spaces = "".join(f"\n    xmlns:{prefix}={_attribute(uri)}" for prefix, uri in prefixes.items())
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<rdf:RDF{spaces}>", *body, "</rdf:RDF>", ""]
    return "\n".join(lines).encode()


def _grouped(triples: Iterable[Triple]) -> Grouped:
    grouped: Grouped = {}
    for subject, predicate, value in triples:
        values = grouped.setdefault(subject, {}).setdefault(predicate, [])
        if value not in values:
            values.append(value)
    return grouped


@lru_cache(maxsize=10_000)
def _compact(iri: str, base_uri: str = "") -> str:
    for prefix, uri in (("", base_uri), *PREFIXES.items()) if base_uri else PREFIXES.items():
        if iri.startswith(uri) and _LOCAL.fullmatch(iri, len(uri)):
            return f"{prefix}:{iri[len(uri) :]}"
    return iri


def _short(iri: str, base_uri: str) -> str:
    compact = _compact(iri, base_uri)
    return f"<{iri}>" if compact == iri else compact


def _turtle(term: Term, base_uri: str) -> str:
    match term:
        case Iri(value):
            return _short(value, base_uri)
        case Literal(value, _, datatype) if datatype:
            return f'"{escaped(value)}"^^{_short(datatype, base_uri)}'
        case _:
            return encode_term(term)


def _json_id(term: Iri | Blank) -> str:
    return f"_:{term.value}" if isinstance(term, Blank) else term.value


def _json_value(term: Term) -> dict[str, str]:
    if not isinstance(term, Literal):
        return {"@id": _json_id(term)}
    if term.language:
        return {"@value": term.value, "@language": term.language}
    return {"@value": term.value, "@type": _compact(term.datatype)} if term.datatype else {"@value": term.value}


def _element_name(predicate: str, prefixes: dict[str, str]) -> str:
    found = _SPLIT.fullmatch(predicate)
    if found is None:
        raise ExportError(
            f"The property <{predicate}> has no name that XML allows. Export as Turtle or JSON-LD instead."
        )
    space, local = found[1], found[2]
    for prefix, uri in prefixes.items():
        if uri == space:
            return f"{prefix}:{local}"
    prefix = f"ns{len(prefixes) - len(PREFIXES) + 1}"
    prefixes[prefix] = space
    return f"{prefix}:{local}"


def _element(name: str, value: Term) -> str:
    match value:
        case Iri(iri):
            return f"<{name} rdf:resource={_attribute(iri)}/>"
        case Blank(blank):
            return f"<{name} rdf:nodeID={_attribute(blank)}/>"
        case Literal(text, language, datatype):
            tag = f" xml:lang={_attribute(language)}" if language else ""
            tag = f" rdf:datatype={_attribute(datatype)}" if datatype else tag
            return f"<{name}{tag}>{escape(_allowed(text), {chr(13): '&#13;'})}</{name}>"


def _attribute(text: str) -> str:
    return quoteattr(_allowed(text))


def _allowed(text: str) -> str:
    found = _NOT_XML.search(text)
    if found:
        raise ExportError(
            f"{text[:40]!r} holds U+{ord(found[0]):04X}, which XML cannot. Remove it, or export as Turtle."
        )
    return text
