"""Files spoilt in the ways that break readers: bits and bytes, spans, odd tokens, and the insides of containers.

An edit takes (bytes, random source) and returns bytes. The same random source gives the same bytes, so an input is
named by its reader, its seed and its number, and never has to be kept.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import lzma
import zipfile
import zlib
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

Edit = Callable[[bytes, Random], bytes]

LONGEST = 2**18
TOKENS = (
    b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc3(", b"\x1a", b"\r", b"\r\n", b"\n", b"\t", b",",
    b";", b"|",
    b'"', b"'", b'""', b"\\", b"[", b"]", b"{", b"}", b"<", b">", b"&", b"^", b"@", b"_:", b"#", b"*", b"/", b"..",
    b"-",
    b"[" * 3000, b'{"a":' * 1200, b"(" * 2000, b"<a>" * 1500, b" " * 5000, b"  - x\n" * 300, b"a/" * 400, b"9" * 400,
    b"9" * 5000, b"-1", b"1e999", b"NaN", b"Infinity", b"null", b"true", b"[]", b"{}", b'"\\ud800"', b"\\u0000",
    b"&lt;", b"&x;", b"<!DOCTYPE a [<!ENTITY x 'y'>]>", b'<?xml version="1.0" encoding="utf-7"?>', b"@prefix",
    b"@base <",
    b"a skos:Concept ;", b"skos:broader", b"rdf:parseType='Collection'", b'"@context"', b'"@id"', b'"@graph"',
    b'"@list"',
    b"path", b"parent", b"child", b"keywords", b"prefLabel", b"properties", b"ROOT", b"=cmd()", b"\xe2\x80\xa8",
    b"\xc2\x85",
    b"PK\x03\x04", b"PK\x05\x06", b"PAR1", b"\x1f\x8b", b"\xfd7zXZ\x00", b"%PDF", b"docs.txt", b"x" * 70_000,
)  # fmt: skip
ODD_NAMES = ("..", "/a.txt", "a/../../b.txt", "C:\\x.txt", ".txt", "a\\b.txt", "x" * 300 + ".txt", "é.txt", "")
ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 2**63, 10**400, 1.5, -0.0, "", " ", "*", "root", "ROOT", "\0", "\ud800", "\u2028",
    "a/b", "a" * 3000,
    "9" * 5000, [], {}, [[]], [None], {"": ""}, {"@id": "_:b"}, {"label": "A"}, ["A", "A"], {"children": []}, [{}, 1],
)  # fmt: skip


def bit_flipped(data: bytes, rng: Random) -> bytes:
    at = rng.randrange(len(data) or 1)
    return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :] if data else b"\1"


def byte_set(data: bytes, rng: Random) -> bytes:
    at = rng.randrange(len(data) or 1)
    return data[:at] + bytes([rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))]) + data[at + 1 :]


def cut_short(data: bytes, rng: Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def span_removed(data: bytes, rng: Random) -> bytes:
    at, length = rng.randrange(len(data) + 1), rng.choice((1, 2, 4, 16, 64, 256))
    return data[:at] + data[at + length :]


def span_repeated(data: bytes, rng: Random) -> bytes:
    at, length = rng.randrange(len(data) + 1), rng.choice((1, 2, 8, 40, 200))
    return data[:at] + data[at : at + length] * rng.choice((2, 2, 3, 50, 500)) + data[at + length :]


def span_moved(data: bytes, rng: Random) -> bytes:
    at, length = rng.randrange(len(data) + 1), rng.choice((1, 4, 20, 100))
    rest = data[:at] + data[at + length :]
    to = rng.randrange(len(rest) + 1)
    return rest[:to] + data[at : at + length] + rest[to:]


def token_put_in(data: bytes, rng: Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice(TOKENS) + data[at + rng.choice((0, 0, 1, 5)) :]


def noise_put_in(data: bytes, rng: Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.randbytes(rng.choice((1, 2, 4, 16))) + data[at:]


def recoded(data: bytes, rng: Random) -> bytes:
    """Write a text in another encoding, as old programs do."""
    encoding = rng.choice(("utf-16", "utf-16-le", "utf-32", "utf-8-sig", "cp1252", "shift_jis", "utf-7"))
    return data.decode("utf-8", "replace").encode(encoding, "replace")


BYTES: tuple[Edit, ...] = (
    bit_flipped, byte_set, cut_short, span_removed, span_repeated, span_moved, token_put_in, token_put_in, noise_put_in,
)  # fmt: skip
TEXT: tuple[Edit, ...] = (*BYTES, recoded)


def several(edits: Sequence[Edit]) -> Edit:
    """Return an edit that makes one to four of these, mostly one."""

    def apply(data: bytes, rng: Random) -> bytes:
        for _ in range(rng.choice((1, 1, 1, 2, 3, 4))):
            data = rng.choice(edits)(data, rng)[:LONGEST]
        return data

    return apply


def value_replaced(data: bytes, rng: Random) -> bytes:
    """Put an odd value somewhere into JSON; what is no JSON any more gets a token instead."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return token_put_in(data, rng)
    for _ in range(rng.choice((1, 1, 2, 4))):
        value = _with_odd_part(value, rng)
    return json.dumps(value).encode()


def line_value_replaced(data: bytes, rng: Random) -> bytes:
    """Put an odd value into one line of JSON lines."""
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    lines[at] = value_replaced(lines[at], rng)
    return b"\n".join(lines)


def _with_odd_part(value: Any, rng: Random) -> Any:
    if not isinstance(value, (dict, list)) or not value or rng.random() < 0.15:
        return rng.choice(ODD_VALUES)
    if isinstance(value, list):
        at = rng.randrange(len(value))
        return [*value[:at], _with_odd_part(value[at], rng), *value[at + 1 :]]
    key = rng.choice(list(value))
    match rng.randrange(6):
        case 0:
            return {name: part for name, part in value.items() if name != key}
        case 1:
            return {**value, rng.choice(list(value)): value[key]}
        case 2:
            return {**value, rng.choice(("", "id", "label", "kind", "x", "@id", "@list")): rng.choice(ODD_VALUES)}
        case _:
            return {**value, key: _with_odd_part(value[key], rng)}


def inside_zip(inner: Edit, renew: Callable[[dict[str, bytes]], None] | None = None) -> Edit:
    """Return an edit of one member of a zip, its content or its name; `renew` then mends what must fit it."""

    def apply(data: bytes, rng: Random) -> bytes:
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                members = {name: archive.read(name) for name in archive.namelist()}
        except Exception:
            return token_put_in(data, rng)
        if not members:
            return token_put_in(data, rng)
        name = rng.choice(list(members))
        if rng.random() < 0.1:
            odd = rng.choice(ODD_NAMES)
            members = {odd if known == name else known: part for known, part in members.items()}
        else:
            members[name] = inner(members[name], rng)
        if renew is not None and rng.random() < 0.9:
            renew(members)
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for known, part in members.items():
                archive.writestr(zipfile.ZipInfo(known), part)
        return out.getvalue()

    return apply


def renew_backup(members: dict[str, bytes]) -> None:
    """Let the manifest of a backup say of every file what is true of it now, as a forger would."""
    try:
        manifest = json.loads(members["manifest.json"])
        manifest["files"] = {
            name: {"bytes": len(part), "sha256": hashlib.sha256(part).hexdigest()}
            for name, part in members.items()
            if name != "manifest.json"
        }
    except (KeyError, ValueError, TypeError, RecursionError):
        return
    members["manifest.json"] = json.dumps(manifest).encode()


def inside_gzip(inner: Edit) -> Edit:
    """Return an edit of what a gzip file holds."""
    return _inside(gzip.decompress, lambda data: gzip.compress(data, 1, mtime=0), inner)


def inside_xz(inner: Edit) -> Edit:
    """Return an edit of what an xz file holds."""
    return _inside(lzma.decompress, lambda data: lzma.compress(data, preset=0), inner)


def _inside(unpack: Callable[[bytes], bytes], pack: Callable[[bytes], bytes], inner: Edit) -> Edit:
    def apply(data: bytes, rng: Random) -> bytes:
        try:
            held = unpack(data)
        except (OSError, EOFError, zlib.error, lzma.LZMAError):
            # An edit before this one broke it.
            return token_put_in(data, rng)
        return pack(inner(held, rng))

    return apply
