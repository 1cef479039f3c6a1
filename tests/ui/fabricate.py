"""A project as the engine leaves it, in a second: themes planted in a corpus, and vectors planted instead of trained.

The proposal comes from the engine's own pipeline, so that it can be split again like any other; only training and the
layout of the map are replaced. The workbench's tests and the benchmark of the map run on these.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from unittest import mock

import numpy as np

from taxocom.expansion.discovery.node_evidence import NodeEvidence
from taxocom.expansion.paper.embedding import TermEmbedding
from taxocom.expansion.pipeline import Expansion, expand_node
from taxocom.expansion.proposals.colours import give_slots
from taxocom.expansion.proposals.proposal import NodeExpansion
from taxocom.settings import ExpansionSettings, TextSettings
from taxocom.store import Project, copy_project, create_project
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode, topic_id
from taxocom.text.corpus import Corpus
from taxocom.text.indexing import build_corpus
from taxocom.text.input.documents import Document

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


def documents(n: int, *, n_extra_terms: int = 0, poison: str = "", random_state: int = 0) -> list[Document]:
    """Return documents of four sentences, each speaking of one theme in turn.

    Extra terms belong to themes as well, and every one of them is in four documents. `poison` ends each first sentence.
    """
    rng = np.random.default_rng(random_state)
    themes = [*KNOWN.items(), *NOVEL.items()]
    strewn = _extra_terms(n_extra_terms, len(themes))
    n_each = -(-4 * len(strewn[0]) // max(n // len(themes), 1)) if n_extra_terms else 0
    made = []
    for d in range(n):
        theme = d % len(themes)
        label, terms = themes[theme]
        start = d // len(themes) * n_each
        more = [strewn[theme][(start + i) % len(strewn[theme])] for i in range(n_each)]
        sentences = []
        for s in range(4):
            chosen = rng.choice(terms, size=4, replace=False)
            filler = rng.choice(GENERAL_WORDS, size=2, replace=False)
            sentence = f"The {chosen[0]} and the {chosen[1]} in {filler[0]} with {chosen[2]} for {chosen[3]}"
            tail = " ".join([f"of {filler[1]}", poison if s == 0 else "", *more[s::4]])
            sentences.append(f"{sentence} {tail}".strip() + ".")
        title = f"{poison} About {label}, report {d}".strip()
        made.append(Document(f"doc-{d:04d}", " ".join(sentences), title=title))
    return made


def _extra_terms(n: int, n_themes: int) -> list[list[str]]:
    """Return `n` different pronounceable words that no stop list knows, dealt out to the themes."""
    syllables = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]
    base = len(syllables)
    words = [syllables[i % base] + syllables[i // base % base] + syllables[i // base**2] + "x" for i in range(n)]
    return [words[theme::n_themes] for theme in range(n_themes)]


def fabricate_project(
    name: str, *, n_documents: int = 280, n_extra_terms: int = 0, poison: str = "", propose: bool = True
) -> Fabricated:
    """Make a project with a real corpus and log, and a proposal saved as a job would save it.

    `poison` is text put into titles, documents and passages: what a hostile corpus would hold. One of each kind is made
    and copied after that: nearly every test of a page begins with one.
    """
    made = _made_once(n_documents, n_extra_terms, poison, propose)
    with Project(made.path) as original:
        project = copy_project(original, name)
    _unshare(project.path / "artifacts")
    return Fabricated(project, made.expansion, made.proposal_id)


@dataclass(frozen=True)
class _Original:
    path: Path
    expansion: NodeExpansion
    proposal_id: int


@cache
def _made_once(n_documents: int, n_extra_terms: int, poison: str, propose: bool) -> _Original:
    folder = tempfile.mkdtemp(prefix="fabricated-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with (
        mock.patch.dict(os.environ, {"TAXOCOM_HOME": folder}),
        create_project("Fabricated", seed=seed_tree(), author="Test") as project,
    ):
        with project.working_place("corpus") as place:
            place.mkdir()
            texts = documents(n_documents, n_extra_terms=n_extra_terms, poison=poison)
            build_corpus(texts, place, settings=TextSettings(min_count=3, max_words=1), seed_phrases=[*KNOWN])
            project.use("corpus", project.publish_directory(place, "corpus"))
        expansion = fabricate_expansion(project.corpus(), project.taxonomy(), n_extra_terms=n_extra_terms)
        proposal_id = save(project, expansion) if propose else 0
        return _Original(project.path, expansion.proposal, proposal_id)


def _unshare(folder: Path) -> None:
    """Give a copied project files of its own: a test may damage them."""
    for file in [file for file in folder.rglob("*") if file.is_file()]:
        own = file.with_name(f"{file.name}.own")
        shutil.copy2(file, own)
        own.replace(file)


def save_proposal(project: Project) -> int:
    """Propose for the root of a project that has a corpus, and keep that; return its id."""
    return save(project, fabricate_expansion(project.corpus(), project.taxonomy()))


def save(project: Project, expansion: Expansion) -> int:
    """Keep a proposal and its evidence in a project, as the job does; return its id."""
    metadata, arrays = expansion.proposal.to_parts()
    metadata["children"] = list(expansion.evidence.children)
    arrays.update({f"evidence.{name}": array for name, array in expansion.evidence.to_arrays().items()})
    proposal = expansion.proposal
    record = project.save_proposal(
        proposal.node_id,
        metadata,
        arrays,
        sequence=project.sequence,
        settings=proposal.settings,
        random_state=0,
        summary={"colours": give_slots([cluster.cluster_id for cluster in proposal.clusters], {})},
    )
    return record.proposal_id


def fabricate_expansion(
    corpus: Corpus, tree: Taxonomy, node_id: str = ROOT_ID, *, n_extra_terms: int = 0, random_state: int = 0
) -> Expansion:
    """Return a proposal for a node: its children known, the themes of `NOVEL` novel."""
    rng = np.random.default_rng(random_state)
    themes = [*KNOWN.values(), *NOVEL.values()]
    owned = [[*own, *more] for own, more in zip(themes, _extra_terms(n_extra_terms, len(themes)), strict=True)]
    theme_of = {term: theme for theme, terms in enumerate(owned) for term in terms}
    theme = np.array([theme_of.get(term, -1) for term in corpus.vocabulary.terms])
    expansion = expand_node(
        corpus,
        tree,
        node_id,
        _planted_embedding(corpus, theme, len(themes), rng),
        settings=ExpansionSettings(local_embedding=False),
        draw_map=False,
    )
    xy = _places(theme[expansion.evidence.term_ids], len(themes), rng)
    proposal = expansion.proposal
    document_xy = _places(proposal.documents.cluster, len(themes), rng)
    evidence: NodeEvidence = replace(expansion.evidence, xy=xy, document_xy=document_xy)
    terms, held = replace(proposal.terms, xy=xy), replace(proposal.documents, xy=document_xy)
    return Expansion(replace(proposal, terms=terms, documents=held), evidence)


def _planted_embedding(corpus: Corpus, theme: np.ndarray, n_themes: int, rng: np.random.Generator) -> TermEmbedding:
    dim = 50
    directions = np.linalg.qr(rng.normal(size=(dim, dim)))[0][:n_themes]
    vectors = _unit(rng.normal(size=(len(theme), dim)))
    vectors[theme >= 0] = _unit(directions[theme[theme >= 0]] + 0.35 * vectors[theme >= 0])
    held = _unit(corpus.counts @ vectors)
    terms, documents_ = vectors.astype(np.float32), held.astype(np.float32)
    return TermEmbedding(terms, terms.copy(), documents_, corpus.vocabulary.fingerprint)


def _unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _places(theme: np.ndarray, n_themes: int, rng: np.random.Generator) -> np.ndarray:
    angles = np.linspace(0, 2 * np.pi, n_themes, endpoint=False)
    centers = np.stack([6 * np.cos(angles), 4.5 * np.sin(angles)], axis=1)
    noise = rng.normal(0, 1, (len(theme), 2))
    spread = np.where(theme < 0, 3.2, 0.95)[:, None]
    middle = np.where((theme < 0)[:, None], 0.0, centers[np.maximum(theme, 0)])
    return (middle + noise * spread).astype(np.float32)


if __name__ == "__main__":
    import sys

    n_extra = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    made = fabricate_project(sys.argv[1], n_documents=280 + n_extra // 20, n_extra_terms=n_extra)
    print(made.project.path, made.proposal_id, len(made.expansion.terms), [c.label for c in made.expansion.novel])
