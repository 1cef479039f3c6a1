"""`taxocom evaluate`: scenarios from seeds or removals, tables on standard output, a page, and runs that are kept."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from taxocom.cli import evaluate_command
from taxocom.evaluation.systems import SystemResult
from taxocom.progress import Progress
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode, topic_id
from taxocom.text.corpus import Corpus

RUNS: list[int] = []


@dataclass(frozen=True)
class Clairvoyant:
    """A system that reads the labels: it finds every topic and places every document."""

    name: str = "Clairvoyant"
    note: str = ""

    def run(self, corpus: Corpus, seed: Taxonomy, *, random_state: int, progress: Progress) -> SystemResult:
        RUNS.append(random_state)
        tree, assigned = seed, []
        for path in corpus.labels:
            parent = ROOT_ID
            for depth in range(len(path)):
                known = tree.find(path[: depth + 1])
                if known is None:
                    known = TopicNode(topic_id(*path[: depth + 1]), path[depth], origin="novel")
                    tree = tree.with_topic(known, parent)
                parent = known.node_id
            assigned.append(parent)
        names = {node.node_id: (node.label,) for node in tree.walk()}
        return SystemResult(tree, assigned, names, names)


@pytest.fixture
def labelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    RUNS.clear()
    monkeypatch.setattr(evaluate_command, "_systems", lambda *_: [Clairvoyant()])
    corpus, gold = tmp_path / "posts.jsonl", tmp_path / "gold.tsv"
    gold.write_text("*\tsport\tlaw\nsport\tfootball\ttennis\nlaw\tcourts\tcrime\n")
    paths = [("sport", "football"), ("sport", "tennis"), ("law", "courts"), ("law", "crime")]
    with corpus.open("w") as file:
        for i in range(80):
            path = paths[i % 4]
            file.write(json.dumps({"text": f"{path[0]} and {path[1]} number {i}", "labels": path}) + "\n")
        file.write(json.dumps({"text": "sport without a label", "labels": []}) + "\n")
    return ["evaluate", "--corpus", corpus, "--gold", gold, "--min-count", 1, "-q"]


def test_what_was_removed_is_measured_and_told_in_tables(run, labelled: list[object], tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    said = run(*labelled, "--remove", "law/crime", "--random-states", 2, "--report", page).stdout
    assert "### Documents of removed topics" in said
    assert "Clairvoyant" in said
    assert RUNS == [0, 1]
    assert "<title>Evaluation on posts</title>" in page.read_text()


def test_the_removed_name_is_no_phrase_of_the_corpus(run, labelled: list[object]) -> None:
    (report,) = json.loads(run(*labelled, "--remove", "law/crime", "--random-states", 1, "--json").stdout)
    assert report["detection"]["f1"] == 1.0
    assert report["recovery"]["n_recovered"] == 1
    assert report["n_documents"] == 72, "of 80 labelled documents a tenth is held out"


def test_a_class_can_be_capped(run, labelled: list[object]) -> None:
    arguments = ("--remove", "law/crime", "--random-states", 1, "--per-class", 5, "--json")
    (report,) = json.loads(run(*labelled, *arguments).stdout)
    assert report["n_documents"] == 18


def test_runs_that_were_kept_are_not_run_again(run, labelled: list[object], tmp_path: Path) -> None:
    first = run(*labelled, "--remove", "law/crime", "--random-states", 1, "--out", tmp_path / "runs").stdout
    assert run(*labelled, "--remove", "law/crime", "--random-states", 1, "--out", tmp_path / "runs").stdout == first
    assert RUNS == [0]


def test_random_removals_differ_by_random_state(run, labelled: list[object]) -> None:
    reports = json.loads(run(*labelled, "--random-removals", 1, "--rule", "second", "--json").stdout)
    assert [report["random_state"] for report in reports] == [0, 1, 2]
    assert len({report["removed"][0]["topic"] for report in reports}) > 1


def test_a_seed_file_is_a_scenario_by_its_name(run, labelled: list[object], tmp_path: Path) -> None:
    seed = tmp_path / "seed_a.tsv"
    seed.write_text("*\tsport\nsport\tfootball\n")
    (report,) = json.loads(run(*labelled, "--seed", seed, "--random-states", 1, "--json").stdout)
    assert report["scenario"] == "seed_a"
    assert {row["topic"] for row in report["removed"]} == {"law", "sport/tennis", "law/courts", "law/crime"}


def test_what_cannot_be_measured_is_said(run, labelled: list[object], tmp_path: Path) -> None:
    assert "--random-removals N" in run(*labelled, code=2).stderr
    assert "Nearest: law/crime" in run(*labelled, "--remove", "law/crimes", code=1).stderr
    other = tmp_path / "other.tsv"
    other.write_text("*\tphysics\tbiology\n")
    message = run(*labelled[:3], "--gold", other, "-q", "--remove", "physics", code=1).stderr
    assert "no document is labelled with a topic of the gold hierarchy" in message
    assert "sport/football" in message


def test_a_system_that_breaks_is_named_and_costs_no_other_row(
    run, labelled: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken(Clairvoyant):
        name = "Broken"

        def run(self, *_: object, **__: object) -> SystemResult:
            raise ValueError("out of luck")

    monkeypatch.setattr(evaluate_command, "_systems", lambda *_: [Broken(), Clairvoyant()])
    result = run(*labelled, "--remove", "law/crime", "--random-states", 1, code=1)
    assert "ValueError: out of luck" in result.stderr
    assert "Clairvoyant" in result.stdout


def test_a_system_that_is_not_there_is_answered_with_those_that_are(run, labelled, monkeypatch) -> None:
    monkeypatch.undo()
    message = run(*labelled, "--remove", "law", "--system", "gpt", code=2).stderr
    assert "taxocom, hlda, taxogen, josh, corel" in message
