"""The drop-ins for Protego, urllib.robotparser and Scrapy's parsers."""

from __future__ import annotations

import copy
import gzip
import http.client
import inspect
import json
import logging
import pickle
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.robotparser
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import protego
import pytest
import scrapy.robotstxt
from hypothesis import given
from hypothesis import strategies as st

import robotsieve
from robotsieve import protego as protego_dropin
from robotsieve import robotparser
from robotsieve._dropin import POLICIES_KEPT, Policies
from robotsieve.protego import Protego, RequestRate, VisitTime
from robotsieve.robotparser import RobotFileParser
from robotsieve.scrapy import RobotsieveRobotParser
from robotsieve.typing import AnyProfile

FILE = """\
User-agent: GPTBot
User-agent: MJ12bot
User-agent: Sogou web spider
Disallow: /
Crawl-delay: 2.5
Visit-time: 0400-0845
Request-rate: 30/1m 0600-2400

User-agent: *
Disallow: /search
Allow: /search/about
Crawl-delay: 4
Sitemap: https://e.com/s.xml
Host: e.com
"""


def parsed(body: str) -> RobotFileParser:
    parser = RobotFileParser()
    parser.parse(body.splitlines())
    return parser


def names(agent: str | bytes, profile: AnyProfile = "rfc9309") -> tuple[str, ...]:
    return Policies(robotsieve.Robots(b"", profile))[agent].crawler.names


# From a user agent to a crawler


@pytest.mark.parametrize(
    ("agent", "expected"),
    [
        ("GPTBot", ("GPTBot",)),
        ("*", ("*",)),
        ("", ("",)),
        ("GPTBot/1.0", ("GPTBot",)),
        ("v1.2", ("v1.2",)),
        ("panscient.com", ("panscient.com", "panscient")),
        (" GPTBot\n", ("GPTBot",)),
        ("GPTBot (+https://openai.com/gptbot)", ("GPTBot",)),
        ("Mozilla/5.0 (compatible; GPTBot/1.1; +https://openai.com/gptbot)", ("GPTBot",)),
        ("Sogou web spider/4.0", ("Sogou",)),
        ("FigTree Robot libwww-perl/5.04", ("FigTree", "libwww-perl")),
        ("UnicödeBöt", ("UnicödeBöt",)),
        ("UnicödeBöt/1.0", ("UnicödeBöt",)),
        ("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/120 Safari/537.36", ()),
    ],
)
def test_user_agents(agent: str, expected: tuple[str, ...]) -> None:
    assert names(agent) == expected
    assert names(agent.encode()) == expected


@pytest.mark.parametrize("agent", ["Foobot*", "foo*bot", "foo*bot/1.0"])
def test_a_pattern_is_no_name_anywhere(agent: str) -> None:
    for ask in (Policies(robotsieve.Robots(FILE)).__getitem__, robotsieve.Robots(FILE).policy):
        with pytest.raises(robotsieve.InvalidName, match="is not a product token"):
            ask(agent)
    assert names(f"{agent} (+https://e.com/bot)") != ()


AGENTS = ["GPTBot", "gptbot/2", "X (compatible; GPTBot/1.1)", "MJ12bot/v1.4", "Sogou web spider"]


@pytest.mark.parametrize("agent", AGENTS)
def test_a_named_crawler_never_obeys_the_star_group(agent: str) -> None:
    assert not Protego.parse(FILE).can_fetch("https://e.com/", agent)
    assert not parsed(FILE).can_fetch(agent, "https://e.com/")
    scrapys = RobotsieveRobotParser(FILE.encode(), None)
    assert not scrapys.allowed("https://e.com/", agent)
    assert not scrapys.allowed(b"https://e.com/", agent.encode())


def test_names_that_are_not_ascii() -> None:
    """Such a name is compared as a whole: of ``Jävla-Foobot`` the product token is ``J``, and so it is of
    ``Jävla-Fanbot``."""
    body = "User-agent: Jävla-Foobot\nCrawl-delay: 5\nVisit-time: 0100-0200\nDisallow: /\n\nUser-agent: ĦÖŊ\nDisallow: /x\n"
    rp, parser = Protego.parse(body), parsed(body)
    scrapys = RobotsieveRobotParser(body.encode(), None)
    for agent, allowed in [
        ("Jävla-Foobot", []), ("jävla-foobot/2", []), ("Jävla-Fanbot", ["/", "/x"]), ("J", []),
        ("ĦÖŊ", ["/"]), ("\ud800", ["/", "/x"]), ("\udcff", ["/", "/x"]),
    ]:
        for url in ("/", "/x"):
            assert rp.can_fetch(url, agent) == (url in allowed), agent
            assert parser.can_fetch(agent, url) == (url in allowed), agent
            assert scrapys.allowed(url, agent) == (url in allowed), agent
    assert rp.crawl_delay("Jävla-Foobot") == 5 and rp.crawl_delay("Jävla-Fanbot") is None
    assert rp.visit_time("Jävla-Foobot") == VisitTime(time(1), time(2))
    assert rp.visit_time("Jävla-Fanbot") is None


DELAYS = json.loads((Path(__file__).parents[2] / "corpora" / "delays.json").read_text("utf-8"))


@pytest.mark.parametrize("case", DELAYS, ids=lambda case: case["id"])
def test_whose_delay_it_is(case: dict[str, Any]) -> None:
    if "rfc9309" not in case.get("profiles", ["rfc9309"]):
        return
    robots, rp = robotsieve.Robots(case["robots"]), Protego.parse(case["robots"])
    parser, scrapys = parsed(case["robots"]), RobotsieveRobotParser(case["robots"].encode(), None)
    for name, wanted in case["expect"].items():
        wanted = wanted if isinstance(wanted, dict) else {"delay": wanted}
        if "delay" in wanted:
            # The longest there is, capped.
            delay = 86_400 if wanted["delay"] == "longest" else wanted["delay"]
            assert robots.policy(name).crawl_delay == delay
            for rps in (rp, parser, scrapys):
                assert rps.crawl_delay(name) == delay, rps
        rate = wanted.get("rate")
        if "rate" in wanted and rate != "longest":
            for rates in (rp.request_rate(name), parser.request_rate(name)):
                assert (None if rates is None else list(rates[:2])) == rate
        if "visit" in wanted:
            found = rp.visit_time(name)
            told = None if found is None else f"{found.start_time:%H%M}-{found.end_time:%H%M}"
            assert told == wanted["visit"]


def test_slow_sites_are_left_alone() -> None:
    config = robotsieve.Config(skip_above=60)
    assert repr(config) == "Config(skip_above=60)"
    assert robotsieve.Config(**config.to_dict()) == config
    body = "User-agent: a\nCrawl-delay: 300\nUser-agent: *\nDisallow: /x"
    robots = robotsieve.Robots(body, config=config)
    decision = robots.policy("a").decide("/")
    assert (decision.verdict, decision.reason) == ("disallow", "left-alone")
    assert robots.policy("b").is_allowed("/")


def test_entries_of_one_group_with_different_delays() -> None:
    parser = parsed("User-agent: a\nCrawl-delay: 2\nUser-agent: b\nDisallow: /x\n")
    assert [(entry.useragents, entry.delay) for entry in parser.entries] == [(["a"], 2), (["b"], None)]


def test_sitemaps_without_a_value() -> None:
    body = "Sitemap:\nSitemap: https://e.com/s.xml\nSitemap: # none\n"
    assert list(Protego.parse(body).sitemaps) == parsed(body).site_maps() == ["https://e.com/s.xml"]
    assert parsed("Sitemap:").site_maps() is None
    assert list(RobotsieveRobotParser(body.encode(), None).rp.sitemaps) == ["https://e.com/s.xml"]


def test_crawler_with_several_names() -> None:
    rp = Protego.parse("User-agent: googlebot\nDisallow: /")
    assert rp.can_fetch("/", "Googlebot-Image")
    assert not rp.can_fetch("/", robotsieve.Crawler("Googlebot-Image", "Googlebot"))


def test_policies_kept_are_bounded() -> None:
    rp = Protego.parse(FILE)
    for number in range(3 * POLICIES_KEPT):
        assert not rp.can_fetch("https://e.com/search", f"Crawler{number}/1.0")
    assert len(rp._policies) <= POLICIES_KEPT
    # One policy, however many headers a crawler sends.
    rp = Protego.parse(FILE)
    policies = [rp._policies[f"GPTBot/{number}"] for number in range(10)]
    assert all(policy is policies[0] for policy in policies)


# From a string to a target


TEN = "User-agent: *\nDisallow: /page"


@pytest.mark.parametrize(
    "url",
    [
        "https://e.com/page",
        "https://e.com/page?x",
        "https://e.com/page;x#y",
        "https://user:word@e.com:8080/page",
        "HTTP://E.COM/page",
        "/page",
        "/page?x#y",
        "//e.com/page",
        "page",
        "  https://e.com/page",
        "https:/page",
        "https:///page",
        "/pag%65",
        "/page/é",
        "/page/\udcff",
        "/page\ud800",
    ],
)
def test_forms_of_urls(url: str) -> None:
    assert not Protego.parse(TEN).can_fetch(url, "x")
    assert not parsed(TEN).can_fetch("x", url)
    if "\ud800" not in url and "\udcff" not in url:
        assert not protego.Protego.parse(TEN).can_fetch(url, "x")


@pytest.mark.parametrize("url", ["", "#page", "https://e.com", "https://e.com#page", "mailto:", "?"])
def test_urls_without_a_path(url: str) -> None:
    rule = "User-agent: *\nDisallow: /\nAllow: /page"
    assert not Protego.parse(rule).can_fetch(url, "x")
    assert not protego.Protego.parse(rule).can_fetch(url, "x")
    assert not parsed(rule).can_fetch("x", url)


def test_warnings_point_at_the_caller() -> None:
    with pytest.warns(UserWarning, match="did you mean") as warned:
        Protego.parse(FILE).can_fetch("/", "GTPBot")
    assert [said.filename for said in warned] == [__file__]


def test_a_url_in_the_place_of_the_user_agent() -> None:
    for url in ("https://example.com/private", "/private"):
        with pytest.warns(UserWarning, match="a URL was given as the user agent") as warned:
            Protego.parse(FILE).can_fetch("GPTBot", url)
            parsed(FILE).can_fetch(url, "GPTBot")
        assert [said.filename for said in warned] == [__file__] * 2


def test_a_url_that_is_no_text() -> None:
    class Url:
        def __str__(self) -> str:
            return "https://example.com/private"

    url: Any = Url()
    with pytest.raises(TypeError, match=r"not Url: pass str\(url\)"):
        Protego.parse(FILE).can_fetch(url, "GPTBot")
    rp = RobotFileParser()
    rp.parse(FILE.splitlines())
    with pytest.raises(TypeError, match=r"not Url: pass str\(url\)"):
        rp.can_fetch("GPTBot", url)


def test_line_ends_and_the_file_itself() -> None:
    # In docs/migration.md.
    for end in "\x0b\x0c\x1c\x85\u2028":
        body = f"User-agent: *{end}Disallow: /"
        assert Protego.parse(body).can_fetch("/", "x")
        assert not protego.Protego.parse(body).can_fetch("/", "x")
    assert not Protego.parse("User-agent: *\nDisallow: /").can_fetch("/robots.txt?x", "x")
    assert protego.Protego.parse("User-agent: *\nDisallow: /").can_fetch("/robots.txt?x", "x")


# Nothing in content raises


LINES = st.sampled_from(
    "User-agent: a|User-agent: *|User-agent:|Disallow: /|Disallow: /*$|Allow: /%|Crawl-delay: 1|"
    "Crawl-delay: 1e999|Request-rate: 1/1d 0-2400|Request-rate: /|Visit-time: 2400-0000|"
    "Visit-time: 9999-9999|Sitemap: x|Host:".split("|")
)
# With lone surrogates.
TEXT = st.text(st.characters(codec=None, exclude_categories=[]))
BYTES = st.binary().map(lambda value: value.decode("utf-8", "surrogateescape"))
CONTENT = st.lists(LINES | TEXT | BYTES).map("\n".join)
AGENT = TEXT | BYTES | st.sampled_from(["a", "*", "", "a/1 (b; c)", "Mozilla/5.0 (compatible; a)"])
URL = TEXT | BYTES | st.builds(str.__add__, st.sampled_from(["//", "http://", "/", "x:"]), TEXT)


@given(content=CONTENT, agent=AGENT, url=URL)
def test_nothing_raises(content: str, agent: str, url: str) -> None:
    rp = Protego.parse(content)
    assert rp.can_fetch(url, agent) in (True, False)
    for ask in (rp.crawl_delay, rp.request_rate, rp.visit_time):
        ask(agent)
    assert None not in [*rp.sitemaps, rp.preferred_host or ""]
    for lines in (content.splitlines(), content.splitlines(keepends=True), content):
        parser = RobotFileParser()
        parser.parse(lines)
        assert parser.can_fetch(agent, url) in (True, False)
        for tell in (parser.crawl_delay, parser.request_rate):
            tell(agent)
        assert isinstance(str(parser), str)


@given(content=st.binary() | CONTENT.map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_nothing_raises_in_scrapy(content: bytes) -> None:
    parser = RobotsieveRobotParser.from_crawler(None, content)
    for url in (b"/x", content):
        assert parser.allowed(url, content) in (True, False)
    parser.crawl_delay(content)


def test_originals_are_not_needed() -> None:
    program = (
        "import sys, robotsieve.protego, robotsieve.robotparser; "
        "print({'protego', 'scrapy', 'urllib.robotparser'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


# Protego


def test_protego_has_the_whole_interface() -> None:
    for name, member in inspect.getmembers(protego.Protego):
        if not name.startswith("_"):
            assert hasattr(Protego, name), name
            if callable(member):
                ours = list(inspect.signature(getattr(Protego, name)).parameters)
                theirs = list(inspect.signature(member).parameters)
                assert ours[: len(theirs)] == theirs, name
    assert set(protego.__all__) == set(protego_dropin.__all__)
    assert RequestRate._fields == protego.RequestRate._fields
    assert VisitTime._fields == protego.VisitTime._fields


def test_protego_records() -> None:
    rp = Protego.parse(FILE)
    assert rp.crawl_delay("GPTBot/1.0") == 2.5
    assert rp.crawl_delay("other") == 4.0
    assert rp.request_rate("GPTBot") == RequestRate(30, 60, time(6), time.max)
    assert rp.request_rate("other") is None
    assert rp.visit_time("GPTBot") == VisitTime(time(4), time(8, 45))
    assert rp.visit_time("other") is None
    assert list(rp.sitemaps) == ["https://e.com/s.xml"]
    assert rp.preferred_host == "e.com"
    empty = Protego()
    assert empty.can_fetch("/", "x") and not list(empty.sitemaps)
    assert empty.crawl_delay("x") is None and empty.request_rate("x") is None
    assert empty.preferred_host is None and empty.visit_time("x") is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("0400-0845", (time(4), time(8, 45))),
        ("0400 0845", (time(4), time(8, 45))),
        ("900-1700", (time(9), time(17))),
        ("06:00 - 08:45 UT", (time(6), time(8, 45))),
        ("0000-2400", (time(0), time.max)),
        ("2500-2600", None),
        ("0400-0860", None),
        ("9-17", None),
        ("0400-0845-1000", None),
    ],
)
def test_visit_times(value: str, expected: tuple[time, time] | None) -> None:
    assert Protego.parse(f"User-agent: *\nVisit-time: {value}").visit_time("x") == expected


def test_last_valid_visit_time_and_host_count() -> None:
    rp = Protego.parse("User-agent: *\nVisit-time: 0100-0200\nVisit-time: x\nHost: a\nHost: b")
    assert rp.visit_time("x") == VisitTime(time(1), time(2))
    assert rp.preferred_host == "b"
    outside = "Visit-time: 0100-0200\nUser-agent: *\nDisallow:"
    assert Protego.parse(outside).visit_time("x") is None


def test_protego_takes_text_only() -> None:
    with pytest.raises(TypeError, match="Protego.parse expects str, got bytes"):
        Protego.parse(b"")  # type: ignore[arg-type]


def test_copies_and_pickles() -> None:
    rp = Protego.parse(FILE)
    parser = parsed(FILE)
    assert not rp.can_fetch("/", "GPTBot")
    for again in (pickle.loads(pickle.dumps(rp)), copy.deepcopy(rp)):
        assert not again.can_fetch("/", "GPTBot") and again.can_fetch("/", "other")
    for other in (pickle.loads(pickle.dumps(parser)), copy.deepcopy(parser)):
        assert str(other) == str(parser) and other.mtime() == parser.mtime()


class OfGoogle(Protego):
    profile = "google"


MISSPELT = "User-agent: *\nDissallow: /x"


def test_profiles() -> None:
    assert Protego.parse(MISSPELT).can_fetch("/x", "a")
    assert not Protego.parse(MISSPELT, profile="google").can_fetch("/x", "a")
    assert not OfGoogle.parse(MISSPELT).can_fetch("/x", "a")
    assert OfGoogle.parse(MISSPELT, profile="rfc9309").can_fetch("/x", "a")
    parser = RobotFileParser(profile=robotsieve.Profile("google"))
    parser.parse(MISSPELT.splitlines())
    assert not parser.can_fetch("a", "/x")
    assert not RobotsieveRobotParser(MISSPELT.encode(), None, "google").allowed("/x", "a")


def test_token_in_google_is_as_given() -> None:
    # In this profile a line's token ends at the first digit, so no line can name MJ12bot.
    assert names("MJ12bot", "google") == ("MJ12bot",)
    assert Protego.parse(FILE, profile="google").can_fetch("/", "MJ12bot")


# urllib.robotparser


def test_robotparser_has_the_whole_interface() -> None:
    theirs = urllib.robotparser.RobotFileParser
    for name, member in inspect.getmembers(theirs, callable):
        if not name.startswith("_"):
            wanted = list(inspect.signature(member).parameters)
            assert list(inspect.signature(getattr(RobotFileParser, name)).parameters) == wanted
    wanted_attributes = set(vars(theirs("https://e.com/robots.txt")))
    # Newer versions index the entries.
    missing = wanted_attributes - set(dir(RobotFileParser("https://e.com/robots.txt"))) - {"groups"}
    assert missing == set()
    assert robotparser.__all__ == urllib.robotparser.__all__
    assert robotparser.RequestRate._fields == urllib.robotparser.RequestRate._fields


def test_robotparser_records() -> None:
    parser = parsed(FILE)
    assert (parser.crawl_delay("GPTBot"), parser.crawl_delay("other")) == (2.5, 4)
    assert isinstance(parser.crawl_delay("other"), int)
    assert parser.request_rate("GPTBot/2") == robotparser.RequestRate(30, 60)
    assert parser.site_maps() == parser.sitemaps == ["https://e.com/s.xml"]
    assert parsed("").site_maps() is None
    # As in newer versions, no user agent is that of the '*' group.
    assert not parser.can_fetch(None, "/search") and parser.crawl_delay(None) == 4


def test_robotparser_before_parse() -> None:
    parser = RobotFileParser("http://e.com:8080/robots.txt")
    assert (parser.host, parser.path, parser.mtime()) == ("e.com:8080", "/robots.txt", 0)
    assert not parser.can_fetch("x", "/") and parser.crawl_delay("x") is None
    assert parser.request_rate("x") is None and str(parser) == ""
    parser.modified()
    assert parser.mtime() > 0 and parser.can_fetch("x", "/")
    parser.disallow_all = True
    assert not parser.can_fetch("x", "/")


def test_later_parse_replaces() -> None:
    parser = parsed("User-agent: *\nDisallow: /a\nSitemap: x")
    parser.parse(["User-agent: *", "Disallow: /b"])
    assert parser.can_fetch("x", "/a") and not parser.can_fetch("x", "/b")
    assert parser.site_maps() is None
    # The standard library takes each character of a text for a line, and allows everything.
    parser.parse("User-agent: *\nDisallow: /c\n")
    assert parser.can_fetch("x", "/b") and not parser.can_fetch("x", "/c")


def test_text_of_robotparser() -> None:
    body = """\
User-agent: a
User-agent: b
Crawl-delay: 2
Request-rate: 1/5
Disallow: /x
Allow: /x/y

User-agent: d
Allow:

User-agent: *
Disallow: /"""
    parser = parsed("User-agent: *\nDisallow: /\n" + body.rsplit("\n\n", 1)[0] + "\nDisallow:\n")
    assert str(parser) == body
    assert str(parsed(body)) == body
    assert [entry.useragents for entry in parser.entries] == [["a", "b"], ["d"]]
    assert parser.default_entry is not None and parser.default_entry.delay is None
    assert parsed("User-agent: a\nDisallow: /").default_entry is None


@contextmanager
def serving(answers: dict[str, tuple[int, bytes]]) -> Iterator[str]:
    """A server with these answers; its URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = answers[self.path]
            self.send_response(status)
            if status == 302:
                self.send_header("Location", body.decode())
            self.end_headers()
            self.wfile.write(b"" if status == 302 else body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_read_is_bounded() -> None:
    body = b"User-agent: *\nDisallow: /a\nDisallow: /bcd\n"
    with serving({"/robots.txt": (200, body)}) as base:
        parser = RobotFileParser(f"{base}/robots.txt")
        parser.max_bytes = len(body) - 3
        parser.read()
        # Half a rule, /b, would be another rule.
        assert not parser.can_fetch("x", "/a") and parser.can_fetch("x", "/bcd")
        # The last line is whole without its end.
        for max_bytes in (len(body) - 1, len(body)):
            parser.max_bytes = max_bytes
            parser.read()
            assert not parser.can_fetch("x", "/bcd")
        # Nothing is known of a file of which no whole line is left.
        parser.max_bytes = 5
        parser.read()
        assert not parser.can_fetch("x", "/y")
    utf16 = body.decode().encode("utf-16")
    with serving({"/robots.txt": (200, utf16)}) as base:
        parser = RobotFileParser(f"{base}/robots.txt")
        for max_bytes in range(len(utf16) - 24, len(utf16) - 2):
            parser.max_bytes = max_bytes
            parser.read()
            assert not parser.can_fetch("x", "/a") and parser.can_fetch("x", "/bcd")


def test_what_is_no_file_allows_nothing() -> None:
    """As :mod:`robotsieve.aio` has it: what is still compressed, a part, and what a proxy says."""
    rules = b"User-agent: *\nAllow: /\n"
    for status, body in [(200, gzip.compress(rules)), (206, rules)]:
        with serving({"/robots.txt": (status, body)}) as base:
            parser = RobotFileParser(f"{base}/robots.txt")
            parser.read()
            assert not parser.can_fetch("x", "/y")
    with serving({"/robots.txt": (407, b"")}) as base:
        parser = RobotFileParser(f"{base}/robots.txt")
        with pytest.raises(urllib.error.URLError, match="proxy"):
            parser.read()
        assert not parser.can_fetch("x", "/y")
    # The bytes of a line end may be in the middle of a character.
    for encoding in ["utf-16", "utf-16-be"]:
        mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
        text = "# \u0d0a\nUser-agent: *\nDisallow: /\u010d\n"
        with serving({"/robots.txt": (200, mark + text.encode(encoding))}) as base:
            parser = RobotFileParser(f"{base}/robots.txt")
            parser.read()
            assert not parser.can_fetch("x", "/\u010d") and parser.can_fetch("x", "/y")


@pytest.mark.parametrize("parser", [RobotFileParser, urllib.robotparser.RobotFileParser])
def test_a_file_that_breaks_off_is_none(parser: type[RobotFileParser]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(1 << 16)
                connection.sendall(b"HTTP/1.0 200 OK\r\nContent-Length: 90\r\n\r\nUser-agent: *\nDisallow: /a\n")

        thread = threading.Thread(target=serve)
        thread.start()
        broken = parser(f"http://127.0.0.1:{server.getsockname()[1]}/robots.txt")
        with pytest.raises((urllib.error.URLError, http.client.IncompleteRead)):
            broken.read()
        thread.join()
        assert not broken.can_fetch("x", "/b")


@pytest.mark.parametrize("drips", [False, True])
def test_read_gives_up(drips: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        ended = threading.Event()

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                if drips:
                    connection.sendall(b"HTTP/1.0 200 OK\r\n\r\n")
                while not ended.wait(0.02):
                    if drips:
                        try:
                            connection.sendall(b"# x\n")
                        except OSError:
                            return

        thread = threading.Thread(target=serve)
        thread.start()
        parser = RobotFileParser(f"http://127.0.0.1:{server.getsockname()[1]}/robots.txt")
        parser.timeout = 0.2
        with pytest.raises(urllib.error.URLError):
            parser.read()
        assert not parser.can_fetch("x", "/")
        ended.set()
        thread.join()


@pytest.mark.parametrize("status", [401, 403, 404, 410, 429, 500, 503])
def test_failed_reads_are_as_in_the_standard_library(status: int) -> None:
    states = []
    parsers: list[Any] = [RobotFileParser(), urllib.robotparser.RobotFileParser()]
    with serving({"/robots.txt": (status, b"User-agent: *\nDisallow: /x")}) as site:
        for parser in parsers:
            parser.set_url(f"{site}/robots.txt")
            parser.read()
            states.append((parser.can_fetch("x", "/"), parser.mtime(), parser.allow_all))
    assert states[0] == states[1]


def test_reads() -> None:
    file = b"\xef\xbb\xbfUser-agent: *\r\nDisallow: /\xff\rDisallow: /b\x85\x0c#\n"
    with serving({"/robots.txt": (302, b"/other"), "/other": (200, file)}) as site:
        parser = RobotFileParser(f"{site}/robots.txt")
        parser.read()
    assert not parser.can_fetch("x", "/%FF") and parser.can_fetch("x", "/%FE")
    assert not parser.can_fetch("x", "/b\udc85\x0c") and parser.can_fetch("x", "/b")
    assert parser.mtime() > 0
    parser.set_url("http://127.0.0.1:1/robots.txt")
    with pytest.raises(urllib.error.URLError):
        parser.read()


def test_a_later_read_that_succeeds_counts() -> None:
    answers = {"/robots.txt": (404, b"")}
    with serving(answers) as site:
        parser = RobotFileParser(f"{site}/robots.txt")
        parser.read()
        assert parser.can_fetch("x", "/x")
        answers["/robots.txt"] = (200, TEN.encode())
        parser.read()
    assert not parser.can_fetch("x", "/page") and parser.can_fetch("x", "/x")


# Scrapy


def test_scrapy_has_the_whole_interface() -> None:
    assert issubclass(RobotsieveRobotParser, scrapy.robotstxt.RobotParser)
    for name in vars(scrapy.robotstxt.RobotParser):
        if not name.startswith("_"):
            assert name in vars(RobotsieveRobotParser), name
    parser = RobotsieveRobotParser.from_crawler(None, FILE.encode())
    assert parser.crawl_delay(b"GPTBot") == 2.5 and parser.crawl_delay("other") == 4.0
    assert list(parser.rp.sitemaps) == ["https://e.com/s.xml"]


def test_scrapy_setting() -> None:
    from scrapy.utils.test import get_crawler

    crawler: Any = get_crawler(settings_dict={"ROBOTSIEVE_PROFILE": "google"})
    assert not RobotsieveRobotParser.from_crawler(crawler, MISSPELT.encode()).allowed("/x", "a")


def test_scrapy_logs_what_is_not_read(caplog: pytest.LogCaptureFixture) -> None:
    long = b"User-agent: *\n" + b"#" * 600_000 + b"\nDisallow: /x\n"
    with caplog.at_level(logging.WARNING):
        parser = RobotsieveRobotParser(long, None)
    assert parser.allowed("/x", "a")
    assert "of 600028 bytes, the first 14 are read" in caplog.text
    caplog.clear()
    unlimited = robotsieve.Profile("rfc9309", size_limit=None)
    assert not RobotsieveRobotParser(long, None, unlimited).allowed("/x", "a")
    assert caplog.text == ""
