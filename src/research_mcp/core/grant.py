"""What a login at a vendor brings: tokens of the owner's own account, and how long they are good for."""

from __future__ import annotations

from dataclasses import dataclass

from research_mcp.core.instance import Secret


@dataclass(frozen=True, slots=True)
class Grant:
    """The tokens of one login.

    `refresh` None: the vendor ended this login, only a new one helps. `expires_at` and `issued_at` are
    epoch seconds; None means that the vendor did not say when `access` ends. `client_id` and
    `token_endpoint` are those of the login, whatever the configuration says by now. `id` tells one login
    from the next, through all its refreshes.
    """

    access: Secret
    refresh: Secret | None
    client_id: str
    token_endpoint: str
    issued_at: float
    expires_at: float | None = None
    id: str = ""
