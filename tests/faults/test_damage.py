"""A flipped bit or a cut anywhere in a project is named with its remedy, or changes nothing; repair gives all back."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from taxocom.cli import main
from taxocom.errors import StoreError
from taxocom.jobs.repair import repair, repair_database
from taxocom.store import DamagedError, Project, backup_project, open_project
from taxocom.taxonomy.decisions import AddNote
from tests.faults import backups
from tests.faults.damage import N_DECISIONS, damaged_copy, fingerprint, run_trials, snapshot

N_TRIALS = 30
N_REPAIRS = 12


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("damage")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAXOCOM_HOME", str(folder / "home"))
        return snapshot(folder / "home", folder / "snapshot")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path / "home"))
    (tmp_path / "home" / "projects").mkdir(parents=True)
    return tmp_path / "home"


@pytest.fixture
def whole(source: Path, home: Path) -> Path:
    return Path(shutil.copytree(source, home / "projects" / "whole"))


@pytest.mark.slow
def test_every_flip_and_cut_is_detected_or_changes_nothing(source: Path, tmp_path: Path):
    done = run_trials(source, tmp_path, seed=0, n=N_TRIALS)
    assert [trial for trial in done if trial.outcome not in ("detected", "the same")] == []
    detected = [trial for trial in done if trial.outcome == "detected"]
    assert len(detected) > N_TRIALS // 2
    assert [trial for trial in detected if "taxocom repair damaged" not in trial.said] == []


@pytest.mark.slow
def test_repair_gives_back_every_byte_that_a_backup_or_the_project_holds(source: Path, whole: Path, tmp_path: Path):
    expected = fingerprint(whole)
    with Project(whole) as project:
        backup = backup_project(project, tmp_path / "backup.zip")
    chance, n_damaged = random.Random(1), 0
    for _ in range(N_REPAIRS):
        target = whole.with_name("damaged")
        damage = damaged_copy(source, target, chance)
        n_damaged += len(repair_database(target, backup))
        with Project(target) as project:
            assert all(each.is_whole for each in repair(project, backup)), damage
        assert fingerprint(target) == expected, damage
    assert n_damaged > N_REPAIRS // 3


def flipped(file: Path, place: int) -> None:
    data = bytearray(file.read_bytes())
    data[place] ^= 4
    file.write_bytes(data)


def test_decisions_after_the_backup_survive_damage_to_those_before(whole: Path, tmp_path: Path):
    with Project(whole) as project:
        backup = backup_project(project, tmp_path / "backup.zip")
        project.record(AddNote("root", "after the backup"), author="Ada")
        log = project.log()
    data = (whole / "project.db").read_bytes()
    flipped(whole / "project.db", data.index(b"What it is about. "))
    with pytest.raises(DamagedError, match=r"decision [0-9]+ is not what was recorded.*taxocom repair whole"):
        open_project("whole")
    assert [each.is_whole for each in repair_database(whole, backup)] == [True]
    with Project(whole) as project:
        assert project.log() == log
        assert project.problems() == []


def test_without_a_backup_a_loss_must_be_accepted_and_the_damaged_files_are_kept(whole: Path):
    data = (whole / "project.db").read_bytes()
    place = data.index(b"What it is about. ")
    with Project(whole) as project:
        log = project.log()
    flipped(whole / "project.db", place)
    told = CliRunner().invoke(main, ["verify", "whole"])
    assert (told.exit_code, "is not what was recorded" in told.output) == (1, True)
    before = (whole / "project.db").read_bytes()
    with pytest.raises(StoreError, match=r"decisions [0-9]+ to 120 are lost.*--accept-loss"):
        repair_database(whole)
    assert (whole / "project.db").read_bytes() == before
    told = CliRunner().invoke(main, ["repair", "whole", "--accept-loss", "--quiet"])
    assert (told.exit_code, "are lost" in told.output) == (1, True)
    assert (whole / "project.db.damaged-1").read_bytes() == before
    with Project(whole) as project:
        kept = project.log()
        assert kept == log[: len(kept)]
        project.record(AddNote("root", "going on"), author="Ada")
    assert CliRunner().invoke(main, ["verify", "whole"]).exit_code == 0


def test_the_write_ahead_log_is_read_past_a_flip(source: Path, whole: Path):
    """SQLite forgets all that follows a wrong frame; most frames are written over later, so nothing need be lost."""
    expected = fingerprint(source_copy := Path(shutil.copytree(source, whole.with_name("expected"))))
    shutil.rmtree(source_copy)
    flipped(whole / "project.db-wal", 32 + 24 + 700)
    with pytest.raises(DamagedError, match=f"the decisions 61 to {N_DECISIONS} are lost"):
        open_project("whole")
    (done,) = repair_database(whole)
    assert done.is_whole
    assert "write-ahead log" in done.said
    assert fingerprint(whole) == expected


def test_a_lost_head_is_written_again_from_a_whole_database(whole: Path):
    (whole / "project.head").unlink()
    with pytest.raises(DamagedError, match=r"project\.head.*is missing"):
        open_project("whole")
    (done,) = repair_database(whole)
    assert (done.is_whole, f"{N_DECISIONS} decisions, the last of" in done.said) == (True, True)
    with Project(whole) as project:
        assert project.sequence == N_DECISIONS


def test_an_older_database_put_in_place_of_the_newer_one_is_noticed(whole: Path):
    with Project(whole):
        pass
    older = (whole / "project.db").read_bytes()
    with Project(whole) as project:
        project.set_preference("Ada", "draft/root", {"names": {}})
    (whole / "project.db").write_bytes(older)
    with pytest.raises(DamagedError, match="its last change is lost"):
        open_project("whole")


def test_a_backup_of_a_damaged_log_is_refused(whole: Path, tmp_path: Path):
    with Project(whole):
        pass
    with Project(whole) as project:
        data = (whole / "project.db").read_bytes()
        flipped(whole / "project.db", data.index(b"What it is about. "))
        with pytest.raises(StoreError, match="damaged: decision"):
            backup_project(project, tmp_path / "b.zip")
    assert not (tmp_path / "b.zip").exists()


def test_repair_waits_until_nobody_else_has_the_project_open(whole: Path):
    import subprocess
    import sys

    code = "import sys, pathlib; from taxocom.store import Project; p = Project(pathlib.Path(sys.argv[1])); p.log()"
    code += "; print('open', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(whole)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdin is not None
        other.stdout.readline()
        (whole / "project.head").unlink()
        with pytest.raises(StoreError, match="open in another process"):
            repair_database(whole)
        other.stdin.close()
    assert all(each.is_whole for each in repair_database(whole))


@pytest.mark.slow
def test_no_changed_backup_touches_the_home(whole: Path, tmp_path: Path):
    with Project(whole) as project:
        backup = backup_project(project, tmp_path / "backup.zip")
    (tmp_path / "restored").mkdir()
    done = backups.run_trials(backup, tmp_path / "restored", seed=0, n=N_TRIALS)
    assert [trial for trial in done if trial.outcome not in ("refused", "restored")] == []
    assert sum(trial.outcome == "refused" for trial in done) > N_TRIALS // 2
