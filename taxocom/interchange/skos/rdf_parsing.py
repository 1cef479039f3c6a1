"""RDF from outside: parsed by rdflib, after everything that could reach out or blow up has been refused."""

from __future__ import annotations

import hashlib
import io
import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from xml.etree.ElementTree import ParseError

import rdflib
from defusedxml import ElementTree
from defusedxml.common import DefusedXmlException
from rdflib.store import Store
from rdflib.term import BNode, Node, URIRef
from rdflib.term import Literal as RdfLiteral

from taxocom.interchange.base.source import Source
from taxocom.interchange.plain.json_format import parse_json
from taxocom.taxonomy.statements import IRI_UNSAFE as _UNSAFE
from taxocom.taxonomy.statements import Blank, Iri, Literal, Subject, Term, Triple, encode_term

MAX_NESTING = 100
_FORMATS = {"turtle": "turtle", "rdfxml": "xml", "jsonld": "json-ld"}

RdfTriple = tuple[Node, Node, Node]

_NORMALISING = threading.Lock()


def parse_rdf(source: Source, syntax: str) -> list[Triple]:
    """Return the statements of a file in `turtle`, `rdfxml` or `jsonld`, blank nodes with stable names.

    XML entities, remote JSON-LD contexts and deep nesting are refused before rdflib sees the file.
    """
    data: str | bytes = source.data if syntax == "rdfxml" else source.text()
    if syntax == "rdfxml":
        _check_xml(source)
    elif syntax == "jsonld":
        _check_jsonld(source, parse_json(source))
    statements = _Statements()
    graph = rdflib.Graph(store=statements, bind_namespaces="none")
    try:
        with _literals_as_written():
            graph.parse(data=data, format=_FORMATS[syntax], publicID="urn:taxocom:import:")
    except RecursionError as error:
        raise source.error(f"nested more than {MAX_NESTING} deep.") from error
    # rdflib's parsers raise many kinds of errors, some of them bare Exceptions; all mean that the file is malformed.
    except Exception as error:
        lines = getattr(error, "lines", None)
        line = lines + 1 if isinstance(lines, int) else getattr(error, "_linenum", None)
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise source.error(f"not valid {syntax}: {reason}. Check it with its editor.", line) from error
    return stably_named([Triple(_subject(s), _address(p), _term(o)) for s, p, o in statements.found])


class _Statements(Store):
    """Where rdflib puts what it reads: a plain dict, since we ask for everything once and need no indices.

    Half of the time of reading would go into rdflib's own store.
    """

    # JSON-LD may speak of named graphs; their statements count like any others.
    context_aware = True

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[RdfTriple, None] = {}

    def add(self, triple: RdfTriple, context: Any, quoted: bool = False) -> None:  # noqa: ARG002  # rdflib's signature
        """Keep a statement."""
        self.found[triple] = None

    def bind(self, prefix: str, namespace: URIRef, override: bool = True) -> None:  # rdflib's signature
        """Forget a prefix: ours are fixed."""

    def namespace(self, prefix: str) -> None:  # rdflib's signature
        """Know no prefix."""

    def prefix(self, namespace: URIRef) -> None:  # rdflib's signature
        """Know no prefix."""

    def namespaces(self) -> Iterator[tuple[str, URIRef]]:
        """Know no prefix."""
        return iter(())


@contextmanager
def _literals_as_written() -> Iterator[None]:
    """Keep rdflib from rewriting dates and numbers in its own spelling; its switch for that is global."""
    with _NORMALISING:
        before, rdflib.NORMALIZE_LITERALS = rdflib.NORMALIZE_LITERALS, False
        try:
            yield
        finally:
            rdflib.NORMALIZE_LITERALS = before


def _check_xml(source: Source) -> None:
    depth = 0
    try:
        events = ElementTree.iterparse(io.BytesIO(source.data), events=("start", "end"), forbid_dtd=False)
        for event, element in events:
            depth += 1 if event == "start" else -1
            if depth > MAX_NESTING:
                raise source.error(f"XML nested more than {MAX_NESTING} deep.")
            if event == "end":
                element.clear()
    except DefusedXmlException as error:
        raise source.error(
            f"declares XML entities ({type(error).__name__}), which could reach other files or fill the memory. "
            "Save it as Turtle, or without a DOCTYPE."
        ) from error
    except ParseError as error:
        raise source.error(f"not valid XML: {error.msg}.", error.position[0]) from error
    except (LookupError, ValueError) as error:
        raise source.error(f"not XML that can be read: {error}. Save it as UTF-8.") from error


def _check_jsonld(source: Source, data: Any) -> None:
    pending = [(data, 0)]
    while pending:
        value, depth = pending.pop()
        if depth > MAX_NESTING:
            raise source.error(f"JSON nested more than {MAX_NESTING} deep.")
        if isinstance(value, dict):
            contexts = value.get("@context")
            for context in contexts if isinstance(contexts, list) else [contexts]:
                if isinstance(context, str):
                    raise source.error(
                        f"refers to the remote context {json.dumps(context)}, which is never fetched. "
                        "Put the context itself into the file, or save it as Turtle."
                    )
            if "@import" in value:
                raise source.error("imports a remote context, which is never fetched. Put it into the file itself.")
            pending.extend((item, depth + 1) for item in value.values())
        elif isinstance(value, list):
            pending.extend((item, depth + 1) for item in value)


def _subject(node: Node) -> Subject:
    return Blank(str(node)) if isinstance(node, BNode) else Iri(_address(node))


def _address(node: Node) -> str:
    # rdflib lets signs pass that would end an address when it is written again.
    return _UNSAFE.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), str(node))


def _term(node: Node) -> Term:
    if isinstance(node, URIRef):
        return Iri(_address(node))
    if isinstance(node, RdfLiteral):
        return Literal(str(node), node.language or "", "" if node.language else str(node.datatype or ""))
    return Blank(str(node))


# Things that so many steps do not tell apart are told apart by their order in the file.
_MAX_STEPS = 40


def stably_named(triples: Sequence[Triple]) -> list[Triple]:
    """Return the statements with each blank thing named by a digest of its surroundings.

    The surroundings grow by a step at a time until no more things are told apart by them. Equal ones are numbered as
    they come: which is which then makes no difference. The time is a few passes over the file, whatever it holds;
    finding the one best numbering, as standards for it do, may take for ever on a file that is made for that.
    """
    about: dict[Blank, list[tuple[str, str, Term]]] = {}
    for subject, predicate, value in triples:
        if isinstance(subject, Blank):
            about.setdefault(subject, []).append((">", predicate, value))
        if isinstance(value, Blank):
            about.setdefault(value, []).append(("<", predicate, subject))
    if not about:
        return list(triples)
    digests = dict.fromkeys(about, "")
    n_told_apart = 1
    for _ in range(_MAX_STEPS):
        digests = {thing: _digest(said, digests) for thing, said in about.items()}
        n_now = len(set(digests.values()))
        if n_now == n_told_apart:
            break
        n_told_apart = n_now
    names: dict[Blank, Blank] = {}
    n_seen: dict[str, int] = {}
    for thing, digest in digests.items():
        n_seen[digest] = n_seen.get(digest, 0) + 1
        names[thing] = Blank(f"b{digest[:24]}" + (f"n{n_seen[digest]}" if n_seen[digest] > 1 else ""))
    return [
        Triple(
            names[subject] if isinstance(subject, Blank) else subject,
            predicate,
            names[value] if isinstance(value, Blank) else value,
        )
        for subject, predicate, value in triples
    ]


def _digest(said: Sequence[tuple[str, str, Term]], digests: dict[Blank, str]) -> str:
    parts = sorted(
        f"{way}{predicate} {digests[other] if isinstance(other, Blank) else encode_term(other)}"
        for way, predicate, other in said
    )
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
