"""One table of answers: what each means is the same whoever fetched it, our fetcher, a session of aiohttp or
httpx, or a function."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import aiohttp
import httpx
import pytest
from robotsieve.aio import Clock, CustomFetcher, Fetcher, LocalFault, Request, Response, Sieve
from site_server import Sites, answer

asynchronous = pytest.mark.asyncio
ROBOTS = b"User-agent: *\nDisallow: /private\n"
GZIP = gzip.compress(ROBOTS)
# `ROBOTS` by brotli and by zstd, which Python need not have.
BR = b"\x0b\x10\x80" + ROBOTS + b"\x03"
ZSTD = bytes.fromhex("28b52ffd0458090100") + ROBOTS + bytes.fromhex("662c5966")


@pytest.fixture(scope="module")
def sites() -> Iterator[Sites]:
    sites = Sites()
    yield sites
    sites.close()


@asynccontextmanager
async def by_own() -> AsyncIterator[Any]:
    yield Fetcher(
        "Tests/1.0", allow_private=True, request_delay=0, max_per_host=None, max_per_address=None
    )


@asynccontextmanager
async def by_aiohttp() -> AsyncIterator[Any]:
    async with aiohttp.ClientSession() as session:
        yield session


@asynccontextmanager
async def by_plain_aiohttp() -> AsyncIterator[Any]:
    async with aiohttp.ClientSession(auto_decompress=False, raise_for_status=True) as session:
        yield session


@asynccontextmanager
async def by_httpx() -> AsyncIterator[Any]:
    async with httpx.AsyncClient() as client:
        yield client


@asynccontextmanager
async def by_mocked_httpx() -> AsyncIterator[Any]:
    """A transport that stands in for the network: httpx reads its answers before anyone asks."""

    async def handle(request: httpx.Request) -> httpx.Response:
        async with httpx.AsyncHTTPTransport() as transport:
            answer = await transport.handle_async_request(request)
            assert isinstance(answer.stream, httpx.AsyncByteStream)
            body = b"".join([chunk async for chunk in answer.stream])
        return httpx.Response(answer.status_code, headers=answer.headers, content=body)

    async with httpx.AsyncClient(transport=httpx.MockTransport(handle)) as client:
        yield client


@asynccontextmanager
async def by_function() -> AsyncIterator[Any]:
    async with aiohttp.ClientSession(auto_decompress=False) as session:

        async def fetch(request: Request) -> Response:
            async with session.get(
                request.url, headers=request.headers, allow_redirects=False
            ) as answer:
                body = await answer.read()
                return Response(answer.status, body, answer.headers, is_encoded=True)

        yield fetch


KINDS: dict[str, Callable[[], AbstractAsyncContextManager[Any]]] = {
    "own": by_own,
    "aiohttp": by_aiohttp,
    "plain aiohttp": by_plain_aiohttp,
    "httpx": by_httpx,
    "mocked httpx": by_mocked_httpx,
    "function": by_function,
}
each_kind = pytest.mark.parametrize("kind", KINDS)

#: Words that servers write where they mean none, and what encodes nothing.
WORDS = [
    "", "identity", "none", "None", "utf-8", "UTF-8", "utf8", "iso-8859-1", "windows-1252", "text/plain",
    "text/plain; charset=utf-8", "text", "binary", "8bit", "7bit", "chunked", "gbk", "null", "raw",
    "identity, identity",
]  # fmt: skip

#: `Content-Encoding`, the body, and what is read: the rules, or why not.
BODIES: list[tuple[str, bytes, str]] = [
    ("gzip", GZIP, "rules"),
    ("x-gzip", GZIP, "rules"),
    ("GZIP", GZIP, "rules"),
    ("gzip", gzip.compress(b"User-agent: *\n") + gzip.compress(b"Disallow: /private\n"), "rules"),
    ("gzip, gzip", gzip.compress(GZIP), "rules"),
    ("deflate", zlib.compress(ROBOTS), "rules"),
    ("deflate", zlib.compress(ROBOTS)[2:-4], "rules"),
    ("x-deflate", zlib.compress(ROBOTS), "rules"),
    ("br", BR, "rules"),
    ("zstd", ZSTD, "rules"),
    ("zstd, br", b"\x8b\x1a\x80" + ZSTD + b"\x03", "unreachable: the content encoding"),
    ("gzip, utf-8", GZIP, "rules"),
    ("gzip", GZIP[:-9], "unreachable: the content encoding is broken"),
    ("gzip", ROBOTS, "unreachable: the content encoding is broken"),
    ("br", GZIP, "unreachable: the content encoding is broken"),
    ("gzip", BR, "unreachable: the content encoding is broken"),
    ("compress", b"\x1f\x9d\x90" + ROBOTS, "unreachable: the content encoding is broken: unknown"),
    ("rot13", b"Hfre-ntrag: *\nQvfnyybj: /", "unreachable: the content encoding is broken: unknown"),
    ("gzip, rot13", GZIP, "unreachable: the content encoding is broken: unknown"),
    ("gzip", b"", "present"),
    *((word, ROBOTS, "rules") for word in WORDS),
]  # fmt: skip


@each_kind
@asynchronous
async def test_bodies(kind: str, sites: Sites) -> None:
    origins = [
        sites.add(answer(200, body, Content_Encoding=encoding)) for encoding, body, _ in BODIES
    ]
    async with KINDS[kind]() as fetcher, Sieve("Bot", fetcher=fetcher) as sieve:
        for origin, (encoding, _, expected) in zip(origins, BODIES):
            site = await sieve.site(origin)
            told = (kind, encoding, site.outcome)
            if expected == "rules":
                assert site.outcome == "present", told
            else:
                assert site.outcome.startswith(expected), told
            assert site.is_allowed("/private") is (expected == "present"), told


#: Bodies as a function hands them over, which says that it has undone their encodings.
HANDED: list[tuple[str, bytes, str]] = [
    ("gzip", ROBOTS, "rules"),
    ("br", "User-agent: *\nDisallow: /private\nDisallow: /é\n".encode("latin-1"), "rules"),
    ("br", ROBOTS.decode().encode("utf-16"), "rules"),
    ("gzip", GZIP, "unreachable: the content encoding"),
    ("br", BR, "unreachable: the content encoding"),
    ("zstd", ZSTD, "unreachable: the content encoding"),
    ("gzip, gzip", GZIP, "unreachable: the content encoding"),
    ("compress", b"\x1f\x9d\x90" + ROBOTS, "unreachable: the content encoding is broken: unknown"),
]  # fmt: skip


@pytest.mark.parametrize("encoding, body, expected", HANDED)
@asynchronous
async def test_what_a_function_has_not_undone(encoding: str, body: bytes, expected: str) -> None:
    async def fetch(request: Request) -> Response:
        return Response(200, body, {"Content-Encoding": encoding})

    async with Sieve("Bot", fetcher=fetch) as sieve:
        site = await sieve.site("https://site.example")
        assert site.outcome.startswith("present" if expected == "rules" else expected)
        assert not site.is_allowed("/private")


@each_kind
@asynchronous
async def test_a_long_body_is_cut(kind: str, sites: Sites) -> None:
    body = gzip.compress(ROBOTS + b"# robots\n" * 400_000 + b"Allow: /")
    origin = sites.add(answer(200, body, Content_Encoding="gzip"))
    async with KINDS[kind]() as fetcher, Sieve("Bot", fetcher=fetcher) as sieve:
        site = await sieve.site(origin)
        assert site.condition == "truncated" and not site.is_allowed("/private")
        # Whole lines within a MiB.
        assert site.state["copy"]["len"] == len(ROBOTS) + ((1 << 20) - len(ROBOTS)) // 9 * 9


#: `Location`, and the outcome. `{}` stands for the port of the server.
LOCATIONS: list[tuple[str, str]] = [
    ("data:x", "absent: a redirect is invalid: the scheme data is not followed"),
    ("data:text/plain,User-agent: *", "absent: a redirect is invalid: the scheme data is not followed"),
    ("javascript:alert(1)", "absent: a redirect is invalid: the scheme javascript is not followed"),
    ("mailto:x@example.com", "absent: a redirect is invalid: the scheme mailto is not followed"),
    ("about:blank", "absent: a redirect is invalid: the scheme about is not followed"),
    ("file:///etc/passwd", "absent: a redirect is invalid: the scheme file is not followed"),
    ("x:", "absent: a redirect is invalid: the scheme x is not followed"),
    ("", "absent: a redirect is invalid: the Location is empty"),
    ("http://", "absent: a redirect is invalid: empty host"),
    ("http://[::1", "absent: a redirect is invalid: invalid IPv6"),
    ("http://a b/", "absent: a redirect is invalid: invalid international domain name"),
    ("http://a:99999/", "absent: a redirect is invalid: invalid port"),
    ("http://127.0.0.1:22/", "unreachable: a redirect leads to a port that is not allowed"),
]  # fmt: skip


@each_kind
@asynchronous
async def test_locations(kind: str, sites: Sites) -> None:
    """What a site sends as `Location` is its answer, not a fault of ours. There are more than the faults
    in a row after which a sieve stops asking."""
    good = sites.add(answer(200, ROBOTS))
    async with KINDS[kind]() as fetcher, Sieve("Bot", fetcher=fetcher) as sieve:
        for location, outcome in [*LOCATIONS, *LOCATIONS]:
            site = await sieve.site(sites.add(answer(302, Location=location)))
            assert site.outcome.startswith(outcome), (kind, location, site.outcome)
        assert not await sieve.decide(f"{good}/private")
        assert not sieve.is_paused


@pytest.mark.parametrize("kind", ["aiohttp", "httpx"])
@asynchronous
async def test_hosts_that_are_none(kind: str, sites: Sites) -> None:
    """A library that cannot ask for a host that a site names is no fault of ours either."""
    good = sites.add(answer(200, ROBOTS))
    names = ["a" * 64, "a..b", "xn--a", "-", "_", "%00"]
    async with KINDS[kind]() as fetcher, Sieve("Bot", fetcher=fetcher) as sieve:
        await sieve.site(good)
        for name in names * 4:
            site = await sieve.site(sites.add(answer(302, Location=f"http://{name}.invalid/")))
            assert not site.is_allowed("/") or site.outcome.startswith("absent: a redirect"), name
        assert not sieve.is_paused


@pytest.mark.parametrize("kind", ["aiohttp", "httpx"])
@asynchronous
async def test_ftp_is_not_for_sessions(kind: str, sites: Sites) -> None:
    """It is told of those sites, and stops nothing else."""
    good = sites.add(answer(200, ROBOTS))
    async with KINDS[kind]() as fetcher, Sieve("Bot", fetcher=fetcher) as sieve:
        for number in range(20):
            with pytest.raises(LocalFault, match="does not fetch ftp:"):
                await sieve.site(f"ftp://site{number}.example")
        assert not sieve.is_paused
        assert not await sieve.decide(f"{good}/private")


@each_kind
@asynchronous
async def test_part_of_a_file(kind: str, sites: Sites) -> None:
    """A 206 that nobody asked for is no file, whatever its body is."""
    site = sites.add(answer(206, b"no gzip", Content_Encoding="gzip"))
    async with KINDS[kind]() as fetcher, Sieve("Bot", fetcher=fetcher) as sieve:
        outcome = (await sieve.site(site)).outcome
        # A mocked transport decodes all bodies before anyone asks.
        assert outcome.startswith("unreachable" if "mocked" in kind else "unreachable: HTTP 206")


@each_kind
@pytest.mark.parametrize("status", [412, 400, 403, 404])
@asynchronous
async def test_a_condition_that_fails(kind: str, status: int, sites: Sites) -> None:
    """It is asked again without the condition: the answer to that counts."""
    asked: list[bool] = []

    def site(path: str, headers: dict[str, str]) -> bytes:
        has_condition = bool(headers.keys() & {"if-none-match", "if-modified-since"})
        asked.append(has_condition)
        return answer(status if has_condition else 200, ROBOTS, ETag='"v1"')

    origin, clock = sites.add(site), Clock(1_800_000_000)
    async with KINDS[kind]() as fetcher, Sieve("Bot", fetcher=fetcher, clock=clock) as sieve:
        await sieve.fetch(origin)
        clock.now += 90_000
        assert not await sieve.decide(f"{origin}/private")
        assert asked == [False, True, False]


@each_kind
@pytest.mark.parametrize(
    "validators",
    [{"Last_Modified": "yesterday"}, {"ETag": ""}, {"ETag": "*"}, {"ETag": '"\xe9"'}],
)
@asynchronous
async def test_odd_validators(kind: str, validators: dict[str, str], sites: Sites) -> None:
    asked: list[dict[str, str]] = []

    def site(path: str, headers: dict[str, str]) -> bytes:
        asked.append(headers)
        return answer(200, ROBOTS, **validators)

    origin, clock = sites.add(site), Clock(1_800_000_000)
    async with KINDS[kind]() as fetcher, Sieve("Bot", fetcher=fetcher, clock=clock) as sieve:
        await sieve.fetch(origin)
        clock.now += 90_000
        assert not (await sieve.fetch(origin)).is_allowed("/private")
        assert len(asked) == 2 and "if-modified-since" not in asked[1]
        assert asked[1].get("if-none-match") not in ("", "*")


SECRETS = {"Authorization": "Basic x", "Cookie": "secret=1", "X-Api-Key": "x", "From": "bot@e.com"}


@asynccontextmanager
async def own_with(headers: dict[str, str]) -> AsyncIterator[Any]:
    yield Fetcher("Tests/1.0", headers=headers, allow_private=True, request_delay=0)


SECRETIVE: dict[str, Callable[[], AbstractAsyncContextManager[Any]]] = {
    "own": lambda: own_with(SECRETS),
    "aiohttp": lambda: aiohttp.ClientSession(headers=SECRETS),
    "aiohttp auth": lambda: aiohttp.ClientSession(auth=aiohttp.BasicAuth("a", "b")),
    "httpx": lambda: httpx.AsyncClient(headers=SECRETS),
    "httpx auth": lambda: httpx.AsyncClient(auth=("a", "b")),
}


@pytest.mark.parametrize("kind", SECRETIVE)
@asynchronous
async def test_credentials_stay_at_their_host(kind: str, sites: Sites) -> None:
    asked: list[dict[str, str]] = []

    def site(path: str, headers: dict[str, str]) -> bytes:
        asked.append(headers)
        if path == "/robots.txt":
            return answer(302, Location="/moved")
        return answer(302, Location=f"{other}/x") if path == "/moved" else answer(200, ROBOTS)

    origin, other = sites.add(site), sites.add(site)
    async with SECRETIVE[kind]() as fetcher, Sieve("Bot", fetcher=fetcher) as sieve:
        assert not await sieve.decide(f"{origin}/private")
    secrets = {name.lower() for name in SECRETS} - {"from"}
    has = [headers.keys() & secrets for headers in asked]
    wanted = {"authorization"} if "auth" in kind else secrets
    assert has == [wanted, wanted, set()], kind
    assert "auth" in kind or all(headers["from"] == "bot@e.com" for headers in asked)


@pytest.mark.parametrize("kind", ["own", "aiohttp", "httpx"])
@asynchronous
async def test_a_wall_of_cookies(kind: str, sites: Sites) -> None:
    """A site that redirects to the same URL until its cookie comes back."""

    def site(path: str, headers: dict[str, str]) -> bytes:
        if headers.get("cookie") == "seen=1":
            return answer(200, ROBOTS)
        return answer(302, Location="/robots.txt", Set_Cookie="seen=1; Path=/")

    # aiohttp keeps no cookies of addresses unless told to.
    origin = sites.add(site)
    jar = aiohttp.CookieJar(unsafe=True)
    fetcher: AbstractAsyncContextManager[Any] = KINDS[kind]()
    if kind == "aiohttp":
        fetcher = aiohttp.ClientSession(cookie_jar=jar)
    async with fetcher as by, Sieve("Bot", fetcher=by) as sieve:
        assert not await sieve.decide(f"{origin}/private")


@asynchronous
async def test_hooks_of_httpx(sites: Sites) -> None:
    """A hook that raises for a status, and one that reads the body, change nothing."""

    async def raises(answer: httpx.Response) -> None:
        answer.raise_for_status()

    async def reads(answer: httpx.Response) -> None:
        await answer.aread()

    absent, moved = sites.add(answer(404)), sites.add(answer(302, Location="data:x"))
    good, broken = sites.add(answer(200, ROBOTS)), sites.add(answer(503))
    zipped = sites.add(
        lambda path, headers: answer(200, GZIP, Content_Encoding="gzip")
        if headers["accept-encoding"] != "identity"
        else answer(200, ROBOTS)
    )
    forced = sites.add(answer(200, GZIP, Content_Encoding="gzip"))
    for hook in (raises, reads):
        async with httpx.AsyncClient(event_hooks={"response": [hook]}) as client:
            fetcher = CustomFetcher(client)
            async with Sieve("Bot", fetcher=fetcher) as sieve:
                assert (await sieve.site(absent)).outcome == "absent: HTTP 404"
                assert (await sieve.site(broken)).outcome == "unreachable: HTTP 503"
                assert "scheme data" in (await sieve.site(moved)).outcome
                assert not await sieve.decide(f"{good}/private")
                assert not await sieve.decide(f"{zipped}/private")
                assert not await sieve.decide(f"{forced}/private")
            # The client's other requests are its own.
            with pytest.raises(httpx.HTTPError if hook is raises else httpx.InvalidURL):
                await client.get(moved)
