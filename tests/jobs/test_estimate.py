from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taxocom.jobs.reporting import Estimator


@given(
    speed=st.floats(1e-4, 0.09),
    pauses=st.lists(st.floats(0.01, 2.0), min_size=1, max_size=50),
)
def test_at_a_steady_speed_the_estimate_is_exact(speed: float, pauses: list[float]) -> None:
    estimator, now = Estimator(100.0), 100.0
    for pause in pauses:
        now += pause
        fraction = speed * (now - 100.0)
        if fraction >= 1.0:
            break
        left = estimator.update(fraction, now)
        assert left is None or left == pytest.approx((1.0 - fraction) / speed, rel=1e-6)


def test_there_is_no_estimate_before_there_is_something_to_go_by() -> None:
    estimator = Estimator(0.0)
    assert estimator.update(0.5, 0.5) is None
    assert Estimator(0.0).update(0.0, 10.0) is None


def test_work_that_slows_down_takes_longer() -> None:
    estimator = Estimator(0.0)
    for second in range(1, 11):
        fast = estimator.update(0.05 * second, float(second))
    for second in range(11, 41):
        slow = estimator.update(0.5 + 0.001 * (second - 10), float(second))
    assert fast == pytest.approx(10.0)
    assert slow is not None
    # At the new speed 470 seconds are left; the estimate has come most of the way.
    assert 150 < slow < 470


def test_a_fraction_that_goes_back_is_no_progress() -> None:
    estimator = Estimator(0.0)
    assert estimator.update(0.5, 2.0) == pytest.approx(2.0)
    assert estimator.update(0.1, 2.0) == pytest.approx(2.0)
