"""Small groups of documents, and which of them are one missing topic (departure 1)."""
