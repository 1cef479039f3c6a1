"""The integrity conditions of SKOS and what thesaurus editors expect besides, over the statements of a vocabulary."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Literal as OneOf

from taxocom.interchange.skos.skos_graph import COLLECTIONS, CONCEPT, SCHEME, SkosGraph
from taxocom.taxonomy.statements import SKOS, Literal, Subject, Term, encode_term

Severity = OneOf["error", "warning", "info"]
Rule = OneOf[
    "S9", "S13", "S14", "S27", "S37", "S46", "cycle", "orphan", "duplicate-label", "undocumented", "dangling"
]  # fmt: skip

TITLES: dict[str, str] = {
    "S9": "a concept scheme is not a concept",
    "S13": "preferred, alternative and hidden labels differ",
    "S14": "one preferred label per language",
    "S27": "related concepts are not above or below each other",
    "S37": "a collection is neither a concept nor a scheme",
    "S46": "an exact match is not also a broad or related match",
    "cycle": "no concept is above itself",
    "orphan": "every concept is under another or at the top of a scheme",
    "duplicate-label": "no two concepts of a scheme have the same label",
    "undocumented": "every concept is documented",
    "dangling": "every link leads somewhere",
}
_DOCUMENTATION = ("definition", "scopeNote", "note", "example", "editorialNote", "historyNote", "changeNote")
_LABELS = ("prefLabel", "altLabel", "hiddenLabel")


@dataclass(frozen=True)
class Violation:
    """A rule that something breaks; `terms` are the values that break it, for those who offer a fix."""

    rule: Rule
    severity: Severity
    subject: Subject
    message: str
    terms: tuple[Term, ...] = ()


def violations(graph: SkosGraph) -> list[Violation]:
    """Return every broken rule, the graver ones first, in a stable order."""
    checks = (_kinds, _labels, _hierarchy, _related, _matches, _orphans, _duplicates, _undocumented)
    found = [violation for check in checks for violation in check(graph)]
    rank = {"error": 0, "warning": 1, "info": 2}
    return sorted(
        found, key=lambda v: (rank[v.severity], list(TITLES).index(v.rule), encode_term(v.subject), v.message)
    )


def _kinds(graph: SkosGraph) -> Iterator[Violation]:
    for thing in graph.said:
        kinds = {kind for kind in (CONCEPT, SCHEME) if graph.is_a(thing, kind)}
        name = repr(graph.label(thing))
        if kinds == {CONCEPT, SCHEME}:
            yield Violation("S9", "error", thing, f"{name} is both a concept and a concept scheme.", (SCHEME,))
        grouped = [kind for kind in COLLECTIONS if graph.is_a(thing, kind)]
        if grouped and kinds:
            yield Violation(
                "S37", "error", thing, f"{name} is a collection and also a concept or scheme.", tuple(grouped)
            )


def _labels(graph: SkosGraph) -> Iterator[Violation]:
    for concept in graph.concepts:
        name = repr(graph.label(concept))
        by_kind = {kind: set(graph.texts(concept, SKOS + kind)) for kind in _LABELS}
        for one, other in combinations(_LABELS, 2):
            for label in sorted(by_kind[one] & by_kind[other], key=encode_term):
                message = f"{name} has {label.value!r} both as {one} and as {other}."
                yield Violation("S13", "error", concept, message, (label,))
        languages: dict[str, list[Literal]] = defaultdict(list)
        for label in sorted(by_kind["prefLabel"], key=encode_term):
            languages[label.language].append(label)
        for language, labels in languages.items():
            if len(labels) > 1:
                listed = ", ".join(repr(label.value) for label in labels)
                tag = f"in {language}" if language else "without a language"
                yield Violation("S14", "error", concept, f"{name} has several labels {tag}: {listed}.", tuple(labels))


def _hierarchy(graph: SkosGraph) -> Iterator[Violation]:
    for circle in _circles(graph.broader):
        shown = " > ".join(graph.label(concept) for concept in [*circle, circle[0]])
        yield Violation(
            "cycle", "error", circle[0], f"The broader links go round in a circle: {shown}.", tuple(circle[1:])
        )


def _related(graph: SkosGraph) -> Iterator[Violation]:
    seen: set[frozenset[Subject]] = set()
    for concept in sorted(graph.concepts, key=encode_term):
        others = [other for other in graph.things(concept, SKOS + "related") if other in graph.concepts]
        for other in others:
            pair = frozenset((concept, other))
            if pair not in seen and (_is_above(graph, other, concept) or _is_above(graph, concept, other)):
                seen.add(pair)
                message = f"{graph.label(concept)!r} is related to {graph.label(other)!r}, which is above or below it."
                yield Violation("S27", "error", concept, message, (other,))


def _matches(graph: SkosGraph) -> Iterator[Violation]:
    for concept in graph.concepts:
        exact = set(graph.values(concept, SKOS + "exactMatch"))
        for kind in ("broadMatch", "narrowMatch", "relatedMatch"):
            for match in sorted(exact.intersection(graph.values(concept, SKOS + kind)), key=encode_term):
                name = graph.label(concept)
                message = f"{name!r} has {encode_term(match)} as an exact match and as a {kind}."
                yield Violation("S46", "error", concept, message, (match,))


def _orphans(graph: SkosGraph) -> Iterator[Violation]:
    for concept in graph.concepts:
        if (
            not graph.broader[concept]
            and not graph.things(concept, SKOS + "topConceptOf")
            and concept not in graph.tops
        ):
            message = f"{graph.label(concept)!r} is under no concept and at the top of no scheme."
            yield Violation("orphan", "warning", concept, message)


def _duplicates(graph: SkosGraph) -> Iterator[Violation]:
    places: dict[tuple[str, str], list[Subject]] = defaultdict(list)
    for concept in sorted(graph.concepts, key=encode_term):
        for label in {(text.value.casefold(), text.language) for text in graph.texts(concept, SKOS + "prefLabel")}:
            places[label].append(concept)
    for (_, language), concepts in places.items():
        for concept in concepts[1:]:
            others = len(concepts) - 1
            tag = f" in {language}" if language else ""
            message = (
                f"{graph.label(concept)!r} is the label{tag} of {others} other concept{'s' if others > 1 else ''} too."
            )
            yield Violation("duplicate-label", "warning", concept, message, (concepts[0],))


def _undocumented(graph: SkosGraph) -> Iterator[Violation]:
    for concept in graph.concepts:
        # A change note tells what was done, not what the concept means; it counts only if it is a text.
        if not any(graph.texts(concept, SKOS + kind) for kind in _DOCUMENTATION):
            message = f"{graph.label(concept)!r} has no definition, scope note or other documentation."
            yield Violation("undocumented", "info", concept, message)


def _is_above(graph: SkosGraph, upper: Subject, lower: Subject) -> bool:
    pending, seen = list(graph.broader[lower]), set()
    while pending:
        current = pending.pop()
        if current == upper:
            return True
        if current not in seen:
            seen.add(current)
            pending.extend(graph.broader[current])
    return False


def _circles(above: dict[Subject, list[Subject]]) -> Iterator[list[Subject]]:
    """Yield a circle for every way back up that a depth-first walk meets."""
    done: set[Subject] = set()
    for start in sorted(above, key=encode_term):
        trail: dict[Subject, Iterator[Subject]] = {start: iter(above[start])} if start not in done else {}
        while trail:
            current = next(reversed(trail))
            following = next(trail[current], None)
            if following is None:
                done.add(current)
                del trail[current]
            elif following in trail:
                way = list(trail)
                yield way[way.index(following) :][::-1]
            elif following not in done:
                trail[following] = iter(above[following])
