"""Programs read topics, changes and tags over HTTP: with the token only, within limits, and as it is described."""

from __future__ import annotations

import asyncio
import http.client
import re
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from taxocom.errors import SettingsError
from taxocom.serving.limits import Limits, Line, Rate
from taxocom.serving.refusals import RefusalError
from taxocom.serving.server import serve
from taxocom.store import Project
from taxocom.store.projects.document_places import document_places
from taxocom.store.projects.project_tagger import project_tagger
from taxocom.taxonomy.decisions import AddTopic, EditDefinition, RenameTopic, SetStatus
from taxocom.taxonomy.tree import ROOT_ID, TopicNode
from tests.serving.conftest import Asker, started
from tests.ui.loops import run_apart

TEXTS = ["the election and the vote in parliament", "a football match and its coach", "zzz qqq"]


def fits(asker: Asker, path: str, method: str, answer: Any) -> None:
    """Check an answer against what the description says of it."""
    document = asker.ask("/openapi.json", token="").json
    reference = document["paths"][path][method]["responses"]["200"]["content"]["application/json"]["schema"]["$ref"]
    schema = {**document, "$ref": reference}
    jsonschema.validate(answer, schema, cls=jsonschema.Draft202012Validator)


def names(answer: Mapping[str, Any]) -> list[str]:
    return [concept["label"] for concept in answer["concepts"]]


def test_nothing_of_a_project_is_told_without_the_token_or_under_a_foreign_name(asker: Asker) -> None:
    for path in ("/projects", "/projects/News/concepts", "/projects/News/changes?since=2020-01-01"):
        for token in ("", "wrong", "a-token-for-these-tests-alon", "ä"):
            refused = asker.ask(path, token=token)
            assert (refused.status, "Bearer" in refused.headers["www-authenticate"]) == (401, True)
            assert list(refused.json) == ["error"]
        assert asker.ask(path, host="evil.example").status == 421
    assert asker.ask("/projects/News/tag", {"texts": TEXTS}, token="").status == 401


def test_topics_are_read_with_the_counts_of_the_pages(asker: Asker, project: Project) -> None:
    listed = asker.ask("/projects/News/concepts").json
    fits(asker, "/projects/{project}/concepts", "get", listed)
    tree = project.taxonomy()
    assert names(listed) == [node.label for node in tree.walk()]
    counts = document_places(project).counts()
    assert {each["id"]: each["documents"] for each in listed["concepts"]} == {
        node.node_id: counts.get(node.node_id, 0) for node in tree.walk()
    }
    one = asker.ask(f"/projects/News/concepts/{listed['concepts'][0]['id']}").json
    fits(asker, "/projects/{project}/concepts/{id}", "get", one)
    assert one == listed["concepts"][0]
    fits(asker, "/projects", "get", asker.ask("/projects").json)
    assert asker.ask("/projects").json["projects"][0]["name"] == "News"


def test_topics_are_found_page_by_page_by_name_and_below_another(asker: Asker, project: Project) -> None:
    everything = asker.ask("/projects/News/concepts").json
    pages = [asker.ask(f"/projects/News/concepts?limit=2&offset={first}").json for first in (0, 2, 4)]
    assert [name for page in pages for name in names(page)] == names(everything)
    assert {page["total"] for page in pages} == {everything["total"]}
    assert names(asker.ask("/projects/News/concepts?q=SPOR").json) == ["Sport"]
    above = next(each for each in everything["concepts"] if each["narrower"])
    below = asker.ask(f"/projects/News/concepts?under={above['id']}").json
    assert [each["id"] for each in below["concepts"]] == above["narrower"]


def test_what_is_decided_is_seen_at_once_and_told_since_a_day(asker: Asker, project: Project) -> None:
    before = datetime.now(UTC)
    asked_before = asker.ask("/projects/News/concepts").json
    node_id = asked_before["concepts"][0]["id"]
    project.record(RenameTopic(node_id, "State affairs"), author="Ada", why="as readers say it")
    project.record(EditDefinition(node_id, "What governments do."), author="Ben")
    project.record(AddTopic(ROOT_ID, TopicNode("t-draft", "Unjudged")), author="Ben")
    project.record(SetStatus("t-draft", "proposed"), author="Ben")
    now = asker.ask("/projects/News/concepts").json
    assert names(now)[0] == "State affairs"
    assert "Unjudged" not in names(now)
    assert asker.ask("/projects/News/concepts/t-draft").status == 404
    found = asker.ask(f"/projects/News/changes?since={before.isoformat().replace('+00:00', 'Z')}").json
    fits(asker, "/projects/{project}/changes", "get", found)
    assert [(each["author"], each["kind"]) for each in found["decisions"]][:1] == [("Ada", "rename_topic")]
    assert [each["new_label"] for each in found["difference"]["renamed"]] == ["State affairs"]
    assert found["decisions_now"] == project.sequence
    tomorrow = (before + timedelta(days=1)).date().isoformat()
    assert asker.ask(f"/projects/News/changes?since={tomorrow}").json["decisions"] == []
    project.undo(4, author="Ada")
    assert names(asker.ask("/projects/News/concepts").json) == names(asked_before)


def test_a_release_stays_as_it_was_frozen(asker: Asker, project: Project) -> None:
    frozen = asker.ask("/projects/News/concepts").json
    project.freeze_release("first edition", author="Ada")
    project.record(RenameTopic(frozen["concepts"][0]["id"], "Something else"), author="Ada")
    assert names(asker.ask("/projects/News/concepts?release=first%20edition").json) == names(frozen)
    assert names(asker.ask("/projects/News/concepts").json) != names(frozen)
    assert asker.ask("/projects/News/concepts?release=none").status == 404
    tagged = asker.ask("/projects/News/tag?release=first%20edition", {"texts": TEXTS}).json
    assert tagged["tagger"]["release"] == "first edition"
    project.undo(1, author="Ada")


def test_texts_get_the_tags_that_the_project_gives_them_and_are_not_kept(asker: Asker, project: Project) -> None:
    wanted = {"texts": [TEXTS[0], {"id": "b", "title": "Sport", "text": TEXTS[1]}, TEXTS[2]], "terms": 3, "least": 0.2}
    n_documents = project.corpus().n_documents
    tagged = asker.ask("/projects/News/tag", wanted).json
    fits(asker, "/projects/{project}/tag", "post", tagged)
    direct = project_tagger(project).tag([TEXTS[0]], least=0.2, n_terms=3)[0]
    assert tagged["texts"][0]["topics"] == [
        {"id": tag.node_id, "path": list(tag.path), "probability": tag.probability, "terms": list(tag.terms)}
        for tag in direct.topics
    ]
    assert [each["id"] for each in tagged["texts"]] == ["0", "b", "2"]
    assert tagged["texts"][0]["topics"][0]["path"][0] == "Politics"
    assert tagged["texts"][1]["topics"][0]["path"][0] == "Sport"
    assert project.corpus().n_documents == n_documents


@pytest.mark.parametrize(
    ("path", "sent", "status", "words"),
    [
        ("/projects/None/concepts", None, 404, "no project 'None'"),
        ("/projects/..%2Fx/concepts", None, 404, "nothing at this address"),
        ("/projects/News/concepts/nothing", None, 404, "no topic"),
        ("/projects/News/concepts?limit=0", None, 400, "between 1 and 1000"),
        ("/projects/News/concepts?limit=many", None, 400, "whole number"),
        ("/projects/News/changes", None, 400, "since is missing"),
        ("/projects/News/changes?since=yesterday", None, 400, "2026-11-18"),
        ("/nowhere", None, 404, "openapi.json"),
        ("/projects/News/concepts", {}, 405, "not asked in this way"),
        ("/projects/News/tag", b"\xff\x00", 400, "no JSON"),
        ("/projects/News/tag", b"[" * 100_000, 400, "no JSON"),
        ("/projects/News/tag", [], 400, "JSON object"),
        ("/projects/News/tag", {"texts": []}, 400, "Send the texts"),
        ("/projects/News/tag", {"texts": [1]}, 400, "texts[0]"),
        ("/projects/News/tag", {"texts": [{"id": 5, "text": "a"}]}, 400, "texts[0].id"),
        ("/projects/News/tag", {"texts": ["a"], "least": 0}, 400, "least"),
        ("/projects/News/tag", {"texts": ["a"], "terms": True}, 400, "terms"),
        ("/projects/News/tag", {"texts": ["a"] * (Limits().texts + 1)}, 413, "at most 1,000"),
        ("/projects/News/tag", b'{"texts": ["' + b"a" * Limits().body_bytes + b'"]}', 413, "bytes"),
    ],
)
def test_what_is_wrong_is_told_in_words(asker: Asker, path: str, sent: Any, status: int, words: str) -> None:
    refused = asker.ask(path, sent)
    assert refused.status == status
    assert words in refused.json["error"]
    assert "/home" not in refused.body.decode().replace("/homes", "")


def test_a_body_of_unsaid_length_is_cut_off_at_the_limit(asker: Asker) -> None:
    def endless() -> Any:
        while True:
            yield b"a" * 100_000

    headers = {"Authorization": "Bearer a-token-for-these-tests-alone", "Transfer-Encoding": "chunked"}
    with closing(http.client.HTTPConnection("127.0.0.1", asker.port, timeout=60)) as connection:
        connection.putrequest("POST", "/api/v1/projects/News/tag")
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        try:
            for n_sent, part in enumerate(endless()):
                connection.send(b"%x\r\n%s\r\n" % (len(part), part))
                assert n_sent < 1000
        except OSError:
            return
        assert connection.getresponse().status == 413


def test_who_asks_too_often_is_told_when_to_come_back(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    process, asker = started(tmp_path / "home", tmp_path / "log", "--per-minute=3")
    try:
        found = [asker.ask("/projects") for _ in range(5)]
        assert [each.status for each in found][:3] == [200, 200, 200]
        assert found[-1].status == 429
        assert 1 <= int(found[-1].headers["retry-after"]) <= 60
        strangers = [asker.ask("/projects", token="guess").status for _ in range(5)]
        assert strangers[0] == 401
        assert strangers[-1] == 429
    finally:
        process.terminate()
        process.wait(60)


def test_a_minute_gives_as_many_requests_again() -> None:
    now = [0.0]
    rate = Rate(6, clock=lambda: now[0])
    for _ in range(6):
        rate.take("a")
    with pytest.raises(RefusalError, match="in 10 s"):
        rate.take("a")
    rate.take("b")
    now[0] = 10.0
    rate.take("a")
    with pytest.raises(RefusalError):
        rate.take("a")


def test_the_page_describes_every_address_and_fetches_nothing(asker: Asker) -> None:
    page = asker.ask("/", token="")
    assert page.status == 200
    text = page.body.decode()
    assert not re.search(r"<(script|link|img|iframe)|url\(|@import", text)
    assert not re.search(r"https?://", text.replace("https://example.org/taxonomy/", ""))
    for path in asker.ask("/openapi.json", token="").json["paths"]:
        assert f"<code>{path}</code>" in text


def test_other_machines_are_not_answered_unless_the_admin_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path))
    monkeypatch.delenv("TAXOCOM_OPEN", raising=False)
    with pytest.raises(SettingsError, match="not encrypted"):
        serve("0.0.0.0", 1, "x" * 20, Limits())


def test_one_is_tagged_at_a_time_and_who_is_too_many_in_line_is_sent_away() -> None:
    async def crowd() -> None:
        line, done, leave = Line(2), [], asyncio.Event()

        async def one() -> str:
            try:
                async with line:
                    await leave.wait()
                    done.append(1)
                    return "tagged"
            except RefusalError as error:
                return str(error.status)

        tasks = [asyncio.create_task(one()) for _ in range(5)]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        leave.set()
        assert sorted(await asyncio.gather(*tasks)) == ["503", "503", "tagged", "tagged", "tagged"]
        assert await one() == "tagged"

    run_apart(crowd())
