"""What the reckoning of docs/guide-scale.md starts from (`reckon.py`), as JSON.

    python python/benches/spark/run.py --data FOLDER --json rates.json
    python python/benches/spark/measure.py --data FOLDER --rates rates.json --out measured.json

Sizes are those of the 2,384 real files of the corpus, each once; rates those of nine times as many.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession
from run import CORPUS, CRAWLER, FIFTY, PARTITIONS

from robotsieve import PackWriter
from robotsieve.spark import build_packs, in_force, read_robots_warc

COPIES = 9
CORES = 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--rates", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    options = parser.parse_args()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    rates = json.loads(options.rates.read_text())
    folder = Path(tempfile.mkdtemp(dir=options.data))
    try:
        measured = Measuring(folder).run()
    finally:
        shutil.rmtree(folder)
    rows = rates["rows"]
    urls = options.data / f"{rows}"
    per_core = {name: rate / rates["cores"] for name, rate in rates["rates"].items()}
    measured |= {
        "url_bytes": size_of(urls) / rows,
        "verdict_bytes": rates["verdict_bytes"],
        "packs_urls_per_s": per_core["packs, one crawler, to Parquet"],
        "packs_50_urls_per_s": per_core["packs, 50 crawlers, to Parquet"],
        "joined_urls_per_s": per_core["joined, to Parquet"],
        "skew_urls_per_s": per_core["hosts counted"],
        "shuffle_bytes_per_url": rates["shuffle_bytes"] / rows,
        "packs_worker_bytes": rates["memory"]["packs"],
        "joined_worker_bytes": rates["memory"]["joined, 100%"],
    }
    options.out.write_text(json.dumps(measured, indent=1) + "\n")
    print(options.out.read_text())


class Measuring:
    """Archives, captures and packs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.local = folder / "local"
        self.spark = (
            SparkSession.builder.master(f"local[{CORES}]")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.local.dir", str(self.local))
            .config("spark.sql.shuffle.partitions", PARTITIONS)
            .getOrCreate()
        )
        self.spark.sparkContext.setLogLevel("ERROR")

    def run(self) -> dict[str, float]:
        found: dict[str, float] = {}
        files = sorted((CORPUS / "robots").iterdir())
        bodies = [(file.name, file.read_bytes()) for file in files]
        warcs = self.folder / "warc"
        warcs.mkdir()
        for copy in range(COPIES):
            write_warc(warcs / f"{copy}.warc.gz", copy, bodies)
        count = len(bodies)
        total = count * COPIES
        found["warc_bytes_per_capture"] = (warcs / "0.warc.gz").stat().st_size / count

        once = self.folder / "once"
        read_robots_warc(self.spark, str(warcs / "0.warc.gz")).write.parquet(str(once))
        found["capture_bytes"] = size_of(once) / count
        captures = self.folder / "captures"
        write = read_robots_warc(self.spark, str(warcs)).write.mode("overwrite").parquet
        found["warc_captures_per_s"] = total / CORES / best(lambda: write(str(captures)))

        table = self.spark.read.parquet(str(captures))
        in_once = self.folder / "in-once"
        in_force(self.spark.read.parquet(str(once))).write.parquet(str(in_once))
        found["site_bytes"] = size_of(in_once) / count
        sites = self.folder / "in-force"
        before = size_of(self.local)
        seconds = timed(lambda: in_force(table).write.parquet(str(sites)))
        found["in_force_captures_per_s"] = total / CORES / seconds
        found["in_force_shuffle_bytes_per_capture"] = (size_of(self.local) - before) / total
        plan = in_force(table)._jdf.queryExecution().executedPlan().toString()
        found["in_force_reads"] = float(plan.count("FileScan"))

        robots = self.spark.read.parquet(str(sites))
        pack = self.folder / "pack"
        build: Callable[[], Any] = lambda: build_packs(robots, pack, crawlers=[CRAWLER], shards=8)
        found["pack_origins_per_s"] = total / CORES / timed(build)
        for name, crawlers in (("pack", [CRAWLER]), ("pack_50", FIFTY)):
            path = self.folder / f"{name}.pack"
            with PackWriter(path, crawlers) as writer:
                for host, body in bodies:
                    writer.add(f"https://{host}", body)
            found[f"{name}_bytes_per_origin"] = path.stat().st_size / count
        return found


def write_warc(path: Path, copy: int, bodies: list[tuple[str, bytes]]) -> None:
    """An archive as crawlers write them: each answer compressed on its own."""
    with path.open("wb") as out:
        for host, body in bodies:
            answer = (
                b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nServer: nginx\r\nContent-Length: "
                + str(len(body)).encode()
                + b"\r\n\r\n"
                + body
            )
            head = (
                f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://c{copy}.{host}/robots.txt\r\n"
                "WARC-Date: 2025-10-09T08:53:20Z\r\nContent-Type: application/http; msgtype=response\r\n"
                f"Content-Length: {len(answer)}\r\n\r\n"
            )
            out.write(gzip.compress(head.encode() + answer + b"\r\n\r\n", 6))


def size_of(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def timed(job: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    job()
    return time.perf_counter() - begin


def best(job: Callable[[], Any]) -> float:
    return min(timed(job) for _ in range(2))


if __name__ == "__main__":
    main()
