"""Every verdict of google/robotstxt on real files, one by one and from Arrow."""

import pyarrow as pa
from conftest import VERDICTS

from robotsieve import Crawler, PolicySet, Robots


def test_one_by_one(corpus, reference) -> None:
    asked = wrong = 0
    for host, agents in reference.items():
        robots = Robots((corpus / "robots" / host.decode()).read_bytes(), "google")
        for agent, checks in agents.items():
            policy = robots.policy(Crawler(agent))
            asked += len(checks)
            wrong += sum(policy.is_allowed(url) is not allowed for url, allowed in checks)
    print(f"\none by one: {asked - wrong} of {VERDICTS} verdicts are right")
    assert (asked, wrong) == (VERDICTS, 0)


def test_as_str(corpus, reference) -> None:
    """A str with surrogate escapes stands for the same bytes."""
    asked = wrong = 0
    for host, agents in reference.items():
        body = (corpus / "robots" / host.decode()).read_bytes()
        robots = Robots(body.decode("utf-8", "surrogateescape"), "google")
        assert robots.body == body
        for agent, checks in agents.items():
            policy = robots.policy(Crawler(agent.decode("utf-8", "surrogateescape")))
            for url, allowed in checks:
                asked += 1
                text = url.decode("utf-8", "surrogateescape")
                wrong += policy.is_allowed(text) is not allowed
    print(f"\nas str: {asked - wrong} of {VERDICTS} verdicts are right")
    assert (asked, wrong) == (VERDICTS, 0)


def test_arrow(corpus, reference) -> None:
    asked = wrong = 0
    types = [pa.binary(), pa.large_binary(), pa.binary_view()]
    for number, (host, agents) in enumerate(reference.items()):
        robots = Robots((corpus / "robots" / host.decode()).read_bytes(), "google")
        for agent, checks in agents.items():
            urls = pa.array([url for url, _ in checks], types[number % 3])
            verdicts = robots.policy(Crawler(agent)).verdicts(urls, threads=1 + number % 2)
            expected = pa.array([allowed for _, allowed in checks])
            asked += len(checks)
            wrong += sum(a != b for a, b in zip(pa.array(verdicts), expected))
    print(f"\nfrom Arrow: {asked - wrong} of {VERDICTS} verdicts are right")
    assert (asked, wrong) == (VERDICTS, 0)


def test_sets_agree_with_policies(corpus, reference) -> None:
    """Verdicts on all real URLs by way of a set of all hosts, for two crawlers."""
    names = ["Googlebot", "ccbot"]
    sites = PolicySet(names, "google")
    expected: list[list[bool]] = [[], []]
    urls: list[bytes] = []
    for file in sorted((corpus / "urls").iterdir()):
        body = (corpus / "robots" / file.name).read_bytes()
        robots = Robots(body, "google")
        own = [url for url in file.read_bytes().split(b"\n") if url]
        for origin in {url.split(b"/", 3)[0] + b"//" + url.split(b"/", 3)[2] for url in own}:
            sites.add(origin, body)
        for column, name in enumerate(names):
            policy = robots.policy(name)
            expected[column] += [policy.is_allowed(url) for url in own]
        urls += own
    verdicts = sites.verdicts_by_crawler(urls, threads=2)
    assert [list(verdicts[name]) for name in names] == expected
    assert len(urls) > 60_000
