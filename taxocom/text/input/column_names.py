"""What columns of documents are usually called, best first."""

TEXT = (
    "text", "body", "content", "fulltext", "full_text", "abstract", "article", "document", "doc", "message",
    "description", "summary", "review", "comment", "post",
)  # fmt: skip
ID = ("id", "document_id", "doc_id", "article_id", "uid", "uuid", "identifier", "key", "doi", "docno")
TITLE = ("title", "headline", "subject", "heading", "name")
LABEL = ("labels", "label", "topic", "topics", "category", "categories", "class", "section", "group")
DATE = ("date", "created", "published", "publish_date", "created_at", "timestamp", "time", "year")

KNOWN_NAMES = frozenset((*TEXT, *ID, *TITLE, *LABEL, *DATE))
