"""Whether an artifact holds what its name says: asked once a process, since a damaged one can end the process."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from taxocom.store.disk.whole_files import content_of, plain_files

_THREADS = 4
Signature = tuple[tuple[str, int, int, int, int], ...]
_answers: dict[tuple[str, Signature], bool] = {}


def is_as_named(path: Path) -> bool:
    """Tell whether a file or directory has the digest it is named by.

    The answer is kept for as long as the files look the same from outside, so that all but the first look are cheap.
    """
    key = (path.name, _signature(path))
    if key not in _answers:
        _answers[key] = content_of(path).digest == path.name.partition(".")[0]
    return _answers[key]


def vouch_for(path: Path) -> None:
    """Note that an artifact was digested just now, under the name it has."""
    _answers[path.name, _signature(path)] = True


def damaged_among(paths: list[Path]) -> list[Path]:
    """Return those that are missing or do not hold what their names say; all bytes are read again."""
    with ThreadPoolExecutor(_THREADS) as pool:
        return [path for path, whole in zip(paths, pool.map(_is_whole, paths), strict=True) if not whole]


def _is_whole(path: Path) -> bool:
    return path.exists() and content_of(path).digest == path.name.partition(".")[0]


def _signature(path: Path) -> Signature:
    seen = []
    for file in plain_files(path) if path.is_dir() else [path]:
        known = file.stat()
        seen.append((file.name, known.st_dev, known.st_ino, known.st_size, known.st_mtime_ns))
    return tuple(seen)
