"""A taxonomy as SKOS statements: what experts expect, and enough besides to read it back unchanged."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from taxocom.errors import ExportError
from taxocom.interchange.base.context import ExportContext
from taxocom.interchange.skos.provenance import ENGINE, dated, proposal, proposal_uri, provenance
from taxocom.interchange.skos.rdf_syntax import to_jsonld, to_rdfxml, to_turtle
from taxocom.interchange.skos.skos_graph import UNDETERMINED
from taxocom.taxonomy.statements import (
    DCT,
    OURS,
    OWL,
    PROV,
    RDFS,
    SKOS,
    STATEMENT,
    TYPE,
    URI,
    XSD,
    Blank,
    Iri,
    Literal,
    Reference,
    Term,
    TopicRef,
    Triple,
    decode_statement,
    decode_term,
    encode_term,
    is_safe_iri,
    quoted,
)
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode

LABEL_LANGUAGE = OURS + "labelLanguage"
_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*")


def skos_triples(tree: Taxonomy, context: ExportContext) -> list[Triple]:
    """Return every statement of an export: the scheme, then the topics in tree order, then who decided what."""
    return list(_Writer(tree, context).statements())


def uri_of(node: TopicNode, base_uri: str) -> str:
    """Return a topic's URI: the one it came with, or its id under the base; the root's is that of the scheme."""
    given = next((value for name, value in node.properties if name == URI and is_safe_iri(value)), None)
    return given or base_uri + ("scheme" if node.node_id == ROOT_ID else quoted(node.node_id))


class _Writer:
    def __init__(self, tree: Taxonomy, context: ExportContext) -> None:
        if not _LANGUAGE.fullmatch(tree.language):
            raise ExportError(f"The language {tree.language!r} is not a language tag. Use one such as en, de or pt-BR.")
        self._tree = tree
        self._context = context
        self._uris = {node_id: Iri(uri_of(node, context.base_uri)) for node_id, node in tree.nodes.items()}
        self._scheme = self._uris[ROOT_ID]
        self._provenance = provenance(tree, context)
        self._further_narrower = self._collect_further_narrower()

    def statements(self) -> Iterator[Triple]:
        yield from self._scheme_statements()
        positions = {child: index for below in self._tree.children.values() for index, child in enumerate(below)}
        for node in self._tree.walk():
            yield from self._concept(node, positions[node.node_id])
        for name, value in self._tree.root.properties:
            if name == STATEMENT:
                yield from self._carried_statement(value)
        yield from self._provenance.statements
        proposals = [(key, evidence) for key, evidence in self._context.evidence.items() if key in self._tree]
        for node_id, evidence in proposals:
            yield from proposal(node_id, evidence, self._context)
        if proposals:
            yield Triple(ENGINE, TYPE, Iri(PROV + "SoftwareAgent"))
            yield Triple(ENGINE, RDFS + "label", Literal("TaxoCom", language="en"))

    def _scheme_statements(self) -> Iterator[Triple]:
        root, scheme = self._tree.root, self._scheme
        yield Triple(scheme, TYPE, Iri(SKOS + "ConceptScheme"))
        yield Triple(scheme, DCT + "title", self._tagged(root.label))
        yield from self._described(scheme, root)
        if self._tree.language != UNDETERMINED:
            yield Triple(scheme, DCT + "language", Literal(self._tree.language))
        for name, value in ((DCT + "creator", self._context.author), (OWL + "versionInfo", self._context.version)):
            if value:
                yield Triple(scheme, name, Literal(value))
        for child in [*self._tree.children.get(ROOT_ID, ()), *self._further_tops()]:
            yield Triple(scheme, SKOS + "hasTopConcept", self._uris[child])
        yield from self._history(scheme, root)

    def _concept(self, node: TopicNode, position: int) -> Iterator[Triple]:
        uri = self._uris[node.node_id]
        parent = self._tree.parents[node.node_id]
        yield Triple(uri, TYPE, Iri(SKOS + "Concept"))
        yield Triple(uri, SKOS + "inScheme", self._scheme)
        if parent == ROOT_ID:
            yield Triple(uri, SKOS + "topConceptOf", self._scheme)
        else:
            yield Triple(uri, SKOS + "broader", self._uris[parent])
        yield from self._described(uri, node)
        for child in self._tree.children.get(node.node_id, ()):
            yield Triple(uri, SKOS + "narrower", self._uris[child])
        for other in self._further_narrower.get(node.node_id, ()):
            yield Triple(uri, SKOS + "narrower", other)
        yield Triple(uri, OURS + "position", Literal(str(position), datatype=XSD + "integer"))
        yield from self._history(uri, node)

    def _described(self, uri: Iri, node: TopicNode) -> Iterator[Triple]:
        label_language = next((v for n, v in node.properties if n == LABEL_LANGUAGE), self._tree.language)
        yield Triple(uri, SKOS + "prefLabel", _literal(node.label, label_language))
        yield from (Triple(uri, SKOS + "altLabel", self._tagged(name)) for name in node.alt_labels)
        for name, text in (("definition", node.definition), ("scopeNote", node.scope_note)):
            if text:
                yield Triple(uri, SKOS + name, self._tagged(text))
        yield from (Triple(uri, SKOS + "editorialNote", self._tagged(note)) for note in node.notes)
        if node.notation:
            yield Triple(uri, SKOS + "notation", Literal(node.notation))
        yield Triple(uri, OURS + "id", Literal(node.node_id))
        yield Triple(uri, OURS + "origin", Literal(node.origin))
        if node.status != "approved":
            yield Triple(uri, OURS + "status", Literal(node.status))
        if node.center_term:
            yield Triple(uri, OURS + "centerTerm", Literal(node.center_term))
        yield from (Triple(uri, OURS + "keyword", Literal(keyword)) for keyword in node.keywords)
        yield from (Triple(uri, OURS + "anchorTerm", Literal(anchor.term)) for anchor in node.anchors)
        if node.n_documents is not None:
            yield Triple(uri, OURS + "documentCount", Literal(str(node.n_documents), datatype=XSD + "integer"))
        if node.concentration is not None:
            yield Triple(uri, OURS + "concentration", Literal(repr(node.concentration), datatype=XSD + "double"))
        for name, value in node.properties:
            carried = self._carried(name, value)
            if carried is not None:
                yield Triple(uri, name, carried)
        order = order_record(node)
        if order:
            yield Triple(uri, OURS + "record", Literal(json.dumps(order, ensure_ascii=False)))

    def _history(self, uri: Iri, node: TopicNode) -> Iterator[Triple]:
        carried = {name for name, _ in node.properties}
        history = self._provenance.histories.get(node.node_id)
        if history is not None:
            yield from (Triple(uri, SKOS + "changeNote", decision) for decision in history.decisions)
            if history.made_by is not None:
                yield Triple(uri, PROV + "wasGeneratedBy", history.made_by)
            if history.created and DCT + "created" not in carried:
                yield Triple(uri, DCT + "created", dated(history.created))
        modified = self._context.generated if node.node_id == ROOT_ID else history.modified if history else ""
        if modified and DCT + "modified" not in carried:
            yield Triple(uri, DCT + "modified", dated(modified))
        if node.node_id in self._context.evidence:
            yield Triple(uri, PROV + "wasDerivedFrom", proposal_uri(node.node_id, self._context))

    def _tagged(self, text: str) -> Literal:
        return _literal(text, self._tree.language)

    def _carried(self, name: str, value: str) -> Term | None:
        term = carried_term(name, value)
        return None if term is None else self._resolved(term)

    def _carried_statement(self, line: str) -> Iterator[Triple]:
        statement = decode_statement(line)
        if statement is not None:
            subject = self._resolved(statement[0])
            if isinstance(subject, (Iri, Blank)):
                yield Triple(subject, statement[1], self._resolved(statement[2]))

    def _resolved(self, term: Reference) -> Term:
        if isinstance(term, TopicRef):
            return self._uris.get(term.node_id) or Iri(self._context.base_uri + quoted(term.node_id))
        return term

    def _collect_further_narrower(self) -> dict[str, list[Iri]]:
        """Return, for the broader topics that are carried as properties, the link in the other direction."""
        found: dict[str, list[Iri]] = {}
        for node in self._tree.walk():
            for name, value in node.properties:
                term = decode_term(value) if name == SKOS + "broader" else None
                if isinstance(term, TopicRef) and term.node_id in self._tree:
                    found.setdefault(term.node_id, []).append(self._uris[node.node_id])
        return found

    def _further_tops(self) -> list[str]:
        top = (SKOS + "topConceptOf", encode_term(TopicRef(ROOT_ID)))
        return [node.node_id for node in self._tree.walk() if top in node.properties]


def write_turtle(tree: Taxonomy, context: ExportContext) -> bytes:
    """Write SKOS as Turtle."""
    return to_turtle(skos_triples(tree, context), context.base_uri)


def write_rdfxml(tree: Taxonomy, context: ExportContext) -> bytes:
    """Write SKOS as RDF/XML."""
    return to_rdfxml(skos_triples(tree, context))


def write_jsonld(tree: Taxonomy, context: ExportContext) -> bytes:
    """Write SKOS as JSON-LD."""
    return to_jsonld(skos_triples(tree, context))


def carried_term(name: str, value: str) -> Reference | None:
    """Return the value of a property that is a statement, None for one that is not."""
    return decode_term(value) if is_safe_iri(name) and not name.startswith(OURS) else None


def order_record(node: TopicNode) -> dict[str, object]:
    """Return what statements cannot say: the order of values, scores of anchors, properties that are no statements."""
    record: dict[str, object] = {}
    for name, values in (("alt_labels", node.alt_labels), ("notes", node.notes), ("keywords", node.keywords)):
        if list(values) != sorted(set(values)):
            record[name] = list(values)
    if node.anchors:
        record["anchors"] = [
            [a.term, a.significance, a.relevance, a.integrity, a.distinctiveness, a.popularity] for a in node.anchors
        ]
    if any(name == URI and is_safe_iri(value) for name, value in node.properties):
        record["uri"] = True
    carried = [[name, value] for name, value in node.properties if not _has_own_place(name, value)]
    if carried:
        record["properties"] = carried
    return record


def _has_own_place(name: str, value: str) -> bool:
    return (name == URI and is_safe_iri(value)) or (name == STATEMENT and decode_statement(value) is not None)


def _literal(text: str, language: str) -> Literal:
    return Literal(text) if language == UNDETERMINED else Literal(text, language=language)
