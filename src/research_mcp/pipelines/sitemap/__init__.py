"""The pages of one site."""
