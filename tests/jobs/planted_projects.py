"""A project of planted texts, indexed without a worker between."""

from taxocom.store import Project, create_project
from taxocom.taxonomy.tree import Taxonomy
from taxocom.text.indexing import build_corpus
from taxocom.text.input.documents import Document
from tests.expansion.planted import Planted


def planted_project(planted: Planted, seed: Taxonomy) -> Project:
    """Make a project of planted texts with a seed."""
    project = create_project("planted", seed=seed)
    texts = zip(planted.corpus.document_ids, planted.corpus.texts, strict=True)
    with project.working_place("corpus") as place:
        place.mkdir()
        report = build_corpus(
            (Document(document_id, text) for document_id, text in texts),
            place,
            seed_phrases=[node.label for node in planted.gold.walk()],
        )
        project.use("corpus", project.publish_directory(place, "corpus", made_from=report.fingerprint))
    return project
