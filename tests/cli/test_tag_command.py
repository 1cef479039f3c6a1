"""`taxocom tag`: a file of texts in, the same rows with their topics out."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path


def rows_of(file: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(file.read_text("utf-8-sig"))))


def test_a_file_is_tagged_by_a_project_and_by_its_tagger_with_the_same_bytes(run, project: str, tmp_path: Path) -> None:
    new = tmp_path / "new.csv"
    new.write_text("number,what,text\n1,x,a football match\n2,y,the judge in court\n3,z,\n")
    by_project, by_tagger = tmp_path / "a.csv", tmp_path / "b.csv"
    said = run("tag", project, new, "--out", by_project, "--primary", "--terms", "-q").stdout
    assert "Text from text, id from row numbers." in said
    assert "Tagged 3 texts" in said
    run("export", project, tmp_path / "tagger.zip")
    run("tag", tmp_path / "tagger.zip", new, "--out", by_tagger, "--primary", "--terms", "-q")
    assert by_tagger.read_bytes() == by_project.read_bytes()
    assert [row["paths"].split("/")[0] for row in rows_of(by_project)][:2] == ["football", "court"]
    assert rows_of(by_project)[2]["fits_nowhere"] == "1"


def test_columns_can_be_named_and_all_is_told_as_json(run, project: str, tmp_path: Path) -> None:
    new = tmp_path / "new.csv"
    new.write_text("number,what,text\n17,a football match,nothing of it\n")
    out = tmp_path / "out.jsonl"
    asked = ("--text-column", "what", "--id-column", "number", "--least", "0.01", "--json", "-q")
    told = json.loads(run("tag", project, new, "--out", out, *asked).stdout)
    assert told["texts"] == 1
    (line,) = [json.loads(line) for line in out.read_text().splitlines()]
    assert line["id"] == "17"
    assert line["topics"][0]["path"][0] == "football"


def test_what_cannot_be_done_is_told_before_the_tagger_is_fitted(run, project: str, tmp_path: Path) -> None:
    new = tmp_path / "new.csv"
    new.write_text("text\na football match\n")
    for arguments, said in (
        ((project, new, "--out", tmp_path / "out.doc"), "does not tell the format"),
        ((project, tmp_path / "none.csv", "--out", tmp_path / "out.csv"), "no file or folder"),
        ((project, new, "--out", tmp_path / "out.csv", "--text-column", "texts"), "Did you mean 'text'?"),
        ((project, new, "--out", tmp_path / "out.csv", "--least", "0"), "between 0 and 1"),
        ((new, new, "--out", tmp_path / "out.csv"), "project"),
    ):
        assert said in run("tag", *arguments, "-q", code=1).stderr
    assert not (tmp_path / "out.csv").exists()
