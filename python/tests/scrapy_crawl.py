"""``scrapy_crawl.py SITE USER_AGENT [SETTINGS]`` crawls a site with Scrapy, and writes what the parser
says of the crawl delay, what came of the requests, the log, and after each response its slot's delay and
whether that varies, as JSON. The settings are JSON too.
"""

import json
import logging
import sys
from collections.abc import Iterator
from typing import Any

import scrapy
from scrapy import signals
from scrapy.crawler import Crawler, CrawlerProcess
from scrapy.http import Request, Response, TextResponse


class Everything(scrapy.Spider):
    name = "everything"
    start_urls = [sys.argv[1]]

    def parse(self, response: Response, **_: Any) -> Iterator[Request]:
        if isinstance(response, TextResponse):
            yield from response.follow_all(css="a")


class Log(logging.Handler):
    """The messages of our own logger."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


def main() -> None:
    user_agent = sys.argv[2]
    settings: dict[str, Any] = {
        "ROBOTSTXT_OBEY": True,
        "USER_AGENT": user_agent,
        "TELNETCONSOLE_ENABLED": False,
        "DOWNLOAD_DELAY": 0,
        "LOG_LEVEL": "ERROR",
        **json.loads(sys.argv[3] if len(sys.argv) > 3 else "{}"),
    }
    delays = []

    def on_parsed(robotparser: Any) -> None:
        delays.append(robotparser.crawl_delay(user_agent.encode()))

    slots = []

    def on_response(request: Request) -> None:
        assert crawler.engine is not None
        slot: Any = crawler.engine.downloader.slots[request.meta["download_slot"]]
        varies = slot.jitter if hasattr(slot, "jitter") else slot.randomize_delay
        if not request.url.endswith("/robots.txt"):
            slots.append([slot.delay, bool(varies)])

    log = Log()
    ours = logging.getLogger("robotsieve")
    ours.addHandler(log)
    ours.setLevel(logging.INFO)
    process = CrawlerProcess(settings)
    crawler: Crawler = process.create_crawler(Everything)
    crawler.signals.connect(on_parsed, signal=signals.robots_parsed)
    crawler.signals.connect(on_response, signal=signals.response_received)
    process.crawl(crawler)
    process.start()
    stats = crawler.stats.get_stats() if crawler.stats is not None else {}
    prefix = "robotsieve/crawl_delay/"
    counts = {key.removeprefix(prefix): n for key, n in stats.items() if key.startswith(prefix)}
    found = {
        "delays": delays,
        "forbidden": stats.get("robotstxt/forbidden", 0),
        "counts": counts,
        "log": log.messages,
        "slots": slots,
    }
    json.dump(found, sys.stdout)


main()
