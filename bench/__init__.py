"""Benchmarks against limits and peers: `python -m bench [name ...]`."""
