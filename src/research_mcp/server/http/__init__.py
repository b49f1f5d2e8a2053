"""The doors in front of the endpoint."""
