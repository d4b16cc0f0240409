"""How a sieve fetches by the caller's means: what is asked and answered, and the libraries."""

from __future__ import annotations

import inspect
from collections.abc import (
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager, nullcontext
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
    ``certificates`` if no https site has shown a valid one yet; or ``unconfirmed`` if nothing follows
    for this site alone: it did not answer and nothing has yet, so that the fault may be the network's, or
    a session cannot ask it (ftp).
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
    #: True if redirects have left the site's host and port, or https for http. Send no credentials then
    #: that are meant for the site.
    is_elsewhere: bool = False


@dataclass(frozen=True)
class Response:
    """What a fetcher of yours answers."""

    #: The HTTP status.
    status: int
    #: The body. Only that of a 2xx answer other than 206 counts. Bytes that are fewer than the headers announce are a
    #: broken answer, unless a content encoding was undone.
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
    #: True if the body has the content encodings that ``headers`` name: the sieve undoes them. False if
    #: they are undone: bytes that are no text are then not taken for it.
    is_encoded: bool = False


Fetch = Callable[[Request], Awaitable[Response]]


async def follow(fetch: Fetch, reply: Reply) -> None:
    """Requests one URL after another until the answer is not a redirect."""
    while (url := reply.url) is not None:
        headers = {name: value.decode("latin-1") for name, value in reply.validators}
        answer: Any = fetch(
            Request(url, reply.robots_url, headers, reply.max_body_bytes, reply.is_elsewhere)
        )
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
            if not reply.is_redirect(redirect):
                raise LocalFault("other", f"the fetcher returned {redirect!r} among its redirects")
            if not reply.answer(redirect, [(b"location", _encoded(target))], b""):
                return
        body, fields = response.body, _header_list(response.headers)
        is_encoded = response.is_encoded
        if isinstance(body, str):
            is_encoded = False
            # Its length in bytes may have been another one before it was decoded.
            fields = [field for field in fields if field[0].lower() != b"content-length"]
            body = body.encode("utf-8", "surrogateescape")
        if not reply.answer(status, fields, bytes(body), response.is_truncated, is_encoded):
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
        # It concerns this site only, and all others can be asked.
        text = f"{library} does not fetch {request.url}; robotsieve.aio.Fetcher does"
        raise LocalFault("unconfirmed", text)


async def _body(chunks: AsyncIterable[bytes], request: Request, status: int) -> bytes:
    """The body of an answer, and at most one byte too much. Other bodies are not read."""
    from robotsieve_fetch import Reply

    body = bytearray()
    if Reply.has_file(status):
        async for chunk in chunks:
            body += chunk
            if len(body) > request.max_body_bytes:
                break
    return bytes(body[: request.max_body_bytes + 1])


def _credentials(headers: Iterable[str]) -> list[str]:
    """Those of a session's headers that no redirect may carry to another host."""
    from robotsieve_fetch import Reply

    return [name for name in headers if name.lower() not in {*Reply.HARMLESS, *_LIBRARIES}]


#: What the libraries send by themselves.
_LIBRARIES = {"user-agent", "connection", "host"}


@asynccontextmanager
async def _without_credentials(session: Any) -> AsyncIterator[Any]:
    """A session over the same connections and cookies that has no credentials of the session's."""
    hidden = _credentials(session.headers)
    if not hidden and session.auth is None:
        yield session
        return
    headers = [(name, value) for name, value in session.headers.items() if name not in hidden]
    async with type(session)(
        connector=session.connector,
        connector_owner=False,
        cookie_jar=session.cookie_jar,
        headers=headers,
        timeout=session.timeout,
        trust_env=session.trust_env,
        trace_configs=session.trace_configs,
    ) as other:
        yield other


def _by_aiohttp(session: Any) -> Fetch:
    async def fetch(request: Request) -> Response:
        from yarl import URL  # aiohttp needs it too.

        _only_http(request, "aiohttp")
        asks = _without_credentials(session) if request.is_elsewhere else nullcontext(session)
        async with asks as asking, asking.get(
            URL(request.url, encoded=True),
            headers={"Accept": _ACCEPT, **request.headers},
            allow_redirects=False,
            raise_for_status=False,
            proxy=getattr(session, "_default_proxy", None),
            proxy_auth=getattr(session, "_default_proxy_auth", None),
            # The sieve undoes more encodings, and knows which words are none.
            auto_decompress=False,
        ) as answer:
            body = await _body(answer.content.iter_any(), request, answer.status)
            return Response(answer.status, body, answer.raw_headers, is_encoded=True)

    return fetch


class _Redirected(Exception):
    """An answer of httpx whose ``Location`` httpx shall not look at: it raises errors of its own for
    what a site may send there."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer


#: Marks the requests of a sieve, which share the client with others.
_OWN = "robotsieve"


async def _no_redirect(answer: Any) -> None:
    """A hook of an httpx client: its redirects are the sieve's to follow."""
    if answer.has_redirect_location and _OWN in answer.request.extensions:
        raise _Redirected(answer)


def _by_httpx(client: Any) -> Fetch:
    async def fetch(request: Request) -> Response:
        _only_http(request, "httpx")
        # As bytes, for an `ETag` that is not ASCII.
        headers = {"Accept": _ACCEPT.encode()}
        headers |= {name: value.encode("latin-1") for name, value in request.headers.items()}
        hooks = client.event_hooks["response"]
        if _no_redirect not in hooks:
            hooks.insert(0, _no_redirect)
        if len(hooks) > 1:
            # Other hooks may read the body, and what they leave of an encoded one is not all.
            headers["Accept-Encoding"] = b"identity"
        asked = client.build_request("GET", request.url, headers=headers, extensions={_OWN: True})
        sent: dict[str, Any] = {"stream": True, "follow_redirects": False}
        if request.is_elsewhere:
            sent["auth"] = None
            for name in _credentials(client.headers):
                asked.headers.pop(name, None)
        try:
            answer = await client.send(asked, **sent)
            try:
                return await _of_httpx(answer, request)
            finally:
                await answer.aclose()
        except Exception as error:
            # Hooks like to raise for a status; one that asks others may raise for that of another answer.
            answer = getattr(error, "answer", None) or getattr(error, "response", None)
            is_own = _OWN in getattr(getattr(answer, "request", None), "extensions", ())
            if answer is None or not is_own or 200 <= answer.status_code < 300:
                raise
            return Response(answer.status_code, b"", answer.headers.raw)

    return fetch


async def _of_httpx(answer: Any, request: Request) -> Response:
    status, headers = answer.status_code, answer.headers.raw
    if not answer.is_stream_consumed:
        body = await _body(answer.aiter_raw(), request, status)
        return Response(status, body, headers, is_encoded=True)
    # A hook has read it, or httpx itself that of a transport that stands in for the network.
    if not answer.headers.get("Content-Encoding"):
        return Response(status, answer.content, headers)
    raw, downloaded = answer.content, answer.num_bytes_downloaded
    if not raw or len(raw) != downloaded:
        try:
            raw = b"".join([chunk async for chunk in answer.stream])
        except Exception:
            raw = b""
    # Of a transport's own bytes httpx counts none. The network's come once.
    if downloaded not in (0, len(raw)):
        text = "a hook of the httpx client has read the body, so nobody knows which encodings were undone"
        raise FetchError("encoding", text)
    return Response(status, raw, headers, is_encoded=True)
