"""The front door for asyncio: from a URL to a verdict, with everything that takes.

>>> import asyncio
>>> from robotsieve.aio import Response, Sieve
>>> async def fetch(request):
...     return Response(200, "User-agent: *\\nDisallow: /private")
>>> async def main():
...     async with Sieve("MyCrawler", fetcher=fetch) as sieve:
...         return (await sieve.decide("https://example.com/private/x")).verdict
>>> asyncio.run(main())
'disallow'

A :class:`Sieve` finds the site of a URL in memory or in its store, or fetches its robots.txt, once
however many tasks wait. `docs/asyncio.md` explains all of it.
"""

from __future__ import annotations

import asyncio
import atexit
import errno
import inspect
import itertools
import logging
import os
import re
import socket
import ssl
import threading
import warnings
import weakref
from collections import deque
from collections.abc import (
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Mapping,
    Sequence,
)
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, cast, get_args

from ._robotsieve import Config, Crawler, Origin
from ._robotsieve import SieveClock as Clock
from ._robotsieve import SieveCore as _Core
from ._robotsieve import SieveDecision as Decision
from ._robotsieve import SieveFetcher as Fetcher
from ._robotsieve import SieveInbox as _Inbox
from ._robotsieve import SieveReply as _Reply
from ._robotsieve import SieveSite as Site
from ._robotsieve import SieveTask as _Task

if TYPE_CHECKING:
    from .typing import AnyCrawler, AnyProfile

__all__ = [
    "Clock",
    "CustomFetcher",
    "Decision",
    "FetchError",
    "Fetcher",
    "LocalFault",
    "Request",
    "Response",
    "Sieve",
    "SieveClosed",
    "SieveError",
    "Site",
    "StoreError",
    "Undecided",
    "UnknownSite",
]

_log = logging.getLogger("robotsieve.aio")

_T = TypeVar("_T")

#: A URL, or the bytes of one.
Url = Union[str, bytes]

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
    it for what is no fault of the site. ``kind`` is ``descriptors``, ``memory``, ``route``,
    ``address``, ``permission``, ``resolver``, ``proxy``, ``network``, ``suspended`` or ``other``.
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
    #: The body, with content encodings undone. Only that of a 2xx answer counts.
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
    #: Whether the rest of the body was left out.
    is_truncated: bool = False


@dataclass(frozen=True)
class Undecided:
    """A URL of a stream without a decision. It is false, like a URL that may not be fetched."""

    #: The URL, as it was given.
    url: Url
    #: Why there is no decision.
    error: Exception

    @property
    def verdict(self) -> None:
        return None

    @property
    def is_allowed(self) -> bool:
        return False

    def __bool__(self) -> bool:
        return False


class CustomFetcher:
    """A way of yours to fetch, with settings. ``fetcher=session`` means ``CustomFetcher(session)``.

    ``fetch`` is an ``aiohttp.ClientSession``, an ``httpx.AsyncClient``, or an async function from a
    :class:`Request` to a :class:`Response`. The sieve follows redirects itself: up to
    ``max_redirects``, to the ports ``redirect_ports`` and the site's own. ``max_parallel`` attempts run
    at a time, and each ends after ``timeout`` seconds, redirects included.

    >>> from robotsieve.aio import CustomFetcher, Response
    >>> async def fetch(request):
    ...     return Response(404)
    >>> fetcher = CustomFetcher(fetch, timeout=30, max_parallel=8)
    """

    def __init__(
        self,
        fetch: Any,
        *,
        timeout: float = 60.0,
        max_parallel: int = 64,
        max_body_bytes: int = 1 << 20,
        max_redirects: int = 5,
        redirect_ports: Iterable[int] = (80, 443),
    ) -> None:
        self._fetch = _as_function(fetch)
        for name, value in (
            ("timeout", timeout),
            ("max_parallel", max_parallel),
            ("max_body_bytes", max_body_bytes),
        ):
            if not 0 < value < 2**31:
                raise ValueError(f"{name} must be more than 0, not {value!r}")
        self._timeout = float(timeout)
        self._settings = (
            float(timeout),
            max_parallel,
            max_body_bytes,
            max_redirects,
            list(redirect_ports),
        )


class Sieve:
    """Decides on URLs of any sites, fetching each robots.txt when it is needed.

    ``crawler`` is a name, a list of names from most to least specific, or a
    :class:`robotsieve.Crawler`; ``other_crawlers`` are judged in passing (``Decision.answers``).
    ``fetcher`` is a :class:`Fetcher`, an ``aiohttp.ClientSession``, an ``httpx.AsyncClient``, an async
    function from a :class:`Request` to a :class:`Response`, or a :class:`CustomFetcher`. Without one,
    known answers stay in use for ever, and other sites raise :class:`UnknownSite`.

    ``store`` is the path of the file where outcomes are kept; one process at a time may write it, and
    with ``read_only`` any number read it. ``protocol`` says what a fetch means: ``rfc9309``,
    ``google``, ``google-classic``, or a dict of settings; by default that of the ``profile``.
    ``overrides`` has sites whose answer you give: ``{"partner.example": "allow"}``, ``"disallow"`` or
    the bytes of a robots.txt. ``max_bytes`` is the memory for sites, 256 MiB by default, and ``slots``
    the number of places that are found fastest. After ``pause_after`` local faults in a row, 16 by
    default, nothing is asked for a while. ``clock`` is a :class:`Clock`, and ``as_of`` the time at which
    sites are judged: seconds since 1970, or ``"capture"``, when each was last asked.

    Use it in ``async with``, or close it. Any number of tasks and event loops may use it at once; a
    fetcher of yours runs in the loop that uses the sieve first.
    """

    def __init__(
        self,
        crawler: AnyCrawler,
        *,
        fetcher: Any = None,
        store: str | os.PathLike[str] | None = None,
        read_only: bool = False,
        other_crawlers: Iterable[AnyCrawler] = (),
        profile: AnyProfile | None = None,
        protocol: str | dict[str, Any] | None = None,
        config: Config | None = None,
        overrides: Mapping[str, str | bytes] | None = None,
        max_bytes: int | None = None,
        slots: int | None = None,
        pause_after: int | None = None,
        clock: Clock | None = None,
        as_of: float | Literal["capture"] | None = None,
    ) -> None:
        self._is_closed = True
        if clock is not None and as_of is not None:
            raise ValueError("give either clock or as_of: both say what time it is")
        own = fetcher if isinstance(fetcher, Fetcher) else None
        custom: CustomFetcher | None = None
        if fetcher is not None and own is None:
            is_custom = isinstance(fetcher, CustomFetcher)
            custom = fetcher if is_custom else CustomFetcher(fetcher)
        self._custom = custom
        self._core = _Core(
            [crawler, *other_crawlers],
            profile=profile,
            protocol=protocol,
            config=config,
            store=store,
            read_only=read_only,
            fetcher=own,
            outside=None if custom is None else custom._settings,
            clock=clock,
            as_of=as_of,
            overrides=None if overrides is None else dict(overrides),
            max_bytes=max_bytes,
            slots=slots,
            pause_after=pause_after,
        )
        self._is_closed = False
        self._lock = threading.Lock()
        self._ports: dict[asyncio.AbstractEventLoop, _Port] = {}
        self._process = os.getpid()
        _open.add(self)

    async def __aenter__(self) -> Sieve:
        self._port()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    def try_decide(self, url: Url, /) -> Decision | None:
        """The decision on a URL, if its site is in memory and its answer is current. Never waits."""
        return self._core.try_decide(url)

    async def decide(self, url: Url, /) -> Decision:
        """The decision on a URL for the first crawler.

        Returns at once if the site is in memory or in the store. Otherwise waits for a fetch, with all
        other tasks that ask about the site; cancelling one of them does not cancel the fetch. An
        unreachable site is no error: the decision is what follows from that.

        Raises :class:`robotsieve.InvalidOrigin` or :class:`robotsieve.InvalidUrl` for what is no URL of
        a site, :class:`LocalFault` if the site could not be asked for a reason on this side, and
        :class:`UnknownSite` if there is no fetcher.
        """
        decision = self._core.try_decide(url)
        if decision is not None:
            return decision
        return await self._ask(self._core.decide, url)

    async def decide_stream(
        self,
        urls: Iterable[Url] | AsyncIterable[Url],
        *,
        in_order: bool = False,
        max_waiting: int = 4096,
    ) -> AsyncIterator[Decision | Undecided]:
        """The decisions on many URLs, as they are ready: sites that have to be fetched do not hold up
        the others. A URL without a decision gives an :class:`Undecided`, which has ``error``.

        Takes URLs as it goes. Not more than ``max_waiting`` are taken and not returned yet, so memory
        is bounded. ``in_order`` keeps the order of the input.
        """
        if max_waiting < 1:
            raise ValueError("max_waiting must be 1 or more")
        port = self._port()
        source = _urls_of(urls)
        waiting: set[asyncio.Future[Decision]] = set()
        ready: deque[Decision | Undecided] = deque()
        ordered: deque[Decision | Undecided | asyncio.Future[Decision]] = deque()
        url_of: dict[asyncio.Future[Decision], Url] = {}
        news = asyncio.Event()

        def done(future: asyncio.Future[Decision]) -> None:
            waiting.discard(future)
            news.set()
            if not in_order:
                ready.append(_result(future, url_of.pop(future)))

        next_url: asyncio.Future[Url] | None = None
        has_ended = False
        turns = 0
        try:
            while True:
                while ready:
                    yield ready.popleft()
                while ordered:
                    first = ordered[0]
                    if isinstance(first, asyncio.Future):
                        if not first.done():
                            break
                        yield _result(first, url_of.pop(first))
                    else:
                        yield first
                    ordered.popleft()
                has_room = len(ordered if in_order else waiting) < max_waiting
                if has_ended or not has_room:
                    if not waiting:
                        if has_ended and not ordered:
                            return
                        continue
                    news.clear()
                    await news.wait()
                    continue
                turns += 1
                if turns % 128 == 0:
                    await asyncio.sleep(0)
                if isinstance(source, AsyncIterator):
                    if next_url is None:
                        next_url = asyncio.ensure_future(_next(source))
                        next_url.add_done_callback(lambda _: news.set())
                    if not next_url.done():
                        # A URL, or a decision: whichever is first.
                        news.clear()
                        await news.wait()
                        continue
                    finished, next_url = next_url, None
                    try:
                        url = finished.result()
                    except StopAsyncIteration:
                        has_ended = True
                        continue
                else:
                    try:
                        url = next(source)
                    except StopIteration:
                        has_ended = True
                        continue
                decided: Decision | Undecided | asyncio.Future[Decision]
                try:
                    found = self._core.try_decide(url)
                    decided = port.begin(self._core.decide, url) if found is None else found
                except SieveClosed:
                    raise
                except (SieveError, ValueError) as error:
                    decided = Undecided(url, error)
                if isinstance(decided, asyncio.Future):
                    url_of[decided] = url
                    waiting.add(decided)
                    decided.add_done_callback(done)
                    if in_order:
                        ordered.append(decided)
                elif in_order:
                    ordered.append(decided)
                else:
                    yield decided
        finally:
            if next_url is not None:
                next_url.cancel()
            for future in list(waiting):
                future.remove_done_callback(done)
                future.cancel()

    async def site(self, origin: Url | Origin, /) -> Site:
        """The site of an origin, or of a URL, found as in :meth:`decide`."""
        return await self._ask(self._core.site, origin)

    async def fetch(self, origin: Url | Origin, /) -> Site:
        """Fetches the robots.txt of an origin now, even if its answer is current, and waits until the
        outcome is stored. If an attempt is running already, waits for that one."""
        return await self._ask(self._core.fetch, origin)

    async def settled(self) -> None:
        """Waits until no attempt is running and all outcomes are stored."""
        await self._ask(self._core.settled)

    def is_due(self, origin: Url | Origin, /) -> bool:
        """Whether an origin should be fetched now: it is unknown, its answer has expired or is about
        to, or it is time to try again after a failure."""
        return self._core.is_due(origin)

    async def site_answered(self, origin: Url | Origin, /) -> None:
        """Reports that a site has answered requests for other pages. In the protocol ``google`` this
        counts when its robots.txt has been unreachable for 30 days."""
        await self._ask(self._core.site_answered, origin)

    async def errors_mean_absent(self, origin: Url | Origin, does: bool, /) -> None:
        """Reports whether a site answers 5xx for pages that do not exist. If it does, then from the
        next attempt on 5xx means that it has no robots.txt."""
        await self._ask(self._core.errors_mean_absent, origin, does)

    @property
    def crawlers(self) -> list[Crawler]:
        """The crawlers, in their order."""
        return self._core.crawlers

    @property
    def metrics(self) -> dict[str, Any]:
        """Counts and times since the sieve was made: ``decisions``, ``from_table``, ``from_memory``,
        ``from_store``, ``waited``, ``attempts``, ``present``, ``absent``, ``unreachable``,
        ``local_faults``, ``store_errors``, … The Rust type ``Metrics`` describes each. The times have
        ``total`` and ``longest`` in seconds, and ``buckets`` by powers of two of a microsecond."""
        metrics: dict[str, Any] = self._core.metrics
        for times in (metrics["attempt_times"], metrics["store_times"]):
            for name in ("total", "longest"):
                times[name] = times[name]["secs"] + times[name]["nanos"] / 1e9
        return metrics

    def prometheus(self) -> str:
        """The metrics in the text format of Prometheus."""
        return self._core.prometheus()

    @property
    def running_attempts(self) -> int:
        """How many attempts to fetch are running."""
        return self._core.running_attempts

    @property
    def is_paused(self) -> bool:
        """Whether nothing is asked for a while, after local faults in a row."""
        return self._core.is_paused

    @property
    def is_closed(self) -> bool:
        """Whether the sieve was closed."""
        return self._is_closed

    async def aclose(self) -> None:
        """Closes the sieve. Fetches end, whoever waits gets :class:`SieveClosed`, and what was fetched
        is stored. The store can then be opened again."""
        if self._is_closed:
            return
        self._is_closed = True
        tasks: set[asyncio.Task[None]] = set()
        try:
            self._core.end_fetches()
            port = self._port()
            tasks = set(port.tasks)
            for task in tasks:
                task.cancel()
            await self._ask(self._core.settled)
        finally:
            self._end()
            if tasks:
                # A fetcher that does not let itself be cancelled is left behind.
                await asyncio.wait(tasks, timeout=5)

    def close(self) -> None:
        """:meth:`aclose` without waiting: what has been fetched and is not stored yet may be lost."""
        if not self._is_closed:
            self._is_closed = True
            self._end()

    def _end(self) -> None:
        errors = 0
        try:
            errors = self._core.metrics["store_errors"]
        except SieveClosed:
            pass
        self._core.close()
        if errors:
            _log.warning("%d reads or writes of the store have failed", errors)
        for port in list(self._ports.values()):
            port.end()
        self._ports.clear()

    def __del__(self) -> None:
        if not self._is_closed and self._process == os.getpid():
            text = f"{self!r} was not closed: use it in 'async with', or call close()"
            warnings.warn(text, ResourceWarning, stacklevel=2, source=self)
            self.close()

    def __repr__(self) -> str:
        names = ", ".join(map(repr, self._core.crawlers))
        return f"<robotsieve.aio.Sieve for {names}{', closed' if self._is_closed else ''}>"

    def _port(self) -> _Port:
        loop = asyncio.get_running_loop()
        port = self._ports.get(loop)
        if port is not None:
            return port
        with self._lock:
            for other in [other for other in self._ports if other.is_closed()]:
                self._ports.pop(other).abandon()
            port = self._ports[loop] = _Port(loop, self._custom)
            self._core.set_home(port.inbox)
        return port

    async def _ask(self, begin: Callable[..., _T | _Task], *arguments: Any) -> _T:
        began = self._port().begin(begin, *arguments)
        if not isinstance(began, asyncio.Future):
            return began
        try:
            return await began
        except LocalFault:
            if self._is_closed:
                raise SieveClosed("the sieve was closed: make a new one") from None
            raise


_open: weakref.WeakSet[Sieve] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    """No thread of a sieve may need the interpreter when it ends."""
    for sieve in list(_open):
        if sieve._process == os.getpid():
            sieve.close()


def _result(future: asyncio.Future[Decision], url: Url) -> Decision | Undecided:
    if future.cancelled():
        return Undecided(url, SieveClosed("the sieve was closed: make a new one"))
    error = future.exception()
    if error is None:
        return future.result()
    if not isinstance(error, Exception):
        raise error
    return Undecided(url, error)


def _urls_of(urls: Iterable[Url] | AsyncIterable[Url]) -> AsyncIterator[Url] | Any:
    if isinstance(urls, (str, bytes)):
        raise TypeError("urls must be many URLs; for one, call decide")
    if isinstance(urls, AsyncIterable):
        return urls.__aiter__()
    try:
        return iter(urls)
    except TypeError:
        kind = type(urls).__name__
        raise TypeError(f"urls must be an iterable or async iterable of URLs, not {kind}") from None


async def _next(source: AsyncIterator[Url]) -> Url:
    return await source.__anext__()


#: How often it is looked whether the loop runs, in seconds, while something is fetched.
_BEAT = 0.5

#: A loop that was stopped for longer cannot tell who was silent.
_STOPPED = 1.0


class _Port:
    """What connects an event loop with a sieve. Used by the loop's thread alone."""

    def __init__(self, loop: asyncio.AbstractEventLoop, custom: CustomFetcher | None) -> None:
        self.loop = loop
        self.custom = custom
        self.numbers = itertools.count(1)
        self.waiting: dict[int, asyncio.Future[Any]] = {}
        self.tasks: set[asyncio.Task[None]] = set()
        self.replies: set[_Reply] = set()
        self.beat = 0.0
        self.is_beating = False
        self.stopped = float("-inf")
        # The native side must not keep the port alive, or nothing would ever end it.
        this = weakref.ref(self)

        def ready() -> None:
            port = this()
            if port is not None:
                port.take()

        self.inbox = _Inbox(loop.call_soon_threadsafe, ready)

    def begin(
        self, begin: Callable[..., _T | _Task], *arguments: Any
    ) -> _T | asyncio.Future[_T]:
        """Begins something: its result, or a future."""
        number = next(self.numbers)
        began = begin(self.inbox, number, *arguments)
        if not isinstance(began, _Task):
            return began
        task = began
        future: asyncio.Future[_T] = self.loop.create_future()
        self.waiting[number] = future

        def done(future: asyncio.Future[_T]) -> None:
            if future.cancelled() and self.waiting.pop(number, None) is not None:
                task.abort()

        future.add_done_callback(done)
        return future

    def take(self) -> None:
        """Takes what is ready."""
        for number, value in self.inbox.take():
            if number == 0:
                task = self.loop.create_task(self.fetch(value))
                self.tasks.add(task)
                task.add_done_callback(self.tasks.discard)
                continue
            future = self.waiting.pop(number, None)
            if future is None or future.done():
                continue
            if isinstance(value, BaseException):
                future.set_exception(value)
            else:
                future.set_result(value)

    def end(self) -> None:
        """The sieve is closed. May be called from any thread."""

        def end() -> None:
            self.inbox.close()
            for task in self.tasks:
                task.cancel()
            waiting, self.waiting = self.waiting, {}
            for future in waiting.values():
                if not future.done():
                    future.set_exception(SieveClosed("the sieve was closed: make a new one"))

        try:
            is_own = asyncio.get_running_loop() is self.loop
        except RuntimeError:
            is_own = False
        if is_own:
            end()
            return
        try:
            self.loop.call_soon_threadsafe(end)
        except RuntimeError:
            self.abandon()

    def abandon(self) -> None:
        """The loop is closed: nothing of it goes on."""
        self.inbox.close()
        for reply in self.replies:
            reply.fail("other", "the event loop was closed during the fetch", True)
        self.replies.clear()
        self.waiting.clear()

    async def fetch(self, reply: _Reply) -> None:
        """Makes an attempt."""
        assert self.custom is not None
        began = self.loop.time()
        self.replies.add(reply)
        self.begin_beating()
        try:
            await asyncio.wait_for(_follow(self.custom._fetch, reply), self.custom._timeout)
        except Exception as error:
            kind, text, is_local = _verdict(error) or _unknown(error, reply.robots_url)
            if not is_local and kind in _AMBIGUOUS:
                if self.stopped >= began:
                    kind, is_local = "suspended", True
                    text = f"the event loop stood still meanwhile; {text}"
                elif (fault := _hidden_shortage()) is not None:
                    kind, text, is_local = fault
            reply.fail(kind, text, is_local)
        finally:
            # It was cancelled, if it has no outcome.
            reply.fail("other", "the fetch was cancelled", True)
            self.replies.discard(reply)

    def begin_beating(self) -> None:
        if not self.is_beating:
            self.is_beating = True
            self.beat = self.loop.time()
            self.loop.call_later(_BEAT, self.keep_beating)

    def keep_beating(self) -> None:
        now = self.loop.time()
        if now - self.beat > _BEAT + _STOPPED:
            self.stopped = now
        self.beat = now
        self.is_beating = bool(self.tasks)
        if self.is_beating:
            self.loop.call_later(_BEAT, self.keep_beating)


_Fetch = Callable[[Request], Awaitable[Response]]


async def _follow(fetch: _Fetch, reply: _Reply) -> None:
    """Requests one URL after another until the answer is no redirect."""
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
        body = response.body
        body = body.encode("utf-8", "surrogateescape") if isinstance(body, str) else bytes(body)
        if not reply.answer(status, _header_list(response.headers), body, response.is_truncated):
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


def _as_function(fetcher: Any) -> _Fetch:
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
    if isinstance(fetcher, (Fetcher, CustomFetcher)) or not callable(fetcher):
        raise TypeError(f"fetcher must be {_TAKEN}; not {type(fetcher).__name__}")
    return cast("_Fetch", fetcher)


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


def _by_aiohttp(session: Any) -> _Fetch:
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


def _by_httpx(client: Any) -> _Fetch:
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


# --- What an exception of a fetcher means -----------------------------------------------------------

#: A kind, a text, and whether the fault is on this side.
_Verdict = tuple[str, str, bool]

#: Failures that may as well come from this side.
_AMBIGUOUS = {"dns", "connect", "tls", "connect-timeout", "read-timeout", "timeout", "broken"}

_SHORTAGES = {
    errno.EMFILE: "descriptors",
    errno.ENFILE: "descriptors",
    errno.ENOMEM: "memory",
    errno.ENOBUFS: "memory",
    errno.EADDRNOTAVAIL: "address",
    errno.EACCES: "permission",
    errno.EPERM: "permission",
}
_NO_ROUTE = {errno.ENETUNREACH, errno.ENETDOWN, errno.EAFNOSUPPORT}
_UNREACHABLE = {errno.EHOSTUNREACH, errno.EHOSTDOWN}
_NO_CONNECTION = {errno.ECONNREFUSED, errno.ETIMEDOUT}
_LOST = {errno.ECONNRESET, errno.ECONNABORTED, errno.EPIPE, errno.ENOTCONN, errno.ESHUTDOWN}

#: The exceptions of the libraries, by package and name.
_BY_NAME: dict[tuple[str, str], tuple[str, bool]] = {
    ("aiohttp", "ClientConnectorCertificateError"): ("tls", False),
    ("aiohttp", "ClientConnectorDNSError"): ("dns", False),
    ("aiohttp", "ClientConnectorError"): ("connect", False),
    ("aiohttp", "ClientConnectorSSLError"): ("tls", False),
    ("aiohttp", "ClientHttpProxyError"): ("proxy", True),
    ("aiohttp", "ClientPayloadError"): ("broken", False),
    ("aiohttp", "ClientProxyConnectionError"): ("proxy", True),
    ("aiohttp", "ClientResponseError"): ("broken", False),
    ("aiohttp", "ConnectionTimeoutError"): ("connect-timeout", False),
    ("aiohttp", "ContentEncodingError"): ("encoding", False),
    ("aiohttp", "HttpProcessingError"): ("broken", False),
    ("aiohttp", "ServerDisconnectedError"): ("broken", False),
    ("aiohttp", "ServerFingerprintMismatch"): ("tls", False),
    ("aiohttp", "ServerTimeoutError"): ("timeout", False),
    ("aiohttp", "SocketTimeoutError"): ("read-timeout", False),
    ("httpx", "CloseError"): ("broken", False),
    ("httpx", "ConnectError"): ("connect", False),
    ("httpx", "ConnectTimeout"): ("connect-timeout", False),
    ("httpx", "DecodingError"): ("encoding", False),
    ("httpx", "LocalProtocolError"): ("other", True),
    ("httpx", "PoolTimeout"): ("other", True),
    ("httpx", "ProxyError"): ("proxy", True),
    ("httpx", "ReadError"): ("broken", False),
    ("httpx", "ReadTimeout"): ("read-timeout", False),
    ("httpx", "RemoteProtocolError"): ("broken", False),
    ("httpx", "WriteError"): ("broken", False),
    ("httpx", "WriteTimeout"): ("read-timeout", False),
}


def _verdict(error: BaseException, depth: int = 0) -> _Verdict | None:
    """What an exception means, by itself and by its causes. A fault of this side counts wherever it
    is; among the site's the outermost that says more than 'no connection'."""
    causes = []
    if depth < 16:
        # Libraries raise 'from None', so what was suppressed counts too.
        inner = [getattr(error, "os_error", None), error.__cause__, error.__context__]
        by_id = {id(cause): cause for cause in inner if isinstance(cause, BaseException)}
        found = [_verdict(cause, depth + 1) for cause in by_id.values()]
        found.append(_gravest([_verdict(one, depth + 1) for one in _parts(error)]))
        causes = [verdict for verdict in found if verdict is not None]
    own = _own_verdict(error)
    if own is not None and own[2]:
        return own
    for cause in causes:
        if cause[2]:
            return cause
    if causes and (own is None or own[0] in ("connect", "broken")):
        return causes[0]
    return own


def _parts(error: BaseException) -> Sequence[BaseException]:
    parts = getattr(error, "exceptions", None)
    return parts if isinstance(parts, tuple) else ()


def _gravest(verdicts: list[_Verdict | None]) -> _Verdict | None:
    """Of several addresses' failures, the one that says most of the site. There may be no route to the
    addresses of one family, and that says nothing."""
    known = [verdict for verdict in verdicts if verdict is not None]
    for is_wanted in (
        lambda verdict: verdict[2] and verdict[0] != "route",
        lambda verdict: not verdict[2],
        lambda verdict: True,
    ):
        for verdict in known:
            if is_wanted(verdict):
                return verdict
    return None


def _own_verdict(error: BaseException) -> _Verdict | None:
    text = str(error) or type(error).__name__
    if isinstance(error, LocalFault):
        return error.kind, error.text, True
    if isinstance(error, FetchError):
        return error.kind, error.text, False
    if isinstance(error, MemoryError):
        return "memory", text, True
    for cls in type(error).__mro__:
        named = _BY_NAME.get((cls.__module__.partition(".")[0], cls.__name__))
        if named is not None:
            return named[0], text, named[1]
    if isinstance(error, ssl.SSLError):
        return "tls", text, False
    if isinstance(error, socket.gaierror):
        return _of_lookup(error, text)
    if isinstance(error, OSError) and error.errno is not None:
        return _of_errno(error.errno, text)
    if isinstance(error, (asyncio.TimeoutError, TimeoutError)):
        return "timeout", text, False
    if isinstance(error, (asyncio.IncompleteReadError, ConnectionError)):
        return "broken", text, False
    if isinstance(error, OSError):
        # 'Multiple exceptions: [Errno 101] …, [Errno 111] …'
        codes = [int(code) for code in re.findall(r"\[Errno (\d+)\]", text)]
        return _gravest([_of_errno(code, text) for code in codes]) or ("connect", text, False)
    return None


def _of_errno(code: int, text: str) -> _Verdict | None:
    if code in _SHORTAGES:
        return _SHORTAGES[code], text, True
    if code in _NO_ROUTE or (code in _UNREACHABLE and not _has_route()):
        return "route", text, True
    if code in _UNREACHABLE or code in _NO_CONNECTION:
        return "connect", text, False
    return ("broken", text, False) if code in _LOST else None


def _of_lookup(error: socket.gaierror, text: str) -> _Verdict:
    names = ("EAI_NONAME", "EAI_NODATA", "EAI_ADDRFAMILY")
    if error.errno in {getattr(socket, name, None) for name in names}:
        return "dns", text, False
    if error.errno == socket.EAI_MEMORY:
        return "memory", text, True
    # Silent name servers, or a name whose own are silent: the system does not tell.
    return "resolver", text, True


def _has_route() -> bool:
    """Whether there is a route to the world. Connecting a UDP socket sends nothing."""
    for family, address in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((address, 9))
                return True
        except OSError:
            pass
    return False


def _hidden_shortage() -> _Verdict | None:
    """The fault, if no socket can be opened now. Some libraries hide it."""
    try:
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close()
    except OSError as error:
        verdict = _of_errno(error.errno or 0, str(error))
        return verdict if verdict is not None and verdict[2] else None
    return None


def _unknown(error: Exception, url: str) -> _Verdict:
    """An exception that says nothing of the site: the fetcher is at fault."""
    _log.warning("the fetcher raised an unexpected exception for %s", url, exc_info=error)
    return "other", f"the fetcher raised {type(error).__name__}: {error}", True
