from __future__ import annotations

import pytest

from taxocom.store.projects.lexicon_files import fetch_lexicon, load_lexicon
from taxocom.tagging.lexicon import Lexicon
from tests.tagging.tiny_lexicon import tiny_files


@pytest.fixture
def tiny() -> Lexicon:
    return Lexicon.from_bytes(*tiny_files(), fingerprint="tiny")


@pytest.fixture(scope="session")
def real() -> Lexicon:
    """The lexicon itself, which `make setup` fetched; where it did not, it is fetched here."""
    fetch_lexicon()
    return load_lexicon()
