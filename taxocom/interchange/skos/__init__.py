"""SKOS in and out, and the rules of its integrity."""
