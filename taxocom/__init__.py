"""TaxoCom Studio: complete a partial topic taxonomy from a corpus."""

__version__ = "0.1.0"
