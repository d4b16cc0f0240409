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
import itertools
import logging
import os
import threading
import warnings
import weakref
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union

from ._failures import hidden_shortage, unknown, verdict
from ._fetching import (
    FetchError,
    LocalFault,
    Request,
    Response,
    SieveClosed,
    SieveError,
    StoreError,
    UnknownSite,
    as_function,
    follow,
)
from ._robotsieve import Config, Crawler, Origin, PolicySet, Profile, __version__

_WAY_OUT = (
    f"pip install 'robotsieve[fetch]=={__version__}', or pip install ./python ./python/fetch in a clone"
)
try:
    import robotsieve_fetch as _native
except ModuleNotFoundError as _error:
    if _error.name != "robotsieve_fetch":
        raise
    raise ImportError(
        f"robotsieve.aio needs the package robotsieve-fetch, which is not installed: {_WAY_OUT}"
    ) from None
if _native.__version__ != __version__:
    raise ImportError(
        f"robotsieve.aio is of version {__version__}, and the package robotsieve-fetch of "
        f"{_native.__version__}: {_WAY_OUT}"
    )

from robotsieve_fetch import Clock, Decision, Fetcher, Site
from robotsieve_fetch import Core as _Core
from robotsieve_fetch import Inbox as _Inbox
from robotsieve_fetch import Reply as _Reply
from robotsieve_fetch import Task as _Task

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

for _public in (
    FetchError,
    LocalFault,
    Request,
    Response,
    SieveClosed,
    SieveError,
    StoreError,
    UnknownSite,
):
    _public.__module__ = __name__

_log = logging.getLogger("robotsieve.aio")

_T = TypeVar("_T")

#: A URL, or the bytes of one.
Url = Union[str, bytes]


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
        self._fetch = as_function(fetch)
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

    # Of one that could not be made as well, also if its arguments are wrong.
    _is_closed = True

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
        if clock is not None and as_of is not None:
            raise ValueError("give either clock or as_of: both say what time it is")
        own = fetcher if isinstance(fetcher, Fetcher) else None
        custom: CustomFetcher | None = None
        if fetcher is not None and own is None:
            is_custom = isinstance(fetcher, CustomFetcher)
            custom = fetcher if is_custom else CustomFetcher(fetcher)
        self._custom = custom
        # A set takes crawlers as a sieve does: it checks their names, and that none is there twice.
        self._crawlers = PolicySet([crawler, *other_crawlers], profile).crawlers
        self._core = _Core(
            [crawler.names for crawler in self._crawlers],
            profile=Profile(profile).to_dict(),
            protocol=protocol,
            config=None if config is None else config.to_dict(),
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
        unreachable site is not an error: the decision is what follows from that.

        Raises :class:`robotsieve.InvalidOrigin` or :class:`robotsieve.InvalidUrl` for what is not a URL of
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
        """True if an origin should be fetched now: it is unknown, its answer has expired or is about
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
        return list(self._crawlers)

    @property
    def metrics(self) -> dict[str, Any]:
        """Counts and times since the sieve was made: ``lookups``, ``from_table``, ``from_memory``,
        ``from_store``, ``waited``, ``attempts``, ``present``, ``absent``, ``unreachable``,
        ``local_faults``, ``store_errors``, … ``statuses``, ``failures`` and ``faults`` are by name. The
        Rust type ``Metrics`` describes each. The times have
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
        """True if nothing is asked for a while, after local faults in a row."""
        return self._core.is_paused

    @property
    def is_closed(self) -> bool:
        """True if the sieve was closed."""
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
        names = ", ".join(map(repr, self._crawlers))
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
            await asyncio.wait_for(follow(self.custom._fetch, reply), self.custom._timeout)
        except Exception as error:
            kind, text, is_local = verdict(error) or unknown(error, reply.robots_url)
            if not is_local and reply.is_ambiguous(kind, text):
                if self.stopped >= began:
                    kind, is_local = "suspended", True
                    text = f"the event loop stood still meanwhile; {text}"
                elif (fault := hidden_shortage()) is not None:
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
