"""The vocabulary: standard library only."""
