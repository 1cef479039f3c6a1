"""Only pages that the app served, under names that it goes by, may talk to it; a running server is asked."""

from __future__ import annotations

import base64
import http.client
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from taxocom.errors import InputError
from taxocom.serving import guard
from taxocom.store import create_project
from taxocom.ui.runtime import access
from tests.browser.serving import Answer, Server, answer, free_port
from tests.ui.loops import run_apart

APP = str(Path(__file__).parents[2] / "app.py")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("guarded")
    hosts = {guard.HOSTS: "topics.example.org, *.lab.example"}
    running = Server(folder / "home", free_port(), folder / "server.log", environment=hosts)
    running.start()
    yield running
    running.stop()


def asked(server: Server, host: str, path: str = "/", method: str = "GET", **headers: str) -> Answer:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    return answer(connection, path, host, method, **headers)


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
        page = asked(server, own(server), path)
        policy = page.headers["content-security-policy"]
        assert "frame-ancestors 'self'" in policy
        assert "default-src 'self'" in policy
        assert "'unsafe-eval'" not in policy.replace("'wasm-unsafe-eval'", "")
        assert page.headers["x-frame-options"] == "SAMEORIGIN"
        assert page.headers["x-content-type-options"] == "nosniff"


def everywhere(folder: Path, **environment: str) -> Server:
    """A server that answers other machines too, if it answers at all."""
    options = ("--server.address=0.0.0.0",)
    return Server(folder / "home", free_port(), folder / "server.log", options=options, environment=environment)


def test_an_app_that_other_machines_could_reach_does_not_start_unless_told_so(tmp_path: Path):
    for nearly in ("", "yes"):
        server = everywhere(tmp_path, **{guard.OPEN: nearly})
        assert server.launch().wait(60) == 1
        said = server.log.read_text()
        assert "was not started: it would answer on 0.0.0.0" in said
        assert "set TAXOCOM_OPEN=i-know" in said
        assert "Traceback" not in said
        server.log.unlink()


def test_an_app_that_may_be_open_answers_under_its_names_only_and_asks_nobody_for_its_address(tmp_path: Path):
    server = everywhere(tmp_path, **{guard.OPEN: guard.YES})
    server.start()
    try:
        assert asked(server, own(server)).status == 200
        assert asked(server, own(server, "evil.example")).status == 421
        assert websocket_status(server, own(server), "http://evil.example") == 403
        assert "Network URL" not in server.log.read_text()
    finally:
        server.stop()


async def answer_to(address: str) -> int:
    """Ask the guard as a connection that came in by an address of this machine; return the status."""
    sent: list[guard.Message] = []

    async def send(message: guard.Message) -> None:
        sent.append(message)

    async def nothing(*_: object) -> guard.Message:
        await send({"type": "http.response.start", "status": 200})
        return {}

    headers = [(b"host", b"localhost")]
    scope = {"type": "http", "method": "GET", "headers": headers, "server": (address, 8501)}
    await guard.Guard(nothing)(scope, nothing, send)
    return int(sent[0]["status"])


def test_where_a_connection_came_in_counts_and_not_what_the_settings_say(monkeypatch: pytest.MonkeyPatch):
    for near in ("127.0.0.1", "127.0.0.53", "::1", "::ffff:127.0.0.1"):
        assert run_apart(answer_to(near)) == 200, near
    for far in ("192.0.2.1", "::ffff:192.0.2.1", "fe80::1", "/run/app.socket"):
        assert run_apart(answer_to(far)) == 403, far
    monkeypatch.setenv(guard.OPEN, guard.YES)
    assert run_apart(answer_to("192.0.2.1")) == 200


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("taxocom.ui.shared.bootstrap._prepare", lambda: None)
    return AppTest.from_file(APP, default_timeout=120).switch_page("pages/corpus.py")


def offers_paths(app: AppTest) -> bool:
    app.run()
    assert not app.exception
    return any(field.key == "new-path" for field in app.text_input)


def test_a_path_of_this_machine_can_be_given_by_the_person_at_it_only(app: AppTest, monkeypatch: pytest.MonkeyPatch):
    assert offers_paths(app)
    monkeypatch.setenv(guard.HOSTS, "topics.example.org")
    assert not offers_paths(app)
    monkeypatch.delenv(guard.HOSTS)
    monkeypatch.setenv(guard.OPEN, guard.YES)
    assert not offers_paths(app)


def test_others_can_read_inside_the_folders_that_an_admin_names(
    app: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder, secret = tmp_path / "texts", tmp_path / "secret.csv"
    for place in (folder / "linked", tmp_path / "texts-of-others"):
        place.mkdir(parents=True)
    for file in (folder / "articles.csv", secret, tmp_path / "texts-of-others" / "a.csv"):
        file.write_text("id,text\n1,the tide turned at noon\n")
    (folder / "link.csv").symlink_to(secret)
    (folder / "linked" / "link.txt").symlink_to(secret)
    monkeypatch.setenv(guard.HOSTS, "topics.example.org")
    monkeypatch.setenv(access.PATHS, f"{folder}:{tmp_path / 'missing'}")
    assert offers_paths(app)

    def shown(path: object) -> bool:
        app.text_input(key="new-path").set_value(str(path)).run()
        assert not app.exception
        refused = any(f"only files inside {folder}" in message.value.replace("\\", "") for message in app.error)
        assert refused != bool(app.dataframe)
        return not refused

    assert shown(folder / "articles.csv")
    assert shown(folder / "linked" / ".." / "articles.csv")
    for outside in (
        secret,
        "/etc/passwd",
        folder / ".." / "secret.csv",
        folder / "link.csv",
        folder / "linked",
        tmp_path / "texts-of-others" / "a.csv",
        "~root/.profile",
        "nul\0byte",
        "secret.csv",
    ):
        assert not shown(outside), outside


def test_a_restored_project_cannot_have_a_file_of_the_server_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path))
    monkeypatch.setenv(guard.HOSTS, "topics.example.org")
    with create_project("Restored") as project:
        kept = project.artifact_path(project.put_bytes(b"a text", "upload").name)
        access.refuse_foreign_path(project, str(kept))
        for path in ("/etc/passwd", f"{kept.parent}/../../other/secret", ""):
            with pytest.raises(InputError, match="Upload them again"):
                access.refuse_foreign_path(project, path)
        monkeypatch.setenv(access.PATHS, "/etc")
        access.refuse_foreign_path(project, "/etc/passwd")


def test_an_address_cannot_name_a_project_elsewhere_on_the_disk(app: AppTest, tmp_path: Path):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAXOCOM_HOME", str(tmp_path / "other"))
        with create_project("Theirs") as theirs:
            path = theirs.path
    for address in (str(path), f"../../other/projects/{path.name}"):
        app.query_params["project"] = address
        app.run()
        assert "There is no project" in app.error[0].value
