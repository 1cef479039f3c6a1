"""One concept or scheme as a topic: each statement is taken into a field, or left over to be carried along."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast, get_args

from taxocom.interchange.skos.skos_graph import Said, last_part
from taxocom.taxonomy.statements import DCT, OURS, RDFS, SKOS, Literal, Subject, Term
from taxocom.taxonomy.tree import AnchorTerm, Origin, Status, TopicNode

Number = TypeVar("Number", int, float)
Pair = tuple[str, str]


class Statements:
    """The statements about one thing, taken out piece by piece; those left at the end found no place."""

    def __init__(self, subject: Subject, said: Said) -> None:
        self.subject = subject
        self._left = {name: list(values) for name, values in said.items() if not name.startswith(OURS)}
        self._own = {name: [v.value for v in values] for name, values in said.items() if name.startswith(OURS)}
        self.record = self._read_record()
        self.is_ours = OURS + "id" in self._own

    @property
    def left(self) -> list[tuple[str, Term]]:
        """What nobody has taken."""
        return [(name, value) for name, values in self._left.items() for value in values]

    def take(self, name: str, wanted: Callable[[Term], bool]) -> list[Term]:
        """Take every value of a property that is wanted."""
        values = self._left.get(name)
        if not values:
            return []
        taken = [value for value in values if wanted(value)]
        self._left[name] = [value for value in values if value not in taken]
        return taken

    def take_texts(self, name: str, wanted: Callable[[Literal], bool]) -> list[str]:
        """Take the literals of a property that are wanted, as texts."""
        taken = self.take(name, lambda value: isinstance(value, Literal) and wanted(value))
        return [value.value for value in taken]

    def take_text(self, name: str, wanted: Callable[[Literal], bool]) -> str:
        """Take the first literal of a property that is wanted, as a text; empty for none."""
        first = next((text for text in self.texts(name) if wanted(text)), None)
        return next(iter(self.take_texts(name, lambda value: value == first)), "")

    def texts(self, name: str) -> list[Literal]:
        """Return the literals of a property without taking them."""
        return [value for value in self._left.get(name, ()) if isinstance(value, Literal)]

    def own(self, name: str) -> list[str]:
        """Return what our own vocabulary says."""
        return self._own.get(OURS + name, [])

    def hint(self, name: str) -> list[Any]:
        """Return the order that our own export noted; a foreign or damaged one counts as none."""
        values = self.record.get(name, [])
        return values if isinstance(values, list) else []

    def property_hint(self) -> list[Pair]:
        """Return the properties that our own export noted."""
        return [
            (pair[0], pair[1])
            for pair in self.hint("properties")
            if isinstance(pair, list) and len(pair) == 2 and all(isinstance(part, str) for part in pair)
        ]

    def _read_record(self) -> dict[str, Any]:
        for text in self._own.get(OURS + "record", []):
            try:
                data = json.loads(text)
            except (ValueError, RecursionError):
                continue
            if isinstance(data, dict):
                return data
        return {}


def take_topic(statements: Statements, node_id: str, language: str) -> TopicNode:
    """Take the fields of a topic in one language; `language` is empty where literals have no tags."""

    def is_main(text: Literal) -> bool:
        return text.language == language and not text.datatype

    def is_untagged(text: Literal) -> bool:
        return not text.language and not text.datatype

    label = take_label(statements, language)
    return TopicNode(
        node_id,
        label,
        center_term=next(iter(statements.own("centerTerm")), ""),
        keywords=ordered(statements.own("keyword"), statements.hint("keywords")),
        anchors=_anchors(statements),
        origin=cast(Origin, _choice(statements.own("origin"), get_args(Origin), "seed")),
        status=cast(Status, _choice(statements.own("status"), get_args(Status), "approved")),
        alt_labels=ordered(statements.take_texts(SKOS + "altLabel", is_main), statements.hint("alt_labels")),
        definition=statements.take_text(SKOS + "definition", is_main),
        scope_note=statements.take_text(SKOS + "scopeNote", is_main),
        notation=statements.take_text(SKOS + "notation", is_untagged),
        notes=ordered(statements.take_texts(SKOS + "editorialNote", is_main), statements.hint("notes")),
        n_documents=_number(statements.own("documentCount"), int),
        concentration=_number(statements.own("concentration"), float),
    )


def take_label(statements: Statements, language: str) -> str:
    """Take the preferred label, in the language if there is one; without any, borrow another name and take nothing."""
    labels = _by_language(statements.texts(SKOS + "prefLabel"), language)
    if labels:
        return statements.take_text(SKOS + "prefLabel", lambda text: text == labels[0])
    for name in (DCT + "title", RDFS + "label", SKOS + "altLabel"):
        others = _by_language(statements.texts(name), language)
        if others:
            return others[0].value
    return last_part(statements.subject)


def label_language(statements: Statements, language: str) -> str:
    """Return the language of the label that `take_label` would take, which may not be the tree's."""
    labels = _by_language(statements.texts(SKOS + "prefLabel"), language)
    return labels[0].language if labels else language


def ordered(values: Iterable[str], hint: list[Any]) -> tuple[str, ...]:
    """Return values in the order of `hint`, those that it does not know at the end."""
    known = set(values)
    first = [value for value in hint if isinstance(value, str) and value in known]
    return (*first, *sorted(known.difference(first)))


def _by_language(texts: list[Literal], language: str) -> list[Literal]:
    named = [text for text in texts if text.value.strip() and not text.datatype]
    return sorted(named, key=lambda text: (text.language != language, text.language != "", text.language, text.value))


def _anchors(statements: Statements) -> tuple[AnchorTerm, ...]:
    scored = {row[0]: AnchorTerm(row[0], *map(float, row[1:])) for row in statements.hint("anchors") if _is_anchor(row)}
    terms = ordered(statements.own("anchorTerm"), list(scored))
    return tuple(scored.get(term, AnchorTerm(term, 0.0)) for term in terms)


def _is_anchor(row: Any) -> bool:
    return (
        isinstance(row, list)
        and len(row) == 6
        and isinstance(row[0], str)
        # A whole number may have more digits than a score can.
        and all(isinstance(part, float) or (isinstance(part, int) and abs(part) < 10**9) for part in row[1:])
    )


def _choice(values: list[str], allowed: tuple[str, ...], default: str) -> str:
    return values[0] if values and values[0] in allowed else default


def _number(values: list[str], kind: Callable[[str], Number]) -> Number | None:
    try:
        return kind(values[0]) if values else None
    except (ValueError, OverflowError):
        return None
