"""The paper's equations, one module each; our departures are built on them."""
