"""How a sieve fetches by the caller's means: what is asked and answered, and the libraries."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

if TYPE_CHECKING:
    from robotsieve_fetch import Reply

#: What went wrong at the site's end: see :class:`FetchError`.
FetchErrorKind = Literal[
    "dns",
    "refused",
    "connect",
    "tls",
    "connect-timeout",
    "read-timeout",
    "timeout",
    "broken",
    "encoding",
    "too-many-redirects",
    "redirect-loop",
    "bad-redirect",
    "refused-redirect",
]

#: What is at fault on this side: see :class:`LocalFault`.
LocalKind = Literal[
    "descriptors",
    "memory",
    "route",
    "address",
    "permission",
    "resolver",
    "proxy",
    "network",
    "other",
    "suspended",
    "unconfirmed",
    "certificates",
]


class SieveError(Exception):
    """Why there is no decision. What is wrong with a URL is :class:`robotsieve.InvalidOrigin` or
    :class:`robotsieve.InvalidUrl` instead."""


class SieveClosed(SieveError):
    """The sieve was closed, or belongs to another process."""


class UnknownSite(SieveError):
    """Nothing is known of the site, and the sieve has no fetcher."""


class StoreError(SieveError):
    """The store could not be opened, read or written."""


class LocalFault(SieveError):
    """The site could not be asked, and the fault is on this side: nothing follows for the site.

    Raised where a decision needs a fetch that failed so; ask again later. A fetcher of yours raises
    it for what is not a fault of the site. ``kind`` is ``descriptors``, ``memory``, ``route``,
    ``address``, ``permission``, ``resolver``, ``proxy``, ``network``, ``suspended`` or ``other``;
    ``certificates`` if no https site has shown a valid one yet; or ``unconfirmed`` if the site did not answer and nothing has yet, so that the fault may be the
    network's.
    """

    kind: LocalKind
    text: str

    def __init__(self, kind: LocalKind, text: str = "") -> None:
        if kind not in get_args(LocalKind):
            raise ValueError(f"there is no kind {kind!r} of a LocalFault; see its documentation")
        super().__init__(kind, text)
        self.kind = kind
        self.text = text

    def __str__(self) -> str:
        return f"the site could not be asked, for a reason on this side ({self.kind}): {self.text}"


class FetchError(Exception):
    """Raised by a fetcher of yours: the site gave no answer. The sieve decides what follows.

    ``kind`` is ``dns``, ``connect``, ``tls``, ``connect-timeout``, ``read-timeout``, ``timeout``,
    ``broken``, ``encoding`` or ``refused`` (an address that you don't connect to), after which the
    site is unreachable; or ``too-many-redirects``, ``redirect-loop`` or ``bad-redirect``, after which
    it has no robots.txt; or ``refused-redirect``, after which it is unreachable.
    """

    kind: FetchErrorKind
    text: str

    def __init__(self, kind: FetchErrorKind, text: str = "") -> None:
        if kind not in get_args(FetchErrorKind):
            raise ValueError(f"there is no kind {kind!r} of a FetchError; see its documentation")
        super().__init__(kind, text)
        self.kind = kind
        self.text = text

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}"


@dataclass(frozen=True)
class Request:
    """What a fetcher of yours is asked for: one HTTP request."""

    #: The URL to request. A redirect that you return comes back as another request.
    url: str
    #: The URL of the robots.txt, from which redirects led to ``url``.
    robots_url: str
    #: Headers to send: those that make the request conditional, so that 304 may be the answer.
    headers: Mapping[str, str]
    #: How much of the body counts. It is enough to read one byte more.
    max_body_bytes: int


@dataclass(frozen=True)
class Response:
    """What a fetcher of yours answers."""

    #: The HTTP status.
    status: int
    #: The body, with content encodings undone. Only that of a 2xx answer counts. Bytes that are fewer
    #: than the headers announce are a broken answer, unless there is a content encoding.
    body: str | bytes | bytearray | memoryview = b""
    #: All headers.
    headers: (
        Mapping[str, str]
        | Mapping[bytes, bytes]
        | Iterable[tuple[str, str]]
        | Iterable[tuple[bytes, bytes]]
    ) = ()
    #: The redirects that you have followed yourself, in order: status and target.
    redirects: Sequence[tuple[int, str]] = ()
    #: True if the rest of the body was left out.
    is_truncated: bool = False


Fetch = Callable[[Request], Awaitable[Response]]


async def follow(fetch: Fetch, reply: Reply) -> None:
    """Requests one URL after another until the answer is not a redirect."""
    while (url := reply.url) is not None:
        headers = {name: value.decode("latin-1") for name, value in reply.validators}
        answer: Any = fetch(Request(url, reply.robots_url, headers, reply.max_body_bytes))
        if not inspect.isawaitable(answer):
            raise LocalFault("other", f"the fetcher must be an async function; it returned {answer!r}")
        response: Any = await answer
        if not isinstance(response, Response):
            text = f"the fetcher must return a robotsieve.aio.Response, not {type(response).__name__}"
            raise LocalFault("other", text)
        status = response.status
        if type(status) is not int or not 200 <= status <= 999:
            raise LocalFault("other", f"the fetcher returned the status {status!r}, which no answer has")
        for redirect, target in response.redirects:
            if not reply.answer(redirect, [(b"location", _encoded(target))], b""):
                return
        body, fields = response.body, _header_list(response.headers)
        if isinstance(body, str):
            # Its length in bytes may have been another one before it was decoded.
            fields = [field for field in fields if field[0].lower() != b"content-length"]
            body = body.encode("utf-8", "surrogateescape")
        if not reply.answer(status, fields, bytes(body), response.is_truncated):
            return


def _header_list(headers: Any) -> list[tuple[bytes, bytes]]:
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    return [(_encoded(name), _encoded(value)) for name, value in pairs]


def _encoded(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")


_TAKEN = (
    "a robotsieve.aio.Fetcher or CustomFetcher, an aiohttp.ClientSession, an httpx.AsyncClient, or an "
    "async function that takes a Request and returns a Response"
)


def as_function(fetcher: Any) -> Fetch:
    """The function that a fetcher stands for. The libraries are recognised, not imported."""
    if isinstance(fetcher, type):
        raise TypeError(f"fetcher must be an instance of {fetcher.__name__}, not the class")
    names = {(cls.__module__.partition(".")[0], cls.__name__) for cls in type(fetcher).__mro__}
    if ("aiohttp", "ClientSession") in names:
        return _by_aiohttp(fetcher)
    if ("httpx", "AsyncClient") in names:
        return _by_httpx(fetcher)
    if names & {("httpx", "Client"), ("requests", "Session")}:
        kind = type(fetcher).__name__
        raise TypeError(f"fetcher must not block, as {kind} does; it may be {_TAKEN}")
    if not callable(fetcher):
        raise TypeError(f"fetcher must be {_TAKEN}; not {type(fetcher).__name__}")
    return cast("Fetch", fetcher)


_ACCEPT = "text/plain, */*;q=0.5"


def _only_http(request: Request, library: str) -> None:
    if not request.url.startswith(("http://", "https://")):
        raise LocalFault("other", f"{library} does not fetch {request.url}; robotsieve.aio.Fetcher does")


async def _body(chunks: AsyncIterable[bytes], request: Request, status: int) -> bytes:
    """The body of an answer, and at most one byte too much. Other bodies are not read."""
    body = bytearray()
    if 200 <= status < 300:
        async for chunk in chunks:
            body += chunk
            if len(body) > request.max_body_bytes:
                break
    return bytes(body[: request.max_body_bytes + 1])


def _undone(encodings: str, offered: str) -> None:
    """Raises if the library cannot have undone these content encodings."""
    known = {name.strip().partition(";")[0].lower() for name in offered.split(",")} | {"identity", ""}
    for name in encodings.split(","):
        name = name.strip().lower()
        if name.removeprefix("x-") not in known:
            raise FetchError("encoding", f"unknown content encoding {name!r}")


def _by_aiohttp(session: Any) -> Fetch:
    async def fetch(request: Request) -> Response:
        from yarl import URL  # aiohttp needs it too.

        _only_http(request, "aiohttp")
        headers = {"Accept": _ACCEPT, **request.headers}
        if not session.auto_decompress:
            headers["Accept-Encoding"] = "identity"
        async with session.get(
            URL(request.url, encoded=True),
            headers=headers,
            allow_redirects=False,
            raise_for_status=False,
        ) as answer:
            offered = answer.request_info.headers.get("Accept-Encoding", "")
            _undone(answer.headers.get("Content-Encoding", ""), offered)
            body = await _body(answer.content.iter_any(), request, answer.status)
            return Response(answer.status, body, answer.raw_headers)

    return fetch


def _by_httpx(client: Any) -> Fetch:
    async def fetch(request: Request) -> Response:
        _only_http(request, "httpx")
        headers = {"Accept": _ACCEPT, **request.headers}
        async with client.stream(
            "GET", request.url, headers=headers, follow_redirects=False
        ) as answer:
            offered = answer.request.headers.get("Accept-Encoding", "")
            _undone(answer.headers.get("Content-Encoding", ""), offered)
            body = await _body(answer.aiter_bytes(), request, answer.status_code)
            return Response(answer.status_code, body, answer.headers.raw)

    return fetch
