"""What follows from the decisions in force, kept up with them: a new decision costs itself, an undo starts over."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from taxocom.taxonomy.decisions import LoggedDecision

State = TypeVar("State")
Answer = TypeVar("Answer")


class Following(Generic[State]):
    """A state that is changed by one decision after another; several threads may ask."""

    def __init__(self) -> None:
        self._state: State | None = None
        self._followed: list[int] = []
        self._lock = threading.Lock()

    def ask(
        self,
        in_force: Sequence[LoggedDecision],
        *,
        make: Callable[[], State],
        follow: Callable[[State, LoggedDecision], None],
        answer: Callable[[State], Answer],
    ) -> Answer:
        """Return the state's answer after these decisions; it must not share what the state goes on changing."""
        sequences = [entry.sequence for entry in in_force]
        with self._lock:
            if self._state is None or self._followed != sequences[: len(self._followed)]:
                self._state, self._followed = make(), []
            try:
                for entry in in_force[len(self._followed) :]:
                    follow(self._state, entry)
            except BaseException:
                self._state = None
                raise
            self._followed = sequences
            return answer(self._state)
