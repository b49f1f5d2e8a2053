"""Every word the model reads, in each language."""
