"""Scrapy crawls a local site: with Protego (its default) and with robotsieve, and at the pace that the
site asks for."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from scrapy.exceptions import NotConfigured
from scrapy.utils.test import get_crawler

from robotsieve.scrapy import CrawlDelayMiddleware

OURS = {"ROBOTSTXT_PARSER": "robotsieve.scrapy.RobotsieveRobotParser"}
PACED = OURS | {"DOWNLOADER_MIDDLEWARES": {"robotsieve.scrapy.CrawlDelayMiddleware": 150}}

PAGES = [
    "/",
    "/index.html",
    "/private/",
    "/private/open",
    "/private/open?x",
    "/paper.pdf",
    "/paper.pdf?download",
    "/search?lang=en&q=x",
    "/search?lang=en",
    "/public/a",
    "/public/caf%C3%A9",
    "/public/b/%7Euser",
]

ROBOTS = """\
User-agent: *
Disallow: /private/
Allow: /private/open$
Disallow: /*.pdf$
Disallow: /search?*q=
Disallow: /public/café
Crawl-delay: 1.5

User-agent: SlowBot
User-agent: OtherBot
Disallow: /
Allow: /$
Allow: /public/*/~user
Crawl-delay: 30

User-agent: FreeBot
Disallow:
"""


@dataclass
class Site:
    robots: str
    url: str = ""
    fetched: set[str] = field(default_factory=set)
    times: list[float] = field(default_factory=list)


@contextmanager
def serving(robots: str, latency: float = 0) -> Iterator[Site]:
    """A site whose start page links to all others. It remembers what was fetched, and when."""
    site = Site(robots)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.times.append(time.monotonic())
            time.sleep(latency)
            is_file = self.path == "/robots.txt"
            links = "".join(f'<a href="{page}">{page}</a>' for page in PAGES)
            body = site.robots if is_file else f"<html>{links}</html>"
            if not is_file:
                site.fetched.add(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "text/plain" if is_file else "text/html")
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    site.url = f"http://127.0.0.1:{server.server_port}/"
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@dataclass
class Crawl:
    fetched: set[str]
    delays: list[float | None]
    forbidden: int
    counts: dict[str, int] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    #: The delay of the slot after each response, and whether it varies at random.
    slots: list[list[float | bool]] = field(default_factory=list, compare=False)
    #: The seconds between two requests, that for robots.txt included.
    gaps: list[float] = field(default_factory=list, compare=False)


OPEN = {"/", "/index.html", "/private/open", "/paper.pdf?download", "/search?lang=en", "/public/a"}
#: For whom the same pages are fetched with Protego: which, and the crawl delay.
SAME = [
    ("MyCrawler (+https://e.com/bot)", OPEN | {"/public/b/%7Euser"}, 1.5),
    ("Mozilla/5.0 (compatible; SlowBot/2.0; +https://e.com/bot)", {"/", "/public/b/%7Euser"}, 30.0),
    ("FreeBot/1.0", set(PAGES), None),
]
#: A crawl delay does not end the user-agent lines of a group (RFC 9309, §2.2.4), so MyCrawler obeys its rules. For
#: Protego it does.
SPLIT = "User-agent: MyCrawler\nCrawl-delay: 2\nUser-agent: OtherBot\nDisallow: /p\n"

#: Four pages are allowed. Scrapy fetches the first one twice.
FETCHED = 5
SLOW = """\
User-agent: *
Disallow: /p
Crawl-delay: 0.3

User-agent: RateBot
Disallow: /p
Crawl-delay: 0.1
Request-rate: 2/1

User-agent: DayBot
Crawl-delay: 86400
Disallow: /p

User-agent: FreeBot
Disallow: /p
"""
#: Who asks that site, with which settings, and the seconds between two requests.
KEPT: list[tuple[str, dict[str, Any], float]] = [
    ("MyCrawler/1.0", {}, 0.3),
    # The rate is slower than the delay.
    ("RateBot/1.0", {}, 0.5),
    ("DayBot/1.0", {"ROBOTSIEVE_MAX_CRAWL_DELAY": 0.2}, 0.2),
    # By a name of its own: the header is another one.
    ("Mozilla/5.0", {"ROBOTSTXT_USER_AGENT": "RateBot"}, 0.5),
    # Scrapy's own delay is longer, or shorter.
    ("MyCrawler/1.0", {"DOWNLOAD_DELAY": 0.4, "DOWNLOAD_DELAY_JITTER": 0}, 0.4),
    ("MyCrawler/1.0", {"DOWNLOAD_DELAY": 0.1}, 0.3),
    ("MyCrawler/1.0", {"DOWNLOAD_SLOTS": {"127.0.0.1": {"delay": 0.4}}}, 0.4),
    ("MyCrawler/1.0", {"DOWNLOAD_SLOTS": {"127.0.0.1": {"delay": 0.01}}}, 0.3),
    # It would go down to its minimum, that of a fast site, and below.
    ("MyCrawler/1.0", {"AUTOTHROTTLE_ENABLED": True, "AUTOTHROTTLE_START_DELAY": 0.1}, 0.3),
]
SKIP = PACED | {"ROBOTSIEVE_ABOVE_MAX_CRAWL_DELAY": "skip"}


def settings_of_the_readme() -> dict[str, Any]:
    page = (Path(__file__).parents[1] / "README.md").read_text()
    (block,) = re.findall(r"^```python\n# settings\.py\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    settings: dict[str, Any] = {}
    exec(block, {}, settings)
    return settings


class Asked(NamedTuple):
    robots: str
    user_agent: str
    settings: dict[str, Any] = {}
    latency: float = 0


README = settings_of_the_readme()
CRAWLS = {
    **{f"ours: {agent}": Asked(ROBOTS, agent, OURS) for agent, *_ in SAME},
    **{f"theirs: {agent}": Asked(ROBOTS, agent) for agent, *_ in SAME},
    "ours: split": Asked(SPLIT, "MyCrawler/1.0", OURS),
    "theirs: split": Asked(SPLIT, "MyCrawler/1.0"),
    **{f"kept {number}": Asked(SLOW, agent, PACED | more) for number, (agent, more, _) in enumerate(KEPT)},
    "no middleware": Asked(SLOW, "MyCrawler/1.0", OURS),
    "free": Asked(SLOW, "FreeBot/1.0", PACED),
    "throttled": Asked(
        "User-agent: *\nDisallow: /p\nCrawl-delay: 0.1",
        "MyCrawler",
        PACED | {"AUTOTHROTTLE_ENABLED": True, "AUTOTHROTTLE_START_DELAY": 0},
        latency=0.4,
    ),
    "capped": Asked(SLOW, "DayBot/1.0", PACED | {"ROBOTSIEVE_MAX_CRAWL_DELAY": 0.1}),
    "skipped": Asked(SLOW, "DayBot/1.0", SKIP),
    "at the maximum": Asked(SLOW, "RateBot/1.0", SKIP | {"ROBOTSIEVE_MAX_CRAWL_DELAY": 0.5}),
    "readme": Asked(SLOW, README["USER_AGENT"], README),
}


def crawled(asked: dict[str, Asked]) -> dict[str, Crawl]:
    """What becomes of crawls at once in one process."""
    program = Path(__file__).with_name("scrapy_crawl.py")
    with ExitStack() as stack:
        sites = [stack.enter_context(serving(one.robots, one.latency)) for one in asked.values()]
        given = [[site.url, one.user_agent, one.settings] for site, one in zip(sites, asked.values(), strict=True)]
        command = [sys.executable, str(program)]
        done = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, check=True)
    assert done.stderr == ""
    crawls = {}
    for name, site, found in zip(asked, sites, json.loads(done.stdout), strict=True):
        gaps = [later - earlier for earlier, later in pairwise(site.times)]
        crawls[name] = Crawl(site.fetched, **found, gaps=gaps)
    return crawls


@pytest.fixture(scope="module")
def crawls() -> dict[str, Crawl]:
    """All crawls. AutoThrottle measures how soon a site answers, so the others do not run beside it."""
    throttled = {name: one for name, one in CRAWLS.items() if "AUTOTHROTTLE_ENABLED" in one.settings}
    return crawled({name: one for name, one in CRAWLS.items() if name not in throttled}) | crawled(throttled)


@pytest.mark.parametrize(("user_agent", "expected", "delay"), SAME)
def test_the_same_pages_are_fetched(
    crawls: dict[str, Crawl], user_agent: str, expected: set[str], delay: float | None
) -> None:
    ours, theirs = crawls[f"ours: {user_agent}"], crawls[f"theirs: {user_agent}"]
    assert ours == theirs == Crawl(expected, [delay], len(PAGES) - len(expected))


def test_different_pages(crawls: dict[str, Crawl]) -> None:
    ours, theirs = crawls["ours: split"], crawls["theirs: split"]
    assert theirs.fetched == set(PAGES)
    assert ours.fetched == {page for page in PAGES if not page.startswith("/p")}
    assert ours.delays == theirs.delays == [2.0]


@pytest.mark.parametrize("number", range(len(KEPT)))
def test_the_crawl_delay_is_kept(crawls: dict[str, Crawl], number: int) -> None:
    user_agent, settings, least = KEPT[number]
    found = crawls[f"kept {number}"]
    assert [delay for delay, _ in found.slots] == [pytest.approx(least)] * FETCHED
    assert not any(varies for _, varies in found.slots)
    # The request for robots.txt is the first. Of single requests a busy server notices some late.
    gaps = found.gaps
    assert len(gaps) == FETCHED
    print(f"{user_agent} {settings}: {min(gaps):.3f} to {max(gaps):.3f} s between requests")
    assert sum(gaps) > 0.75 * FETCHED * least, gaps


def test_without_the_middleware_nobody_waits(crawls: dict[str, Crawl]) -> None:
    assert crawls["no middleware"].slots == [[0, True]] * FETCHED


def test_a_crawler_without_a_delay_does_not_wait(crawls: dict[str, Crawl]) -> None:
    found = crawls["free"]
    assert (found.counts, found.log, found.slots) == ({}, [], [[0, True]] * FETCHED)


def test_autothrottle_may_be_slower(crawls: dict[str, Crawl]) -> None:
    # Its target is the latency, which it finds out by and by.
    slots = crawls["throttled"].slots
    assert slots[-1][0] >= 0.4, slots


def test_what_is_logged_and_counted(crawls: dict[str, Crawl]) -> None:
    site = r"The robots\.txt of 127\.0\.0\.1:\d+ asks for "
    kept = crawls["kept 1"]
    assert kept.counts == {"kept_sites": 1}
    assert re.fullmatch(site + r"0\.5 s between requests", kept.log[0]) and len(kept.log) == 1
    capped = crawls["capped"]
    assert capped.counts == {"capped_sites": 1}
    assert re.fullmatch(
        site + "86400 s between requests, more than 0\\.1 s: that is waited", capped.log[0]
    )


def test_sites_above_the_maximum_can_be_skipped(crawls: dict[str, Crawl]) -> None:
    found = crawls["skipped"]
    assert (found.fetched, found.gaps) == (set(), [])
    assert found.counts == {"skipped_sites": 1, "skipped_requests": 1}
    assert found.log[0].endswith("86400 s between requests, more than 60 s: nothing is fetched")
    # The maximum itself is not above it.
    assert crawls["at the maximum"].counts == {"kept_sites": 1}


def test_the_settings_of_the_readme(crawls: dict[str, Crawl]) -> None:
    found = crawls["readme"]
    assert (found.delays, found.counts) == ([0.3], {"kept_sites": 1})


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        (PACED | {"ROBOTSTXT_OBEY": False}, NotConfigured, "ROBOTSTXT_OBEY = True"),
        (
            PACED | {"ROBOTSTXT_PARSER": "scrapy.robotstxt.ProtegoRobotParser"},
            NotConfigured,
            'ROBOTSTXT_PARSER = "robotsieve',
        ),
        (PACED | {"ROBOTSIEVE_MAX_CRAWL_DELAY": "soon"}, ValueError, "from 0, not 'soon'"),
        (PACED | {"ROBOTSIEVE_MAX_CRAWL_DELAY": -1}, ValueError, "from 0, not -1"),
        (PACED | {"ROBOTSIEVE_MAX_CRAWL_DELAY": "nan"}, ValueError, "from 0, not 'nan'"),
        (PACED | {"ROBOTSIEVE_ABOVE_MAX_CRAWL_DELAY": "cap"}, ValueError, "not 'cap'"),
    ],
)
def test_what_is_missing_or_wrong_in_the_settings(
    settings: dict[str, Any], error: type[Exception], message: str
) -> None:
    crawler = get_crawler(settings_dict={"ROBOTSTXT_OBEY": True} | settings)
    with pytest.raises(error, match=re.escape(message)):
        CrawlDelayMiddleware.from_crawler(crawler)
