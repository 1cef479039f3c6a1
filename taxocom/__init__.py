"""TaxoCom Studio: complete a partial topic taxonomy from a corpus.

>>> from taxocom import Corpus, Taxonomy, complete
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from taxocom.expansion.completion import Completion, complete
    from taxocom.expansion.paper.embedding import pretrain
    from taxocom.expansion.pipeline import expand_node, propose
    from taxocom.interchange import read_seed
    from taxocom.settings import ExpansionSettings, TextSettings
    from taxocom.store.projects.lexicon_files import find_lexicon
    from taxocom.store.projects.text_tagger import Tagger
    from taxocom.taxonomy.tree import Taxonomy
    from taxocom.text.corpus import Corpus, open_corpus
    from taxocom.text.input.loading import read_documents

__version__ = "0.1.0"

__all__ = [
    "Completion",
    "Corpus",
    "ExpansionSettings",
    "Tagger",
    "Taxonomy",
    "TextSettings",
    "complete",
    "expand_node",
    "find_lexicon",
    "open_corpus",
    "pretrain",
    "propose",
    "read_documents",
    "read_seed",
]

_HOMES = {
    "Completion": "taxocom.expansion.completion",
    "Corpus": "taxocom.text.corpus",
    "ExpansionSettings": "taxocom.settings",
    "Tagger": "taxocom.store.projects.text_tagger",
    "Taxonomy": "taxocom.taxonomy.tree",
    "TextSettings": "taxocom.settings",
    "complete": "taxocom.expansion.completion",
    "expand_node": "taxocom.expansion.pipeline",
    "find_lexicon": "taxocom.store.projects.lexicon_files",
    "open_corpus": "taxocom.text.corpus",
    "pretrain": "taxocom.expansion.paper.embedding",
    "propose": "taxocom.expansion.pipeline",
    "read_documents": "taxocom.text.input.loading",
    "read_seed": "taxocom.interchange",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for, so that `import taxocom` and the command line start at once."""
    if name not in _HOMES:
        raise AttributeError(f"module 'taxocom' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
