"""A folder of projects: making, finding, saving and mending them, and what lies beside them."""
