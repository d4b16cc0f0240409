"""Which plan serves a DataFrame of robots.txt files, and that it says so."""

import logging
import re
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from spark_cases import CRAWLERS, answers, generated_sites, generated_urls, one_by_one, policy_set, sites_frame, urls_frame, write_packs

from robotsieve.spark import _packs, _sent, in_force, with_answers, with_decisions, with_verdicts

URLS = generated_urls(500, 31)
SITES = generated_sites(32)


@pytest.fixture(scope="module")
def urls(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    return urls_frame(spark, tmp_path_factory.mktemp("urls") / "urls", URLS)


@pytest.fixture(scope="module")
def sites(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    return sites_frame(spark, tmp_path_factory.mktemp("sites") / "sites", SITES)


@pytest.fixture
def said(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO, logger="robotsieve.spark")
    return caplog


def is_joined(out: DataFrame) -> bool:
    """Only a join shuffles URLs."""
    plan = out._jdf.queryExecution().optimizedPlan().toString()  # type: ignore[operator]
    return "Repartition" in plan


@pytest.mark.parametrize("plan", ["auto", "packs"])
def test_few_files_are_packs(urls: DataFrame, sites: DataFrame, said: pytest.LogCaptureFixture, plan: Any) -> None:
    known = policy_set(SITES, CRAWLERS)
    out = with_verdicts(urls, crawlers=CRAWLERS, robots=sites, plan=plan)
    (line,) = said.messages
    assert line.startswith(f"packs: {len(SITES):,} origins, ") and line.endswith(" bytes, sent to the workers; no URL is moved")
    assert not is_joined(out)
    assert answers(out) == one_by_one(known, URLS, CRAWLERS)
    words = with_answers(urls, crawlers="GPTBot", robots=sites, plan=plan)
    assert answers(words, "answer") == one_by_one(known, URLS, ["GPTBot"], True)


def test_packs_give_the_reasons_of_a_join(urls: DataFrame, sites: DataFrame) -> None:
    packs, joined = (
        answers(with_decisions(urls, crawlers=CRAWLERS, robots=sites, plan=plan), "decision")
        for plan in ("packs", "joined")
    )
    assert packs == joined
    assert {"rule", "no-match", "allow-all", "disallow-all"} <= {one["reason"] for row in packs for one in row}


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("MOST_ROWS", "joined: more than 100 rows of robots.txt files, so URLs and files are brought together by host"),
        ("MOST_BYTES", f"joined: a pack of {len(SITES):,} origins would have "),
    ],
)
def test_many_files_are_joined(
    urls: DataFrame, sites: DataFrame, said: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, limit: str, message: str
) -> None:
    monkeypatch.setattr(_sent, limit, 100)
    out = with_verdicts(urls, crawlers=CRAWLERS, robots=sites)
    (line,) = said.messages
    assert line.startswith(message)
    assert is_joined(out)
    assert answers(out) == one_by_one(policy_set(SITES, CRAWLERS), URLS, CRAWLERS)
    # Unless told otherwise.
    assert not is_joined(with_verdicts(urls, crawlers=CRAWLERS, robots=sites, plan="packs"))


def test_captures_count_and_not_what_is_in_force(
    urls: DataFrame, sites: DataFrame, said: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They take less to count, and are as many or more."""
    captures = sites.select("url", F.lit(404).alias("status"), F.explode(F.array(F.lit(1), F.lit(2))).alias("time"))
    monkeypatch.setattr(_sent, "MOST_ROWS", len(SITES) + 50)
    for robots in [captures, in_force(captures)]:
        said.clear()
        assert is_joined(with_verdicts(urls, crawlers=CRAWLERS, robots=robots))
        assert said.messages == [f"joined: more than {len(SITES) + 50} rows of robots.txt files, so URLs and files are brought together by host"]


@pytest.mark.parametrize("limit", ["MOST_SENT", "MOST_BYTES_SENT"])
def test_many_packs_are_not_sent(
    urls: DataFrame, sites: DataFrame, said: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    """They stay on all machines, so a loop would fill their disks."""
    sent = {"MOST_SENT": len(_sent._SENT), "MOST_BYTES_SENT": sum(size for _, size in _sent._SENT)}
    monkeypatch.setattr(_sent, limit, sent[limit] + 1)
    first, second = (with_verdicts(urls, crawlers="GPTBot", robots=sites) for _ in range(2))
    assert [is_joined(first), is_joined(second)] == [False, True]
    assert answers(first) == answers(second)
    assert said.messages[1].startswith(f"joined: packs were sent before, and stay on all machines: {sent['MOST_SENT'] + 1}, of ")
    # Unless told otherwise.
    assert not is_joined(with_verdicts(urls, crawlers="GPTBot", robots=sites, plan="packs"))


def test_packs_in_pieces(urls: DataFrame, sites: DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_sent, "FILES_OF_SHARD", 50)
    monkeypatch.setattr(_sent, "PIECE", 1000)
    out = with_answers(urls, crawlers=CRAWLERS, robots=sites, plan="packs")
    assert answers(out, "answer") == one_by_one(policy_set(SITES, CRAWLERS), URLS, CRAWLERS, True)


def test_a_table_of_files_without_times(urls: DataFrame, sites: DataFrame) -> None:
    for plan in ("packs", "joined"):
        out = with_verdicts(urls, crawlers="GPTBot", robots=sites.drop("captured"), plan=plan)
        assert answers(out) == one_by_one(policy_set(SITES, CRAWLERS), URLS, ["GPTBot"])


WRONG = [
    ("https://twice.example:443/robots.txt", "disallow-all", "https://twice.example has two rows that say different things are in force"),
    ("https://odd.example/robots.txt", "allow", "https://odd.example/robots.txt has the outcome allow; a row has a URL and rules"),
    ("https://odd.example/robots.txt", None, "https://odd.example/robots.txt has the outcome null; a row has"),
    (None, "allow-all", "a null has the outcome allow-all; a row has"),
]  # fmt: skip


@pytest.mark.parametrize("plan", ["packs", "joined"])
def test_a_table_of_files_with_wrong_rows(spark: SparkSession, urls: DataFrame, plan: Any) -> None:
    rows = [("https://twice.example/robots.txt", "allow-all", None)] * 2
    for url, outcome, message in WRONG:
        robots = spark.createDataFrame([*rows, (url, outcome, None)], "url string, outcome string, body binary")
        with pytest.raises(PySparkException, match=re.escape(message)):
            with_verdicts(urls, crawlers="GPTBot", robots=robots, plan=plan).collect()
    # The same twice is no mistake.
    robots = spark.createDataFrame(rows, "url string, outcome string, body binary")
    ours = spark.createDataFrame([("https://twice.example/a",)], "url string")
    assert with_verdicts(ours, crawlers="GPTBot", robots=robots, plan=plan).collect() == [("https://twice.example/a", True)]
    with pytest.raises(TypeError, match="robots must be the path of a pack or a DataFrame, not NoneType"):
        with_verdicts(urls, crawlers="GPTBot", robots=None, plan=plan)  # type: ignore[arg-type]


def test_a_join_is_had_for_the_asking(urls: DataFrame, sites: DataFrame, said: pytest.LogCaptureFixture) -> None:
    assert is_joined(with_verdicts(urls, crawlers=CRAWLERS, robots=sites, plan="joined"))
    assert not said.messages


def test_several_shards_and_none(spark: SparkSession, urls: DataFrame, sites: DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_sent, "FILES_OF_SHARD", 10)
    out = with_verdicts(urls, crawlers="GPTBot", robots=sites)
    assert answers(out) == one_by_one(policy_set(SITES, CRAWLERS), URLS, ["GPTBot"])
    nothing = with_answers(urls, crawlers="GPTBot", robots=sites.limit(0))
    assert {row[0] for row in answers(nothing, "answer")} == {"unknown", "invalid"}


def test_a_worker_keeps_few_packs(tmp_path: Path) -> None:
    paths = [str(write_packs(tmp_path / f"{number}", SITES, ["a"], 1)) for number in range(_packs.MOST_OPEN + 2)]
    for path in paths:
        _packs.open_pack(path)
    assert list(_packs._OPEN) == paths[2:]
    again = _packs.open_pack(paths[2])
    assert _packs.open_pack(paths[2]) is again
    assert list(_packs._OPEN) == [*paths[3:], paths[2]]
