"""How good a term is by itself: the paper's int(t), for words and phrases alike, and whether it may name a topic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from taxocom.numerics.arrays import Bools1d, Doubles, Floats1d, Offsets

# Occurrences a word is given of typical behaviour before its own are looked at.
_PRIOR = 10.0
# Significance at which a phrase is as likely good as not, and how fast that changes.
_DOUBTFUL, _SLOPE = 0.15, 0.07
# Share of occurrences outside longer phrases that is proof enough of a term, and below which it is a fragment of them.
_STANDING, _FRAGMENT = 0.4, 0.1


@dataclass(frozen=True)
class TermStatistics:
    """What is known of each term of the vocabulary.

    `formed` counts a term before longer phrases took it in, `counts` what is left; `significance` is that of a phrase's
    last merge, 0 for words. `given` marks the terms of the seed.
    """

    counts: Offsets
    document_frequencies: Offsets
    formed: Offsets
    significance: Doubles
    is_phrase: Bools1d
    given: Bools1d


def integrity(statistics: TermStatistics, document_lengths: Offsets) -> Floats1d:
    """Score in [0, 1] how likely each term is a concept that stands by itself.

    Three things count. *Bond* (phrases): how significant the phrase is. *Burst*: a concept comes back in a document
    that is about it, where "combines" or "wide range" do not, so the repetitions within documents are set against
    what chance would give. *Standing*: "vector" inside "support vector machine" is no occurrence of "vector". A term
    met in very few documents is believed less. What the seed names is a concept by the curator's word: 1.
    """
    burst = burstiness(statistics, document_lengths)
    bond = expit((statistics.significance - _DOUBTFUL) / _SLOPE)
    quality = np.where(statistics.is_phrase, bond * (0.7 + 0.3 * burst), 0.15 + 0.8 * burst)
    frequencies = statistics.document_frequencies.astype(np.float64)
    seen = frequencies / (frequencies + 1.0)
    scores = quality * seen * np.sqrt(np.minimum(1.0, standing(statistics) / _STANDING))
    return np.where(statistics.given, 1.0, scores).clip(0.0, 1.0).astype(np.float32)


def standing(statistics: TermStatistics) -> Doubles:
    """Return the share of each term's occurrences that are outside longer phrases."""
    return np.asarray(np.minimum(1.0, statistics.counts / np.maximum(statistics.formed, statistics.counts).clip(1)))


def burstiness(statistics: TermStatistics, document_lengths: Offsets) -> Doubles:
    """Score in [0, 1] how much terms come back within a document, next to the corpus's other terms.

    The repetitions beyond a term's first in each document, over all its occurrences, less what a term thrown about at
    random would show; rare terms are drawn to the typical. The middle half of the terms spans about 0.3 to 0.7.
    """
    counts = statistics.counts.astype(np.float64)
    repeats = counts - statistics.document_frequencies
    excess = repeats - (counts - _expected_frequencies(counts, document_lengths))
    typical = excess.sum() / max(1.0, counts.sum())
    rates = (excess + _PRIOR * typical) / (counts + _PRIOR)
    scores = np.full(len(counts), 0.5)
    # Phrases come back less than words, since a second mention is often shortened: each is judged among its like.
    for group in (statistics.is_phrase, ~statistics.is_phrase):
        if group.any():
            low, middle, high = np.quantile(rates[group], (0.25, 0.5, 0.75))
            spread = max(high - low, 1e-6)
            scores[group] = expit(1.7 * (rates[group] - middle) / spread)
    return scores


def _expected_frequencies(counts: Doubles, document_lengths: Offsets) -> Doubles:
    # Lengths by their quantiles: every document with every term would be a matrix of billions.
    lengths = np.quantile(document_lengths, np.linspace(0.01, 0.99, 50)).clip(1e-9)
    lengths *= document_lengths.mean() / lengths.mean()
    rates = counts / max(1.0, counts.sum())
    expected = np.zeros(len(counts))
    for length in lengths:
        expected -= np.expm1(-rates * length)
    return np.asarray(expected * len(document_lengths) / len(lengths))


def may_name(terms: list[str], statistics: TermStatistics) -> Bools1d:
    """Tell which terms may name a topic: no codes, nothing very short, no fragments of phrases.

    The seed's own names always may.
    """
    shaped = np.fromiter((_is_name_like(term) for term in terms), dtype=np.bool_, count=len(terms))
    return np.asarray((shaped & (standing(statistics) >= _FRAGMENT)) | statistics.given)


def _is_name_like(term: str) -> bool:
    return not any(map(str.isdigit, term)) and (len(term) > 2 or not term.isascii())
