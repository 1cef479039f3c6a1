"""SKOS as a taxonomy: one tree out of what may be a net, in one language, with everything else carried along."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import PurePath

from taxocom.interchange.base.building import TreeBuilder
from taxocom.interchange.base.seed_document import SeedDocument
from taxocom.interchange.base.source import Source
from taxocom.interchange.skos.provenance import ENGINE
from taxocom.interchange.skos.skos_graph import COLLECTIONS, CONCEPT, DEPRECATED, SCHEME, UNDETERMINED, SkosGraph
from taxocom.interchange.skos.skos_topic import Pair, Statements, label_language, take_topic
from taxocom.interchange.skos.skos_writing import LABEL_LANGUAGE, carried_term
from taxocom.taxonomy.statements import (
    DCT,
    OURS,
    OWL,
    PREFIXES,
    PROV,
    SKOS,
    STATEMENT,
    TYPE,
    URI,
    Iri,
    Literal,
    Reference,
    Subject,
    Term,
    TopicRef,
    encode_term,
)
from taxocom.taxonomy.tree import ROOT_ID, TopicNode, topic_id

# What we write about decisions and proposals is made from the log at every export; it is named, not carried.
_MADE_ANEW_KINDS = tuple(Iri(OURS + name) for name in ("Decision", "Proposal", "Curator"))
_MADE_ANEW = {
    DCT + "created", DCT + "modified", DCT + "creator", OWL + "versionInfo", SKOS + "changeNote",
    PROV + "wasGeneratedBy", PROV + "wasDerivedFrom",
}  # fmt: skip

_MOST_DIGITS = 9


def read_skos(source: Source, syntax: str) -> SeedDocument:
    """Read SKOS in `turtle`, `rdfxml` or `jsonld`; what has no place in a tree is carried or named in `problems`."""
    # Imported where it is used: rdflib takes a third of a second that no other format needs.
    from taxocom.interchange.skos.rdf_parsing import parse_rdf

    return _Reader(source, syntax, SkosGraph(parse_rdf(source, syntax))).read()


class _Reader:
    def __init__(self, source: Source, syntax: str, graph: SkosGraph) -> None:
        self._source = source
        self._syntax = syntax
        self._graph = graph
        self._language = "" if graph.language == UNDETERMINED else graph.language
        self._builder = TreeBuilder(source, PurePath(source.name).stem or "Topics", graph.language)
        self._ids = self._claim_ids()
        self._things = self._own_things()
        self._kept: Counter[str] = Counter()

    def read(self) -> SeedDocument:
        graph, builder = self._graph, self._builder
        if not graph.concepts:
            raise self._source.error("no skos:Concept found. Is this a SKOS vocabulary?")
        for concept in sorted(graph.concepts, key=self._place_among_siblings):
            node_id, statements = self._ids[concept], Statements(concept, graph.said[concept])
            parents = self._parents(statements)
            builder.add(node_id, self._node(statements, parents))
            builder.link(node_id, self._ids[parents[0]] if parents else None)
            for further in parents[1:]:
                builder.problem(
                    "warning",
                    "polyhierarchy",
                    f"{builder.label_of(node_id)!r} is also under {graph.label(further)!r}. "
                    "A topic has one parent here: the second link is carried along and written again on export.",
                )
        builder.root = self._root()
        self._report()
        return builder.finish(self._syntax)

    def _claim_ids(self) -> dict[Subject, str]:
        ids: dict[Subject, str] = {}
        taken = {ROOT_ID}
        for concept in sorted(self._graph.concepts, key=encode_term):
            given = [text.value for text in self._graph.texts(concept, OURS + "id")]
            node_id = given[0] if len(given) == 1 and given[0] not in taken else topic_id(concept.value)
            taken.add(node_id)
            ids[concept] = node_id
        return ids

    def _own_things(self) -> dict[Subject, TopicRef]:
        """Return what our own export gave an id to and is no topic: collections, and topics that left the tree."""
        scheme = self._graph.main_scheme
        found = {}
        for subject in self._graph.said:
            given = [text.value for text in self._graph.texts(subject, OURS + "id")]
            if len(given) == 1 and subject not in self._ids and subject != scheme:
                found[subject] = TopicRef(given[0])
        return found

    def _place_among_siblings(self, concept: Subject) -> tuple[int, int, str, str, str]:
        positions = [
            int(text.value)
            for text in self._graph.texts(concept, OURS + "position")
            if text.value.isdecimal() and len(text.value) <= _MOST_DIGITS
        ]
        notation = next((text.value for text in self._graph.texts(concept, SKOS + "notation")), "")
        known = (0, positions[0]) if positions else (1, 0)
        return (*known, notation, self._graph.label(concept).casefold(), encode_term(concept))

    def _parents(self, statements: Statements) -> list[Subject]:
        """Return the concepts above one, the one to hang it under first; what was second before stays second."""
        second = {value for name, value in statements.property_hint() if name == SKOS + "broader"}
        above = self._graph.broader[statements.subject]
        return sorted(above, key=lambda parent: encode_term(TopicRef(self._ids[parent])) in second)

    def _node(self, statements: Statements, parents: list[Subject]) -> TopicNode:
        scheme = self._graph.main_scheme
        statements.take(TYPE, lambda kind: kind == CONCEPT)
        statements.take(SKOS + "inScheme", lambda value: value == scheme)
        statements.take(SKOS + "topConceptOf", lambda value: value == scheme)
        for name in ("broader", "narrower"):
            statements.take(SKOS + name, lambda value: value in self._graph.concepts)
        further = [(SKOS + "broader", encode_term(TopicRef(self._ids[parent]))) for parent in parents[1:]]
        if parents and statements.subject in self._graph.tops:
            further.append((SKOS + "topConceptOf", encode_term(TopicRef(ROOT_ID))))
        return self._topic(statements, self._ids[statements.subject], further)

    def _root(self) -> TopicNode:
        scheme = self._graph.main_scheme
        carried = self._carried_statements()
        if scheme is None or scheme not in self._graph.said:
            uri = () if scheme is None else ((URI, scheme.value),)
            return replace(self._builder.root, properties=(*uri, *carried))
        statements = Statements(scheme, self._graph.said[scheme])
        statements.take(TYPE, lambda kind: kind == SCHEME)
        statements.take(SKOS + "hasTopConcept", lambda value: value in self._graph.concepts)
        statements.take_texts(DCT + "language", lambda text: text.value == self._language)
        root = self._topic(statements, ROOT_ID, [], with_title=True)
        return replace(root, properties=(*root.properties, *carried))

    def _topic(
        self, statements: Statements, node_id: str, further: list[Pair], *, with_title: bool = False
    ) -> TopicNode:
        """Take a topic's fields and carry along what is left, in the order that our own export noted."""
        spoken = label_language(statements, self._language)
        taken = take_topic(statements, node_id, self._language)
        node = self._builder.clean(taken)
        if node.label in taken.alt_labels:
            self._builder.problem("warning", "S13", f"{node.label!r} is its own alternative label; left out.")
        if with_title:
            statements.take_texts(
                DCT + "title", lambda text: (text.value, text.language) == (taken.label, self._language)
            )
        if spoken != self._language:
            further = [*further, (LABEL_LANGUAGE, spoken or UNDETERMINED)]
        hint = statements.property_hint()
        found = dict.fromkeys(further)
        for name, value in statements.left:
            pair = (name, encode_term(self._referred(value)))
            if not statements.is_ours or name not in _MADE_ANEW or pair in hint:
                found[pair] = None
                self._kept[_shown(name, value)] += 1
        kept = [pair for pair in hint if pair in found or (carried_term(*pair) is None and pair[0] != LABEL_LANGUAGE)]
        rest = sorted(set(found).difference(kept))
        uri = () if statements.is_ours and not statements.record.get("uri") else ((URI, statements.subject.value),)
        return replace(node, properties=(*uri, *kept, *rest))

    def _referred(self, term: Term) -> Reference:
        if isinstance(term, Literal):
            return term
        if term == self._graph.main_scheme:
            return TopicRef(ROOT_ID)
        return TopicRef(self._ids[term]) if term in self._ids else self._things.get(term, term)

    def _carried_statements(self) -> list[Pair]:
        """Return the statements about things that are neither topics nor the scheme, one per line."""
        lines = []
        n_made_anew = 0
        for subject, said in self._graph.said.items():
            if subject in self._ids or subject == self._graph.main_scheme:
                continue
            if subject == ENGINE or any(self._graph.is_a(subject, kind) for kind in _MADE_ANEW_KINDS):
                n_made_anew += 1
                continue
            for name, values in said.items():
                for value in values:
                    parts = (self._referred(subject), Iri(name), self._referred(value))
                    lines.append(" ".join(map(encode_term, parts)))
        if n_made_anew:
            self._builder.problem(
                "info",
                "provenance",
                f"{n_made_anew} records of decisions, people and proposals are left out: every export makes them "
                "from the log. The bundle keeps the log itself.",
            )
        return [(STATEMENT, line) for line in sorted(lines)]

    def _report(self) -> None:
        graph, builder = self._graph, self._builder
        collections = [thing for thing in graph.said if any(graph.is_a(thing, kind) for kind in COLLECTIONS)]
        if collections:
            names = ", ".join(sorted(repr(graph.label(thing)) for thing in collections))
            builder.problem("info", "collections", f"Collections are carried along, not shown in the tree: {names}.")
        retired = [thing for thing in graph.said if graph.values(thing, DEPRECATED) and thing not in graph.concepts]
        if retired:
            names = ", ".join(sorted(repr(graph.label(thing)) for thing in retired))
            builder.problem("info", "deprecated", f"Deprecated concepts are carried along, not in the tree: {names}.")
        others = [scheme for scheme in graph.schemes[1:] if scheme in graph.said]
        if others:
            names = ", ".join(repr(graph.label(scheme)) for scheme in others)
            builder.problem("info", "schemes", f"Further concept schemes are carried along, not shown: {names}.")
        if self._kept:
            counts = ", ".join(f"{name} ({count})" for name, count in sorted(self._kept.items()))
            builder.problem("info", "carried", f"Statements without a place of their own are carried along: {counts}.")


def _shown(name: str, value: Term) -> str:
    short = next((f"{prefix}:{name[len(uri) :]}" for prefix, uri in PREFIXES.items() if name.startswith(uri)), name)
    return f"{short}@{value.language}" if isinstance(value, Literal) and value.language else short


def read_turtle(source: Source) -> SeedDocument:
    """Read SKOS in Turtle."""
    return read_skos(source, "turtle")


def read_rdfxml(source: Source) -> SeedDocument:
    """Read SKOS in RDF/XML."""
    return read_skos(source, "rdfxml")


def read_jsonld(source: Source) -> SeedDocument:
    """Read SKOS in JSON-LD."""
    return read_skos(source, "jsonld")
