"""No small file takes a reader's time or memory: each is read in a process of its own, watched from outside."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.interchange.bombs import BUNDLES, CORPORA, SEEDS

ROOT = Path(__file__).parents[2]
MOST_MEMORY = 2**30
_READ = """
import contextlib, sys
from pathlib import Path
from taxocom.errors import InputError
from taxocom.interchange import read_seed, replay_bundle
from taxocom.text.loading import read_documents
kind, path = sys.argv[1:]
with contextlib.suppress(InputError):
    if kind == "corpus":
        for _ in read_documents(path):
            pass
    elif kind == "bundle":
        replay_bundle(Path(path).read_bytes())
    else:
        read_seed(Path(path).read_bytes(), kind)
print(*(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""
BOMBS = [
    *((kind, make) for kind, makers in SEEDS.items() for make in makers),
    *(("corpus", make) for make in CORPORA),
    *(("bundle", make) for make in BUNDLES),
]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "make"), BOMBS, ids=[make.__name__ for _, make in BOMBS])
def test_a_small_file_takes_neither_time_nor_memory(kind: str, make: Callable[[], bytes], tmp_path: Path):
    file = tmp_path / "file"
    file.write_bytes(make())
    command = [sys.executable, "-c", _READ, kind, str(file)]
    read = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert read.returncode == 0, read.stderr[-500:]
    assert int(read.stdout) * 1024 < MOST_MEMORY
