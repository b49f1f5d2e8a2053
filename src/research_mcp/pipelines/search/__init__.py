"""One question, every engine, one list."""
