"""Projects through the command line: made whole or not at all, listed, shown, copied, deleted, backed up, restored."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from taxocom.cli import main
from taxocom.cli.reading_options import Reading
from taxocom.progress import SILENT
from taxocom.taxonomy.tree import Taxonomy
from taxocom.workflow import new_project


def names(run) -> list[str]:
    return [summary["name"] for summary in json.loads(run("projects", "--json").stdout)]


def test_init_makes_a_project_that_show_describes(run, corpus: Path, seed: Path) -> None:
    made = json.loads(run("init", "games", "--corpus", corpus, "--seed", seed, "--json", "-q").stdout)
    assert made["preflight"]["ok"]
    assert made["preflight"]["matched"] == 4
    assert (made["loading"]["n_read"], made["index"]["n_documents"]) == (72, 72)
    shown = json.loads(run("show", "games", "--json").stdout)
    assert shown["corpus"]["n_documents"] == 72
    text = run("show", "games").stdout
    assert "72 documents" in text
    found = [line.split() for line in text.splitlines()[-4:]]
    assert [row[0] for row in found] == ["football", "goal", "court", "judge"]
    assert [row[1:] for row in found[::2]] == [["36", "documents"], ["36", "documents"]], "the seed has its documents"


def test_init_reports_what_it_dropped(run, seed: Path, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    rows = [f"{i},{text}" for i in range(6) for text in ("football goal late", f"court and judge {i}", "")]
    path.write_text("nr,body\n" + "\n".join(rows) + "\n")
    said = run("init", "games", "--corpus", path, "--seed", seed, "--text-column", "body", "--min-count", "1").stdout
    assert "6 empty documents dropped" in said
    assert "5 duplicates dropped" in said
    assert "ids made unique" not in said, "documents without an id column are numbered"


def test_the_progress_of_init_is_plain_lines_away_from_a_terminal(run, corpus: Path, seed: Path) -> None:
    lines = run("init", "games", "--corpus", corpus, "--seed", seed).stderr.splitlines()
    assert lines
    assert all(line[:4].strip().endswith("%") for line in lines)


def test_a_name_that_is_taken_is_refused(run, project: str, corpus: Path, seed: Path) -> None:
    assert "already a project" in run("init", project, "--corpus", corpus, "--seed", seed, "-q", code=1).stderr
    assert names(run) == [project]


def test_init_with_a_column_that_is_not_there_names_those_that_are(run, corpus: Path, seed: Path) -> None:
    result = run("init", "games", "--corpus", corpus, "--seed", seed, "--text-column", "body", code=1)
    assert "no column 'body'. It has: id, text" in result.stderr


def test_strict_refuses_a_seed_with_problems_by_its_own_exit_code(run, corpus: Path, tmp_path: Path) -> None:
    path = tmp_path / "seed.txt"
    path.write_text("football\nastronomy\n")
    result = run("init", "games", "--corpus", corpus, "--seed", path, "--strict", "-q", code=3)
    assert "'astronomy' does not occur in the corpus" in result.stderr
    assert names(run) == []
    said = run("init", "games", "--corpus", corpus, "--seed", path).stdout
    assert "1 of 2 topics occur in the corpus" in said
    assert names(run) == ["games"]


def test_check_keeps_nothing_and_its_code_tells(run, corpus: Path, seed: Path, tmp_path: Path, home: Path) -> None:
    assert "4 of 4 topics occur" in run("check", corpus, seed).stdout
    path = tmp_path / "other.txt"
    path.write_text("football\nastronomy\n")
    found = json.loads(run("check", corpus, path, "--json", "-q", code=3).stdout)
    assert [finding["code"] for finding in found["preflight"]["findings"]] == ["not-a-term"]
    assert not home.exists()


def test_check_takes_the_terms_of_a_research_corpus_as_given(run, tmp_path: Path) -> None:
    folder = tmp_path / "research"
    folder.mkdir()
    (folder / "docs.txt").write_text("".join(f"deep_learning with model number{i}\n" for i in range(12)))
    (folder / "terms.txt").write_text("deep_learning\nmodel\n")
    (folder / "term_integrity.txt").write_text("deep_learning\t0.75\n")
    inside, whole = tmp_path / "inside.txt", tmp_path / "whole.txt"
    inside.write_text("learning\nmodel\n")
    whole.write_text("deep learning\nmodel\n")
    found = json.loads(run("check", folder, inside, "--json", "-q", code=3).stdout)
    assert [finding["code"] for finding in found["preflight"]["findings"]] == ["not-a-term"]
    run("init", "same", "--corpus", folder, "--seed", inside, "--strict", "-q", code=3)
    assert "2 of 2 topics occur" in run("check", folder, whole).stdout
    (tmp_path / "index").mkdir()
    vocabulary = Reading().index(folder, Taxonomy.empty("AI"), tmp_path / "index", SILENT).corpus.vocabulary
    assert vocabulary.integrity[vocabulary.id_of("deep_learning")] == 0.75


def test_a_cancelled_init_leaves_nothing_and_can_be_run_again(
    run, corpus: Path, seed: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(new_project, "project_check", interrupted)
        result = run("init", "games", "--corpus", corpus, "--seed", seed, "-q", code=130)
    assert "cancelled" in result.stderr
    assert [path.name for path in home.rglob("*") if path.is_file()] == ["home.lock"]
    run("init", "games", "--corpus", corpus, "--seed", seed, "-q")
    assert names(run) == ["games"]


def test_copy_rename_delete_and_undelete(run, project: str) -> None:
    run("rename", project, "football/goal", "goals scored")
    run("copy", project, "second")
    run("copy", project, "fresh", "--without-decisions")
    assert names(run) == ["fresh", project, "second"]
    assert "goals scored" in run("show", "second").stdout
    assert "goals scored" not in run("show", "fresh").stdout
    run("rename-project", "second", "third")
    said = run("delete", "third").stdout
    assert names(run) == ["fresh", project]
    assert [summary["name"] for summary in json.loads(run("projects", "--deleted", "--json").stdout)] == ["third"]
    run("undelete", said.split()[-1])
    assert names(run) == ["fresh", project, "third"]
    run("delete", "third")
    assert "Deleted 1 project for good" in run("empty-trash", "--yes").stdout


def test_a_backup_restores_to_the_same_project(run, project: str, tmp_path: Path) -> None:
    run("rename", project, "court", "courts of law", "--why", "as lawyers say")
    file = tmp_path / "games.taxocom"
    run("backup", project, file)
    assert "exists" in run("backup", project, file, code=1).stderr
    run("restore", file, "--name", "again")
    assert run("show", "again").stdout.splitlines()[1:] == run("show", project).stdout.splitlines()[1:]
    assert run("history", "again", "--json").stdout == run("history", project, "--json").stdout
    assert "No problems found" in run("verify", "again").stdout


def test_verify_finds_a_changed_file(run, project: str, home: Path) -> None:
    tokens = next(home.rglob("tokens.npy"))
    tokens.chmod(0o644)
    content = bytearray(tokens.read_bytes())
    content[-1] ^= 1
    tokens.write_bytes(content)
    assert "missing or changed" in run("verify", project, code=1).stdout


def test_where_a_project_can_be_moved_is_told(run, project: str) -> None:
    assert "TAXOCOM_DATABASE_URL=postgresql+psycopg://" in run("migrate", project, "--to", "server", code=1).stderr
    assert "in a file already" in run("migrate", project, "--to", "file", code=1).stderr


def test_a_project_that_is_not_there_is_named_with_those_that_are(run, project: str) -> None:
    message = run("show", "gmes", code=1).stderr
    assert message.startswith("taxocom: There is no project 'gmes'")
    assert "'games'" in message


def test_wrong_usage_has_its_own_code(run) -> None:
    run("init", "games", code=2)
    run("no-such-command", code=2)


def test_the_home_can_be_given_for_one_command(run, project: str, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    assert run("--home", elsewhere, "projects").stdout.startswith(f"No projects in {elsewhere}")


def test_every_command_has_help_that_begins_with_a_sentence() -> None:
    for name, command in main.commands.items():
        result = CliRunner().invoke(main, [name, "--help"])
        assert result.exit_code == 0, name
        assert command.help, name
        assert command.help.split("\n")[0].rstrip().endswith((".", "?")) or "\n\n" not in command.help, name


def test_every_command_is_in_one_section_of_the_help() -> None:
    listed = [command.name for commands in main.sections.values() for command in commands]
    assert sorted(listed) == sorted(main.commands)
