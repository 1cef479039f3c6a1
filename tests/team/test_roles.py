"""The table of roles covers everything, is what the documentation says, and holds whichever way a wish comes in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner
from streamlit.testing.v1 import AppTest

from taxocom import jobs
from taxocom.cli import main
from taxocom.errors import DecisionError, JobError, RoleError, StoreError, TaxocomError
from taxocom.jobs import control
from taxocom.jobs.registry import find_task
from taxocom.jobs.webhooks import add_webhook
from taxocom.serving.addresses import ADDRESSES
from taxocom.store import (
    JobRecord,
    Project,
    backup_project,
    copy_project,
    create_project,
    delete_project,
    open_project,
    rename_project,
)
from taxocom.store.projects.quality_runs import save_gold
from taxocom.taxonomy.decision_base import known_kinds
from taxocom.taxonomy.decisions import (
    AddNote,
    Decision,
    DeprecateTopic,
    GiveRole,
    Redo,
    RenameTopic,
    SetRule,
    SetStatus,
    Undo,
)
from taxocom.taxonomy.roles import ACTIONS, DECISIONS, JOBS, ROLES, Permission, as_markdown, reaches
from taxocom.taxonomy.team import SIGN_IN
from taxocom.workflow.deprecated import retired_topics
from taxocom.workflow.other_vocabularies import keep_vocabulary
from taxocom.workflow.reading_texts import ReadingWishes
from taxocom.workflow.teamwork import tasks, tasks_of, written_by
from tests.team.one_of_each import ADMIN, ONE_OF_EACH, TREE, take_back
from tests.ui.driving import opened

PEOPLE = {"": None, "stranger": None, **{role: role for role in ROLES}}
KEY = "News"
VOCABULARY = Path(__file__).parents[1] / "interchange" / "data" / "economy.ttl"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("home")
        patch.setenv("TAXOCOM_HOME", str(folder))
        yield folder


@pytest.fixture
def project(home: Path, request: pytest.FixtureRequest) -> Iterator[Project]:
    with create_project(f"{KEY} {abs(hash(request.node.name))}", seed=TREE) as made:
        made.record(GiveRole(ADMIN, "admin"), author="whoever comes first")
        made.record_all([GiveRole(role, role) for role in ROLES], author=ADMIN)
        yield made


def is_allowed(person: str, needed: Permission) -> bool:
    role = PEOPLE[person]
    return role is not None and reaches(role, needed.role)


def test_the_table_has_every_kind_of_decision_and_of_work():
    assert sorted(DECISIONS) == known_kinds() == sorted(ONE_OF_EACH)
    with pytest.raises(JobError, match=", ".join(sorted(JOBS))):
        find_task("none of them")
    assert set(JOBS.values()) <= set(ACTIONS)


def test_the_documentation_is_the_table():
    page = Path(__file__).parents[2] / "docs" / "roles.md"
    assert page.read_text() == as_markdown(), "run: python -m taxocom.taxonomy.roles > docs/roles.md"


def decided_in_the_store(project: Project, decision: Decision, person: str) -> str:
    try:
        project.record(decision, author=person)
    except TaxocomError as error:
        return f"{type(error).__name__}: {error}"
    return ""


def decided_by_command(project: Project, decision: Decision, person: str) -> str:
    arguments = ["decide", str(project.path), "--author", person]
    result = CliRunner().invoke(main, arguments, input=json.dumps(decision.to_dict()))
    return result.output if result.exit_code else ""


@pytest.mark.parametrize("decided", [decided_in_the_store, decided_by_command])
def test_every_decision_is_allowed_or_refused_as_the_table_says(
    decided: Callable[[Project, Decision, str], str], project: Project
):
    project.record(RenameTopic("law", "Justice"), author=ADMIN)
    for kind, decision in ONE_OF_EACH.items():
        if isinstance(decision, Redo):
            project.undo(author=ADMIN)
        for person in PEOPLE:
            before = project.sequence
            refusal = decided(project, decision, person)
            if is_allowed(person, DECISIONS[kind]):
                assert (refusal, project.sequence) == ("", before + 1), (kind, person)
                take_back(project, decision)
            else:
                assert "it takes the role" in refusal, (kind, person, refusal)
                assert project.sequence == before


@pytest.mark.parametrize("person", PEOPLE)
def test_a_page_refuses_what_the_table_refuses_though_it_would_not_have_offered_it(project: Project, person: str):
    """Send what a page sends, through the one door of all that writes."""

    def page(directory: str) -> None:
        import streamlit as st

        from taxocom.ui.runtime import acting, session
        from taxocom.ui.shared.deciding import decide, mark_seen
        from tests.team.one_of_each import ADMIN, ONE_OF_EACH, take_back

        opened = session.opened(directory)
        for kind, decision in ONE_OF_EACH.items():
            if kind == "redo":
                opened.undo(author=ADMIN)
            before = opened.sequence
            mark_seen(opened, before)
            with session.uninterrupted():
                acting.carry_out(lambda decision=decision: decide(opened, [decision]))
            found = session.notice("here")
            session.drop_notice()
            st.text(f"{opened.sequence - before} {found.text if found else ''}")
            if opened.sequence > before:
                take_back(opened, decision)

    project.record(RenameTopic("law", "Justice"), author=ADMIN)
    app = AppTest.from_function(page, args=(project.path.name,), default_timeout=60)
    app.session_state["taxocom"] = {"curator": person, "curator-browser": "here"}
    app.run()
    assert not app.exception, app.exception
    for kind, told in zip(ONE_OF_EACH, app.text, strict=True):
        allowed = is_allowed(person, DECISIONS[kind])
        assert told.value.startswith("1" if allowed else "0"), (kind, told.value)
        assert ("it takes the role" in told.value) != allowed, (kind, told.value)


@pytest.fixture
def no_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let work end at once instead of starting a process for it: what is asked here is who may start it."""

    def end(project: Project, job: JobRecord) -> JobRecord:
        project.job_table.end(job.job_id, job.attempt, "failed", message="not started here")
        return project.job_table.get(job.job_id)

    monkeypatch.setattr(control, "_launch", end)


ACTS: dict[str, Callable[[Project, str, Path], object]] = {
    **{
        f"{action} by {kind}": lambda project, by, _, kind=kind: jobs.submit(project, kind, author=by)
        for kind, action in JOBS.items()
    },
    "texts as wished": lambda project, by, _: ReadingWishes().keep(project, by=by),
    "measure against gold": lambda project, by, _: save_gold(project, TREE, "gold.tsv", by=by),
    "stop": lambda project, by, _: jobs.cancel(project, jobs.list_jobs(project)[0].job_id, by=by),
    "expand again": lambda project, by, _: jobs.rerun(project, jobs.list_jobs(project)[-1].job_id, by=by),
    "seed": lambda project, by, _: project.set_seed(TREE, author=by),
    "vocabularies": lambda project, by, _: keep_vocabulary(project, VOCABULARY.read_bytes(), "economy.ttl", by=by),
    "release": lambda project, by, _: project.freeze_release(f"by {by}", author=by),
    "copy": lambda project, by, _: copy_project(project, f"{project.name} {by}", by=by).close(),
    "backup": lambda project, by, place: backup_project(project, place / f"{by}.zip", by=by),
    "webhooks": lambda project, by, _: add_webhook(project, f"https://example.org/{by}", by=by),
    "rename": lambda project, by, _: rename_project(project, f"{project.name} still", by=by),
}


@pytest.mark.usefixtures("no_workers")
def test_every_action_is_allowed_or_refused_as_the_table_says(project: Project, tmp_path: Path):
    jobs.submit(project, "expand", author=ADMIN)
    for name, act in ACTS.items():
        needed = ACTIONS[name.split(" ")[0]]
        for person in PEOPLE:
            if is_allowed(person, needed):
                act(project, person, tmp_path)
            else:
                with pytest.raises(RoleError, match=needed.words):
                    act(project, person, tmp_path)
    assert {name.split(" ")[0] for name in ACTS} == set(ACTIONS) - {"read", "delete"}


COMMANDS: dict[str, list[str]] = {
    "expand": ["expand", "{}"],
    "stop": ["cancel", "{}", "1"],
    "texts": ["batches", "{}", "--take-back", "november"],
    "release": ["release", "{}", "by-{person}"],
    "vocabularies": ["keep-vocabulary", "{}", str(VOCABULARY)],
    "copy": ["copy", "{}", "copied by {person}"],
    "backup": ["backup", "{}", "{place}/{person}.zip"],
    "webhooks": ["webhook", "{}", "http://127.0.0.1:9/{person}"],
    "rename": ["rename-project", "{}", "renamed by {person}"],
    "delete": ["delete", "{}"],
}


def test_the_table_says_by_which_way_each_thing_is_done():
    by_command = {action for action, needed in ACTIONS.items() if "command" in needed.ways}
    assert by_command == {*COMMANDS, "read"}
    by_http = {name for name, needed in {**ACTIONS, **DECISIONS}.items() if "HTTP" in needed.ways}
    assert by_http == {"read", *DECISIONS}
    # Tagging over HTTP keeps nothing: it is reading.
    assert {each.path for each in ADDRESSES if each.method == "POST"} == {
        "/projects/{project}/decisions",
        "/projects/{project}/tag",
    }


@pytest.mark.usefixtures("no_workers")
def test_every_command_is_allowed_or_refused_as_the_table_says(project: Project, tmp_path: Path):
    jobs.submit(project, "expand", author=ADMIN)
    for action, arguments in COMMANDS.items():
        for person in ("", "stranger", *ROLES):
            told = [each.replace("{}", str(project.path)) for each in arguments]
            told = [each.format(person=person, place=tmp_path) for each in told]
            result = CliRunner().invoke(main, [*told, "--author", person])
            refused = "it takes the role" in result.output
            assert refused != is_allowed(person, ACTIONS[action]), (action, person, result.output)


def test_only_an_admin_deletes(project: Project):
    for person in [person for person in PEOPLE if person != "admin"]:
        with pytest.raises(RoleError, match="delete the project"):
            delete_project(project, by=person)
    assert project.path.is_dir()


@pytest.mark.parametrize("person", PEOPLE)
def test_a_page_shows_a_project_to_those_on_its_list(project: Project, person: str):
    app = opened("team", curator=person, project=project.path.name)
    said = " ".join(each.value for each in app.error)
    assert ("it takes the role" in said) != is_allowed(person, ACTIONS["read"])
    assert bool(app.title) == is_allowed(person, ACTIONS["read"])


def test_the_list_begins_with_an_admin_and_never_loses_the_last(home: Path):
    with create_project("Fresh", seed=TREE) as project:
        assert project.team().is_open
        with pytest.raises(DecisionError, match="without an admin"):
            project.record(GiveRole("ada", "curator"), author="ada")
        project.record(GiveRole("ada", "admin"), author="ada")
        for last in (GiveRole("ada", "none"), GiveRole("ada", "viewer")):
            with pytest.raises(DecisionError, match="without an admin"):
                project.record(last, author="ada")
        assert project.team().roles == {"ada": "admin"}


def test_an_undo_takes_back_no_role_and_a_seed_may_still_be_replaced(project: Project):
    with pytest.raises(DecisionError):
        project.record(Undo(), author=ADMIN)
    project.set_seed(TREE.titled("Other"), author=ADMIN)
    assert project.team().role_of("curator") == "curator"
    assert project.taxonomy().root.label == "Other"


def test_a_role_taken_away_counts_at_once_for_another_process_too(project: Project):
    with open_project(project.path) as other:
        other.record(RenameTopic("law", "Justice"), author="curator")
        project.record(GiveRole("curator", "none"), author=ADMIN)
        with pytest.raises(RoleError, match="not on the list"):
            other.record(RenameTopic("law", "Right"), author="curator")


def test_nothing_of_several_decisions_is_kept_if_one_is_refused(project: Project):
    before = project.sequence
    with pytest.raises(RoleError):
        project.record_all([ONE_OF_EACH["comment_on_topic"], RenameTopic("law", "X")], author="contributor")
    assert project.sequence == before
    assert project.taxonomy()["law"].label == "Law"


def test_a_claim_gives_a_role_until_an_admin_says_otherwise(project: Project):
    project.welcome("zoe", "curator")
    assert project.team().role_of("zoe") == "curator"
    project.welcome("zoe", "viewer")
    assert project.team().role_of("zoe") == "viewer"
    project.record(GiveRole("zoe", "none"), author=ADMIN)
    project.welcome("zoe", "admin")
    assert project.team().role_of("zoe") is None
    with suppress(RoleError):
        project.record(SetRule("second_person", holds=True), author=SIGN_IN)
    assert not project.team().second_person


def test_an_edit_of_an_approved_topic_waits_for_a_second_person_and_no_release_leaves_it_out(project: Project):
    project.freeze_release("1.0", author=ADMIN)
    project.record(SetRule("second_person", holds=True), author=ADMIN)
    project.record(RenameTopic("law", "Justice"), author="curator")
    assert project.taxonomy()["law"].status == "draft"
    assert "to be approved by somebody else" in project.history()[-1].summary
    with pytest.raises(StoreError, match="'Justice'"):
        project.freeze_release("2.0", author=ADMIN)
    with pytest.raises(RoleError, match="second person"):
        project.record(SetStatus("law", "approved"), author="curator")
    project.record(AddNote("law", "fine by me"), author=ADMIN)
    project.record(SetStatus("law", "approved"), author=ADMIN)
    assert project.freeze_release("2.0", author=ADMIN).taxonomy["law"].label == "Justice"
    project.record(RenameTopic("law", "Right"), author="curator")
    project.undo(author="curator")
    assert project.taxonomy()["law"].status == "approved"


def test_what_says_nothing_of_a_topic_leaves_it_approved_and_so_does_everything_without_the_rule(project: Project):
    project.record(RenameTopic("law", "Justice"), author="curator")
    project.record(SetRule("second_person", holds=True), author=ADMIN)
    for kind in ("add_note", "move_document", "judge_documents"):
        project.record(ONE_OF_EACH[kind], author="curator")
    tree = project.taxonomy()
    assert (tree["law"].status, tree["sport"].status) == ("approved", "approved")


def test_a_task_tells_why_its_writer_cannot_approve_it(project: Project):
    project.record(SetRule("second_person", holds=True), author=ADMIN)
    project.record(RenameTopic("law", "Justice"), author="curator", why="plainer")
    (task,) = tasks(project)
    assert (task.state, task.author, task.why) == ("draft", "curator", "plainer")
    assert tasks_of(project, "curator") == []
    assert tasks_of(project, ADMIN) == [task]
    assert (written_by(project, "curator"), written_by(project, ADMIN)) == ({"law"}, set())


def test_deprecated_topics_are_listed_with_what_replaces_them_now(project: Project):
    tree = project.taxonomy()
    project.record(DeprecateTopic(tree["soccer"], "tennis"), author=ADMIN, why="merged abroad")
    project.record(DeprecateTopic(tree["tennis"], "sport"), author="curator")
    project.record(DeprecateTopic(tree["law"]), author=ADMIN)
    found = {each.label: each for each in retired_topics(project)}
    assert {label: each.instead for label, each in found.items()} == {"Soccer": "Sport", "Tennis": "Sport", "Law": ""}
    assert (found["Soccer"].author, found["Soccer"].why) == (ADMIN, "merged abroad")
    with create_project(f"{project.name} imported", seed=project.taxonomy()) as other:
        assert {each.label: each.instead for each in retired_topics(other)}["Soccer"] == "Sport"
