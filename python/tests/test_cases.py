"""The conformance cases in corpora/cases, which are the same for every language."""

import base64
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import robotsieve
from robotsieve import Crawler, Profile, Robots

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CASES = Path(__file__).resolve().parents[2] / "corpora/cases"


def cases() -> Iterator[Any]:
    for file in sorted(CASES.glob("*.toml")):
        for case in tomllib.loads(file.read_text("utf-8"))["case"]:
            yield pytest.param(case, id=case["name"])


def content(case: dict[str, Any], name: str) -> bytes:
    if name in case:
        return str(case[name]).encode()
    return base64.b64decode(case[name + "_base64"])


def crawler_of(case: dict[str, Any]) -> Crawler:
    if "user_agent" in case:
        return Crawler.from_user_agent(case["user_agent"])
    return Crawler(*(name.strip() for name in case["agent"].split(",")))


def answer(policy: robotsieve.Policy, url: bytes) -> str:
    try:
        decision = policy.decide(url)
    except robotsieve.InvalidUrl:
        return "invalid"
    assert policy.is_allowed(url) == decision.is_allowed == (decision.verdict == "allow")
    return decision.verdict + (f":{decision.rule.line}" if decision.rule else "")


def one_call(robots: bytes, crawler: Crawler, url: bytes, profile: str) -> bool | None:
    try:
        return robotsieve.is_allowed(robots, crawler, url, profile=profile)
    except robotsieve.InvalidUrl:
        return None


@pytest.mark.parametrize("case", list(cases()))
def test_case(case: dict[str, Any]) -> None:
    robots = content(case, "robots")
    for profile in Profile.names():
        policy = Robots(robots, profile).policy(crawler_of(case))
        urls = [content(check, "url") for check in case["checks"]]
        expected = [check.get("all") or check[profile] for check in case["checks"]]
        assert [answer(policy, url) for url in urls] == expected, profile
        batch = {"allow": True, "disallow": False, "invalid": None}
        verdicts = [batch[e.split(":")[0]] for e in expected]
        assert list(policy.verdicts(urls)) == verdicts
        assert [one_call(robots, crawler_of(case), url, profile) for url in urls] == verdicts
        assert list(policy.answers(urls)) == [e.split(":")[0] for e in expected]


def test_there_are_cases() -> None:
    assert len(list(cases())) >= 400
