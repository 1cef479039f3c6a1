"""What `taxocom complete` leaves in its directory: the tree, the documents, the terms, and how the run went."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from taxocom.expansion.completion import Completion
    from taxocom.expansion.proposals.proposal import NodeExpansion
    from taxocom.taxonomy.tree import Taxonomy
    from taxocom.text.corpus import Corpus

DOCUMENT_COLUMNS = ("id", "path", "novel", "score")
TERM_COLUMNS = (
    "node", "term", "topic", "novel", "anchor", "novelty", "topicality", "significance", "relevance",
    "representativeness", "integrity", "distinctiveness", "popularity",
)  # fmt: skip


def write_completion(
    completion: Completion, corpus: Corpus, folder: Path, run: Mapping[str, Any], repeats: Mapping[str, str]
) -> None:
    """Write `taxonomy.json`, `documents.csv`, `terms.csv` and `run.json`, each whole.

    The first three depend on the input, the settings and the random state alone; times and the machine are in the last.
    `repeats` are documents that were read as repetitions, each with the id of the one that stands for it.
    """
    from taxocom.interchange.plain.json_format import write_json
    from taxocom.store.disk.whole_files import clear_errors, write_whole

    files = {
        "taxonomy.json": write_json(completion.taxonomy),
        "documents.csv": _table(DOCUMENT_COLUMNS, document_rows(completion, corpus, repeats)),
        "terms.csv": _table(TERM_COLUMNS, term_rows(completion, corpus)),
        "run.json": (json.dumps(run, indent=1, ensure_ascii=False, default=str) + "\n").encode(),
    }
    with clear_errors("write to", folder):
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            write_whole(folder / name, data)


def document_rows(completion: Completion, corpus: Corpus, repeats: Mapping[str, str]) -> Iterator[Sequence[str]]:
    """Yield a row a document: its id, the path of its topic, whether a topic on it is novel, and how surely.

    A repetition of a document is where that is.
    """
    places = {node_id: _place(completion.taxonomy, node_id) for node_id in set(completion.document_nodes)}
    rows = {}
    for document, node_id in enumerate(completion.document_nodes):
        path, novel = places[node_id]
        rows[corpus.document_ids[document]] = (path, novel, _number(completion.document_scores[document]))
    for document_id, row in rows.items():
        yield document_id, *row
    for document_id, original in repeats.items():
        yield document_id, *rows[original]


def term_rows(completion: Completion, corpus: Corpus) -> Iterator[Sequence[str]]:
    """Yield a row a term of every node that was expanded, with each of its scores."""
    for proposal in completion.proposals:
        node, _ = _place(completion.taxonomy, proposal.node_id)
        topics = [_place(completion.taxonomy, cluster.cluster_id) for cluster in proposal.clusters]
        terms = proposal.terms
        for row, term_id in enumerate(terms.term_ids):
            index = int(terms.cluster[row])
            topic, novel = topics[index] if index >= 0 else ("", "0")
            yield (
                node,
                corpus.vocabulary.terms[term_id],
                topic,
                novel,
                str(int(terms.is_anchor[row])),
                *_scores(proposal, row),
            )


def _scores(proposal: NodeExpansion, row: int) -> Iterator[str]:
    for name in TERM_COLUMNS[5:]:
        yield _number(getattr(proposal.terms, name)[row])


def _place(tree: Taxonomy, node_id: str) -> tuple[str, str]:
    on_path = [*tree.ancestors_of(node_id), node_id]
    novel = any(tree[above].origin == "novel" for above in on_path)
    return "/".join(tree.path_of(node_id)), str(int(novel))


def _number(value: float) -> str:
    return f"{float(value):.6g}"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    from taxocom.interchange.base.cells import neutralised

    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    # Numbers are ours and may be negative; what came from outside must not run as a formula in a spreadsheet.
    writer.writerows([cell if _is_number(cell) else neutralised(cell) for cell in row] for row in rows)
    return out.getvalue().encode()


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
