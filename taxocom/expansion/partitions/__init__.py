"""From evidence to clusters: along facets, or term by term as the paper does."""
