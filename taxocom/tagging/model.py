"""How topics are learnt: naive Bayes and ridge regression teach each other, round after round, held to the names.

In every round a document's score for a topic is the sum of what its names say (`names.name_evidence`), of how much
likelier its terms are in the topic than in the corpus, and of where it lies in the main directions of the corpus. Both
learners are then taught by the new scores. What a person said is not guessed again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taxocom.numerics.arrays import UNASSIGNED, Floats1d, Floats2d, Ints1d
from taxocom.numerics.blas import one_blas_thread
from taxocom.progress import SILENT, Progress
from taxocom.tagging.witnesses import Witnesses, drawn_rows

ROUNDS = 8
"""Four rounds cost up to 0.01 of the documents at the right topic on dbpedia; sixteen gain nothing."""

_FIRST_TRUST = 1.5
"""How sharply names alone teach in the first round; 3 is worse on all four corpora by 0.01."""

_TERMS_HEARD = 4.0
"""However long a document is, its terms count as so many: the words of a text are no independent witnesses. 25, as the
baseline has it, costs 0.01 at the first level and 0.03 to 0.06 at the leaves; 3 and 6 are as good within 0.01."""

_RIDGE_WEIGHT = 6.0
"""What a ridge answer of 1 adds to a score; 4 and 8 are as good within 0.01."""

_RIDGE_PENALTY = 1.0
_PRIOR_MASS = 200.0
"""Terms (damped counts) of the branch that every topic is imagined to have; 50 and 1,000 are as good within 0.01."""

_SAMPLE = 20_000
"""In larger corpora all rounds but the last two are taught on so many documents."""


@dataclass(frozen=True, eq=False)
class Labels:
    """What was said of documents: `topics` (n_documents,) or `UNASSIGNED`, and `weights`, how much each counts."""

    topics: Ints1d
    weights: Floats1d

    @classmethod
    def none(cls, n_documents: int) -> Labels:
        """Return labels for documents of which nothing was said."""
        return cls(np.full(n_documents, UNASSIGNED, np.int32), np.ones(n_documents, np.float32))

    def of(self, documents: Ints1d) -> Labels:
        """Return the labels of some documents."""
        return Labels(self.topics[documents], self.weights[documents])


def learn(
    witnesses: Witnesses,
    evidence: Floats2d,
    branches: Ints1d,
    *,
    labels: Labels | None = None,
    guess: Floats2d | None = None,
    rounds: int = ROUNDS,
    progress: Progress = SILENT,
) -> Floats2d:
    """Return the score of every document for every topic, shape as `evidence`.

    `branches` says which topics share a parent: a topic is what its branch is, as far as its own documents do not
    say otherwise. `guess` are the shares to begin with, instead of those that the names alone give.
    """
    labels = labels or Labels.none(len(evidence))
    shares = softmax(_FIRST_TRUST * evidence) if guess is None else guess
    if len(evidence) > _SAMPLE and rounds > 2:
        drawn = drawn_rows(len(evidence), _SAMPLE)
        rows = np.unique(np.concatenate([drawn, np.flatnonzero(labels.topics >= 0)])).astype(np.int32)
        part, part_labels = witnesses.of(rows), labels.of(rows)
        learners = _Learners(part, branches)
        some = shares[rows]
        for number in range(rounds - 2):
            progress.report("Learning the topics", number / rounds)
            some = softmax(evidence[rows] + learners.scores(_with_labels(some, part_labels), part_labels.weights))
        weights = learners.taught(_with_labels(some, part_labels), part_labels.weights)
        shares = softmax(evidence + weights.scores(witnesses))
        rounds = 2
    learners = _Learners(witnesses, branches)
    scores = evidence
    for number in range(rounds):
        progress.report("Learning the topics", 1.0 - (rounds - number) / ROUNDS)
        scores = evidence + learners.scores(_with_labels(shares, labels), labels.weights)
        shares = softmax(scores)
    return scores


def teach(witnesses: Witnesses, branches: Ints1d, scores: Floats2d, labels: Labels) -> Taught:
    """Return what the learners know once `learn` is done: it scores documents that were not among those that taught.

    `scores` are what `learn` returned, without the evidence of any document to come.
    """
    return _Learners(witnesses, branches).taught(_with_labels(softmax(scores), labels), labels.weights)


def softmax(scores: Floats2d) -> Floats2d:
    """Return the rows as shares that add up to 1."""
    shares = np.exp(scores - scores.max(axis=1, keepdims=True, initial=-np.inf))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True), dtype=np.float32)


def _with_labels(shares: Floats2d, labels: Labels) -> Floats2d:
    known = labels.topics >= 0
    if not known.any():
        return shares
    shares = shares.copy()
    shares[known] = 0.0
    shares[known, labels.topics[known]] = 1.0
    return shares


@dataclass(frozen=True, eq=False)
class Taught:
    """What the two learners know: log-ratios (n_terms, n_topics) and weights of the main directions and a constant."""

    log_ratios: Floats2d
    directions: Floats2d

    def scores(self, witnesses: Witnesses) -> Floats2d:
        """Score documents that need not be those that taught."""
        with one_blas_thread():
            places = _with_constant(witnesses.directions.documents) @ self.directions
        return np.asarray(_by_terms(witnesses, self.log_ratios) + _RIDGE_WEIGHT * places, dtype=np.float32)


class _Learners:
    """Naive Bayes and ridge regression over the same documents."""

    def __init__(self, witnesses: Witnesses, branches: Ints1d) -> None:
        self._witnesses, self._branches = witnesses, branches
        self._transposed = witnesses.damped.T.tocsr()
        with one_blas_thread():
            self._places = _with_constant(witnesses.directions.documents)
            gram = self._places.T @ self._places + _RIDGE_PENALTY * np.eye(self._places.shape[1])
            self._inverse = np.linalg.inv(gram).astype(np.float32)
            leverage = np.einsum("ij,ij->i", self._places @ self._inverse, self._places)
        # A document's own share in what is foretold of it; never all of it.
        self._leverage = np.minimum(leverage, 0.9)[:, None]

    def taught(self, shares: Floats2d, weights: Floats1d) -> Taught:
        with one_blas_thread():
            directions = self._inverse @ (self._places.T @ shares)
        return Taught(self._log_ratios(shares * weights[:, None]), directions)

    def scores(self, shares: Floats2d, weights: Floats1d) -> Floats2d:
        """Score the documents themselves, each by the ridge that was taught by all others."""
        taught = self.taught(shares, weights)
        with one_blas_thread():
            places = self._places @ taught.directions
        held_out = (places - self._leverage * shares) / (1.0 - self._leverage)
        by_terms = _by_terms(self._witnesses, taught.log_ratios)
        return np.asarray(by_terms + _RIDGE_WEIGHT * held_out, dtype=np.float32)

    def _log_ratios(self, shares: Floats2d) -> Floats2d:
        """Log-ratios of a term's rate in a topic to its rate overall, shrunk to its branch and that to the corpus."""
        sums = np.asarray(self._transposed @ shares, dtype=np.float64)
        overall = sums.sum(axis=1) + 1e-3
        overall /= overall.sum()
        n_branches = int(self._branches.max(initial=-1)) + 1
        members = np.equal.outer(self._branches, np.arange(n_branches)).astype(np.float64)
        of_branches = sums @ members
        above = (of_branches + _PRIOR_MASS * overall[:, None]) / (of_branches.sum(axis=0) + _PRIOR_MASS)
        masses = sums.sum(axis=0) + _PRIOR_MASS
        # In place: a large vocabulary is gone through here in every round.
        rates = np.add(sums, (_PRIOR_MASS * above)[:, self._branches], out=sums)
        rates /= masses
        rates /= overall[:, None]
        return np.asarray(np.log(rates, out=rates), dtype=np.float32)


def _by_terms(witnesses: Witnesses, log_ratios: Floats2d) -> Floats2d:
    lengths = np.maximum(witnesses.lengths, 1e-6)[:, None]
    heard = np.minimum(lengths, _TERMS_HEARD)
    return np.asarray((witnesses.damped @ log_ratios) * (heard / lengths), dtype=np.float32)


def _with_constant(rows: Floats2d) -> Floats2d:
    return np.hstack([rows, np.ones((len(rows), 1), dtype=np.float32)])
