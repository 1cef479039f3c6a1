"""The language of the texts on the command line: told, said, chosen, and another one when they are read again."""

import json
from pathlib import Path

import pytest

from tests.text.language_texts import GERMAN


@pytest.fixture
def german(tmp_path: Path) -> Path:
    path = tmp_path / "texte.jsonl"
    rows = ({"id": document.document_id, "text": document.text} for document in GERMAN.documents())
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def german_seed(tmp_path: Path) -> Path:
    path = tmp_path / "themen.txt"
    path.write_text("Krankenhaus\nSchule\n", encoding="utf-8")
    return path


def test_init_tells_the_language_and_show_says_it(run, german: Path, german_seed: Path) -> None:
    said = run("init", "news", "--corpus", german, "--seed", german_seed, "--min-count", 2).stdout
    assert "Detected: German (12 of 12 documents)." in said
    assert "2 of 2 topics occur" in said
    assert "Detected: German (12 of 12 documents)" in run("show", "news").stdout
    assert json.loads(run("show", "news", "--json").stdout)["corpus"]["language"] == "de"


def test_another_language_is_another_reading_of_the_same_texts(run, german: Path, german_seed: Path) -> None:
    run("init", "news", "--corpus", german, "--seed", german_seed, "--min-count", 2, "-q")
    said = run("index", "news", "--corpus", german, "--min-count", 2, "--language", "nl").stdout
    assert "Chosen: Dutch (0 of 12 documents; 12 German)." in said
    assert json.loads(run("show", "news", "--json").stdout)["corpus"]["language"] == "nl"


def test_check_says_the_language_and_what_to_do_where_it_is_in_doubt(
    run, corpus: Path, seed: Path, german: Path, german_seed: Path
) -> None:
    found = json.loads(run("check", german, german_seed, "--min-count", 2, "--json", "-q", code=0).stdout)
    assert (found["language"]["code"], found["language"]["n_sampled"]) == ("de", 12)
    mixed = german.with_name("mixed.jsonl")
    english = "".join(corpus.read_text(encoding="utf-8").splitlines(keepends=True)[:30])
    mixed.write_text(german.read_text(encoding="utf-8") + english, encoding="utf-8")
    assert "give it with --language" in run("check", mixed, seed, "-q").stdout


def test_a_code_that_is_no_language_makes_no_project(run, german: Path, german_seed: Path) -> None:
    refused = run("init", "news", "--corpus", german, "--seed", german_seed, "--language", "klingon", code=1)
    assert "There is no language 'klingon'" in refused.stderr
    assert json.loads(run("projects", "--json").stdout) == []
