"""The parser for Scrapy's ``ROBOTSTXT_PARSER``.

.. code-block:: python

    # settings.py
    ROBOTSTXT_OBEY = True
    ROBOTSTXT_PARSER = "robotsieve.scrapy.RobotsieveRobotParser"
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, ClassVar

from scrapy.robotstxt import RobotParser

from .protego import Protego

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from typing_extensions import Self

    from .typing import AnyProfile

__all__ = ["RobotsieveRobotParser"]

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
        _, read_bytes = self.rp._policies.robots.extent
        if read_bytes < len(robotstxt_body):
            logger.warning(
                "robots.txt is longer than the size limit: of %(size)d bytes, the first %(read)d "
                "are read.",
                {"size": len(robotstxt_body), "read": read_bytes},
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
        """Whether the user agent may fetch the URL."""
        if isinstance(url, bytes):
            url = url.decode("utf-8", "surrogateescape")
        return self.rp.can_fetch(url, user_agent)

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """The crawl delay for the user agent in seconds."""
        return self.rp.crawl_delay(user_agent)
