"""`VALKEY_URL`, understood: what to connect to, and a form of it that may be shown."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit

from research_mcp.core.errors import ConfigError
from research_mcp.core.instance import Secret

_TCP = ("valkey", "redis")
_TLS = ("valkeys", "rediss")
_FORMS = "valkey://[user:password@]host[:6379][/0], valkeys:// for TLS, or unix:///path/to/socket"
_OPTIONS = frozenset({"db", "password", "username"})


@dataclass(frozen=True, slots=True)
class Address:
    """Where the server is. `socket`: path of a unix socket, "" for TCP. `ca_file`: "" for the system's
    certificate authorities. `str()` is the form without credentials."""

    host: str = ""
    port: int = 6379
    socket: str = ""
    database: int = 0
    tls: bool = False
    ca_file: str = ""
    user: str = ""
    password: Secret | None = field(default=None, repr=False)

    def __str__(self) -> str:
        if self.socket:
            return f"unix://{self.socket}"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{_TLS[0] if self.tls else _TCP[0]}://{host}:{self.port}/{self.database}"


def parse_address(url: Secret, ca_file: str = "") -> Address:
    """The address in `url`. Raises `ConfigError`, which never quotes it: it may hold a password."""
    _check(ca_file)
    try:
        parts = urlsplit(url.reveal())
        query = dict(parse_qsl(parts.query, strict_parsing=bool(parts.query)))
        unix = parts.scheme == "unix"
        if strange := query.keys() - (_OPTIONS if unix else set()):
            raise _unusable(f"it has the option {min(strange)!r}, and options are not understood here")
        if parts.scheme not in (*_TCP, *_TLS, "unix"):
            raise _unusable("it does not begin with valkey://, valkeys://, redis://, rediss:// or unix://")
        if not (parts.path if unix else parts.hostname):
            raise _unusable("it names no socket" if unix else "it names no host")
        return Address(
            host=parts.hostname or "",
            port=parts.port or 6379,
            socket=unquote(parts.path) if unix else "",
            database=int((query.get("db") if unix else parts.path.strip("/")) or 0),
            tls=parts.scheme in _TLS,
            ca_file=ca_file,
            user=query.get("username") or unquote(parts.username or ""),
            password=_password(query, parts.password),
        )
    except ValueError:
        raise _unusable("its port or database is no number, or it is no address at all") from None


def _password(query: Mapping[str, str], written: str | None) -> Secret | None:
    password = query.get("password") or unquote(written or "")
    return Secret(password) if password else None


def _check(ca_file: str) -> None:
    if ca_file:
        try:
            ssl.create_default_context(cafile=ca_file)
        except OSError:
            raise ConfigError(
                f"VALKEY_CA_FILE={ca_file!r} is not usable: it must be a readable file of PEM certificates"
            ) from None


def _unusable(why: str) -> ConfigError:
    return ConfigError(f"VALKEY_URL is not usable: {why}. Write {_FORMS}.")
