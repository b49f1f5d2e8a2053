"""One table from what the HTTP library raises to what it means: a reason and half a sentence."""

from __future__ import annotations

from dataclasses import dataclass

import httpx

from research_mcp.core.errors import NoContent, Reason


@dataclass(frozen=True, slots=True)
class Fault:
    """`says` completes "example.com ...". `early`: nothing of an answer had come, so a try is cheap."""

    reason: Reason
    says: str
    early: bool = False


_NO_CONNECTION = Fault(Reason.UNREACHABLE, "could not be reached", early=True)
_SLOW_CONNECTION = Fault(Reason.UNREACHABLE, "did not accept a connection in time", early=True)
DROPPED = Fault(Reason.UPSTREAM_ERROR, "dropped the connection", early=True)
_SILENT = Fault(Reason.TIMEOUT, "did not answer in time")
_BUSY = Fault(Reason.TIMEOUT, "had no free connection in time")
_NONSENSE = Fault(Reason.UPSTREAM_ERROR, "broke the rules of HTTP")
_PROXY = Fault(Reason.UNREACHABLE, "could not be reached through the proxy", early=True)
_UNSENDABLE = Fault(Reason.INVALID_URL, "was asked for something that HTTP cannot carry")

FAULTS: dict[type[Exception], Fault] = {
    httpx.ConnectError: _NO_CONNECTION,
    httpx.ConnectTimeout: _SLOW_CONNECTION,
    httpx.ReadError: DROPPED,
    httpx.WriteError: DROPPED,
    httpx.CloseError: DROPPED,
    httpx.NetworkError: DROPPED,
    httpx.ReadTimeout: _SILENT,
    httpx.WriteTimeout: _SILENT,
    httpx.PoolTimeout: _BUSY,
    httpx.TimeoutException: _SILENT,
    httpx.RemoteProtocolError: _NONSENSE,
    httpx.ProtocolError: _NONSENSE,
    httpx.ProxyError: _PROXY,
    httpx.LocalProtocolError: _UNSENDABLE,
    httpx.UnsupportedProtocol: _UNSENDABLE,
    httpx.InvalidURL: _UNSENDABLE,
    httpx.DecodingError: _NONSENSE,
    httpx.TooManyRedirects: _NONSENSE,
    httpx.TransportError: DROPPED,
    httpx.RequestError: DROPPED,
}
"""Every class that a request without automatic redirects, cookies and status checks can end in."""

_RESET_BEFORE_ANSWER = "without sending a response"


def fault_of(error: httpx.HTTPError) -> Fault:
    """The fault that stands for `error`."""
    if isinstance(error, httpx.RemoteProtocolError) and _RESET_BEFORE_ANSWER in str(error):
        return DROPPED
    return next(FAULTS[kind] for kind in type(error).__mro__ if kind in FAULTS)


def no_content(host: str, fault: Fault) -> NoContent:
    """The error for a page on `host`."""
    return NoContent(f"{host} {fault.says}", reason=fault.reason)
