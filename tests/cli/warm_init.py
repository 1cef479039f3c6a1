"""Imported by a fork server, so that its children have all that an init needs loaded, compiled code included."""

import tempfile
from pathlib import Path

from taxocom.cli import main

with tempfile.TemporaryDirectory() as folder:
    place = Path(folder)
    (place / "corpus.jsonl").write_text("".join(f'{{"text": "the goal in match {i}"}}\n' for i in range(20)))
    (place / "seed.txt").write_text("goal\n")
    sources = ["--corpus", str(place / "corpus.jsonl"), "--seed", str(place / "seed.txt")]
    main(["--home", str(place / "home"), "init", "warm", *sources, "--quiet"], standalone_mode=False)
