"""A model's answer with checked sources."""
