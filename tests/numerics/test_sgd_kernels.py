"""The compiled kernels against the plain transcription, on the same draws."""

import hashlib
from pathlib import Path

import numpy as np
import pytest

from taxocom.numerics import sampling, sgd_kernels, topic_kernels, vector_rows
from taxocom.numerics.sampling import AliasTable, keep_thresholds
from taxocom.numerics.sphere import unit_rows
from taxocom.numerics.vector_rows import lanes_of, padded_rows, padded_width
from tests.numerics import reference as ref

N_TERMS, DIM = 12, 20
CLOSE = {"rtol": 0, "atol": 2e-5}


def rows(rng, n, dim=DIM):
    return padded_rows(unit_rows(rng.standard_normal((n, dim))))[0]


def make_text(rng, lengths, sample=0.05):
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    tokens = rng.integers(0, N_TERMS, offsets[-1]).astype(np.int32)
    counts = np.bincount(tokens, minlength=N_TERMS)
    table = AliasTable(counts)
    return sgd_kernels.Text(tokens, offsets, keep_thresholds(counts, sample), table.thresholds, table.aliases)


def make_rules(**changed):
    values = {
        "window": 3,
        "negatives": 2,
        "margin": np.float32(0.3),
        "scaled_steps": True,
        "document_weight": np.float32(1.0),
        "topic_period": 1_000_000,
        "topic_margin": np.float32(0.9),
        "push_margin": np.float32(0.0),
        "push_weight": np.float32(1.0),
    }
    return sgd_kernels.Rules(**(values | changed))


def make_tables(rng, n_documents, n_topics=0, negatives_from="terms"):
    terms, contexts = rows(rng, N_TERMS), rows(rng, N_TERMS)
    hubs, spokes = (contexts, terms) if negatives_from == "terms" else (terms, contexts)
    return sgd_kernels.Tables(hubs, spokes, terms, rows(rng, n_documents), rows(rng, n_topics))


def in_float64(tables):
    """A copy in float64 in which hubs, spokes and terms share memory as before."""
    copies = {id(table): table.astype(np.float64) for table in tables}
    return sgd_kernels.Tables(*(copies[id(table)] for table in tables))


NO_KEYWORDS = topic_kernels.Keywords(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, np.float32))
STEPS = np.array([0.08, 0.08], np.float32)
SEED = np.uint64(2**63 + 12345)


def run_both(text, tables, keywords, rules, order):
    plain = in_float64(tables)
    loss = sgd_kernels.train_documents(
        text, tables, keywords, rules, np.asarray(order, np.int64), STEPS, SEED, lanes_of(DIM)
    )
    expected = sum(ref.train_document(text, plain, rules, d, float(STEPS[0]), int(SEED)) for d in order)
    return loss, expected, plain


@pytest.mark.parametrize("negatives_from", ["terms", "contexts"])
@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("negatives", [1, 2, 5])
def test_training_equals_plain_numpy(negatives_from, scaled, negatives):
    rng = np.random.default_rng(negatives)
    text = make_text(rng, [9, 0, 1, 14, 6])
    tables = make_tables(rng, 5, negatives_from=negatives_from)
    rules = make_rules(scaled_steps=scaled, negatives=negatives, document_weight=np.float32(0.7))
    loss, expected, plain = run_both(text, tables, NO_KEYWORDS, rules, [3, 0, 1, 4, 2])
    assert loss == pytest.approx(expected, rel=1e-4)
    assert loss > 1.0
    for fast, slow in zip(tables, plain, strict=True):
        np.testing.assert_allclose(fast, slow, **CLOSE)


def test_training_moves_every_kind_of_row():
    rng = np.random.default_rng(0)
    tables = make_tables(rng, 2)
    before = [table.copy() for table in tables]
    run_both(make_text(rng, [20, 20]), tables, NO_KEYWORDS, make_rules(), [0, 1])
    for table, start in zip(tables[:4], before[:4], strict=True):
        assert np.abs(table - start).max() > 0.01


def test_topics_equal_plain_numpy():
    rng = np.random.default_rng(3)
    tables = make_tables(rng, 1, n_topics=3)
    keywords = topic_kernels.Keywords(
        np.array([0, 2, 2, 5]), np.array([1, 4, 0, 2, 9], np.int32), np.array([1.0, 2.0, 0.5], np.float32)
    )
    rules = make_rules(push_margin=np.float32(-0.1))
    plain = in_float64(tables)
    step = np.float32(0.1)
    topic_kernels.push_topics(tables.topics, rules.push_margin, step * rules.push_weight, lanes_of(DIM))
    topic_kernels.pull_keywords(tables.terms, tables.topics, keywords, rules.topic_margin, step, lanes_of(DIM))
    ref.train_topics(plain.terms, plain.topics, keywords, rules, float(step))
    np.testing.assert_allclose(tables.terms, plain.terms, **CLOSE)
    np.testing.assert_allclose(tables.topics, plain.topics, **CLOSE)


def test_topic_losses_are_those_whose_gradients_are_checked():
    rng = np.random.default_rng(4)
    terms, topics = rows(rng, 4), rows(rng, 2)
    keywords = topic_kernels.Keywords(
        np.array([0, 3, 4]), np.arange(4, dtype=np.int32), np.array([1.5, 0.5], np.float32)
    )
    wide, narrow = terms.astype(float), topics.astype(float)
    no_step = np.float32(0.0)
    pulled = topic_kernels.pull_keywords(terms, topics, keywords, np.float32(0.4), no_step, lanes_of(DIM))
    pushed = topic_kernels.push_topics(topics, np.float32(-0.5), no_step, lanes_of(DIM))
    expected = ref.pull_loss(wide[:3], narrow[0], 1.5, 0.4) + ref.pull_loss(wide[3:], narrow[1], 0.5, 0.4)
    assert pulled == pytest.approx(expected, abs=1e-5)
    assert pushed == pytest.approx(ref.push_loss(narrow, -0.5), abs=1e-5)


def test_topics_are_trained_once_a_period():
    rng = np.random.default_rng(5)
    text = make_text(rng, [10, 10], sample=0.0)
    keywords = topic_kernels.Keywords(np.array([0, 2]), np.array([3, 7], np.int32), np.ones(1, np.float32))
    steps = []
    for period in (21, 20, 5):
        tables = make_tables(np.random.default_rng(6), 2, n_topics=1)
        start = tables.topics.copy()
        sgd_kernels.train_documents(
            text, tables, keywords, make_rules(topic_period=period), np.arange(2), STEPS, SEED, lanes_of(DIM)
        )
        steps.append(float(np.abs(tables.topics - start).sum()))
    assert steps[0] == 0.0
    assert 0.0 < steps[1] < steps[2]


def test_a_plain_step_follows_the_checked_gradient():
    """With steps not scaled, a short step of the kernel is minus the gradient that finite differences confirm."""
    rng = np.random.default_rng(7)
    hubs, spokes = rows(rng, 1), rows(rng, 3)
    h, (p, n, o) = hubs[0].astype(float), spokes.astype(float)
    gradient = np.zeros((1, hubs.shape[1]), np.float32)
    step, margin = np.float32(1e-2), np.float32(1.0)
    sgd_kernels.train_pair(hubs, 0, spokes, 0, 1, 2, 99, margin, step, False, gradient, lanes_of(DIM))
    expected = [
        ref.positive_gradient(h, p, [n, o], 1.0),
        ref.negative_gradient(h, p, n, 1.0),
        ref.negative_gradient(h, p, o, 1.0),
    ]
    for row, start, down in zip(spokes, (p, n, o), expected, strict=True):
        np.testing.assert_allclose(row, ref.unit(start - step * down), atol=1e-6)


def test_a_left_out_negative_does_not_undo_the_positive():
    """A negative equal to the positive shares its row; equal to the running word, it stays."""
    rng = np.random.default_rng(8)
    hubs, spokes = rows(rng, 1), rows(rng, 3)
    start = spokes.copy()
    gradient = np.zeros((1, hubs.shape[1]), np.float32)
    step, margin = np.float32(0.1), np.float32(1.0)
    sgd_kernels.train_pair(hubs, 0, spokes, 0, 0, 1, 2, margin, step, False, gradient, lanes_of(DIM))
    assert not np.array_equal(spokes[0], start[0])
    assert not np.array_equal(spokes[1], start[1])
    moved = spokes.copy()
    loss, _ = sgd_kernels.train_pair(hubs, 0, spokes, 0, 2, 2, 2, margin, step, False, gradient, lanes_of(DIM))
    assert loss == 0.0
    np.testing.assert_array_equal(spokes, moved)


def test_padded_rows_are_copies_that_start_on_cache_lines():
    vectors = np.arange(6, dtype=np.float32).reshape(2, 3)
    padded = padded_rows(vectors, 5)
    assert padded.ctypes.data % 64 == 0
    assert padded.shape == (5, 2, padded_width(3)) == (5, 2, 16)
    assert (padded[:, :, :3] == vectors).all()
    assert not padded[:, :, 3:].any()
    assert padded_rows(vectors[:0]).shape == (1, 0, 16)


def test_tables_need_not_be_aligned():
    """A table copied by others starts anywhere; the result is the same."""
    rng = np.random.default_rng(10)
    text, tables = make_text(rng, [20]), make_tables(rng, 1)
    memory = np.zeros(tables.spokes.nbytes + 4, np.uint8)
    shifted = memory[4:].view(np.float32).reshape(tables.spokes.shape)
    shifted[:] = tables.spokes
    moved = sgd_kernels.Tables(tables.hubs.copy(), shifted, shifted, tables.documents.copy(), tables.topics)
    run_both(text, tables, NO_KEYWORDS, make_rules(), [0])
    run_both(text, moved, NO_KEYWORDS, make_rules(), [0])
    np.testing.assert_array_equal(shifted, tables.spokes)


def test_padding_stays_zero():
    rng = np.random.default_rng(9)
    tables = make_tables(rng, 2)
    run_both(make_text(rng, [15, 15]), tables, NO_KEYWORDS, make_rules(), [0, 1])
    for table in tables:
        assert not table[:, DIM:].any()


@pytest.mark.parametrize("dim", [1, 16, 17, 100])
def test_dot_of_rows(dim):
    rng = np.random.default_rng(dim)
    table, others = rows(rng, 3, dim), rows(rng, 2, dim)

    import numba

    dot = numba.njit(lambda a, i, b, j, lanes: vector_rows.dot_rows(a, i, b, j, lanes))
    assert dot(table, 2, others, 1, lanes_of(dim)) == pytest.approx(float(table[2] @ others[1]), abs=1e-6)


def test_kernels_name_the_files_they_are_built_on():
    """A cached kernel looks at its own file alone; this digest makes that file change with the others."""
    sources = b"".join(Path(module.__file__).read_bytes() for module in (sampling, topic_kernels, vector_rows))
    digest = hashlib.sha256(sources).hexdigest()[:16]
    assert digest == sgd_kernels.BUILT_ON, f"write {digest!r} to BUILT_ON in sgd_kernels.py"
