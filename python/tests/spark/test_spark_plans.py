"""Which plan serves a DataFrame of robots.txt files, and that it says so."""

import logging
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from spark_cases import CRAWLERS, answers, generated_sites, generated_urls, one_by_one, policy_set, sites_frame, urls_frame, write_packs

from robotsieve.spark import _packs, _sent, with_answers, with_decisions, with_verdicts

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
        ("MOST_FILES", "joined: more than 100 robots.txt files, so URLs and files are brought together by host"),
        ("MOST_BYTES", f"joined: packs of {len(SITES):,} robots.txt files would have "),
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
