"""How instances work together: search, read."""
