"""``with_rights`` says what :class:`robotsieve.RightsReader` says of each page, one by one."""

import base64
import pickle
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from robotsieve import InvalidUrl, Rights, RightsReader
from robotsieve.spark import build_packs, in_force, with_rights, with_verdicts
from robotsieve.spark._rights_asked import TYPE

PURPOSES = ["crawl", "index", "snippet", "ai-input", "ai-train", "ai-index"]
NOW = 1_790_000_000
FILES = {
    "https://a.example": b"User-agent: *\nDisallow: /x\nContent-Signal: search=yes, ai-train=no\n",
    "https://b.example:8080": b"License: https://b.example/l.xml\nUser-agent: *\nContent-Usage: /x train-ai=n\nAllow: /\n",
    "https://c.example": b"\xff",
}
RSL = {
    "https://b.example/l.xml": '<rsl xmlns="https://rslstandard.org/rsl"><content url="https://b.example:8080/"><license>'
    '<payment type="purchase"/></license></content></rsl>'
}
HEADERS: list[list[tuple[str, str]] | None] = [
    None,
    [],
    [("X-Robots-Tag", "noindex"), ("X-Robots-Tag", "max-snippet: 20")],
    [("tdm-reservation", "1"), ("Server", "x"), ("Content-Usage", "train-ai=y")],
]
PAGES = [None, "<meta name=robots content=noai>", "<p>é"]
URLS = [*(f"{origin}{path}" for origin in [*FILES, "https://d.example", "https://closed.example", "https://free.example"] for path in ("/", "/x")), "not a URL", None]
ROWS = [
    (number, url, HEADERS[number % 4], PAGES[number % 3], number)
    for number, url in enumerate(URLS * 12)
]


def origin_of(url: str | None) -> str:
    return "/".join((url or "").split("/")[:3])


def row_of(rights: Rights, *, is_closed: bool) -> dict[str, Any]:
    by = [(purpose, one.place, one.version) for purpose, all_ in rights.by.items() for one in all_]
    limits = rights.limits
    return {
        **{purpose: getattr(rights, purpose.replace("-", "_")) for purpose in PURPOSES},
        **({"crawl": "disallow"} if is_closed else {}),
        "by": by,
        "licences": [(one.kind, one.url, one.via, one.state) for one in rights.licences],
        "licensable": rights.licensable,
        "conditions": [],
        "limits": (limits.get("max-snippet"), limits.get("index"), limits.get("ai-input")),
        "use": rights.use,
        "notes": rights.notes,
        "invalid": None,
    }


def expected(files: dict[str, bytes], *, are_outcomes: bool = False) -> list[dict[str, Any]]:
    reader = RightsReader("GPTBot", now=NOW)
    said = []
    for _, url, headers, html, _ in ROWS:
        try:
            if url is None:
                raise InvalidUrl
            origin = origin_of(url)
            robots = files.get(origin)
            if are_outcomes and origin == "https://free.example":
                robots = b""
            rights = reader.rights(url, robots=robots, headers=headers, html=html, files=RSL)
            is_closed = are_outcomes and origin == "https://closed.example"
            row = row_of(rights, is_closed=is_closed)
            if are_outcomes and robots is None:
                # What captures do not have may say no.
                row["notes"] = sorted([*row["notes"], "robots-not-read"])
                withheld = [purpose for purpose in PURPOSES[1:] if row[purpose] == "allow"]
                row["by"] = [one for one in row["by"] if one[0] not in withheld]
                row.update(dict.fromkeys(withheld, "unknown"))
            said.append(row)
        except InvalidUrl:
            said.append({**dict.fromkeys(TYPE.names), **dict.fromkeys(PURPOSES, "invalid"), "invalid": "url"})
    return said


def said_of(out: DataFrame, column: str = "rights") -> list[dict[str, Any]]:
    rows = sorted((row["n"], row[column]) for row in out.select("n", column).collect())
    assert [number for number, _ in rows] == list(range(len(ROWS)))

    def plain(value: Any) -> Any:
        if isinstance(value, list):
            return [tuple(one) if isinstance(one, tuple) else one for one in value]
        return tuple(value) if isinstance(value, tuple) else value

    return [{name: plain(value) for name, value in row.asDict().items()} for _, row in rows]


@pytest.fixture(scope="module")
def pages(spark: SparkSession) -> DataFrame:
    schema = "n int, url string, pairs array<struct<name string, value string>>, html string, other int"
    frame = spark.createDataFrame(ROWS, schema).repartition(5)
    frame = frame.withColumn("text", F.expr("array_join(transform(pairs, p -> p.name || ': ' || p.value), '\\r\\n')"))
    grouped = F.expr(
        "map_from_arrays(array_distinct(pairs.name), transform(array_distinct(pairs.name), "
        "n -> filter(pairs, p -> p.name = n).value))"
    )
    origin = F.array_join(F.slice(F.split("url", "/"), 1, 3), "/")
    robots = F.lit(None).cast("binary")
    for of, file in FILES.items():
        robots = F.when(origin == of, F.unbase64(F.lit(base64.b64encode(file).decode()))).otherwise(robots)
    return frame.withColumn("grouped", grouped).withColumn("robots", robots)


@pytest.fixture(scope="module")
def captures(spark: SparkSession) -> DataFrame:
    rows: list[Any] = [(f"{origin}/robots.txt", 200, bytearray(file)) for origin, file in FILES.items()]
    rows += [("https://closed.example/robots.txt", 503, None), ("https://free.example/robots.txt", 404, None)]
    return spark.createDataFrame(rows, "url string, status int, body binary")


@pytest.mark.parametrize("headers", ["pairs", "text", "grouped"])
def test_files_in_a_column(pages: DataFrame, headers: str) -> None:
    out = with_rights(pages, crawler="GPTBot", headers=headers, html="html", robots="robots", files=RSL, now=NOW)
    assert out.columns == [*pages.columns, "rights"] and out.schema["rights"].dataType == TYPE
    assert said_of(out) == expected(FILES)


def test_files_of_captures(pages: DataFrame, captures: DataFrame) -> None:
    wanted = expected(FILES, are_outcomes=True)
    for robots in (captures, in_force(captures)):
        out = with_rights(
            pages, crawler="GPTBot", headers="pairs", html="html", robots=robots, files=RSL, now=NOW, column="said", partitions=3
        )
        assert said_of(out, "said") == wanted
        assert out.columns == [*pages.columns, "said"]


def test_a_file_that_may_not_be_all_is_noted(spark: SparkSession, tmp_path: Path) -> None:
    """As ``robotsieve rights --warc`` notes it: a 403 shows no file; after what ended too early, a 503, or what leads to
    what is not known there may be another one."""
    refused = bytearray(b"User-agent: *\nContent-Usage: train-ai=n\n")
    gone = "https://gone.example/robots.txt"
    rows: list[Any] = [
        ("https://none.example/robots.txt", 404, None, 10, None, None),
        ("https://forbidden.example/robots.txt", 403, None, 10, None, None),
        ("https://fails.example/robots.txt", 200, bytearray(b""), 10, None, None),
        ("https://fails.example/robots.txt", 503, None, 20, None, None),
        ("https://broken.example/robots.txt", 200, bytearray(b""), 10, None, None),
        ("https://broken.example/robots.txt", None, None, 20, None, "it ended too early"),
        ("https://refused.example/robots.txt", 200, refused, 10, None, None),
        ("https://refused.example/robots.txt", None, None, 20, None, "it ended too early"),
        ("https://again.example/robots.txt", None, None, 10, None, "it ended too early"),
        ("https://again.example/robots.txt", 200, bytearray(b""), 20, None, None),
        ("https://moved.example/robots.txt", 200, bytearray(b""), 10, None, None),
        ("https://moved.example/robots.txt", 301, None, 10, gone, None),
    ]
    captures = spark.createDataFrame(rows, "url string, status int, body binary, time long, location string, error string")
    hosts = sorted({row[0].split("/")[2] for row in rows})
    pages = spark.createDataFrame([(f"https://{host}/", "tdm-reservation: 0") for host in hosts], "url string, headers string")
    table = str(tmp_path / "in_force")
    in_force(captures).write.parquet(table)
    for robots in (captures, in_force(captures), spark.read.parquet(table)):
        out = with_rights(pages, crawler="GPTBot", headers="headers", robots=robots)
        found = {
            row["url"].split("/")[2]: (row["rights"]["crawl"], row["rights"]["ai-train"], row["rights"]["notes"])
            for row in out.collect()
        }
        assert found == {
            "none.example": ("allow", "allow", []),
            "again.example": ("allow", "allow", []),
            "forbidden.example": ("allow", "unknown", ["robots-not-read"]),
            "fails.example": ("allow", "unknown", ["robots-not-read"]),
            "broken.example": ("allow", "unknown", ["robots-not-read"]),
            "moved.example": ("unknown", "unknown", ["robots-not-read"]),
            "refused.example": ("allow", "disallow", ["robots-not-read"]),
        }


def test_rules_without_a_file_are_refused(spark: SparkSession, pages: DataFrame, tmp_path: Path) -> None:
    rows: list[Any] = [("https://a.example/robots.txt", "rules", None, None)]
    robots = spark.createDataFrame(rows, "url string, outcome string, body binary, captured long")
    with pytest.raises(Exception, match="has the outcome rules and no body; rules have one"):
        with_rights(pages, crawler="GPTBot", robots=robots).collect()
    with pytest.raises(Exception, match="has the outcome rules and no body; rules have one"):
        with_verdicts(pages, crawlers="GPTBot", robots=robots).collect()
    with pytest.raises(Exception, match="has the outcome rules and no body; rules have one"):
        build_packs(robots, tmp_path / "packs", crawlers="GPTBot", shards=2)


def test_captures_make_records(pages: DataFrame, captures: DataFrame) -> None:
    capture = F.struct(
        F.lit("2026-03-01T09:03:00Z").alias("captured"),
        F.col("other").cast("long").alias("offset"),
        F.when(F.col("n") % 2 == 0, "cut").otherwise("read").alias("page"),
    )
    frame = pages.withColumn("capture", capture)
    for robots in ("robots", captures):
        out = with_rights(frame, crawler="GPTBot", robots=robots, html="html", captures="capture", now=NOW)
        names = out.schema["rights"].dataType.names  # type: ignore[attr-defined]
        assert names[:6] == ["url", "agent", "captured", "offset", "page", "now"] and set(TYPE.names) < set(names)
        rows = [(row["n"], row["rights"]) for row in out.where("n < 7").select("n", "rights").collect()]
        for number, record in rows:
            assert (record["url"], record["offset"], record["agent"]) == (URLS[number], number, "GPTBot")
            assert ("page-cut" in record["notes"]) == (number % 2 == 0)
        assert len(rows) == 7
    with pytest.raises(TypeError, match="captures: column 'other' must be a struct, not int"):
        with_rights(pages, crawler="GPTBot", captures="other")
    with pytest.raises(ValueError, match="no 'name'; it has captured"):
        with_rights(pages.withColumn("x", F.struct(F.lit("").alias("name"))), crawler="GPTBot", captures="x")


def test_urls_alone_and_filters(pages: DataFrame) -> None:
    out = with_rights(pages.select("n", "url"), crawler=["GPTBot", "x"], now=NOW)
    assert {row["crawl"] for row in said_of(out)} == {"unknown", "invalid"}
    out = with_rights(pages, crawler="GPTBot", robots="robots", now=NOW)
    allowed = out.where("rights.crawl = 'allow' and rights.`ai-train` != 'disallow'")
    assert allowed.where("url like 'https://a.example%'").count() == 0
    by = out.select("url", F.explode("rights.by").alias("by")).where("by.purpose = 'ai-train'")
    assert {row["place"] for row in by.select("by.place").collect()} == {"robots.txt:3"}


def test_a_header_that_is_none(spark: SparkSession) -> None:
    frame = spark.createDataFrame([("https://e.com/", "no header")], "url string, h string")
    (row,) = with_rights(frame, crawler="a", headers="h").collect()
    assert row["rights"]["ai-train"] == "invalid" and row["rights"]["invalid"] == "headers"


def test_errors_come_at_once(pages: DataFrame, captures: DataFrame) -> None:
    for wrong, error, message in (
        ({"url": "uri"}, ValueError, "no column 'uri'"),
        ({"headers": "nope"}, ValueError, "headers: no column 'nope'; the columns are n, url"),
        ({"robots": "sites.pack"}, ValueError, "packs hold no rights; give a DataFrame of captures"),
        ({"headers": "other"}, TypeError, "headers: column 'other' must be a map, .*, not int"),
        ({"html": "pairs"}, TypeError, "html: column 'pairs' must be string or binary, not array"),
        ({"robots": "other"}, TypeError, "robots: column 'other' must be string or binary, not int"),
        ({"robots": 3}, TypeError, "robots must be the name of a column or a DataFrame, not int"),
        ({"column": "HTML"}, ValueError, "there is a column 'html' already"),
        ({"reading": "x"}, ValueError, "there is no reading"),
        ({"files": {"/l.xml": ""}}, ValueError, "is not an address"),
        ({"robots": captures, "partitions": 0}, ValueError, "partitions must be 1 or more"),
        ({"robots": captures, "skew": 2.0}, ValueError, "skew must be a share"),
    ):
        with pytest.raises(error, match=message):
            with_rights(pages, **{"crawler": "GPTBot", **wrong})  # type: ignore[arg-type]


def test_the_reader_is_sent_with_its_time() -> None:
    reader = RightsReader("GPTBot")
    assert pickle.loads(pickle.dumps(reader)).now == reader.now
