"""Training as a whole: reproducible on any number of threads, on the sphere, and good for something."""

import tracemalloc

import numpy as np
import pytest

from taxocom.errors import CancelledError, SettingsError
from taxocom.numerics.training import (
    EmbeddingState,
    TopicSupervision,
    TrainingSettings,
    initial_state,
    topic_supervision,
    train,
)

DIM = 20
N_GROUPS, N_OWN = 4, 15
N_TERMS = N_GROUPS * N_OWN + 10


class Planted:
    """Documents of four groups: each word is one of the group's own terms or one of ten that all share."""

    def __init__(self, n_documents=240, length=40, seed=0):
        rng = np.random.default_rng(seed)
        self.groups = np.arange(n_documents) % N_GROUPS
        own = self.groups[:, None] * N_OWN + rng.integers(0, N_OWN, (n_documents, length))
        shared = N_GROUPS * N_OWN + rng.integers(0, 10, (n_documents, length))
        words = np.where(rng.random((n_documents, length)) < 0.7, own, shared)
        self.tokens = words.reshape(-1).astype(np.int32)
        self.offsets = np.arange(0, words.size + 1, length, dtype=np.int64)
        self.counts = np.bincount(self.tokens, minlength=N_TERMS)
        self.start = initial_state(N_TERMS, n_documents, DIM, seed)

    def train(self, settings=None, *, start=None, **options):
        values = {
            "counts": self.counts,
            "settings": settings or TrainingSettings(epochs=2),
            "random_state": 1,
        } | options
        return train(self.tokens, self.offsets, start or self.start, **values)

    def keywords(self):
        return [np.array([group * N_OWN, group * N_OWN + 1], np.int32) for group in range(N_GROUPS)]


@pytest.fixture(scope="module")
def planted():
    return Planted()


def assert_same(one, other):
    for name in ("terms", "contexts", "documents"):
        np.testing.assert_array_equal(getattr(one.state, name), getattr(other.state, name))
    np.testing.assert_array_equal(one.topic_vectors, other.topic_vectors)
    np.testing.assert_array_equal(one.losses, other.losses)


SHARDED = TrainingSettings(epochs=2, shards=3, rounds=1)


@pytest.mark.parametrize("threads", [2, 3, 5])
def test_same_bytes_on_any_number_of_threads(planted, threads):
    topics = topic_supervision(planted.keywords(), planted.start.terms)
    one = planted.train(SHARDED, topics=topics, threads=1)
    assert_same(one, planted.train(SHARDED, topics=topics, threads=threads))


def test_shards_are_really_used(planted):
    alone = planted.train(TrainingSettings(epochs=2, shards=1, rounds=1))
    assert not np.array_equal(planted.train(SHARDED).state.terms, alone.state.terms)


def test_another_random_state_gives_other_vectors(planted):
    assert not np.array_equal(planted.train().state.terms, planted.train(random_state=2).state.terms)


def test_inputs_are_left_alone(planted):
    before = [planted.start.terms.copy(), planted.start.contexts.copy(), planted.start.documents.copy()]
    for array in (planted.tokens, planted.offsets, planted.start.terms):
        array.setflags(write=False)
    planted.train()
    for array, copy in zip((planted.start.terms, planted.start.contexts, planted.start.documents), before, strict=True):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize("reproducible", [True, False])
def test_rows_have_length_one(planted, reproducible):
    state = planted.train(reproducible=reproducible, threads=2).state
    for table in (state.terms, state.contexts, state.documents):
        assert table.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(table, axis=1), 1.0, atol=1e-5)


@pytest.mark.parametrize("negatives_from", ["terms", "contexts"])
def test_nothing_breaks_in_fifty_epochs_of_long_steps(negatives_from):
    settings = TrainingSettings(
        epochs=50, step=0.2, last_step=0.2, margin=0.6, negatives_from=negatives_from, shards=2, rounds=2
    )
    result = Planted(n_documents=60, length=300).train(settings)
    for table in (result.state.terms, result.state.contexts, result.state.documents):
        assert np.isfinite(table).all()
        np.testing.assert_allclose(np.linalg.norm(table, axis=1), 1.0, atol=1e-5)
    assert np.isfinite(result.losses).all()


def neighbours_agree(vectors, groups):
    """The share of vectors whose nearest other vector is of the same group."""
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -2.0)
    return float((groups[cosines.argmax(axis=1)] == groups).mean())


@pytest.mark.parametrize("shards", [1, 4])
@pytest.mark.parametrize("negatives_from", ["terms", "contexts"])
def test_planted_groups_come_apart(planted, shards, negatives_from):
    settings = TrainingSettings(
        epochs=10, step=0.08, margin=0.3, shards=shards, rounds=1, negatives_from=negatives_from
    )
    state = planted.train(settings).state
    own = np.repeat(np.arange(N_GROUPS), N_OWN)
    assert neighbours_agree(planted.start.terms[: len(own)], own) < 0.5
    assert neighbours_agree(state.terms[: len(own)], own) == 1.0
    assert neighbours_agree(state.documents, planted.groups) > 0.95


def test_the_loss_falls(planted):
    losses = planted.train(TrainingSettings(epochs=8, margin=0.3, scaled_steps=False)).losses
    assert losses[-1] < 0.8 * losses[0]


def test_words_are_counted(planted):
    result = planted.train(TrainingSettings(epochs=3))
    assert result.words_trained == 3 * len(planted.tokens)
    assert result.losses.shape == (3,)


def test_inactive_terms_keep_their_vectors(planted):
    active = np.ones(N_TERMS, bool)
    active[::3] = False
    state = planted.train(active_terms=active).state
    np.testing.assert_allclose(state.terms[~active], planted.start.terms[~active], atol=1e-6)
    np.testing.assert_allclose(state.contexts[~active], planted.start.contexts[~active], atol=1e-6)
    assert (np.abs(state.terms[active] - planted.start.terms[active]).max(axis=1) > 1e-3).all()


def test_topics_draw_their_keywords_and_keep_apart(planted):
    topics = topic_supervision(planted.keywords(), planted.start.terms)
    settings = TrainingSettings(epochs=4, topic_period=50)
    free = planted.train(settings)
    guided = planted.train(settings, topics=topics)
    for topic, ids in enumerate(planted.keywords()):
        near = (guided.state.terms[ids] @ guided.topic_vectors[topic]).min()
        assert near > 0.8
        assert near > (free.state.terms[ids] @ topics.vectors[topic]).min()
    between = (guided.topic_vectors @ guided.topic_vectors.T)[np.triu_indices(N_GROUPS, 1)]
    assert between.max() < 0.5
    assert all(kappa is not None and kappa > 0 for kappa in guided.concentrations)


def test_a_topic_of_one_keyword_has_no_concentration(planted):
    topics = topic_supervision([np.array([0], np.int32), np.array([20, 21], np.int32)], planted.start.terms)
    result = planted.train(TrainingSettings(epochs=1, concentration_every=1), topics=topics)
    assert result.concentrations[0] is None
    assert result.concentrations[1] is not None


def test_a_topic_without_keywords_has_no_direction_and_disturbs_none(planted):
    keywords = [*planted.keywords(), np.empty(0, np.int32)]
    settings = TrainingSettings(epochs=2, topic_period=50, push_margin=-0.5)
    result = planted.train(settings, topics=topic_supervision(keywords, planted.start.terms))
    assert not result.topic_vectors[-1].any()
    assert result.concentrations[-1] is None
    np.testing.assert_allclose(np.linalg.norm(result.topic_vectors[:-1], axis=1), 1.0, atol=1e-5)


def test_concentrations_weigh_the_pull(planted):
    topics = topic_supervision([np.array([0, 1, 2], np.int32), np.array([15, 40], np.int32)], planted.start.terms)
    settings = {"epochs": 2, "topic_period": 50}
    alike = planted.train(TrainingSettings(**settings), topics=topics)
    weighed = planted.train(TrainingSettings(**settings, concentration_every=1), topics=topics)
    assert not np.array_equal(alike.topic_vectors, weighed.topic_vectors)


def test_keywords_grow_by_terms_of_their_group(planted):
    warm = planted.train(TrainingSettings(epochs=6, step=0.08, margin=0.3)).state
    settings = TrainingSettings(epochs=3, step=0.08, margin=0.3, keywords_grown=2, topic_period=50)
    result = planted.train(settings, start=warm, topics=topic_supervision(planted.keywords(), warm.terms))
    for group, ids in enumerate(result.keywords):
        assert ids[:2].tolist() == planted.keywords()[group].tolist()
        assert len(set(ids.tolist())) == 2 + 3 * 2
        assert (ids // N_OWN == group).all()


def test_the_paper_to_the_letter(planted):
    settings = TrainingSettings(epochs=3, margin=0.25, keywords_grown=1).to_the_letter()
    assert (settings.margin, settings.topic_margin, settings.push_margin) == (0.25, 0.25, 0.25)
    assert settings.negatives_from == "contexts"
    assert settings.keywords_grown == 1
    topics = topic_supervision(planted.keywords(), planted.start.terms)
    result = planted.train(settings, topics=topics)
    own = np.repeat(np.arange(N_GROUPS), N_OWN)
    assert neighbours_agree(result.state.terms[: len(own)], own) > 0.9


def test_shuffling_is_a_setting(planted):
    in_order = TrainingSettings(epochs=1, shuffle=False)
    assert_same(planted.train(in_order), planted.train(in_order))
    assert not np.array_equal(
        planted.train(in_order).state.terms, planted.train(TrainingSettings(epochs=1)).state.terms
    )


def test_warm_start_goes_on_from_where_it_was(planted):
    first = planted.train(TrainingSettings(epochs=6, margin=0.3, step=0.08))
    again = planted.train(TrainingSettings(epochs=1, margin=0.3, step=0.01), start=first.state)
    assert (first.state.terms * again.state.terms).sum(axis=1).min() > 0.9


def test_cancelling_stops_training(planted):
    class Impatient:
        reports = 0

        def report(self, stage, fraction):
            self.reports += 1
            assert 0.0 <= fraction <= 1.0
            if self.reports == 3:
                raise CancelledError("enough")

    with pytest.raises(CancelledError):
        planted.train(TrainingSettings(epochs=4), progress=Impatient(), threads=2)


@pytest.mark.parametrize(("shards", "threads"), [(1, 1), (4, 1), (4, 2)])
def test_memory_is_the_tables_and_a_copy_of_the_term_tables_for_each_shard(shards, threads):
    """What `numerics/training.py` states: it grows with the vocabulary and the shards, never with the threads."""
    n_terms, n_documents, dim = 3_000, 400, 96
    rng = np.random.default_rng(0)
    tokens = rng.integers(0, n_terms, 40_000).astype(np.int32)
    offsets = np.linspace(0, len(tokens), n_documents + 1).astype(np.int64)
    state = initial_state(n_terms, n_documents, dim, 0)
    options = {
        "counts": np.bincount(tokens, minlength=n_terms),
        "settings": TrainingSettings(epochs=1, shards=shards, rounds=2),
        "random_state": 0,
        "threads": threads,
    }
    train(tokens, offsets, state, **options)
    tracemalloc.start()
    try:
        train(tokens, offsets, state, **options)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    table, documents = 4 * n_terms * dim, 4 * n_documents * dim
    copies = shards if shards > 1 else 0
    # Two tables under training, their copies, the vectors returned, and per-term numbers for drawing.
    stated = (2 + 2 * copies + 2) * table + 3 * documents + 60 * n_terms
    assert peak < 1.15 * stated
    assert peak > 0.7 * stated, "else the bound says nothing"


def test_empty_documents_and_an_empty_corpus():
    state = initial_state(3, 2, DIM, 0)
    none = np.empty(0, np.int32)
    result = train(
        none, np.zeros(3, np.int64), state, counts=np.ones(3, int), settings=TrainingSettings(epochs=1), random_state=0
    )
    np.testing.assert_allclose(result.state.documents, state.documents, atol=1e-6)
    assert result.losses.tolist() == [0.0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epochs": 0}, "epochs is 0"),
        ({"step": 0.0}, "step is 0.0"),
        ({"margin": 1.5}, "margin is 1.5"),
        ({"negatives_from": "words"}, "negatives_from is 'words'"),
        ({"last_step": 0.2}, "last_step is 0.2"),
        ({"sample": float("nan")}, "sample is nan"),
    ],
)
def test_bad_settings_are_named(change, message):
    with pytest.raises(SettingsError, match=message):
        TrainingSettings(**change)


def test_what_does_not_fit_is_refused(planted):
    with pytest.raises(ValueError, match="documents for"):
        train(
            planted.tokens,
            planted.offsets[:-1],
            planted.start,
            counts=planted.counts,
            settings=TrainingSettings(),
            random_state=0,
        )
    with pytest.raises(ValueError, match="counts for"):
        planted.train(counts=planted.counts[:-1])
    with pytest.raises(ValueError, match="do not belong together"):
        EmbeddingState(planted.start.terms, planted.start.contexts[:-1], planted.start.documents)
    with pytest.raises(ValueError, match="offsets ending"):
        TopicSupervision(np.array([0, 2]), np.array([1], np.int32), planted.start.terms[:1])
