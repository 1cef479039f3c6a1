"""What a SKOS file is about: which things are concepts, which scheme is the main one, what lies under what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property

from taxocom.taxonomy.statements import (
    DCT,
    OURS,
    OWL,
    RDFS,
    SKOS,
    TYPE,
    XSD,
    Iri,
    Literal,
    Subject,
    Term,
    Triple,
    encode_term,
)

Said = dict[str, list[Term]]

CONCEPT, SCHEME = Iri(SKOS + "Concept"), Iri(SKOS + "ConceptScheme")
COLLECTIONS = (Iri(SKOS + "Collection"), Iri(SKOS + "OrderedCollection"))
UNDETERMINED = "und"
"""The language of a vocabulary whose labels have no language tags; it is written without tags again."""
DEPRECATED = OWL + "deprecated"
_HIERARCHY = ("broader", "narrower", "topConceptOf", "hasTopConcept")


class SkosGraph:
    """Statements by subject, and what SKOS makes of them. All is sorted: reading twice gives the same."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self.said: dict[Subject, Said] = {}
        for subject, predicate, value in triples:
            self.said.setdefault(subject, {}).setdefault(predicate, []).append(_plain(value))
        for said in self.said.values():
            for values in said.values():
                if len(values) > 1:
                    values.sort(key=encode_term)

    def values(self, subject: Subject, name: str) -> list[Term]:
        """Return the statements about a thing; an empty list if there are none."""
        return self.said.get(subject, {}).get(name, [])

    def texts(self, subject: Subject, name: str) -> list[Literal]:
        """Return the literals stated about a thing."""
        return [value for value in self.values(subject, name) if isinstance(value, Literal)]

    def things(self, subject: Subject, name: str) -> list[Subject]:
        """Return the things that a thing is linked to."""
        return [value for value in self.values(subject, name) if not isinstance(value, Literal)]

    def is_a(self, subject: Subject, kind: Iri) -> bool:
        """Tell whether a thing is said to be of a kind."""
        return kind in self.values(subject, TYPE)

    @cached_property
    def concepts(self) -> set[Subject]:
        """Things said to be concepts, and described things that stand in a hierarchical link as one would."""
        found = {subject for subject in self.said if self.is_a(subject, CONCEPT)}
        for subject, said in self.said.items():
            linked = {
                value for name in _HIERARCHY for value in said.get(SKOS + name, ()) if not isinstance(value, Literal)
            }
            found |= {thing for thing in [subject, *linked] if linked and self._could_be_concept(thing)}
        return {thing for thing in found if not self._is_retired(thing)}

    def _is_retired(self, thing: Subject) -> bool:
        """Tell whether a thing is deprecated and stands in no hierarchy, so that no tree has a place for it."""
        said = self.said.get(thing, {})
        is_deprecated = any(value.value == "true" for value in self.texts(thing, DEPRECATED))
        return is_deprecated and not any(SKOS + name in said for name in _HIERARCHY)

    def _could_be_concept(self, thing: Subject) -> bool:
        said = self.said.get(thing, {})
        return SKOS + "prefLabel" in said and not any(self.is_a(thing, kind) for kind in (SCHEME, *COLLECTIONS))

    @cached_property
    def schemes(self) -> list[Subject]:
        """The concept schemes, the one with most concepts first."""
        found: Counter[Subject] = Counter({s: 0 for s in self.said if self.is_a(s, SCHEME)})
        for concept in self.concepts:
            found.update({*self.things(concept, SKOS + "inScheme"), *self.things(concept, SKOS + "topConceptOf")})
        return sorted(found, key=lambda scheme: (-found[scheme], encode_term(scheme)))

    @cached_property
    def main_scheme(self) -> Subject | None:
        """The scheme that becomes the root."""
        return self.schemes[0] if self.schemes else None

    @cached_property
    def broader(self) -> dict[Subject, list[Subject]]:
        """The concepts above each concept, from links in either direction."""
        links: dict[Subject, set[Subject]] = {concept: set() for concept in self.concepts}
        for concept in self.concepts:
            links[concept].update(self.concepts.intersection(self.things(concept, SKOS + "broader")))
            for below in self.concepts.intersection(self.things(concept, SKOS + "narrower")):
                links[below].add(concept)
        return {concept: sorted(above, key=encode_term) for concept, above in links.items()}

    @cached_property
    def tops(self) -> set[Subject]:
        """The concepts said to be at the top of the main scheme, in either direction."""
        if self.main_scheme is None:
            return set()
        below = self.concepts.intersection(self.things(self.main_scheme, SKOS + "hasTopConcept"))
        return below | {c for c in self.concepts if self.main_scheme in self.things(c, SKOS + "topConceptOf")}

    @cached_property
    def language(self) -> str:
        """The language of the tree: what the scheme says, or that of most preferred labels."""
        used = Counter(label.language for concept in self.concepts for label in self.texts(concept, SKOS + "prefLabel"))
        if self.main_scheme is not None:
            said = [text.value for text in self.texts(self.main_scheme, DCT + "language")]
            if len(said) == 1 and said[0] in used:
                return said[0]
            # A scheme of ours without a language was written without tags.
            if not said and self.texts(self.main_scheme, OURS + "id"):
                return UNDETERMINED
        return (
            max(used, key=lambda language: (used[language], language == "en", language), default="en") or UNDETERMINED
        )

    def label(self, thing: Subject) -> str:
        """Return the best name of a thing for a message."""
        labels = [
            text for name in (SKOS + "prefLabel", DCT + "title", RDFS + "label") for text in self.texts(thing, name)
        ]
        return next((label.value for label in labels if label.language == self.language), last_part(thing, labels))


def last_part(thing: Subject, labels: Sequence[Literal] = ()) -> str:
    """Return a thing's first label or else the last part of its URI."""
    return labels[0].value if labels else thing.value.rstrip("/#").replace("#", "/").rsplit("/", 1)[-1] or thing.value


def _plain(value: Term) -> Term:
    return Literal(value.value) if isinstance(value, Literal) and value.datatype == XSD + "string" else value
