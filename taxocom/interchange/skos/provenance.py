"""Who decided what about which topic, as PROV statements and change notes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from taxocom.interchange.base.context import ExportContext, TopicEvidence
from taxocom.taxonomy import decisions as d
from taxocom.taxonomy.statements import DCT, OURS, PROV, RDF, RDFS, TYPE, XSD, Iri, Literal, Triple, quoted
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy

ENGINE = Iri(OURS + "engine")


@dataclass
class TopicHistory:
    """What is known of how a topic came to be: decisions by their position in the log, first and last time."""

    decisions: list[Iri] = field(default_factory=list)
    made_by: Iri | None = None
    created: str = ""
    modified: str = ""


@dataclass(frozen=True)
class Provenance:
    """Histories by topic id, and the statements about decisions and people that they refer to."""

    histories: dict[str, TopicHistory]
    statements: list[Triple]


def topics_of(decision: d.Decision) -> tuple[str, ...]:
    """Return the ids of the topics that a decision changes; the root stands for the taxonomy itself."""
    match decision:
        case d.AcceptTopic(_, node) | d.AddTopic(_, node) | d.SuggestTopic(_, node):
            return (node.node_id,)
        case d.MergeTopics(into_id):
            return (into_id,)
        case d.SplitTopic(_, parts):
            return tuple(part.node_id for part in parts)
        case d.RenameTaxonomy() | d.RemoveTopic() | d.DeprecateTopic() | d.EditCollection():
            return (ROOT_ID,)
        case d.RelateTopics():
            return (decision.node_id, decision.other_id)
        case d.MoveTerms(_, _, to):
            return (to,)
        case d.RejectTopic() | d.Defer() | d.NameCluster() | d.MoveDocument():
            return ()
        case _:
            node_id = getattr(decision, "node_id", None)
            return (node_id,) if isinstance(node_id, str) else ()


def provenance(tree: Taxonomy, context: ExportContext) -> Provenance:
    """Tell from the log which decisions in force made each topic what it is."""
    histories: dict[str, TopicHistory] = {}
    statements: list[Triple] = []
    people: dict[str, Iri] = {}
    said = _summaries(context)
    for logged in d.effective(context.log):
        concerned = [node_id for node_id in topics_of(logged.decision) if node_id in tree]
        if not concerned:
            continue
        uri = Iri(f"{context.base_uri}decision/{logged.sequence}")
        person = people.setdefault(logged.author, Iri(f"{context.base_uri}person/{quoted(logged.author)}"))
        statements.extend(_decision(uri, logged, said[logged.sequence], person))
        for node_id in concerned:
            history = histories.setdefault(node_id, TopicHistory())
            history.decisions.append(uri)
            history.modified = logged.at or history.modified
            if isinstance(logged.decision, (d.AcceptTopic, d.AddTopic, d.SuggestTopic, d.SplitTopic)):
                history.created, history.made_by = logged.at, uri
    for author, person in people.items():
        if author:
            statements.append(Triple(person, TYPE, Iri(PROV + "Person")))
            statements.append(Triple(person, TYPE, Iri(OURS + "Curator")))
            statements.append(Triple(person, RDFS + "label", Literal(author)))
    return Provenance(histories, statements)


def proposal(node_id: str, evidence: TopicEvidence, context: ExportContext) -> Iterator[Triple]:
    """Yield what the engine stated about a topic when it proposed it."""
    uri = proposal_uri(node_id, context)
    yield Triple(uri, TYPE, Iri(OURS + "Proposal"))
    yield Triple(uri, TYPE, Iri(PROV + "Entity"))
    yield Triple(uri, PROV + "wasAttributedTo", ENGINE)
    for name in ("novelty", "distinctness", "stability"):
        value = getattr(evidence, name)
        if value is not None:
            yield Triple(uri, OURS + name, Literal(repr(float(value)), datatype=XSD + "double"))
    if evidence.settings:
        settings = json.dumps(dict(evidence.settings), ensure_ascii=False, sort_keys=True, default=str)
        yield Triple(uri, OURS + "settings", Literal(settings))
    if evidence.random_state is not None:
        yield Triple(uri, OURS + "randomState", Literal(str(evidence.random_state), datatype=XSD + "integer"))
    if evidence.corpus_fingerprint:
        yield Triple(uri, OURS + "corpusFingerprint", Literal(evidence.corpus_fingerprint))
    if evidence.proposed_at:
        yield Triple(uri, PROV + "generatedAtTime", _time(evidence.proposed_at))


def proposal_uri(node_id: str, context: ExportContext) -> Iri:
    """Return the URI of what the machine proposed for a topic."""
    return Iri(f"{context.base_uri}proposal/{quoted(node_id)}")


def dated(text: str) -> Literal:
    """Return a date or a moment as a typed literal."""
    return Literal(text, datatype=XSD + "date") if len(text) == 10 else _time(text)


def _decision(uri: Iri, logged: d.LoggedDecision, summary: str, person: Iri) -> Iterator[Triple]:
    yield Triple(uri, TYPE, Iri(OURS + "Decision"))
    yield Triple(uri, TYPE, Iri(PROV + "Activity"))
    text = f"{summary} ({logged.why})" if logged.why else summary
    # Our sentences are English whatever the language of the labels.
    yield Triple(uri, RDF + "value", Literal(text, language="en"))
    if logged.author:
        yield Triple(uri, DCT + "creator", person)
        yield Triple(uri, PROV + "wasAssociatedWith", person)
    if logged.at:
        yield Triple(uri, DCT + "date", dated(logged.at))
        yield Triple(uri, PROV + "endedAtTime", _time(logged.at))


def _summaries(context: ExportContext) -> dict[int, str]:
    if context.seed is None:
        blank = Taxonomy.empty()
        return {logged.sequence: logged.decision.summary(blank) for logged in context.log}
    return {entry.logged.sequence: entry.summary for entry in d.history(context.seed, context.log)}


def _time(text: str) -> Literal:
    return Literal(text, datatype=XSD + "dateTime")
