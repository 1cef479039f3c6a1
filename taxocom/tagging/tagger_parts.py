"""All that a tagger needs to work away from its project, as plain parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from taxocom.errors import InputError
from taxocom.numerics.arrays import Floats1d, Floats2d
from taxocom.tagging.fitted import FittedTagger
from taxocom.tagging.lexicon import Lexicon
from taxocom.tagging.new_texts import LexiconReader, TextReader
from taxocom.text.language.languages import ENGLISH
from taxocom.text.terms.segmenting import Segmenter


@dataclass(frozen=True)
class TaggerOrigin:
    """Where a tagger comes from: the project and the state of its tree, when it was made, and by which version."""

    project: str = ""
    release: str = ""
    decisions: int = 0
    n_documents: int = 0
    made: str = ""
    made_by: str = ""

    def said(self) -> str:
        """Say it in a few words."""
        state = f"release {self.release!r}" if self.release else f"after {self.decisions:,} decisions"
        return f"{self.project!r}, {state}, fitted to {self.n_documents:,} documents"


@dataclass(frozen=True, eq=False)
class LexiconPart:
    """How the documents of the corpus use the lexicon: its fingerprint, `idf` (n_pieces,) and `center` (dim,).

    The lexicon itself is not passed on.
    """

    fingerprint: str
    idf: Floats1d
    center: Floats1d


@dataclass(frozen=True, eq=False)
class TaggerParts:
    """A fitted tagger and what it reads new texts by: the corpus's terms, their `directions` and the lexicon's part.

    `terms` are the vocabulary's; `directions` (n_terms, n_directions) what each adds in the main directions.
    """

    fitted: FittedTagger
    terms: tuple[str, ...]
    directions: Floats2d
    aliases: Mapping[str, str] = field(default_factory=dict)
    language: str = ENGLISH
    segmented: bool = False
    lexicon: LexiconPart | None = None
    origin: TaggerOrigin = field(default_factory=TaggerOrigin)

    def reader(self, lexicon: Lexicon | None) -> TextReader:
        """Return what reads new texts; a tagger that was fitted with a lexicon needs the same one."""
        found = None
        if self.lexicon is not None:
            if lexicon is None or lexicon.fingerprint != self.lexicon.fingerprint:
                raise InputError(
                    "This tagger was made with the lexicon, and that is not on this machine or is another one. Fetch "
                    "it with `taxocom lexicon`, or export a tagger that does without: "
                    "taxocom export PROJECT tagger.zip --no-lexicon"
                )
            found = LexiconReader(lexicon, self.lexicon.idf, self.lexicon.center)
        return TextReader(Segmenter(self.terms, self.aliases, segmented=self.segmented), self.directions, found)
