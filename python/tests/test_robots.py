"""Files, policies, decisions: as Python has them."""

import array
import copy
import inspect
import pickle
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
import yarl
from hypothesis import given
from hypothesis import strategies as st

import robotsieve
from robotsieve import (
    Config,
    Crawler,
    Decision,
    InvalidName,
    InvalidOrigin,
    InvalidUrl,
    Origin,
    Profile,
    RequestRate,
    Robots,
    Rule,
    UserAgent,
)
from robotsieve.protego import Protego
from robotsieve.typing import ProfileName

FILE = b"""\
User-agent: *
Disallow: /search
Allow: /search/about
Disallow: /*.pdf$
Crawl-delay: 2.5
Request-rate: 1/10s

User-agent: GPTBot
User-agent: CCBot
Disallow: /

Sitemap: https://example.com/sitemap.xml
"""


@pytest.fixture
def robots() -> Robots:
    return Robots(FILE)


def test_the_example_of_the_issue(robots: Robots) -> None:
    policy = robots.policy("MyCrawler")
    assert policy.is_allowed("https://example.com/x") is True
    assert policy.is_allowed("https://example.com/search?q=x") is False
    assert policy.is_allowed("/search/about") is True
    assert policy.is_path_allowed("//search") is True
    decision = policy.decide("https://example.com/a.pdf")
    assert (decision.verdict, decision.reason, decision.line) == ("disallow", "rule", 4)
    assert decision.rule is not None and decision.rule.value == "/*.pdf$"
    assert decision.rule.pattern == "/*.pdf" and decision.rule.anchored
    assert not decision and policy.decide_path("/x")
    assert policy.decide("/x").reason == "no-match"
    assert policy.decide("/robots.txt").reason == "robots-txt"


def test_what_a_file_says(robots: Robots) -> None:
    assert robots.sitemaps == ["https://example.com/sitemap.xml"]
    assert robots.crawl_delay("MyCrawler") == 2.5
    assert robots.request_rate("MyCrawler") == RequestRate(1, 10.0)
    assert robots.min_interval("MyCrawler") == 10.0
    assert robots.crawl_delay("GPTBot") is None
    assert robots.tokens == ["*", "GPTBot", "CCBot"]
    assert robots.group_count == 2
    assert robots.group_of("gptbot") == [(8, "GPTBot"), (9, "CCBot")]
    assert (robots.extent, robots.is_cut) == ((0, len(FILE)), False)
    utf_16 = Robots("Disallow: /x".encode("utf-16"))
    assert (utf_16.extent, utf_16.is_cut) == ((0, 12), False)
    assert Robots(b"#\n" * 300_000).is_cut
    policy = robots.policy("gptbot")
    assert policy.group == [(8, "GPTBot"), (9, "CCBot")]
    assert [rule.value for rule in policy.rules] == ["/"]
    assert robots.policy("MyCrawler").min_interval == 10.0


def test_several_names() -> None:
    robots = Robots("User-agent: Googlebot\nDisallow: /a\n\nUser-agent: Googlebot-News\nDisallow: /b")
    assert robots.policy(["Googlebot-News", "Googlebot"]).is_allowed("/a")
    assert not robots.policy(("Googlebot-Image", "Googlebot")).is_allowed("/a")
    assert not robots.policy(Crawler("Googlebot-Image", "Googlebot")).is_allowed("/a")


def test_wrong_crawlers(robots: Robots) -> None:
    assert robots.policy(b"gptbot") == robots.policy(Crawler(b"gptbot"))
    for crawler in (None, 3, {"GPTBot"}, ["GPTBot", 3]):
        with pytest.raises(TypeError, match="crawler must be a name|each name of a crawler"):
            robots.policy(crawler)  # type: ignore[arg-type]
    # Nobody means everybody by no name; who does says so.
    assert robots.policy(Crawler()).is_allowed("/search") is False
    for crawler in ([], "", ["GPTBot", ""], ()):
        with pytest.raises(InvalidName, match="a crawler needs a name") as error:
            robots.policy(crawler)
        assert error.value.probably_meant is None


def test_headers_are_no_names(robots: Robots) -> None:
    header = "Mozilla/5.0 (compatible; GPTBot/1.1; +https://openai.com/gptbot)"
    with pytest.raises(InvalidName, match="from_user_agent") as error:
        robots.policy(header)
    assert error.value.probably_meant == "GPTBot"
    assert isinstance(error.value, ValueError)
    assert not robots.policy(Crawler.from_user_agent(header)).is_allowed("/")
    names = UserAgent(header).names
    assert [name.name for name in names] == ["GPTBot"]
    assert UserAgent(header).crawler == Crawler("GPTBot")


def test_names_that_no_crawler_has(robots: Robots) -> None:
    for name, meant in (("google", "Googlebot"), ("Bing", "bingbot"), ("openai", "GPTBot"), ("Yahoo", "Slurp")):
        with pytest.warns(UserWarning, match=f"no crawler is known as '{name}': did you mean '{meant}'") as told:
            robots.policy(name)
        # Each is told once.
        robots.policy(name)
        assert len(told) == 1


def test_urls(robots: Robots) -> None:
    policy = robots.policy("MyCrawler")
    for url in ("example.com/x", "", "no URL", b"\xff", "mailto:x"):
        with pytest.raises(InvalidUrl):
            policy.is_allowed(url)
    assert issubclass(InvalidUrl, ValueError)
    google = Robots(FILE, "google").policy("MyCrawler")
    assert google.is_allowed("example.com/x")
    for url in (None, 1, 1.5, ["https://e.com/"], object(), array.array("i", [1])):
        with pytest.raises(TypeError, match="url must be str, bytes or a buffer"):
            policy.is_allowed(url)  # type: ignore[arg-type]
    for url in (
        b"https://e.com/search",
        bytearray(b"https://e.com/search"),
        memoryview(b"https://e.com/search"),
        memoryview(b"_h_t_t_p_s_:_/_/_e_._c_o_m_/_s_e_a_r_c_h")[1::2],
        np.frombuffer(b"https://e.com/search", dtype="u1"),
        np.str_("https://e.com/search"),
        array.array("B", b"https://e.com/search"),
    ):
        assert policy.is_allowed(url) is False


def test_the_first_question_and_later_ones() -> None:
    """The first is answered by the bytes of a small file, the others by the policy."""
    delayed = Config(skip_above=5)
    crawlers: list[Any] = ["MyCrawler", ["Googlebot-Image", "Googlebot"], Crawler()]
    bodies = [FILE, FILE.replace(b"*", b"googlebot"), "Disallow: /é\nUser-agent: *\nDisallow: /é".encode("utf-16"), b""]
    urls: list[str | bytes] = ["/search", "https://e.com/search/about", b"/search", "/%C3%A9", "/é", "/\udcc3\udca9"]
    for profile in Profile.names():
        for body in bodies:
            for crawler in crawlers:
                made = robotsieve.policy(body, crawler, profile=profile)
                made.compile()
                for url in urls:
                    new = robotsieve.policy(body, crawler, profile=profile)
                    assert [new.is_allowed(url) for _ in range(3)] == [made.is_allowed(url)] * 3
                    assert Robots(body, profile).is_allowed(crawler, url) == made.is_allowed(url)
    assert not robotsieve.policy("User-agent: *\nCrawl-delay: 9", "a", config=delayed).is_allowed("/x")
    for name in ("is_allowed", "is_path_allowed"):
        method = getattr(robotsieve.Policy, name)
        assert len(inspect.signature(method).parameters) == 2 and method.__doc__.startswith("True if the crawler")
        for arguments, keywords in (((), {}), (("/", "/"), {}), ((), {"url": "/"})):
            with pytest.raises(TypeError):
                getattr(Robots(FILE).policy("a"), name)(*arguments, **keywords)
        with pytest.raises(TypeError):
            method("no policy", "/")
        for path in ("/search", "/search/about", b"/search"):
            policy = Robots(FILE).policy("a")
            allowed = policy.decide(path).verdict == "allow"
            assert getattr(policy, name)(path) == allowed
            assert pickle.loads(pickle.dumps(getattr(policy, name)))(path) == allowed


def test_a_policy_in_one_call(robots: Robots) -> None:
    policy = robotsieve.policy(FILE, "MyCrawler")
    assert policy == robots.policy("MyCrawler") and policy.robots == robots
    assert pickle.loads(pickle.dumps(policy)) == policy
    # Before it was compiled, and after.
    for _ in range(2):
        assert not policy.is_allowed("/search") and policy.is_allowed("/search/about")
        with pytest.raises(InvalidUrl):
            policy.is_allowed("no URL")
        policy.compile()
    with pytest.raises(InvalidName):
        robotsieve.policy(FILE, "GPTBot/1.0")
    with pytest.raises(ValueError, match="there is no profile"):
        robotsieve.policy(FILE, "GPTBot", profile="nope")  # type: ignore[arg-type]
    named = robotsieve.policy(FILE, "a", profile="google", config=Config(inherit_pace=True), name="a.txt")
    assert named.robots == Robots(FILE, "google", Config(inherit_pace=True)) and named.robots.name == "a.txt"
    left_alone = robotsieve.policy(FILE, "MyCrawler", config=Config(skip_above=1))
    assert not left_alone.is_allowed("/") and left_alone.decide("/").reason == "left-alone"
    utf16 = "User-agent: *\nDisallow: /a".encode("utf-16")
    assert [robotsieve.policy(utf16, "a").is_allowed(path) for path in ("/a", "/b")] == [False, True]


def test_a_name_is_checked_for_each_profile() -> None:
    def is_name(name: str, profile: ProfileName) -> bool:
        try:
            return robotsieve.policy(FILE, name, profile=profile).crawler == Crawler(name)
        except InvalidName:
            return False

    profiles: tuple[ProfileName, ...] = ("rfc9309", "google", "google-classic", "original-1994")
    said = []
    for name in ("GPTBot", "Bot2", "my bot", "b@t"):
        first = [is_name("other", profile) and is_name(name, profile) for profile in profiles]
        assert first == [is_name(name, profile) for profile in profiles]
        said.append(first)
    assert said[0] == [True] * 4 and any(len(set(one)) == 2 for one in said)


def test_all_threads_parse_one_file_once() -> None:
    large = b"User-agent: *\n" + b"".join(b"Disallow: /%d/\n" % number for number in range(5_000))
    for _ in range(20):
        robots = Robots(large)
        policy, other = robots.policy("a"), robots.policy("b")
        asks: list[Callable[[], object]] = [
            lambda: policy.is_allowed("/x"),
            lambda: other.is_allowed("/4999/"),
            lambda: robots.group_count,
            lambda: len(policy.rules),
            lambda: list(policy.verdicts(["/x"])),
        ]
        with ThreadPoolExecutor(10) as pool:
            said = [future.result() for future in [pool.submit(ask) for ask in asks * 2]]
        assert said == [True, False, 1, 5_000, [True]] * 2


def test_objects_that_are_urls(robots: Robots) -> None:
    policy = robots.policy("MyCrawler")
    urls: list[Any] = [httpx.URL("https://e.com/x"), yarl.URL("https://e.com/x")]
    for url in urls:
        for ask in (policy.is_allowed, policy.decide, lambda url: robots.explain("MyCrawler", url)):
            with pytest.raises(TypeError, match=r"not URL: pass str\(url\)$"):
                ask(url)
        with pytest.raises(TypeError, match=r"^urls\[0\] must be .* not URL: pass str\(…\)$"):
            policy.verdicts([url])
        with pytest.raises(TypeError, match=r"^origin must be .* not URL: pass str\(origin\)$"):
            Origin(url)
        assert policy.is_allowed(str(url))
    with pytest.raises(TypeError, match=r"^body must be .* not \w+Path: pass body.read_bytes\(\)$"):
        Robots(Path("robots.txt"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("body", "way_out"),
    [
        ("robots.txt", r"pass pathlib.Path('robots.txt').read_bytes()"),
        ("/srv/www/robots.txt", r"pass pathlib.Path('/srv/www/robots.txt').read_bytes()"),
        ("C:\\www\\robots.txt", r"pass pathlib.Path('C:\\www\\robots.txt').read_bytes()"),
        ("https://example.com/robots.txt", "fetch it, and pass the body of the answer"),
        ("file:///robots.txt", "fetch it, and pass the body of the answer"),
    ],
)
def test_a_file_name_as_the_text(body: str, way_out: str) -> None:
    takers: list[Callable[[str], object]] = [
        Robots,
        lambda body: robotsieve.is_allowed(body, "a", "/"),
        robotsieve.lint,
        lambda body: robotsieve.PolicySet(["a"]).add("https://e.com", body),
        Protego.parse,
    ]
    for take in takers:
        with pytest.warns(UserWarning) as warned:
            take(body)
        (said,) = warned
        place = repr(body)
        assert said.filename == __file__
        assert str(said.message) == (
            f"{place} is taken as the text of a robots.txt, not as the place of one, and allows everything; {way_out}"
        )


def test_no_warning_of_a_text() -> None:
    texts = ["", "Disallow:/x.txt", "sitemap:https://e.com/sitemap.txt", "see humans.txt", "https://e.com/ is gone", "a.txt\n"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for text in texts:
            Robots(text)
        # A server may send anything.
        Robots(b"robots.txt")


def test_bytes_that_are_no_utf8() -> None:
    body = b"User-agent: *\nDisallow: /\xe9t\xe9\nSitemap: /s\xff"
    robots = Robots(body, "original-1994")
    text = body.decode("utf-8", "surrogateescape")
    assert Robots(text, "original-1994") == robots
    assert robots.sitemaps == ["/s\udcff"]
    policy = robots.policy("x")
    decision = policy.decide(b"http://e.com/\xe9t\xe9")
    assert decision.rule is not None and decision.rule.value == "/\udce9t\udce9"
    assert not policy.is_allowed("http://e.com/\udce9t\udce9")
    assert policy.target("http://e.com/\udce9") == "/\udce9"
    # A surrogate that stands for no byte is kept apart from everything else.
    assert policy.is_allowed("http://e.com/\ud800")
    assert Robots("\ud800").body == b"\xed\xa0\x80"


def test_bodies() -> None:
    expected = Robots(FILE)
    for body in (FILE.decode(), bytearray(FILE), memoryview(FILE), np.frombuffer(FILE, "u1")):
        assert Robots(body) == expected
        assert robotsieve.is_allowed(body, "GPTBot", "https://example.com/") is False
    for body in (None, 3, [FILE], {}):
        with pytest.raises(TypeError, match="body must be str, bytes or a buffer"):
            Robots(body)  # type: ignore[arg-type]


def test_profiles() -> None:
    assert Profile.names() == ["rfc9309", "google", "google-classic", "original-1994"]
    assert Profile() == Profile("rfc9309") != Profile("google")
    mine = Profile("google", wildcards=False)
    assert mine.name is None and mine.to_dict()["wildcards"] is False
    assert Profile(**mine.to_dict()) == mine == Profile(mine)
    assert eval(repr(mine), {"Profile": Profile}) == mine
    assert not Robots(FILE, "google").policy("x").is_allowed("/a.pdf")
    assert Robots(FILE, mine).policy("x").is_allowed("/a.pdf")
    with pytest.raises(ValueError, match="the profiles are rfc9309, google"):
        Profile("Google")
    with pytest.raises(ValueError, match="wildcard"):
        Profile("google", wildcard=True)
    with pytest.raises(ValueError, match="boolean"):
        Profile("google", wildcards=3)
    with pytest.raises(TypeError, match="a name or a Profile, not int"):
        Robots(FILE, 3)  # type: ignore[arg-type]


def test_configs() -> None:
    config = Config(keep_rules=False, max_interval=1)
    assert repr(config) == "Config(keep_rules=False, max_interval=1)"
    assert eval(repr(config), {"Config": Config}) == config
    assert Config(**config.to_dict()) == config
    robots = Robots(FILE, config=config)
    assert robots.crawl_delay("x") == 1.0
    assert robots.policy("x").decide("/search").reason == "rules-not-kept"
    for bad in ({"max_interval": -1}, {"max_interval": "x"}, {"keep_rule": True}, {"engine": "nfa"}):
        with pytest.raises(ValueError, match="config"):
            Config(**bad)
    assert Robots(FILE, config=Config(engine="segments")).policy("x").engine == "scan"


def test_origins() -> None:
    origin = Origin("HTTPS://Example.COM:443/a?b")
    assert (origin.key, origin.robots_url) == (
        "https://example.com",
        "https://example.com/robots.txt",
    )
    assert (origin.scheme, origin.host, origin.port) == ("https", "example.com", 443)
    assert Origin("http://e.com:8080/").authority == "e.com:8080"
    assert origin == Origin("https://example.com/") and hash(origin) == hash(Origin(origin))
    assert str(origin) == "https://example.com" and 0 <= origin.shard(16) < 16
    for url in ("example.com", "mailto:x", ""):
        with pytest.raises(InvalidOrigin):
            Origin(url)
    with pytest.raises(InvalidOrigin, match="does not begin with a scheme such as https://: \"example.com\""):
        robotsieve.PolicySet(["a"]).add("example.com", "")
    with pytest.raises(ValueError, match="shards"):
        origin.shard(0)


VALUES = [
    Robots(FILE),
    Robots(FILE, Profile("google", wildcards=False), Config(keep_rules=False)),
    Robots(FILE).policy("GPTBot"),
    Robots(FILE).policies(["GPTBot", "x"])[1],
    Robots(FILE).policy("x").decide("/search"),
    Robots(FILE).policy("x").rules[0],
    Robots(FILE).policy("x").verdicts(["/", "/search", None]),
    Robots(FILE).policy("x").answers(["/", "/search", None]),
    Robots(FILE).policies(["GPTBot", "x"]).verdicts_by_crawler(["/", "/search", None]),
    Robots(FILE).policies(["GPTBot", "x"]).answers_by_crawler(["/", "/search", None]),
    Robots(FILE).policy("x").decisions(["/", "/search", None]),
    Robots(FILE).policies(["GPTBot", "x"]).decisions_by_crawler(["/", "/search", None]),
    Crawler("a", b"\xff"),
    UserAgent("GPTBot/1.0"),
    UserAgent("GPTBot/1.0").names[0],
    Origin("https://example.com"),
    Profile("google"),
    Config(keep_sitemaps=True),
    RequestRate(1, 2.5, (60, 120)),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_values(value: object) -> None:
    """Pickling, copying, equality and hashing."""
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(value, protocol))
        assert again == value and type(again) is type(value)
    assert copy.copy(value) == copy.deepcopy(value) == value
    assert value != "something else" and value is not None
    if type(value).__hash__ is not None:
        assert hash(pickle.loads(pickle.dumps(value))) == hash(value)
    assert repr(value) and str(value)
    assert type(value).__module__ == "robotsieve"
    assert sum(value == other for other in VALUES) == 1


def test_parts() -> None:
    """What decisions are made of can be made by hand, for tests of crawlers."""
    rule = Rule("disallow", 2, "/x", 2, "/x", False)
    assert rule == Robots("User-agent: *\nDisallow: /x").policy("a").rules[0]
    assert Decision("disallow", "rule", 2, rule) == Robots(
        "User-agent: *\nDisallow: /x"
    ).policy("a").decide("/x")
    with pytest.raises(ValueError, match="'allow' or 'disallow'"):
        Rule("forbid", 2, "/x", 2, "/x", False)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="the reasons are"):
        Decision("allow", "because", None, None)  # type: ignore[arg-type]


def test_policies_compile_themselves() -> None:
    body = "User-agent: *\n" + "".join(f"Disallow: /{n}/*/x\n" for n in range(200))
    policy = Robots(body).policy("x")
    assert policy.engine == "scan"
    for _ in range(2_000):
        assert not policy.is_allowed("/7/a/x")
    assert policy.engine == "dfa" and policy.limit_hit is None
    assert policy.memory_usage > 1_000
    dot = policy.to_dot()
    assert dot is not None and dot.startswith("digraph")


def test_limits() -> None:
    for limit in ("states", "work", "table_bytes", "pattern_bytes"):
        limits = {"table_bytes": 1 << 20, "pattern_bytes": 1 << 22, "inner_stars": 8192} | {limit: 1}
        policy = Robots("User-agent: *\nDisallow: /a*b*c", config=Config(limits=limits)).policy("a")
        policy.compile()
        assert policy.limit_hit is not None and policy.limit_hit.replace("-", "_") == limit
        assert policy.engine != "dfa" and not policy.is_allowed("/axbxc")


def test_hostile_files_are_bounded() -> None:
    body = "User-agent: *\n" + "".join(f"Disallow: /{'*a' * 10}{n}\n" for n in range(500))
    policy = Robots(body).policy("x")
    url = "/" + "a" * 2_000
    assert policy.is_allowed(url)
    policy.compile()
    assert policy.is_allowed(url)


text_or_bytes = st.one_of(
    st.binary(max_size=300), st.text(max_size=300), st.text(st.characters(), max_size=50)
)


@given(body=text_or_bytes, url=text_or_bytes, profile=st.sampled_from(Profile.names()))
def test_no_content_raises(body: str | bytes, url: str | bytes, profile: str) -> None:
    robots = Robots(body, profile)  # type: ignore[arg-type]
    policy = robots.policy("bot")
    assert robots.sitemaps is not None and pickle.loads(pickle.dumps(policy)) == policy
    try:
        expected = policy.is_allowed(url)
    except InvalidUrl:
        assert profile != "google"
        assert list(policy.verdicts([url])) == [None]
    else:
        assert policy.decide(url).is_allowed is expected
        assert list(policy.verdicts([url])) == [expected]
        assert robotsieve.is_allowed(body, "bot", url, profile=profile) is expected  # type: ignore[arg-type]
