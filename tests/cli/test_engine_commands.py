"""The engine through the command line, on a small corpus with three planted topics, one of them missing in the seed."""

import csv
import json
import tempfile
from pathlib import Path

import numpy as np
import pytest

TOPICS = {
    "football": "goal keeper penalty striker league referee stadium corner dribble",
    "cooking": "recipe oven butter flour simmer garlic onion skillet whisk",
    "astronomy": "galaxy telescope orbit comet nebula planet supernova asteroid eclipse",
}
# With these the words are few enough for a map without UMAP, whose import alone takes seconds.
COMMON = "today people many small large often story house water number letter window table street"
PER_TOPIC = 80
SMALL = ("--set", "embedding.dim=20", "--set", "embedding.epochs=2", "--min-count", "2")


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    rng = np.random.default_rng(5)
    rows = []
    for i in range(PER_TOPIC):
        for topic, words in TOPICS.items():
            chosen = [topic, *rng.choice(words.split(), 14), *rng.choice(COMMON.split(), 12)]
            rng.shuffle(chosen)
            rows.append({"id": f"{topic}-{i}", "text": " ".join(chosen)})
    path = tmp_path / "planted.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def partial_seed(tmp_path: Path) -> Path:
    path = tmp_path / "partial.tsv"
    path.write_text("*\tfootball\tcooking\n")
    return path


@pytest.mark.slow
def test_complete_finds_the_missing_topic_and_writes_the_same_bytes_on_any_number_of_threads(
    run, planted: Path, partial_seed: Path, tmp_path: Path
) -> None:
    said = run("complete", planted, partial_seed, "--out", tmp_path / "one", "--threads", 1, *SMALL).stdout
    assert "  + " in said
    assert "1 novel topic (marked +)" in said
    run("complete", planted, partial_seed, "--out", tmp_path / "two", "--threads", 2, "-q", *SMALL)
    for name in ("taxonomy.json", "documents.csv", "terms.csv"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes(), name
    tree = json.loads((tmp_path / "one" / "taxonomy.json").read_text())
    (novel,) = (node for node in tree["children"] if node["origin"] == "novel")
    assert {"id", "label", "center_term", "origin", "anchors", "n_documents", "concentration", "children"} <= set(novel)
    assert {anchor["term"] for anchor in novel["anchors"]} & set(TOPICS["astronomy"].split())
    with (tmp_path / "one" / "documents.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["id", "path", "novel", "score"]
    right = [row for row in rows if (row["novel"] == "1") == row["id"].startswith("astronomy")]
    assert len(right) >= 0.95 * len(rows)
    facts = json.loads((tmp_path / "one" / "run.json").read_text())
    assert facts["nodes"][0]["n_novel"] == 1
    for seconds in (facts["seconds"], facts["processor_seconds"]):
        stages = ("indexing", "checking the seed", "pre-training", "walk")
        assert seconds["all"] == pytest.approx(sum(seconds[stage] for stage in stages), abs=0.05)
    stages = facts["nodes"][0]["seconds"]
    assert 0 < sum(stages.values()) <= facts["seconds"]["walk"] + 0.05
    with (tmp_path / "one" / "terms.csv").open(newline="") as file:
        assert {row["term"] for row in csv.DictReader(file) if row["novel"] == "1"} >= {"galaxy", "comet"}


@pytest.mark.slow
def test_expand_proposes_what_accept_puts_into_the_tree(run, planted: Path, partial_seed: Path) -> None:
    run("init", "planted", "--corpus", planted, "--seed", partial_seed, "--min-count", 2, "-q")
    said = run("expand", "planted", "-q", *SMALL[:4]).stdout
    assert "1 novel cluster" in said
    jobs = [(job["kind"], job["state"]) for job in json.loads(run("jobs", "planted", "--json").stdout)]
    assert jobs[:2] == [("map", "done"), ("expand", "done")], "what is exported next has the map"
    before = run("show", "planted").stdout
    assert "+" not in before, "a proposal changes nothing"
    run("accept", "planted", "1", "--as", "the sky")
    assert "+ the sky" in run("show", "planted").stdout
    rows = run("export", "planted", "-", "--format", "documents-csv").stdout_bytes.decode("utf-8-sig").splitlines()
    assert sum("the sky" in row for row in rows) >= 0.9 * PER_TOPIC


def test_a_setting_that_is_none_is_refused_before_anything_runs(
    run, planted: Path, partial_seed: Path, tmp_path
) -> None:
    out = tmp_path / "out"
    assert "no setting 'beta'" in run("complete", planted, partial_seed, "--out", out, "--set", "beta=2", code=1).stderr
    assert not out.exists()


def test_complete_refuses_a_seed_that_the_corpus_does_not_speak_of(run, planted: Path, tmp_path: Path) -> None:
    seed = tmp_path / "other.tsv"
    seed.write_text("*\tgeology\tlaw\n")
    assert "None of the 2 topics" in run("complete", planted, seed, "--out", tmp_path / "out", "-q", code=1).stderr
    assert not (tmp_path / "out").exists()


def test_expanding_a_topic_that_is_not_there_starts_no_job(run, project: str) -> None:
    assert "Nearest: football" in run("expand", project, "fotball", code=1).stderr
    assert json.loads(run("jobs", project, "--json").stdout) == []


@pytest.mark.parametrize("stage", ["paper.embedding.pretrain", "completion.complete"])
def test_a_cancelled_complete_leaves_nothing(
    run, planted: Path, partial_seed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    elsewhere = tmp_path / "temporary"
    elsewhere.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(elsewhere))
    monkeypatch.setattr(f"taxocom.expansion.{stage}", interrupted)
    said = run("complete", planted, partial_seed, "--out", tmp_path / "out", "-q", *SMALL, code=130).stderr
    assert "cancelled" in said
    assert not (tmp_path / "out").exists()
    assert list(elsewhere.iterdir()) == []
