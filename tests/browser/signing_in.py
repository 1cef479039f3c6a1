"""An app that asks people to sign in, beside a real provider of sign-in on this machine."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.browser.serving import Server, free_port

_SECRETS = """
[auth]
redirect_uri = "{app}/oauth2callback"
cookie_secret = "a secret of this test and of nothing else"
client_id = "taxocom"
client_secret = "another one"
server_metadata_url = "{provider}/.well-known/openid-configuration"
[taxocom]
hours = {hours}
role_claim = "groups"
roles = {{ editors = "curator", staff = "viewer" }}
"""


class Asking(Server):
    """An app that asks people to sign in."""

    provider: str = ""

    @property
    def secrets(self) -> Path:
        return self.log.with_name("secrets.toml")

    def let_sign_ins_last(self, hours: float) -> None:
        self.secrets.write_text(_SECRETS.format(app=self.address, provider=self.provider, hours=hours))


@contextmanager
def asking_app(home: Path, folder: Path) -> Iterator[Asking]:
    """Start a provider and an app that trusts it; logs and secrets go to a folder."""
    port = free_port()
    with (folder / "provider.log").open("wb") as log:
        command = [sys.executable, "-m", "oidc_provider_mock", "--port", str(port)]
        provider = subprocess.Popen(command, stdout=log, stderr=log)
    running = Asking(home, free_port(), folder / "server.log")
    running.options = (f"--secrets.files={running.secrets}",)
    running.provider = f"http://127.0.0.1:{port}"
    running.let_sign_ins_last(12)
    try:
        running.start()
        yield running
    finally:
        running.stop()
        provider.terminate()
        provider.wait(20)
