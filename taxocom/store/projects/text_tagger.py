"""The tagger as people use it: read from a file, or made of a project (`store.project_tagger`), for any texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from taxocom.errors import InputError
from taxocom.interchange.base.zip_files import MAX_UNPACKED
from taxocom.interchange.tagger_archive import read_tagger, write_tagger
from taxocom.progress import SILENT, Progress, Span
from taxocom.tagging.fitted import Answers, FittedTagger, fit_tagger, halved, shares_above
from taxocom.tagging.tagger_parts import LexiconPart, TaggerOrigin, TaggerParts
from taxocom.tagging.witnesses import Witnesses, read_witnesses
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy
from taxocom.text.corpus import Corpus
from taxocom.text.input.documents import Document
from taxocom.text.terms.vocabulary import display

if TYPE_CHECKING:
    from taxocom.tagging.lexicon import Lexicon

LEAST = 0.3
"""How probable a topic must be to be named, unless something else is asked for."""

BATCH = 2000


@dataclass(frozen=True)
class TopicTag:
    """A topic of a text: its path of names, its id, how probable it is, and the terms that speak for it if asked."""

    node_id: str
    path: tuple[str, ...]
    probability: float
    terms: tuple[str, ...] = ()


@dataclass(frozen=True)
class TextTags:
    """The tagger's answer about a text.

    `topics` are those that are probable enough, the likeliest first, maybe none; `primary` is the likeliest, however
    probable. `fits_nowhere` says that no topic of the tree fits the text well.
    """

    topics: tuple[TopicTag, ...]
    primary: TopicTag
    fits_nowhere: bool


def parts_of(corpus: Corpus, witnesses: Witnesses, fitted: FittedTagger, origin: TaggerOrigin) -> TaggerParts:
    """Put together what a fitted tagger needs to read new texts as those of its corpus were read."""
    lexicon, meanings = witnesses.lexicon, witnesses.meanings
    return TaggerParts(
        fitted,
        corpus.vocabulary.terms,
        halved(witnesses.directions.terms),
        corpus.vocabulary.aliases,
        corpus.language,
        corpus.came_segmented,
        LexiconPart(lexicon.fingerprint, meanings.idf, meanings.center) if lexicon and meanings else None,
        origin,
    )


class Tagger:
    """Gives texts the topics of a tree. It needs neither the project that it was made of nor its texts.

    `Tagger.fit` makes one of a tree and texts, `Tagger.load` reads one from a file.

    >>> from taxocom import Corpus, Tagger, read_seed
    >>> texts = ["the goalkeeper saved a penalty", "the striker scored", "parliament passed the bill"] * 20
    >>> texts = [f"{text} number{i}" for i, text in enumerate(texts)]
    >>> seed = read_seed(b"- football: goalkeeper, striker\\n- politics: parliament", name="topics.md").taxonomy
    >>> names = [name for node in seed.walk() for name in (node.label, *node.keywords)]
    >>> tagger = Tagger.fit(Corpus.from_documents(texts, seed_phrases=names), seed)
    >>> [tags.primary.path for tags in tagger.tag(["A goalkeeper and a striker.", "The parliament voted."])]
    [('football',), ('politics',)]
    """

    def __init__(self, parts: TaggerParts, lexicon: Lexicon | None = None) -> None:
        self._parts = parts
        self._reader = parts.reader(lexicon)
        tree = parts.fitted.tree
        self._topics = [node.node_id for node in tree.walk()]
        self._paths = {node_id: tree.path_of(node_id) for node_id in self._topics}
        column = {node_id: number for number, node_id in enumerate(self._topics)}
        self._above = [
            [column[each] for each in tree.ancestors_of(node_id) if each != ROOT_ID] for node_id in self._topics
        ]
        self._columns = column

    @classmethod
    def load(cls, file: Path | str) -> Tagger:
        """Read a tagger that `taxocom export PROJECT tagger.zip` wrote; what is no such file is an InputError."""
        path = Path(file)
        try:
            if path.stat().st_size > MAX_UNPACKED:
                raise InputError(f"{path} is larger than any tagger ({MAX_UNPACKED:,} bytes). Is it the right file?")
            data = path.read_bytes()
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror}. Check the name of the tagger.") from error
        parts = read_tagger(data, path.name)
        return cls.of(parts)

    @classmethod
    def fit(
        cls, corpus: Corpus, taxonomy: Taxonomy, *, lexicon: Lexicon | None = None, progress: Progress = SILENT
    ) -> Tagger:
        """Fit a tagger to a tree and the texts of a corpus; only projects know what people decided about documents."""
        from taxocom.tagging.lexicon import document_vectors

        meanings = document_vectors(lexicon, corpus.texts) if lexicon is not None else None
        witnesses = read_witnesses(corpus, lexicon=lexicon, meanings=meanings, progress=Span(progress, 0.0, 0.5))
        fitted = fit_tagger(witnesses, corpus.vocabulary, taxonomy, progress=Span(progress, 0.5, 1.0))
        return cls(parts_of(corpus, witnesses, fitted, TaggerOrigin(n_documents=corpus.n_documents)), lexicon)

    @classmethod
    def of(cls, parts: TaggerParts) -> Tagger:
        """Put a tagger together, with the lexicon of this machine if it was fitted with one."""
        if parts.lexicon is None:
            return cls(parts)
        from taxocom.store.projects.lexicon_files import find_lexicon

        return cls(parts, find_lexicon())

    @property
    def origin(self) -> TaggerOrigin:
        """Where it comes from."""
        return self._parts.origin

    @property
    def topics(self) -> dict[str, tuple[str, ...]]:
        """The topics it knows: the path of names of each, by its id."""
        return dict(self._paths)

    def to_bytes(self) -> bytes:
        """Return it as a file that `load` reads."""
        return write_tagger(self._parts)

    def tag(self, texts: Iterable[str | Document], *, least: float = LEAST, n_terms: int = 0) -> list[TextTags]:
        """Return the topics of each text, in order; with `n_terms`, up to that many terms that led to each topic."""
        return list(self.stream(texts, least=least, n_terms=n_terms))

    def stream(self, texts: Iterable[str | Document], *, least: float = LEAST, n_terms: int = 0) -> Iterator[TextTags]:
        """Yield the topics of each text, as many texts at a time as fit in little memory."""
        if not 0.0 < least <= 1.0:
            raise InputError(f"A topic is named from the probability {least} on; it must lie between 0 and 1.")
        if isinstance(texts, str):
            raise InputError('Give a list of texts, not one text: tagger.tag(["…"]).')
        rest = iter(texts)
        while batch := list(islice(rest, BATCH)):
            yield from self._tag(batch, least, n_terms)

    def _tag(self, batch: list[str | Document], least: float, n_terms: int) -> Iterator[TextTags]:
        bodies = [each.text if isinstance(each, Document) else each for each in batch]
        titles = [each.title if isinstance(each, Document) else "" for each in batch]
        answers = self._parts.fitted.ask(self._reader.read(bodies, titles))
        best = answers.tags.best().tolist()
        nowhere = answers.fits_nowhere().tolist()
        totals = shares_above(answers.tags, self._topics)
        rows, columns = np.nonzero(totals >= least)
        found: list[list[int]] = [[] for _ in batch]
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
            found[row].append(column)
        for row, sure in enumerate(found):
            # A topic is named only where none below it is sure enough.
            inner = {above for column in sure for above in self._above[column]}
            named = sorted((c for c in sure if c not in inner), key=lambda c: (-totals[row, c], c))
            likeliest = self._columns[answers.tags.classes[best[row]].node_id]
            tags = {c: self._tag_of(answers, row, c, float(totals[row, c]), n_terms) for c in {*named, likeliest}}
            yield TextTags(tuple(tags[c] for c in named), tags[likeliest], nowhere[row])

    def _tag_of(self, answers: Answers, row: int, column: int, probability: float, n_terms: int) -> TopicTag:
        node_id = self._topics[column]
        terms: tuple[str, ...] = ()
        if n_terms:
            scores, classes = answers.tags.scores[row], answers.tags.classes
            inside = [
                number
                for number, each in enumerate(classes)
                if each.node_id == node_id or column in self._above[self._columns[each.node_id]]
            ]
            number = max(inside, key=lambda each: scores[each])
            terms = tuple(display(self._parts.terms[term]) for term in answers.telling_terms(row, number, n_terms))
        return TopicTag(node_id, self._paths[node_id], round(probability, 4), terms)
