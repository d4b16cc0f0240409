"""Spark Connect, which has neither JVM nor RDDs, against a local server."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from spark_cases import CRAWLERS, generated_sites, generated_urls, one_by_one, policy_set, write_packs
from test_captures import packed
from test_spark_captures import random_captures, write_warc

from robotsieve import Pack


def test_connect(environment: dict[str, str], programs: Path, tmp_path: Path) -> None:
    urls, sites = generated_urls(1_000, 21), generated_sites(22)
    for name, table in [
        ("urls", pa.table({"id": list(range(len(urls))), "url": urls})),
        ("sites", pa.Table.from_pylist(sites)),
    ]:
        (tmp_path / name).mkdir()
        pq.write_table(table, tmp_path / name / "0.parquet")
    write_packs(tmp_path / "packs", sites, CRAWLERS, 3)
    (tmp_path / "warc").mkdir()
    paths = write_warc(tmp_path / "warc", random_captures(23, 100))

    here = Path(__file__).parent
    path = os.pathsep.join([environment["PYTHONPATH"], str(here)])
    done = subprocess.run(
        [sys.executable, here / "connect_job.py", tmp_path],
        env={**environment, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-4_000:]
    found = json.loads(done.stdout.splitlines()[-1])
    expected = one_by_one(policy_set(sites, CRAWLERS), urls, CRAWLERS, words=True)
    assert found["packs"] == expected
    assert found["sent"] == expected
    assert found["joined"] == expected
    first = [[{"allow": True, "disallow": False}.get(row[0])] for row in expected]
    assert found["one"] == found["function"] == found["sql"] == first
    for by in ["crawler", "host", "country"]:
        assert found[by] == [len(urls), first.count([True])]
    built = Pack.open(tmp_path / "built")
    assert sum(found["built"]) == len(built) == len(sites)
    assert one_by_one(built, urls, CRAWLERS, words=True) == expected
    command = packed(programs, tmp_path, "--warc", *paths)
    assert {origin: tuple(site) for origin, site in found["force"].items()} == command
    assert f"there is no pack '{tmp_path}/none.pack' on the machine" in found["error"]
