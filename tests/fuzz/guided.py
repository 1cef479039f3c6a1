"""Let coverage guide the spoiling: `python -m tests.fuzz.guided READER [SECONDS]`.

Needs `pip install atheris`, which has wheels for few platforms; so it is no requirement, and the seeded edits of
`tests.fuzz.mutation` do without. What it finds it leaves as a file beside it, `crash-…`, to become a sample.
"""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
from pathlib import Path
from random import Random

import atheris

with atheris.instrument_imports(include=["taxocom.text", "taxocom.interchange", "taxocom.taxonomy", "taxocom.store"]):
    from taxocom.errors import TaxocomError
    from tests.fuzz.mutation import LONGEST, several
    from tests.fuzz.readers import READERS


def main(name: str, seconds: int) -> None:
    """Feed a reader for so many seconds; an exception that is not ours ends the run with its input."""
    reader = READERS[name]
    folder = Path(tempfile.mkdtemp(prefix="taxocom-guided-"))
    corpus = folder / "corpus"
    corpus.mkdir()
    for number, data in enumerate(reader.files):
        (corpus / str(number)).write_bytes(data)

    def read(data: bytes) -> None:
        place = folder / "place"
        place.mkdir()
        try:
            with contextlib.suppress(TaxocomError):
                reader.read(data, place)
        finally:
            shutil.rmtree(place)

    def spoil(data: bytes, most: int, seed: int) -> bytes:
        return several(reader.edits)(data, Random(seed))[:most]

    options = [f"-max_total_time={seconds}", f"-max_len={LONGEST}", "-timeout=5", "-rss_limit_mb=1024", str(corpus)]
    atheris.Setup([sys.argv[0], *options], read, custom_mutator=spoil)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 60)
