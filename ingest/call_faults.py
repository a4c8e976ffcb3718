"""What goes wrong with a call to a language model: one name for each kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

# no whole reply within the limit, or a gateway said that it waited in vain (408, 504)
TIMEOUT = "timeout"
# no connection came up, or it broke, or spoke no HTTP, before a reply began
CONNECTION = "connection"
# the reply broke off within its body
CUT_OFF = "cut_off"
# a reply came, and no JSON: the page of a proxy, say
NOT_JSON = "not_json"
# JSON came that holds an error, or no answer
PROVIDER_ERROR = "provider_error"
RATE_LIMITED = "rate_limited"
# refused for now: any other status that may pass, 5xx above all
SERVER_ERROR = "server_error"
# refused for good: the endpoint does not take this very request
REFUSED = "refused"
ERROR_KINDS = (
    *(TIMEOUT, CONNECTION, CUT_OFF, NOT_JSON, PROVIDER_ERROR),
    *(RATE_LIMITED, SERVER_ERROR, REFUSED),
)

_OF_STATUS: Mapping[int, str] = {
    **{408: TIMEOUT, 504: TIMEOUT, 429: RATE_LIMITED},
    **{409: SERVER_ERROR, 425: SERVER_ERROR},
}
# names of exceptions, of whichever library is below; the first that fits decides
_OF_CLASS: tuple[tuple[str, frozenset[str]], ...] = (
    (TIMEOUT, frozenset({"TimeoutError", "TimeoutException", "Timeout"})),
    (CUT_OFF, frozenset({"ClientPayloadError", "IncompleteReadError"})),
    (CONNECTION, frozenset({"TransportError", "APIConnectionError", "ClientError"})),
    (NOT_JSON, frozenset({"JSONDecodeError", "UnicodeDecodeError"})),
    (RATE_LIMITED, frozenset({"RateLimitError"})),
)
# how the libraries below say that a body ended early, or that text came for JSON
_BROKE_OFF = ("without sending complete message body", "incomplete chunked read")
_TEXT_CAME = ("Received: '", 'Received: "')


def fault_of(error: BaseException) -> tuple[str, int | None]:
    """Return what went wrong with a request.

    Parameters
    ----------
    error
        What was raised; the exceptions that led to it are looked at too, since
        litellm gives one class and the status 500 to most of them.

    Returns
    -------
    str, int or None
        One of ``ERROR_KINDS``, and the status of the response that refused the
        request; None where no response did.
    """
    chain = list(_chain(error))
    for one in chain:
        if type(one).__name__ == "HTTPStatusError":
            status = int(getattr(one, "response").status_code)  # noqa: B009
            return _kind_of(status), status
    told = " ".join(map(str, chain))
    if any(text in told for text in _BROKE_OFF):
        return CUT_OFF, None
    names = {base.__name__ for one in chain for base in type(one).__mro__}
    for kind, classes in _OF_CLASS:
        if names & classes:
            return kind, None
    if any(text in told for text in _TEXT_CAME):
        return NOT_JSON, None
    return PROVIDER_ERROR, None


def told_by_kind(counts: Mapping[str, int]) -> str:
    """Return counts by kind of error as text, the most frequent first.

    Parameters
    ----------
    counts
        Kind of error -> calls.

    Returns
    -------
    str
        Such as ``5 timeout, 2 cut_off``.
    """
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return ", ".join(f"{count:,} {kind}" for kind, count in ordered)


def _kind_of(status: int) -> str:
    return _OF_STATUS.get(status, SERVER_ERROR if status >= 500 else REFUSED)


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        yield one
        one = one.__cause__ or one.__context__
