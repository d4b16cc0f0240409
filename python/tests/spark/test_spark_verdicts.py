"""Verdicts on Spark are those of the package, one by one."""

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from spark_cases import (
    COLLIDING,
    CRAWLERS,
    HOSTS,
    HOT,
    MANY_CRAWLERS,
    answers,
    generated_sites,
    generated_urls,
    one_by_one,
    policy_set,
    sites_frame,
    spelt,
    urls_frame,
    write_packs,
)

from robotsieve import Crawler, InvalidOrigin, InvalidUrl, Origin, Pack, PolicySet, UserAgent
from robotsieve._robotsieve import shards_of
from robotsieve.spark import _keys, decisions, register, verdicts, with_answers, with_decisions, with_verdicts
from robotsieve.spark import answers as answers_of

URLS = generated_urls(3_000, 1)
SITES = generated_sites(2)


class Cases:
    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark, self.folder = spark, folder
        self.urls = urls_frame(spark, folder / "urls", URLS).cache()
        self.few = urls_frame(spark, folder / "few", URLS[:300]).cache()
        self.sites = sites_frame(spark, folder / "sites", SITES).cache()
        self._packs: dict[str, str] = {}

    def packs(self, crawlers: list[str], shards: int, profile: Any = None) -> str:
        name = f"{len(crawlers)}-{shards}-{profile}"
        if name not in self._packs:
            self._packs[name] = str(write_packs(self.folder / name, SITES, crawlers, shards, profile))
        return self._packs[name]


@pytest.fixture(scope="module")
def cases(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Cases:
    return Cases(spark, tmp_path_factory.mktemp("cases"))


@pytest.fixture(params=["pack", "shards", "joined"])
def way(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def plan_of(way: str) -> Any:
    return "joined" if way == "joined" else "auto"


def check(
    cases: Cases, way: str, crawlers: Any, urls: DataFrame | None = None, count: int = len(URLS), **how: Any
) -> None:
    """All that is said of the first URLs."""
    names = [crawlers] if isinstance(crawlers, str) else crawlers
    profile, words = how.get("profile"), how.pop("words", False)
    add, column = (with_answers, "answer") if words else (with_verdicts, "allowed")
    known = policy_set(SITES, names, profile)
    # Packs have more crawlers than are asked about.
    packed = CRAWLERS if set(names) <= set(CRAWLERS) else MANY_CRAWLERS
    robots: Any = cases.sites
    if way != "joined":
        robots = cases.packs(packed, 3 if way == "shards" else 1, profile)
    out = add(cases.urls if urls is None else urls, "url", crawlers=crawlers, robots=robots, plan=plan_of(way), **how)
    expected = one_by_one(known, URLS[:count], names, words)
    assert answers(out, column) == expected
    if way != "joined":
        assert one_by_one(Pack.open(robots), URLS[:count], names, words) == expected


def test_the_cases_are_worth_it() -> None:
    found = Counter(word for row in one_by_one(policy_set(SITES, CRAWLERS), URLS, CRAWLERS, True) for word in row)
    assert all(found[word] > 100 for word in ["allow", "disallow", "unknown", "invalid"]), found


def test_several_crawlers(cases: Cases, way: str) -> None:
    check(cases, way, CRAWLERS)
    check(cases, way, CRAWLERS, words=True)


def test_one_crawler(cases: Cases, way: str) -> None:
    check(cases, way, "GPTBot")
    check(cases, way, "GPTBot", words=True)
    check(cases, way, ["CCBot"])


def test_many_crawlers(cases: Cases, way: str) -> None:
    assert len(MANY_CRAWLERS) > 32
    check(cases, way, MANY_CRAWLERS)
    check(cases, way, MANY_CRAWLERS[::-1], words=True)


@pytest.mark.parametrize("profile", ["google", "original-1994"])
def test_profiles(cases: Cases, way: str, profile: str) -> None:
    check(cases, way, CRAWLERS, profile=profile)


def test_the_way_of_spark_4_0(cases: Cases, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(F, "arrow_udf")
    for kind in type(cases.urls).__mro__:
        if "repartitionById" in vars(kind):
            monkeypatch.delattr(kind, "repartitionById")
    assert not hasattr(F, "arrow_udf") and not hasattr(cases.urls, "repartitionById")
    check(cases, way, CRAWLERS, words=True)
    check(cases, way, "GPTBot")
    check(cases, way, MANY_CRAWLERS)


@pytest.mark.parametrize("rows", [1, 2, 7])
@pytest.mark.parametrize("way", ["shards", "joined"], indirect=True)
def test_small_batches(cases: Cases, way: str, rows: int) -> None:
    """Hosts go on in the next batch, and files and URLs of a host are in different ones."""
    setting = "spark.sql.execution.arrow.maxRecordsPerBatch"
    before = cases.spark.conf.get(setting)
    cases.spark.conf.set(setting, rows)
    try:
        check(cases, way, CRAWLERS, cases.few, 300, words=True)
        check(cases, way, CRAWLERS, cases.few, 300, partitions=1)
    finally:
        cases.spark.conf.set(setting, before)


@pytest.mark.parametrize("rows", [1, 3, 10_000])
def test_hosts_with_the_same_hash(cases: Cases, tmp_path: Path, rows: int) -> None:
    sites = []
    for number, host in enumerate(host for pair in COLLIDING for host in pair):
        for scheme in ["http", "https"]:
            body = f"User-agent: *\nDisallow: /{scheme}{number}".encode()
            sites.append({"url": f"{scheme}://{host}/robots.txt", "outcome": "rules", "body": body, "captured": None})
    urls = [f"{site['url'][:-10]}{scheme}{number}" for number in range(4) for site in sites for scheme in ["http", "https"]]
    frame = urls_frame(cases.spark, tmp_path / "urls", urls)
    hashes = {row.hash for row in _keys.with_shard(frame, "url", "hash", 1 << 31).select("hash").collect()}
    assert len(hashes) == 2
    setting = "spark.sql.execution.arrow.maxRecordsPerBatch"
    before = cases.spark.conf.get(setting)
    cases.spark.conf.set(setting, rows)
    try:
        robots = sites_frame(cases.spark, tmp_path / "sites", sites)
        out = with_verdicts(frame, crawlers="a", robots=robots, plan="joined", partitions=2, skew=None)
        found = answers(out)
    finally:
        cases.spark.conf.set(setting, before)
    assert found == one_by_one(policy_set(sites, ["a"]), urls, ["a"])
    assert Counter(map(str, found)) == {"[True]": 56, "[False]": 8}


@pytest.mark.parametrize(
    ("skew", "is_divided"),
    [(None, False), (0.5, True), (1.0, True), ({HOT: 0.3}, True), ({"other.example": 0.9}, False)],
    ids=["none", "half", "all", "told", "told another"],
)
def test_skew(cases: Cases, skew: Any, is_divided: bool) -> None:
    check(cases, "joined", CRAWLERS, skew=skew, words=True)
    out = with_verdicts(cases.urls, crawlers="GPTBot", robots=cases.sites, plan="joined", skew=skew)
    hot = out.where(F.col("url").startswith(f"https://{HOT}/")).select(F.spark_partition_id())
    assert hot.distinct().count() == (4 if is_divided else 1)


def test_bytes(cases: Cases, tmp_path: Path, way: str) -> None:
    """Binary columns, whose URLs need not be UTF-8."""
    urls: list[bytes | None] = [None if url is None else url.encode() for url in URLS[:500]]
    for host in HOSTS[:9]:
        urls += [b"https://%b/\xff" % host.encode(), b"https://%b/p\xc3" % host.encode(), b"https://\xff%b/p" % host.encode()]
    urls += [b"\xff", b"https://h0.example.com/\x00p", "https://bücher.example/p".encode("latin-1")]
    known = policy_set(SITES, CRAWLERS)
    robots: Any = cases.sites if way == "joined" else cases.packs(CRAWLERS, 3 if way == "shards" else 1)
    frame = urls_frame(cases.spark, tmp_path / "urls", urls, pa.binary())
    for words, add in enumerate([with_verdicts, with_answers]):
        out = add(frame, crawlers=CRAWLERS, robots=robots, column="said", plan=plan_of(way))
        assert answers(out, "said") == one_by_one(known, urls, CRAWLERS, bool(words))
        assert out.schema["url"].dataType == frame.schema["url"].dataType


def test_other_columns(cases: Cases, way: str) -> None:
    """All columns stay, whatever they are called, and so do rows that are there twice."""
    robots: Any = cases.sites if way == "joined" else cases.packs(CRAWLERS, 1)
    few = cases.few.withColumnRenamed("url", "page.`url").withColumn("body", F.lit(b"x")).withColumn("outcome", F.lit(1.5))
    twice = few.unionByName(few)
    for column in ["allowed", "verdict.now"]:
        out = with_verdicts(twice, "page.`url", crawlers=CRAWLERS, robots=robots, column=column, plan=plan_of(way))
        assert out.columns == ["id", "page.`url", "body", "outcome", column]
        rows = out.toArrow().sort_by("id").to_pylist()
        expected = one_by_one(policy_set(SITES, CRAWLERS), URLS[:300], CRAWLERS)
        assert [row["id"] for row in rows] == [number // 2 for number in range(600)]
        assert [list(row[column].values()) for row in rows] == [expected[number // 2] for number in range(600)]
        assert all(row["page.`url"] == URLS[row["id"]] and row["body"] == b"x" and row["outcome"] == 1.5 for row in rows)


def test_what_is_asked_wrongly(cases: Cases) -> None:
    pack = cases.packs(CRAWLERS, 1)
    for how, error, message in [
        ({"url": "uri"}, ValueError, "no column 'uri'; the columns are id, url"),
        ({"url": "id"}, TypeError, "column 'id' must be string or binary, not bigint"),
        ({"column": "id"}, ValueError, "there is a column 'id' already"),
        # For Spark they are the same, so the column would be replaced.
        ({"column": "ID"}, ValueError, "there is a column 'id' already"),
        ({"crawlers": None}, TypeError, "crawlers must be crawlers, not NoneType"),
        ({"crawlers": ["GPTBot", "CCBot", "gptbot"]}, ValueError, "crawler 'gptbot' is there twice, as 'GPTBot'"),
        ({"crawlers": []}, ValueError, "no crawlers: name at least one"),
        ({"crawlers": [3]}, TypeError, "crawler must be a name, a list of names, a Crawler or a UserAgent, not int"),
        ({"profile": "googel"}, ValueError, "there is no profile"),
        ({"plan": "join"}, ValueError, "plan must be 'auto', 'packs' or 'joined', not 'join'"),
        ({"plan": "joined"}, ValueError, "plan='joined' takes a DataFrame of robots.txt files, not the path of a pack"),
        ({"robots": cases.urls}, ValueError, "robots: no column 'status'; the columns are id, url, and url, status"),
    ]:
        asked: dict[str, Any] = {"crawlers": "GPTBot", "robots": pack, **how}
        with pytest.raises(error, match=message):
            with_verdicts(cases.urls, **asked)


def said_one_by_one(known: Pack | PolicySet, urls: list[str | None], crawler: Any) -> list[Any]:
    """The columns of the decision on each URL."""
    rows = pa.table(known.decisions(urls, crawler=crawler)).to_pylist()
    for row, url in zip(rows, urls, strict=True):
        try:
            decision = None if url is None else known.decide(url, crawler)
        except InvalidUrl:
            decision = None
        said = (None, None) if decision is None else (decision.reason, decision.line)
        assert (row["reason"], row["line"]) == said
    return rows


def test_decisions(cases: Cases, way: str) -> None:
    robots: Any = cases.sites if way == "joined" else cases.packs(CRAWLERS, 3 if way == "shards" else 1)
    out = with_decisions(cases.few, crawlers="GPTBot", robots=robots, plan=plan_of(way))
    found = [row for [row] in answers_as_rows(out, "decision")]
    known: Any = Pack.open(robots) if way != "joined" else policy_set(SITES, CRAWLERS)
    assert found == said_one_by_one(known, URLS[:300], "GPTBot")
    out = with_decisions(cases.few, crawlers=CRAWLERS, robots=robots, plan=plan_of(way))
    for number, crawler in enumerate(CRAWLERS):
        column = [row[number] for row in answers(out, "decision")]
        assert column == said_one_by_one(known, URLS[:300], crawler)


def answers_as_rows(out: DataFrame, column: str) -> list[list[Any]]:
    return [[row] for row in out.select("id", column).toArrow().sort_by("id")[column].to_pylist()]


NAMED: list[Any] = [
    "GPTBot",
    ["Googlebot-Image", "Googlebot"],
    Crawler("CCBot"),
    UserAgent("Mozilla/5.0 (compatible; Bingbot/2.0)"),
]


def test_several_names_for_a_crawler(cases: Cases, tmp_path: Path, way: str) -> None:
    known = policy_set(SITES, NAMED)
    robots: Any = cases.sites
    if way != "joined":
        robots = str(write_packs(tmp_path / "packs", SITES, NAMED, 3 if way == "shards" else 1))
    names = ["GPTBot", "Googlebot-Image", "CCBot", "Bingbot"]
    for add, column, words in [(with_verdicts, "allowed", False), (with_answers, "answer", True)]:
        out = add(cases.few, crawlers=NAMED, robots=robots, plan=plan_of(way))
        assert [field.name for field in out.schema[column].dataType] == names
        assert answers(out, column) == one_by_one(known, URLS[:300], NAMED, words)
    for crawler in NAMED[2:]:
        out = with_verdicts(cases.few, crawlers=crawler, robots=robots, plan=plan_of(way))
        assert answers(out) == one_by_one(known, URLS[:300], [crawler])


@pytest.mark.parametrize("is_old", [False, True], ids=["now", "as Spark 4.0"])
def test_functions_of_a_column(cases: Cases, monkeypatch: pytest.MonkeyPatch, is_old: bool) -> None:
    """In ``select``, in ``where`` and in SQL."""
    if is_old:
        monkeypatch.delattr(F, "arrow_udf")
    pack = cases.packs(CRAWLERS, 3)
    known = Pack.open(pack)
    urls, few = URLS[:300], cases.few
    for crawlers, names in [("GPTBot", ["GPTBot"]), (CRAWLERS, CRAWLERS)]:
        asked: dict[str, Any] = {"crawlers": crawlers, "robots": pack}
        allowed = few.select("id", verdicts("url", **asked).alias("allowed"))
        assert answers(allowed) == one_by_one(known, urls, names)
        words = few.select("id", answers_of(F.col("url"), **asked).alias("allowed"))
        assert answers(words) == one_by_one(known, urls, names, True)
        why = few.select("id", decisions("url", **asked).alias("allowed"))
        expected = [said_one_by_one(known, urls, name) for name in names]
        rows = why.toArrow().sort_by("id")["allowed"].to_pylist()
        assert rows == (expected[0] if crawlers == "GPTBot" else [dict(zip(names, row)) for row in zip(*expected)])
    kept = few.where(verdicts("url", crawlers="GPTBot", robots=pack)).select("id").collect()
    is_allowed = [row[0] for row in one_by_one(known, urls, ["GPTBot"])]
    assert sorted(row.id for row in kept) == [number for number, allowed in enumerate(is_allowed) if allowed]
    few.createOrReplaceTempView("few")
    for what, expected_ in [("verdicts", is_allowed), ("answers", list(known.answers(urls, crawler="GPTBot")))]:
        register(cases.spark, "asked", crawlers="GPTBot", robots=pack, what=what)  # type: ignore[arg-type]
        found = cases.spark.sql("SELECT id, asked(url) AS allowed FROM few")
        assert answers(found) == [[one] for one in expected_]
    register(cases.spark, "why", crawlers="GPTBot", robots=pack, what="decisions")
    counted = cases.spark.sql("SELECT count(*) AS n FROM few WHERE why(url).answer = 'disallow'").first()
    assert counted is not None and counted.n == is_allowed.count(False)
    with pytest.raises(ValueError, match="what must be 'verdicts', 'answers' or 'decisions', not 'words'"):
        register(cases.spark, "x", crawlers="GPTBot", robots=pack, what="words")  # type: ignore[arg-type]


def test_usual_authorities_are_exact(cases: Cases, tmp_path: Path) -> None:
    """Spark's own host and port are the engine's, or null."""
    import random

    chosen = random.Random(3)
    letters = "aaabcxyz019...--__:@%[]ü \\\t\n/?#A"
    urls = [url for url in URLS if url is not None]
    for _ in range(20_000):
        scheme = chosen.choice(["https://", "http://", "ftp://", "HTTPS://", "https:", "ws://", "https:/\\"])
        host = "".join(chosen.choices(letters, k=chosen.choice([1, 3, 6, 12])))
        urls.append(f"{scheme}{host}{chosen.choice(['', '/', '/p', '?q', '#f', ':80/', chr(10)])}")
    for label in ["0x1", "1a", "a1", "xn--", "09", "0", "{", "z", "zz~", "-", "_", "a-", "a" * 64, "com.", "", "a" * 252]:
        for before in ["", "a.", "1.2.3.", "a..", ".", "a.0x1."]:
            urls.append(f"https://{before}{label}/")
    for host in [f"h{n}.{'x' * n}.com" for n in range(300)]:
        urls.append(spelt(chosen, f"https://{host}/p"))
    urls += [f"https://a.com{chr(n)}" for n in range(0x80)]
    frame = urls_frame(cases.spark, tmp_path / "urls", urls)
    found = frame.select("id", _keys.usual_authority(F.col("url")).alias("allowed"))
    exact = answers(_keys.with_authority(frame, "url", "allowed"))
    usual = 0
    for url, (authority,), (full,) in zip(urls, answers(found), exact, strict=True):
        try:
            expected = Origin(url).authority
        except InvalidOrigin:
            expected = None
        assert authority in (None, expected), url
        assert full == expected, url
        usual += authority is not None
    assert usual > 2_000
    # So the hosts that Spark counts are those that the engine divides.
    usual_only = F.when(F.col("authority").isNotNull(), _keys.shard(F.col("authority"), 1 << 31))
    by_spark = frame.withColumn("authority", _keys.usual_authority(F.col("url"))).select("id", usual_only.alias("allowed"))
    hashes = pa.array(shards_of(urls, 1 << 31)).to_pylist()
    assert all(expected in (None, found) for [expected], found in zip(answers(by_spark), hashes, strict=True))


def test_shards_are_those_of_origins() -> None:
    urls: list[Any] = [*URLS, b"\xff", b"https://h0.example.com/\xff"]
    for shards in [1, 7, 1 << 31]:
        found = pa.array(shards_of(urls, shards)).to_pylist()
        assert all(0 <= place < shards for place in found)
        for url, place in zip(urls, found, strict=True):
            try:
                assert url is None or Origin(url).shard(shards) == place
            except InvalidOrigin:
                assert pa.array(shards_of(pa.array([url]), shards)).to_pylist() == [place]
    for wrong in [0, (1 << 31) + 1]:
        with pytest.raises(ValueError, match="shards must be between 1 and 2147483648"):
            shards_of([], wrong)
