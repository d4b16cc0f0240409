"""Decisions on many URLs, in columns: what ``decide`` says of each."""

import json
import pickle
import threading
from collections.abc import Callable
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from robotsieve import (
    Config,
    CrawlerPolicies,
    Decision,
    Decisions,
    InvalidUrl,
    Pack,
    PackWriter,
    Policy,
    PolicySet,
    Robots,
)

FILE = b"""\
User-agent: GPTBot
Disallow: /private
Disallow: /caf\xe9
Allow: /*.html$
Disallow:

User-agent: empty
Disallow:

User-agent: *
Disallow: /search
"""
CRAWLERS = ["GPTBot", "empty", "other"]
PATHS = ["", "/", "/private", "/private/x.html", "/search?q=x", "/robots.txt", "/caf%E9", "/x.html", "/%70rivate"]
URLS = [
    *(f"https://{host}{path}" for host in ("e.com", "no.example", "allow.example", "disallow.example") for path in PATHS),
    "not a URL",
    None,
    "",
    "mailto:a@e.com",
    "https://unknown.example/x",
    "http://e.com/private",
]


def policies(config: Config | None = None) -> CrawlerPolicies:
    return Robots(FILE, None, config).policies(CRAWLERS)


def a_set(config: Config | None = None) -> PolicySet:
    sites = PolicySet(CRAWLERS, None, config)
    fill(sites)
    return sites


def fill(sites: PolicySet | PackWriter) -> None:
    sites.add("https://e.com", FILE)
    sites.add("https://no.example", b"")
    sites.add("https://allow.example", outcome="allow-all")
    sites.add("https://disallow.example", outcome="disallow-all")
    sites.add("https://unknown.example", outcome="unknown")


def a_pack(path: Path, config: Config | None = None) -> Pack:
    with PackWriter(path, CRAWLERS, None, config) as writer:
        fill(writer)
    return Pack.open(path)


Many = CrawlerPolicies | PolicySet | Pack


@pytest.fixture(params=["policies", "set", "pack", "policies, no rules", "set, no rules", "pack, no rules"])
def many(request: pytest.FixtureRequest, tmp_path: Path) -> Many:
    kind, _, no_rules = request.param.partition(", ")
    config = Config(keep_rules=False) if no_rules else None
    if kind == "pack":
        return a_pack(tmp_path / "p", config)
    return policies(config) if kind == "policies" else a_set(config)


def of(decision: "Decision | None", *names: str) -> object:
    """Some of a decision, which is false if it is not allowed; ``None`` if there is none."""
    if decision is None:
        return None
    found = [getattr(decision, name) for name in names]
    return found[0] if len(found) == 1 else found


def decided(many: Many, url: "str | None", crawler: str) -> "Decision | None":
    if url is None:
        return None
    try:
        if isinstance(many, CrawlerPolicies):
            return many[CRAWLERS.index(crawler)].decide(url)
        return many.decide(url, crawler)
    except InvalidUrl:
        return None


@pytest.mark.parametrize("many", ["set", "pack", "set, no rules", "pack, no rules"], indirect=True)
def test_urls_that_have_a_site_and_are_no_urls(many: PolicySet | Pack) -> None:
    """What a browser would repair: the site is found, and nobody may say what the URL's path is."""
    for host in ["e.com", "no.example", "allow.example", "disallow.example", "unknown.example", "absent.example"]:
        urls = [f" https://{host}/x\n", f"https:{host}/x", f"htt\tps://{host}/x", f"https:\\\\{host}\\x", f"HTTPS://{host}:443/x"]
        for crawler in CRAWLERS:
            answers = list(many.answers(urls, crawler=crawler))
            assert list(many.decisions(urls, crawler=crawler).answers) == answers
            without_site = host in ("unknown.example", "absent.example")
            assert answers[:4] == ["unknown" if without_site else "invalid"] * 4
            for url in urls[:4]:
                if without_site:
                    assert many.decide(url, crawler) is None and many.is_allowed(url, crawler) is None
                    continue
                for ask in (many.decide, many.is_allowed):
                    with pytest.raises(InvalidUrl):
                        ask(url, crawler)


@pytest.mark.parametrize("form", [list, pa.array, lambda urls: pa.array(urls).dictionary_encode()], ids=["list", "array", "dictionary"])
@pytest.mark.parametrize("threads", [1, 3])
def test_they_are_those_of_decide(many: Many, form: Callable[[list[object]], object], threads: int) -> None:
    # More than a block; with threads, more than one of them takes at a time.
    urls = URLS * (400 if threads > 1 and form is pa.array else 15)
    columns = many.decisions_by_crawler(form(urls), threads=threads)  # type: ignore[arg-type]
    assert list(columns) == CRAWLERS and columns.row_count == len(urls)
    for crawler in CRAWLERS:
        expected = [decided(many, url, crawler) for url in URLS]
        column = columns[crawler]
        assert column[: len(URLS)].to_pylist() == list(column[: len(URLS)]) == expected
        assert column == many.decisions(urls, crawler=crawler)
        assert column[-len(URLS) :] == column[: len(URLS)]
        assert list(column.verdicts[: len(URLS)]) == [of(decision, "is_allowed") for decision in expected]
        assert column.verdicts == many.verdicts(urls, crawler=crawler)
        assert column.answers == many.answers(urls, crawler=crawler)


def test_columns(many: Many) -> None:
    """What Arrow's consumers are given."""
    decisions = many.decisions(URLS, crawler="GPTBot")
    table = pa.table(decisions)
    assert table.column_names == ["answer", "reason", "line", "rule", "profile"]
    assert [table.schema.field(n).type for n in (2, 3)] == [pa.uint32(), pa.dictionary(pa.int32(), pa.large_string())]
    rows = table.to_pylist()
    words = many.answers(URLS, crawler="GPTBot").to_pylist()
    for row, decision, word in zip(rows, decisions, words, strict=True):
        assert row["answer"] == word and row["profile"] == "rfc9309"
        rule = None if decision is None or decision.rule is None else decision.rule.value
        # A file need not be UTF-8; a column must.
        shown = rule and rule.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        assert (row["reason"], row["line"]) == (of(decision, "reason"), of(decision, "line"))
        assert row["rule"] == shown
    assert pa.array(decisions).to_pylist() == rows
    assert table.to_pandas()["answer"].tolist() == words
    frame = pl.DataFrame(decisions)
    assert frame["rule"].to_list() == table["rule"].to_pylist() and frame["line"].dtype == pl.UInt32
    assert pl.Series(decisions).dtype == pl.Struct
    found = duckdb.from_arrow(table).filter("answer = 'disallow'").select("line").fetchall()
    assert [line for (line,) in found] == [row["line"] for row in rows if row["answer"] == "disallow"]
    both = pa.table(many.decisions_by_crawler(URLS, crawlers=["other", "GPTBot"]))
    assert both.column_names == ["other", "GPTBot"] and both["GPTBot"].to_pylist() == rows


def test_a_value_is_there_once() -> None:
    """Rules of many sites with one value: pandas takes no category twice."""
    sites = PolicySet(["a"])
    for number in range(20):
        comments = "# x\n" * number
        sites.add(f"https://h{number}.example", f"{comments}User-agent: *\nDisallow: /search\nDisallow: /{number}")
    urls = [f"https://h{number}.example/{path}" for number in range(20) for path in ("search", number, "x")]
    decisions = sites.decisions(urls)
    assert [of(decision, "line") for decision in decisions[::3]] == list(range(2, 22))
    rule = pa.table(decisions)["rule"].combine_chunks()
    assert len(rule.dictionary) == 21
    assert pd.Series(rule.to_pandas()).value_counts()["/search"] == 20


def test_values() -> None:
    policy = Robots(FILE).policy("GPTBot")
    decisions = policy.decisions(URLS)
    assert isinstance(decisions, Decisions) and pickle.loads(pickle.dumps(decisions)) == decisions
    assert decisions != policy.decisions(URLS[1:]) and decisions != Robots(FILE, "google").policy("GPTBot").decisions(URLS)
    assert repr(decisions).startswith(f"<robotsieve.Decisions on {len(URLS)} URLs: ")
    assert decisions.profile_name == "rfc9309" and decisions[-1] == policy.decide("/private")
    assert decisions[::-2].to_pylist() == decisions.to_pylist()[::-2]
    with pytest.raises(IndexError, match="out of range"):
        decisions[len(URLS)]
    with pytest.raises(ValueError, match="not the bytes of decisions"):
        Decisions._from_parts(b"x", [], "rfc9309")  # type: ignore[attr-defined]


def test_to_dict() -> None:
    """Of types that JSON has."""
    decision = Robots(FILE).policy("GPTBot").decide("https://e.com/caf%E9")
    assert json.loads(json.dumps(decision.to_dict())) == {
        "verdict": "disallow",
        "reason": "rule",
        "line": 3,
        "rule": {
            "verdict": "disallow",
            "line": 3,
            "value": "/caf\N{REPLACEMENT CHARACTER}",
            "precedence": 7,
            "pattern": "/caf%E9",
            "anchored": False,
        },
    }
    assert Robots("").policy("x").decide("/").to_dict() == {"verdict": "allow", "reason": "no-group", "line": None, "rule": None}
    assert Robots(FILE).policy("empty").decide("/").to_dict()["line"] == 8


def test_the_set_changes_meanwhile() -> None:
    """A rule is that of the file that decided, although another thread replaces the files."""
    sites = PolicySet(["a"])
    bodies = [f"User-agent: *\nDisallow: /x\nDisallow: /{'abcdefgh'[n] * 40}\nDisallow: /*y{n}" for n in range(8)]
    values = {f"/*y{n}" for n in range(8)}

    def add(number: int) -> None:
        for host in range(20):
            sites.add(f"https://h{host}.example", bodies[number % 8])

    add(0)
    urls = pa.array([f"https://h{n % 20}.example/{'x' if n % 2 else 'y0y1y2y3y4y5y6y7'}" for n in range(40_000)])
    end = threading.Event()

    def change() -> None:
        number = 0
        while not end.is_set():
            add(number := number + 1)

    changing = threading.Thread(target=change)
    changing.start()
    try:
        for _ in range(5):
            found = pa.table(sites.decisions(urls, threads=2))
            rules = found["rule"].to_pylist()
            assert set(rules[1::2]) == {"/x"} and set(rules[::2]) <= values
            assert set(zip(found["line"].to_pylist(), (len(rule) for rule in rules))) == {(2, 2), (4, 4)}
    finally:
        end.set()
        changing.join()


def test_policies_without_a_name() -> None:
    policy: Policy = Robots("User-agent: *\nDisallow: /x", "google").policy("a")
    decisions = policy.decisions(["", None, "/x"])
    assert [of(decision, "line") for decision in decisions] == [None, None, 2]
    assert pa.table(decisions)["answer"].to_pylist() == ["allow", "invalid", "disallow"]
