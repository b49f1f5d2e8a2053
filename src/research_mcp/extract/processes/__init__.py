"""Processes that can be killed, and what is said to them."""
