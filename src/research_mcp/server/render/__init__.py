"""Answers as the model reads them."""
