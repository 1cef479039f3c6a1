"""A lexicon of six words in two dimensions, made as the real one's files are."""

from __future__ import annotations

import numpy as np
from safetensors.numpy import save
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Replace
from tokenizers.pre_tokenizers import WhitespaceSplit

WORDS = {"goal": 0, "match": 1, "vote": 2, "law": 3, "sport": 4, "politics": 5}
VECTORS = np.array([[2, 0], [4, 0], [0, 2], [0, 6], [3, 1], [1, 3]], dtype=np.float16)


def tiny_files() -> tuple[bytes, bytes]:
    """The table and the tokenizer; "unheard" is a word without a piece."""
    tokenizer = Tokenizer(WordLevel(WORDS))
    tokenizer.normalizer = Replace("unheard", "")
    tokenizer.pre_tokenizer = WhitespaceSplit()
    return save({"embedding.weight": VECTORS}), tokenizer.to_str().encode()
