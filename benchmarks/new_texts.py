"""Texts that are in no corpus: how well the tagger knows them, beside the documents it was fitted to, and how fast.

A third of each corpus is held back. The tree is complete and no document is labelled, as in `tagging`.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import numpy as np
import psutil

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
FASTEST = "arxiv"
_ROWS = (100_000, 1_000_000)
_HEADER_BYTES = 100
_LOOK_SECONDS = 0.25


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
            "## Speed and memory of `taxocom tag`, two cores",
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
        (place / "tagger.zip").write_bytes(held.tagger.to_bytes())
        rows = [_tagged(held, place, number) for number in _ROWS]
        busy = f"Others kept {os.getloadavg()[0]:.0f} processes busy meanwhile." if os.getloadavg()[0] > 3 else ""
        header = (
            "abstracts, JSON lines to CSV", "seconds before the first", "a second by the clock",
            "a second of two processors", "MiB of all processes: a quarter through", "at the end",
        )  # fmt: skip
        return "\n\n".join(filter(None, [_table(header, rows), busy]))


def _tagged(held: Held, place: Path, n_texts: int) -> tuple[str, ...]:
    """Tag so many texts by the command, as people do, and watch what it takes.

    Every text has a word that no other has, so that nothing is gained by remembering texts.
    """
    source, out = place / "new.jsonl", place / "out.csv"
    with source.open("w") as file:
        for number, each in zip(range(n_texts), cycle(held.texts), strict=False):
            file.write(json.dumps({"id": str(number), "text": f"{each.text} word{number}"}) + "\n")
    words = [sys.executable, "-m", "taxocom", "tag", str(place / "tagger.zip"), str(source), "--out", str(out), "-q"]
    before, clock = os.times(), time.perf_counter()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    watched = psutil.Process(process.pid)
    started, memory = 0.0, list[tuple[int, float]]()
    part = out.with_name(f"{out.name}.part")
    while process.poll() is None:
        written = part.stat().st_size if part.exists() else 0
        started = started or (time.perf_counter() - clock if written > _HEADER_BYTES else 0.0)
        with suppress(psutil.Error):
            held_now = sum(each.memory_info().rss for each in (watched, *watched.children(recursive=True)))
            memory.append((written, held_now / 2**20))
        time.sleep(_LOOK_SECONDS)
    if process.returncode:
        raise RuntimeError(f"taxocom tag ended with {process.returncode}")
    seconds, after = time.perf_counter() - clock - started, os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    whole = out.stat().st_size
    quarter = max(mib for written, mib in memory if written <= whole / 4)
    end = max(mib for written, mib in memory if written > whole * 3 / 4)
    rates = f"{n_texts / seconds:,.0f}", f"{2 * n_texts / spent:,.0f}"
    return (f"{n_texts:,}", f"{started:.1f}", *rates, f"{quarter:,.0f}", f"{end:,.0f}")


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(header)} |", f"|{'---|' * len(header)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])
