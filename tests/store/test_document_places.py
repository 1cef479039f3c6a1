"""The contract on documents: the seed is tagged once, decisions move what they name, nothing else moves anything."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from taxocom.cli import main
from taxocom.errors import StoreError
from taxocom.expansion.proposals.accepting import accept, accepted_id
from taxocom.expansion.proposals.proposal import NodeExpansion, Overrides, TopicCluster
from taxocom.interchange import export
from taxocom.interchange.bundle import write_bundle
from taxocom.interchange.formats import FORMATS
from taxocom.jobs.expand_task import expand, keep_resplit
from taxocom.jobs.tasks import index
from taxocom.progress import SILENT
from taxocom.store import Project, copy_project, create_project, open_project, rename_project
from taxocom.store.disk.memory import Memory
from taxocom.store.projects import document_places as documents_module
from taxocom.store.projects.document_places import (
    ACCEPTED,
    GROUND,
    PLACED,
    TAGGED,
    DocumentPlaces,
    counted_tree,
    document_places,
    lay_ground,
)
from taxocom.store.projects.exporting import export_of
from taxocom.taxonomy import decisions as d
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode, topic_id
from taxocom.text.input.documents import Document
from taxocom.ui.review import review_page
from taxocom.workflow.tags import topic_documents
from tests.ui.fabricate import GENERAL_WORDS, THEMES, seed_tree

N_DOCUMENTS = 210
POLITICS, SPORT, BUSINESS, FOOTBALL = map(topic_id, ("politics", "sport", "business", "football"))
THEME_NAMES = [name for name in THEMES if name != "general"]
READING = {"min_count": 3, "max_words": 1}
ADA = "Ada"


def mixed_documents(n: int = N_DOCUMENTS, *, random_state: int = 0, first: int = 0) -> list[Document]:
    """Write documents on one theme each, with words of others in between: a tagger cannot be sure of all of them."""
    rng = np.random.default_rng(random_state)
    made = []
    for number in range(first, first + n):
        own = THEMES[THEME_NAMES[number % len(THEME_NAMES)]]
        chosen = []
        for share in rng.random(22):
            other = THEMES[THEME_NAMES[int(rng.integers(len(THEME_NAMES)))]]
            chosen.append(str(rng.choice(own if share < 0.45 else other if share < 0.7 else GENERAL_WORDS)))
        made.append(Document(f"doc-{number:04d}", " ".join(chosen) + ".", title=f"Report {number}"))
    return made


def theme_of(document_id: str) -> str:
    return THEME_NAMES[int(document_id.removeprefix("doc-")) % len(THEME_NAMES)]


def write_texts(file: Path, documents: Sequence[Document]) -> Path:
    rows = ({"id": each.document_id, "text": each.text, "title": each.title} for each in documents)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def read_in(project: Project, file: Path, **settings: Any) -> None:
    """Read a file as the corpus of a project, by the job itself."""
    index(project, {"source": str(file), "settings": {**READING, **settings}}, SILENT)


def expanded(project: Project, node_id: str = ROOT_ID, *, random_state: int = 0, **settings: Any) -> NodeExpansion:
    """Expand a node by the job itself, and return the proposal it kept."""
    params = {
        "node_id": node_id,
        "settings": {"embedding": {"dim": 20}, **settings},
        "random_state": random_state,
        "threads": 1,
    }
    stored = project.load_proposal(int(expand(project, params, SILENT)["proposal_id"]))
    return NodeExpansion.from_parts(stored.metadata, stored.arrays)


def proposed(project: Project, node_id: str = ROOT_ID) -> NodeExpansion:
    """Return the open proposal of a node."""
    (record,) = project.proposals(node_id, "open")
    stored = project.load_proposal(record.proposal_id)
    return NodeExpansion.from_parts(stored.metadata, stored.arrays)


def members(project: Project, expansion: NodeExpansion, cluster: TopicCluster) -> set[str]:
    number = expansion.clusters.index(cluster)
    rows = expansion.documents.documents[expansion.documents.cluster == number]
    return {project.corpus().document_ids[int(row)] for row in rows}


def where(project: Project, at: int | None = None) -> dict[str, str]:
    """Return the topic of every document."""
    places = document_places(project, at=at)
    return {document_id: places.node_of(row) for row, document_id in enumerate(project.corpus().document_ids)}


def holds(project: Project, node_id: str) -> set[str]:
    """Return the documents of a topic and of all below it."""
    ids = project.corpus().document_ids
    return {ids[int(row)] for row in document_places(project).documents_of(node_id)}


def decide(project: Project, *decisions: d.Decision) -> None:
    project.record_all(decisions, author=ADA)


@pytest.fixture(scope="module")
def home_with_a_proposal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a project whose root was expanded, made once and copied for each test."""
    made = tmp_path_factory.mktemp("template")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAXOCOM_HOME", str(made / "home"))
        patch.setenv("TAXOCOM_LEXICON", "off")
        with create_project("News", seed=seed_tree()) as project:
            read_in(project, write_texts(made / "texts.jsonl", mixed_documents()))
            assert len(expanded(project).novel) >= 3
    return made


@pytest.fixture
def texts(home_with_a_proposal: Path) -> Path:
    return home_with_a_proposal / "texts.jsonl"


@pytest.fixture
def project(home_with_a_proposal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TAXOCOM_LEXICON", "off")
    shutil.copytree(home_with_a_proposal / "home", tmp_path / "home")
    with open_project("News") as opened:
        yield opened


@pytest.fixture
def accepted(project: Project) -> list[str]:
    """Two clusters of the proposal are accepted, and some documents were moved where no tagger would have them."""
    expansion = proposed(project)
    first, second = expansion.novel[:2]
    decide(project, accept(first, ROOT_ID), accept(second, ROOT_ID, label="Second"))
    strangers = sorted(members(project, expansion, first))[:4]
    decide(project, d.MoveDocument(strangers[0], BUSINESS), d.MoveDocuments(tuple(strangers[1:3]), POLITICS))
    return [accepted_id(ROOT_ID, each.cluster_id) for each in (first, second)]


# The seed.


def test_the_seed_is_tagged_when_the_texts_are_read(project: Project) -> None:
    places = document_places(project)
    assert (places.reasons == TAGGED).all()
    assert np.isfinite(places.scores).all()
    assert (places.scores > 0).all()
    assert (places.scores <= 1).all()
    found = where(project)
    for theme, topics in (("politics", {POLITICS}), ("business", {BUSINESS}), ("sport", {SPORT, FOOTBALL})):
        own = [node_id for document_id, node_id in found.items() if theme_of(document_id) == theme]
        assert np.mean([node_id in topics for node_id in own]) > 0.8


def test_documents_of_topics_that_are_missing_fit_worse(project: Project) -> None:
    fit = document_places(project).fit
    known = np.array([theme_of(i) in ("politics", "sport", "business") for i in project.corpus().document_ids])
    assert fit[known].mean() > fit[~known].mean() + 0.3


def test_the_ground_is_laid_once(project: Project) -> None:
    before = project.used_for(GROUND)
    lay_ground(project)
    document_places(project)
    expanded(project, random_state=3)
    assert project.used_for(GROUND) == before


def test_a_project_that_was_never_tagged_is_tagged_when_somebody_looks(project: Project) -> None:
    before = where(project)
    project.stop_using(GROUND)
    forget_everything()
    assert where(project) == before


def test_without_topics_every_document_is_at_the_root(project: Project, tmp_path: Path, texts: Path) -> None:
    with create_project("Bare") as bare:
        read_in(bare, texts)
        assert set(where(bare).values()) == {ROOT_ID}
        assert document_places(bare).counts() == {ROOT_ID: N_DOCUMENTS}


def test_before_the_first_decision_another_seed_tags_the_texts_again(project: Project) -> None:
    before = where(project)
    other = Taxonomy.empty("Other").with_topic(TopicNode("film", "Film", keywords=("actor",)), ROOT_ID)
    other = other.with_topic(TopicNode("war", "War", keywords=("army", "troops")), ROOT_ID)
    project.set_seed(other)
    found = where(project)
    assert set(found.values()) == {"film", "war"}
    own = [node_id for document_id, node_id in found.items() if theme_of(document_id) == "war"]
    assert np.mean([node_id == "war" for node_id in own]) > 0.9
    project.set_seed(seed_tree())
    assert where(project) == before


@pytest.mark.parametrize("how", ["decision", "undone decision", "release"])
def test_after_the_first_decision_a_better_tagger_tags_nothing_again(
    project: Project, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    if how == "release":
        project.freeze_release("1", author=ADA)
    else:
        decide(project, d.RenameTopic(SPORT, "Sports"))
        if how == "undone decision":
            project.undo(author=ADA)
    before, ground = where(project), project.used_for(GROUND)
    with_another_tagger(monkeypatch)
    assert where(project) == before
    assert project.used_for(GROUND) == ground
    if how != "release":
        with pytest.raises(StoreError, match="cannot be replaced"):
            project.set_seed(seed_tree())


def test_a_seed_cannot_be_replaced_after_a_release(project: Project) -> None:
    project.freeze_release("1", author=ADA)
    before = documents_csv(project, "1")
    with pytest.raises(StoreError, match="a release stands on it"):
        project.set_seed(seed_tree().without(FOOTBALL))
    assert documents_csv(project, "1") == before


def test_before_the_first_decision_a_better_tagger_tags_all_again(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_another_tagger(monkeypatch)
    assert set(where(project).values()) == {FOOTBALL}


def with_another_tagger(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a tagger of a later version in the place of ours; it would give everything to one topic."""
    monkeypatch.setattr(documents_module, "_VERSION", 99)
    told, answer = documents_module._Tagged(FOOTBALL, 1.0, 1.0), documents_module._Answer
    monkeypatch.setattr(documents_module, "_tagged", lambda project, _: answer([told] * project.corpus().n_documents))
    forget_everything()


def forget_everything() -> None:
    """Do as a process does that has just begun."""
    for name in ("_WITNESSES", "_PLACES", "_LEDGERS"):
        setattr(documents_module, name, Memory(4))


# Accepting.


def test_an_accepted_topic_holds_the_documents_of_its_cluster_and_all_others_stay(project: Project) -> None:
    expansion, before = proposed(project), where(project)
    cluster = expansion.novel[1]
    own = members(project, expansion, cluster)
    decide(project, accept(cluster, ROOT_ID))
    topic = accepted_id(ROOT_ID, cluster.cluster_id)
    assert holds(project, topic) == own
    assert len(own) == cluster.n_documents
    after = where(project)
    assert {i: node_id for i, node_id in after.items() if i not in own} == {
        i: node_id for i, node_id in before.items() if i not in own
    }
    (entry,) = project.log()
    assert isinstance(entry.decision, d.AcceptTopic)
    assert set(entry.decision.documents) == own


def test_documents_that_a_decision_names_are_those_it_moves(project: Project) -> None:
    cluster = proposed(project).novel[0]
    chosen = replace(accept(cluster, ROOT_ID), documents=("doc-0000", "doc-0004", "never heard of"))
    decide(project, chosen)
    assert holds(project, accepted_id(ROOT_ID, cluster.cluster_id)) == {"doc-0000", "doc-0004"}


def test_a_cluster_given_to_a_topic_takes_its_documents_along(project: Project) -> None:
    expansion, before = proposed(project), where(project)
    cluster = expansion.novel[2]
    own = members(project, expansion, cluster)
    decide(project, d.MoveDocuments((), FOOTBALL, cluster_id=cluster.cluster_id))
    after = where(project)
    assert {i for i in after if after[i] != before[i]} | {i for i in own if before[i] == FOOTBALL} == own
    assert {after[i] for i in own} == {FOOTBALL}
    assert cluster.cluster_id in d.judged_clusters(project.log())


def test_reasons_scores_and_teaching_tell_who_put_a_document_where_it_is(project: Project, accepted: list[str]) -> None:
    places, ids = document_places(project), project.corpus().document_ids
    log = [entry.decision for entry in project.log()]
    (alone,) = [decision.document_id for decision in log if isinstance(decision, d.MoveDocument)]
    (together,) = [decision.documents for decision in log if isinstance(decision, d.MoveDocuments)]
    placed = {alone, *together}
    clustered = {i for decision in log if isinstance(decision, d.AcceptTopic) for i in decision.documents} - placed
    for row, document_id in enumerate(ids):
        expected = PLACED if document_id in placed else ACCEPTED if document_id in clustered else TAGGED
        assert places.reasons[row] == expected
        assert np.isnan(places.scores[row]) == (expected != TAGGED)
    np.testing.assert_array_equal(places.told, places.reasons != TAGGED)
    assert (places.fit[places.told] >= 1.0).all()
    teaching = places.teaching()
    assert {ids[row] for row in teaching.placed} == placed
    assert {ids[row] for row in teaching.accepted} == clustered
    assert {ids[row]: topic for row, topic in teaching.placed.items()}[alone] == BUSINESS


@pytest.mark.parametrize(
    "run",
    [
        {},
        {"random_state": 11},
        {"novelty_threshold": 0.2, "size_floor": 0.05},
        {"novelty_threshold": 0.9, "n_neighbours": 5, "n_readings": 1},
        {"discovery": "terms"},
    ],
)
def test_expanding_again_moves_no_document_whatever_the_run(
    project: Project, accepted: list[str], run: dict[str, Any]
) -> None:
    before = where(project)
    expansion = expanded(project, **run)
    assert where(project) == before
    # Nor does another split of what was found.
    (record,) = project.proposals(ROOT_ID, "open")
    if expansion.settings["discovery"] == "facets":
        keep_resplit(project, record.proposal_id, Overrides(n_novel=0))
        assert where(project) == before
    forget_everything()
    assert where(project) == before


def test_accepting_what_a_later_run_found_moves_only_that(project: Project, accepted: list[str]) -> None:
    before = where(project)
    expansion = expanded(project, random_state=5)
    cluster = expansion.novel[0]
    own = members(project, expansion, cluster)
    decide(project, accept(cluster, ROOT_ID, label="Later"))
    after = where(project)
    assert {i for i in after if after[i] != before[i]} <= own
    assert not own & {i for node_id in accepted for i in before if before[i] == node_id}
    told = {entry.decision.document_id for entry in project.log() if isinstance(entry.decision, d.MoveDocument)}
    assert not own & told


def test_expanding_a_topic_below_moves_no_document(project: Project, accepted: list[str]) -> None:
    before = where(project)
    for node_id in (SPORT, accepted[0]):
        decide(project, d.AddTopic(node_id, TopicNode(f"{node_id}-1", "match")))
        expanded(project, node_id, min_document_frequency=2)
    assert where(project) == before


@pytest.mark.parametrize("settings", [{"min_count": 6}, {"max_words": 3}, {"stop_words": ["people", "year"]}])
def test_reading_the_same_texts_in_another_way_moves_no_document(
    project: Project, accepted: list[str], texts: Path, settings: dict[str, Any]
) -> None:
    before, fingerprint = where(project), project.corpus().fingerprint
    read_in(project, texts, **settings)
    assert project.corpus().fingerprint != fingerprint
    assert where(project) == before
    expanded(project, random_state=2)
    assert where(project) == before


def test_undo_gives_documents_back_and_redo_takes_them_again(project: Project, texts: Path) -> None:
    seen = [where(project)]
    expansion = proposed(project)
    for cluster in expansion.novel[:2]:
        decide(project, accept(cluster, ROOT_ID))
        seen.append(where(project))
    decide(project, d.MoveDocument("doc-0001", POLITICS), d.MergeTopics(SPORT, (POLITICS,)))
    seen += [where(project)]
    assert len({json.dumps(each) for each in seen}) == 4
    project.undo(2, author=ADA)
    assert where(project) == seen[2]
    project.undo(author=ADA)
    assert where(project) == seen[1]
    project.undo(author=ADA)
    assert where(project) == seen[0]
    # What happens in between changes nothing.
    expanded(project, random_state=4)
    read_in(project, texts, min_count=6)
    assert where(project) == seen[0]
    project.redo(author=ADA)
    assert where(project) == seen[1]
    project.redo(3, author=ADA)
    assert where(project) == seen[3]


def test_the_places_after_any_step_can_be_asked_for_at_any_time(project: Project, accepted: list[str]) -> None:
    at = {step: where(project, at=step) for step in range(project.sequence + 1)}
    assert set(at[0].values()) <= {POLITICS, SPORT, BUSINESS, FOOTBALL}
    decide(project, d.RemoveTopic(accepted[0]), d.MergeTopics(SPORT, (BUSINESS,)))
    forget_everything()
    assert {step: where(project, at=step) for step in at} == at
    with pytest.raises(StoreError, match="There is no decision 99"):
        document_places(project, at=99)


# Moving.


def test_a_moved_document_never_moves_back(project: Project, texts: Path) -> None:
    expansion = proposed(project)
    cluster = expansion.novel[0]
    moved = dict.fromkeys(sorted(members(project, expansion, expansion.novel[1]))[:5], BUSINESS)
    decide(project, d.MoveDocuments(tuple(moved), BUSINESS))
    decide(project, accept(cluster, ROOT_ID))
    expanded(project, random_state=3)
    read_in(project, texts, min_count=6)
    decide(project, d.EditKeywords(SPORT, ("coach",)), d.AddTopic(ROOT_ID, TopicNode("film", "Film")))
    project.undo(2, author=ADA)
    found = where(project)
    assert {document_id: found[document_id] for document_id in moved} == moved


def test_a_document_moved_since_the_proposal_stays_when_its_cluster_is_accepted(project: Project) -> None:
    expansion = proposed(project)
    cluster = expansion.novel[0]
    one, other, *_ = sorted(members(project, expansion, cluster))
    decide(project, d.MoveDocument(one, BUSINESS), d.MoveDocuments((other,), ROOT_ID))
    decide(project, accept(cluster, ROOT_ID))
    found = where(project)
    assert (found[one], found[other]) == (BUSINESS, ROOT_ID)


def test_accepting_from_an_older_proposal_takes_nothing_from_what_was_accepted_since(project: Project) -> None:
    """Two proposals wait, of the root and of a topic below it, and both have the same documents."""
    below, above = expanded(project, BUSINESS), proposed(project)
    decide(project, *(accept(cluster, ROOT_ID) for cluster in above.novel))
    before = where(project)
    given = {i: node_id for i, node_id in before.items() if node_id not in (POLITICS, SPORT, BUSINESS, FOOTBALL)}
    assert any(given.keys() & members(project, below, cluster) for cluster in below.novel)
    decide(project, *(accept(cluster, BUSINESS, label=f"Part {cluster.label}") for cluster in below.novel))
    after = where(project)
    assert {i: after[i] for i in given} == given


def test_a_document_is_where_it_was_moved_last(project: Project) -> None:
    decide(project, d.MoveDocument("doc-0000", BUSINESS), d.MoveDocuments(("doc-0000", "doc-0001"), FOOTBALL))
    assert [where(project)[i] for i in ("doc-0000", "doc-0001")] == [FOOTBALL, FOOTBALL]
    decide(project, d.MoveDocument("doc-0001", ROOT_ID))
    assert [where(project)[i] for i in ("doc-0000", "doc-0001")] == [FOOTBALL, ROOT_ID]
    project.undo(2, author=ADA)
    assert where(project)["doc-0000"] == BUSINESS


# What becomes of a topic's documents with the topic.


def test_renaming_and_moving_a_topic_leaves_its_documents_with_it(project: Project, accepted: list[str]) -> None:
    before = where(project)
    decide(project, d.RenameTopic(accepted[0], "Else"), d.MoveTopic(accepted[0], SPORT), d.MoveTopic(FOOTBALL, ROOT_ID))
    assert where(project) == before
    assert holds(project, accepted[0]) <= holds(project, SPORT)


def test_merging_topics_moves_their_documents_along(project: Project, accepted: list[str]) -> None:
    first, second = accepted
    both, rest = holds(project, first) | holds(project, second), where(project)
    decide(project, d.MergeTopics(second, (first,)))
    assert holds(project, second) == both
    assert {i: n for i, n in where(project).items() if i not in both} == {
        i: n for i, n in rest.items() if i not in both
    }
    decide(project, d.MergeTopics(BUSINESS, (second,)))
    assert both <= holds(project, BUSINESS)


def test_merging_takes_children_of_the_same_name_along(project: Project) -> None:
    decide(project, d.AddTopic(POLITICS, TopicNode("twin", "football")), d.MoveDocuments(("doc-0002",), "twin"))
    decide(project, d.MergeTopics(SPORT, (POLITICS,)))
    assert where(project)["doc-0002"] == FOOTBALL


@pytest.mark.parametrize("how", ["remove", "reject"])
def test_a_topic_that_goes_leaves_its_documents_to_the_topic_above(project: Project, how: str) -> None:
    before, above = holds(project, FOOTBALL), holds(project, SPORT)
    assert before
    decision = d.RemoveTopic(FOOTBALL) if how == "remove" else d.SetStatus(FOOTBALL, "rejected")
    decide(project, decision)
    assert {where(project)[i] for i in before} == {SPORT}
    assert holds(project, SPORT) == above
    assert document_places(project).counts().get(FOOTBALL, 0) == 0
    decide(project, d.SetStatus(SPORT, "rejected") if how == "reject" else d.RemoveTopic(SPORT))
    assert {where(project)[i] for i in above} == {ROOT_ID}
    project.undo(2, author=ADA)
    assert holds(project, FOOTBALL) == before


def test_a_rejected_topic_that_is_approved_again_has_its_documents_back(project: Project, accepted: list[str]) -> None:
    before = where(project)
    decide(project, d.SetStatus(accepted[0], "rejected"))
    assert not holds(project, accepted[0])
    decide(project, d.SetStatus(accepted[0], "approved"))
    assert where(project) == before


def test_removing_a_topic_but_not_its_sub_topics_leaves_these_their_documents(project: Project) -> None:
    own = {i for i, node_id in where(project).items() if node_id == SPORT}
    below = holds(project, FOOTBALL)
    decide(project, d.RemoveTopic(SPORT, keep_children=True))
    found = where(project)
    assert {found[i] for i in below} == {FOOTBALL}
    assert {found[i] for i in own} <= {ROOT_ID}


def test_removing_a_whole_branch_leaves_its_documents_above_it(project: Project) -> None:
    decide(project, d.AddTopic(SPORT, TopicNode("ball", "Ball games")), d.MoveTopic(FOOTBALL, "ball"))
    own = holds(project, FOOTBALL)
    decide(project, d.RemoveTopic("ball"))
    assert {where(project)[i] for i in own} == {SPORT}


def test_documents_that_were_merged_into_a_topic_go_up_with_it_when_it_is_removed(project: Project) -> None:
    decide(
        project,
        d.AddTopic(SPORT, TopicNode("golf", "Golf")),
        d.AddTopic(SPORT, TopicNode("tennis", "Tennis")),
        d.MoveDocuments(("doc-0001",), "golf"),
        d.MergeTopics("tennis", ("golf",)),
    )
    assert where(project)["doc-0001"] == "tennis"
    decide(project, d.RemoveTopic("tennis"))
    assert where(project)["doc-0001"] == SPORT


def test_a_topic_that_comes_again_under_an_old_id_has_only_what_is_given_to_it(project: Project) -> None:
    """The documents of the one before went on to another topic, and no decision names them."""
    golf = TopicNode("golf", "Golf")
    decide(project, d.AddTopic(SPORT, golf), d.MoveDocuments(("doc-0001", "doc-0002"), "golf"))
    decide(project, d.MergeTopics(BUSINESS, ("golf",)))
    before = where(project)
    assert before["doc-0001"] == BUSINESS
    decide(project, d.AcceptTopic(SPORT, golf, documents=("doc-0005",)))
    assert where(project) == {**before, "doc-0005": "golf"}


def test_a_split_topic_leaves_its_documents_to_the_part_that_stands_for_it(project: Project) -> None:
    own = {i for i, node_id in where(project).items() if node_id == BUSINESS}
    parts = (TopicNode("banks", "Banks"), TopicNode("trade", "Trade"))
    decide(project, d.SplitTopic(BUSINESS, parts))
    assert {where(project)[i] for i in own} == {"banks"}
    project.undo(author=ADA)
    kept = (TopicNode("banks", "Banks"), TopicNode(BUSINESS, "Trade"))
    decide(project, d.SplitTopic(BUSINESS, kept))
    assert {where(project)[i] for i in own} == {BUSINESS}


# Releases.


def documents_csv(project: Project, release: str | None = None) -> bytes:
    made = export_of(project, release=release)
    return export(made.taxonomy, "documents-csv", made.context)


def every_format(project: Project, release: str | None = None) -> dict[str, bytes]:
    """Export a project in every format, and as a bundle, with topics of every status."""
    made = export_of(project, release=release, statuses=("approved", "proposed", "rejected"))
    written = {name: export(made.taxonomy, name, made.context) for name in FORMATS}
    return {**written, "bundle": write_bundle(made.taxonomy, made.context)}


def test_a_release_exports_the_same_bytes_whatever_happens_after(
    project: Project, accepted: list[str], texts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.freeze_release("2026-11", author=ADA)
    before = every_format(project, "2026-11")
    assert export_of(project, release="2026-11").context.evidence
    gone = d.DeprecateTopic(project.taxonomy()[accepted[0]])
    decide(project, gone, d.MergeTopics(SPORT, (BUSINESS,)), d.MoveDocument("doc-0003", SPORT))
    later = expanded(project, random_state=6)
    decide(project, *(accept(cluster, ROOT_ID, label=f"New {cluster.label}") for cluster in later.novel))
    decide(project, d.RenameTaxonomy("Other news"))
    assert every_format(project)["documents-csv"] != before["documents-csv"]
    assert every_format(project, "2026-11") == before
    project.undo(2, author=ADA)
    read_in(project, write_texts(texts, mixed_documents(N_DOCUMENTS + 30)), min_count=6)
    rename_project(project, "Another name")
    monkeypatch.setattr(documents_module, "_VERSION", 99)
    project.drop_unused(older_than_seconds=-60.0)
    forget_everything()
    with open_project("Another name") as again:
        assert every_format(again, "2026-11") == before


def test_a_release_from_before_exports_keeps_what_it_is_first_exported_with(project: Project, texts: Path) -> None:
    frozen = project.freeze_release("2026-11", author=ADA)
    with project._database.write() as connection:
        connection.exec_driver_sql("DROP TRIGGER releases_no_update")
        connection.exec_driver_sql("UPDATE releases SET artifact = NULL")
    assert project.release("2026-11") == replace(frozen, artifact=None)
    before = every_format(project, "2026-11")
    expanded(project, random_state=6)
    read_in(project, write_texts(texts, mixed_documents(N_DOCUMENTS + 30)))
    forget_everything()
    assert every_format(project, "2026-11") == before


# Logs from before decisions named documents.


@pytest.fixture
def old(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project whose accepted topics were recorded without the documents that they took along."""
    with monkeypatch.context() as before_that:
        before_that.setattr(Project, "_with_documents", lambda _, decision: decision)
        decide(project, *(accept(cluster, ROOT_ID) for cluster in proposed(project).novel[:2]))
    assert not any(entry.decision.to_dict().get("documents") for entry in project.log())
    return project


def test_an_old_log_finds_the_documents_by_the_proposal(old: Project) -> None:
    expansion, at_first = proposed(old), where(old, at=0)
    for cluster in expansion.novel[:2]:
        assert holds(old, accepted_id(ROOT_ID, cluster.cluster_id)) == members(old, expansion, cluster)
    before = where(old)
    expanded(old, random_state=9)
    decide(old, d.MoveDocument("doc-0000", FOOTBALL))
    forget_everything()
    assert where(old) == {**before, "doc-0000": FOOTBALL}
    old.undo(3, author=ADA)
    assert where(old) == at_first


def test_an_old_log_keeps_its_documents_when_what_was_found_is_split_anew(old: Project) -> None:
    before = where(old)
    (record,) = old.proposals(ROOT_ID, "open")
    clusters = proposed(old).novel
    # The clusters that were not accepted go; some of what they held goes to those that stay under their ids.
    keep_resplit(
        old, record.proposal_id, Overrides(n_novel=0, merged=((clusters[0].cluster_id, clusters[2].cluster_id),))
    )
    forget_everything()
    assert where(old) == before


# More texts.


def test_new_documents_are_tagged_and_old_ones_stay(project: Project, accepted: list[str], tmp_path: Path) -> None:
    before = where(project)
    more = mixed_documents(70, random_state=8, first=N_DOCUMENTS)
    # New ones come in between and before, so that no row of the old ones is where it was.
    everything = [*more[:30], *mixed_documents(), *more[30:]]
    read_in(project, write_texts(tmp_path / "more.jsonl", everything))
    found = where(project)
    assert {i: found[i] for i in before} == before
    new = {i: node_id for i, node_id in found.items() if i not in before}
    assert len(new) == 70
    assert set(new.values()) <= {POLITICS, SPORT, BUSINESS, FOOTBALL, *accepted}
    assert set(new.values()) & set(accepted)
    for theme, topics in (("politics", {POLITICS}), ("business", {BUSINESS}), ("sport", {SPORT, FOOTBALL})):
        assert np.mean([node_id in topics for i, node_id in new.items() if theme_of(i) == theme]) > 0.7
    forget_everything()
    assert where(project) == found


def test_documents_that_are_gone_and_come_back_are_where_people_put_them(
    project: Project, accepted: list[str], texts: Path, tmp_path: Path
) -> None:
    before = where(project)
    read_in(project, write_texts(tmp_path / "fewer.jsonl", mixed_documents()[100:]))
    fewer = where(project)
    assert fewer == {i: before[i] for i in fewer}
    assert len(fewer) == N_DOCUMENTS - 100
    read_in(project, texts)
    told = {i for entry in project.log() for i in getattr(entry.decision, "documents", ())}
    assert {i: node_id for i, node_id in where(project).items() if i in told} == {i: before[i] for i in told}


def test_repeated_documents_are_where_the_one_they_repeat_is(project: Project, tmp_path: Path) -> None:
    first, *rest = mixed_documents()
    again = [replace(first, document_id="copy 1"), *rest, replace(first, document_id="copy 2", text=first.text.upper())]
    read_in(project, write_texts(tmp_path / "repeats.jsonl", [first, *again]))

    def placed() -> dict[str, tuple[str, str]]:
        rows = csv.DictReader(io.StringIO(documents_csv(project).decode("utf-8-sig")))
        return {row["id"]: (row["path"], row["score"]) for row in rows}

    found = placed()
    assert len(found) == N_DOCUMENTS + 2
    assert found["copy 1"] == found["copy 2"] == found["doc-0000"]
    decide(project, d.MoveDocument("doc-0000", FOOTBALL))
    after = placed()
    assert after["copy 1"] == after["copy 2"] == after["doc-0000"] == ("Sport/Football", "")


def test_a_document_that_is_read_as_a_repetition_later_on_is_where_it_was(
    project: Project, accepted: list[str], tmp_path: Path
) -> None:
    """A larger file has the same text before it, under another id; the document itself is not to move by that."""
    own = sorted(i for i, node_id in where(project).items() if node_id == accepted[1])[0]
    texts = mixed_documents()
    twin = replace(next(each for each in texts if each.document_id == own), document_id="twin")
    read_in(project, write_texts(tmp_path / "twin.jsonl", [twin, *texts]))
    found = {each.document_id: each.node_id for each in export_of(project).context.documents}
    assert found[own] == accepted[1]


# Counts.


def test_the_count_of_a_topic_is_the_sum_over_its_sub_tree(project: Project, accepted: list[str]) -> None:
    decide(project, d.MoveTopic(accepted[0], SPORT), d.MoveDocument("doc-0000", ROOT_ID))
    places, found = document_places(project), where(project)
    tree, own = project.taxonomy(), Counter(found.values())
    counts = places.counts()
    assert counts[ROOT_ID] == N_DOCUMENTS == sum(own.values())
    for node in tree.subtree_of(ROOT_ID):
        below = [each.node_id for each in tree.subtree_of(node.node_id)]
        assert counts.get(node.node_id, 0) == sum(own[each] for each in below)
        assert len(places.documents_of(node.node_id)) == counts.get(node.node_id, 0)
        children = sum(counts.get(child.node_id, 0) for child in tree.children_of(node.node_id))
        assert counts.get(node.node_id, 0) == own[node.node_id] + children
    counted = counted_tree(tree, places)
    assert {node.node_id: node.n_documents for node in counted.walk()} == {
        node.node_id: counts.get(node.node_id, 0) for node in tree.walk()
    }


def test_every_page_and_every_export_counts_the_same(project: Project, accepted: list[str]) -> None:
    decide(project, d.MoveTopic(accepted[0], SPORT), d.SetStatus(FOOTBALL, "rejected"))
    tree = project.taxonomy()
    counts = {node.node_id: document_places(project).counts().get(node.node_id, 0) for node in tree.walk()}
    assert counts[FOOTBALL] == 0 < counts[SPORT]
    rows = list(csv.DictReader(io.StringIO(documents_csv(project).decode("utf-8-sig"))))
    own = Counter(row["topic_id"] for row in rows)
    exported = {n.node_id: sum(own[below.node_id] for below in tree.subtree_of(n.node_id)) for n in tree.walk()}
    said = CliRunner().invoke(main, ["show", "News", "--json"])
    assert said.exit_code == 0
    nested = flattened(json.loads(said.stdout)["taxonomy"]["children"])
    on_review = review_page._documents(project)
    assert exported == counts
    assert {node_id: len(topic_documents(project, node_id)) for node_id in counts} == counts
    assert {node_id: nested[node_id] for node_id in counts} == counts
    assert {node_id: n for node_id, n in on_review.items() if n} == dict(own)
    written = {node.node_id: node.n_documents for node in export_of(project).taxonomy.walk()}
    assert {node_id: written[node_id] for node_id in counts} == counts


def flattened(topics: list[dict[str, Any]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for topic in topics:
        found[topic["id"]] = topic["n_documents"]
        found |= flattened(topic["children"])
    return found


def test_in_a_tree_that_lacks_topics_their_documents_are_those_of_the_topic_above(
    project: Project, accepted: list[str]
) -> None:
    places = document_places(project)
    tree = project.taxonomy().without(FOOTBALL).without(accepted[0])
    less = places.with_tree(tree)
    ids = project.corpus().document_ids
    for row in range(len(ids)):
        held = places.node_of(row)
        expected = {FOOTBALL: SPORT, accepted[0]: ROOT_ID}.get(held, held)
        assert less.node_of(row) == expected
        # What was accepted for a topic that is not there tells nothing of the one above.
        assert less.reasons[row] == (TAGGED if held != expected else places.reasons[row])
    assert less.tree is tree
    assert isinstance(less, DocumentPlaces)


# Other ways to the same project.


def test_another_process_sees_the_same_places(project: Project, accepted: list[str]) -> None:
    before = where(project)
    forget_everything()
    with open_project("News") as other:
        assert where(other) == before
        decide(other, d.MoveDocument("doc-0009", FOOTBALL))
    assert where(project) == {**before, "doc-0009": FOOTBALL}


def test_a_copy_has_the_same_places_and_without_decisions_those_of_the_seed(
    project: Project, accepted: list[str]
) -> None:
    with copy_project(project, "Whole") as whole, copy_project(project, "Bare", with_decisions=False) as bare:
        assert where(whole) == where(project)
        assert where(bare) == where(project, at=0)
        decide(whole, d.MoveDocument("doc-0009", FOOTBALL))
        assert where(whole)["doc-0009"] == FOOTBALL
        assert where(project)["doc-0009"] != FOOTBALL
