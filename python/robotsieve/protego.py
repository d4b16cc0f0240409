"""Takes the place of Protego: ``from robotsieve.protego import Protego``.

The interface is that of Protego 0.7; the verdicts are robotsieve's. ``docs/migration.md`` lists what
differs.
"""

from __future__ import annotations

import re
from datetime import time
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from ._dropin import Policies, is_allowed
from ._robotsieve import Robots

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Self

    from ._dropin import Agent
    from .typing import AnyProfile

__all__ = ["Protego", "RequestRate", "VisitTime"]

#: ``0400-0845``, ``0400 0845``, ``400-845`` or ``04:00-08:45``, all in UTC.
_VISIT_TIME = re.compile(
    r"(\d{1,2}):?(\d\d)(?:\s*-\s*|\s+)(\d{1,2}):?(\d\d)\s*(?:UTC?|GMT|Z)?", re.ASCII | re.IGNORECASE
).fullmatch


@lru_cache(maxsize=16)
def _of_nothing(profile: AnyProfile) -> Policies:
    """What a new ``Protego`` holds until it gets a file."""
    return Policies(Robots(b"", profile))


def _clock(hours: int, minutes: int) -> time:
    # ``time`` has no 24:00.
    return time.max if (hours, minutes) == (24, 0) else time(hours, minutes)


class RequestRate(NamedTuple):
    """How many documents to request in how many seconds, and at which time of the day (UTC)."""

    requests: int
    seconds: int
    start_time: time | None
    end_time: time | None


class VisitTime(NamedTuple):
    """The time of the day for visits (UTC)."""

    start_time: time
    end_time: time


class Protego:
    """A robots.txt, with the interface of ``protego.Protego``.

    A user agent is a product token or a whole ``User-Agent`` header; a :class:`robotsieve.Crawler`
    will do too, for a crawler with several names. Files are read as RFC 9309 says; ``profile=`` of
    :meth:`parse`, or the attribute ``profile`` of a subclass, names another reading.

    >>> from robotsieve.protego import Protego
    >>> rp = Protego.parse("User-agent: *\\nDisallow: /search\\nCrawl-delay: 4")
    >>> rp.can_fetch("https://example.com/search?q=x", "MyCrawler/1.0 (+https://example.com/bot)")
    False
    >>> rp.crawl_delay("MyCrawler")
    4.0
    """

    profile: ClassVar[AnyProfile] = "rfc9309"

    _policies: Policies

    def __init__(self) -> None:
        self._policies = _of_nothing(self.profile)

    @classmethod
    def parse(cls, content: str, *, profile: AnyProfile | None = None) -> Self:
        """Reads a robots.txt. Any content is one."""
        if not isinstance(content, str):
            raise TypeError(f"Protego.parse expects str, got {type(content).__name__}")
        return cls._of(content, profile)

    @classmethod
    def _of(cls, body: str | bytes, profile: AnyProfile | None = None) -> Self:
        parsed = cls()
        parsed._policies = Policies(Robots(body, cls.profile if profile is None else profile))
        return parsed

    def can_fetch(self, url: str, user_agent: Agent) -> bool:
        """True if the user agent may fetch the URL, or the path."""
        return is_allowed(self._policies, user_agent, url)

    def crawl_delay(self, user_agent: Agent) -> float | None:
        """The crawl delay for the user agent in seconds: the longest, if its groups have several."""
        return self._policies[user_agent].crawl_delay

    def request_rate(self, user_agent: Agent) -> RequestRate | None:
        """The request rate for the user agent: the slowest, if its groups have several."""
        rate = self._policies[user_agent].request_rate
        if rate is None:
            return None
        start = end = None
        if rate.window is not None:
            start, end = (_clock(*divmod(minute, 60)) for minute in rate.window)
        return RequestRate(rate.requests, int(rate.seconds), start, end)

    def visit_time(self, user_agent: Agent) -> VisitTime | None:
        """The visit time for the user agent: the last, if its groups have several."""
        for value in reversed(self._policies.values_of("visit-time", user_agent)):
            found = _VISIT_TIME(value)
            if found is not None:
                hours, minutes, end_hours, end_minutes = map(int, found.groups())
                try:
                    return VisitTime(_clock(hours, minutes), _clock(end_hours, end_minutes))
                except ValueError:
                    pass  # No such time of the day.
        return None

    @property
    def sitemaps(self) -> Iterator[str]:
        """The values of the ``Sitemap`` lines that have one."""
        return iter(self._policies.sitemaps())

    @property
    def preferred_host(self) -> str | None:
        """The value of the ``Host`` line: the last, if there are several."""
        hosts = self._policies.values_of("host", "*")
        return hosts[-1] if hosts else None
