from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from taxocom.interchange import export
from tests.interchange.pages import Page
from tests.interchange.samples import CONTEXT, TREE

CHROMIUM = "/usr/bin/chromium"
OFFLINE = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--host-resolver-rules=MAP * ~NOTFOUND")


def opened(path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    profile = path.parent / "profile"
    command = [CHROMIUM, *OFFLINE, f"--user-data-dir={profile}", "--enable-logging=stderr", *options, path.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)


@pytest.mark.browser
def test_the_report_opens_from_disk_without_a_network_and_shows_everything(tmp_path):
    path = tmp_path / "report.html"
    path.write_bytes(export(TREE, "html", CONTEXT))
    result = opened(path, "--dump-dom")
    shown = Page(result.stdout).text
    for said in ("Film & <arts>", "Map of the terms", "The <b>movie</b> had one actor.", "Renamed 'man' to", "Soccer"):
        assert said in shown
    # A style sheet that its own policy refused would be reported here.
    assert "Content Security Policy" not in result.stderr
    picture = tmp_path / "report.png"
    opened(path, f"--screenshot={picture}", "--window-size=1100,2000")
    assert picture.stat().st_size > 20_000


@pytest.mark.browser
def test_a_script_that_got_into_the_page_would_not_run(tmp_path):
    path = tmp_path / "report.html"
    broken = export(TREE, "html", CONTEXT).replace(b"</body>", b"<script>document.title='ran'</script></body>")
    path.write_bytes(broken)
    result = opened(path, "--dump-dom")
    assert "<title>News</title>" in result.stdout
    assert "Content Security Policy" in result.stderr
