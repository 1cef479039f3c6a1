"""Which language texts are in, told from a sample of them by `py3langid`, whose model comes with the package."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from taxocom.text.language.cleaning import clean
from taxocom.text.language.languages import ENGLISH, RELATIVES, LanguageReport, language_name

_MOST_DOCUMENTS = 300
_READ_OF_A_DOCUMENT = 1000
# A document is in a language that is more likely than all others together.
_SURE = 0.5
# So many of the documents must be in one language before it is believed: made-up words look like any.
_ENOUGH = 0.15
_MOST_SHOWN = 3


def detect_language(texts: Sequence[str], *, chosen: str | None = None) -> LanguageReport:
    """Tell the language that most texts are in, from some hundred of them that are spread over the whole.

    With `chosen` that is the language whatever the texts look like. Where hardly any text can be told, it is English.
    """
    n_sampled = min(len(texts), _MOST_DOCUMENTS)
    rows = np.linspace(0, len(texts) - 1, n_sampled).round().astype(np.int64).tolist() if n_sampled else []
    counts = Counter(filter(None, (language_of(texts[row]) for row in rows)))
    found = tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_MOST_SHOWN])
    likely = found[0][0] if found and found[0][1] >= _ENOUGH * n_sampled else ENGLISH
    return LanguageReport(chosen or likely, chosen is not None, found, n_sampled)


def language_of(text: str) -> str:
    """Return the language of one text by its opening, empty if it cannot be told."""
    likely: Counter[str] = Counter()
    # An underscore joins the words of a phrase in text that comes segmented.
    for code, probability in _identifier().rank(clean(text[:_READ_OF_A_DOCUMENT]).replace("_", " ")):
        likely[RELATIVES.get(code, code)] += probability
    code, probability = likely.most_common(1)[0]
    return code if probability >= _SURE and language_name(code) != code else ""


@cache
def _identifier() -> Any:
    # Half a second and 75 MB, so it is loaded when it is asked and kept.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
