from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from taxocom.errors import CancelledError
from taxocom.store.disk.locks import is_held, lock
from taxocom.store.homes.job_queue import turn


def _proceed() -> None:
    pass


def test_turns_are_taken_in_order_whoever_came_first(tmp_path: Path) -> None:
    taken: list[str] = []

    def take(order: str) -> None:
        with turn(tmp_path, order, _proceed):
            taken.append(order)

    with lock(tmp_path / "running.lock"):
        waiting = [threading.Thread(target=take, args=(order,)) for order in ("3", "1", "2")]
        for thread in waiting:
            thread.start()
        deadline = time.monotonic() + 10
        queue = tmp_path / "queue"
        # A ticket counts once it is locked, which is a moment after it is there.
        while sum(map(is_held, queue.glob("*.lock"))) < 3 and time.monotonic() < deadline:
            time.sleep(0.01)
    for thread in waiting:
        thread.join()
    assert taken == ["1", "2", "3"]
    assert list((tmp_path / "queue").iterdir()) == []


def test_a_dead_waiter_holds_nobody_up(tmp_path: Path) -> None:
    (tmp_path / "queue").mkdir()
    (tmp_path / "queue" / "0.lock").touch()
    with turn(tmp_path, "1", _proceed):
        assert not (tmp_path / "queue" / "1.lock").exists()


def test_one_who_waits_can_give_up(tmp_path: Path) -> None:
    def give_up() -> None:
        raise CancelledError("Cancelled.")

    with lock(tmp_path / "running.lock"), pytest.raises(CancelledError), turn(tmp_path, "1", give_up):
        raise AssertionError("had no turn")
    assert list((tmp_path / "queue").iterdir()) == []
