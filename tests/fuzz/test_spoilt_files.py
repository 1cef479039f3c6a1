"""Whatever a file holds, a reader reads it or says in words of its own what is wrong, soon and in little memory."""

from __future__ import annotations

import contextlib
import io
import tempfile
import zipfile
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from taxocom.errors import TaxocomError
from tests.fuzz import mutation
from tests.fuzz.readers import READERS
from tests.fuzz.running import MOST_MEMORY, run, run_bombs
from tests.fuzz.strategies import STRATEGIES

N_SPOILT = 80


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_a_spoilt_file_is_read_or_refused_in_words(name: str):
    outcome = run(name, 1, 0, N_SPOILT)
    assert outcome.findings == ()
    assert outcome.memory < MOST_MEMORY


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in READERS if READERS[name].bombs])
def test_a_small_file_takes_neither_time_nor_memory(name: str):
    assert run_bombs(name).findings == ()


@pytest.mark.parametrize("name", READERS)
def test_the_files_that_are_spoilt_are_whole(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path / "home"))
    for number, data in enumerate(READERS[name].files):
        place = tmp_path / str(number)
        place.mkdir()
        READERS[name].read(data, place)


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_file_that_was_never_whole_is_read_or_refused_in_words(name: str):
    @settings(max_examples=50, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(data=STRATEGIES[name])
    def holds(data: bytes) -> None:
        with tempfile.TemporaryDirectory() as place, contextlib.suppress(TaxocomError):
            READERS[name].read(data, Path(place))

    holds()


@given(seed=st.integers(0, 3), number=st.integers(0, 50))
@settings(max_examples=20, derandomize=True, deadline=None)
def test_an_input_is_named_by_its_number(seed: int, number: int):
    reader = READERS["seed json"]
    assert reader.input(seed, number) == reader.input(seed, number)


def test_a_zip_that_lost_all_its_members_is_spoilt_in_another_way() -> None:
    empty = io.BytesIO()
    zipfile.ZipFile(empty, "w").close()
    spoil = mutation.inside_zip(mutation.cut_short)
    assert all(spoil(empty.getvalue(), Random(seed)) for seed in range(20))
