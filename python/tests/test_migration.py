"""The drop-ins on real files: the verdicts are the policy's, and docs/migration.md has the counts."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.robotparser import RobotFileParser as OfUrllib

import pytest
from migration_counts import all_asked, count

import robotsieve
from robotsieve.protego import Protego
from robotsieve.robotparser import RobotFileParser
from robotsieve.scrapy import RobotsieveRobotParser

HEADER = "Mozilla/5.0 (compatible; {}/2.1; +https://e.com/bot)"


#: The drop-ins ask the policy, so some URLs of each host and crawler do; ROBOTSIEVE_TESTS=all tries all.
IS_ALL = os.environ.get("ROBOTSIEVE_TESTS") == "all"
STEP = 1 if IS_ALL else 8


def test_verdicts_are_the_policys(corpus: Path) -> None:
    wrong, asked = [], 0
    for each in all_asked(corpus):
        text = each.body.decode("utf-8", "surrogateescape")
        policy = robotsieve.Robots(each.body).policy(each.agent)
        header = HEADER.format(each.agent)
        rp, of_scrapy = Protego.parse(text), RobotsieveRobotParser(each.body, None)
        parser = RobotFileParser()
        parser.parse(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
        for url in each.urls[::STEP]:
            verdicts = {
                policy.is_allowed(url),
                rp.can_fetch(url, each.agent),
                parser.can_fetch(each.agent, url),
                of_scrapy.allowed(url, header),
            }
            asked += 1
            if len(verdicts) > 1:
                wrong.append((each.agent, url))
        assert rp.crawl_delay(header) == of_scrapy.crawl_delay(header) == policy.crawl_delay
    assert wrong == []
    assert asked == 600_347 if IS_ALL else asked > 600_347 // STEP


@pytest.mark.skipif(not IS_ALL, reason="asks the other parsers for minutes: ROBOTSIEVE_TESTS=all")
def test_documentation_has_the_counts(corpus: Path) -> None:
    page = Path(__file__).parents[1].joinpath("docs/migration.md").read_text()
    of_protego, of_urllib = count(corpus)
    counted = [of_protego]
    # Later versions of CPython have other verdicts, and know groups.
    if not hasattr(OfUrllib(), "groups"):
        counted.append(of_urllib)
    for counts in counted:
        assert counts.summary() in page
        assert counts.table() in page
