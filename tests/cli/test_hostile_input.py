"""Each kind of bad input gets its own clear message, and nothing changes."""

import gzip
import io
import json
import random
import zipfile
from pathlib import Path

import pytest

PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog >>\nendobj\n" + bytes(range(256)) * 20


def zip_of(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def pdf_named_csv(folder: Path) -> Path:
    path = folder / "report.csv"
    path.write_bytes(PDF)
    return path


def zip_with_a_way_out(folder: Path) -> Path:
    return zip_of(folder / "way-out.zip", {"../../evil.txt": b"football court goal", "fine.txt": b"football"})


def zip_bomb(folder: Path) -> Path:
    zeros = b"football " * 2_000_000
    return zip_of(folder / "bomb.zip", {f"{i}.txt": zeros for i in range(30)})


def nul_bytes(folder: Path) -> Path:
    path = folder / "nul.csv"
    path.write_bytes(b"id,text\n1,football \x00\x00 goal\n" + b"\x00" * 4000)
    return path


def one_document(folder: Path) -> Path:
    path = folder / "one.jsonl"
    path.write_text(json.dumps({"id": "1", "text": "football court goal judge"}) + "\n")
    return path


def no_documents(folder: Path) -> Path:
    path = folder / "none.csv"
    path.write_text("id,text\n1,\n2,   \n")
    return path


def empty_file(folder: Path) -> Path:
    path = folder / "empty.csv"
    path.write_bytes(b"")
    return path


def cut_gzip(folder: Path) -> Path:
    path = folder / "cut.jsonl.gz"
    noise = random.Random(1)
    lines = "".join(json.dumps({"text": f"football goal {noise.random()}"}) + "\n" for _ in range(5000))
    whole = gzip.compress(lines.encode())
    path.write_bytes(whole[: len(whole) // 2])
    return path


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (pdf_named_csv, "PDF"),
        (zip_with_a_way_out, "../../evil.txt"),
        (zip_bomb, "bomb.zip"),
        (nul_bytes, "NUL"),
        (one_document, "two at least"),
        (no_documents, "no document with text"),
        (empty_file, "empty"),
        (cut_gzip, "cut.jsonl.gz"),
        (lambda folder: folder / "absent.csv", "no file or folder"),
    ],
)
def test_a_bad_corpus_is_named_and_leaves_no_project(make, says: str, run, seed: Path, home: Path, tmp_path: Path):
    path = make(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    result = run("init", "bad", "--corpus", path, "--seed", seed, code=1)
    assert says in result.stderr.splitlines()[-1]
    assert result.stderr.splitlines()[-1].startswith("taxocom: ")
    assert path.name in result.stderr.splitlines()[-1] or says == "two at least"
    assert run("projects", "--json").stdout.strip() == "[]"
    left = [found for found in tmp_path.rglob("*") if found.is_file() and found not in before]
    assert [found.name for found in left if found.name != "home.lock" and found.parent != home / "logs"] == []


def test_a_line_of_ten_megabytes_is_refused_by_its_number(run, seed: Path, corpus: Path, tmp_path: Path):
    path = tmp_path / "long.txt"
    path.write_text("football goal court judge\n" * 20 + "football " * 1_200_000 + "\n")
    result = run("init", "long", "--corpus", path, "--seed", seed, "--quiet", code=1)
    assert "long.txt" in result.stderr
    assert "line 21" in result.stderr


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"*\tfootball\nfootball\tgoal\ngoal\tfootball\n", "goal"),
        (b"parent,child\nfootball,goal\ngoal,football\n", "football"),
        (PDF, "PDF"),
        (b"football\x00goal", "NUL"),
        (b"", "empty"),
    ],
)
def test_a_bad_seed_is_named_and_leaves_no_project(content: bytes, says: str, run, corpus: Path, tmp_path: Path):
    path = tmp_path / "seed.csv" if b"parent," in content else tmp_path / "seed"
    path.write_bytes(content)
    result = run("init", "bad", "--corpus", corpus, "--seed", path, code=1)
    assert says in result.stderr
    assert path.name in result.stderr
    assert run("projects", "--json").stdout.strip() == "[]"


def test_a_seed_that_the_corpus_does_not_speak_of_leaves_no_project(run, corpus: Path, tmp_path: Path):
    path = tmp_path / "seed.txt"
    path.write_text("astronomy\nfootbal\n")
    result = run("init", "bad", "--corpus", corpus, "--seed", path, "--quiet", code=1)
    assert "None of the 2 topics of the seed occurs in the corpus" in result.stderr
    assert "football" in result.stderr, "the nearest terms are offered"
    assert run("projects", "--json").stdout.strip() == "[]"


def test_a_backup_with_a_way_out_is_refused(run, project: str, tmp_path: Path):
    good = tmp_path / "good.taxocom"
    run("backup", project, good, "--quiet")
    buffer = io.BytesIO(good.read_bytes())
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr("../evil", b"evil")
    bad = tmp_path / "bad.taxocom"
    bad.write_bytes(buffer.getvalue())
    result = run("restore", bad, code=1)
    assert "Nothing was restored" in result.stderr
    assert len(json.loads(run("projects", "--json").stdout)) == 1
