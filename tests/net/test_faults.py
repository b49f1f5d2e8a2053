"""The table of faults covers whatever the HTTP library can raise."""

from __future__ import annotations

import httpcore
import httpx

from research_mcp.core.errors import Reason
from research_mcp.net.faults import DROPPED, FAULTS, fault_of, no_content

BEYOND_A_REQUEST = {
    httpx.HTTPError,  # the abstract root
    httpx.HTTPStatusError,  # raise_for_status is never called
    httpx.CookieConflict,  # no cookies are kept
    httpx.StreamError,
    httpx.StreamConsumed,
    httpx.StreamClosed,
    httpx.ResponseNotRead,
    httpx.RequestNotRead,
}


def test_every_exception_of_the_library_has_a_meaning():
    raised = {
        value
        for name in httpx.__all__
        if isinstance(value := getattr(httpx, name), type) and issubclass(value, Exception)
    }
    assert raised - BEYOND_A_REQUEST == set(FAULTS)


def test_every_exception_of_the_transport_below_reaches_the_table():
    from httpx._transports.default import _load_httpcore_exceptions

    below = {
        value
        for name in httpcore.__all__
        if isinstance(value := getattr(httpcore, name), type) and issubclass(value, Exception)
    }
    mapped = _load_httpcore_exceptions()
    assert below - set(mapped) == {httpcore.ConnectionNotAvailable}  # the pool's own, never let out
    assert set(mapped.values()) <= set(FAULTS)


def test_a_subclass_that_is_not_in_the_table_is_read_as_its_parent():
    class Odd(httpx.ReadTimeout):
        pass

    assert fault_of(Odd("x")).reason is Reason.TIMEOUT


def test_a_connection_given_up_before_an_answer_is_a_dropped_one():
    assert fault_of(httpx.RemoteProtocolError("Server disconnected without sending a response.")) is DROPPED
    assert fault_of(httpx.RemoteProtocolError("illegal header line")) is not DROPPED


def test_the_sentence_names_the_host_and_nothing_from_the_library():
    error = no_content("example.com", fault_of(httpx.ConnectError("[Errno 111] 10.0.0.1 refused")))
    assert str(error) == "example.com could not be reached"
    assert error.reason is Reason.UNREACHABLE
