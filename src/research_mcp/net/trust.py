"""Whose certificates are trusted: the public authorities, and those that the operator adds."""

from __future__ import annotations

import ssl

import httpx

from research_mcp.core.errors import ConfigError


def trust(ca_file: str = "") -> ssl.SSLContext:
    """Verification against the public authorities and those in `ca_file` (PEM), such as a company's own.

    Raises `ConfigError` for a file that cannot be read or holds none.
    """
    context = httpx.create_ssl_context(trust_env=False)
    if ca_file:
        try:
            context.load_verify_locations(cafile=ca_file)
        except (OSError, ssl.SSLError):
            raise ConfigError(
                f"CA_FILE={ca_file!r} is not usable: it must be a readable file of PEM certificates"
            ) from None
    return context
