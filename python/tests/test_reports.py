"""Explanations, linting, comparisons and records: their claims are put to policies."""

import base64
import dataclasses
import doctest
import html
import json
import os
import pickle
import re
import subprocess
import sys
import threading
import time
import types
import typing
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import robotsieve
import robotsieve.typing
from robotsieve import Crawler, Policy, Robots, _compose, _diff, _explain, _known, _lines, _lint, reports

ROOT = Path(__file__).parents[2]
CORPUS = sorted((ROOT / "corpora/robots").glob("*.txt"))
PROFILES = robotsieve.Profile.names()
IS_ALL = os.environ.get("ROBOTSIEVE_TESTS") == "all"
COMMAND = os.environ.get("ROBOTSIEVE_COMMAND", ROOT / "target/debug/robotsieve")
# 'cargo build -p robotsieve-cli --all-features' builds one that prints it.
SCHEMA = json.loads(subprocess.run([COMMAND, "schema"], check=True, stdout=subprocess.PIPE).stdout)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


@pytest.mark.parametrize("name", ["cases", "outcomes", "delays", "rights"])
def test_the_suite_for_other_parsers_is_what_its_schemas_say(name):
    folder = ROOT / "conformance"
    schema = json.loads((folder / f"{name}.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(json.loads((folder / f"{name}.json").read_text()))


EVERYTHING = b"""\xef\xbb\xbfUser-agent: *
Disallow: /shop/cart/
Disallow: /shop/
Disallow: private/
Allow: /*.html$
Disalow: /x
Crawl-delay: 2.5
Request-rate: 30/1m 0600-0845
Visit-time: 2200-0400
Content-Usage: / train-ai=n, bots=n
Content-Signal: search=yes, ai-train=no
Noindex: /secret
Host: https://example.com:8443
Clean-param: ref&\xe9 /shop/
Sitemap: https://example.com/sitemap.xml
Request-rate: often
Foo: bar

User-agent: b\xe9t
User-agent: MyCrawler
Disallow: /\xe9*$
Content-Usage: / train-ai=y
Content-Usage: / train-ai=n
License: https://example.com/license.xml
"""


def corpus() -> list[bytes]:
    files = [path.read_bytes() for path in CORPUS]
    assert len(files) >= 14
    return files


def urls_of(robots: Robots, crawler: object) -> list[bytes]:
    """URLs around the rules of a crawler."""
    urls = [b"/", b"/robots.txt", b"https://example.com/shop/a.html?x=1#f", b"/%7e\xe9"]
    for rule in robots.policy(crawler).rules[:40]:
        path = rule.value.encode("utf-8", "surrogateescape")
        for filled in (path.replace(b"*", b"x"), path.replace(b"*", b"").rstrip(b"$")):
            urls += [b"/" + filled.lstrip(b"/"), b"/" + filled.lstrip(b"/") + b"z"]
    return urls


lines = st.one_of(
    st.sampled_from(["", "User-agent: *", "User-agent: a", "user-agent: ab", "# robotsieve: ignore"]),
    st.builds(
        "{}: {}".format,
        st.sampled_from(["Allow", "Disallow", "Disalow", "Crawl-delay", "Sitemap", "Host", "Foo"]),
        st.text("/ab*$%2f.é?=\udce9\u202e", max_size=8),
    ),
    st.text(max_size=20),
)
files = st.one_of(
    st.lists(lines, max_size=12).map("\n".join),
    st.binary(max_size=200),
    st.text(st.characters(), max_size=100),
)
profiles = st.sampled_from(PROFILES)
paths = st.text("/ab%2f.é?=\udce9", max_size=8).map("/".__add__)
few = settings(max_examples=60, deadline=None)


def check_document(report: reports.Document, with_schema: bool = True) -> None:
    """It becomes JSON that fits the schema, and the same again from it."""
    document = json.loads(json.dumps(report.to_dict()))
    if with_schema and "schema" in document:
        VALIDATOR.validate(document)
    assert type(report).from_dict(document) == report
    assert type(report).from_json(json.dumps(document)) == report


# Explanations


#: Control characters, and those that change the direction of text.
DANGEROUS = re.compile("[\\x00-\\x1f\\x7f-\\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u061c\ufeff]")


def check_shown(value: object) -> None:
    """No file can manipulate a terminal, or make a text that cannot be written."""
    assert all(line.isprintable() for line in str(value).split("\n"))


def text_of(body: bytes) -> bytes:
    """A UTF-16 file is decoded: spans count bytes of its text, in UTF-8."""
    is_utf16 = body.startswith((b"\xff\xfe", b"\xfe\xff"))
    return body.decode("utf-16", "replace").encode() if is_utf16 else body


def check_explanation(
    robots: Robots, crawler: object, url: "str | bytes", with_schema: bool = True
) -> None:
    why = robots.explain(crawler, url)
    policy = robots.policy(crawler)
    decision = policy.decide(url)
    assert (why.verdict, why.reason, why.line) == (
        decision.verdict,
        decision.reason,
        decision.line,
    )
    assert bool(why) == policy.is_allowed(url)
    assert why.target is not None and why.target.value == policy.target(url)
    assert (why.winner and why.winner.value) == (decision.rule and decision.rule.value)
    assert why.selection is not None and why.selection.rule_count == len({rule.line for rule in policy.rules})
    body = text_of(robots.body)
    for line in why.selection.lines:
        assert body[slice(*line.value_span)].decode("utf-8", "surrogateescape") == line.value
    for rule in why.matches:
        written = body[slice(*rule.value_span)]
        assert written.decode("utf-8", "surrogateescape") == rule.value
        assert written in body[slice(*rule.line_span)]
    document = json.loads(json.dumps(why.to_dict()))
    if with_schema:
        VALIDATOR.validate(document)
    assert robotsieve.ExplainReport.from_dict(document) == why
    assert str(why).startswith(f"{decision.verdict}: ")
    assert f"(profile {robots.profile.name})" in str(why).splitlines()[0]
    assert not DANGEROUS.search(str(why).replace("\n", ""))


@pytest.mark.parametrize("profile", PROFILES)
def test_explanations_of_the_corpus(profile: str) -> None:
    for body in corpus():
        robots = Robots(body, profile)
        for crawler in ("MyCrawler", "Googlebot", ["Googlebot-News", "Googlebot"], Crawler()):
            # The schema takes a hundred times as long as all the rest.
            for number, url in enumerate(urls_of(robots, crawler)):
                check_explanation(robots, crawler, url, with_schema=IS_ALL or number < 2)


@few
@given(files, profiles, paths)
def test_explanations_of_anything(body: "str | bytes", profile: str, path: str) -> None:
    robots = Robots(body, profile)
    for crawler in ("a", "abc", Crawler()):
        check_explanation(robots, crawler, path)


def test_a_notebook_shows_the_sentences_and_no_markup_of_the_file() -> None:
    why = Robots("User-agent: *\nDisallow: /<b>```\n").explain("bot", "/<b>```x")
    assert "<b>" in str(why)
    assert why._repr_html_() == f"<pre>{html.escape(str(why))}</pre>" and "&lt;b&gt;" in why._repr_html_()
    policy: typing.Any = Robots("User-agent: *\nAllow: /a\nDisallow: /<b>c\n").policy("bot")
    assert policy._repr_html_() == (
        f"<pre>{html.escape(repr(policy))}\nline 1: User-agent: *\nline 3: Disallow: /&lt;b&gt;c\nline 2: Allow: /a</pre>"
    )
    lines = why._repr_markdown_().split("\n")
    assert lines[0] == "````text" and lines[-1] == "````" and "\n".join(lines[1:-1]) == str(why)


def test_an_explanation_says_which_line_decides_and_what_the_others_say() -> None:
    robots = Robots("User-agent: *\nDisallow: /search\nAllow: /search/about\n")
    why = robots.explain("MyCrawler", "https://example.com/search/about")
    assert str(why) == (
        "allow: line 3 decides, out of 2 rules in the group for everybody (profile rfc9309)\n"
        "the group for everybody applies, because none names the crawler: line 1\n"
        "compared as '/search/about'\n"
        "by the other rules the verdict would be disallow: line 2\n"
        "line 3: Allow: /search/about (decides: 13 bytes)\n"
        "line 2: Disallow: /search (runner-up: 7 bytes)"
    )
    assert robots.explain("MyCrawler", "/search/about") != why
    match why:
        case robotsieve.ExplainReport(verdict="allow", matches=[robotsieve.MatchedRule(line=line), _]):
            assert line == 3
        case _:
            pytest.fail("no match")


@pytest.mark.parametrize(
    ("body", "url", "first"),
    [
        ("", "/", "no group applies to this crawler: everything is allowed"),
        ("User-agent: *\n", "/", "the group has no rules: everything is allowed"),
        (
            "User-agent: *\nDisallow:\n",
            "/",
            "the rule on line 2 is empty and restricts nothing: everything is allowed",
        ),
        (
            "User-agent: *\nDisallow: /a\n",
            "/b",
            "the only rule of the group does not match: what no rule disallows is allowed",
        ),
        (
            "User-agent: *\nDisallow: /\n",
            "/robots.txt",
            "robots.txt itself may always be fetched (RFC 9309 §2.2.2)",
        ),
    ],
)
def test_reasons_without_a_rule(body: str, url: str, first: str) -> None:
    robots = Robots(body)
    assert str(robots.explain("bot", url)).splitlines()[0] == f"allow: {first} (profile rfc9309)"
    assert robots.explain("bot", url).winner is None
    check_explanation(robots, "bot", url)


@pytest.mark.parametrize("profile", PROFILES)
def test_what_the_other_rules_say(profile: str) -> None:
    """The winner's line is exchanged for one that cannot match: its group stays as it is."""
    asked = 0
    for body in map(text_of, corpus()):
        robots = Robots(body, profile)
        for url in urls_of(robots, "MyCrawler"):
            why = robots.explain("MyCrawler", url)
            if why.winner is None:
                continue
            start, end = why.winner.value_span
            changed = Robots(body[:start] + b"/never-asked-for" + body[end:], profile)
            assert changed.policy("MyCrawler").decide(url).verdict == why.verdict_otherwise
            other = changed.policy("MyCrawler").decide(url).line
            assert other == (why.runner_up and why.runner_up.line)
            still = "still " if why.verdict == why.verdict_otherwise else ""
            assert f"the verdict would {still}be {why.verdict_otherwise}: " in str(why)
            asked += 1
    assert asked > 100


def test_a_file_that_is_cut() -> None:
    body = b"User-agent: *\nAllow: /x\n" + b"# \n" * 200_000 + b"Disallow: /x/y\n"
    robots = Robots(body)
    why = robots.explain("bot", "/x/y")
    assert why.cut is not None and why.cut.matters
    assert why.verdict == "allow" and why.cut.verdict == "disallow"
    unlimited = Robots(body, robotsieve.Profile(size_limit=None))
    decision = unlimited.policy("bot").decide("/x/y")
    assert (decision.verdict, decision.line) == (why.cut.verdict, why.cut.winner_line)
    assert f"in the whole file line {decision.line} would decide: disallow" in str(why)
    assert body.splitlines()[why.cut.line - 2 : why.cut.line - 1] == [b"# "]
    assert len(body[: why.cut.bytes_read].splitlines()) == why.cut.line - 1
    VALIDATOR.validate(why.to_dict())
    assert unlimited.explain("bot", "/x/y").profile is None
    assert "(profile custom)" in str(unlimited.explain("bot", "/x/y"))
    VALIDATOR.validate(unlimited.explain("bot", "/x/y").to_dict())


def test_explanations_as_the_command_writes_them() -> None:
    text = (ROOT / "docs/explain.md").read_text()
    written = re.search(r"^\$ robotsieve explain --format json .*\n(\{.*\})$", text, re.M)
    assert written is not None
    wanted = json.loads(written[1])
    body = (ROOT / "docs/example.txt").read_bytes()
    got = Robots(body).explain("bot", "/a%7e.pdf").to_dict()
    assert (got.pop("robots"), wanted.pop("robots")) == (None, "docs/example.txt")
    assert got == wanted


def test_bytes_that_are_no_utf8() -> None:
    robots = Robots(EVERYTHING, "original-1994")
    why = robots.explain("MyCrawler", b"/\xe9*$x")
    assert why.url == "/\udce9*$x"
    assert why.winner is not None and why.winner.value == "/\udce9*$"
    document = why.to_dict()
    [rule] = document["matches"]
    assert rule["value"] == "/\ufffd*$"
    assert base64.b64decode(rule["value_base64"]) == b"/\xe9*$"
    VALIDATOR.validate(json.loads(json.dumps(document)))


def test_many_user_agent_lines_and_matches() -> None:
    body = "User-agent: bot\n" * 300 + "Disallow: /a\n" * 300
    why = Robots(body).explain("bot", "/a")
    assert (len(why.matches), why.match_count) == (256, 300)
    assert len(str(why).splitlines()[1]) < 400
    VALIDATOR.validate(why.to_dict())


def test_faults_of_the_caller() -> None:
    robots = Robots("User-agent: *\nDisallow: /\n")
    with pytest.raises(robotsieve.InvalidUrl):
        robots.explain("bot", "mailto:x")
    with pytest.raises(robotsieve.InvalidName):
        robots.explain("Bot/1.0", "/")
    with pytest.raises(robotsieve.InvalidName):
        robotsieve.compare_profiles("", "Bot/1.0", "/")
    with pytest.raises(TypeError, match="body must be str, bytes"):
        robotsieve.lint(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="new must be str, bytes"):
        robotsieve.diff("", None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="profiles must be"):
        robotsieve.lint("", profiles=5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match='there is no profile "bing"; the profiles are rfc9309'):
        robotsieve.lint("", profiles="bing")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="two profiles are called custom; give a dict"):
        custom = robotsieve.Profile(merge_names=True)
        robotsieve.lint("", profiles=[custom, custom])
    with pytest.raises(ValueError, match="apply must be 'unchanging' or 'all'"):
        robotsieve.fix("", apply="some")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"no code \"RS999\"; robotsieve.Code.all\(\) lists them"):
        robotsieve.fix("", codes=["RS999"])
    with pytest.raises(TypeError, match="put it into brackets"):
        robotsieve.fix("", codes="RS403")
    with pytest.raises(TypeError, match="put it into brackets"):
        robotsieve.diff("", "", "bot")
    with pytest.raises(ValueError, match="a Robots has a profile of its own"):
        robotsieve.diff(Robots("", "google"), "", profile="rfc9309")


# Profiles


def check_comparison(
    body: bytes, crawler: str, url: "str | bytes", with_schema: bool = True
) -> bool:
    compared = robotsieve.compare_profiles(body, crawler, url)
    body = text_of(body)
    verdicts: dict[str, str] = {}
    answers: dict[str, object] = {}
    for profile in PROFILES:
        try:
            decision = Robots(body, profile).policy(crawler).decide(url)
        except robotsieve.InvalidUrl:
            verdicts[profile], answers[profile] = "invalid", None
        else:
            line = decision.line if decision.reason == "rule" else None
            verdicts[profile], answers[profile] = decision.verdict, (decision.verdict, line)
    assert compared.verdicts == verdicts
    assert compared.agree == (len(set(verdicts.values())) == 1)
    differing = [profile for profile in PROFILES if answers[profile] != answers["rfc9309"]]
    assert [difference.profile for difference in compared.differences] == differing
    for difference in compared.differences:
        profile = difference.profile
        assert difference.of_verdict == (verdicts[profile] != verdicts["rfc9309"])
        # The switches are what makes the difference.
        switches = robotsieve.Profile(profile).to_dict()
        causes = [[cause.switch for cause in difference.causes]]
        if not difference.together:
            causes = [[cause] for cause in causes[0]]
        for together in causes:
            changed = robotsieve.Profile("rfc9309", **{name: switches[name] for name in together})
            try:
                said = Robots(body, changed).policy(crawler).decide(url).verdict
            except robotsieve.InvalidUrl:
                said = "invalid"
            assert said == verdicts[profile]
    assert [str(compared)] == [sentence.text for sentence in compared.sentences]
    document = json.loads(json.dumps(compared.to_dict()))
    if with_schema:
        VALIDATOR.validate(document)
    assert robotsieve.CompareReport.from_dict(document) == compared
    assert Robots(body, "google").compare_profiles(crawler, url) == compared
    return not compared.agree


def test_profiles_compared_on_the_corpus() -> None:
    differ = 0
    for body in corpus():
        for number, url in enumerate(urls_of(Robots(body), "MyCrawler")[:30]):
            differ += check_comparison(body, "MyCrawler", url, with_schema=IS_ALL or number < 4)
    assert differ > 10
    assert check_comparison(b"User-agent: a\nDisallow: /", "a", "example.com")


@few
@given(files, paths)
def test_profiles_compared_on_anything(body: "str | bytes", path: str) -> None:
    check_comparison(Robots(body).body, "ab", path)


# Diagnostics and records


@few
@given(files, profiles)
def test_records_and_diagnostics_of_anything(body: "str | bytes", profile: str) -> None:
    robots = Robots(body, profile)
    lines = robots.lines()
    for line in lines:
        written = robots.body[slice(*line.value_span)]
        assert written.decode("utf-8", "surrogateescape") == line.value
        json.dumps(line.to_dict())
        check_shown(line)
    report = robots.records()
    check_document(report)
    check_shown(report)
    others = [line for line in lines if line.field in ("sitemap", "other")]
    assert [(one.line, one.field, one.value) for one in report.records] == [
        (one.line, one.name, one.value) for one in others
    ]
    assert [one.value for one in report.records if one.kind == "sitemap"] == robots.sitemaps
    for scope in report.scopes:
        if scope.group is not None:
            # A delay is for the lines directly above it, which may be some of its group's.
            assert set(scope.crawlers) <= set(robots.group_tokens(scope.group))
    for crawler in ("a", "abc"):
        own = robots.records([crawler]).records
        assert set(own) <= set(report.records)
        delays = [
            one.crawl_delay_ms / 1000
            for one in own
            if one.crawl_delay_ms is not None and one.scope == "group"
        ]
        found = robots.crawl_delay(crawler)
        assert found == pytest.approx(delays[0], abs=0.001) if delays else found is None
    for diagnostic in robots.diagnostics:
        start, end = diagnostic.file_span
        assert 0 <= start <= end <= len(robots.body)
        json.dumps(diagnostic.to_dict())
        assert str(diagnostic) == f"line {diagnostic.line}: {diagnostic.message}"


def test_records_of_each_kind() -> None:
    report = Robots(EVERYTHING, name="all.txt").records(["other", "MyCrawler"])
    first = {record.kind: record for record in reversed(report.records) if not record.error}
    assert set(first) == set(typing.get_args(hints(robotsieve.TypedRecord)["kind"]))
    assert first["crawl-delay"].crawl_delay_ms == 2_500
    window = robotsieve.VisitTime(360, 525)
    assert first["request-rate"].request_rate == robotsieve.StatedRate(30, 60, window)
    assert first["visit-time"].visit_time == robotsieve.VisitTime(22 * 60, 4 * 60)
    preference = robotsieve.LabelledPreference
    assert first["content-usage"].preferences == robotsieve.Preferences(
        "/", (preference("train-ai", "disallow"), preference("bots", "unknown")), None
    )
    assert first["content-signal"].preferences == robotsieve.Preferences(
        None, (preference("search", "allow"), preference("ai-train", "disallow")), None
    )
    assert first["noindex"].value == "/secret"
    assert first["host"].host == robotsieve.Host("https", "example.com", 8443)
    assert first["clean-param"].clean_param == robotsieve.CleanParam(("ref", "\udce9"), "/shop/")
    assert first["license"].license == robotsieve.License(absolute=True)
    assert first["sitemap"].sitemap is not None and first["sitemap"].sitemap.absolute
    assert first["clean-param"].to_dict()["clean_param"] == {
        "params": ["ref", "\ufffd"],
        "params_base64": ["cmVm", "6Q=="],
        "path": "/shop/",
    }
    [often] = [record for record in report.records if record.error]
    assert str(often).startswith("line 16: Request-rate: often (") and often.error in str(often)
    assert {scope.group for scope in report.scopes} == {0, 1, None}
    assert report.robots == "all.txt"
    check_document(report)


def test_what_known_crawlers_may_read() -> None:
    robots = Robots("User-agent: GPTBot\nDisallow: /\n", name="robots.txt")
    report = robots.crawlers(purposes=["ai-training"])
    check_document(report)
    [purpose] = report.purposes
    assert (purpose.purpose, purpose.shut_out, report.robots) == ("ai-training", 1, "robots.txt")
    assert purpose.summary in str(report)
    pages = robots.crawlers(urls=["/a", "/b"])
    assert pages.pages == ("/a", "/b")
    known = robotsieve.known_crawlers()
    check_document(known)
    assert len(known.crawlers) == sum(one.crawlers for one in robots.crawlers().purposes) > 200
    with pytest.raises(ValueError, match='there is no purpose "fun"; the purposes are'):
        robotsieve.known_crawlers(["fun"])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="put it into brackets"):
        robots.crawlers(urls="/a")


def test_a_profile_that_is_named_is_that_of_all_known_crawlers() -> None:
    file = "User-agent: *\nDisallow: /a\n"
    # Google does not decode what a rule has escaped.
    escaped = file.replace("/a", "/%61")

    def read(robots: Robots) -> str | None:
        known = robots.crawlers(purposes=["search"]).crawlers
        return next(crawler.profile for crawler in known if crawler.token == "Googlebot")

    for robots, profile in ((Robots(file), "google"), (Robots(file, "rfc9309"), "rfc9309")):
        assert read(robots) == read(pickle.loads(pickle.dumps(robots))) == profile
        assert robotsieve.diff(robots, escaped).is_equal is (profile == "rfc9309")
    assert robotsieve.diff(file, escaped, profile="rfc9309").is_equal


def test_a_file_is_built() -> None:
    built = robotsieve.build_robots_txt(
        {
            "groups": [
                {"crawlers": "@ai-training", "disallow": "/"},
                {"crawlers": ["*"], "disallow": ["/a b", "/cart"], "crawl_delay": 2.5},
            ],
            "sitemap": ["https://e.com/s.xml"],
            "expect": ("disallow GPTBot /", "allow Googlebot /"),
            "profiles": "rfc9309",
        }
    )
    check_document(built)
    assert built.text is not None and built.profiles == ("rfc9309",)
    assert built.text.endswith(
        "\n\nUser-agent: *\nDisallow: /a%20b\nDisallow: /cart\nCrawl-delay: 2.5\n\nSitemap: https://e.com/s.xml\n"
    )
    assert not Robots(built.text).is_allowed("CCBot", "/")
    assert any("do not obey" in note for note in built.notes)
    with pytest.raises(robotsieve.CannotBuild, match=r"^groups\[0\]\.crawlers\[1\]: 'b c' is not a product token") as wrong:
        robotsieve.build_robots_txt({"groups": [{"crawlers": ["a", "b c"], "allow": "x\nDisallow: /"}]})
    assert [fault.place for fault in wrong.value.faults] == ["groups[0].crawlers[1]", "groups[0].allow[0]"]
    assert not wrong.value.report.unproven
    check_document(wrong.value.report)
    with pytest.raises(robotsieve.CannotBuild, match="profile google would allow / for") as wrong:
        robotsieve.build_robots_txt({"groups": [{"crawlers": "*", "allow": "/index.html", "disallow": "/"}]})
    assert wrong.value.report.unproven
    assert pickle.loads(pickle.dumps(wrong.value)).report == wrong.value.report
    with pytest.raises(ValueError, match="^unknown field `sitemaps`, expected one of `groups`"):
        robotsieve.build_robots_txt({"sitemaps": "x"})  # type: ignore[typeddict-unknown-key]
    with pytest.raises(ValueError, match="^invalid type: integer `3`, expected a text or a list of texts$"):
        robotsieve.build_robots_txt({"sitemap": 3})  # type: ignore[typeddict-item]
    with pytest.raises(TypeError, match="must be a str, not bytes"):
        robotsieve.build_robots_txt({"sitemap": b"x"})  # type: ignore[typeddict-item]


def test_a_crawler_by_its_header() -> None:
    header = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)"
    robots = Robots("User-agent: GPTBot\nDisallow: /\n")
    why = robots.explain(robotsieve.UserAgent(header), "/")
    assert (why.verdict, why.user_agent, why.agent) == ("disallow", True, header)
    assert not robots.is_allowed(robotsieve.UserAgent(header), "/")
    assert [name.name for name in why.names] == ["GPTBot"]
    check_document(why)


def test_diagnostics_of_each_kind() -> None:
    body = (
        b"\xef\xbb\xbfDisallow: /\nUser-agent: *\nUser-agent: a b\nUser-agent: \xe9\nUser-agent: 1x\n"
        b"Disalow: /\nno record\nDisallow /x\nDisallow: x$y\nDisallow: /%7e\nDisallow: /\x01\n"
        b"Disallow: /\0x\n\nUser-agent: a\nDisallow: /" + b"y" * 20_000 + b"\n"
    )
    kinds = set()
    for profile in PROFILES:
        for file in (body, body * 30, b"\xff\xfeU\0", b"<html>"):
            kinds |= {diagnostic.kind for diagnostic in Robots(file, profile).diagnostics}
    wanted = typing.get_args(typing.get_type_hints(robotsieve.Diagnostic)["kind"])
    assert kinds == set(wanted)
    [_, misspelt] = Robots("Disallow: /\nUser-agent: *\nDisalow: /").diagnostics
    match misspelt:
        case robotsieve.Diagnostic(kind="misspelt-field", field=field):
            assert field == "disallow"
        case _:
            pytest.fail("no match")
    assert repr(misspelt) == (
        "Diagnostic(line=3, file_span=(26, 33), kind='misspelt-field', "
        "message=\"unknown field, ignored: did you mean 'Disallow'?\", field='disallow')"
    )
    assert misspelt.to_dict() == {
        "line": 3,
        "file_span": [26, 33],
        "kind": "misspelt-field",
        "message": "unknown field, ignored: did you mean 'Disallow'?",
        "field": "disallow",
    }


# Linting


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_lint_of_the_corpus(path: Path) -> None:
    body = path.read_bytes()
    report = robotsieve.lint(body, profiles=PROFILES)
    assert list(report) == list(report.findings) and len(report) == len(report.findings)
    assert [finding.line for finding in report] == sorted(finding.line for finding in report)
    for finding in report:
        assert set(finding.profiles) <= set(PROFILES)
        assert finding.name == robotsieve.Code.named(finding.code).name
        assert str(finding) in str(report) or len(report) > 20
        str(finding).encode()
        if finding.fix is not None:
            check_fix(body, finding.fix)
    check_document(report)
    if not report.findings:
        assert str(report) == "nothing found"


def check_fix(body: bytes, fix: robotsieve.Fix) -> None:
    """What the fix claims of verdicts holds."""
    changed = fix.applied_to(body)
    assert len(changed) == len(body) - (fix.file_span[1] - fix.file_span[0]) + len(
        fix.replacement.encode("utf-8", "surrogateescape")
    )
    assert fix.changes_verdicts == (not fix.effect.startswith("changes no verdict"))
    if not fix.changes:
        check_same_verdicts(body, changed, fix.profiles)
    for change in fix.changes:
        for profile in change.profiles:
            for crawler in change.crawlers:
                name = Crawler() if crawler == "*" else Crawler(crawler)
                old, new = Robots(body, profile).policy(name), Robots(changed, profile).policy(name)
                for paths, verdicts in (
                    (change.newly_disallowed, (True, False)),
                    (change.newly_allowed, (False, True)),
                ):
                    for path in paths:
                        assert (old.is_path_allowed(path), new.is_path_allowed(path)) == verdicts


def check_same_verdicts(old: bytes, new: bytes, profiles: "tuple[str, ...] | list[str]") -> None:
    for profile in profiles:
        before, after = Robots(old, profile), Robots(new, profile)
        tokens = [Crawler(token) for token in [*before.tokens, *after.tokens] if token != "*"]
        for crawler in [Crawler(), *tokens[:20]]:
            one, other = before.policy(crawler), after.policy(crawler)
            for url in urls_of(before, crawler) + urls_of(after, crawler):
                assert one.is_allowed(url) == other.is_allowed(url)


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_fixes_keep_the_verdicts_of_the_corpus(path: Path) -> None:
    body = path.read_bytes()
    fixed = robotsieve.fix(body, profiles=PROFILES)
    assert fixed.report.effect is not None and fixed.report.changes == ()
    assert fixed.report.effect.startswith("changes no verdict")
    check_same_verdicts(body, fixed.body, PROFILES)
    assert fixed.text.encode("utf-8", "surrogateescape") == fixed.body
    check_document(fixed.report)
    again = robotsieve.fix(fixed.body, profiles=PROFILES)
    assert (again.report.applied, again.body) == ((), fixed.body)
    assert robotsieve.lint(fixed.body, profiles=PROFILES) == again.report.left == fixed.report.left


@few
@given(files)
def test_fixes_of_anything_keep_the_verdicts(body: "str | bytes") -> None:
    fixed = robotsieve.fix(body, profiles=PROFILES)
    old = Robots(body).body
    check_same_verdicts(old, fixed.body, PROFILES)
    for finding in robotsieve.lint(body, profiles=PROFILES):
        start, end = finding.file_span
        assert 0 <= start <= end <= len(old)
        if finding.fix is not None:
            check_fix(old, finding.fix)
    everything = robotsieve.fix(body, apply="all")
    json.dumps(everything.report.to_dict())
    str(everything).encode()


def test_many_fixes_are_counted() -> None:
    fixed = robotsieve.fix("User-agent: *\n" + "Disalow: /x\n" * 30, apply="all")
    applied = len(fixed.report.applied)
    assert applied > 20
    assert str(fixed).endswith(f"\n… {applied - 20} more")


def test_lint_options() -> None:
    body = "User-agent: *\nDisalow: /x\nDisallow: x\n"
    [misspelt, _, slash] = robotsieve.lint(body)
    assert (misspelt.profiles, slash.profiles) == (("rfc9309",), ("rfc9309",))
    assert robotsieve.lint(Robots(body, "google"))[0].profiles == ("google",)
    assert robotsieve.lint(Robots(body, "google")) == robotsieve.lint(body, profiles="google")
    assert robotsieve.lint(Robots(body, "google"), profiles="rfc9309") == robotsieve.lint(body)
    custom = robotsieve.Profile(merge_names=True)
    assert robotsieve.lint(body, profiles=custom)[0].profiles == ("custom",)
    assert robotsieve.lint(body, profiles={"mine": custom})[0].profiles == ("mine",)
    html = robotsieve.lint(body, content_type="text/html")
    assert "content-type" in {finding.name for finding in html}
    for buffer in (body.encode(), bytearray(body.encode()), memoryview(body.encode())):
        assert robotsieve.lint(buffer) == robotsieve.lint(body)
    fixed = robotsieve.fix(body, apply="all", codes=["NO-LEADING-SLASH"])
    assert fixed.text == "User-agent: *\nDisalow: /x\nDisallow: /x\n"
    assert fixed.report.effect is not None
    assert fixed.report.effect.startswith("disallows URLs such as '/x'")
    assert fixed.report.effect in str(fixed)
    assert [fix.code for fix in fixed.report.applied] == ["RS405"]
    with pytest.raises(ValueError, match="the file has 3 bytes, the fix is for bytes 36 to 37"):
        assert slash.fix is not None
        slash.fix.applied_to("abc")


def test_a_report_says_what_it_leaves_out() -> None:
    silenced = robotsieve.lint("User-agent: *\nDisallow: x # robotsieve: ignore RS405\n")
    assert str(silenced) == "nothing found\ncomments in the file silence 1 more finding"
    many = robotsieve.lint("User-agent: *\n" + "Disallow: x\n" * 11_000)
    assert (many.left_out, len(many)) == ((reports.LeftOut("RS405", 1_000),), 10_000)
    assert "… 9980 more" in str(many).splitlines() and "1000 more findings left out" in str(many)
    check_document(many, with_schema=False)


def test_codes_have_pages() -> None:
    codes = robotsieve.Code.all()
    assert len({code.number for code in codes}) == len(codes) > 30
    for code in codes:
        assert (ROOT / f"docs/lint/{code.name}.md").is_file()
        assert robotsieve.Code.named(code.name.upper()) == robotsieve.Code.named(code.number) == code
        assert code.to_dict()["title"] == code.title
    with pytest.raises(ValueError, match=r"no code 'RS999'; robotsieve.Code.all\(\) lists them"):
        robotsieve.Code.named("RS999")


# Comparing files


def check_difference(
    difference: robotsieve.CrawlerDiff, pairs: "list[tuple[Policy, Policy]]"
) -> None:
    """Every path flips for every crawler, and so do those that are proven to flip with it."""
    for old, new in pairs:
        for flips, verdicts in (
            (difference.newly_disallowed, (True, False)),
            (difference.newly_allowed, (False, True)),
        ):
            for flip in flips:
                paths = [flip.path]
                if flip.extent == "from":
                    paths += [flip.path + more for more in ("z", "/q.html", "?x=1")]
                elif flip.below is not None:
                    paths += [flip.below + more for more in ("z", "/q.html", "?x=1")]
                for path in paths:
                    assert (old.is_path_allowed(path), new.is_path_allowed(path)) == verdicts
                for policy, rule in ((old, flip.old), (new, flip.new)):
                    decision = policy.decide_path(flip.path)
                    assert (rule and rule.line) == (decision.rule and decision.rule.line)
                    assert (rule and rule.value) == (decision.rule and decision.rule.value)
                    assert rule is None or rule.verdict == decision.verdict
        for path in ("/", "/x", "/shop/a.html"):
            verdict = (old.is_path_allowed(path), new.is_path_allowed(path))
            if difference.is_equal:
                assert verdict[0] == verdict[1]
            if difference.whole_site:
                wanted = {"closed": verdict[1], "opened": verdict[0], "partly-opened": verdict[0]}
                assert not wanted[difference.whole_site]
            if difference.whole_site == "opened":
                assert verdict[1]


LOOK_ELSEWHERE = {
    known.token.lower()
    for known in robotsieve.known_crawlers().crawlers
    if known.after or not known.star or known.profile
}


def check_diff(old: Robots, new: Robots) -> robotsieve.DiffReport:
    compared = robotsieve.diff(old, new)
    for same in compared.crawlers:
        # A known crawler may obey the group of another one, or read the file in another profile.
        names = [name for name in same.crawlers if name.lower() not in LOOK_ELSEWHERE]
        crawlers = [Crawler() if name == "*" else Crawler(name) for name in names]
        pairs = [(old.policy(crawler), new.policy(crawler)) for crawler in crawlers[:5]]
        check_difference(same, pairs)
    for change in compared.records:
        for robots, records in ((old, change.removed), (new, change.added)):
            written = {record.line: record for record in robots.records().records}
            for record in records:
                assert written[record.line].value == record.value
                assert written[record.line].kind == change.kind
    assert compared.text_differs == (old.body != new.body)
    assert compared.is_equal == (compared.result == "equal")
    check_document(compared, with_schema=False)
    check_shown(compared)
    return compared


@pytest.mark.parametrize("profile", PROFILES)
def test_files_of_the_corpus_compared(profile: str) -> None:
    robots = [Robots(body, profile) for body in corpus()]
    changed = 0
    for old, new in zip(robots, robots[1:] + robots[:1]):
        changed += check_diff(old, new).result == "different"
        itself = robotsieve.diff(old, old)
        assert itself.is_equal and not itself.text_differs
        assert str(itself).startswith("no change")
    assert changed > 8


@few
@given(files, files, profiles)
def test_anything_compared(one: "str | bytes", other: "str | bytes", profile: str) -> None:
    old, new = Robots(one, profile), Robots(other, profile)
    check_diff(old, new)
    assert check_diff(old, old).is_equal
    pair = (old.policy("a"), new.policy("a"))
    check_difference(robotsieve.diff_policies(*pair), [pair])


def test_a_diff_in_words() -> None:
    old = "User-agent: *\nDisallow: /shop/\nAllow: /shop/open\nCrawl-delay: 1\n"
    new = "User-agent: *\nAllow: /shop/open$\nDisallow: /shop/\n\nUser-agent: bot\nDisallow: /\n"
    compared = robotsieve.diff(old, new)
    check_document(compared)
    bot, others = compared.crawlers
    assert (bot.crawlers, others.crawlers) == (("bot",), ("*",))
    assert "the whole site is closed now" in str(compared)
    assert "disallowed now: all below /shop/open: " in str(others)
    assert others.to_dict()["newly_disallowed"][0]["path"] == "/shop/opena"
    assert others.newly_disallowed[0].old == robotsieve.DecidingRule("allow", 3, "/shop/open")
    [delay] = compared.records
    assert set(delay.crawlers or ()) == {"*", "bot"}
    assert str(delay) == f"removed: {delay.removed[0].label}" and "Crawl-delay: 1" in str(delay)
    chosen = robotsieve.diff(old, new, ["other", ["x", "bot"], Crawler()])
    assert {same.crawlers for same in chosen.crawlers} == {("other", "*"), ("x,bot",)}
    named = robotsieve.diff(Robots(old, name="old.txt"), Robots(new, name="new.txt"))
    assert (named.old_robots, named.robots) == ("old.txt", "new.txt")


def test_profiles_and_limits_of_a_diff() -> None:
    old, new = "User-agent: *\nDisallow: /a*b\n", "User-agent: *\nDisallow: /a*b*\nDisallow: /c\n"
    assert robotsieve.diff(old, new, profile="google").profile == "google"
    assert robotsieve.diff(Robots(old, "google"), new) == robotsieve.diff(old, new, profile="google")
    assert robotsieve.diff(old, Robots(new, "google")) == robotsieve.diff(old, new, profile="google")
    mixed = robotsieve.diff(Robots(old), Robots(new, "original-1994"))
    assert "the policies are of different profiles" in str(mixed)
    defaults = robotsieve.DiffLimits()
    assert defaults == robotsieve.DiffLimits(1 << 18, 5, 20_000, 100)
    many = "".join(f"Disallow: /{n}\nSitemap: /{n}\n" for n in range(9))
    some = robotsieve.diff("", "User-agent: *\n" + many, limits=robotsieve.DiffLimits(flips=2, records=3))
    [same] = some.crawlers
    assert len(same.newly_disallowed) == 2 and same.more_disallowed > 0
    [change] = some.records
    assert (len(change.added), change.more_added) == (3, 6)
    with pytest.raises(OverflowError):
        robotsieve.diff("", "", limits=robotsieve.DiffLimits(flips=-1))


# Hostile input


@pytest.mark.parametrize(
    "body",
    [
        bytes(range(256)) * 4_000,
        b"User-agent: *\n" + b"".join(b"Disallow: /%d*a*b\n" % n for n in range(20_000)),
        b"User-agent: *\n" + b"Disallow: /" + b"*a" * 250_000,
        b"User-agent: a\n" * 6_000 + b"Crawl-delay: 1\n" * 6_000,
        b"\0" * 1_000_000,
        "User-agent: \ud800\udfff\nDisallow: /\udc80\ud800\n",
    ],
    ids=["junk", "rules", "stars", "agents", "nul", "surrogates"],
)
def test_hostile_files(body: "str | bytes") -> None:
    for profile in ("rfc9309", "google"):
        robots = Robots(body, profile)
        check_explanation(robots, "bot", "/1xaxb", with_schema=False)
        robots.diagnostics, robots.lines(), robots.records(["bot"])
    check_comparison(robots.body, "bot", "/1xaxb", with_schema=False)
    json.dumps(robotsieve.lint(body, profiles=PROFILES).to_dict())
    compared = robotsieve.diff(body, b"User-agent: *\nDisallow: /x\n")
    str(compared).encode()
    assert check_diff(robots, robots).is_equal


def test_the_interpreter_goes_on_meanwhile() -> None:
    body = b"User-agent: *\n" + b"".join(b"Disallow: /%d*a*b\n" % n for n in range(15_000))
    worker = threading.Thread(target=robotsieve.lint, args=(body,))
    turns = 0
    worker.start()
    while worker.is_alive():
        time.sleep(0.001)
        turns += 1
    # With the GIL held, this thread would wait for all of it: a quarter of a second.
    assert turns > 20


# All of them


def values_within(value: object) -> "typing.Iterator[object]":
    if isinstance(value, (tuple, list)):
        for one in value:
            yield from values_within(one)
    elif dataclasses.is_dataclass(value):
        yield value
        for field in dataclasses.fields(value):
            yield from values_within(getattr(value, field.name))


def cannot_build(intentions: robotsieve.typing.Intentions) -> robotsieve.CannotBuild:
    with pytest.raises(robotsieve.CannotBuild) as wrong:
        robotsieve.build_robots_txt(intentions)
    return wrong.value


def examples() -> "dict[type, list[object]]":
    robots = Robots(EVERYTHING)
    cut = Robots(EVERYTHING + b"\n" * 600_000 + b"Disallow: /\n")
    every = [
        robots.explain("MyCrawler", b"/%7e\xe9x"),
        cut.explain("other", "/"),
        robots.compare_profiles("other", "/shop/"),
        robots.diagnostics,
        robots.lines(),
        robots.records(),
        robots.crawlers(),
        robotsieve.known_crawlers(["ai-training"]),
        robotsieve.build_robots_txt({"groups": [{"crawlers": "*", "disallow": "/x"}]}),
        cannot_build({"sitemap": "/s.xml"}).report,
        robotsieve.lint(robots),
        robotsieve.fix(robots, apply="all"),
        robotsieve.diff(robots, "User-agent: *\nDisallow: /s"),
        robotsieve.Code.all(),
        robotsieve.DiffLimits(flips=3),
    ]
    by_type: dict[type, list[object]] = {}
    for value in values_within(every):
        by_type.setdefault(type(value), []).append(value)
    return by_type


EXAMPLES = examples()


def types_of_reports() -> "list[type]":
    return [
        value
        for module in (reports, _lines, _lint, _diff)
        for value in vars(module).values()
        if isinstance(value, type) and dataclasses.is_dataclass(value)
        if module is not reports or getattr(robotsieve, value.__name__, None) is value
    ]


@pytest.mark.parametrize("kind", types_of_reports(), ids=lambda kind: kind.__name__)
def test_each_type_is_a_value(kind: type) -> None:
    assert kind.__doc__ and not kind.__doc__.startswith(kind.__name__ + "(")
    assert kind.__name__ in robotsieve.__all__
    assert getattr(robotsieve, kind.__name__) is kind
    for value in EXAMPLES[kind]:
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            same = pickle.loads(pickle.dumps(value, protocol))
            assert same == value and hash(same) == hash(value) and repr(same) == repr(value)
        namespace = vars(reports) | {name: getattr(robotsieve, name) for name in robotsieve.__all__}
        assert eval(repr(value), namespace) == value
        assert not hasattr(value, "__dict__")
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(value, dataclasses.fields(kind)[0].name, None)
        str(value).encode()
        if hasattr(value, "to_dict"):
            json.dumps(value.to_dict()).encode()
    assert len(set(EXAMPLES[kind])) >= 1
    assert EXAMPLES[kind][0] != object()


def hints(kind: type) -> "dict[str, object]":
    names = {field.name for field in dataclasses.fields(kind)}
    return {name: hint for name, hint in typing.get_type_hints(kind).items() if name in names}


def fits(value: object, hint: object) -> bool:
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return value in parts
    if origin is tuple and parts[-1] is Ellipsis:
        return isinstance(value, tuple) and all(fits(one, parts[0]) for one in value)
    if origin is tuple:
        return isinstance(value, tuple) and len(value) == len(parts) and all(map(fits, value, parts))
    if parts:
        return any(fits(value, part) for part in parts)
    return type(value) is hint


@pytest.mark.parametrize("kind", types_of_reports(), ids=lambda kind: kind.__name__)
def test_fields_are_of_their_types(kind: type) -> None:
    for value in EXAMPLES[kind]:
        for name, hint in hints(kind).items():
            assert fits(getattr(value, name), hint), (name, getattr(value, name))


def test_the_module_is_loaded_when_it_is_needed() -> None:
    code = (
        "import sys, robotsieve; before = set(sys.modules); "
        "assert not {'json', 'dataclasses', 'typing', 'robotsieve._lint'} & before; "
        "assert {'lint', 'ExplainReport', 'Robots'} <= set(dir(robotsieve)); "
        "assert 'robotsieve.reports' not in sys.modules; "
        "assert robotsieve.Robots('').explain('a', '/'); "
        "assert 'robotsieve.reports' in sys.modules and 'robotsieve._lint' not in sys.modules; "
        "assert robotsieve.lint('').findings == ()"
    )
    subprocess.run([sys.executable, "-S", "-c", code], check=True, cwd=Path(robotsieve.__file__).parents[1])
    with pytest.raises(AttributeError, match="module 'robotsieve' has no attribute 'nothing'"):
        robotsieve.nothing  # type: ignore[attr-defined]
    for name in robotsieve.__all__:
        assert getattr(robotsieve, name) is not None


@pytest.mark.parametrize(
    "name",
    [
        "explain",
        "compare_profiles",
        "diagnostics",
        "crawlers",
        "lines",
        "records",
    ],
)
def test_examples_in_native_docstrings(name: str) -> None:
    text = getattr(Robots, name).__doc__
    example = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0


@pytest.mark.parametrize("module", [_compose, _explain, _known, _lint, _diff, reports], ids=lambda one: one.__name__)
def test_examples_in_docstrings(module: types.ModuleType) -> None:
    result = doctest.testmod(module)
    assert result.attempted > 2 and result.failed == 0


def test_nothing_to_look_at_is_an_error() -> None:
    with pytest.raises(ValueError, match="no profiles"):
        robotsieve.lint("Disalow: /x", profiles=[])
    with pytest.raises(ValueError, match="no crawlers"):
        robotsieve.diff("", "User-agent: *", [])
    config = robotsieve.Config(keep_rules=False)
    policy = Robots("User-agent: *\nDisallow: /a", config=config).policy("x")
    with pytest.raises(ValueError, match="keeps no rules"):
        robotsieve.diff_policies(policy, Robots("").policy("x"))


def test_a_site_says_why_it_is_unreachable() -> None:
    site = reports.Site.from_dict({
        "origin": "https://a.example",
        "condition": "unreachable",
        "outcome": "unreachable",
        "attempted": "2026-11-27T12:00:00Z",
        "failures": 1,
        "holds": "disallow-all",
        "why": "unreachable-without-copy",
        "notes": ["last asked 1 minute ago: HTTP 503"],
    })
    assert str(site) == "https://a.example: unreachable\nlast asked 1 minute ago: HTTP 503"
