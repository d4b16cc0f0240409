"""``python -m robotsieve.spark``: what it writes, and what it refuses."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from spark_cases import (
    CRAWLERS,
    generated_sites,
    generated_urls,
    one_by_one,
    policy_set,
    sites_frame,
    urls_frame,
    write_packs,
)

from robotsieve import PackWriter
from robotsieve.spark.__main__ import main

URLS = generated_urls(400, 5)
SITES = generated_sites(6)


def test_filter_and_summary(spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    urls_frame(spark, tmp_path / "urls", URLS)
    pack = write_packs(tmp_path / "packs", SITES, CRAWLERS, 3)
    given = ["--urls", str(tmp_path / "urls"), "--robots", str(pack), "--agent", *CRAWLERS]
    assert main(["filter", *given, "--out", str(tmp_path / "out")]) == 0
    printed = capsys.readouterr()
    expected = one_by_one(policy_set(SITES, CRAWLERS), URLS, CRAWLERS)
    rows = spark.read.parquet(str(tmp_path / "out")).orderBy("id").collect()
    assert [[row.allowed[name] for name in CRAWLERS] for row in rows] == expected
    assert [row.url for row in rows] == URLS
    assert printed.err.startswith(f"{len(URLS)} URLs of about ")
    words = one_by_one(policy_set(SITES, CRAWLERS), URLS, CRAWLERS, words=True)
    for number, name in enumerate(CRAWLERS):
        counts = Counter(row[number] for row in words)
        cells = [name, *(str(counts[word]) for word in ["allow", "disallow", "unknown", "invalid"])]
        assert cells in [line.split() for line in printed.out.splitlines()]

    assert main(["summary", "--urls", str(tmp_path / "out")]) == 0
    shown = [line.split() for line in capsys.readouterr().out.splitlines()]
    for number, name in enumerate(CRAWLERS):
        verdicts = Counter(row[number] for row in expected)
        share = f"{verdicts[True] / (verdicts[True] + verdicts[False]):.1%}"
        assert [name, str(len(URLS)), *(str(verdicts[it]) for it in [True, False, None]), share] in shown

    assert main(["filter", *given, "--only-allowed", "--out", str(tmp_path / "allowed")]) == 0
    kept = spark.read.parquet(str(tmp_path / "allowed")).orderBy("id")
    assert [row.id for row in kept.collect()] == [n for n, row in enumerate(expected) if all(row)]


@pytest.mark.parametrize(("plan", "is_said"), [("packs", True), ("joined", False)])
def test_plans(spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str], plan: str, is_said: bool) -> None:
    urls_frame(spark, tmp_path / "urls", URLS)
    in_force = [{**site, "outcome": "rules" if site["body"] is not None else "allow-all"} for site in SITES]
    captures = [{"url": site["url"], "status": 404 if site["body"] is None else 200, "body": site["body"]} for site in in_force]
    sites_frame(spark, tmp_path / "sites", captures).write.parquet(str(tmp_path / "captures"))
    given = ["--urls", str(tmp_path / "urls"), "--robots", str(tmp_path / "captures"), "--agent", "GPTBot"]
    assert main(["filter", *given, "--plan", plan, "--out", str(tmp_path / "out")]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert any(line.startswith(f"packs: {len(SITES)} origins, ") for line in lines) == is_said
    known = policy_set(in_force, ["GPTBot"])
    rows = spark.read.parquet(str(tmp_path / "out")).orderBy("id").collect()
    assert [[row.allowed.GPTBot] for row in rows] == one_by_one(known, URLS, ["GPTBot"])


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["pack", "--robots", "a.warc", "--agent", "a", "--out", "full"], 2, "full' is not empty: name a new folder"),
        (["pack", "--robots", "a.pack", "--agent", "a", "--out", "new"], 2, "--robots is a pack already"),
        (["filter", "--robots", "one.pack", "--agent", "a", "--urls", "urls", "--out", "full"], 3, "full already exists"),
        (["filter", "--robots", "a.pack", "--agent", "a", "--urls", "none", "--out", "new"], 3, "none"),
        (["filter", "--robots", "a.pack", "--agent", "a", "--urls", "urls", "--out", "new"], 3, "there is no pack"),
        (["filter", "--robots", "one.pack", "--agent", "a", "--urls", "urls", "--plan", "joined", "--out", "new"], 2, "plan='joined' takes a DataFrame"),
        (["summary", "--urls", "urls"], 2, "no column 'allowed'; the columns are id, url"),
    ],
)  # fmt: skip
def test_what_is_refused(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: Any, status: int, message: str
) -> None:
    urls_frame(spark, tmp_path / "urls", URLS[:3])
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    with PackWriter(tmp_path / "one.pack", ["a"]) as writer:
        writer.add("https://e.com", b"")
    here = [str(tmp_path / name) if name in ("full", "new", "urls", "none", "a.pack", "one.pack", "a.warc") else name for name in arguments]
    assert main(here) == status
    said = capsys.readouterr().err
    assert said.startswith("error: ") and message in said
    # Nothing was written on the way.
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "new") == ["full", "one.pack", "urls"]
