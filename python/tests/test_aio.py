"""The front door for asyncio."""

from __future__ import annotations

import asyncio
import errno
import gc
import json
import os
import pathlib
import signal
import socket
import ssl
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

import aiohttp
import httpx
import pytest
import robotsieve
from robotsieve import aio
from robotsieve.aio import (
    Clock,
    CustomFetcher,
    Fetcher,
    FetchError,
    LocalFault,
    Request,
    Response,
    Sieve,
    SieveClosed,
    StoreError,
    Undecided,
    UnknownSite,
)
from site_server import Sites, answer, hang

asynchronous = pytest.mark.asyncio
ROBOTS = b"User-agent: *\nDisallow: /private\nCrawl-delay: 3\n"


@pytest.fixture(scope="module")
def sites() -> Iterator[Sites]:
    sites = Sites()
    yield sites
    sites.close()


def own(**settings: Any) -> Fetcher:
    """Our own fetcher, without the manners that a local server does not need."""
    manners: dict[str, Any] = dict(
        allow_private=True, request_delay=0, max_per_host=None, max_per_address=None
    )
    return Fetcher("Tests/1.0 (+https://example.com)", **manners | settings)


# --- Fetchers of each kind --------------------------------------------------------------------------


@asynccontextmanager
async def by_own() -> AsyncIterator[Any]:
    yield own()


@asynccontextmanager
async def by_aiohttp() -> AsyncIterator[Any]:
    async with aiohttp.ClientSession() as session:
        yield session


@asynccontextmanager
async def by_httpx() -> AsyncIterator[Any]:
    async with httpx.AsyncClient() as client:
        yield client


@asynccontextmanager
async def by_function() -> AsyncIterator[Any]:
    """A function that follows redirects itself, and knows no content encoding."""
    async with aiohttp.ClientSession(auto_decompress=False) as session:

        async def fetch(request: Request) -> Response:
            headers = {"Accept-Encoding": "identity", **request.headers}
            async with session.get(request.url, headers=headers, max_redirects=50) as answer:
                steps = [(one.status, one.headers["Location"]) for one in answer.history]
                if "Content-Encoding" in answer.headers:
                    raise FetchError("encoding", "none was asked for")
                return Response(answer.status, await answer.read(), answer.headers, steps)

        yield fetch


KINDS: dict[str, Callable[[], AbstractAsyncContextManager[Any]]] = {
    "own": by_own,
    "aiohttp": by_aiohttp,
    "httpx": by_httpx,
    "function": by_function,
}
each_kind = pytest.mark.parametrize("kind", KINDS)
each_library = pytest.mark.parametrize("kind", ["own", "aiohttp", "httpx"])


def redirects(count: int) -> Callable[[str, dict[str, str]], bytes]:
    """A site that redirects so many times."""

    def site(path: str, headers: dict[str, str]) -> bytes:
        step = 0 if path == "/robots.txt" else int(path[1:])
        return answer(302, Location=f"/{step + 1}") if step < count else answer(200, ROBOTS)

    return site


BROKEN = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nUser-agent: *\n"

# What a site does, and what follows from it: what applies, why, and the outcome.
MEANINGS: dict[str, tuple[Any, str, str, str]] = {
    "rules": (answer(200, ROBOTS), "rules", "copy", "present"),
    "empty": (answer(200), "rules", "copy", "present"),
    "no content": (b"HTTP/1.1 204 x\r\nConnection: close\r\n\r\n", "rules", "copy", "present"),
    "404": (answer(404, ROBOTS), "allow-all", "absent", "absent: HTTP 404"),
    "403": (answer(403, ROBOTS), "allow-all", "absent", "absent: HTTP 403"),
    "429": (answer(429), "allow-all", "absent", "absent: HTTP 429"),
    "500": (answer(500, ROBOTS), "disallow-all", "unreachable-without-copy", "unreachable: HTTP 500"),
    "503": (answer(503), "disallow-all", "unreachable-without-copy", "unreachable: HTTP 503"),
    "304 unasked": (
        b"HTTP/1.1 304 x\r\nConnection: close\r\n\r\n",
        "disallow-all",
        "unreachable-without-copy",
        "unreachable: the answer is broken: 304 to an unconditional request",
    ),
    "a redirect": (redirects(1), "rules", "copy", "present"),
    "five redirects": (redirects(5), "rules", "copy", "present"),
    "six redirects": (redirects(6), "allow-all", "absent", "absent: too many redirects"),
    "a broken body": (BROKEN, "disallow-all", "unreachable-without-copy", "unreachable: the answer"),
    "no answer": (b"", "disallow-all", "unreachable-without-copy", "unreachable: the answer"),
    "no HTTP": (b"SSH-2.0-x\r\n", "disallow-all", "unreachable-without-copy", "unreachable: the a"),
    "an encoding": (
        answer(200, ROBOTS, Content_Encoding="rot13"),
        "disallow-all",
        "unreachable-without-copy",
        "unreachable: the content encoding",
    ),
    "utf-16": (answer(200, ROBOTS.decode().encode("utf-16")), "rules", "copy", "present"),
}


@each_kind
@pytest.mark.parametrize("name", MEANINGS)
@asynchronous
async def test_each_kind_of_fetcher_gives_the_same_decisions(
    kind: str, name: str, sites: Sites
) -> None:
    does, holds, why, outcome = MEANINGS[name]
    origin, good = sites.add(does), sites.add(answer(200, ROBOTS))
    async with KINDS[kind]() as fetcher, Sieve("Bot", fetcher=fetcher) as sieve:
        await sieve.site(good)
        private = await sieve.decide(f"{origin}/private/x")
        site = await sieve.site(origin)
        assert (site.holds, site.why) == (private.holds, private.why) == (holds, why)
        assert site.outcome.startswith(outcome)
        has_rules = holds == "rules" and site.condition == "parsed"
        assert private.is_allowed is bool(private) is (holds != "disallow-all" and not has_rules)
        assert (await sieve.decide(f"{origin}/x")).is_allowed is (holds != "disallow-all")
        assert private.line == (2 if has_rules else None)
        assert private.crawl_delay == (3.0 if has_rules else None)


@each_library
@asynchronous
async def test_more_redirects(kind: str, sites: Sites) -> None:
    """Those that aiohttp, following by itself, takes for its own errors."""
    loop = sites.add(lambda path, headers: answer(301, Location="/robots.txt"))
    nowhere = sites.add(answer(301))
    elsewhere = sites.add(lambda path, headers: answer(301, Location="ftp://127.0.0.1/robots.txt"))
    a_port = sites.add(lambda path, headers: answer(301, Location="http://127.0.0.1:22/"))
    async with KINDS[kind]() as fetcher, Sieve("Bot", fetcher=fetcher) as sieve:
        for origin, outcome in [
            (loop, "absent: the redirects form a loop"),
            (nowhere, "absent: a redirect is invalid: no Location"),
            (elsewhere, "absent: a redirect is invalid: the scheme ftp is not followed"),
        ]:
            site = await sieve.site(origin)
            assert (site.outcome, site.holds) == (outcome, "allow-all")
        site = await sieve.site(a_port)
        outcome = "unreachable: a redirect leads to a port that is not allowed: http://127.0.0.1:22/"
        assert (site.outcome, site.holds) == (outcome, "disallow-all")


@each_library
@asynchronous
async def test_nobody_there(kind: str, sites: Sites) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    good = sites.add(answer(200, ROBOTS))
    async with KINDS[kind]() as fetcher, Sieve("Bot", fetcher=fetcher) as sieve:
        # Nothing has answered, so the network may be down.
        with pytest.raises(LocalFault, match="no connection") as caught:
            await sieve.site(f"http://127.0.0.1:{port}")
        assert caught.value.kind == "unconfirmed"
        await sieve.site(good)
        site = await sieve.site(f"http://127.0.0.1:{port}")
        assert site.outcome.startswith("unreachable: no connection")
        async with await asyncio.start_server(speak_no_tls, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            site = await sieve.site(f"https://127.0.0.1:{port}")
        assert site.outcome.startswith("unreachable: TLS failed")


async def speak_no_tls(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"220 mail.example ESMTP\r\n")
    await writer.drain()
    await reader.read(1000)
    writer.close()


@asynchronous
async def test_a_hook_that_fails_by_itself_says_nothing_of_the_site(sites: Sites) -> None:
    origin = sites.add(answer(200, ROBOTS))

    async def hook(response: httpx.Response) -> None:
        request = httpx.Request("GET", "http://tokens.example/")
        httpx.Response(404, request=request).raise_for_status()

    async with httpx.AsyncClient(event_hooks={"response": [hook]}) as client:
        async with Sieve("Bot", fetcher=client) as sieve:
            with pytest.raises(LocalFault):
                await sieve.decide(f"{origin}/")


@pytest.mark.parametrize("kind", ["aiohttp", "httpx"])
@asynchronous
async def test_a_name_that_does_not_exist(
    kind: str, monkeypatch: pytest.MonkeyPatch, sites: Sites
) -> None:
    """Without a network, name servers are silent: that is not a fault of the site."""

    def lookup(*arguments: Any, **keywords: Any) -> Any:
        raise socket.gaierror(code, "no address")

    good = sites.add(answer(404))
    async with KINDS[kind]() as fetcher, Sieve("Bot", fetcher=fetcher) as sieve:
        assert await sieve.decide(f"{good}/")
        monkeypatch.setattr(socket, "getaddrinfo", lookup)
        code = socket.EAI_NONAME
        site = await sieve.site("http://no-such-name.example")
        assert site.outcome.startswith("unreachable: the host name could not be resolved")
        code = socket.EAI_AGAIN
        with pytest.raises(LocalFault) as caught:
            await sieve.site("http://silent.example")
        assert caught.value.kind == "resolver"


@each_kind
@asynchronous
async def test_a_copy_is_asked_for_again_with_its_validators(kind: str, sites: Sites) -> None:
    asked: list[str | None] = []

    def site(path: str, headers: dict[str, str]) -> bytes:
        if path == "/robots.txt":
            assert "if-none-match" not in headers
            return answer(301, Location="/moved")
        asked.append(headers.get("if-none-match"))
        if headers.get("if-none-match") == '"v1"':
            return b'HTTP/1.1 304 x\r\nConnection: close\r\nETag: "v2"\r\n\r\n'
        return answer(200, ROBOTS, ETag='"v1"')

    origin = sites.add(site)
    clock = Clock(1_800_000_000)
    async with KINDS[kind]() as fetcher, Sieve("Bot", fetcher=fetcher, clock=clock) as sieve:
        assert not await sieve.decide(f"{origin}/private")
        clock.now += 3600
        assert sieve.try_decide(f"{origin}/private") is not None
        clock.now += 86_400
        assert sieve.try_decide(f"{origin}/private") is None
        decision = await sieve.decide(f"{origin}/private")
        assert (decision.why, decision.age) == ("copy", 0)
        # A function that follows redirects itself gets no headers for the target.
        assert asked == ([None, None] if kind == "function" else [None, '"v1"'])
        assert decision.site.state["attempted"] == clock.now == 1_800_090_000


@each_kind
@asynchronous
async def test_a_copy_is_used_while_the_site_is_unreachable(kind: str, sites: Sites) -> None:
    status = [200]
    origin = sites.add(lambda path, headers: answer(status[0], ROBOTS))
    clock = Clock(1_800_000_000)
    async with KINDS[kind]() as fetcher, Sieve("Bot", fetcher=fetcher, clock=clock) as sieve:
        await sieve.fetch(origin)
        status[0] = 502
        clock.now += 90_000
        decision = await sieve.decide(f"{origin}/private")
        assert (decision.why, decision.verdict) == ("copy-while-unreachable", "disallow")
        status[0] = 404
        assert (await sieve.fetch(origin)).why == "absent"


# --- One fetch --------------------------------------------------------------------------------------


@each_kind
@asynchronous
async def test_one_fetch_for_a_thousand_tasks(kind: str, sites: Sites) -> None:
    async def slow(path: str, headers: dict[str, str]) -> bytes:
        await asyncio.sleep(0.2)
        return answer(200, ROBOTS)

    origin = sites.add(lambda path, headers: slow(path, headers))
    async with KINDS[kind]() as fetcher, Sieve("Bot", fetcher=fetcher) as sieve:
        urls = [f"{origin}/{'private' if number % 2 else 'x'}/{number}" for number in range(1000)]
        decisions = await asyncio.gather(*map(sieve.decide, urls))
        assert [decision.url for decision in decisions] == urls
        assert [bool(decision) for decision in decisions] == [True, False] * 500
        assert sites.count(origin) == 1
        metrics = sieve.metrics
        assert (metrics["attempts"], metrics["present"], metrics["lookups"]) == (1, 1, 1000)
        assert metrics["waited"] > 100
        assert 0.2 <= metrics["attempt_times"]["total"] < 60
        assert "robotsieve_" in sieve.prometheus()


class Gate:
    """A fetcher whose answers wait for a sign."""

    def __init__(self) -> None:
        self.open = asyncio.Event()
        self.asked: list[str] = []
        self.cancelled = 0

    async def __call__(self, request: Request) -> Response:
        self.asked.append(request.url)
        try:
            await self.open.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return Response(200, ROBOTS)


async def until(condition: Callable[[], bool]) -> None:
    for _ in range(2000):
        if condition():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it never came")


@asynchronous
async def test_cancelled_tasks_lose_nothing_for_the_others() -> None:
    gate = Gate()
    async with Sieve("Bot", fetcher=gate) as sieve:
        tasks = [asyncio.ensure_future(sieve.decide(f"http://a.example/{n}")) for n in range(100)]
        await until(lambda: len(gate.asked) == 1)
        for task in tasks[:99]:
            task.cancel()
        results = await asyncio.gather(*tasks[:99], return_exceptions=True)
        assert all(isinstance(result, asyncio.CancelledError) for result in results)
        port = sieve._ports[asyncio.get_running_loop()]
        assert len(port.waiting) == 1
        gate.open.set()
        assert await tasks[99]
        assert (gate.asked, gate.cancelled) == (["http://a.example/robots.txt"], 0)
        assert not port.waiting


@asynchronous
async def test_a_fetch_goes_on_when_all_who_waited_are_gone() -> None:
    gate = Gate()
    async with Sieve("Bot", fetcher=gate) as sieve:
        task = asyncio.ensure_future(sieve.decide("http://a.example/"))
        await until(lambda: len(gate.asked) == 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert sieve.running_attempts == 1
        gate.open.set()
        await sieve.settled()
        assert sieve.try_decide("http://a.example/") is not None
        assert gate.cancelled == 0


@asynchronous
async def test_a_timeout_of_the_caller() -> None:
    gate = Gate()
    async with Sieve("Bot", fetcher=gate) as sieve:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(sieve.decide("http://a.example/"), 0.05)
        gate.open.set()
        assert await sieve.decide("http://a.example/")
        assert len(gate.asked) == 1


# --- Fetchers that go wrong -------------------------------------------------------------------------


def raising(error: Any) -> Callable[[Request], Any]:
    async def fetch(request: Request) -> Response:
        raise error

    return fetch


def with_cause(error: BaseException, cause: BaseException) -> BaseException:
    error.__cause__ = cause
    return error


def os_error(code: int) -> OSError:
    return OSError(code, os.strerror(code))


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (FetchError("tls", "expired"), "unreachable: TLS failed: expired"),
        (FetchError("refused", "10.0.0.1"), "unreachable: the address 10.0.0.1 is not public"),
        (FetchError("too-many-redirects"), "absent: too many redirects"),
        (FetchError("redirect-loop"), "absent: the redirects form a loop"),
        (FetchError("connect-timeout"), "unreachable: no connection in time"),
        (FetchError("read-timeout"), "unreachable: no answer in time"),
        (asyncio.TimeoutError(), "unreachable: the answer took too long"),
        (os_error(errno.ECONNREFUSED), "unreachable: no connection: [Errno 111]"),
        (os_error(errno.ECONNRESET), "unreachable: the answer is broken: [Errno 104]"),
        (os_error(errno.ETIMEDOUT), "unreachable: no connection: [Errno 110]"),
        (ssl.SSLCertVerificationError("bad"), "unreachable: TLS failed"),
        (asyncio.IncompleteReadError(b"", 1), "unreachable: the answer is broken"),
        (OSError("Multiple exceptions: [Errno 101] x, [Errno 111] y"), "unreachable: no connection"),
        (httpx.ConnectTimeout("x"), "unreachable: no connection in time"),
        (httpx.ReadTimeout("x"), "unreachable: no answer in time"),
        (httpx.DecodingError("x"), "unreachable: the content encoding is broken: x"),
        (with_cause(httpx.ConnectError("x"), ssl.SSLError("y")), "unreachable: TLS failed"),
        (aiohttp.ServerDisconnectedError(), "unreachable: the answer is broken"),
        (aiohttp.SocketTimeoutError(), "unreachable: no answer in time"),
    ],
    ids=repr,
)
@asynchronous
async def test_what_is_the_sites_fault(error: BaseException, outcome: str) -> None:
    fails = raising(error)

    async def fetch(request: Request) -> Response:
        return await fails(request) if "//a.example/" in request.url else Response(404)

    async with Sieve("Bot", fetcher=fetch) as sieve:
        assert await sieve.decide("http://fine.example/")
        assert (await sieve.site("http://a.example")).outcome.startswith(outcome)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (LocalFault("proxy", "asks for a password"), "proxy"),
        (os_error(errno.EMFILE), "descriptors"),
        (os_error(errno.ENFILE), "descriptors"),
        (os_error(errno.ENOBUFS), "memory"),
        (os_error(errno.EADDRNOTAVAIL), "address"),
        (os_error(errno.EPERM), "permission"),
        (os_error(errno.ENETUNREACH), "route"),
        (os_error(errno.ENETDOWN), "route"),
        (os_error(errno.ENOENT), "other"),
        (MemoryError(), "memory"),
        (socket.gaierror(socket.EAI_AGAIN, "x"), "resolver"),
        (OSError("Multiple exceptions: [Errno 101] x, [Errno 24] y"), "descriptors"),
        (with_cause(httpx.ConnectError("x"), os_error(errno.EMFILE)), "descriptors"),
        (with_cause(FetchError("connect"), os_error(errno.ENETUNREACH)), "route"),
        (httpx.PoolTimeout("x"), "other"),
        (httpx.ProxyError("x"), "proxy"),
        (RuntimeError("Session is closed"), "other"),
        (KeyError("a mistake"), "other"),
        (StopAsyncIteration(), "other"),
    ],
    ids=repr,
)
@asynchronous
async def test_what_is_no_fault_of_the_site(error: BaseException, kind: str) -> None:
    clock = Clock(1_800_000_000)
    async with Sieve("Bot", fetcher=raising(error), clock=clock) as sieve:
        with pytest.raises(LocalFault) as caught:
            await sieve.decide("http://a.example/")
        assert caught.value.kind == kind
        assert f"({kind})" in str(caught.value)
        # Nothing is known of the site, so it is asked again at once.
        assert sieve.is_due("http://a.example")
        assert sieve.metrics["local_faults"] == 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "must return a robotsieve.aio.Response, not NoneType"),
        (b"User-agent: *", "must return a robotsieve.aio.Response, not bytes"),
        (Response("200"), "the status '200'"),  # type: ignore[arg-type]
        (Response(0), "the status 0"),
        (Response(True), "the status True"),
        (Response(200, None), "TypeError"),  # type: ignore[arg-type]
        (Response(200, b"", [("a",)]), "ValueError"),  # type: ignore[arg-type]
        (Response(200, redirects=[("x", "y")]), "TypeError"),  # type: ignore[list-item]
        (Response(200, ROBOTS, redirects=[(200, "https://e.example/")]), "200 among its redirects"),
        (Response(407), "(proxy)"),
    ],
)
@asynchronous
async def test_garbage(value: Any, text: str) -> None:
    async def fetch(request: Request) -> Any:
        return value

    async with Sieve("Bot", fetcher=fetch) as sieve:
        with pytest.raises(LocalFault) as caught:
            await sieve.decide("http://a.example/")
        assert text in str(caught.value)


@pytest.mark.parametrize(
    ("headers", "outcome"),
    [
        ({"Content-Length": "1000"}, "unreachable: the answer is broken: the body ended after 48 of"),
        ({"content-length": "1000", "Content-Encoding": "identity"}, "unreachable: the answer is"),
        ({"Content-Length": str(len(ROBOTS))}, "present"),
        ({"Content-Length": "3"}, "present"),
        ({"Content-Length": "many"}, "present"),
        # They announce the length of what was encoded.
        ({"Content-Length": "1000", "Content-Encoding": "gzip"}, "present"),
        ({"Content-Length": "1000", "Transfer-Encoding": "chunked"}, "present"),
    ],
)
@asynchronous
async def test_a_body_that_is_shorter_than_announced(
    headers: dict[str, str], outcome: str
) -> None:
    async def fetch(request: Request) -> Response:
        return Response(200, ROBOTS, headers)

    async with Sieve("Bot", fetcher=fetch) as sieve:
        assert (await sieve.site("http://a.example")).outcome.startswith(outcome)


@asynchronous
async def test_text_has_another_length_than_announced() -> None:
    async def fetch(request: Request) -> Response:
        return Response(200, ROBOTS.decode(), {"Content-Length": "98"})

    async with Sieve("Bot", fetcher=fetch) as sieve:
        assert (await sieve.site("http://a.example")).outcome == "present"


@asynchronous
async def test_a_function_that_is_not_asynchronous() -> None:
    async with Sieve("Bot", fetcher=lambda request: Response(200)) as sieve:
        with pytest.raises(LocalFault, match="must be an async function"):
            await sieve.decide("http://a.example/")


@asynchronous
async def test_a_fetcher_that_hangs(sites: Sites) -> None:
    async def fetch(request: Request) -> Response:
        if "//a.example/" in request.url:
            await asyncio.sleep(3600)
        return Response(200)

    async with Sieve("Bot", fetcher=CustomFetcher(fetch, timeout=0.1)) as sieve:
        await sieve.site("http://fine.example")
        site = await sieve.site("http://a.example")
        assert site.outcome == "unreachable: the answer took too long"
    origin, good = sites.add(lambda path, headers: hang()), sites.add(answer(404))
    canary = good.removeprefix("http://")
    fetcher = own(total_timeout=0.3, read_timeout=0.2, canaries=[canary])
    async with Sieve("Bot", fetcher=fetcher) as sieve:
        assert (await sieve.site(origin)).outcome == "unreachable: no answer in time"


@asynchronous
async def test_a_loop_that_stands_still_judges_no_site() -> None:
    async def fetch(request: Request) -> Response:
        await asyncio.sleep(3600)
        return Response(200)

    async with Sieve("Bot", fetcher=CustomFetcher(fetch, timeout=2.5)) as sieve:
        task = asyncio.ensure_future(sieve.decide("http://a.example/"))
        await asyncio.sleep(0.2)
        time.sleep(2)
        with pytest.raises(LocalFault, match="the event loop stood still") as caught:
            await task
        assert caught.value.kind == "suspended"


@asynchronous
async def test_a_fetcher_that_is_cancelled() -> None:
    async def fetch(request: Request) -> Response:
        raise asyncio.CancelledError

    async with Sieve("Bot", fetcher=fetch) as sieve:
        with pytest.raises(LocalFault, match="the fetch was cancelled"):
            await sieve.decide("http://a.example/")


@asynchronous
async def test_after_faults_in_a_row_nothing_is_asked_for_a_while() -> None:
    asked = 0

    async def fetch(request: Request) -> Response:
        nonlocal asked
        asked += 1
        raise os_error(errno.EMFILE)

    async with Sieve("Bot", fetcher=fetch, pause_after=3) as sieve:
        for number in range(10):
            with pytest.raises(LocalFault):
                await sieve.decide(f"http://{number}.example/")
        assert (asked, sieve.is_paused, sieve.metrics["held_back"]) == (3, True, 7)


def run(program: str, *arguments: str) -> str:
    """What a program prints. It must end by itself, without complaints."""
    here = str(pathlib.Path(__file__).parent)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(program), *arguments],
        env={**os.environ, "PYTHONPATH": here},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


@each_library
def test_no_file_descriptors(kind: str, sites: Sites) -> None:
    """EMFILE is a fault of this side, whatever the library makes of it."""
    origins = [sites.add(answer(200, ROBOTS)) for _ in range(3)]
    out = run(
        f"""
        import asyncio, resource, sys, os
        from robotsieve.aio import LocalFault, Sieve
        import test_aio

        async def main():
            first, *others = {origins!r}
            async with test_aio.KINDS[{kind!r}]() as fetcher, Sieve("Bot", fetcher=fetcher) as sieve:
                assert await sieve.decide(first)
                used = max(map(int, os.listdir("/proc/self/fd"))) + 1
                hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
                # A free descriptor below the highest one could still be used.
                held = []
                resource.setrlimit(resource.RLIMIT_NOFILE, (used, hard))
                try:
                    while True:
                        held.append(os.dup(0))
                except OSError:
                    pass
                for other in others:
                    try:
                        print(await sieve.decide(other))
                    except LocalFault as fault:
                        print(fault.kind)
                for one in held:
                    os.close(one)
                resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
                print((await sieve.decide(others[0])).why)

        asyncio.run(main())
        """
    )
    assert out == "descriptors\ndescriptors\ncopy\n"


# --- What is taken ----------------------------------------------------------------------------------


def test_wrong_types() -> None:
    with httpx.Client() as client:
        for fetcher, text in [
            (1, "not int"),
            ("http://proxy", "not str"),
            (aiohttp.ClientSession, "an instance of ClientSession, not the class"),
            (client, "must not block, as Client does"),
        ]:
            with pytest.raises(TypeError, match=text):
                Sieve("Bot", fetcher=fetcher)
    with pytest.raises(TypeError, match="an aiohttp.ClientSession, an httpx.AsyncClient, or an async"):
        CustomFetcher(own())
    with pytest.raises(robotsieve.InvalidName, match="Crawler.from_user_agent"):
        Sieve("Mozilla/5.0 (compatible; Bot/1.0)")
    with pytest.raises(ValueError, match="two crawlers"):
        Sieve("Bot", other_crawlers=["Bot"])
    with pytest.raises(ValueError, match="there is no protocol \"x\""):
        Sieve("Bot", protocol="x")
    with pytest.raises(ValueError, match="protocol: unknown field `graces`"):
        Sieve("Bot", protocol={"graces": 1})
    with pytest.raises(ValueError, match="either clock or as_of"):
        Sieve("Bot", clock=Clock(0), as_of=0)
    with pytest.raises(TypeError, match="as_of must be"):
        Sieve("Bot", as_of="yesterday")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a pattern"):
        Sieve("Bot", overrides={"*.example.com": "allow"})
    with pytest.raises(ValueError, match="'allow', 'disallow', or the bytes"):
        Sieve("Bot", overrides={"example.com": "perhaps"})
    with pytest.raises(ValueError, match="timeout must be more than 0"):
        CustomFetcher(raising(KeyError()), timeout=0)
    with pytest.raises(ValueError, match="there is no kind 'x' of a FetchError"):
        FetchError("x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="there is no kind 'x' of a LocalFault"):
        LocalFault("x")  # type: ignore[arg-type]


def test_settings_of_our_fetcher() -> None:
    fetcher = Fetcher(
        "Bot/1.0",
        headers={"From": "bot@example.com"},
        redirect_ports=[80, 443, 8443],
        allow_networks=["10.0.0.0/8"],
        deny_networks=["192.0.2.0/24"],
        local_addresses=["127.0.0.1"],
        proxy="socks5://127.0.0.1:9050",
        name_servers=["127.0.0.1:53"],
        max_per_host=None,
    )
    assert repr(fetcher) == "Fetcher('Bot/1.0')"
    assert fetcher.health["answered"] == 0 and not fetcher.health["is_suspect"]
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"user_agent": ""}, "the user agent is empty"),
        ({"connect_timeout": -1}, "connect_timeout must be a number of seconds"),
        ({"read_timeout": 0}, "read_timeout must be more than zero"),
        ({"max_parallel": 0}, "max_parallel is 0 but must be from 1"),
        ({"allow_networks": ["x"]}, "allow_networks: \"x\" is not a network"),
        ({"name_servers": ["9.9.9.9"]}, "name_servers: \"9.9.9.9\" is not the IP address and port"),
        ({"headers": {"Host": "x"}}, "\"Host\" is set by the fetcher"),
        ({"trust_pem": b"x"}, "no certificate authorities"),
        ({"proxy": "x"}, "proxy: "),
    ]
    for settings, text in wrong:
        with pytest.raises(ValueError, match=text):
            Fetcher(**{"user_agent": "Bot/1.0", **settings})
    with pytest.raises(TypeError, match="user_agent must be a str"):
        Fetcher(b"Bot/1.0")  # type: ignore[arg-type]


@asynchronous
async def test_private_addresses_are_refused(sites: Sites) -> None:
    origin = sites.add(answer(200, ROBOTS))
    async with Sieve("Bot", fetcher=Fetcher("Bot/1.0")) as sieve:
        site = await sieve.site(origin)
        assert site.outcome.startswith("unreachable: the address 127.0.")
    assert sites.count(origin) == 0


@asynchronous
async def test_urls_that_are_none() -> None:
    async with Sieve("Bot", fetcher=raising(KeyError())) as sieve:
        for url in ["", "/path", "mailto:a@b", "http://"]:
            with pytest.raises(robotsieve.InvalidOrigin):
                await sieve.decide(url)
            with pytest.raises(robotsieve.InvalidOrigin):
                sieve.try_decide(url)
        with pytest.raises(TypeError, match="url must be str, bytes"):
            await sieve.decide(1)  # type: ignore[arg-type]
        with pytest.raises(robotsieve.InvalidOrigin):
            await sieve.site("x")
        assert sieve.metrics["attempts"] == 0


@asynchronous
async def test_no_fetcher() -> None:
    async with Sieve("Bot") as sieve:
        with pytest.raises(UnknownSite, match="no fetcher to ask it: http://a.example/"):
            await sieve.decide("http://a.example/")


@asynchronous
async def test_a_decision() -> None:
    async def fetch(request: Request) -> Response:
        assert request.robots_url == request.url == "https://a.example/robots.txt"
        assert request.max_body_bytes == 1 << 20 and not request.headers
        body = "User-agent: Bot\nDisallow: /b\n\nUser-agent: Other\nRequest-rate: 1/5\nSitemap: /s.xml"
        return Response(200, body, {"Cache-Control": "max-age=7200"})

    config = robotsieve.Config(keep_sitemaps=True)
    other = robotsieve.Crawler("Other", "Bot")
    async with Sieve("Bot", other_crawlers=[other], fetcher=fetch, config=config) as sieve:
        url = b"https://a.example/b/\xff"
        decision = await sieve.decide(url)
        assert decision.url is url
        assert repr(decision) == f"Decision(url={url!r}, verdict='disallow', why='copy', line=2)"
        assert (decision.origin, decision.reason) == ("https://a.example", "rule")
        assert decision.rule is not None and decision.rule.value == "/b"
        assert decision.answers == {"Bot": "disallow", "Other": "allow"}
        assert decision.error is None
        assert decision.to_dict() == {
            "url": "https://a.example/b/\ufffd",
            "verdict": "disallow",
            "origin": "https://a.example",
            "holds": "rules",
            "why": "copy",
            "reason": "rule",
            "line": 2,
            "rule": decision.rule.to_dict(),
            "age": decision.age,
        }
        assert json.dumps(decision.to_dict()).isascii()
        site = decision.site
        assert repr(site) == "<robotsieve.aio.Site https://a.example: present, rules>"
        assert (site.min_interval("Other"), site.min_interval()) == (5.0, None)
        assert site.request_rate(other) == robotsieve.RequestRate(1, 5.0)
        assert site.crawl_delay() is None
        assert site.sitemaps == ["/s.xml"]
        assert site.decide("/b").line == 2 and site.is_allowed("/b", "Other")
        for crawler in ("bot", ["BOT"], robotsieve.Crawler("Bot"), robotsieve.UserAgent("Bot/1.0 (+https://e.com)")):
            assert not site.is_allowed("/b", crawler)
        assert site.is_allowed("/b", ["other", b"bot"])
        with pytest.raises(ValueError, match="no such crawler; the crawlers are Bot, Other"):
            site.is_allowed("/b", "Third")
        assert site.until - site.attempted == 7200
        assert not site.is_expired and site.next_attempt < site.until
        assert sieve.crawlers == [robotsieve.Crawler("Bot"), other]
        assert repr(sieve) == "<robotsieve.aio.Sieve for Crawler('Bot'), Crawler('Other', 'Bot')>"


@asynchronous
async def test_a_site_says_why_it_is_unreachable() -> None:
    async def fetch(_: Request) -> Response:
        return Response(503)

    async with Sieve("Bot", fetcher=fetch) as sieve:
        site = await sieve.site("https://a.example")
        assert str(site) == "<robotsieve.aio.Site https://a.example: unreachable: HTTP 503, disallow-all>"


@asynchronous
async def test_overrides_protocols_and_profiles() -> None:
    async def fetch(request: Request) -> Response:
        return Response(403)

    overrides: dict[str, str | bytes] = {"a.example": "disallow", "https://b.example": ROBOTS}
    async with Sieve("Bot", fetcher=fetch, overrides=overrides) as sieve:
        assert (await sieve.decide("http://a.example/")).why == "override"
        assert not await sieve.decide("https://b.example/private")
        assert await sieve.decide("http://b.example/private")
        assert not sieve.is_due("http://a.example") and sieve.is_due("http://c.example")
    async with Sieve("Bot", fetcher=fetch, protocol={"denial_disallows": True}) as sieve:
        assert (await sieve.decide("http://a.example/")).why == "denied"

    async def unavailable(request: Request) -> Response:
        return Response(429)

    async with Sieve("Bot", fetcher=unavailable, profile="google") as sieve:
        assert (await sieve.decide("http://a.example/")).why == "unreachable-recently"
    async with Sieve("Bot", fetcher=unavailable) as sieve:
        assert (await sieve.decide("http://a.example/")).why == "absent"
    async with Sieve("Bot", fetcher=unavailable, protocol="google") as sieve:
        assert not await sieve.decide("http://a.example/")


# --- Streams ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("in_order", [False, True])
@pytest.mark.parametrize("is_async", [False, True])
@asynchronous
async def test_streams(in_order: bool, is_async: bool) -> None:
    gate = Gate()

    async def fetch(request: Request) -> Response:
        return await gate(request) if "slow" in request.url else Response(200, ROBOTS)

    urls = ["http://slow.example/", "http://a.example/private", "no URL", "http://a.example/x"] * 50

    async def slowly() -> AsyncIterator[str]:
        for url in urls:
            await asyncio.sleep(0)
            yield url

    async with Sieve("Bot", fetcher=fetch) as sieve:
        seen: list[Any] = []
        if in_order:
            asyncio.get_running_loop().call_later(0.1, gate.open.set)
        async for decided in sieve.decide_stream(slowly() if is_async else urls, in_order=in_order):
            seen.append(decided)
            if len(seen) == 150 and not in_order:
                assert not any("slow" in str(one.url) for one in seen)
                gate.open.set()
        assert sorted(str(one.url) for one in seen) == sorted(urls)
        if in_order:
            assert [one.url for one in seen] == urls
        for one in seen:
            assert bool(one) is one.is_allowed is (one.url in (urls[0], urls[3]))
            assert isinstance(one, Undecided) is (one.url == "no URL") is (one.error is not None)
            assert one.verdict == (None if one.error else "allow" if one else "disallow")


@pytest.mark.parametrize("in_order", [False, True])
@asynchronous
async def test_a_stream_takes_no_more_than_may_wait(in_order: bool) -> None:
    gate = Gate()
    taken = 0

    def urls() -> Iterator[str]:
        nonlocal taken
        for number in range(100):
            taken += 1
            yield f"http://a.example/{number}"

    async with Sieve("Bot", fetcher=gate) as sieve:
        stream = sieve.decide_stream(urls(), max_waiting=10, in_order=in_order)
        first = asyncio.ensure_future(stream.__anext__())
        await asyncio.sleep(0.1)
        assert taken == 10
        gate.open.set()
        seen = [(await first).url, *[decided.url async for decided in stream]]
        expected = [f"http://a.example/{number}" for number in range(100)]
        assert (seen if in_order else sorted(map(str, seen))) == (
            expected if in_order else sorted(expected)
        )


@asynchronous
async def test_a_stream_that_is_left() -> None:
    gate = Gate()
    async with Sieve("Bot", fetcher=gate) as sieve:
        stream = sieve.decide_stream([f"http://{number}.example/" for number in range(20)])
        task = asyncio.ensure_future(stream.__anext__())
        await until(lambda: len(gate.asked) == 20)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await stream.aclose()  # type: ignore[attr-defined]
        await asyncio.sleep(0)
        assert not sieve._ports[asyncio.get_running_loop()].waiting
        gate.open.set()
        await sieve.settled()
        assert sieve.metrics["present"] == 20
        for urls in ("http://a.example/", 1):
            with pytest.raises(TypeError, match="urls must be"):
                await sieve.decide_stream(urls).__anext__()  # type: ignore[arg-type]


# --- The store --------------------------------------------------------------------------------------


@each_kind
def test_a_second_process_goes_by_the_store(
    kind: str, sites: Sites, tmp_path: pathlib.Path
) -> None:
    origins = [sites.add(answer(200, ROBOTS)), sites.add(answer(404)), sites.add(answer(503))]
    program = f"""
        import asyncio, sys
        from robotsieve.aio import Sieve
        import test_aio

        async def main():
            async with test_aio.KINDS[{kind!r}]() as fetcher:
                async with Sieve("Bot", store=sys.argv[1], fetcher=fetcher) as sieve:
                    for origin in {origins!r}:
                        decision = await sieve.decide(origin + "/private")
                        print(decision.verdict, decision.why)
                    print(sieve.metrics["attempts"], sieve.metrics["from_store"])

        asyncio.run(main())
    """
    verdicts = "disallow copy\nallow absent\ndisallow unreachable-without-copy\n"
    path = str(tmp_path / "robots.store")
    assert run(program, path) == f"{verdicts}3 0\n"
    assert run(program, path) == f"{verdicts}0 3\n"
    assert [sites.count(origin) for origin in origins] == [1, 1, 1]


@asynchronous
async def test_one_writer_and_many_readers(tmp_path: pathlib.Path) -> None:
    async def fetch(request: Request) -> Response:
        return Response(200, ROBOTS)

    path = tmp_path / "robots.store"
    async with Sieve("Bot", fetcher=fetch, store=path) as sieve:
        assert not await sieve.decide("http://a.example/private")
        await sieve.settled()
        with pytest.raises(StoreError, match="the store is in use .*; close it there first"):
            Sieve("Bot", store=path)
        async with Sieve("Bot", store=path, read_only=True) as reader:
            assert (await reader.decide("http://a.example/private")).line == 2
            with pytest.raises(UnknownSite):
                await reader.decide("http://b.example/")
        await sieve.site_answered("http://a.example")
        await sieve.errors_mean_absent("http://a.example", True)
        assert (await sieve.site("http://a.example")).state["errors_mean_absent"] is True
    # Closed, it lets go of the store.
    async with Sieve("Bot", store=path, as_of="capture") as sieve:
        assert not await sieve.decide("http://a.example/private")
    (tmp_path / "no.store").write_bytes(b"something else")
    with pytest.raises(StoreError, match="no.store: the file is not a robotsieve store"):
        Sieve("Bot", store=tmp_path / "no.store")
    with pytest.raises(StoreError, match="No such file"):
        Sieve("Bot", store=tmp_path / "missing.store", read_only=True)


@asynchronous
async def test_closing_stores_what_was_fetched(tmp_path: pathlib.Path) -> None:
    async def fetch(request: Request) -> Response:
        return Response(200, ROBOTS)

    path = tmp_path / "robots.store"
    urls = [f"http://{number}.example/" for number in range(500)]
    async with Sieve("Bot", fetcher=fetch, store=path) as sieve:
        await asyncio.gather(*map(sieve.decide, urls))
    async with Sieve("Bot", store=path) as sieve:
        assert len([one async for one in sieve.decide_stream(urls) if one]) == 500


# --- The end ----------------------------------------------------------------------------------------


@each_kind
@asynchronous
async def test_closing_ends_everything(kind: str, sites: Sites) -> None:
    origins = [sites.add(lambda path, headers: hang()) for _ in range(5)]
    async with KINDS[kind]() as fetcher:
        sieve = Sieve("Bot", fetcher=fetcher)
        tasks = [asyncio.ensure_future(sieve.decide(f"{one}/{n}")) for one in origins for n in "ab"]
        await until(lambda: sum(map(sites.count, origins)) == 5)
        began = time.monotonic()
        await sieve.aclose()
        assert time.monotonic() - began < 2
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert {type(result) for result in results} == {SieveClosed}
        assert sieve.is_closed and repr(sieve).endswith(", closed>")
        await sieve.aclose()
        sieve.close()
        for ask in (sieve.decide, sieve.site, sieve.fetch):
            with pytest.raises(SieveClosed, match="make a new one"):
                await ask("http://a.example/")
        with pytest.raises(SieveClosed):
            sieve.try_decide("http://a.example/")
        with pytest.raises(SieveClosed):
            assert sieve.metrics


@asynchronous
async def test_a_sieve_that_is_not_closed_is_reported_and_closed(sites: Sites) -> None:
    origin = sites.add(answer(404))
    before = threads()
    sieve = Sieve("Bot", fetcher=own())
    await sieve.decide(f"{origin}/")
    assert threads() > before
    with pytest.warns(ResourceWarning, match="was not closed: use it in 'async with'"):
        del sieve
        gc.collect()
    await until(lambda: threads() <= before)


def test_a_sieve_that_could_not_be_made_says_no_more_than_why() -> None:
    with warnings.catch_warnings():
        # What __del__ raises is a warning of pytest.
        warnings.simplefilter("error")
        with pytest.raises(TypeError, match="unknown_option"):
            Sieve("Bot", unknown_option=1)  # type: ignore[call-arg]
        with pytest.raises(ValueError):
            Sieve("Bot", protocol="no such protocol")
        gc.collect()


def threads() -> int:
    return len(os.listdir("/proc/self/task"))


@each_kind
def test_the_loop_is_closed_with_fetches_in_flight(kind: str, sites: Sites) -> None:
    """The sieve goes on in another loop, and the interpreter ends."""
    slow, fast = sites.add(lambda path, headers: hang()), sites.add(answer(200, ROBOTS))
    out = run(
        f"""
        import asyncio, logging
        from robotsieve.aio import LocalFault, Sieve
        import test_aio

        # The session is closed, and that is reported.
        logging.getLogger("robotsieve.aio").disabled = True
        sieve = None

        async def first():
            global sieve
            async with test_aio.KINDS[{kind!r}]() as fetcher:
                sieve = Sieve("Bot", fetcher=fetcher)
                asyncio.ensure_future(sieve.decide({slow!r}))
                try:
                    await asyncio.wait_for(sieve.decide({slow!r}), 0.3)
                except asyncio.TimeoutError:
                    print("waited")

        async def second():
            try:
                print((await asyncio.wait_for(sieve.decide({fast!r} + "/x"), 5)).why)
            except LocalFault as fault:
                print("closed" in fault.text.lower())

        asyncio.run(first())
        asyncio.run(second())
        sieve.close()
        """
    )
    # A session ends with its loop; a fetcher of ours does not.
    assert out == "waited\n" + ("copy\n" if kind == "own" else "True\n")


def test_a_fetch_whose_loop_is_gone_does_not_hold_up_another() -> None:
    gates: list[Gate] = []
    sieve = Sieve("Bot", fetcher=lambda request: gates[-1](request))

    async def start() -> None:
        gates.append(Gate())
        asyncio.ensure_future(sieve.decide("http://a.example/"))
        await until(lambda: len(gates[-1].asked) == 1)

    # Not asyncio.run, which cancels all tasks: they just never go on.
    loop = asyncio.new_event_loop()
    loop.run_until_complete(start())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loop.close()

    async def again() -> None:
        gates.append(Gate())
        gates[-1].open.set()
        for _ in range(2):
            try:
                assert await sieve.decide("http://a.example/")
                break
            except LocalFault as fault:
                assert "the event loop was closed during the fetch" in fault.text
        else:
            raise AssertionError("still not")
        await sieve.aclose()

    asyncio.run(again())


def test_two_loops_in_two_threads(sites: Sites) -> None:
    async def slow(path: str, headers: dict[str, str]) -> bytes:
        await asyncio.sleep(0.3)
        return answer(200, ROBOTS)

    origins = [sites.add(lambda path, headers: slow(path, headers)) for _ in range(20)]
    for fetcher in (own(), None):
        shared = {"session": None}

        async def fetch(request: Request) -> Response:
            await asyncio.sleep(0.1)
            return Response(200, ROBOTS)

        sieve = Sieve("Bot", fetcher=fetcher or fetch)
        results: list[list[bool]] = []
        both = threading.Barrier(2)

        async def ask() -> None:
            decisions = await asyncio.gather(
                *(sieve.decide(f"{one}/private/{n}") for one in origins for n in range(50))
            )
            results.append([bool(decision) for decision in decisions])
            # Neither loop ends while the other may need it.
            await asyncio.get_running_loop().run_in_executor(None, both.wait)

        workers = [threading.Thread(target=lambda: asyncio.run(ask())) for _ in range(2)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join(30)
        assert results == [[False] * 1000] * 2
        assert sieve.metrics["attempts"] == 20
        assert shared["session"] is None
        sieve.close()
    assert {sites.count(origin) for origin in origins} == {1}


@each_kind
def test_the_interpreter_ends_whatever_is_left(kind: str, sites: Sites) -> None:
    """Neither a sieve that nobody closed nor its fetches keep the interpreter from ending."""
    slow = sites.add(lambda path, headers: hang())
    out = run(
        f"""
        import asyncio, warnings
        warnings.simplefilter("ignore")
        from robotsieve.aio import Sieve
        import test_aio

        async def main():
            global sieve, context
            context = test_aio.KINDS[{kind!r}]()
            sieve = Sieve("Bot", fetcher=await context.__aenter__())
            try:
                await asyncio.wait_for(sieve.decide({slow!r}), 0.3)
            except asyncio.TimeoutError:
                print("waited")
            if {kind != "own"}:
                await context.__aexit__(None, None, None)

        asyncio.run(main())
        """
    )
    assert out == "waited\n"


@pytest.mark.parametrize("kind", ["own", "aiohttp"])
def test_keyboard_interrupt(kind: str, sites: Sites) -> None:
    slow = sites.add(lambda path, headers: hang())
    program = f"""
        import asyncio
        from robotsieve.aio import Sieve
        import test_aio

        async def main():
            async with test_aio.KINDS[{kind!r}]() as fetcher, Sieve("Bot", fetcher=fetcher) as sieve:
                asyncio.get_running_loop().call_later(0.3, print, "waiting", 0, flush=True)
                await sieve.decide({slow!r})

        try:
            asyncio.run(main())
        except KeyboardInterrupt:
            print("interrupted")
    """
    here = str(pathlib.Path(__file__).parent)
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program.replace('"waiting", 0, flush=True', '"waiting"'))],
        env={**os.environ, "PYTHONPATH": here, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "waiting\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
        assert (out, err, process.returncode) == ("interrupted\n", "", 0)


def test_a_process_that_was_forked() -> None:
    out = run(
        """
        import asyncio, os, warnings
        from robotsieve.aio import Response, Sieve, SieveClosed

        async def fetch(request):
            return Response(200, "User-agent: *")

        async def main(sieve):
            assert await sieve.decide("http://a.example/")

        sieve = Sieve("Bot", fetcher=fetch)
        asyncio.run(main(sieve))
        warnings.simplefilter("ignore")
        child = os.fork()
        if child == 0:
            # What is in memory is there.
            assert sieve.try_decide("http://a.example/") is not None
            try:
                asyncio.run(sieve.decide("http://b.example/"))
            except SieveClosed as error:
                print(error, flush=True)
            raise SystemExit
        assert os.waitpid(child, 0)[1] == 0
        sieve.close()
        """
    )
    assert out == (
        "the sieve was made before this process was forked: make one in each process\n"
    )


# --- Leaks ------------------------------------------------------------------------------------------


def resident_bytes() -> int:
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@asynchronous
async def test_nothing_leaks() -> None:
    async def fetch(request: Request) -> Response:
        await asyncio.sleep(0)
        return Response(200, ROBOTS)

    sieve = Sieve("Bot", fetcher=fetch, max_bytes=1 << 20)

    async def some(start: int) -> None:
        """Decisions that wait, half of them cancelled."""
        for step in range(start, start + 2500, 100):
            tasks = [
                asyncio.ensure_future(sieve.decide(f"http://{number}.example/private"))
                for number in range(step, step + 100)
            ]
            await asyncio.sleep(0)
            for task in tasks[::2]:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        await sieve.settled()

    await some(0)
    await some(2500)
    gc.collect()
    before, objects = resident_bytes(), len(gc.get_objects())
    for start in range(5000, 15_000, 2500):
        await some(start)
    gc.collect()
    assert resident_bytes() - before < 8 << 20
    assert len(gc.get_objects()) - objects < 1000
    port = sieve._ports[asyncio.get_running_loop()]
    assert not (port.waiting or port.tasks or port.replies)
    await sieve.aclose()
    assert sieve._ports == {}


def test_sieves_and_loops_come_and_go(sites: Sites) -> None:
    async def once() -> None:
        async def fetch(request: Request) -> Response:
            return Response(404)

        async with Sieve("Bot", fetcher=fetch) as sieve:
            assert await sieve.decide("http://a.example/")

    for _ in range(5):
        asyncio.run(once())
    gc.collect()
    before = (threads(), len(os.listdir("/proc/self/fd")))
    for _ in range(50):
        asyncio.run(once())
    gc.collect()
    assert threads() <= before[0] and len(os.listdir("/proc/self/fd")) <= before[1]
    # One sieve, many loops.
    sieve, origin = Sieve("Bot", fetcher=own()), sites.add(answer(404))
    for _ in range(50):
        asyncio.run(sieve.site(origin))
    assert len(sieve._ports) == 1
    sieve.close()


def test_importing_robotsieve_imports_no_asyncio() -> None:
    program = """
        import sys
        import robotsieve
        assert "asyncio" not in sys.modules and "robotsieve.aio" not in sys.modules
        assert robotsieve.aio.Sieve is sys.modules["robotsieve.aio"].Sieve
        assert "aiohttp" not in sys.modules and "httpx" not in sys.modules
    """
    run(program)


def test_without_the_native_part() -> None:
    program = """
        import sys, types
        sys.modules["robotsieve_fetch"] = None
        import robotsieve
        other = types.ModuleType("robotsieve_fetch")
        other.__version__ = "0.0.1"
        for way in (lambda: __import__("robotsieve.aio"), lambda: robotsieve.aio):
            for module, what in (
                (None, "needs the package robotsieve-fetch, which is not installed"),
                (other, f"is of version {robotsieve.__version__}, and the package robotsieve-fetch of 0.0.1"),
            ):
                sys.modules["robotsieve_fetch"] = module
                try:
                    way()
                except ImportError as error:
                    assert f"robotsieve.aio {what}: pip install 'robotsieve[fetch]==" in str(error), error
                else:
                    raise AssertionError("it was imported")
    """
    run(program)


def test_packages_name_each_others_version(repository: pathlib.Path) -> None:
    def project(folder: str) -> Any:
        return tomllib.loads((repository / folder / "pyproject.toml").read_text())["project"]

    version = robotsieve.__version__
    extra = project("python")["optional-dependencies"]["fetch"]
    assert extra == [f"robotsieve-fetch=={version}"]
    assert project("python/fetch")["dependencies"] == [f"robotsieve=={version}"]


def test_the_engine_has_nothing_of_the_fetcher() -> None:
    from robotsieve import _robotsieve

    assert [name for name in dir(_robotsieve) if "Sieve" in name or "Fetch" in name] == []


@asynchronous
async def test_reasons_are_those_of_sets() -> None:
    """Also where what is known of a site is not a file."""
    sites = robotsieve.PolicySet(["Bot"])
    sites.add("https://404.example", outcome="allow-all")
    sites.add("https://503.example", outcome="disallow-all")

    async def fetch(request: Request) -> Response:
        return Response(int(request.url[8:11]))

    async with Sieve("Bot", fetcher=fetch) as sieve:
        for status, reason in ((404, "allow-all"), (503, "disallow-all")):
            for path in ("x", "robots.txt"):
                url = f"https://{status}.example/{path}"
                decision, expected = await sieve.decide(url), sites.decide(url)
                assert expected is not None and decision.site.decide(url) == expected
                assert expected.to_dict().items() <= decision.to_dict().items()
                assert (decision.reason, decision.rule, decision.line) == (expected.reason, None, None)
                assert decision.reason == ("robots-txt" if (status, path) == (503, "robots.txt") else reason)


@asynchronous
async def test_values_are_those_of_the_engine() -> None:
    body = b"User-agent: Bot\nDisallow: /a\xe9*$\nDisallow:\nRequest-rate: 1/5 0600-0845\nCrawl-delay: 90\n"
    profile = robotsieve.Profile("google", merge_names=True)
    config = robotsieve.Config(max_interval=60.5, keep_sitemaps=True)
    policy = robotsieve.Robots(body, profile, config).policy("Bot")
    origin = robotsieve.Origin("https://a.example/x")
    named = robotsieve.Crawler("Bot", b"B\xe9")

    async def fetch(request: Request) -> Response:
        return Response(200, body)

    async with Sieve(
        named, other_crawlers=["Other"], fetcher=fetch, profile=profile, config=config
    ) as sieve:
        assert sieve.crawlers[0] == named
        site = await sieve.site(origin)
        assert site.origin == origin.key
        for path in ("/a%E9b", "/a%E9", "/", "/robots.txt"):
            expected = policy.decide(path)
            assert site.decide(path) == expected and site.decide(path, named) == expected
            decision = await sieve.decide(f"https://a.example{path}")
            assert (decision.rule, decision.reason, decision.line) == (
                expected.rule,
                expected.reason,
                expected.line,
            )
        assert site.request_rate("bot") == policy.request_rate == robotsieve.RequestRate(1, 5.0, (360, 525))
        assert site.crawl_delay() == policy.crawl_delay == 60.5
        with pytest.raises(TypeError, match="a name, a list of names, a Crawler or a UserAgent"):
            site.is_allowed("/", origin)  # type: ignore[arg-type]
        with pytest.raises(robotsieve.InvalidOrigin, match='"x"'):
            sieve.is_due("x")
    for bad in ({"profile": "googel"}, {"config": robotsieve.Config}, {"other_crawlers": [""]}):
        with pytest.raises((ValueError, TypeError)):
            Sieve("Bot", **bad)  # type: ignore[arg-type]


def test_examples() -> None:
    import doctest

    assert doctest.testmod(aio).failed == 0
    for one in (aio.Clock, aio.Fetcher):
        for test in doctest.DocTestFinder().find(one):
            assert doctest.DocTestRunner().run(test).failed == 0
