"""The page Expand."""
