"""Does a seed fit a corpus? Asked before any computing, answered so that a person can act on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from taxocom.errors import SeedError
from taxocom.numerics.arrays import Floats2d
from taxocom.taxonomy.tree import Taxonomy, TopicNode
from taxocom.text.language.stop_words import StopWords
from taxocom.text.language.stop_words import stop_words as stop_list
from taxocom.text.language.tokens import words_of
from taxocom.text.terms.lookup import NearTerm, nearest_by_spelling, nearest_by_vector
from taxocom.text.terms.seed_phrases import phrase_forms
from taxocom.text.terms.vocabulary import Vocabulary, display, join_words

Severity = Literal["error", "warning", "info"]
FixKind = Literal["add_keyword", "rename", "remove"]

MIN_DOCUMENTS = 10
N_NEAR = 5
# Below this, letters in common are a coincidence and no suggestion.
_MIN_LIKENESS = 0.5


@dataclass(frozen=True)
class Fix:
    """What would solve a finding, for a button: give the topic a keyword, another name, or take it out."""

    kind: FixKind
    node_id: str
    value: str
    message: str


@dataclass(frozen=True)
class Finding:
    """Something to know about a topic. An error leaves the topic without a term; a warning makes it weak."""

    severity: Severity
    code: str
    node_id: str
    message: str
    fixes: tuple[Fix, ...] = ()


@dataclass(frozen=True)
class TopicMatch:
    """The term that a topic was found by (its name, or else its most frequent keyword), empty if by none.

    Only then are there near terms: by spelling, and by the documents that the words of the name occur in.
    """

    node_id: str
    path: tuple[str, ...]
    term: str
    matched_by: Literal["name", "keyword", ""]
    count: int
    document_frequency: int
    near_by_spelling: tuple[NearTerm, ...] = ()
    near_by_meaning: tuple[NearTerm, ...] = ()


@dataclass(frozen=True)
class PreflightReport:
    """How every topic of a seed was matched, and what was found, in tree order."""

    matches: tuple[TopicMatch, ...]
    findings: tuple[Finding, ...]

    @property
    def n_matched(self) -> int:
        """The number of topics that occur in the corpus."""
        return sum(bool(match.term) for match in self.matches)

    @property
    def ok(self) -> bool:
        """Whether there is no error among the findings."""
        return not any(finding.severity == "error" for finding in self.findings)

    def require_match(self) -> None:
        """Raise a SeedError if no topic occurs in the corpus: nothing could be computed."""
        if self.n_matched:
            return
        near = [f"{m.path[-1]!r}: {_shown(m.near_by_spelling[:3])}" for m in self.matches if m.near_by_spelling]
        hint = f" Nearest terms: {'; '.join(near[:5])}." if near else ""
        raise SeedError(
            f"None of the {len(self.matches)} topics of the seed occurs in the corpus.{hint} Is this the right corpus, "
            "and is the seed in its language? Name topics as the documents do, or give them keywords."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain data."""
        return {
            "ok": self.ok,
            "topics": len(self.matches),
            "matched": self.n_matched,
            "matches": [asdict(match) for match in self.matches],
            "findings": [asdict(finding) for finding in self.findings],
        }

    def report(self) -> str:
        """Return the report as text: a line a topic, then what to do."""
        lines = [f"{self.n_matched} of {len(self.matches)} topics occur in the corpus."]
        for match in self.matches:
            said = f"{display(match.term)!r}, {match.document_frequency} documents" if match.term else "not found"
            by = " (by a keyword)" if match.matched_by == "keyword" else ""
            lines.append(f"{'  ' * (len(match.path) - 1)}- {match.path[-1]}: {said}{by}")
        for severity, title in (("error", "To fix"), ("warning", "To check"), ("info", "Notes")):
            found = [finding for finding in self.findings if finding.severity == severity]
            if found:
                lines += ["", f"{title}:", *(f"- {finding.message}" for finding in found)]
        return "\n".join(lines)


def check_seed(
    seed: Taxonomy,
    vocabulary: Vocabulary,
    *,
    term_vectors: Floats2d | None = None,
    stop_words: Sequence[str] | None = None,
    min_documents: int = MIN_DOCUMENTS,
) -> PreflightReport:
    """Match every topic of a seed to a term and say what stands in the way.

    `term_vectors`, shape (n_terms, dim), give suggestions by meaning (`quick_term_vectors` makes them in seconds).
    `stop_words` None means those of the corpus's language. A report is returned even if nothing matches: see
    `require_match`.
    """
    stops = stop_list(stop_words, vocabulary.language)
    checker = _Checker(seed, vocabulary, term_vectors, stops, min_documents)
    matches = tuple(checker.match(node) for node in seed.walk())
    findings = [finding for match in matches for finding in checker.findings(match)]
    findings.extend(_shared_names(seed))
    findings.extend(_shared_terms(seed, matches))
    order = {node.node_id: place for place, node in enumerate(seed.walk())}
    return PreflightReport(matches, tuple(sorted(findings, key=lambda finding: order[finding.node_id])))


def apply_fix(seed: Taxonomy, fix: Fix) -> Taxonomy:
    """Return the seed with a fix carried out."""
    node = seed[fix.node_id]
    if fix.kind == "remove":
        return seed.without(fix.node_id)
    if fix.kind == "rename":
        return seed.with_changed(replace(node, label=fix.value))
    return seed.with_changed(replace(node, keywords=tuple(dict.fromkeys([*node.keywords, fix.value]))))


@dataclass(frozen=True)
class _Checker:
    seed: Taxonomy
    vocabulary: Vocabulary
    vectors: Floats2d | None
    stop_words: StopWords
    min_documents: int

    def match(self, node: TopicNode) -> TopicMatch:
        term_id, matched_by = self._find(node.label), "name"
        if term_id is None:
            by_keyword = [found for keyword in node.keywords if (found := self._find(keyword)) is not None]
            term_id = max(by_keyword, key=lambda i: int(self.vocabulary.counts[i]), default=None)
            matched_by = "keyword"
        path = self.seed.path_of(node.node_id)
        if term_id is not None:
            return TopicMatch(
                node.node_id,
                path,
                self.vocabulary.terms[term_id],
                "name" if matched_by == "name" else "keyword",
                int(self.vocabulary.counts[term_id]),
                int(self.vocabulary.document_frequencies[term_id]),
            )
        spelled = [near for near in nearest_by_spelling(node.label, self.vocabulary, N_NEAR) if self._helps(near)]
        return TopicMatch(node.node_id, path, "", "", 0, 0, tuple(spelled), tuple(self._near_by_meaning(node)))

    def findings(self, match: TopicMatch) -> Iterator[Finding]:
        node = self.seed[match.node_id]
        words = words_of(node.label)
        if self.stop_words.bars(words) and match.matched_by != "keyword":
            yield Finding(
                "error",
                "stop-word",
                node.node_id,
                f"{node.label!r} is a stop word, so it says nothing about what a document is about. "
                "Rename the topic, or give it keywords.",
            )
        elif not match.term:
            yield self._not_a_term(node, match)
        elif match.document_frequency < self.min_documents:
            yield Finding(
                "warning",
                "few-documents",
                node.node_id,
                f"{node.label!r} occurs in {match.document_frequency} documents only; with fewer than "
                f"{self.min_documents} little can be learned about the topic. Give it keywords that occur more often.",
            )
        if match.matched_by == "keyword":
            yield Finding(
                "info",
                "by-keyword",
                node.node_id,
                f"{node.label!r} does not occur in the corpus; its keyword {display(match.term)!r} does.",
            )
        unknown = [keyword for keyword in node.keywords if self._find(keyword) is None]
        if unknown:
            yield Finding(
                "info",
                "unknown-keywords",
                node.node_id,
                f"{node.label!r}: the corpus does not have the keywords {', '.join(map(repr, unknown))}.",
            )

    def _not_a_term(self, node: TopicNode, match: TopicMatch) -> Finding:
        suggested = list({near.term: near for near in (*match.near_by_spelling, *match.near_by_meaning)}.values())
        fixes = tuple(
            Fix(
                "add_keyword",
                node.node_id,
                display(near.term),
                f"Use {display(near.term)!r} ({near.document_frequency} documents) as a keyword.",
            )
            for near in suggested
        )
        hint = (
            f" Nearest terms: {_shown(suggested[:N_NEAR])}. Add one as a keyword, or rename the topic."
            if suggested
            else (" Nothing in the corpus comes near it: rename it, give it keywords, or remove it.")
        )
        removal = Fix("remove", node.node_id, "", f"Remove {node.label!r} from the seed.")
        return Finding(
            "error",
            "not-a-term",
            node.node_id,
            f"{node.label!r} does not occur in the corpus.{hint}",
            (*fixes, removal),
        )

    def _find(self, name: str) -> int | None:
        """Return the id of the term that a name stands for, in its own spelling or in the other number."""
        words = tuple(words_of(name))
        if not words or self.stop_words.bars(words):
            return None
        own = self.vocabulary.id_of(join_words(words))
        if own is not None:
            return own
        others = [
            found
            for form in phrase_forms(words, self.vocabulary.language)
            if (found := self.vocabulary.id_of(join_words(form))) is not None
        ]
        return max(others, key=lambda i: int(self.vocabulary.counts[i]), default=None)

    def _near_by_meaning(self, node: TopicNode) -> list[NearTerm]:
        if self.vectors is None:
            return []
        ids = self.vocabulary.ids_of(word for name in (node.label, *node.keywords) for word in words_of(name))
        near = nearest_by_vector(ids, self.vectors, self.vocabulary, N_NEAR)
        # The words of a name that is no term are the nearest of all.
        own = [
            NearTerm(self.vocabulary.terms[i], 1.0, int(self.vocabulary.document_frequencies[i]))
            for i in dict.fromkeys(ids.tolist())
        ]
        return [found for found in (*own, *near) if self._helps(found)][:N_NEAR]

    def _helps(self, near: NearTerm) -> bool:
        term_id = self.vocabulary.id_of(near.term)
        return (
            term_id is not None
            and near.similarity >= _MIN_LIKENESS
            and bool(self.vocabulary.may_name[term_id])
            and not self.stop_words.bars(words_of(display(near.term)))
        )


def _shared_names(seed: Taxonomy) -> Iterator[Finding]:
    places: dict[str, list[TopicNode]] = {}
    for node in seed.walk():
        places.setdefault(join_words(words_of(node.label)) or node.label.casefold(), []).append(node)
    for nodes in places.values():
        for node in nodes[1:]:
            siblings = seed.parent_of(node.node_id) == seed.parent_of(nodes[0].node_id)
            place, first = ("/".join(seed.path_of(found.node_id)) for found in (node, nodes[0]))
            yield Finding(
                "error" if siblings else "warning",
                "duplicate",
                node.node_id,
                f"{place!r} has the same name as {first!r}. "
                + ("Remove one of them." if siblings else "The corpus cannot tell them apart: rename one."),
                (Fix("remove", node.node_id, "", f"Remove {place!r} from the seed."),),
            )


def _shared_terms(seed: Taxonomy, matches: Sequence[TopicMatch]) -> Iterator[Finding]:
    owners: dict[str, TopicMatch] = {}
    for match in matches:
        first = owners.setdefault(match.term, match) if match.term else match
        other, own = seed[first.node_id], seed[match.node_id]
        if first is not match and other.label.casefold() != own.label.casefold():
            yield Finding(
                "warning",
                "same-term",
                match.node_id,
                f"{own.label!r} and {other.label!r} are both known by the term {display(match.term)!r}, so the corpus "
                "cannot tell them apart. Merge them, or rename one.",
            )


def _shown(near: Sequence[NearTerm]) -> str:
    return ", ".join(f"{display(found.term)} ({found.document_frequency} documents)" for found in near)


def names_and_keywords(taxonomy: Taxonomy) -> list[str]:
    """Return what must become a term whatever its frequency: every name and keyword of the tree."""
    return [phrase for node in taxonomy.walk() for phrase in (node.label, *node.keywords)]
