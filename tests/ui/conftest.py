"""Pages in these tests are run once and looked at, so they wait for what they think about."""

import pytest

from taxocom.ui.shared import thinking


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thinking, "PATIENCE", 60.0)
