"""Everything in one zip with a manifest, from which the taxonomy can be rebuilt without the corpus."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from importlib import resources
from typing import Any

from taxocom.errors import DecisionError, InputError
from taxocom.interchange.base.context import ExportContext, selected
from taxocom.interchange.base.source import Source, bounded_json
from taxocom.interchange.base.zip_files import Archive, pack
from taxocom.interchange.formats import FORMATS, export
from taxocom.interchange.plain.classifier import classifier_files
from taxocom.interchange.plain.json_format import parse_json, read_json, write_json
from taxocom.interchange.report.tree_comparison import TaxonomyChange, compare
from taxocom.interchange.skos.integrity import check_integrity
from taxocom.taxonomy.decisions import LoggedDecision, replay
from taxocom.taxonomy.tree import Taxonomy

MANIFEST = "manifest.json"
SEED, LOG, TREE = "replay/seed.json", "replay/decisions.jsonl", "replay/taxonomy.json"
FORMAT, VERSION = "taxocom-bundle", 1


@dataclass(frozen=True)
class ReplayResult:
    """What replaying a bundle gave.

    `change` is what lies between the tree that was recorded and the tree rebuilt; `damaged` are files that are missing,
    unexpected or not what the manifest says.
    """

    title: str
    n_decisions: int
    taxonomy: Taxonomy
    recorded: Taxonomy
    change: TaxonomyChange
    damaged: tuple[str, ...]

    @property
    def matches(self) -> bool:
        """Whether the rebuilt tree is the recorded one and no file is damaged."""
        return self.change.is_empty and not self.damaged

    def report(self) -> str:
        """Say in plain text whether the taxonomy could be rebuilt."""
        lines = [f"{self.title}: {len(self.taxonomy)} topics rebuilt from the seed and {self.n_decisions} decisions."]
        if self.change.is_empty:
            lines.append("The rebuilt taxonomy is the recorded one.")
        else:
            lines += [
                "The rebuilt taxonomy differs from the recorded one:",
                "",
                self.change.to_markdown("recorded", "rebuilt"),
            ]
        lines += [f"Damaged: {name}" for name in self.damaged]
        return "\n".join(lines)


def write_bundle(taxonomy: Taxonomy, context: ExportContext | None = None) -> bytes:
    """Write every format, what replay needs, the integrity report and a manifest with a digest of each file."""
    context = context or ExportContext()
    seed = context.seed if context.seed is not None else taxonomy
    kept = selected(taxonomy, context)
    log = "".join(json.dumps(entry.to_dict(), ensure_ascii=False) + "\n" for entry in context.log)
    files = {SEED: write_json(seed), LOG: log.encode(), TREE: write_json(taxonomy)}
    for entry in FORMATS.values():
        if entry.name != "classifier" and (context.documents or not entry.needs_documents):
            files[entry.file_name] = export(taxonomy, entry.name, context)
    files |= {f"classifier/{name}": data for name, data in classifier_files(kept).items()}
    if context.timeline is not None:
        files["timeline.json"] = (json.dumps(asdict(context.timeline), ensure_ascii=False, indent=1) + "\n").encode()
    files["integrity.md"] = check_integrity(kept, context).to_markdown().encode()
    for folder, name in (("skos", "vocabulary.ttl"), ("plain", "taxonomy.schema.json")):
        files[f"about/{name}"] = resources.files(f"taxocom.interchange.{folder}").joinpath(name).read_bytes()
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "title": taxonomy.root.label,
        "release": context.version,
        "author": context.author,
        "generated": context.generated,
        "statuses": sorted(context.statuses),
        "topics": len(kept),
        "decisions": len(context.log),
        "replay": {"seed": SEED, "decisions": LOG, "taxonomy": TREE},
        "files": [
            {"path": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            for name, data in files.items()
        ],
    }
    text = json.dumps(manifest, ensure_ascii=False, indent=1) + "\n"
    return pack({MANIFEST: text.encode(), **files})


def _uncounted(tree: Taxonomy) -> Taxonomy:
    """Return a tree without counts of documents: those come from the corpus, which a replay does without."""
    nodes = {key: replace(node, n_documents=None) for key, node in tree.nodes.items()}
    return Taxonomy(nodes, tree.children, tree.language)


def replay_bundle(data: bytes, name: str = "the bundle") -> ReplayResult:
    """Rebuild the taxonomy of a bundle from its seed and its log, and compare it with the one recorded."""
    source = Source(name, data)
    members = Archive(source)
    manifest = _manifest(source, members)
    parts = manifest["replay"]
    seed, recorded = (read_json(_member(source, members, parts, part)).taxonomy for part in ("seed", "taxonomy"))
    log = _log(_member(source, members, parts, "decisions"))
    try:
        rebuilt = replay(seed, log)
    except DecisionError as error:
        raise InputError(f"{name}: the log does not fit the seed. {error}") from error
    title = recorded.root.label
    change = compare(_uncounted(recorded), _uncounted(rebuilt))
    return ReplayResult(title, len(log), rebuilt, recorded, change, _damaged(manifest, members))


def _manifest(source: Source, members: Archive) -> dict[str, Any]:
    if MANIFEST not in members:
        raise source.error(f"there is no {MANIFEST} in it, so it is not a bundle of ours.")
    manifest = parse_json(Source(f"{source.name}/{MANIFEST}", members.read(MANIFEST)))
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise source.error("its manifest is not that of a bundle.")
    if manifest.get("version") != VERSION:
        raise source.error(f"a bundle of version {manifest.get('version')!r}; this program reads version {VERSION}.")
    well_formed = isinstance(manifest.get("replay"), dict) and isinstance(manifest.get("files"), list)
    if not well_formed or not all(isinstance(entry, dict) for entry in manifest["files"]):
        raise source.error("its manifest lacks the lists of files.")
    return manifest


def _member(source: Source, members: Archive, parts: Mapping[str, Any], part: str) -> Source:
    path = parts.get(part)
    if not isinstance(path, str) or path not in members:
        raise source.error(f"the file with the {part} is missing; without it nothing can be rebuilt.")
    return Source(f"{source.name}/{path}", members.read(path))


def _log(source: Source) -> list[LoggedDecision]:
    log = []
    for line, text in enumerate(source.text().splitlines(), start=1):
        if text.strip():
            try:
                log.append(LoggedDecision.from_dict(bounded_json(text), f"line {line}"))
            except (ValueError, InputError) as error:
                raise source.error(f"not a decision: {error}", line) from error
    return log


def _damaged(manifest: Mapping[str, Any], members: Archive) -> tuple[str, ...]:
    listed = {str(entry.get("path")): entry.get("sha256") for entry in manifest["files"]}
    wrong = [name for name, digest in listed.items() if name not in members or members.digest(name) != digest]
    return tuple(sorted([*wrong, *(set(members.names) - set(listed) - {MANIFEST})]))
