"""A few results kept by name: each made once, the ones asked for last kept, by however many threads."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from taxocom.store.disk.memory import Memory


class Maker:
    """Makes a result and counts how often it was asked to."""

    def __init__(self) -> None:
        self.made: list[str] = []

    def __call__(self, name: str) -> str:
        self.made.append(name)
        return f"{name} number {len(self.made)}"


def test_a_result_is_made_once_and_given_again() -> None:
    memory, make = Memory[str](2), Maker()
    first = memory.get("a", lambda: make("a"))
    assert memory.get("a", lambda: make("a")) is first
    assert memory.get("b", lambda: make("b")) != first
    assert make.made == ["a", "b"]


def test_the_result_that_nobody_asked_for_longest_goes_first() -> None:
    memory, make = Memory[str](2), Maker()
    for key in ("a", "b", "a", "c", "a", "b"):
        memory.get(key, lambda key=key: make(key))
    assert make.made == ["a", "b", "c", "b"]


def test_nothing_is_kept_of_what_could_not_be_made() -> None:
    memory, make = Memory[str](2), Maker()

    def fail() -> str:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        memory.get("a", fail)
    assert memory.get("a", lambda: make("a")) == "a number 1"


def test_a_result_may_be_nothing_or_false() -> None:
    memory, make = Memory[object](2), Maker()
    assert memory.get("a", lambda: make("a") and None) is None
    assert memory.get("a", lambda: make("a") and None) is None
    assert make.made == ["a"]


def test_keys_are_told_apart_as_python_tells_them() -> None:
    memory = Memory[int](4)
    assert [memory.get(key, lambda key=key: len(key)) for key in (("a", 1), ("a", 2), ("a",), ("a", 1))] == [2, 2, 1, 2]


def test_threads_that_ask_at_once_get_one_result() -> None:
    memory, make = Memory[str](3), Maker()
    together = threading.Barrier(8)

    def ask(number: int) -> str:
        together.wait()
        return memory.get(number % 2, lambda: make(str(number % 2)))

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(ask, range(8)))
    assert sorted(make.made) == ["0", "1"]
    assert len({id(each) for each in found}) == 2


def test_making_one_result_may_ask_for_another() -> None:
    memory = Memory[int](3)
    assert memory.get("outer", lambda: 1 + memory.get("inner", lambda: 1)) == 2
    assert memory.get("inner", lambda: 99) == 1
