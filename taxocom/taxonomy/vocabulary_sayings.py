"""What a vocabulary says beyond its tree, read from the statements that its topics carry."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from taxocom.taxonomy.statements import (
    BROADER,
    DCT,
    OURS,
    OWL,
    RELATED,
    SKOS,
    STATEMENT,
    TYPE,
    Iri,
    Literal,
    Reference,
    TopicRef,
    decode_statement,
    decode_term,
    encode_term,
    reference,
)
from taxocom.taxonomy.tree import Taxonomy, TopicNode, topic_id
from taxocom.taxonomy.vocabulary_kinds import Match

MATCHES: dict[Match, str] = {
    "exact": SKOS + "exactMatch",
    "close": SKOS + "closeMatch",
    "broad": SKOS + "broadMatch",
    "narrow": SKOS + "narrowMatch",
    "related": SKOS + "relatedMatch",
}
PREF, ALT, DEFINITION = SKOS + "prefLabel", SKOS + "altLabel", SKOS + "definition"
COLLECTION = Iri(SKOS + "Collection")
MEMBER, DEPRECATED, REPLACED_BY = SKOS + "member", OWL + "deprecated", DCT + "isReplacedBy"


@dataclass(frozen=True)
class Words:
    """What a topic is called in one language, and its definition."""

    label: str = ""
    alt_labels: tuple[str, ...] = ()
    definition: str = ""


@dataclass(frozen=True)
class Collection:
    """Topics that belong together for another reason than the tree; `key` is the term that stands for it."""

    key: str
    label: str
    members: tuple[str, ...]


@dataclass(frozen=True)
class DeprecatedTopic:
    """A topic that left the tree, and the id of the one that replaces it, empty for none."""

    key: str
    label: str
    replaced_by: str


def linked(node: TopicNode, name: str) -> list[str]:
    """Return the ids of the topics that a topic is linked to by a property."""
    terms = (decode_term(value) for found, value in node.properties if found == name)
    return [term.node_id for term in terms if isinstance(term, TopicRef)]


def related_to(node: TopicNode) -> list[str]:
    """Return the ids of the topics that a topic is related to."""
    return linked(node, RELATED)


def also_under(node: TopicNode) -> list[str]:
    """Return the ids of the topics that a topic is under besides its parent."""
    return linked(node, BROADER)


def matches_of(node: TopicNode) -> list[tuple[Match, str]]:
    """Return how a topic matches concepts of other vocabularies: the kind of match and the URI."""
    kinds = {name: how for how, name in MATCHES.items()}
    found = ((kinds[name], decode_term(value)) for name, value in node.properties if name in kinds)
    return [(how, term.value) for how, term in found if isinstance(term, Iri)]


def words_of(node: TopicNode) -> dict[str, Words]:
    """Return what a topic is called in languages other than the tree's."""
    texts: dict[str, dict[str, list[str]]] = {}
    for name, value in node.properties:
        term = decode_term(value) if name in (PREF, ALT, DEFINITION) else None
        if isinstance(term, Literal) and term.language:
            texts.setdefault(term.language, {}).setdefault(name, []).append(term.value)
    return {
        language: Words(
            next(iter(said.get(PREF, ())), ""), tuple(said.get(ALT, ())), next(iter(said.get(DEFINITION, ())), "")
        )
        for language, said in sorted(texts.items())
    }


def collections_of(tree: Taxonomy) -> list[Collection]:
    """Return the collections of a vocabulary, by name."""
    said = _said(tree)
    found = []
    for key, pairs in said.items():
        if (TYPE, COLLECTION) in pairs or (TYPE, Iri(SKOS + "OrderedCollection")) in pairs:
            members = tuple(term.node_id for name, term in pairs if name == MEMBER and isinstance(term, TopicRef))
            found.append(Collection(key, _label(pairs, tree.language) or key, members))
    return sorted(found, key=lambda each: (each.label.casefold(), each.key))


def collection_key(tree: Taxonomy, label: str) -> str:
    """Return the term that stands for the collection of a name, or for a new one if there is none."""
    wanted = " ".join(label.split()).casefold()
    known = next((each.key for each in collections_of(tree) if each.label.casefold() == wanted), "")
    return known or reference(topic_id("collection", wanted))


def deprecated_of(tree: Taxonomy) -> list[DeprecatedTopic]:
    """Return the topics that left the tree and stay known, by name."""
    found = []
    for key, pairs in _said(tree).items():
        if any(name == DEPRECATED and isinstance(term, Literal) and term.value == "true" for name, term in pairs):
            instead = [term for name, term in pairs if name == REPLACED_BY]
            replaced_by = next((term.node_id for term in instead if isinstance(term, TopicRef)), "")
            found.append(DeprecatedTopic(key, _label(pairs, tree.language) or key, replaced_by))
    return sorted(found, key=lambda each: (each.label.casefold(), each.key))


def lines_about(root: TopicNode, key: str) -> list[tuple[str, str]]:
    """Return the carried statements about one thing, as the root has them."""
    return [(name, line) for name, line in root.properties if name == STATEMENT and line.startswith(key + " ")]


def own_id(pairs: list[tuple[str, Reference]]) -> str:
    """Return the id that we gave to a thing that is no topic, empty for a thing from elsewhere."""
    return next((term.value for name, term in pairs if name == OURS + "id" and isinstance(term, Literal)), "")


def _said(tree: Taxonomy) -> dict[str, list[tuple[str, Reference]]]:
    said: dict[str, list[tuple[str, Reference]]] = {}
    for subject, name, value in _statements(tree):
        said.setdefault(encode_term(subject), []).append((name, value))
    return said


def _statements(tree: Taxonomy) -> Iterator[tuple[Reference, str, Reference]]:
    for name, line in tree.root.properties:
        found = decode_statement(line) if name == STATEMENT else None
        if found is not None:
            yield found


def _label(pairs: list[tuple[str, Reference]], language: str) -> str:
    labels = [term for name, term in pairs if name == PREF and isinstance(term, Literal)]
    best = sorted(labels, key=lambda term: (term.language != language, term.language))
    return best[0].value if best else ""
