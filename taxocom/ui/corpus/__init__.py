"""The page Corpus & seed."""
