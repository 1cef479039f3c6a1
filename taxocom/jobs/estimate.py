"""How long is left, from how fast the work went lately."""

from __future__ import annotations

_FIRST_AFTER = 1.0
_SHORTEST_MEMORY = 5.0
_MEMORY_SHARE = 0.25


class Estimator:
    """Smooths the speed of progress: at a steady speed it is exact, after a change it follows.

    The half-life of its memory grows with the time worked, since the stages of a long job are long.
    """

    def __init__(self, now: float) -> None:
        self._began = self._last = now
        self._fraction = 0.0
        self._gained = self._spent = 0.0

    def update(self, fraction: float, now: float) -> float | None:
        """Return the seconds left when `fraction` is done at `now`; None while there is too little to go by."""
        seconds = max(0.0, now - self._last)
        half_life = max(_SHORTEST_MEMORY, _MEMORY_SHARE * (now - self._began))
        kept = 0.5 ** (seconds / half_life)
        self._gained = self._gained * kept + max(0.0, fraction - self._fraction)
        self._spent = self._spent * kept + seconds
        self._fraction = max(self._fraction, fraction)
        self._last = now
        if now - self._began < _FIRST_AFTER or self._gained <= 0.0 or self._spent <= 0.0:
            return None
        return (1.0 - self._fraction) * self._spent / self._gained
