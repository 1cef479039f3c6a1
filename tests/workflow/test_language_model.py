"""A language model on loopback suggests a name and a sentence; whatever goes wrong leaves everything as it was."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from taxocom.errors import InputError
from taxocom.workflow import language_model as module
from taxocom.workflow.language_model import LanguageModel, language_model
from tests.workflow.loopback_model import GOOD, Model, loopback_model

TERMS, SENTENCES = ["strike", "bus", "union"], ["Bus drivers went on strike."]


@pytest.fixture
def server() -> Iterator[Model]:
    with loopback_model() as running:
        yield running


def test_it_suggests_a_name_and_a_sentence_and_is_marked_with_its_source(server: Model) -> None:
    found = LanguageModel(server.url, "small", key="secret").suggest(TERMS, SENTENCES)
    assert (found.name, found.definition) == ("Bus strike", "The strike of bus drivers.")
    assert found.source == f"small at 127.0.0.1:{server.server_port}"
    path, headers, body = server.asked[0]
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == "Bearer secret"
    assert body["model"] == "small"
    assert json.loads(body["messages"][1]["content"]) == {"terms": TERMS, "sentences": SENTENCES}


def test_it_is_sent_what_the_setting_says_and_nothing_more(server: Model) -> None:
    LanguageModel(server.url, "small", sends="terms").suggest(TERMS, SENTENCES)
    _, headers, body = server.asked[0]
    assert json.loads(body["messages"][1]["content"]) == {"terms": TERMS}
    assert SENTENCES[0] not in json.dumps(body)
    assert "Authorization" not in headers


def test_an_answer_between_fences_is_understood(server: Model) -> None:
    server.content = f"Here it is:\n```json\n{GOOD}\n```"
    assert LanguageModel(server.url, "small").suggest(TERMS, []).name == "Bus strike"


@pytest.mark.parametrize(
    "content", ["I cannot help with that.", "{}", '{"name": "", "definition": "x"}', '{"name": 3, "definition": "x"}',
                '{"name": "' + "long " * 30 + '", "definition": "x"}', '{"name": "a\\u0007", "definition": "x"}'],
)  # fmt: skip
def test_nonsense_suggests_nothing(server: Model, content: str) -> None:
    server.content = content
    with pytest.raises(InputError, match="suggests nothing"):
        LanguageModel(server.url, "small").suggest(TERMS, SENTENCES)


def test_what_is_no_json_refusals_and_redirects_suggest_nothing(server: Model) -> None:
    model = LanguageModel(server.url, "small", key="secret")
    server.raw = b"<html>"
    with pytest.raises(InputError, match="makes no sense"):
        model.suggest(TERMS, SENTENCES)
    for status in (401, 429, 500, 302):
        server.status = status
        with pytest.raises(InputError, match=f"it refused \\({status}\\)"):
            model.suggest(TERMS, SENTENCES)
    assert {path for path, *_ in server.asked} == {"/v1/chat/completions"}, "the key went nowhere else"


def test_who_takes_too_long_or_is_not_there_suggests_nothing(server: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.2)
    server.waits.clear()
    with pytest.raises(InputError, match="took longer"):
        LanguageModel(server.url, "small").suggest(TERMS, SENTENCES)
    with pytest.raises(InputError, match="cannot be reached"):
        LanguageModel("http://127.0.0.1:9/v1", "small").suggest(TERMS, SENTENCES)


def test_it_is_off_unless_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("URL", "MODEL", "KEY", "SENDS"):
        monkeypatch.delenv(f"TAXOCOM_LLM_{name}", raising=False)
    assert language_model() is None
    monkeypatch.setenv("TAXOCOM_LLM_URL", "http://localhost:1/v1")
    with pytest.raises(InputError, match="TAXOCOM_LLM_MODEL is not"):
        language_model()
    monkeypatch.setenv("TAXOCOM_LLM_MODEL", "small")
    assert language_model() == LanguageModel("http://localhost:1/v1", "small")
    monkeypatch.setenv("TAXOCOM_LLM_SENDS", "all")
    with pytest.raises(InputError, match="sentences, terms"):
        language_model()
    monkeypatch.setenv("TAXOCOM_LLM_URL", "file:///etc/passwd")
    with pytest.raises(InputError, match="Give an address"):
        language_model()
