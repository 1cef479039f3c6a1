"""Files that are either whole or absent, even if the power fails in the middle."""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from taxocom.errors import StoreError


@dataclass(frozen=True)
class Content:
    """What a file or directory holds: a digest that names it, and its size."""

    digest: str
    n_bytes: int


@contextmanager
def clear_errors(action: str, path: Path) -> Iterator[None]:
    """Turn what the operating system says about `path` into a StoreError with a remedy."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"Cannot {action} {path}: {_reason(error)}") from error


def _reason(error: OSError) -> str:
    match error.errno:
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return "it is not writable. Make it writable, or set TAXOCOM_HOME to a directory of your own."
        case errno.ENOSPC | errno.EDQUOT:
            return "the disk is full. Free some space and try again; no unfinished file was left."
        case errno.ENOTDIR | errno.EEXIST:
            return "a file is in the way. Move it, or set TAXOCOM_HOME to another directory."
        case errno.ENOENT:
            return "it does not exist."
        case _:
            return f"{error.strerror or error}."


def sync_directory(path: Path) -> None:
    """Make the names in a directory survive a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_file(path: Path) -> None:
    """Make a file's bytes survive a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_tree(path: Path) -> None:
    """Make a directory and all in it survive a power cut."""
    for folder, _, names in os.walk(path, topdown=False):
        for name in names:
            sync_file(Path(folder, name))
        sync_directory(Path(folder))


def make_private(path: Path) -> None:
    """Make a directory that only its owner can look into, and its parents likewise where they are missing."""
    if not path.parent.exists():
        make_private(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)


def close_to_strangers(path: Path) -> None:
    """Take from everybody but owner and group what they may do with a path; one that is not ours stays as it is."""
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & stat.S_IRWXO:
        with suppress(PermissionError, OSError):
            path.chmod(mode & ~stat.S_IRWXO)


def private(path: str, flags: int) -> int:
    """Open a file, for the `opener` of `open`, so that only its owner can read it."""
    return os.open(path, flags, 0o600)


def write_whole(path: Path, data: bytes | memoryview, *, only_mine: bool = False) -> None:
    """Write a file so that a reader sees the old bytes or the new ones, never a mixture."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with open(temporary, "xb", opener=private if only_mine else None) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        discard(temporary)
    sync_directory(path.parent)


def content_of(path: Path) -> Content:
    """Digest a file by its bytes, or a directory by the names and bytes in it.

    Links and special files are refused: their content lies elsewhere and would not be kept.
    """
    if not path.is_dir():
        return _content_of_file(path)
    total = hashlib.sha256()
    n_bytes = 0
    files = plain_files(path)
    # Digesting gives the interpreter free, so that several cores share the work.
    with ThreadPoolExecutor(4) as pool:
        contents = list(pool.map(_content_of_file, files))
    for file, content in zip(files, contents, strict=True):
        total.update(f"{file.relative_to(path).as_posix()}\0{content.digest}\n".encode("utf-8", "surrogateescape"))
        n_bytes += content.n_bytes
    return Content(total.hexdigest(), n_bytes)


def plain_files(path: Path) -> list[Path]:
    """Return every file under a directory in a fixed order; anything but files and directories is refused."""
    files = []
    for found in sorted(path.rglob("*")):
        mode = found.lstat().st_mode
        if stat.S_ISREG(mode):
            files.append(found)
        elif not stat.S_ISDIR(mode):
            raise StoreError(f"{found} is a link or a special file; only plain files can be kept.")
    return files


def _content_of_file(path: Path) -> Content:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return Content(digest, file.tell())


def protect(path: Path) -> None:
    """Make the files of an artifact read-only, and its owner's alone: copies of a project share them."""
    if not path.is_dir():
        path.chmod(0o400)
        return
    for file in plain_files(path):
        file.chmod(0o400)
    for folder in (path, *(found for found in path.rglob("*") if found.is_dir())):
        folder.chmod(0o700)


def link_or_copy(source: Path, target: Path) -> None:
    """Give an artifact a second name, by hard links where the file system has them."""
    make_private(target.parent)
    if source.is_dir():
        make_private(target)
        for file in plain_files(source):
            link_or_copy(file, target / file.relative_to(source))
        return
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def discard(path: Path) -> None:
    """Remove a file that did not get finished, if it can be removed: what stopped it is the error to be told."""
    with suppress(OSError):
        path.unlink(missing_ok=True)


def remove(path: Path) -> None:
    """Remove a file or a directory with all in it; one that is gone already is no error."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


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
