"""Backups on schedule: written when due, a bounded number kept, and none of a project that is damaged."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from taxocom.cli import main
from taxocom.errors import SettingsError, StoreError
from taxocom.jobs.scheduled import back_up_all
from taxocom.store import Project, create_project, restore_project
from taxocom.store.homes.schedule import BackupPlan, back_up_now, is_due, kept_backups
from taxocom.taxonomy.decisions import AddNote, RenameTopic

PLAN = BackupPlan(hours=24, keep=3)


def at(day: int) -> datetime:
    return datetime(2026, 11, 1, tzinfo=UTC) + timedelta(days=day)


@pytest.fixture
def aged(project: Project) -> Project:
    """A project that was made on the first of the month."""
    project.set_about(created_at="2026-11-01T00:00:00.000000+00:00")
    project.created_at = str(project.about()["created_at"])
    return project


def due(project: Project, day: float, plan: BackupPlan = PLAN) -> bool:
    return is_due(project.path, project.created_at, plan, lambda: at(0) + timedelta(days=day))


def test_a_backup_is_due_a_day_after_the_last_if_something_changed(aged: Project):
    assert not due(aged, 0.9)
    assert due(aged, 1)
    back_up_now(aged, PLAN, lambda: at(1))
    assert not due(aged, 9), "nothing has changed since"
    aged.record(AddNote("sport", "new"), author="Ada")
    assert not due(aged, 1.9)
    assert due(aged, 2)
    assert due(aged, -3), "a clock that was set back does not stop the backups"
    assert not due(aged, 2, BackupPlan(hours=0))


def test_a_bounded_number_is_kept_and_each_can_be_restored(aged: Project):
    for day in range(6):
        aged.record(RenameTopic("sport", f"Sport {day}"), author="Ada")
        # Even if the clock goes back, what was written last is what is kept.
        back_up_now(aged, PLAN, lambda day=day: at(20 - day))
    kept = kept_backups(aged.path, PLAN).backups
    assert [each.file.name for each in kept] == [f"000{n}-2026-11-{22 - n}.zip" for n in (4, 5, 6)]
    assert all(each.file.stat().st_mode & 0o077 == 0 for each in kept)
    with restore_project(kept[-1].file, name="Again") as again:
        assert again.log() == aged.log()


@pytest.mark.sqlite
def test_a_damaged_project_keeps_its_backups_and_the_failure_is_shown(aged: Project):
    back_up_now(aged, PLAN)
    (aged.path / "project.head").write_text("{}")
    with pytest.raises(StoreError, match="is damaged"):
        back_up_now(aged, PLAN)
    kept = kept_backups(aged.path, PLAN)
    assert (len(kept.backups), "is damaged" in kept.problem) == (1, True)
    told = CliRunner().invoke(main, ["backups", "News"])
    assert told.exit_code == 0, told.output
    assert "The last attempt failed" in told.output
    assert "0001-" in told.output


@pytest.mark.sqlite
def test_all_projects_of_a_home_are_seen_to_whatever_one_of_them_is(aged: Project, capfd: pytest.CaptureFixture[str]):
    with create_project("Other") as other:
        other.set_about(created_at="2026-11-01T00:00:00.000000+00:00")
    (aged.path / "project.head").unlink()
    back_up_all()
    assert len(kept_backups(other.path, BackupPlan()).backups) == 1
    assert kept_backups(aged.path, BackupPlan()).backups == ()
    assert "project.head" in capfd.readouterr().err


def test_the_plan_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    assert BackupPlan.from_environment() == BackupPlan(24, 5, None)
    monkeypatch.setenv("TAXOCOM_BACKUP_HOURS", "0")
    monkeypatch.setenv("TAXOCOM_BACKUP_FOLDER", str(tmp_path))
    assert BackupPlan.from_environment() == BackupPlan(0, 5, tmp_path)
    monkeypatch.setenv("TAXOCOM_BACKUP_KEEP", "none")
    with pytest.raises(SettingsError, match="must be numbers"):
        BackupPlan.from_environment()
    monkeypatch.setenv("TAXOCOM_BACKUP_KEEP", "0")
    with pytest.raises(SettingsError, match="keep at least 1"):
        BackupPlan.from_environment()


def test_a_backup_on_request_is_listed(project: Project):
    told = CliRunner().invoke(main, ["backups", "News", "--now"])
    assert told.exit_code == 0, told.output
    assert "every 24 hours, 5 are kept" in told.output
    assert "0001-" in told.output
