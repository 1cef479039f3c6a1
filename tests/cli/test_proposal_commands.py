"""Proposals through the command line: shown, accepted, rejected, named, and exported with their documents."""

import csv
import io
import json

import pytest
from invented import save_proposal

from taxocom.expansion.proposals.proposal import Overrides
from taxocom.jobs.expand_task import keep_resplit
from taxocom.store import open_project
from taxocom.workflow.seed_check import project_check
from tests.ui.fabricate import fabricate_project
from tests.workflow.loopback_model import loopback_model


@pytest.fixture
def proposed(project: str) -> str:
    with open_project(project) as opened:
        save_proposal(opened)
    return project


def tree(run, project: str) -> list[str]:
    lines = run("show", project).stdout.splitlines()
    return [line.split("  [")[0].rstrip() for line in lines[lines.index("") + 2 :]]


def test_what_waits_is_numbered_with_its_anchors_and_warnings(run, proposed: str) -> None:
    said = run("proposals", proposed).stdout
    assert "2 novel clusters; 50% of the documents fit no known topic, 5% with this proposal" in said
    assert "1. tennis (18 documents): tennis, match" in said
    assert "few documents" in said
    assert "2. law and justice" in said
    (plain,) = json.loads(run("proposals", proposed, "/", "--json").stdout)
    assert plain["waiting"] == ["n1", "n2"]


def test_a_name_by_meaning_is_marked_as_such(run, proposed: str) -> None:
    said = run("proposals", proposed).stdout
    assert "     Or: racket sports (by meaning)" in said
    assert said.count("Or: ") == 1, "a name that is taken already is not offered once more"
    (plain,) = json.loads(run("proposals", proposed, "--json").stdout)
    assert [cluster["names_by_meaning"] for cluster in plain["clusters"]][-2:] == [["racket sports"], []]


def test_a_topic_may_be_called_what_no_text_says(run, proposed: str, tmp_path) -> None:
    run("accept", proposed, "tennis", "--as", "racket sports")
    with open_project(proposed) as project:
        topic = next(node for node in project.taxonomy().walk() if node.label == "racket sports")
        report = project_check(project)
        assert topic.center_term == "tennis"
        assert "racket_sports" not in project.corpus().vocabulary
        match = next(match for match in report.matches if match.node_id == topic.node_id)
    assert report.ok, "it is found by its keywords, which are terms of the texts"
    assert (match.matched_by, match.term) == ("keyword", "match")
    assert sum(row["path"] == "racket sports" for row in exported(run, proposed)) == 18
    for name in ("tree.json", "tree.csv", "tree.ttl", "tree.html", "bundle.zip", "tagger.zip"):
        run("export", proposed, tmp_path / name)
        assert (tmp_path / name).stat().st_size > 0
    assert "racket sports" in (tmp_path / "tree.ttl").read_text(encoding="utf-8")


@pytest.mark.parametrize("wanted", ["1", "tennis", "Tennis", "n1"])
def test_a_cluster_is_accepted_by_number_name_or_id(run, proposed: str, wanted: str) -> None:
    run("accept", proposed, wanted)
    assert tree(run, proposed)[-1] == "  + tennis  18 documents"
    assert json.loads(run("proposals", proposed, "--json").stdout)[0]["waiting"] == ["n2"]


def test_accept_can_name_and_place(run, proposed: str) -> None:
    run("accept", proposed, "justice", "--as", "the judiciary", "--under", "court")
    after = tree(run, proposed)
    assert [line.split()[0] for line in after] == ["football", "goal", "court", "judge", "+"]
    assert after[-1] == "    + the judiciary  18 documents"


def test_all_that_waits_is_accepted_at_once_and_undone_by_one_command(run, proposed: str) -> None:
    run("accept", proposed, "--all")
    assert "There is nothing to judge" in run("proposals", proposed).stdout
    run("undo", proposed, "-n", "2")
    assert len(json.loads(run("proposals", proposed, "--json").stdout)[0]["waiting"]) == 2
    run("redo", proposed)
    assert "There is nothing to judge" not in run("proposals", proposed).stdout


def test_a_rejected_cluster_waits_no_more_and_keeps_its_terms(run, proposed: str) -> None:
    run("reject", proposed, "tennis", "--why", "part of sport")
    (entry,) = json.loads(run("history", proposed, "--json").stdout)
    assert entry["decision"]["terms"] == ["tennis", "match"]
    assert entry["decision"]["reason"] == "part of sport"
    assert "tennis" not in run("proposals", proposed).stdout


def test_a_name_given_before_the_judgement_is_kept(run, proposed: str) -> None:
    run("name", proposed, "tennis", "racket sports")
    assert "1. racket sports" in run("proposals", proposed).stdout
    run("accept", proposed, "racket sports")
    assert "  + racket sports  18 documents" in tree(run, proposed)


def test_a_cluster_that_does_not_wait_is_answered_with_those_that_do(run, proposed: str) -> None:
    message = run("accept", proposed, "chess", code=1).stderr
    assert "Clusters to judge: 'tennis', 'law and justice'" in message
    run("accept", proposed, code=2)
    run("accept", proposed, "1", "2", "--as", "both", code=2)


def test_nothing_proposed_is_no_error_to_look_at(run, project: str) -> None:
    assert "There is nothing to judge" in run("proposals", project).stdout
    assert "taxocom expand" in run("accept", project, "--all", code=1).stderr


def exported(run, project: str) -> list[dict[str, str]]:
    content = run("export", project, "-", "--format", "documents-csv").stdout_bytes.decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(content)))


def test_documents_are_exported_with_the_topics_they_went_to(run, proposed: str) -> None:
    before = exported(run, proposed)
    assert all(row["score"] and row["novel"] == "0" and row["path"] for row in before), "the seed has them all"
    run("accept", proposed, "tennis")
    after = exported(run, proposed)
    went = [row for number, row in enumerate(after) if number % 4 == 2]
    assert {(row["path"], row["novel"], row["score"]) for row in went} == {("tennis", "1", "")}, "by a person's word"
    stayed = [number for number in range(len(before)) if number % 4 != 2]
    assert [after[number] for number in stayed] == [before[number] for number in stayed]


def test_what_was_not_judged_or_was_rejected_goes_out_only_if_asked_for(run, proposed: str) -> None:
    run("reject", proposed, "tennis")
    plain = run("export", proposed, "-", "--format", "markdown").stdout
    assert "justice" not in plain
    whole = run(
        "export", proposed, "-", "--format", "markdown", "--include", "proposed", "--include", "rejected"
    ).stdout
    assert "law and justice *(proposed)*" in whole
    assert "tennis *(rejected)*" in whole


@pytest.fixture
def sparing() -> str:
    """A project with four groups that no known topic explains, of which one is proposed."""
    made = fabricate_project("sparing")
    keep_resplit(made.project, made.proposal_id, Overrides(n_novel=1))
    return "sparing"


def test_groups_that_were_not_proposed_are_listed_and_can_be_asked_for_by_a_term(run, sparing: str) -> None:
    said = run("proposals", sparing).stdout
    assert said.count("  -  not proposed: ") == 3
    assert "fewer new topics were asked for" in said
    (plain,) = json.loads(run("proposals", sparing, "--json").stdout)
    first, second, third = plain["left_out"]
    run("include", sparing, second["terms"][0], second["cluster_id"])
    (after,) = json.loads(run("include", sparing, first["terms"][1], "--json").stdout)
    assert set(after["waiting"]) == {*plain["waiting"], first["cluster_id"], second["cluster_id"]}
    assert run("proposals", sparing).stdout.count("  -  not proposed: ") == 1
    # What was judged before is neither proposed nor listed again.
    run("accept", sparing, first["cluster_id"])
    run("reject", sparing, second["cluster_id"])
    (after,) = json.loads(run("include", sparing, third["cluster_id"], "--json").stdout)
    assert after["waiting"] == [*plain["waiting"], third["cluster_id"]]
    assert "not proposed" not in run("proposals", sparing).stdout
    with open_project(sparing) as opened:
        keep_resplit(opened, after["proposal_id"], Overrides(n_novel=1))
    (later,) = json.loads(run("proposals", sparing, "--json").stdout)
    assert second["cluster_id"] in {group["cluster_id"] for group in later["left_out"]}
    assert second["terms"][0] not in run("proposals", sparing).stdout


def test_a_group_that_nobody_has_is_an_error_that_lists_those_there_are(run, sparing: str) -> None:
    said = run("include", sparing, "zebra", code=1).stderr
    (plain,) = json.loads(run("proposals", sparing, "--json").stdout)
    assert "No group with the term 'zebra' was left out" in said
    assert plain["left_out"][0]["terms"][0] in said


def test_a_model_suggests_a_name_that_is_kept_and_accepted(run, proposed: str, monkeypatch) -> None:
    assert "No language model is named" in run("ask-model", proposed, "tennis", code=1).stderr
    with loopback_model() as server:
        monkeypatch.setenv("TAXOCOM_LLM_URL", server.url)
        monkeypatch.setenv("TAXOCOM_LLM_MODEL", "small")
        server.content = "no idea"
        assert "its answer makes no sense" in run("ask-model", proposed, "tennis", code=1).stderr
        assert "Nothing was suggested" in run("accept", proposed, "tennis", "--suggested", code=1).stderr
        server.content = '{"name": "Lawn tennis", "definition": "A game with rackets."}'
        assert "Lawn tennis. A game with rackets. (small at 127.0.0.1:" in run("ask-model", proposed, "tennis").stdout
        # What was suggested needs no model any more.
        monkeypatch.delenv("TAXOCOM_LLM_URL")
        run("accept", proposed, "tennis", "--suggested")
        with open_project(proposed) as project:
            (node,) = [each for each in project.taxonomy().walk() if each.label == "Lawn tennis"]
        assert node.definition == "A game with rackets."
        assert node.notes[0].startswith("Name and definition suggested by small at 127.0.0.1:")
        assert len(server.asked) == 2
