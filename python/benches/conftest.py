"""The data of the benchmarks, and the table of ratios at their end."""

import gzip
import os
import random
from pathlib import Path

import pytest

from robotsieve import Robots

REPOSITORY = Path(__file__).resolve().parents[2]
CORPUS = Path(os.environ.get("ROBOTSIEVE_CORPUS", REPOSITORY / "../shared/corpus")).resolve()
AGENT = "Googlebot"

#: Seconds for one item, by benchmark.
SECONDS: dict[str, float] = {}
#: What is said at the end.
BARS: list[tuple[str, str, str]] = []


class Site:
    def __init__(self, host: str, body: bytes, urls: list[str]) -> None:
        self.host, self.body, self.urls = host, body, urls
        self.text = body.decode("utf-8", "replace")


@pytest.fixture(scope="session")
def sites() -> list[Site]:
    """The 668 hosts of the corpus that have URLs: what a crawler of them would hold."""
    if not CORPUS.is_dir():
        pytest.exit(f"the benchmarks need the corpus of real files, which is not in {CORPUS}", 2)
    found = []
    for file in sorted((CORPUS / "urls").iterdir()):
        urls = file.read_bytes().decode("utf-8", "surrogateescape").split("\n")
        body = (CORPUS / "robots" / file.name).read_bytes()
        found.append(Site(file.name, body, [url for url in urls if url]))
    return found


def google_verdicts() -> dict[tuple[str, str], bool]:
    """What google/robotstxt answered for the agent, by host and URL."""
    found = {}
    with gzip.open(CORPUS / "verdicts.google.tsv.gz") as lines:
        for line in lines:
            host, agent, verdict, url = line.rstrip(b"\n").decode("utf-8", "surrogateescape").split("\t", 3)
            if agent == AGENT:
                found[host, url] = verdict == "1"
    return found


@pytest.fixture(scope="session")
def million(sites: list[Site]) -> list[str]:
    """A million different URLs in random order: the real ones, with numbers added."""
    urls = [url for site in sites for url in site.urls]
    urls = [f"{url}{'&' if '?' in url else '?'}p={number}" for number in range(17) for url in urls]
    random.Random(1).shuffle(urls)
    return urls[:1_000_000]


@pytest.fixture(scope="session")
def middle(sites: list[Site]) -> Site:
    """The site whose policy has as many rules as the median of those that have any."""
    counted = [(len(Robots(site.body).policy(AGENT).rules), site.host, site) for site in sites]
    counted = sorted(entry for entry in counted if entry[0])
    return counted[len(counted) // 2][2]


def took(name: str, benchmark, items: int) -> float:
    """Keeps the best round's seconds for an item."""
    SECONDS[name] = benchmark.stats.stats.min / items
    return SECONDS[name]


def pytest_terminal_summary(terminalreporter) -> None:
    if BARS:
        terminalreporter.section("bars")
        for what, bar, measured in BARS:
            terminalreporter.write_line(f"{what:<58} {bar:<34} {measured}")
