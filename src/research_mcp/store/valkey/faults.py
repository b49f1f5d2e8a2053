"""What a Valkey server and the way to it can do to us, in words for the operator and the model."""

from __future__ import annotations

from valkey.exceptions import (
    AuthenticationError,
    BusyLoadingError,
    NoPermissionError,
    OutOfMemoryError,
    ReadOnlyError,
    ResponseError,
    ValkeyError,
)
from valkey.exceptions import TimeoutError as TooSlow

from research_mcp.core.errors import ConfigError

_CLASSES: tuple[tuple[type[ValkeyError], str], ...] = (
    (AuthenticationError, "it refuses the user or the password"),
    (NoPermissionError, "its user may not do this"),
    (BusyLoadingError, "it is still loading its data"),
    (OutOfMemoryError, "its memory is full"),
    (ReadOnlyError, "it is a read-only replica"),
)
_CODES = {
    "MISCONF": "it cannot write to its disk",
    "BUSY": "it is busy with a script",
    "MASTERDOWN": "it has lost its primary",
    "NOREPLICAS": "it has too few replicas",
    "CLUSTERDOWN": "it runs in cluster mode, which is not supported",
    "MOVED": "it runs in cluster mode, which is not supported",
}
# OpenSSL's words within "certificate verify failed: ...": each wants something else of the operator.
_CERTIFICATES = {
    "has expired": "its certificate has expired",
    "not yet valid": "its certificate is not valid yet by this machine's clock",
    "is not valid for": "its certificate is for another name than VALKEY_URL has",
}


def passes(error: ResponseError) -> bool:
    """True for the server's trouble, which may pass; False when the command itself is at fault."""
    return isinstance(error, tuple(kind for kind, _ in _CLASSES)) or _code(error) in _CODES


def words(error: Exception) -> str:
    """Why the store cannot be used, without addresses and credentials."""
    if isinstance(error, ConfigError):
        return str(error)
    if isinstance(error, ResponseError) and _code(error) in _CODES:
        return _CODES[_code(error)]
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        return _certificate(str(error))
    if isinstance(error, TimeoutError | TooSlow):
        return "it does not answer in time"
    return next((text for kind, text in _CLASSES if isinstance(error, kind)), "it cannot be reached")


def _certificate(failure: str) -> str:
    untrusted = "its certificate is not trusted, see VALKEY_CA_FILE"
    return next((text for phrase, text in _CERTIFICATES.items() if phrase in failure), untrusted)


def _code(error: ResponseError) -> str:
    return str(error).partition(" ")[0]
