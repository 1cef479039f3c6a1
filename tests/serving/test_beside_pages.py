"""The interface is off until somebody asks for it, answers on the port of the app, and its token is private."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from taxocom.errors import SettingsError
from taxocom.serving.beside_pages import routes_beside_pages
from taxocom.store.homes.api_token import SETTING, api_token, token_place
from tests.browser.serving import Server, free_port
from tests.serving.conftest import Asker


def test_the_app_answers_programs_on_its_own_port_once_it_is_asked_to(served_home: Path, tmp_path: Path) -> None:
    running = Server(served_home, free_port(), tmp_path / "log", environment={"TAXOCOM_API": "on", SETTING: ""})
    running.start()
    try:
        asker, token = Asker(running.port), (served_home / "api-token").read_text().strip()
        assert asker.ask("/projects", token=token).json["projects"][0]["name"] == "News"
        assert asker.ask("/projects").status == 401
        assert asker.ask("/projects", token=token, host="evil.example").status == 421
        assert b"HTTP interface" in asker.ask("/", token="").body
        assert Asker(running.port, prefix="").ask("/healthz", token="").body == b"ok"
    finally:
        running.stop()


def test_it_is_off_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    for said in ("", "off", "no", "1"):
        monkeypatch.setenv("TAXOCOM_API", said)
        assert routes_beside_pages() == []


def test_a_token_is_made_once_for_its_owner_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path / "home"))
    monkeypatch.delenv(SETTING, raising=False)
    first = api_token()
    assert api_token() == first
    assert len(first) > 40
    assert token_place().stat().st_mode & 0o777 == 0o600
    assert api_token(fresh=True) != first
    monkeypatch.setenv(SETTING, json.dumps("short"))
    with pytest.raises(SettingsError, match="20 or more"):
        api_token()
