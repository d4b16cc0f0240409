"""The rates of `robotsieve.spark`, beside what Spark does without it, in one run.

    python python/benches/spark/run.py --data FOLDER [--rows N] [--cores N] [--json FILE]

FOLDER takes the data, 1 GB for 20 million rows, and keeps it for the next run. It needs the corpus. Each
figure is the best of `--rounds`. The numbers of verdicts are compared with those that one process counts.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import data
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from robotsieve import Pack, PackWriter
from robotsieve.spark import with_decisions, with_verdicts
from robotsieve.spark._evaluate import with_column
from robotsieve.spark._keys import usual_authority

REPOSITORY = Path(__file__).resolve().parents[3]
CORPUS = Path(os.environ.get("ROBOTSIEVE_CORPUS", REPOSITORY / "../shared/corpus")).resolve()
CRAWLER = "Googlebot"
#: With those that robots.txt files name most.
FIFTY = [
    *("Googlebot mediapartners-google bingbot slurp baiduspider twitterbot msnbot yandex ahrefsbot").split(),
    *("adsbot-google ia_archiver mj12bot googlebot-image semrushbot teoma dotbot wget ccbot").split(),
    *("googlebot-news duckduckbot facebookexternalhit rogerbot blexbot exabot sogou applebot").split(),
    *("httrack webcopier webzip linkedinbot pinterest naverbot gigabot nutch larbin scrapy").split(),
    *("googlebot-mobile googlebot-video adsbot-google-mobile petalbot seznambot yandexbot").split(),
    *("gptbot claudebot perplexitybot bytespider amazonbot meta-externalagent nobodybot otherbot").split(),
]
PARTITIONS = 8
HOT = "c1.www.amazon.com"
#: What is also measured with Parquet written.
WRITTEN = ("identity", "packs, one crawler", "packs, 50 crawlers", "shuffled, identity", "joined")


def identity(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield from batches


def booleans(batches: Iterable[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
    for (urls,) in batches:
        yield pa.repeat(True, len(urls))


def strings(batches: Iterable[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
    for (urls,) in batches:
        yield urls


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only", nargs="*", help="names of measurements, and 'memory'")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if not CORPUS.is_dir():
        parser.error(f"it needs the corpus of real files, which is not in {CORPUS}")
    options.data.mkdir(parents=True, exist_ok=True)
    Bench(options).run()


class Bench:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.rows: int = options.rows
        folder = options.data / f"{self.rows}"
        if not folder.exists():
            data.write_urls(CORPUS, folder, self.rows)
        self.robots_path = options.data / "robots.parquet"
        if not self.robots_path.exists():
            data.write_robots(CORPUS, self.robots_path)
        self.pack_path = options.data / "fifty.pack"
        # One that is there may be of another version of the format.
        write_pack(self.robots_path, self.pack_path)
        self.folder = folder
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        self.local = Path(tempfile.mkdtemp(dir=options.data))
        self.spark: Any = None
        self.begin_session()
        self.seconds: dict[str, float] = {}
        #: Of all processes together.
        self.processor: dict[str, float] = {}
        self.memory: dict[str, int] = {}
        self.verdict_bytes, self.shuffle_bytes = 0.0, 0
        self.expected = count_alone(folder, self.pack_path)

    def begin_session(self) -> None:
        if self.spark is not None:
            self.spark.stop()
        self.spark = (
            SparkSession.builder.master(f"local[{self.options.cores}]")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.driver.memory", "6g")
            .config("spark.local.dir", str(self.local))
            .config("spark.sql.shuffle.partitions", PARTITIONS)
            .getOrCreate()
        )
        self.spark.sparkContext.setLogLevel("ERROR")
        self.urls = self.spark.read.parquet(str(self.folder))
        self.robots = self.spark.read.parquet(str(self.robots_path))

    # What is measured.

    def jobs(self) -> dict[str, Callable[[], DataFrame]]:
        urls, robots, pack = self.urls, self.robots, str(self.pack_path)
        skewed = self.skewed()
        return {
            "identity": lambda: urls.mapInArrow(identity, urls.schema),
            # As packs do it: only the URL goes to Python, and only a column comes back.
            "identity to booleans": lambda: with_column(
                urls, "allowed", [F.col("url")], booleans, "boolean"
            ),
            "identity to strings": lambda: with_column(
                urls, "same", [F.col("url")], strings, "string"
            ),
            "packs, one crawler": lambda: with_verdicts(urls, crawlers=CRAWLER, robots=pack),
            "packs, 50 crawlers": lambda: with_verdicts(urls, crawlers=FIFTY, robots=pack),
            "packs, decisions": lambda: with_decisions(urls, crawlers=CRAWLER, robots=pack),
            "shuffled, identity": lambda: self.shuffled().mapInArrow(identity, urls.schema),
            "files as packs": lambda: with_verdicts(
                urls, crawlers=CRAWLER, robots=robots, plan="packs"
            ),
            "joined": lambda: with_verdicts(urls, crawlers=CRAWLER, robots=robots, plan="joined"),
            "joined, one host 30 %": lambda: with_verdicts(
                skewed, crawlers=CRAWLER, robots=robots, plan="joined"
            ),
            "the same, not divided": lambda: with_verdicts(
                skewed, crawlers=CRAWLER, robots=robots, plan="joined", skew=None
            ),
            "Protego": lambda: self.protego(),
            "hosts counted": lambda: self.hosts(),
        }

    def shuffled(self) -> DataFrame:
        """The same shuffle and sort as `joined` makes, of the URLs alone."""
        hashed = self.urls.withColumn("h", F.xxhash64(usual_authority(F.col("url"))))
        part = F.pmod("h", F.lit(PARTITIONS)).cast("int")
        return hashed.repartitionById(PARTITIONS, part).sortWithinPartitions("h").drop("h")

    def skewed(self) -> DataFrame:
        moved = F.concat(F.lit(f"https://{HOT}/"), F.substring_index("url", "/", -1))
        url = F.when(F.col("id") % 10 < 3, moved).otherwise(F.col("url"))
        return self.urls.withColumn("url", url)

    def hosts(self) -> DataFrame:
        """What finds the hosts with many URLs."""
        sample = self.urls.select("url").sample(0.01, 1)
        return sample.groupBy(F.xxhash64(usual_authority(F.col("url")))).count()

    def protego(self) -> DataFrame:
        """As its users write it: the files are sent to all, and a parser for each host is kept."""
        table = pq.read_table(self.robots_path)
        bodies = dict(zip(table["url"].to_pylist(), table["body"].to_pylist(), strict=True))
        sent = self.spark.sparkContext.broadcast(bodies)

        @F.udf("boolean")
        def allowed(url: str) -> bool | None:
            parser = parser_of(sent, url)
            return None if parser is None else parser.can_fetch(url, CRAWLER)

        # Of a twentieth of the URLs: it takes that long.
        return self.urls.where("id % 20 = 0").withColumn("allowed", allowed("url"))

    # Measuring.

    def run(self) -> None:
        jobs = self.jobs()
        chosen: list[str] = self.options.only or list(jobs)
        for _ in range(self.options.rounds):
            for name in chosen:
                if name != "memory":
                    self.measure(name, jobs[name])
        self.check(jobs, chosen)
        if not self.options.only:
            self.parquet_out()
        if not self.options.only or "memory" in chosen:
            self.flat_memory()
        self.report()
        self.spark.stop()
        shutil.rmtree(self.local, ignore_errors=True)

    def measure(self, name: str, job: Callable[[], DataFrame]) -> None:
        begin, processor = time.perf_counter(), processor_seconds()
        job().write.format("noop").mode("overwrite").save()
        seconds, processor = time.perf_counter() - begin, processor_seconds() - processor
        rows = self.rows / 20 if name == "Protego" else self.rows
        for of, taken in ((self.seconds, seconds), (self.processor, processor)):
            of[name] = min(taken / rows, of.get(name, taken / rows))
        print(f"{name:<40} {rows / seconds / 1e6:6.3f} M/s {processor / rows * 1e6:6.3f} CPU s/M", flush=True)

    def check(self, jobs: dict[str, Callable[[], DataFrame]], chosen: list[str]) -> None:
        for name in {"packs, one crawler", "files as packs", "joined"} & set(chosen):
            counts = {row[0]: row[1] for row in jobs[name]().groupBy("allowed").count().collect()}
            assert counts == self.expected, (name, counts, self.expected)
        if "packs, 50 crawlers" in chosen:
            out = jobs["packs, 50 crawlers"]()
            counted = out.groupBy(F.col("allowed")[CRAWLER]).count().collect()
            assert {row[0]: row[1] for row in counted} == self.expected
        print(f"verdicts: {self.expected}", flush=True)

    def parquet_out(self) -> None:
        """Rates with Parquet written, and what a verdict adds to the files."""
        jobs = self.jobs()
        sizes = {}
        for name in WRITTEN:
            with tempfile.TemporaryDirectory(dir=self.options.data) as out:
                begin = time.perf_counter()
                jobs[name]().write.mode("overwrite").parquet(out)
                per_row = (time.perf_counter() - begin) / self.rows
                sizes[name] = sum(file.stat().st_size for file in Path(out).glob("*.parquet"))
            self.seconds[f"{name}, to Parquet"] = per_row
            print(f"{name + ', to Parquet':<40} {1 / per_row / 1e6:6.3f} M/s", flush=True)
        self.verdict_bytes = (sizes["packs, one crawler"] - sizes["identity"]) / self.rows

    def flat_memory(self) -> None:
        """What the largest Python worker takes, with a quarter of the rows and with all, and what is
        shuffled.
        """
        files = sorted(map(str, self.folder.glob("*.parquet")))
        for name, robots, share in (
            ("packs", str(self.pack_path), 0.25),
            ("joined, 25%", self.robots, 0.25),
            ("joined, 100%", self.robots, 1.0),
        ):
            # Of workers that did nothing before.
            self.begin_session()
            urls = self.spark.read.parquet(*files[: int(len(files) * share)])
            robots = robots if isinstance(robots, str) else self.robots
            before = shuffled_bytes(self.local)
            peak = Peak()
            plan: Any = "auto" if name == "packs" else "joined"
            out = with_verdicts(urls, crawlers=CRAWLER, robots=robots, plan=plan)
            out.write.format("noop").mode("overwrite").save()
            self.memory[name] = peak.end()
            self.shuffle_bytes = shuffled_bytes(self.local) - before

    def report(self) -> None:
        of = self.seconds
        bars = [
            ("packs, one crawler / identity", ">= 0.85", "identity", "packs, one crawler"),
            ("… / identity to booleans", ">= 0.85", "identity to booleans", "packs, one crawler"),
            ("… / identity to strings", "", "identity to strings", "packs, one crawler"),
            ("packs, decisions / packs", "", "packs, one crawler", "packs, decisions"),
            ("packs, 50 crawlers / identity", ">= 0.5", "identity", "packs, 50 crawlers"),
            ("files as packs / shuffle, identity", ">= 0.85", "shuffled, identity", "files as packs"),
            ("joined / same shuffle, identity", ">= 0.85", "shuffled, identity", "joined"),
            ("joined, to Parquet", "", "shuffled, identity, to Parquet", "joined, to Parquet"),
            ("packs, to Parquet", "", "identity, to Parquet", "packs, one crawler, to Parquet"),
            ("joined / Protego", ">= 15", "Protego", "joined"),
            ("packs / Protego", ">= 15", "Protego", "packs, one crawler"),
            ("30 % skew / none", "<= 1.3", "joined, one host 30 %", "joined"),
        ]
        for what, bar, slow, fast in bars:
            if slow in of and fast in of:
                ratio = f"{of[slow] / of[fast]:.2f}"
                if slow in self.processor and fast in self.processor:
                    ratio += f", by processor time {self.processor[slow] / self.processor[fast]:.2f}"
                print(f"{what:<34} {bar:<8} {ratio}")
        for name, size in self.memory.items():
            print(f"largest Python worker, {name}: {size / 2**20:.0f} MiB")
        if self.options.json:
            rates = {name: 1 / seconds for name, seconds in of.items()}
            found = {
                "rows": self.rows,
                "cores": self.options.cores,
                "rates": rates,
                "memory": self.memory,
                "verdict_bytes": self.verdict_bytes,
                "shuffle_bytes": self.shuffle_bytes,
            }
            self.options.json.write_text(json.dumps(found, indent=1) + "\n")


def processor_seconds() -> float:
    """The processor time of this process and of all that it started: Spark's JVM and the Python workers."""
    parents, ticks = {}, {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            fields = (process / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(process.name)] = int(fields[1])
        # With those of children that have ended.
        ticks[int(process.name)] = sum(map(int, fields[11:15]))

    def is_ours(process: int) -> bool:
        while process in parents and process != os.getpid():
            process = parents[process]
        return process == os.getpid()

    return sum(ticks[process] for process in ticks if is_ours(process)) / os.sysconf("SC_CLK_TCK")


class Peak:
    """The largest resident memory of a Python worker, sampled."""

    def __init__(self) -> None:
        self._most = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def _watch(self) -> None:
        while not self._over.wait(0.2):
            for process in Path("/proc").glob("[0-9]*"):
                try:
                    # "python -m pyspark.daemon", and what it forks. The JVM has other words there.
                    if (process / "cmdline").read_bytes().split(b"\0")[2] != b"pyspark.daemon":
                        continue
                    status = (process / "status").read_text()
                except (OSError, IndexError):
                    continue
                for line in status.splitlines():
                    if line.startswith("VmRSS:"):
                        self._most = max(self._most, int(line.split()[1]) * 1024)

    def end(self) -> int:
        self._over.set()
        self._thread.join()
        return self._most


def parser_of(sent: Any, url: str) -> Any:
    """The parser for a URL, made once for each host and worker."""
    from urllib.parse import urlsplit

    import protego

    parsers = protego.__dict__.setdefault("_parsers", {})
    parts = urlsplit(url)
    robots_url = f"{parts.scheme}://{parts.netloc}/robots.txt"
    if robots_url not in parsers:
        body = sent.value.get(robots_url)
        text = None if body is None else body.decode("utf-8", "replace")
        parsers[robots_url] = None if text is None else protego.Protego.parse(text)
    return parsers[robots_url]


def shuffled_bytes(local: Path) -> int:
    """What shuffles have written."""
    return sum(file.stat().st_size for file in local.rglob("shuffle_*.data"))


def write_pack(robots: Path, path: Path) -> None:
    table = pq.read_table(robots)
    rows = zip(table["url"].to_pylist(), table["body"].to_pylist(), strict=True)
    with PackWriter(path, FIFTY) as writer:
        for url, body in rows:
            writer.add(url, body, captured=data.CAPTURED)


def count_alone(folder: Path, pack_path: Path) -> dict[bool | None, int]:
    """The verdicts, counted by one process without Spark."""
    pack = Pack.open(pack_path)
    counts: dict[bool | None, int] = {}
    for file in sorted(folder.glob("*.parquet")):
        verdicts = pa.array(pack.verdicts(pq.read_table(file)["url"], crawler=CRAWLER))
        for entry in pc.value_counts(verdicts).to_pylist():
            counts[entry["values"]] = counts.get(entry["values"], 0) + entry["counts"]
    return counts


if __name__ == "__main__":
    main()
