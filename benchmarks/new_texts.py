"""Texts that are in no corpus: how well the tagger knows them, beside the documents it was fitted to.

A third of each corpus is held back. The tree is complete and no document is labelled, as in `tagging`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.tagging import Labelled, read_labelled
from taxocom.store.projects.lexicon_files import find_lexicon
from taxocom.store.projects.text_tagger import Tagger
from taxocom.tagging.fitted import fit_tagger, halved
from taxocom.tagging.lexicon import document_vectors
from taxocom.tagging.tagger import tag
from taxocom.tagging.tagger_parts import LexiconPart, TaggerParts
from taxocom.tagging.witnesses import Witnesses, read_witnesses
from taxocom.text.corpus import Corpus
from taxocom.text.input.documents import Document

SAMPLES = (("bbc", 0), ("20news", 0), ("dbpedia", 0), ("arxiv", 1500))


@dataclass(frozen=True)
class Held:
    """A corpus without a third of its documents, the tagger fitted to it, and that third."""

    labelled: Labelled
    corpus: Corpus
    witnesses: Witnesses
    tagger: Tagger
    texts: list[Document]


def run(corpora: Path | None = None) -> str:
    """Measure on real corpora and return the table."""
    if corpora is None:
        return "No corpora were given: `make bench CORPORA=folder NAMES=new_texts`."
    rows = []
    for name, most in SAMPLES:
        held = hold_back(read_labelled(corpora / name, most))
        rows.append((name, f"{held.corpus.n_documents:,}", f"{len(held.texts):,}", *_right(held)))
    header = ("corpus", "fitted to", "held back", "right there", "right of those held back", "said to fit nowhere")
    return f"Documents at the right first-level topic / leaf, complete tree, names only.\n\n{_table(header, rows)}"


def hold_back(labelled: Labelled) -> Held:
    """Hold a third of the documents back and fit the tagger to the rest."""
    corpus = labelled.corpus
    rows = list(range(corpus.n_documents))
    random.Random(3).shuffle(rows)
    away, stay = rows[: len(rows) // 3], sorted(rows[len(rows) // 3 :])
    documents = [Document(*each) for each in zip(corpus.document_ids, corpus.texts, strict=True)]
    names = [node.label for node in labelled.tree.walk()]
    own = Corpus.from_documents((documents[row] for row in stay), seed_phrases=names)
    lexicon = find_lexicon()
    meanings = document_vectors(lexicon, own.texts) if lexicon else None
    witnesses = read_witnesses(own, lexicon=lexicon, meanings=meanings)
    fitted = fit_tagger(witnesses, own.vocabulary, labelled.tree)
    part = LexiconPart(lexicon.fingerprint, meanings.idf, meanings.center) if lexicon and meanings else None
    directions = halved(witnesses.directions.terms)
    parts = TaggerParts(fitted, own.vocabulary.terms, directions, own.vocabulary.aliases, lexicon=part)
    return Held(labelled, own, witnesses, Tagger.of(parts), [documents[row] for row in away])


def _right(held: Held) -> tuple[str, str, str]:
    gold = dict(zip(held.labelled.corpus.document_ids, held.labelled.gold, strict=True))
    tags = tag(held.witnesses, held.corpus.vocabulary, held.labelled.tree)
    paths = [held.labelled.tree.path_of(each.node_id) for each in tags.classes]
    own = [paths[number] for number in tags.best().tolist()]
    new = held.tagger.tag(held.texts)
    return (
        _shares(own, [gold[each] for each in held.corpus.document_ids]),
        _shares([each.primary.path for each in new], [gold[each.document_id] for each in held.texts]),
        f"{np.mean([each.fits_nowhere for each in new]):.2f}",
    )


def _shares(found: Sequence[tuple[str, ...]], gold: Sequence[tuple[str, ...]]) -> str:
    pairs = list(zip(found, gold, strict=True))
    first = np.mean([path[0] == right[0] for path, right in pairs])
    below = [path == right for path, right in pairs if len(right) > 1]
    return f"{first:.3f} / {np.mean(below):.3f}" if below else f"{first:.3f}"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(header)} |", f"|{'---|' * len(header)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])
