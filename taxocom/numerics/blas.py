"""One thread for the linear algebra library where more would cost time, or change the last bits of a sum."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from threadpoolctl import ThreadpoolController


@cache
def _controller() -> ThreadpoolController:
    # Finding the loaded libraries takes milliseconds, as long as a whole product of the sizes we have.
    return ThreadpoolController()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold matrix products to one thread: small ones run faster, and all give the same bytes on any machine load."""
    with _controller().limit(limits=1, user_api="blas"):
        yield
