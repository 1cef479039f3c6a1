"""A flipped bit or a cut in any artifact is noticed before it is used, named with the remedy, and can be repaired."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from streamlit.testing.v1 import AppTest

from taxocom.cli import main
from taxocom.errors import InputError, StoreError
from taxocom.jobs.repair import repair
from taxocom.jobs.tasks import index
from taxocom.progress import SILENT
from taxocom.store import Project, backup_project, create_project, open_project, restore_project
from taxocom.store.projects.document_places import GROUND, document_places
from taxocom.store.projects.lexicon_files import find_lexicon
from taxocom.text.corpus_checks import check_corpus
from taxocom.text.indexing import build_corpus
from tests.store.test_backup import _rewritten
from tests.ui.fabricate import Fabricated, documents, fabricate_project, seed_tree

APP = str(Path(__file__).parents[2] / "app.py")
N_FLIPS = 120


@contextmanager
def changed(file: Path, data: bytes) -> Iterator[None]:
    whole = file.read_bytes()
    file.chmod(0o600)
    file.write_bytes(data)
    try:
        yield
    finally:
        file.write_bytes(whole)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fabricated]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAXOCOM_HOME", str(tmp_path_factory.mktemp("flips")))
        found = fabricate_project("Flipped")
        with found.project:
            document_places(found.project)
            yield found


def artifact_files(project: Project) -> list[Path]:
    return sorted(path for path in (project.path / "artifacts").rglob("*") if path.is_file())


def use_everything(path: Path) -> None:
    with Project(path) as project:
        corpus = project.corpus()
        assert corpus.texts[0]
        for purpose in (GROUND, "directions", *(["lexicon"] if find_lexicon() else [])):
            assert project.load_arrays(purpose) is not None, purpose
        for record in project.proposals():
            project.load_proposal(record.proposal_id)


def test_every_flip_and_cut_is_noticed_before_the_bytes_are_used(made: Fabricated):
    chance = random.Random(0)
    files = artifact_files(made.project)
    assert len(files) >= 10
    use_everything(made.project.path)
    for number in range(N_FLIPS):
        file = files[number % len(files)]
        data = bytearray(file.read_bytes())
        place = chance.randrange(len(data))
        if number % 5:
            data[place] ^= 1 << chance.randrange(8)
        else:
            del data[place:]
        with changed(file, bytes(data)), pytest.raises(StoreError, match="taxocom repair flipped-"):
            use_everything(made.project.path)
    use_everything(made.project.path)


def test_the_page_names_the_damage_and_the_command(made: Fabricated, monkeypatch: pytest.MonkeyPatch):
    project = made.project
    monkeypatch.setenv("TAXOCOM_HOME", str(project.path.parents[1]))
    monkeypatch.setattr("taxocom.ui.shared.bootstrap._prepare", lambda: None)
    file = next(path for path in artifact_files(project) if path.name == "counts_columns.npy")
    data = bytearray(file.read_bytes())
    data[-1] ^= 0x40
    with changed(file, bytes(data)):
        for script in ("pages/corpus.py", "pages/documents.py"):
            app = AppTest.from_file(APP, default_timeout=120).switch_page(script)
            app.query_params["project"] = project.path.name
            app.run()
            shown = " ".join(error.value for error in app.error)
            assert "indexed corpus of this project is damaged" in shown
            assert f"taxocom repair {project.path.name}".replace("-", "") in shown.replace("\\", "").replace("-", "")


def test_a_damaged_project_is_not_backed_up_as_if_it_were_whole(made: Fabricated, tmp_path: Path):
    file = artifact_files(made.project)[0]
    with changed(file, b"x" + file.read_bytes()), pytest.raises(StoreError, match="taxocom repair"):
        backup_project(made.project, tmp_path / "b.zip")
    assert not list(tmp_path.iterdir())


def test_a_restored_artifact_must_hold_what_its_name_says(made: Fabricated, tmp_path: Path):
    backup = backup_project(made.project, tmp_path / "whole.zip")

    def tamper(members: dict[str, bytes], _: object) -> None:
        name = next(name for name in members if name.endswith("tokens.npy"))
        members[name] = members[name][:-4] + b"\xff\xff\xff\x7f"

    with pytest.raises(InputError, match="not what its name says"):
        restore_project(_rewritten(backup, tamper))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    """A project whose corpus was read from a file that is still there, with an embedding and a proposal."""
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path / "home"))
    source = tmp_path / "articles.csv"
    with source.open("w", newline="") as file:
        csv.writer(file).writerows([["id", "text"], *([d.document_id, d.text] for d in documents(70))])
    with create_project("News", seed=seed_tree()) as made:
        index(made, {"source": str(source)}, SILENT)
        made.save_arrays("embedding", {}, {"terms": np.ones((3, 2), np.float32)}, made_from="x")
        made.save_proposal("root", {}, {"x": np.arange(4)}, sequence=0, settings={})
        yield made


def damage_all(project: Project) -> None:
    for artifact in project.artifacts():
        path = project.path / "artifacts" / artifact.name
        file = path / "tokens.npy" if path.is_dir() else path
        file.chmod(0o600)
        file.write_bytes(file.read_bytes()[:-1] + b"\xfe")


def test_a_backup_gives_every_byte_back(project: Project, tmp_path: Path):
    backup = backup_project(project, tmp_path / "b.zip")
    damage_all(project)
    kinds = [artifact.kind for artifact in project.damaged()]
    assert kinds == [artifact.kind for artifact in project.artifacts()]
    assert {"corpus", "embedding", "proposal", GROUND} <= set(kinds)
    assert all(done.is_whole for done in repair(project, backup))
    assert project.problems() == []
    assert project.load_proposal(1).arrays["x"].tolist() == [0, 1, 2, 3]
    with open_project("News") as again:
        assert again.corpus().n_documents == 70


def test_without_a_backup_the_corpus_is_read_again_and_losses_are_named(project: Project):
    before, before_places = project.used_for("corpus"), document_places(project)
    damage_all(project)
    told = CliRunner().invoke(main, ["repair", "News", "--quiet"])
    assert told.exit_code == 1
    assert "byte for byte" in told.output
    assert "expand again the topic root" in told.output
    assert "next expansion makes it again" in told.output
    assert project.problems() == []
    assert project.used_for("corpus") == before
    assert (project.proposals(), project.load_arrays("embedding")) == ([], None)
    after = document_places(project)
    assert [after.node_of(row) for row in range(70)] == [before_places.node_of(row) for row in range(70)]
    assert CliRunner().invoke(main, ["repair", "News"]).output.strip() == "Nothing is damaged."


@pytest.mark.parametrize(
    "name", ["tokens", "offsets", "counts_columns", "counts_offsets", "counts_values", "text_offsets"]
)
def test_a_made_up_corpus_whose_indices_lead_outside_is_refused(tmp_path: Path, name: str):
    build_corpus(iter(documents(40)), tmp_path)
    check_corpus(tmp_path)
    file = tmp_path / f"{name}.npy"
    array = np.load(file)
    for value in (-1, np.iinfo(np.int32).max):
        wrong = array.copy()
        wrong[len(array) // 2] = value if name != "counts_values" else -1
        np.save(file, wrong)
        with pytest.raises(InputError, match="Index it again"):
            check_corpus(tmp_path)


def test_a_made_up_table_of_documents_is_refused(tmp_path: Path):
    build_corpus(iter(documents(40)), tmp_path)
    file = tmp_path / "documents.arrow"
    whole, chance = file.read_bytes(), random.Random(0)
    for _ in range(30):
        file.write_bytes(whole[: chance.randrange(len(whole))])
        with pytest.raises(InputError, match="Index it again"):
            check_corpus(tmp_path)
