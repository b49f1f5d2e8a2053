"""One page, or many, by the cheapest reader that can."""
