"""State behind the protocols of `core.ports`."""
