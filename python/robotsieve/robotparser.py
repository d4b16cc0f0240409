"""Takes the place of ``urllib.robotparser``: ``from robotsieve.robotparser import RobotFileParser``.

The interface is that of the standard library; the verdicts are robotsieve's. ``docs/migration.md``
lists what differs.
"""

from __future__ import annotations

import http.client
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import IO, TYPE_CHECKING, ClassVar, NamedTuple

from ._dropin import Policies, is_allowed
from ._robotsieve import Crawler, Robots, file_in

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ._dropin import Agent
    from ._robotsieve import Policy
    from .typing import AnyProfile

__all__ = ["RobotFileParser"]



class RequestRate(NamedTuple):
    """How many documents to request in how many seconds."""

    requests: int
    seconds: int


class RuleLine(NamedTuple):
    """A rule as written."""

    path: str
    allowance: bool

    def __str__(self) -> str:
        return f"{'Allow' if self.allowance else 'Disallow'}: {self.path}"


class Entry(NamedTuple):
    """What holds for some user agents: their groups, merged, and the delay and rate asked of them."""

    useragents: list[str]
    rulelines: list[RuleLine]
    delay: float | None
    req_rate: RequestRate | None

    def __str__(self) -> str:
        lines = [f"User-agent: {agent}" for agent in self.useragents]
        if self.delay is not None:
            lines.append(f"Crawl-delay: {self.delay}")
        if self.req_rate is not None:
            lines.append(f"Request-rate: {self.req_rate.requests}/{self.req_rate.seconds}")
        # Without a rule, the next group would begin with these user agents.
        lines.extend(map(str, self.rulelines) if self.rulelines else ["Allow:"])
        return "\n".join(lines)


def _delay_of(policy: Policy) -> float | None:
    delay = policy.crawl_delay
    return int(delay) if delay is not None and delay.is_integer() else delay


def _rate_of(policy: Policy) -> RequestRate | None:
    rate = policy.request_rate
    return None if rate is None else RequestRate(rate.requests, int(rate.seconds))


class RobotFileParser:
    """A robots.txt, with the interface of ``urllib.robotparser.RobotFileParser``.

    A user agent is a product token or a whole ``User-Agent`` header; a :class:`robotsieve.Crawler`
    will do too, for a crawler with several names. Files are read as RFC 9309 says; ``profile=``, or
    the attribute ``profile`` of a subclass, names another reading.

    >>> from robotsieve.robotparser import RobotFileParser
    >>> rp = RobotFileParser()
    >>> rp.parse(["User-agent: *", "Disallow: /search", "Allow: /search/about"])
    >>> rp.can_fetch("MyCrawler", "https://example.com/search/about")
    True

    As in the standard library, nothing may be fetched before :meth:`read` or :meth:`parse`.
    """

    profile: ClassVar[AnyProfile] = "rfc9309"

    #: The seconds without an answer after which :meth:`read` gives up.
    timeout: float = 15.0
    #: The bytes of a file that :meth:`read` takes; what is beyond is left, and the line cut there with it.
    max_bytes: int = 1 << 20

    #: Set by :meth:`read`, or by you: then they are the answer for every URL.
    disallow_all: bool
    allow_all: bool
    last_checked: float

    def __init__(self, url: str = "", *, profile: AnyProfile | None = None) -> None:
        self._profile: AnyProfile = self.profile if profile is None else profile
        self._policies = Policies(Robots(b"", self._profile))
        self.sitemaps: list[str] = []
        self.disallow_all = False
        self.allow_all = False
        self.last_checked = 0
        self.set_url(url)

    def mtime(self) -> float:
        """When the file was last fetched, in seconds since the epoch; 0 if it never was."""
        return self.last_checked

    def modified(self) -> None:
        """Says that the file was fetched now."""
        self.last_checked = time.time()

    def set_url(self, url: str | urllib.request.Request) -> None:
        """Sets the URL of the robots.txt."""
        self.url = url
        full = url.full_url if isinstance(url, urllib.request.Request) else url
        self.host, self.path = urllib.parse.urlparse(full)[1:3]

    def read(self) -> None:
        """Fetches the URL and parses the file.

        As in the standard library, after 401 and 403 nothing may be fetched, after another 4xx
        everything; an ``URLError`` is raised. After 5xx nothing may be fetched, as in its newer
        versions. Unlike there, a later fetch that succeeds ends that, a server that is silent for
        ``timeout`` seconds raises as an unreachable one does, and so does one that takes longer than four
        times that for the whole file; of a file the whole lines within the first ``max_bytes`` are taken, and if
        there are none, nothing may be fetched.
        """
        try:
            with urllib.request.urlopen(self.url, timeout=self.timeout) as answer:
                body = self._body_of(answer)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code == 407:
                raise urllib.error.URLError("a proxy asks for a user and a password (407)") from error
            if error.code in (401, 403) or 500 <= error.code < 600:
                self.disallow_all = True
            elif 400 <= error.code < 500:
                self.allow_all = True
        except TimeoutError as error:
            raise urllib.error.URLError(error) from error
        else:
            self.disallow_all, self.allow_all = body is None, False
            self._take(body or b"")

    def _body_of(self, answer: IO[bytes]) -> bytes | None:
        end = time.monotonic() + 4 * self.timeout
        body = bytearray()
        while len(body) <= self.max_bytes:
            # At most one call of the socket each, so that one that drips is found out.
            read: bytes = getattr(answer, "read1", answer.read)(1 << 16)
            if not read:
                # Less than was promised is no file; `read1` says nothing of that.
                if left := getattr(answer, "length", None):
                    raise urllib.error.URLError(http.client.IncompleteRead(bytes(body), left))
                break
            body += read
            if time.monotonic() > end:
                raise urllib.error.URLError(TimeoutError(f"{self.url} takes too long"))
        # Half a rule is another rule; and 206 has a part, of which nobody knows what it lacks.
        headers = getattr(answer, "headers", {})
        status = getattr(answer, "status", None) or 200
        return file_in(status, headers.get("Content-Range"), bytes(body), self.max_bytes)

    def parse(self, lines: Iterable[str]) -> None:
        """Takes these lines, or a text as a whole, as the file, in place of what was parsed before."""
        # The characters of a text are lines without a rule, which would allow everything.
        lines = lines.splitlines() if isinstance(lines, str) else lines
        self._take("\n".join(line.rstrip("\r\n") for line in lines))

    def _take(self, body: str | bytes) -> None:
        self._policies = Policies(Robots(body, self._profile))
        self.sitemaps = self._policies.sitemaps()
        self.modified()

    def can_fetch(self, useragent: Agent | None, url: str) -> bool:
        """True if the user agent may fetch the URL, or the path."""
        if self.disallow_all:
            return False
        if self.allow_all:
            return True
        if not self.last_checked:
            return False
        return is_allowed(self._policies, "*" if useragent is None else useragent, url)

    def _policy(self, useragent: Agent | None) -> Policy | None:
        if not self.mtime():
            return None
        return self._policies["*" if useragent is None else useragent]

    def crawl_delay(self, useragent: Agent | None) -> float | None:
        """The crawl delay for the user agent in seconds, an ``int`` if it is a whole number."""
        policy = self._policy(useragent)
        return _delay_of(policy) if policy is not None else None

    def request_rate(self, useragent: Agent | None) -> RequestRate | None:
        """The request rate for the user agent."""
        policy = self._policy(useragent)
        return _rate_of(policy) if policy is not None else None

    def site_maps(self) -> list[str] | None:
        """The values of the ``Sitemap`` lines, ``None`` if there are none."""
        return self.sitemaps or None

    @property
    def entries(self) -> list[Entry]:
        """The groups that name crawlers, those of the same crawlers merged; one for each delay."""
        return [entry for entry in self._entries() if "*" not in entry.useragents]

    @property
    def default_entry(self) -> Entry | None:
        """The group of ``*``, ``None`` if there is none."""
        return next((entry for entry in self._entries() if "*" in entry.useragents), None)

    def _entries(self) -> list[Entry]:
        robots = self._policies.robots
        entries: dict[tuple[object, ...], Entry] = {}
        for token in dict.fromkeys(token.lower() for token in robots.tokens):
            policy = robots.policy(Crawler(token))
            # A delay is that of the lines above it, which may not be the whole group.
            pace = _delay_of(policy), _rate_of(policy)
            key = (*pace, *(line for line, _ in policy.group))
            if key in entries:
                entries[key].useragents.append(token)
                continue
            rules = sorted(policy.rules, key=lambda rule: rule.line)
            rulelines = [RuleLine(rule.value, rule.verdict == "allow") for rule in rules]
            entries[key] = Entry([token], rulelines, *pace)
        return list(entries.values())

    def __str__(self) -> str:
        default = self.default_entry
        entries = self.entries + ([default] if default is not None else [])
        return "\n\n".join(map(str, entries))
