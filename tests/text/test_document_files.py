"""PDF, Word, HTML and mail become documents as texts do; a file in disorder is named, or left out and counted."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import pytest

from taxocom.errors import InputError
from taxocom.text.input.documents import Document
from taxocom.text.input.loading import Format, read_documents, sniff
from tests.text import document_samples as samples

PAGE = samples.html(
    "<nav>Home About</nav><h1>Rates</h1><p>The bank <b>raised</b> rates &amp; fees.<br>Twice.</p>"
    "<script>steal()</script><style>p {}</style><ul><li>one<li>two</ul></p></b>",
    "Rates  rise",
    '<meta charset="utf-8"><meta property="article:published_time" content="2026-05-01T08:00:00Z">',
)
FILES = {
    "money/rates.html": PAGE,
    "money/report.pdf": samples.pdf("The annual re-\nport of the bank", "Second page", title="Report"),
    "plain.txt": b"A plain text",
    "sport/match.docx": samples.docx("The match was won.", "By two goals.", title="Match", table=("home", "3")),
    "mails/one.eml": samples.mail("Shall we meet?", "Meeting", 5),
    "picture.png": b"\x89PNG....",
    "old.html.gz": gzip.compress(samples.html("<p>An older page</p>")),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        (tmp_path / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "docs" / name).write_bytes(content)
    return tmp_path / "docs"


def test_a_folder_of_mixed_files_is_read_in_the_order_of_names(folder: Path) -> None:
    stream = read_documents(folder)
    money, sport, day, title = ("money",), ("sport",), "2026-05-01", "Rates rise"
    assert list(stream) == [
        Document("mails/one.eml", "Shall we meet?\n", "Meeting", ("mails",), "2026-11-05"),
        Document("money/rates.html", "Rates\nThe bank raised rates & fees.\nTwice.\none\ntwo", title, money, day),
        Document("money/report.pdf", "The annual report of the bank\n\nSecond page", "Report", money, "2026-05-07"),
        Document("old.html.gz", "An older page"),
        Document("plain.txt", "A plain text"),
        Document("sport/match.docx", "The match was won.\n\nBy two goals.\n\nhome 3", "Match", sport, "2013-12-23"),
    ]  # fmt: skip
    assert stream.report.n_other_files == 1
    assert stream.report.n_unreadable == 0


def test_a_zip_and_a_pattern_hold_the_same_documents_as_the_folder(folder: Path, tmp_path: Path) -> None:
    packed = tmp_path / "docs.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for name in FILES:
            archive.write(folder / name, name)
    stream = read_documents(packed)
    assert list(stream) == [each for each in read_documents(folder) if each.document_id != "old.html.gz"]
    assert stream.report.n_other_files == 2
    found = sniff(folder / "**" / "*.*m*")
    assert found.format is Format.FILES
    assert [each.document_id for each in found.documents()] == ["mails/one.eml", "money/rates.html", "old.html.gz"]


def test_a_single_file_is_one_document(folder: Path, tmp_path: Path) -> None:
    (only,) = read_documents(folder / "money" / "report.pdf")
    assert (only.document_id, only.title, only.labels) == ("report.pdf", "Report", ())
    unnamed = tmp_path / "upload"
    unnamed.write_bytes(FILES["money/report.pdf"])
    assert [each.text for each in read_documents(unnamed)] == [only.text]


def test_a_mailbox_is_a_document_a_mail(tmp_path: Path) -> None:
    path = tmp_path / "list.mbox"
    page = samples.mail("<p>As a <i>page</i></p>", "Page", 3, as_page=True)
    path.write_bytes(
        samples.mailbox(samples.mail("First\n\nFrom here on", "One", 1), samples.mail("Second", "Zwölf", 2), page)
    )
    found = list(read_documents(path))
    assert [(each.document_id, each.title, each.date) for each in found] == [
        ("mail-1@example.org", "One", "2026-11-01"),
        ("mail-2@example.org", "Zwölf", "2026-11-02"),
        ("mail-3@example.org", "Page", "2026-11-03"),
    ]
    assert "\nFrom here on" in found[0].text
    assert found[2].text == "As a page"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("torn.pdf", FILES["money/report.pdf"][:200], "no whole PDF"),
        ("scanned.pdf", samples.pdf(""), "pictures of 1 pages and no text"),
        ("sheet.docx", b"PK\x03\x04nothing", "no whole Word file"),
        ("empty.eml", b"\n\nno header at all", "no mail"),
        ("list.mbox", b"Dear all,\n", "no mailbox"),
        ("text.txt", b"a\0\0\0b" * 50, "NUL"),
    ],
)
def test_a_file_in_disorder_is_named_or_left_out_and_counted(
    folder: Path, name: str, content: bytes, said: str
) -> None:
    (folder / name).write_bytes(content)
    with pytest.raises(InputError, match=said) as caught:
        list(read_documents(folder))
    assert name in str(caught.value)
    assert "--skip-unreadable" in str(caught.value)
    stream = sniff(folder, skip_unreadable=True).documents()
    assert len(list(stream)) == 6
    assert stream.report.n_unreadable == 1
    ((left_out, reason),) = stream.report.unreadable.items()
    assert left_out == name
    assert said in reason


def test_a_locked_pdf_says_that_it_has_a_password(tmp_path: Path) -> None:
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(PdfReader(_at(tmp_path / "open.pdf", FILES["money/report.pdf"])))
    writer.encrypt("secret", algorithm="RC4-128")
    writer.write(tmp_path / "locked.pdf")
    with pytest.raises(InputError, match="password"):
        list(read_documents(tmp_path / "locked.pdf"))


def _at(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def test_a_pattern_of_tables_is_read_as_one_table(tmp_path: Path) -> None:
    (tmp_path / "2026-01.csv").write_text("id,text\na,first text\n")
    (tmp_path / "2026-02.csv").write_text("text,id\nsecond text,b\n")
    found = sniff(tmp_path / "2026-*.csv")
    assert found.columns is not None
    assert [(each.document_id, each.text) for each in found.documents()] == [("a", "first text"), ("b", "second text")]
    (tmp_path / "2026-03.csv").write_text("id,body\nc,third\n")
    with pytest.raises(InputError, match=r"2026-03.csv has no column 'text'"):
        list(read_documents(tmp_path / "2026-*.csv"))
    with pytest.raises(InputError, match="No file fits"):
        sniff(tmp_path / "2025-*.csv")
    (tmp_path / "2026-04.txt").write_text("a line\n")
    with pytest.raises(InputError, match="tables alone"):
        sniff(tmp_path / "2026-*")
