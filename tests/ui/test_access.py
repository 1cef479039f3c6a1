"""Only pages that the app served, under names that it goes by, may talk to it; a running server is asked."""

from __future__ import annotations

import base64
import http.client
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit import config
from streamlit.testing.v1 import AppTest

from taxocom.errors import InputError
from taxocom.store import create_project
from taxocom.ui import access
from tests.browser.serving import Server, free_port

APP = str(Path(__file__).parents[2] / "app.py")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("guarded")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(access.HOSTS, "topics.example.org, *.lab.example")
        running = Server(folder / "home", free_port(), folder / "server.log")
        running.start()
    yield running
    running.stop()


def asked(server: Server, host: str, path: str = "/", method: str = "GET", **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.putrequest(method, path, skip_host=True)
    for name, value in {"Host": host, **headers}.items():
        connection.putheader(name, value)
    connection.endheaders()
    return connection.getresponse()


def websocket_status(server: Server, host: str, origin: str | None) -> int:
    """Open the websocket by hand, since no client would let us lie about the host."""
    lines = [
        "GET /_stcore/stream HTTP/1.1",
        f"Host: {host}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Key: {base64.b64encode(b'0123456789abcdef').decode()}",
        *([f"Origin: {origin}"] if origin else []),
    ]
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as plain:
        plain.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        return int(plain.recv(64).split()[1])


def own(server: Server, name: str = "127.0.0.1") -> str:
    return f"{name}:{server.port}"


def test_pages_are_served_under_our_own_names_only(server: Server):
    for name in ("127.0.0.1", "localhost", "[::1]", "topics.example.org", "a.lab.example", "LocalHost"):
        assert asked(server, own(server, name)).status == 200, name
    for name in ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "lab.example", "127.0.0.2", ""):
        assert asked(server, own(server, name)).status == 421, name
    for odd in ("127.0.0.1@evil.example", "localhost:http", "localhost/x"):
        assert asked(server, odd).status == 421, odd


def test_a_websocket_is_opened_by_our_own_pages_only(server: Server):
    ours = own(server)
    assert websocket_status(server, ours, f"http://{ours}") == 101
    assert websocket_status(server, "topics.example.org", "https://topics.example.org") == 101
    assert websocket_status(server, ours, None) == 101
    # A name that an attacker points at this machine: Origin and Host agree, and are foreign.
    assert websocket_status(server, "evil.example", "http://evil.example") == 403
    assert websocket_status(server, ours, "http://evil.example") == 403
    assert websocket_status(server, ours, "null") == 403
    assert websocket_status(server, ours, "https://topics.example.org") == 403
    # Another app on this machine.
    assert websocket_status(server, ours, "http://127.0.0.1:1") == 403


def test_a_foreign_page_can_send_nothing(server: Server):
    ours = own(server)
    path = "/_stcore/upload_file/session/file"
    assert asked(server, ours, path, "PUT", Origin="http://evil.example").status == 403
    assert asked(server, ours, path, "DELETE", Origin="null").status == 403


def test_no_foreign_page_may_frame_or_script_the_app(server: Server):
    for path in ("/", "/expand", "/_stcore/health"):
        answer = asked(server, own(server), path)
        policy = answer.headers["content-security-policy"]
        assert "frame-ancestors 'self'" in policy
        assert "default-src 'self'" in policy
        assert "'unsafe-eval'" not in policy.replace("'wasm-unsafe-eval'", "")
        assert answer.headers["x-frame-options"] == "SAMEORIGIN"
        assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("taxocom.ui.bootstrap._prepare", lambda: None)
    return AppTest.from_file(APP, default_timeout=60).switch_page("pages/corpus.py")


def offers_paths(app: AppTest) -> bool:
    app.run()
    assert not app.exception
    return any(field.key == "new-path" for field in app.text_input)


def test_a_path_of_this_machine_can_be_given_by_the_person_at_it_only(app: AppTest, monkeypatch: pytest.MonkeyPatch):
    assert offers_paths(app)
    monkeypatch.setenv(access.HOSTS, "topics.example.org")
    assert not offers_paths(app)
    monkeypatch.delenv(access.HOSTS)
    before = config.get_option("server.address")
    config.set_option("server.address", "0.0.0.0")
    try:
        assert not offers_paths(app)
    finally:
        config.set_option("server.address", before)


def test_a_restored_project_cannot_have_a_file_of_the_server_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path))
    monkeypatch.setenv(access.HOSTS, "topics.example.org")
    with create_project("Restored") as project:
        kept = project.artifact_path(project.put_bytes(b"a text", "upload").name)
        access.refuse_foreign_path(project, str(kept))
        for path in ("/etc/passwd", f"{kept.parent}/../../other/secret", ""):
            with pytest.raises(InputError, match="Upload them again"):
                access.refuse_foreign_path(project, path)


def test_an_address_cannot_name_a_project_elsewhere_on_the_disk(app: AppTest, tmp_path: Path):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAXOCOM_HOME", str(tmp_path / "other"))
        with create_project("Theirs") as theirs:
            path = theirs.path
    for address in (str(path), f"../../other/projects/{path.name}"):
        app.query_params["project"] = address
        app.run()
        assert "There is no project" in app.error[0].value
