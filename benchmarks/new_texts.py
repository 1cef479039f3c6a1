"""Texts that are in no corpus: how well the tagger knows them, beside the documents it was fitted to, and how fast.

A third of each corpus is held back. The tree is complete and no document is labelled, as in `tagging`.
"""

from __future__ import annotations

import json
import os
import random
import resource
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.tagging import Labelled, read_labelled
from taxocom.store.projects.lexicon_files import find_lexicon
from taxocom.store.projects.tagged_files import TaggingWishes, tag_file
from taxocom.store.projects.text_tagger import Tagger
from taxocom.tagging.fitted import fit_tagger, halved
from taxocom.tagging.lexicon import document_vectors
from taxocom.tagging.tagger import tag
from taxocom.tagging.tagger_parts import LexiconPart, TaggerParts
from taxocom.tagging.witnesses import Witnesses, read_witnesses
from taxocom.text.corpus import Corpus
from taxocom.text.input.documents import Document
from taxocom.text.input.loading import sniff

SAMPLES = (("bbc", 0), ("20news", 0), ("dbpedia", 0), ("arxiv", 1500))
FASTEST = "arxiv"
_TIMES = 3
_KIB = 1024


@dataclass(frozen=True)
class Held:
    """A corpus without a third of its documents, the tagger fitted to it, and that third."""

    labelled: Labelled
    corpus: Corpus
    witnesses: Witnesses
    tagger: Tagger
    texts: list[Document]


def run(corpora: Path | None = None) -> str:
    """Measure on real corpora and return the tables."""
    if corpora is None:
        return "No corpora were given: `make bench CORPORA=folder NAMES=new_texts`."
    rows, speed = [], ""
    for name, most in SAMPLES:
        held = hold_back(read_labelled(corpora / name, most))
        rows.append((name, f"{held.corpus.n_documents:,}", f"{len(held.texts):,}", *_right(held)))
        if name == FASTEST:
            speed = _speed(held)
    header = ("corpus", "fitted to", "held back", "right there", "right of those held back", "said to fit nowhere")
    return "\n\n".join(
        [
            "## Documents at the right first-level topic / leaf, complete tree, names only",
            _table(header, rows),
            "## Speed and memory of `taxocom tag`, one process, after loading",
            speed,
        ]
    )


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


def _speed(held: Held) -> str:
    with tempfile.TemporaryDirectory(prefix="taxocom-new-texts-") as folder:
        place = Path(folder)
        file = place / "tagger.zip"
        file.write_bytes(held.tagger.to_bytes())
        clock = time.perf_counter()
        tagger = Tagger.load(file)
        tagger.tag(held.texts[:100])
        loading = time.perf_counter() - clock
        rows = [(f"loading a tagger of {file.stat().st_size / 1e6:.0f} MB", f"{loading:.1f} s", "", "")]
        for times in (1, _TIMES):
            source = place / f"{times}.jsonl"
            lines = (json.dumps({"id": each.document_id, "text": each.text}) + "\n" for each in held.texts)
            source.write_text("".join(lines) * times)
            clock, spent = time.perf_counter(), time.process_time()
            count = tag_file(tagger, sniff(source), place / "out.csv", TaggingWishes())
            by_clock = count.n_texts / (time.perf_counter() - clock)
            by_processor = count.n_texts / (time.process_time() - spent)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _KIB
            what = f"{count.n_texts:,} abstracts, JSON lines to CSV"
            rows.append((what, f"{by_clock:,.0f}", f"{by_processor:,.0f}", f"{peak:,.0f} MiB"))
        busy = f"Others kept {os.getloadavg()[0]:.0f} processes busy meanwhile." if os.getloadavg()[0] > 2 else ""
        header = ("what", "a second by the clock", "a second of a processor", "most memory so far")
        return "\n\n".join(filter(None, [_table(header, rows), busy]))


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(header)} |", f"|{'---|' * len(header)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])
