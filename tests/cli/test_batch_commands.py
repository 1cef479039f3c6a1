"""`taxocom append` and `taxocom batches`: texts that come later, and the way back."""

from __future__ import annotations

import json
from pathlib import Path

from taxocom.store import open_project
from taxocom.store.homes.schedule import BackupPlan, kept_backups


def test_texts_are_added_listed_and_taken_back(run, project: str, tmp_path: Path) -> None:
    new = tmp_path / "new.jsonl"
    rows = [{"id": "0", "text": "known by its id"}, *({"id": f"n{i}", "text": f"football match {i}"} for i in range(4))]
    new.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert "No batch was added yet" in run("batches", project).stdout
    said = run("append", project, new, "--name", "May", "--date", "2026-05-31", "-q").stdout
    assert said == "Batch 'May': 4 added; left out: 1 with an id that is there already.\n"
    (batch,) = json.loads(run("batches", project, "--json").stdout)
    assert (batch["name"], batch["date"], batch["n_documents"], batch["n_skipped"]) == ("May", "2026-05-31", 4, 1)
    assert "May" in run("batches", project).stdout
    assert run("batches", project, "--take-back", "May", "-q").stdout == "Took batch 'May' back: 4 documents less.\n"
    with open_project(project) as opened:
        assert "n0" not in list(opened.corpus().document_ids)


def test_what_cannot_be_added_changes_nothing(run, project: str, tmp_path: Path) -> None:
    (tmp_path / "new.jsonl").write_text('{"id": "0", "text": "the football match ended with a goal number0"}\n')
    for arguments, said in (
        (("append", project, tmp_path / "none.csv"), "no file or folder"),
        (("append", project, tmp_path / "new.jsonl", "--date", "May"), "not a date"),
        (("append", project, tmp_path / "new.jsonl", "--name", "first reading"), "already"),
        (("batches", project, "--take-back", "May"), "no batch 'May'"),
        (("timeline", project, "--json"), "needs batches or dates"),
    ):
        assert said in run(*arguments, code=1).stderr
    with open_project(project) as opened:
        assert opened.corpus().n_documents == 72


def test_other_texts_take_the_place_of_those_only_when_it_is_said_and_after_a_backup(
    run, project: str, tmp_path: Path
) -> None:
    new, other = tmp_path / "new.jsonl", tmp_path / "other.jsonl"
    rows = [{"id": f"n{i}", "text": f"the football match {i} ended with a goal"} for i in range(12)]
    for file, some in ((new, rows[:4]), (other, rows[4:])):
        file.write_text("".join(json.dumps(row) + "\n" for row in some))
    run("append", project, new, "-q")
    said = run("index", project, "--corpus", other, "-q", code=1).stderr
    assert "place of the 76 documents" in said
    assert "texts that were added later" in said
    with open_project(project) as opened:
        assert opened.corpus().n_documents == 76
        assert not kept_backups(opened.path, BackupPlan.from_environment()).backups
        run("index", project, "--corpus", other, "--replace", "-q")
        (backup,) = kept_backups(opened.path, BackupPlan.from_environment()).backups
    run("restore", backup.file, "--name", "before", "-q")
    with open_project("before") as restored, open_project(project) as opened:
        assert (restored.corpus().n_documents, opened.corpus().n_documents) == (76, 8)
