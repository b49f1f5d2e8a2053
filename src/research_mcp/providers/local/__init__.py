"""What needs no service."""
