from __future__ import annotations

import subprocess
import sys

HEAVY = ("alembic", "numba", "numpy", "pandas", "pyarrow", "scipy", "sklearn", "streamlit")


def test_the_command_line_can_import_store_and_jobs_without_anything_heavy() -> None:
    code = f"import sys, taxocom.store, taxocom.jobs; print([name for name in {HEAVY} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
