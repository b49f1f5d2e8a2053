"""A mark that tells a changed key from the old one, and nothing else about it."""

from __future__ import annotations

import hashlib

from research_mcp.core.instance import Secret

_ROUNDS = 20_000
_BYTES = 3


def key_mark(variable: str, key: Secret) -> str:
    """Six hex digits for `key` as the value of `variable`: the same in every process and replica.

    Safe to store: 24 bits are all it can ever tell about a key, the variable's name salts it (equal
    keys of two variables look unrelated), and each guess at a short, human-made token costs about
    10 ms. A replaced key keeps the old mark once in 16 million times.
    """
    salt = f"research-mcp account {variable}".encode()
    return hashlib.pbkdf2_hmac("sha256", key.reveal().encode(), salt, _ROUNDS, _BYTES).hex()
