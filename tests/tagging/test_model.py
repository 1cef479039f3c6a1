"""How topics are learnt: compared with plain numpy, told what people said, and the same on any machine."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from scipy import sparse
from threadpoolctl import threadpool_limits

from taxocom.numerics.arrays import UNASSIGNED
from taxocom.tagging import model
from taxocom.tagging.model import ROUNDS, Labels, learn, softmax
from taxocom.tagging.names import classes_under, name_evidence
from taxocom.tagging.witnesses import MainDirections, Witnesses, damp, read_witnesses
from taxocom.taxonomy.tree import ROOT_ID, topic_id
from tests.expansion.planted import Planted, plant


class Case:
    """Documents, what the names say of them, and the branch of each topic."""

    def __init__(self, planted: Planted) -> None:
        classes = classes_under(planted.gold, ROOT_ID)
        self.witnesses = read_witnesses(planted.corpus)
        names = [each.node_id for each in classes]
        self.evidence = name_evidence(self.witnesses, planted.corpus.vocabulary, planted.gold, names)
        self.branches = np.array([each.branch for each in classes], dtype=np.int32)
        self.gold = np.array([names.index(topic_id(*path)) for path in planted.paths], dtype=np.int32)

    def labels(self, rows: list[int], topics: list[int], weight: float = 1.0) -> Labels:
        labels = Labels.none(len(self.gold))
        labels.topics[rows] = topics
        labels.weights[rows] = weight
        return labels


@pytest.fixture(scope="module")
def case() -> Case:
    return Case(plant(n_parents=3, n_children=2, n_documents=50))


def hand_made(counts: list[list[int]]) -> Witnesses:
    """Documents by their terms alone: they lie nowhere in particular."""
    damped = damp(sparse.csr_array(np.array(counts, dtype=np.int32)))
    lengths = np.asarray(damped.sum(axis=1), dtype=np.float32).ravel()
    n_documents, n_terms = damped.shape
    nowhere = MainDirections(np.zeros((n_documents, 1), np.float32), np.zeros((n_terms, 1), np.float32))
    return Witnesses(damped, lengths, nowhere)


def plain_learn(
    witnesses: Witnesses, evidence: np.ndarray, branches: np.ndarray, labels: Labels, rounds: int = ROUNDS
) -> np.ndarray:
    """The rounds in plain numpy and doubles; every ridge answer by leaving the document out and solving anew."""
    damped = witnesses.damped.toarray().astype(np.float64)
    rows = np.hstack([witnesses.directions.documents.astype(np.float64), np.ones((len(damped), 1))])
    penalty = np.eye(rows.shape[1])
    shares = _plain_softmax(1.5 * evidence)
    scores = evidence
    for _ in range(rounds):
        for document, topic in enumerate(labels.topics):
            if topic >= 0:
                shares[document] = np.eye(evidence.shape[1])[topic]
        sums = damped.T @ (shares * labels.weights[:, None])
        overall = sums.sum(axis=1) + 1e-3
        overall = overall / overall.sum()
        log_ratios = np.empty_like(sums)
        for topic, branch in enumerate(branches):
            of_branch = sums[:, branches == branch].sum(axis=1)
            above = (of_branch + 200 * overall) / (of_branch.sum() + 200)
            rates = (sums[:, topic] + 200 * above) / (sums[:, topic].sum() + 200)
            log_ratios[:, topic] = np.log(rates / overall)
        lengths = damped.sum(axis=1, keepdims=True)
        by_terms = damped @ log_ratios * np.minimum(1.0, 4.0 / np.maximum(lengths, 1e-6))
        held_out = np.empty_like(shares)
        for document, row in enumerate(rows):
            others = np.arange(len(rows)) != document
            gram = rows[others].T @ rows[others] + penalty
            held_out[document] = row @ np.linalg.solve(gram, rows[others].T @ shares[others])
        scores = evidence + by_terms + 6.0 * held_out
        shares = _plain_softmax(scores)
    return scores


def _plain_softmax(scores: np.ndarray) -> np.ndarray:
    raised = np.exp(scores.astype(np.float64) - scores.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


def test_one_round_over_two_documents_by_hand() -> None:
    """Document 0 says only `a` and is told to be of topic 0, document 1 says only `b` and is told to be of topic 1."""
    witnesses = hand_made([[1, 0], [0, 1]])
    labels = Labels(np.array([0, 1], np.int32), np.ones(2, np.float32))
    scores = learn(witnesses, np.zeros((2, 2), np.float32), np.array([0, 1]), labels=labels, rounds=1)
    two = log(2)  # what one mention counts; it is half of all that is counted
    in_its_topic = (two + 200 * (two + 200 * 0.5) / (two + 200)) / (two + 200)
    in_the_other = (0 + 200 * (0 + 200 * 0.5) / (two + 200)) / (two + 200)
    # Where documents lie nowhere, the ridge foretells what the one other document is: 1 / (1 + penalty).
    own = two * log(in_its_topic / 0.5)
    other = two * log(in_the_other / 0.5) + 6.0 * 0.5
    np.testing.assert_allclose(scores, [[own, other], [other, own]], rtol=1e-5)


@pytest.mark.parametrize("rounds", [1, 2, ROUNDS])
def test_learning_equals_its_plain_restatement(rounds: int) -> None:
    case = Case(plant(n_parents=2, n_children=2, n_documents=20, length=25))
    # Fewer directions than documents, as in any real corpus: else a document's own leverage is bounded.
    few = MainDirections(case.witnesses.directions.documents[:, :10], case.witnesses.directions.terms[:, :10])
    witnesses = Witnesses(case.witnesses.damped, case.witnesses.lengths, few)
    labels = case.labels([0, 5, 9], [3, 0, 1], 5.0)
    found = learn(witnesses, case.evidence, case.branches, labels=labels, rounds=rounds)
    expected = plain_learn(witnesses, case.evidence, case.branches, labels, rounds)
    np.testing.assert_allclose(found, expected, rtol=2e-3, atol=2e-3)


def test_without_a_round_the_names_alone_speak(case: Case) -> None:
    np.testing.assert_array_equal(learn(case.witnesses, case.evidence, case.branches, rounds=0), case.evidence)


def test_planted_topics_are_recovered_from_their_names_alone() -> None:
    """In short texts few say their topic's name; the others are found by what those have in common."""
    case = Case(plant(n_parents=3, n_children=2, n_documents=60, length=16))
    by_names = (case.evidence.argmax(axis=1) == case.gold).mean()
    learnt = (learn(case.witnesses, case.evidence, case.branches).argmax(axis=1) == case.gold).mean()
    assert by_names < 0.9
    assert learnt > 0.95


def test_the_same_bytes_on_one_thread_and_two_and_when_asked_twice(case: Case) -> None:
    labels = case.labels([1, 2, 3], [0, 1, 2])
    found = []
    for threads in (1, 2, 2):
        with threadpool_limits(threads, user_api="blas"):
            found.append(learn(case.witnesses, case.evidence, case.branches, labels=labels).tobytes())
    assert found[0] == found[1] == found[2]


def test_nothing_that_was_given_is_changed(case: Case) -> None:
    labels = case.labels([1, 2, 3], [0, 1, 2])
    guess = softmax(case.evidence)
    given = [case.evidence, case.branches, labels.topics, labels.weights, guess, case.witnesses.damped.data]
    before = [array.copy() for array in given]
    learn(case.witnesses, case.evidence, case.branches, labels=labels, guess=guess)
    for array, old in zip(given, before, strict=True):
        np.testing.assert_array_equal(array, old)


def test_a_labelled_document_is_never_guessed_again(case: Case) -> None:
    """Whatever its own words say, it teaches the topic it was given; so its evidence changes no other document."""
    told, rest = np.arange(20), np.arange(20, len(case.gold))
    labels = case.labels(list(told), [(topic + 1) % 6 for topic in case.gold[told]])
    plain = learn(case.witnesses, case.evidence, case.branches, labels=labels)
    shouting = case.evidence.copy()
    shouting[told, case.gold[told]] += 50.0
    loud = learn(case.witnesses, shouting, case.branches, labels=labels)
    np.testing.assert_array_equal(plain[rest], loud[rest])
    unlabelled = learn(case.witnesses, case.evidence, case.branches)
    assert np.abs(unlabelled[rest] - plain[rest]).max() > 0.1


def test_a_topic_without_a_name_is_learnt_from_what_people_said(case: Case) -> None:
    nameless = case.evidence.copy()
    nameless[:, 2] = 0.0
    own = np.flatnonzero(case.gold == 2)
    alone = learn(case.witnesses, nameless, case.branches)
    told = learn(case.witnesses, nameless, case.branches, labels=case.labels(list(own[:10]), [2] * 10, 5.0))
    unseen = own[10:]
    assert (alone[unseen].argmax(axis=1) == 2).mean() < 0.5
    assert (told[unseen].argmax(axis=1) == 2).mean() > 0.9


def test_topics_of_a_branch_share_what_their_documents_do_not_deny() -> None:
    """A third topic without documents hears the words of its sister, not those of a stranger."""
    witnesses = hand_made([[4, 0], [4, 0], [0, 4], [0, 4]])
    labels = Labels(np.array([0, 0, 1, 1], np.int32), np.ones(4, np.float32))
    evidence = np.zeros((4, 3), np.float32)
    scores = learn(witnesses, evidence, np.array([0, 1, 0]), labels=labels, rounds=1)
    stranger = learn(witnesses, evidence, np.array([0, 1, 2]), labels=labels, rounds=1)
    assert scores[0, 2] > scores[2, 2]
    np.testing.assert_allclose(stranger[:, 2], stranger[0, 2], atol=1e-5)


def test_other_orders_of_documents_and_topics_give_the_same_scores_in_that_order(case: Case) -> None:
    rng = np.random.default_rng(5)
    rows = rng.permutation(len(case.gold)).astype(np.int32)
    topics = rng.permutation(len(case.branches))
    labels = case.labels([3, 4, 8], [2, 0, 5], 5.0)
    moved = Labels(np.array([_place(topics, topic) for topic in labels.topics[rows]], np.int32), labels.weights[rows])
    shuffled = Witnesses(
        case.witnesses.damped[rows],
        case.witnesses.lengths[rows],
        MainDirections(case.witnesses.directions.documents[rows], case.witnesses.directions.terms),
    )
    plain = learn(case.witnesses, case.evidence, case.branches, labels=labels)
    other = learn(shuffled, case.evidence[rows][:, topics], case.branches[topics], labels=moved)
    np.testing.assert_allclose(other, plain[rows][:, topics], rtol=1e-3, atol=1e-3)


def _place(topics: np.ndarray, topic: int) -> int:
    return UNASSIGNED if topic < 0 else int(np.flatnonzero(topics == topic)[0])


def test_in_a_large_corpus_a_sample_teaches_and_the_answer_is_nearly_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case(plant(n_parents=3, n_children=2, n_documents=60, length=16))
    whole = learn(case.witnesses, case.evidence, case.branches)
    hasty = learn(case.witnesses, case.evidence, case.branches, rounds=2)
    monkeypatch.setattr(model, "_SAMPLE", 200)
    asked: list[np.ndarray] = []
    monkeypatch.setattr(Witnesses, "of", _listening(Witnesses.of, asked))
    sampled = learn(case.witnesses, case.evidence, case.branches)
    assert [len(rows) for rows in asked] == [200]
    assert (sampled.argmax(axis=1) == whole.argmax(axis=1)).mean() > 0.97
    # The last two rounds alone, over all documents, would not come as near.
    assert np.abs(sampled - whole).mean() < 0.5 * np.abs(hasty - whole).mean()


def test_the_sample_of_a_large_corpus_has_every_document_that_people_spoke_of(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, "_SAMPLE", 30)
    asked: list[np.ndarray] = []
    monkeypatch.setattr(Witnesses, "of", _listening(Witnesses.of, asked))
    told = list(range(0, len(case.gold), 7))
    learn(case.witnesses, case.evidence, case.branches, labels=case.labels(told, [0] * len(told)))
    assert set(told) <= set(asked[0].tolist())
    assert len(asked[0]) < len(case.gold)


def _listening(original, asked: list):
    def of(self: Witnesses, documents: np.ndarray) -> Witnesses:
        asked.append(documents)
        return original(self, documents)

    return of


@pytest.mark.parametrize("sample", [20_000, 100])
def test_progress_only_grows(case: Case, monkeypatch: pytest.MonkeyPatch, sample: int) -> None:
    monkeypatch.setattr(model, "_SAMPLE", sample)
    fractions: list[float] = []

    class Listener:
        def report(self, stage: str, fraction: float) -> None:
            fractions.append(fraction)

    learn(case.witnesses, case.evidence, case.branches, progress=Listener())
    assert len(fractions) == ROUNDS
    assert fractions == sorted(fractions)
    assert 0.0 <= fractions[0] <= fractions[-1] <= 1.0


def test_documents_without_a_term_get_what_is_left_and_no_nonsense() -> None:
    witnesses = hand_made([[2, 0], [0, 2], [0, 0]])
    scores = learn(witnesses, np.array([[1, 0], [0, 1], [0, 0]], np.float32), np.array([0, 1]))
    assert np.isfinite(scores).all()
    np.testing.assert_allclose(softmax(scores)[2], [0.5, 0.5], atol=1e-3)


def test_shares_add_up_to_1_however_large_the_scores() -> None:
    shares = softmax(np.array([[1e4, 0.0, -1e4], [0.0, 0.0, 0.0], [-900.0, -901.0, -902.0]], np.float32))
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-6)
    np.testing.assert_allclose(shares[0], [1, 0, 0])
    np.testing.assert_allclose(shares[1], 1 / 3)
    np.testing.assert_allclose(shares[2, 0] / shares[2, 1], np.e, rtol=1e-5)
    assert softmax(np.zeros((4, 0), np.float32)).shape == (4, 0)
