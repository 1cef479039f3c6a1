"""A pattern such as `reports/**/*.pdf` in the place of a file: all files that fit it, in order of their names."""

from __future__ import annotations

from pathlib import Path

from taxocom.errors import InputError

_SIGNS = frozenset("*?[")


def is_pattern(path: Path) -> bool:
    """Tell whether a path is a pattern; a file that is really called so comes first."""
    return bool(_SIGNS & set(str(path))) and not path.exists()


def matching(path: Path) -> dict[str, Path]:
    """Return the files that fit a pattern, by their names under the folders it is certain of; none is an InputError."""
    n_certain = next(number for number, part in enumerate(path.parts) if _SIGNS & set(part))
    certain = Path(*path.parts[:n_certain])
    try:
        found = sorted(each for each in certain.glob(str(Path(*path.parts[n_certain:]))) if each.is_file())
    except ValueError as error:
        raise InputError(f"{path} is no pattern ({error}). Write it as reports/**/*.pdf.") from error
    if not found:
        raise InputError(f"No file fits {path}. `**` stands for folders at any depth: reports/**/*.pdf.")
    return {each.relative_to(certain).as_posix(): each for each in found}
