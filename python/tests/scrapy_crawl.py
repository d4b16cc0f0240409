"""``scrapy_crawl.py SITE USER_AGENT [PARSER]`` crawls a site with Scrapy, and writes what the parser
says of the crawl delay as JSON.
"""

import json
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


def main() -> None:
    user_agent, parser = sys.argv[2], sys.argv[3:]
    settings: dict[str, Any] = {
        "ROBOTSTXT_OBEY": True,
        "USER_AGENT": user_agent,
        "TELNETCONSOLE_ENABLED": False,
        "DOWNLOAD_DELAY": 0,
        "LOG_LEVEL": "ERROR",
    }
    if parser:
        settings["ROBOTSTXT_PARSER"] = parser[0]
    delays = []

    def on_parsed(robotparser: Any) -> None:
        delays.append(robotparser.crawl_delay(user_agent.encode()))

    process = CrawlerProcess(settings)
    crawler: Crawler = process.create_crawler(Everything)
    crawler.signals.connect(on_parsed, signal=signals.robots_parsed)
    process.crawl(crawler)
    process.start()
    stats = crawler.stats.get_stats() if crawler.stats is not None else {}
    forbidden = stats.get("robotstxt/forbidden", 0)
    json.dump({"delays": delays, "forbidden": forbidden}, sys.stdout)


main()
