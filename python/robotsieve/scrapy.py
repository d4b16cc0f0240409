"""For Scrapy: the parser for ``ROBOTSTXT_PARSER``, and a downloader middleware that holds to crawl delays.

.. code-block:: python

    # settings.py
    ROBOTSTXT_OBEY = True
    ROBOTSTXT_PARSER = "robotsieve.scrapy.RobotsieveRobotParser"
    DOWNLOADER_MIDDLEWARES = {"robotsieve.scrapy.CrawlDelayMiddleware": 150}
"""

from __future__ import annotations

import logging
import math
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakKeyDictionary

from scrapy import signals
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.robotstxt import RobotParser
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.misc import load_object

from .protego import Protego

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from typing_extensions import Self

    from .typing import AnyProfile

__all__ = ["CrawlDelayMiddleware", "RobotsieveRobotParser"]

logger = logging.getLogger(__name__)


class RobotsieveRobotParser(RobotParser):
    """Decides by robotsieve, on the bytes of the file.

    Files are read as RFC 9309 says. The setting ``ROBOTSIEVE_PROFILE``, or the attribute ``profile``
    of a subclass, names another reading. ``rp`` is a :class:`robotsieve.protego.Protego`.

    >>> from robotsieve.scrapy import RobotsieveRobotParser
    >>> parser = RobotsieveRobotParser(b"User-agent: *\\nDisallow: /search", spider=None)
    >>> parser.allowed("https://example.com/search?q=x", "MyCrawler")
    False
    """

    profile: ClassVar[AnyProfile] = "rfc9309"

    def __init__(
        self, robotstxt_body: bytes, spider: Spider | None, profile: AnyProfile | None = None
    ) -> None:
        self.spider: Spider | None = spider
        self.rp: Protego = Protego._of(
            robotstxt_body, self.profile if profile is None else profile
        )
        robots = self.rp._policies.robots
        if robots.is_cut:
            logger.warning(
                "robots.txt is longer than the size limit: of %(size)d bytes, the first %(read)d "
                "are read.",
                {"size": len(robotstxt_body), "read": robots.extent[1]},
                extra={"spider": spider},
            )

    @classmethod
    def from_crawler(cls, crawler: Crawler | None, robotstxt_body: bytes) -> Self:
        """Called by Scrapy for each robots.txt."""
        if not crawler:
            return cls(robotstxt_body, None)
        profile = crawler.settings.get("ROBOTSIEVE_PROFILE")
        return cls(robotstxt_body, crawler.spider, profile)

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """True if the user agent may fetch the URL."""
        if isinstance(url, bytes):
            url = url.decode("utf-8", "surrogateescape")
        return self.rp.can_fetch(url, user_agent)

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """The crawl delay for the user agent in seconds."""
        return self.rp.crawl_delay(user_agent)

    def min_interval(self, user_agent: str | bytes) -> float | None:
        """The seconds to wait between the beginnings of two requests, by crawl delay and request rate.

        >>> from robotsieve.scrapy import RobotsieveRobotParser
        >>> body = b"User-agent: *\\nCrawl-delay: 2\\nRequest-rate: 1/5"
        >>> RobotsieveRobotParser(body, spider=None).min_interval("MyCrawler")
        5.0
        """
        return self.rp._policies[user_agent].min_interval


class CrawlDelayMiddleware:
    """Keeps Scrapy from asking a site more often than its robots.txt wants, by ``Crawl-delay`` and
    ``Request-rate``.

    A downloader middleware, for Scrapy 2.18 and newer. It needs ``ROBOTSTXT_OBEY``, the parser of this
    module, and a place after Scrapy's ``RobotsTxtMiddleware``, which is at 100.

    The *interval* of a request is what the robots.txt that governs it asks of its user agent, which is
    ``ROBOTSTXT_USER_AGENT``, the request's header, or ``USER_AGENT``, as for the verdict. The slot from
    which the request is downloaded waits at least that long between two requests, and longer if
    ``DOWNLOAD_DELAY``, ``DOWNLOAD_SLOTS`` or AutoThrottle says so. Such a slot varies its delay no more
    (``DOWNLOAD_DELAY_JITTER``): half of the requests would come too soon.

    - ``ROBOTSIEVE_MAX_CRAWL_DELAY``, 60 by default: the longest interval to wait, in seconds.
    - ``ROBOTSIEVE_ABOVE_MAX_CRAWL_DELAY``, ``"wait"`` by default: for an interval above it, ``"wait"``
      waits the maximum, and ``"skip"`` fetches nothing but the robots.txt: requests end with
      ``IgnoreRequest``, as those that robots.txt forbids do.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        if not hasattr(signals, "robots_parsed"):
            raise NotConfigured("CrawlDelayMiddleware needs Scrapy 2.18 or newer")
        if not settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured("CrawlDelayMiddleware needs the setting ROBOTSTXT_OBEY = True")
        parser = load_object(settings.get("ROBOTSTXT_PARSER"))
        if not (isinstance(parser, type) and issubclass(parser, RobotsieveRobotParser)):
            raise NotConfigured(
                "CrawlDelayMiddleware needs the setting "
                'ROBOTSTXT_PARSER = "robotsieve.scrapy.RobotsieveRobotParser"'
            )
        self.crawler = crawler
        self.max_interval = _max_interval(settings.get("ROBOTSIEVE_MAX_CRAWL_DELAY", 60))
        self.above_max: str = settings.get("ROBOTSIEVE_ABOVE_MAX_CRAWL_DELAY", "wait")
        if self.above_max not in ("wait", "skip"):
            raise ValueError(
                'ROBOTSIEVE_ABOVE_MAX_CRAWL_DELAY must be "wait" or "skip", '
                f"not {self.above_max!r}"
            )
        self._agent: Any = settings["ROBOTSTXT_USER_AGENT"]
        self._default_agent: str = settings["USER_AGENT"]
        self._parsers: dict[str, RobotsieveRobotParser] = {}
        self._intervals: WeakKeyDictionary[Request, float] = WeakKeyDictionary()
        #: By slot: Scrapy makes the slots of idle sites anew.
        self._slot_intervals: dict[str, float] = {}
        self._told: set[str] = set()
        connect = crawler.signals.connect
        connect(self._robots_parsed, signal=signals.robots_parsed)
        connect(self._request_reached_downloader, signal=signals.request_reached_downloader)
        # Connected later than AutoThrottle is, so called after it.
        connect(self._spider_opened, signal=signals.spider_opened)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Called by Scrapy."""
        return cls(crawler)

    def process_request(self, request: Request, spider: Spider | None = None) -> None:
        """Finds the interval of a request, and ends the request if the interval is too long."""
        if request.meta.get("dont_obey_robotstxt"):
            return
        site = urlparse_cached(request).netloc
        parser = self._parsers.get(site)
        if parser is None:
            return
        agent: Any = self._agent or request.headers.get(b"User-Agent", self._default_agent)
        interval = parser.min_interval(agent)
        if not interval:
            return
        if interval > self.max_interval:
            skips = self.above_max == "skip"
            self._tell(site, interval, "skipped" if skips else "capped")
            if skips:
                self._count("skipped_requests")
                raise IgnoreRequest(
                    f"robots.txt asks for {interval:g} s between requests, which is more than "
                    f"ROBOTSIEVE_MAX_CRAWL_DELAY ({self.max_interval:g} s)"
                )
            interval = self.max_interval
        else:
            self._tell(site, interval, "kept")
        self._intervals[request] = interval

    def _tell(self, site: str, interval: float, outcome: str) -> None:
        """Logs and counts what happens to a site, once."""
        if site in self._told:
            return
        self._told.add(site)
        self._count(f"{outcome}_sites")
        if outcome == "kept":
            level, said = logging.INFO, ""
        else:
            more = "nothing is fetched" if outcome == "skipped" else "that is waited"
            level, said = logging.WARNING, f", more than {self.max_interval:g} s: {more}"
        logger.log(
            level,
            "The robots.txt of %(site)s asks for %(interval)g s between requests%(said)s",
            {"site": site, "interval": interval, "said": said},
            extra={"spider": self.crawler.spider},
        )

    def _count(self, what: str) -> None:
        if self.crawler.stats is not None:
            self.crawler.stats.inc_value(f"robotsieve/crawl_delay/{what}")

    def _spider_opened(self) -> None:
        self.crawler.signals.connect(
            self._response_downloaded, signal=signals.response_downloaded
        )

    def _robots_parsed(self, robotparser: RobotsieveRobotParser, request: Request) -> None:
        self._parsers[urlparse_cached(request).netloc] = robotparser

    def _request_reached_downloader(self, request: Request) -> None:
        # Its slot has been chosen, and decides next how long to wait.
        interval = self._intervals.pop(request, None)
        slot: str = request.meta["download_slot"]
        if interval is not None:
            self._slot_intervals[slot] = max(self._slot_intervals.get(slot, 0.0), interval)
        self._slow_down(slot)

    def _response_downloaded(self, request: Request) -> None:
        # AutoThrottle has chosen a delay.
        slot = request.meta.get("download_slot")
        if slot is not None:
            self._slow_down(slot)

    def _slow_down(self, name: str) -> None:
        interval = self._slot_intervals.get(name)
        engine = self.crawler.engine
        slot: Any = engine.downloader.slots.get(name) if engine is not None else None
        if interval is None or slot is None:
            return
        slot.delay = max(slot.delay, interval)
        if hasattr(slot, "jitter"):
            slot.jitter = 0.0
        else:
            # Scrapy 2.18.
            slot.randomize_delay = False


def _max_interval(given: Any) -> float:
    try:
        seconds = float(given)
    except (TypeError, ValueError):
        seconds = math.nan
    if not seconds >= 0:
        raise ValueError(
            f"ROBOTSIEVE_MAX_CRAWL_DELAY must be a number of seconds from 0, not {given!r}"
        )
    return seconds
