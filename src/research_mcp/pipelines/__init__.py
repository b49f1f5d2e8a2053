"""How instances work together: search, read, answer, map, and the proof that they can."""
