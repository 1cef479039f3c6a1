"""The page Quality."""
