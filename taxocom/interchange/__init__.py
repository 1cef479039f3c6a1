"""Take a taxonomy anywhere and bring one in from anywhere: pure functions between trees and bytes."""

from taxocom.interchange.reading import read_seed
from taxocom.interchange.seed_document import Problem, SeedDocument

__all__ = ["Problem", "SeedDocument", "read_seed"]
