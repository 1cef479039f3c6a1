"""What we hand out for servers keeps its promises: no root, no secret, not open by itself, and one limit everywhere."""

from __future__ import annotations

import configparser
import fnmatch
import re
import tomllib
from pathlib import Path

from taxocom.serving import guard

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
SECRET = re.compile(r"(?i)passw|secret|token|api_?key|private_key")


def instructions() -> list[tuple[str, str]]:
    text = re.sub(r"(?m)^\s*#.*\n", "", (DEPLOY / "Dockerfile").read_text()).replace("\\\n", " ")
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in text.splitlines() if line.strip())]


def unit() -> configparser.RawConfigParser:
    found = configparser.RawConfigParser(strict=False)
    found.optionxform = str  # type: ignore[assignment,method-assign]
    found.read(DEPLOY / "taxocom.service")
    return found


def test_the_image_runs_as_nobody_in_particular_and_is_not_open_by_itself() -> None:
    last_stage = instructions()[max(i for i, (word, _) in enumerate(instructions()) if word == "FROM") :]
    words = dict(last_stage)
    assert int(words["USER"]) >= 1000
    assert "/healthz" in words["HEALTHCHECK"]
    assert not any(guard.OPEN in rest or SECRET.search(rest) for _, rest in instructions())
    assert any("--require-hashes" in rest for word, rest in instructions() if word == "RUN")


def test_the_image_gets_what_the_app_needs_and_nothing_else() -> None:
    copied = [
        name for word, rest in instructions() if word == "COPY" and "--from" not in rest for name in rest.split()[:-1]
    ]
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    allowed = [line[1:].split("/")[0] for line in ignored if line.startswith("!")]
    assert sorted(copied) == sorted(allowed)
    assert all((ROOT / name).exists() for name in copied)
    assert not any(fnmatch.fnmatch(name, "test*") for name in copied)


def test_the_service_is_no_root_and_answers_loopback_only() -> None:
    service = unit()["Service"]
    assert service["User"] not in ("", "root", "0")
    assert "--server.address=127.0.0.1" in service["ExecStart"]
    assert guard.OPEN not in (DEPLOY / "taxocom.service").read_text()
    assert service["IPAddressDeny"] == "any"
    assert service["UMask"] == "0077"


def test_nginx_takes_uploads_as_large_as_the_app_does() -> None:
    limit = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["server"]["maxUploadSize"]
    assert f"client_max_body_size {limit}m;" in (DEPLOY / "nginx.conf").read_text()


def test_every_setting_of_a_server_is_listed() -> None:
    cells = re.findall(r"(?m)^\| (`TAXOCOM_[^|]+) \|", (DEPLOY / "README.md").read_text())
    listed = {name for cell in cells for name in re.findall(r"`(TAXOCOM_\w+)`", cell)}
    source = "\n".join(path.read_text() for path in (ROOT / "taxocom").rglob("*.py"))
    # Those of the command line and of developers are told where they are used.
    used = set(re.findall(r"TAXOCOM_[A-Z_]+\b", source)) - {"TAXOCOM_AUTHOR", "TAXOCOM_SQL", "TAXOCOM_TASKS"}
    assert listed == used
