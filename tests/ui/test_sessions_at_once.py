"""Several sessions start at once: each compiles its page and opens its arrays while the others do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
_AT_ONCE = """
import sys, threading, time
from pathlib import Path
import numpy as np
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from taxocom.text.mapping import map_array

folder, errors = Path(sys.argv[1]), []
np.save(folder / "a.npy", np.zeros((3, 4)))
pages = [str(page) for page in Path("pages").glob("*.py")] + ["taxocom/ui/expand/workbench.py"]
sys.setswitchinterval(1e-6)


class Left:
    # Whatever is collected while another thread parses lets this one run.
    def __init__(self):
        self.me = self

    def __del__(self):
        sum(range(50))


def session():
    until = time.monotonic() + 4
    while time.monotonic() < until and not errors:
        junk = [Left() for _ in range(20)]
        try:
            # A cache of its own, because that of a server compiles each page once.
            for page in pages:
                ScriptCache().get_bytecode(page)
            for _ in range(50):
                map_array(folder / "a.npy")
        except SystemError as error:
            errors.append(error)


threads = [threading.Thread(target=session) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
sys.exit(str(errors[0]) if errors else 0)
"""


def test_pages_are_compiled_and_arrays_opened_at_once(tmp_path: Path):
    command = [sys.executable, "-c", _AT_ONCE, str(tmp_path)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr[-500:]
