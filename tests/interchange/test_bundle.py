from __future__ import annotations

import hashlib
import io
import json
import zipfile

import pytest

from taxocom.errors import InputError
from taxocom.interchange import FORMATS, replay_bundle, write_bundle
from taxocom.interchange.base.source import Source
from taxocom.interchange.base.zip_files import Archive, pack
from taxocom.taxonomy import decisions as d
from tests.interchange.samples import CONTEXT, LOG, TREE


def members(data: bytes) -> dict[str, bytes]:
    archive = Archive(Source("bundle", data))
    return {name: archive.read(name) for name in archive.names}


def test_a_bundle_has_every_format_and_a_digest_of_each_file():
    files = members(write_bundle(TREE, CONTEXT))
    manifest = json.loads(files["manifest.json"])
    assert {entry.file_name for entry in FORMATS.values()} - set(files) == {"classifier.zip"}
    assert {"classifier/label_hier.txt", "integrity.md", "about/vocabulary.ttl", "replay/seed.json"} <= set(files)
    assert {entry["path"] for entry in manifest["files"]} == set(files) - {"manifest.json"}
    for entry in manifest["files"]:
        assert entry["sha256"] == hashlib.sha256(files[entry["path"]]).hexdigest()
    assert (manifest["title"], manifest["release"], manifest["decisions"]) == ("News", "2026-11", len(LOG))


def test_the_same_project_gives_the_same_bundle():
    assert write_bundle(TREE, CONTEXT) == write_bundle(TREE, CONTEXT)


def test_a_bundle_rebuilds_its_taxonomy():
    result = replay_bundle(write_bundle(TREE, CONTEXT))
    assert result.matches
    assert result.taxonomy == TREE
    assert "The rebuilt taxonomy is the recorded one." in result.report()


def test_a_bundle_without_a_history_is_its_own_seed():
    assert replay_bundle(write_bundle(TREE)).taxonomy == TREE


def test_a_log_that_was_changed_is_noticed_and_told():
    files = members(write_bundle(TREE, CONTEXT))
    renamed = d.LoggedDecision(1, d.RenameTopic("film", "Cinema"))
    lines = files["replay/decisions.jsonl"].decode().splitlines()
    lines[1] = json.dumps(renamed.to_dict())
    files["replay/decisions.jsonl"] = "\n".join(lines).encode()
    result = replay_bundle(pack(files))
    assert not result.matches
    assert result.damaged == ("replay/decisions.jsonl",)
    assert [(topic.old_label, topic.new_label) for topic in result.change.renamed] == [("Film & <arts>", "Cinema")]
    assert "differs" in result.report()


def test_missing_and_foreign_files_are_named():
    files = members(write_bundle(TREE, CONTEXT))
    del files["skos.ttl"]
    files["extra.exe"] = b"MZ"
    assert replay_bundle(pack(files)).damaged == ("extra.exe", "skos.ttl")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda files: files.pop("manifest.json"), "no manifest.json"),
        (lambda files: files.pop("replay/seed.json"), "the seed is missing"),
        (lambda files: files.update({"manifest.json": b"{}"}), "not that of a bundle"),
        (lambda files: files.update({"manifest.json": b'{"format": "taxocom-bundle", "version": 9}'}), "version 9"),
        (lambda files: files.update({"replay/decisions.jsonl": b"{]"}), "line 1: not a decision"),
        (lambda files: files.update({"replay/decisions.jsonl": b'{"sequence": 1, "decision": {"kind": "undo"}}'}),
         "does not fit the seed"),
        (lambda files: files.update({"../evil": b"x"}), "points outside"),
    ],
)  # fmt: skip
def test_what_is_no_bundle_is_refused(change, says):
    files = members(write_bundle(TREE, CONTEXT))
    change(files)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    with pytest.raises(InputError, match=says):
        replay_bundle(out.getvalue())


def test_a_zip_bomb_and_a_torn_file_are_refused(monkeypatch):
    monkeypatch.setattr("taxocom.interchange.base.zip_files.MAX_UNPACKED", 1000)
    with pytest.raises(InputError, match="unpacks to"):
        replay_bundle(pack({"manifest.json": b"0" * 2000}))
    with pytest.raises(InputError, match="not a zip file"):
        replay_bundle(b"PK\x03\x04 torn")
