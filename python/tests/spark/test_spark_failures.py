"""What fails on a worker: the same result after another attempt, or a message that names the thing."""

import os
import signal
import sys
import threading
import time
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from spark_cases import (
    CRAWLERS,
    answers,
    generated_sites,
    generated_urls,
    one_by_one,
    policy_set,
    sites_frame,
    urls_frame,
    write_packs,
)

from robotsieve import Pack
from robotsieve._robotsieve import shard_name
from robotsieve.spark import answers as answers_of
from robotsieve.spark import build_packs, decisions, register, verdicts, with_verdicts

URLS = generated_urls(2_000, 11)
SITES = generated_sites(12)


def executors() -> list[int]:
    """The executor processes that this process has started, directly or not."""
    parents, found = {}, []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat, command = (entry / "stat").read_text(), (entry / "cmdline").read_bytes()
            except (FileNotFoundError, ProcessLookupError):
                continue
            state, parent = stat.rpartition(")")[2].split()[:2]
            parents[int(entry.name)] = int(parent)
            if b".CoarseGrainedExecutorBackend\0" in command and state != "Z":
                found.append(int(entry.name))

    def is_ours(process: int) -> bool:
        while process in parents:
            if process == os.getpid():
                return True
            process = parents[process]
        return False

    return [process for process in found if is_ours(process)]


def slowed(out: DataFrame, attempts: Path) -> DataFrame:
    """The same rows, slowly. Each attempt at a partition leaves a file, when it begins and when it ends."""
    attempts.mkdir()

    def wait(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        name = uuid.uuid4().hex
        (attempts / f"{name}.begun").touch()
        for batch in batches:
            time.sleep(0.3)
            yield batch
        (attempts / f"{name}.done").touch()

    return out.mapInArrow(wait, out.schema)


def count(attempts: Path, suffix: str) -> int:
    return len(list(attempts.glob(f"*.{suffix}")))


@pytest.mark.parametrize("way", ["shards", "joined"])
def test_an_executor_is_killed(spark: SparkSession, tmp_path: Path, way: str) -> None:
    partitions = 12
    urls = urls_frame(spark, tmp_path / "urls", URLS)
    robots: Any = sites_frame(spark, tmp_path / "sites", SITES)
    if way == "shards":
        urls = urls.repartition(partitions)
        robots = str(write_packs(tmp_path / "packs", SITES, CRAWLERS, 3))
    out = with_verdicts(urls, crawlers=CRAWLERS, robots=robots, partitions=partitions, plan="auto" if way == "shards" else "joined")
    slow = slowed(out, tmp_path / "attempts")
    before = executors()
    assert len(before) == 2
    killed = []

    def kill() -> None:
        while count(tmp_path / "attempts", "done") < 3:
            time.sleep(0.02)
        os.kill(before[0], signal.SIGKILL)
        killed.append(before[0])

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    found = answers(slow)
    killer.join()
    assert killed and before[0] not in executors()
    assert count(tmp_path / "attempts", "begun") > partitions
    assert found == one_by_one(policy_set(SITES, CRAWLERS), URLS, CRAWLERS)
    # Spark starts another.
    until = time.monotonic() + 60
    while len(executors()) < 2 and time.monotonic() < until:
        time.sleep(0.1)
    assert len(executors()) == 2


def test_an_executor_is_killed_while_packs_are_written(spark: SparkSession, tmp_path: Path) -> None:
    sites = sites_frame(spark, tmp_path / "sites", SITES)
    build_packs(sites, tmp_path / "a", crawlers=CRAWLERS, shards=8, seed=1)
    slow = slowed(sites.repartition(12), tmp_path / "attempts")
    before = executors()

    def kill() -> None:
        while count(tmp_path / "attempts", "done") < 3:
            time.sleep(0.02)
        os.kill(before[0], signal.SIGKILL)

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    build_packs(slow, tmp_path / "b", crawlers=CRAWLERS, shards=8, seed=1)
    killer.join()
    made = [{path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in "ab"]
    assert made[0] == made[1] and len(made[0]) == 8


@pytest.fixture(scope="module")
def few(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    return urls_frame(spark, tmp_path_factory.mktemp("few") / "urls", URLS[:20])


def refused(few: DataFrame, robots: Any, message: str, **how: Any) -> None:
    # Even if nobody looks at the column.
    with pytest.raises(PySparkException, match=message):
        with_verdicts(few, crawlers=how.pop("crawlers", CRAWLERS), robots=robots, **how).count()


def test_packs_that_are_not_there(few: DataFrame, tmp_path: Path) -> None:
    missing = tmp_path / "none.pack"
    advice = r"put it on each machine at this path, .* spark\.addArtifacts\(path, file=True\)\) and give its name alone"
    refused(few, missing, rf"FileNotFoundError: there is no pack '{missing}' on the machine .*: {advice}")
    refused(few, "none.pack", "FileNotFoundError: there is no pack 'none.pack' on the machine")
    folder = write_packs(tmp_path / "packs", SITES, CRAWLERS, 3)
    (folder / shard_name(1, 3)).unlink()
    refused(few, folder, rf"PackError: {folder}: shard-0001-of-0003\.pack is missing")
    (tmp_path / "empty").mkdir()
    refused(few, tmp_path / "empty", f"{tmp_path}/empty")


def test_packs_that_go_later(few: DataFrame, tmp_path: Path) -> None:
    pack = write_packs(tmp_path / "packs", SITES, CRAWLERS, 1)
    out = with_verdicts(few, crawlers=CRAWLERS, robots=pack)
    pack.unlink()
    with pytest.raises(PySparkException, match=f"FileNotFoundError: there is no pack '{pack}'"):
        out.collect()


def test_functions_without_their_pack(few: DataFrame, tmp_path: Path) -> None:
    missing = str(tmp_path / "none.pack")
    for make in (verdicts, answers_of, decisions):
        with pytest.raises(PySparkException, match=f"FileNotFoundError: there is no pack '{missing}'"):
            make("url", crawlers="GPTBot", robots=missing)
    with pytest.raises(PySparkException, match=f"FileNotFoundError: there is no pack '{missing}'"):
        register(few.sparkSession, "gptbot", crawlers="GPTBot", robots=missing)
    with pytest.raises(TypeError, match="robots must be the path of a pack, not DataFrame: with_verdicts takes"):
        verdicts("url", crawlers="GPTBot", robots=few)  # type: ignore[arg-type]


def test_packs_for_others(few: DataFrame, tmp_path: Path) -> None:
    pack = write_packs(tmp_path / "packs", SITES, CRAWLERS, 1, "google")
    made = "GPTBot, CCBot, Googlebot: make one for all that you ask about"
    refused(few, pack, f"ValueError: pack '{pack}' was not made for Other, but for {made}", crawlers=["Other", "CCBot"])
    refused(few, pack, f"ValueError: pack '{pack}' was not made for Other, but for {made}", crawlers="Other")
    refused(few, pack, f"ValueError: pack '{pack}' was made with the profile google, not rfc9309", profile="rfc9309")
    expected = one_by_one(policy_set(SITES, CRAWLERS, "google"), URLS[:20], CRAWLERS)
    for how in [{"profile": "google"}, {}]:
        assert answers(with_verdicts(few, crawlers=["gptbot", "ccBot", "GOOGLEBOT"], robots=pack, **how)) == expected


def test_damaged_packs(few: DataFrame, tmp_path: Path) -> None:
    folder = write_packs(tmp_path / "packs", SITES, CRAWLERS, 3)
    shard = folder / shard_name(2, 3)
    data = shard.read_bytes()
    for damaged in [data[:-100], data[:40], b"", b"x" * 4_000]:
        shard.write_bytes(damaged)
        refused(few, folder, f"PackError: {shard}: ")
    shard.write_bytes(data)
    assert answers(with_verdicts(few, crawlers=CRAWLERS, robots=folder)) == one_by_one(Pack.open(folder), URLS[:20], CRAWLERS)


def test_a_pack_is_replaced(few: DataFrame, tmp_path: Path) -> None:
    """Workers, which live for many jobs, see the new one."""
    pack = write_packs(tmp_path / "packs", SITES, CRAWLERS, 1)
    for seed in [12, 13, 14]:
        other = generated_sites(seed)
        write_packs(tmp_path / f"{seed}", other, CRAWLERS, 1).rename(pack)
        expected = one_by_one(policy_set(other, CRAWLERS), URLS[:20], CRAWLERS)
        assert answers(with_verdicts(few, crawlers=CRAWLERS, robots=pack)) == expected


def test_a_pack_that_is_sent_with_the_job(spark: SparkSession, few: DataFrame, tmp_path: Path) -> None:
    write_packs(tmp_path / "packs", SITES, CRAWLERS, 1).rename(tmp_path / "sent.pack")
    spark.addArtifacts(str(tmp_path / "sent.pack"), file=True)
    expected = one_by_one(policy_set(SITES, CRAWLERS), URLS[:20], CRAWLERS)
    assert answers(with_verdicts(few, crawlers=CRAWLERS, robots="sent.pack")) == expected


def test_workers_without_the_package(
    spark: SparkSession, few: DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack = write_packs(tmp_path / "packs", SITES, CRAWLERS, 1)
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "class Hidden:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] == 'robotsieve':\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Hidden())\n"
    )
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{tmp_path}:$PYTHONPATH" exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    monkeypatch.setattr(spark.sparkContext, "pythonExec", str(python))
    refused(few, pack, "ModuleNotFoundError: No module named 'robotsieve'")
    joined = with_verdicts(few, crawlers=CRAWLERS, robots=sites_frame(spark, tmp_path / "sites", SITES), plan="joined")
    with pytest.raises(PySparkException, match="ModuleNotFoundError: No module named 'robotsieve'"):
        joined.collect()


def test_rows_that_are_wrong_in_the_middle(spark: SparkSession, few: DataFrame, tmp_path: Path) -> None:
    """No URL of a site where one is expected."""
    sites = [*SITES, {"url": "https://x.0x/robots.txt", "outcome": "rules", "body": b"", "captured": None}]
    robots = sites_frame(spark, tmp_path / "sites", sites)
    for plan in ("packs", "joined"):
        with pytest.raises(PySparkException, match=r"https://x\.0x/robots\.txt"):
            with_verdicts(few, crawlers=CRAWLERS, robots=robots, plan=plan).collect()  # type: ignore[arg-type]
    with pytest.raises(PySparkException, match=r"https://x\.0x/robots\.txt"):
        build_packs(robots, tmp_path / "packs", crawlers=["a"], shards=3)
    assert not list((tmp_path / "packs").glob("*.tmp*"))
