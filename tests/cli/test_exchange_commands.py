"""Export, import, convert, replay and releases through the command line."""

import csv
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from taxocom.interchange.seed_reading import read_seed
from taxocom.store import create_project

ENDINGS = ("json", "csv", "xlsx", "ttl", "jsonld", "rdf", "graphml", "tsv", "md", "html", "zip")
READABLE = ("json", "csv", "xlsx", "ttl", "jsonld", "rdf", "tsv", "md")


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_name_of_the_file_tells_the_format(run, project: str, tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"out.{ending}"
    run("export", project, file)
    assert file.stat().st_size > 0
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("ending", READABLE)
def test_what_went_out_comes_in_again(run, project: str, corpus: Path, tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"out.{ending}"
    run("export", project, file)
    run("copy", project, "other", "--without-decisions")
    empty = tmp_path / "empty.txt"
    empty.write_text("law\n")
    run("import", "other", empty)
    run("import", "other", file)
    topics = run("show", project).stdout.splitlines()[-4:]
    assert [line.split()[0] for line in topics] == ["football", "goal", "court", "judge"]
    # The same texts, so the same documents: counted in the project and not read from the file.
    assert run("show", "other").stdout.splitlines()[-4:] == topics


def test_standard_output_gets_the_file_and_nothing_else(run, project: str) -> None:
    result = run("export", project, "-", "--format", "json")
    assert json.loads(result.stdout_bytes)["format"]


def test_a_name_that_tells_no_format_is_answered_with_those_that_do(run, project: str, tmp_path: Path) -> None:
    message = run("export", project, tmp_path / "out.doc", code=1).stderr
    assert ".json, .csv, .xlsx, .ttl" in message
    assert "--format" in message


def test_a_table_of_documents_needs_texts_and_nothing_else(run, project: str, seed: Path, tmp_path: Path) -> None:
    rows = run("export", project, "-", "--format", "documents-csv").stdout_bytes.decode("utf-8-sig").splitlines()
    assert len(rows) == 1 + 72
    create_project("bare", seed=read_seed(seed).taxonomy).close()
    file = tmp_path / "out.csv"
    assert "taxocom index" in run("export", "bare", file, "--format", "documents-csv", code=1).stderr
    assert "taxocom index" in run("convert", seed, file, "--to", "documents-csv", code=1).stderr
    assert not file.exists()


def test_every_export_counts_the_documents_that_the_table_of_documents_lists(run, project: str) -> None:
    run("move", project, "judge", "--under", "football")
    table = run("export", project, "-", "--format", "documents-csv").stdout_bytes.decode("utf-8-sig")
    paths = [tuple(row["path"].split("/")) for row in csv.DictReader(io.StringIO(table))]
    tree = json.loads(run("export", project, "-", "--format", "json").stdout_bytes)
    found = dict(_counted(tree["children"]))
    assert set(found) == {("football",), ("football", "goal"), ("football", "judge"), ("court",)}
    assert found == {path: sum(each[: len(path)] == path for each in paths) for path in found}


def _counted(topics: list[dict[str, Any]], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], int]]:
    for topic in topics:
        path = (*above, topic["label"])
        yield path, topic["n_documents"]
        yield from _counted(topic.get("children", []), path)


def test_import_is_refused_once_something_was_decided(run, project: str, seed: Path) -> None:
    run("remove", project, "court")
    before = run("show", project, "--json").stdout
    run("import", project, seed, code=1)
    assert run("show", project, "--json").stdout == before


def test_convert_needs_no_project(run, seed: Path, tmp_path: Path) -> None:
    file = tmp_path / "seed.ttl"
    run("convert", seed, file)
    back = tmp_path / "back.md"
    run("convert", file, back)
    assert [line.strip(" -") for line in back.read_text().splitlines()[2:]] == ["football", "goal", "court", "judge"]


def test_a_bundle_replays_and_says_if_it_was_changed(run, project: str, tmp_path: Path) -> None:
    run("rename", project, "court", "courts of law")
    bundle = tmp_path / "all.zip"
    run("export", project, bundle)
    rebuilt = tmp_path / "rebuilt.md"
    assert "The rebuilt taxonomy is the recorded one" in run("replay", bundle, "--out", rebuilt).stdout
    assert "courts of law" in rebuilt.read_text()
    changed = tmp_path / "changed.zip"
    with zipfile.ZipFile(bundle) as source, zipfile.ZipFile(changed, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if name == "replay/decisions.jsonl":
                content = content.replace(b"courts of law", b"judiciary")
            target.writestr(name, content)
    found = json.loads(run("replay", changed, "--json", code=1).stdout)
    assert found["matches"] is False
    assert found["damaged"] == ["replay/decisions.jsonl"]
    assert "no such file" in run("replay", tmp_path / "absent.zip", code=1).stderr.lower()


def test_a_release_is_exported_later_unchanged_and_compared(run, project: str, tmp_path: Path) -> None:
    run("rename", project, "court", "courts of law")
    run("release", project, "2026-11", "--note", "the first")
    first = run("export", project, "-", "--format", "turtle", "--release", "2026-11").stdout_bytes
    run("deprecate", project, "football/goal")
    assert run("export", project, "-", "--format", "turtle", "--release", "2026-11").stdout_bytes == first
    log = run("changes", project, "2026-11").stdout
    assert "goal" in log
    assert "courts of law" not in log
    assert json.loads(run("changes", project, "--json").stdout)["renamed"]
    assert json.loads(run("changes", project, "--since", "2020-01-01", "--json").stdout)["renamed"]
    assert "Nothing changed" in run("changes", project, "--since", "2999-01-01").stdout
    assert "is no date" in run("changes", project, "--since", "lately", code=1).stderr
    assert "Leave those out" in run("changes", project, "seed", "2026-11", "--since", "2026-01-01", code=2).stderr
    (row,) = json.loads(run("releases", project, "--json").stdout)
    assert (row["name"], row["note"], row["author"], row["topics"]) == ("2026-11", "the first", "Ada", 4)
    run("release", project, "2026-11", code=1)


def test_integrity_is_checked_and_fixed_by_decisions(run, project: str) -> None:
    found = json.loads(run("integrity", project, "--json").stdout)
    assert found["ok"]
    assert found["fixed"] == 0
    assert "# Integrity of" in run("integrity", project, "--fix").stdout


def test_the_corpus_can_be_indexed_anew_for_another_seed(run, project: str, corpus: Path, tmp_path: Path) -> None:
    path = tmp_path / "other.txt"
    path.write_text("football match\ncourt\n")
    run("import", project, path)
    result = json.loads(run("index", project, "--corpus", corpus, "--json", "-q").stdout)
    assert result["index"]["n_documents"] == 72
    (job,) = json.loads(run("jobs", project, "--json").stdout)
    assert (job["kind"], job["state"]) == ("index", "done")
    assert "is done" in run("cancel", project, job["job_id"]).stdout
    run("rerun", project, job["job_id"], "-q")
    assert "index  done" in run("jobs", project).stdout
    assert "no job" in run("cancel", project, 77, code=1).stderr.lower()


def test_a_job_that_fails_is_an_error_with_its_reason(run, project: str, corpus: Path) -> None:
    corpus.write_text('{"id": 1, "text": "only one"}\n')
    assert "two at least" in run("index", project, "--corpus", corpus, "-q", code=1).stderr
    assert "72 documents" in run("show", project).stdout, "the project keeps the corpus it had"
