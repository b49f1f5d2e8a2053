"""What a model says, taken apart: prose, sources, and what it is worth."""
