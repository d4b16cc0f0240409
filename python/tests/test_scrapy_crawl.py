"""Scrapy crawls a local site, with Protego (its default) and with robotsieve."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

OURS = "robotsieve.scrapy.RobotsieveRobotParser"

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


@contextmanager
def serving(robots: str) -> Iterator[Site]:
    """A site whose start page links to all others. It remembers what was fetched."""
    site = Site(robots)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
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
    thread = threading.Thread(target=server.serve_forever)
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


def crawl(robots: str, user_agent: str, *parser: str) -> Crawl:
    program = Path(__file__).with_name("scrapy_crawl.py")
    with serving(robots) as site:
        command = [sys.executable, str(program), site.url, user_agent, *parser]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return Crawl(site.fetched, **json.loads(done.stdout))


OPEN = {"/", "/index.html", "/private/open", "/paper.pdf?download", "/search?lang=en", "/public/a"}


@pytest.mark.parametrize(
    ("user_agent", "expected", "delay"),
    [
        ("MyCrawler (+https://e.com/bot)", OPEN | {"/public/b/%7Euser"}, 1.5),
        (
            "Mozilla/5.0 (compatible; SlowBot/2.0; +https://e.com/bot)",
            {"/", "/public/b/%7Euser"},
            30.0,
        ),
        ("FreeBot/1.0", set(PAGES), None),
    ],
)
def test_the_same_pages_are_fetched(
    user_agent: str, expected: set[str], delay: float | None
) -> None:
    ours, theirs = crawl(ROBOTS, user_agent, OURS), crawl(ROBOTS, user_agent)
    assert ours == theirs == Crawl(expected, [delay], len(PAGES) - len(expected))


def test_different_pages() -> None:
    # A crawl delay does not end the user-agent lines of a group (RFC 9309, §2.2.4), so MyCrawler
    # obeys its rules. For Protego it does.
    robots = "User-agent: MyCrawler\nCrawl-delay: 2\nUser-agent: OtherBot\nDisallow: /p\n"
    ours, theirs = crawl(robots, "MyCrawler/1.0", OURS), crawl(robots, "MyCrawler/1.0")
    assert theirs.fetched == set(PAGES)
    assert ours.fetched == {page for page in PAGES if not page.startswith("/p")}
    assert ours.delays == theirs.delays == [2.0]
