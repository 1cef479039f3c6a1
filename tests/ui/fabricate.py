"""A project as the engine would leave it, made without the engine: a corpus with planted themes, and a proposal.

The workbench shows proposals and never computes one, so its tests and the benchmark of the map run on these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from taxocom.expansion.proposal import (
    GENERAL,
    Candidate,
    CoverageGap,
    DocumentScores,
    NodeExpansion,
    Passage,
    TermScores,
    TopicCluster,
)
from taxocom.settings import TextSettings
from taxocom.store import Project, create_project
from taxocom.taxonomy.tree import ROOT_ID, AnchorTerm, Taxonomy, TopicNode, topic_id
from taxocom.text.corpus import Corpus
from taxocom.text.documents import Document
from taxocom.text.indexing import build_corpus
from taxocom.text.vocabulary import Vocabulary, display

_THEMES = """
politics: politics election senate minister parliament vote campaign president congress brexit policy party
sport: sport football league match coach goal season olympics tournament player championship golf
business: business market bank economy shares profit trade investor company growth oil inflation
film: film actor director cinema festival oscar drama studio script audience premiere theatre
war: syria rebel airstrike soldier militia ceasefire refugee aleppo troops bombing siege army
crime: police murder suspect court arrest detective prison victim robbery judge lawyer trial
health: hospital patient doctor vaccine virus disease nurse surgery clinic cancer medicine drug
general: people year week group report city world number question answer moment place area
"""
THEMES = {line.split(":")[0]: line.split(":")[1].split() for line in _THEMES.strip().splitlines()}
KNOWN = {label: THEMES[label] for label in ("politics", "sport", "business")}
NOVEL = {label: THEMES[label] for label in ("film", "war", "crime", "health")}
GENERAL_WORDS = THEMES["general"]


@dataclass(frozen=True)
class Fabricated:
    """A project with a corpus and an open proposal for its root."""

    project: Project
    expansion: NodeExpansion
    proposal_id: int


def seed_tree() -> Taxonomy:
    """Return the partial tree: three known topics, one of them with a child."""
    tree = Taxonomy.empty("News")
    for label, terms in KNOWN.items():
        tree = tree.with_topic(TopicNode(topic_id(label), label.title(), label, tuple(terms[1:4])), ROOT_ID)
    return tree.with_topic(TopicNode(topic_id("football"), "Football", "football"), topic_id("sport"))


def documents(n: int, *, random_state: int = 0, extra_terms: Sequence[str] = ()) -> list[Document]:
    """Return documents of four sentences, each speaking of one theme; `extra_terms` are strewn in so that all occur."""
    rng = np.random.default_rng(random_state)
    themes = [*KNOWN.items(), *NOVEL.items()]
    made = []
    for d in range(n):
        label, terms = themes[d % len(themes)]
        sentences = []
        for s in range(4):
            chosen = rng.choice(terms, size=4, replace=False)
            filler = rng.choice(GENERAL_WORDS, size=2, replace=False)
            strewn = " ".join(extra_terms[(d * 4 + s) * 40 % max(len(extra_terms), 1) :][:40])
            sentence = (
                f"the {chosen[0]} and the {chosen[1]} in {filler[0]} with {chosen[2]} for {chosen[3]} of {filler[1]}"
            )
            sentences.append((sentence[0].upper() + sentence[1:] + (" " + strewn if strewn else "")) + ".")
        made.append(Document(f"doc-{d:04d}", " ".join(sentences), title=f"About {label}, report {d}"))
    return made


def pseudo_words(n: int) -> list[str]:
    """Return `n` different pronounceable words that no stop list knows."""
    syllables = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]
    base = len(syllables)
    return [syllables[i % base] + syllables[i // base % base] + syllables[i // base**2 % base] + "x" for i in range(n)]


def fabricate_project(
    name: str, *, n_documents: int = 140, n_extra_terms: int = 0, poison: str = "", propose: bool = True
) -> Fabricated:
    """Make a project with a real corpus and log, and a proposal saved as a job would save it.

    `poison` is text put into titles, documents and passages: what a hostile corpus would hold.
    """
    project = create_project(name, seed=seed_tree(), author="Test")
    extra = pseudo_words(n_extra_terms)
    texts = documents(max(n_documents, 2 * len(extra) // 160 + 1), extra_terms=extra)
    if poison:
        texts = [replace(d, text=f"{d.text} {poison}", title=f"{poison} {d.title}") for d in texts]
    with project.working_place("corpus") as place:
        place.mkdir()
        build_corpus(
            texts, place, settings=TextSettings(min_count=1 if extra else 3, max_words=1), seed_phrases=[*KNOWN]
        )
        project.use("corpus", project.publish_directory(place, "corpus"))
    expansion = fabricate_expansion(project.corpus(), project.taxonomy(), poison=poison)
    return Fabricated(project, expansion, save(project, expansion) if propose else 0)


def save(project: Project, expansion: NodeExpansion) -> int:
    """Keep a proposal in a project; return its id."""
    metadata, arrays = expansion.to_parts()
    record = project.save_proposal(
        expansion.node_id, metadata, arrays, sequence=project.sequence, settings=expansion.settings, random_state=0
    )
    return record.proposal_id


def fabricate_expansion(
    corpus: Corpus, tree: Taxonomy, node_id: str = ROOT_ID, *, random_state: int = 0, poison: str = ""
) -> NodeExpansion:
    """Return a proposal for a node: its children known, the themes of `NOVEL` novel."""
    rng = np.random.default_rng(random_state)
    vocabulary = corpus.vocabulary
    children = [node for node in tree.children_of(node_id) if node.center_term in KNOWN]
    themes = [KNOWN[node.center_term] for node in children] + list(NOVEL.values())
    n_known = len(children)
    n = len(vocabulary)
    cluster = _plant(vocabulary, themes, rng)
    is_novel = cluster >= n_known
    novelty = np.where(is_novel, rng.beta(7, 3, n), rng.beta(3, 7, n)).astype(np.float32) * 0.66
    threshold = 0.33
    novelty = np.where(is_novel, np.maximum(novelty, threshold + 0.001), np.minimum(novelty, threshold - 0.001))
    scores = _scores(cluster, vocabulary, themes, rng)
    is_anchor = (cluster != GENERAL) & (scores["significance"] >= 0.45)
    terms = TermScores(
        term_ids=np.arange(n, dtype=np.int32),
        novelty=novelty.astype(np.float32),
        topicality=np.where(cluster == GENERAL, rng.uniform(0, 0.3, n), rng.uniform(0.3, 1, n)).astype(np.float32),
        is_novel=is_novel,
        cluster=cluster,
        is_anchor=is_anchor,
        xy=_places(cluster, len(themes), rng),
        **scores,
    )
    document_scores = _documents(corpus, cluster, len(themes), rng)
    clusters = _clusters(corpus, children, terms, document_scores, poison)
    return NodeExpansion(
        node_id=node_id,
        clusters=clusters,
        candidates=_candidates(len(NOVEL)),
        terms=terms,
        documents=document_scores,
        novelty_threshold=threshold,
        significance_threshold=0.45,
        gap_before=CoverageGap(0.52, 0.57),
        gap_after=CoverageGap(0.06, 0.04),
        settings={"dimension": 100, "epochs": 5},
        random_state=random_state,
        corpus_fingerprint=corpus.fingerprint,
        vocabulary_fingerprint=vocabulary.fingerprint,
        seconds={"embedding": 8.2, "clusters": 0.4, "map": 3.1},
    )


def _plant(vocabulary: Vocabulary, themes: Sequence[Sequence[str]], rng: np.random.Generator) -> np.ndarray:
    planted = {term: index for index, terms in enumerate(themes) for term in terms}
    planted |= dict.fromkeys(GENERAL_WORDS, GENERAL)
    guessed = rng.choice(
        [GENERAL, *range(len(themes))], size=len(vocabulary), p=[0.4] + [0.6 / len(themes)] * len(themes)
    )
    return np.array([planted.get(term, guessed[i]) for i, term in enumerate(vocabulary.terms)], dtype=np.int32)


def _scores(
    cluster: np.ndarray, vocabulary: Vocabulary, themes: Sequence[Sequence[str]], rng: np.random.Generator
) -> dict[str, np.ndarray]:
    n = len(cluster)
    rank = {term: position for terms in themes for position, term in enumerate(terms)}
    standing = np.array([1.0 - rank.get(term, 14) / 16 for term in vocabulary.terms])
    parts = {name: rng.uniform(0.4, 1.0, n) for name in ("integrity", "distinctiveness", "popularity")}
    representativeness = np.cbrt(parts["integrity"] * parts["distinctiveness"] * parts["popularity"])
    relevance = np.where(cluster == GENERAL, 0.1, standing)
    values = {
        **parts,
        "representativeness": representativeness,
        "relevance": relevance,
        "significance": relevance * representativeness,
    }
    return {name: value.astype(np.float32) for name, value in values.items()}


def _places(cluster: np.ndarray, n_clusters: int, rng: np.random.Generator) -> np.ndarray:
    angles = np.linspace(0, 2 * np.pi, n_clusters, endpoint=False)
    centers = np.stack([6 * np.cos(angles), 4.5 * np.sin(angles)], axis=1)
    noise = rng.normal(0, 1, (len(cluster), 2))
    spread = np.where(cluster == GENERAL, 3.2, 0.95)[:, None]
    middle = np.where((cluster == GENERAL)[:, None], 0.0, centers[np.maximum(cluster, 0)])
    return (middle + noise * spread).astype(np.float32)


def _documents(corpus: Corpus, cluster: np.ndarray, n_clusters: int, rng: np.random.Generator) -> DocumentScores:
    n = corpus.n_documents
    best = np.zeros(n, dtype=np.int32)
    for d in range(n):
        held = cluster[corpus.terms_of(d)]
        best[d] = np.bincount(held[held >= 0], minlength=n_clusters).argmax()
    return DocumentScores(
        np.arange(n, dtype=np.int32),
        best,
        rng.uniform(0.4, 0.95, n).astype(np.float32),
        rng.beta(3, 2, n).astype(np.float32),
    )


def _clusters(
    corpus: Corpus, children: Sequence[TopicNode], terms: TermScores, scores: DocumentScores, poison: str
) -> tuple[TopicCluster, ...]:
    made = []
    labels = list(NOVEL)
    for index in range(len(children) + len(labels)):
        known = index < len(children)
        center = children[index].center_term if known else NOVEL[labels[index - len(children)]][0]
        rows = np.flatnonzero((terms.cluster == index) & terms.is_anchor)
        rows = rows[np.argsort(-terms.significance[rows])][:20]
        anchors = tuple(
            AnchorTerm(
                corpus.vocabulary.terms[terms.term_ids[row]],
                *(float(getattr(terms, part)[row]) for part in ("significance", "relevance", "integrity")),
                float(terms.distinctiveness[row]),
                float(terms.popularity[row]),
            )
            for row in rows
        )
        own = np.flatnonzero(scores.cluster == index)
        typical = own[np.argsort(-scores.score[own])][:5]
        label = children[index].label if known else center.title()
        suggestions = tuple(display(anchor.term).title() for anchor in anchors[:4])
        made.append(
            TopicCluster(
                cluster_id=children[index].node_id if known else f"c{index}",
                kind="known" if known else "novel",
                label=label,
                center_term=center,
                name_suggestions=suggestions,
                anchors=anchors,
                n_terms=int((terms.cluster == index).sum()),
                n_documents=len(own),
                concentration=140.0 + 12 * index,
                distinctness=None if known else 0.31 - 0.04 * (index - len(children)),
                stability=None if known else 0.92 - 0.09 * (index - len(children)),
                warnings=("Overlaps its sibling Politics: 4 anchors are shared.",) if label == "Syria" else (),
                passages=tuple(_passage(corpus, int(d), anchors, poison) for d in typical),
                typical_documents=tuple(corpus.document_ids[int(d)] for d in typical),
            )
        )
    return tuple(made)


def _passage(corpus: Corpus, document: int, anchors: Sequence[AnchorTerm], poison: str) -> Passage:
    text = corpus.texts[document].split(".")[0] + "." + (f" {poison}" if poison else "")
    found = []
    for anchor in anchors:
        start = text.lower().find(anchor.term)
        if start >= 0:
            found.append((start, start + len(anchor.term)))
    return Passage(corpus.document_ids[document], text, tuple(sorted(found)))


def _candidates(chosen: int) -> tuple[Candidate, ...]:
    tried = []
    for n_novel in range(1, 7):
        spread = 18.0 + 9.0 * abs(n_novel - chosen)
        reason = "The concentrations are the most even." if n_novel == chosen else f"Spread {spread:.0f} is larger."
        concentrations = tuple(140.0 + spread * (k % 3 - 1) for k in range(n_novel + 3))
        if n_novel == 6:
            without = (*concentrations[:-1], None)
            tried.append(Candidate(6, without, None, None, False, False, "A cluster holds no document."))
        else:
            tried.append(Candidate(n_novel, concentrations, spread, 1 / spread, True, n_novel == chosen, reason))
    return tuple(tried)


if __name__ == "__main__":
    import sys

    made = fabricate_project(sys.argv[1], n_extra_terms=int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    print(Path(made.project.path), made.proposal_id, len(made.expansion.terms))
