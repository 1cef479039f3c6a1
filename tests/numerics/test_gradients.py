"""Every gradient of the objective against finite differences along the sphere."""

import numpy as np
import pytest

from tests.numerics import reference as ref

MARGIN = 0.3
STEP = 1e-6


def directions(rng, n, dim=7):
    return [ref.unit(rng.standard_normal(dim)) for _ in range(n)]


def slope(loss, point, way):
    """The derivative of `loss` at `point` along the great circle that leaves it by the tangent `way`."""
    return (loss(ref.unit(point + STEP * way)) - loss(ref.unit(point - STEP * way))) / (2 * STEP)


def assert_gradient(loss, gradient, point, rng):
    assert abs(gradient @ point) < 1e-12
    for _ in range(5):
        way = ref.tangent(point, rng.standard_normal(len(point)))
        assert slope(loss, point, way) == pytest.approx(gradient @ way, abs=1e-6)


@pytest.fixture(params=range(6))
def rng(request):
    return np.random.default_rng(request.param)


def test_hub_gradient(rng):
    hub, *rows = directions(rng, 7)
    pairs = [(rows[0], rows[1:3]), (rows[3], rows[4:6])]
    assert_gradient(lambda h: ref.pairs_loss(h, pairs, MARGIN), ref.hub_gradient(hub, pairs, MARGIN), hub, rng)


def test_positive_gradient(rng):
    hub, positive, *negatives = directions(rng, 4)
    gradient = ref.positive_gradient(hub, positive, negatives, MARGIN)
    assert_gradient(lambda p: ref.pairs_loss(hub, [(p, negatives)], MARGIN), gradient, positive, rng)


def test_negative_gradient(rng):
    hub, positive, negative = directions(rng, 3)
    gradient = ref.negative_gradient(hub, positive, negative, MARGIN)
    assert_gradient(lambda n: ref.pairs_loss(hub, [(positive, [n])], MARGIN), gradient, negative, rng)


def test_pull_gradients(rng):
    topic, *terms = directions(rng, 4)
    by_term = [ref.pull_gradients(term, topic, 3, 1.7, MARGIN) for term in terms]
    assert_gradient(lambda s: ref.pull_loss(terms, s, 1.7, MARGIN), sum(pair[1] for pair in by_term), topic, rng)
    for i, (down, _) in enumerate(by_term):
        assert_gradient(
            lambda t, i=i: ref.pull_loss([*terms[:i], t, *terms[i + 1 :]], topic, 1.7, MARGIN), down, terms[i], rng
        )


def test_push_gradients(rng):
    topics = directions(rng, 3)
    total = sum(ref.push_gradients(topics[0], other, 3, -0.2)[0] for other in topics[1:])
    assert_gradient(lambda s: ref.push_loss([s, *topics[1:]], -0.2), total, topics[0], rng)


def test_some_hinge_is_active_and_some_is_not():
    """The cases above must not all lie on one side of the hinge."""
    sides = set()
    for seed in range(6):
        hub, positive, negative = directions(np.random.default_rng(seed), 3)
        sides.add(ref.hinge(hub, positive, negative, MARGIN) > 0.0)
    assert sides == {True, False}
