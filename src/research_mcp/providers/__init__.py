"""Provider types: built-ins and third-party entry points."""
