"""The app as `deploy/nginx.conf` serves it: TLS, sign-in and websockets, with Debian's nginx and a real browser."""

from __future__ import annotations

import http.client
import os
import ssl
import subprocess
import time
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from taxocom.serving import guard
from tests.browser.conftest import Watch
from tests.browser.serving import ROOT, Answer, Server, answer, free_port
from tests.browser.test_story import SEED, corpus_file

# Browsers find every name under localhost on this machine.
NAME = "topics.localhost"
USER, PASSWORD = "ada", "lovelace"

# What Debian's own nginx.conf does around a site, in a place of the test's.
AROUND = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
{user}
events {{ }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/site.conf;
}}
"""


@dataclass(frozen=True)
class Proxy:
    """nginx on free ports of this machine, with the app behind it."""

    app: Server
    port: int
    plain_port: int
    folder: Path

    @property
    def address(self) -> str:
        return f"https://{NAME}:{self.port}"

    def write_configuration(self) -> None:
        """Write the configuration that we hand out, with the places of this test in it and nothing else changed."""
        places = {
            "listen [::]:80;": "",
            "listen [::]:443 ssl http2;": "",
            "listen 80;": f"listen 127.0.0.1:{self.plain_port};",
            "listen 443 ssl http2;": f"listen 127.0.0.1:{self.port} ssl http2;",
            "topics.example.org": NAME,
            "127.0.0.1:8501": f"127.0.0.1:{self.app.port}",
            "/etc/ssl/taxocom": str(self.folder),
            "/etc/nginx/taxocom.htpasswd": str(self.folder / "htpasswd"),
        }
        site = (ROOT / "deploy" / "nginx.conf").read_text()
        for published, here in places.items():
            assert published in site, published
            site = site.replace(published, here)
        (self.folder / "site.conf").write_text(site)
        user = "user root;" if os.getuid() == 0 else ""
        (self.folder / "nginx.conf").write_text(AROUND.format(folder=self.folder, user=user))

    def certify(self) -> None:
        names = ["-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME},IP:127.0.0.1"]
        key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        files = ["-keyout", str(self.folder / "privkey.pem"), "-out", str(self.folder / "fullchain.pem")]
        subprocess.run(["openssl", "req", "-x509", "-days", "2", *key, *names, *files], check=True, capture_output=True)
        made = subprocess.run(["openssl", "passwd", "-6", PASSWORD], check=True, capture_output=True, text=True)
        (self.folder / "htpasswd").write_text(f"{USER}:{made.stdout}")

    def asked(self, path: str, *, host: str | None = None, signed_in: bool = True, **headers: str) -> Answer:
        """Ask over TLS, with the certificate checked; by number, since not every system knows names under localhost."""
        trusted = ssl.create_default_context(cafile=str(self.folder / "fullchain.pem"))
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=30, context=trusted)
        if signed_in:
            headers["Authorization"] = "Basic " + b64encode(f"{USER}:{PASSWORD}".encode()).decode()
        return answer(connection, path, host or f"{NAME}:{self.port}", **headers)


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    folder = tmp_path_factory.mktemp("nginx")
    app = Server(folder / "home", free_port(), folder / "server.log", environment={guard.HOSTS: NAME})
    made = Proxy(app, free_port(), free_port(), folder)
    made.certify()
    made.write_configuration()
    app.start()
    command = ["/usr/sbin/nginx", "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")]
    nginx = subprocess.Popen(command)
    try:
        _wait_until_it_answers(made, nginx)
        yield made
    finally:
        nginx.terminate()
        nginx.wait(20)
        app.stop()


def _wait_until_it_answers(proxy: Proxy, nginx: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            if proxy.asked("/healthz", signed_in=False).status == 200:
                return
        except OSError:
            pass
        assert nginx.poll() is None, (proxy.folder / "error.log").read_text()
        assert time.monotonic() < deadline, (proxy.folder / "error.log").read_text()
        time.sleep(0.1)


@pytest.fixture
def signed_in(chromium: Browser, proxy: Proxy) -> Iterator[Page]:
    """A page of somebody who knows the password; the certificate is our own."""
    context = chromium.new_context(
        ignore_https_errors=True,
        http_credentials={"username": USER, "password": PASSWORD},
        viewport={"width": 1280, "height": 800},
    )
    context.add_cookies([{"name": "taxocom_curator", "value": "Ada", "url": proxy.address}])
    context.set_default_timeout(40_000)
    watch = Watch(host=NAME)
    page = context.new_page()
    watch.over(page)
    yield page
    context.close()
    assert not watch.troubles, "\n".join(watch.troubles)


def test_what_comes_unencrypted_is_sent_to_tls(proxy: Proxy):
    connection = http.client.HTTPConnection("127.0.0.1", proxy.plain_port, timeout=20)
    sent = answer(connection, "/review?project=x", NAME)
    assert (sent.status, sent.headers["location"]) == (308, f"https://{NAME}/review?project=x")


def test_nobody_gets_in_without_the_password(proxy: Proxy):
    for path in ("/", "/review", "/_stcore/stream", "/_stcore/health", "/_stcore/upload_file/a/b"):
        assert proxy.asked(path, signed_in=False).status == 401, path
    assert proxy.asked("/").status == 200
    assert proxy.asked("/healthz", signed_in=False).body == b"ok"
    assert proxy.asked("/readyz", signed_in=False).status == 200


def test_the_guard_of_the_app_works_through_the_proxy(proxy: Proxy):
    page = proxy.asked("/")
    assert "frame-ancestors 'self'" in page.headers["content-security-policy"]
    assert page.headers["strict-transport-security"] == "max-age=63072000"
    assert proxy.asked("/", host="evil.example").status == 421
    handshake = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": b64encode(b"0123456789abcdef").decode(),
    }
    assert proxy.asked("/_stcore/stream", Origin=proxy.address, **handshake).status == 101
    assert proxy.asked("/_stcore/stream", Origin="https://evil.example", **handshake).status == 403


@pytest.mark.slow
def test_a_project_is_made_and_followed_through_the_proxy(proxy: Proxy, signed_in: Page, tmp_path: Path):
    page = signed_in
    sockets: list[str] = []
    page.on("websocket", lambda socket: sockets.append(socket.url.partition("?")[0]))
    page.goto(proxy.address)
    page.get_by_role("button", name="New project").click()
    # Somebody behind a proxy has no paths on this machine to give.
    expect(page.locator("input[type=file]").first).to_be_attached()
    expect(page.get_by_text("A path on this machine")).to_have_count(0)
    page.get_by_label("Name", exact=True).fill("Through the proxy")
    page.keyboard.press("Tab")
    page.get_by_label("One topic per line").fill(SEED)
    page.keyboard.press("Tab")
    expect(page.get_by_text("4 topics read.")).to_be_visible()
    page.locator("input[type=file]").first.set_input_files(corpus_file(tmp_path))
    expect(page.get_by_text("Still missing")).to_have_count(0)
    page.get_by_role("button", name="Create the project").click()
    # The worker's progress and its end come over the websocket; nobody clicks or reloads.
    expect(page.get_by_text("4 of 4 topics occur in the corpus.")).to_be_visible(timeout=120_000)
    assert set(sockets) == {f"wss://{NAME}:{proxy.port}/_stcore/stream"}
