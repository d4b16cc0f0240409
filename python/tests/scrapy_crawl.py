"""``scrapy_crawl.py`` crawls sites with Scrapy, all at once. It reads a list of ``[SITE, USER_AGENT, SETTINGS]`` as
JSON, and writes of each crawl what the parser says of the crawl delay, what came of the requests, the log, and after
each response its slot's delay and whether that varies.
"""

import json
import logging
import sys
from collections.abc import Callable, Iterator
from typing import Any

import scrapy
from scrapy import signals
from scrapy.crawler import Crawler, CrawlerProcess
from scrapy.http import Request, Response, TextResponse

SETTINGS = {
    "ROBOTSTXT_OBEY": True,
    "TELNETCONSOLE_ENABLED": False,
    "DOWNLOAD_DELAY": 0,
    "LOG_LEVEL": "ERROR",
}


class Everything(scrapy.Spider):
    name = "everything"

    def parse(self, response: Response, **_: Any) -> Iterator[Request]:
        if isinstance(response, TextResponse):
            yield from response.follow_all(css="a")


class Log(logging.Handler):
    """The messages of our own logger, with the crawlers that they are of."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[tuple[Crawler, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append((record.__dict__["spider"].crawler, record.getMessage()))


def watched(crawler: Crawler, user_agent: str, log: Log) -> Callable[[], dict[str, Any]]:
    """Returns what says afterwards what became of a crawl."""
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

    def found() -> dict[str, Any]:
        stats = crawler.stats.get_stats() if crawler.stats is not None else {}
        prefix = "robotsieve/crawl_delay/"
        return {
            "delays": delays,
            "forbidden": stats.get("robotstxt/forbidden", 0),
            "counts": {key.removeprefix(prefix): n for key, n in stats.items() if key.startswith(prefix)},
            "log": [message for of, message in log.messages if of is crawler],
            "slots": slots,
        }

    crawler.signals.connect(on_parsed, signal=signals.robots_parsed, weak=False)
    crawler.signals.connect(on_response, signal=signals.response_received, weak=False)
    return found


def main() -> None:
    log = Log()
    ours = logging.getLogger("robotsieve")
    ours.addHandler(log)
    ours.setLevel(logging.INFO)
    # Its settings would take the place of a crawler's.
    process = CrawlerProcess({"LOG_LEVEL": "ERROR"})
    crawls = []
    for number, (site, user_agent, settings) in enumerate(json.load(sys.stdin)):
        # The first one brings the reactor.
        crawler = Crawler(Everything, SETTINGS | {"USER_AGENT": user_agent} | settings, init_reactor=number == 0)
        crawls.append(watched(crawler, user_agent, log))
        process.crawl(crawler, start_urls=[site])
    process.start()
    json.dump([found() for found in crawls], sys.stdout)


main()
