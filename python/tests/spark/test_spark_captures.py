"""From captures to packs and summaries, as the command does it."""

import gzip
import json
import random
import subprocess
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from spark_cases import answers, frame_of, urls_frame
from test_captures import DATE, listed, packed, record

from robotsieve import Pack
from robotsieve._robotsieve import WarcCaptures, shard_name
from robotsieve.spark import build_packs, in_force, read_robots_warc, summarise, with_verdicts
from robotsieve.typing import Plan

DAY = 86_400
START = 1_760_000_000
Site = tuple[str, int]


def date(at: int) -> str:
    return datetime.fromtimestamp(at, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def capture(url: str, at: int, head: str, body: bytes = b"", **how: str) -> bytes:
    return record(head, body, url, **how).replace(DATE.encode(), date(at).encode(), 1)


def same_as(url: str, at: int, of: str, of_time: int) -> bytes:
    """A revisit record."""
    refers = f"WARC-Refers-To-Date: {date(of_time)}\r\nWARC-Refers-To-Target-URI: {of}\r\n"
    return capture(url, at, "200 OK", kind="revisit", more=refers)


def write_warc(folder: Path, files: list[list[bytes]]) -> list[Path]:
    paths = []
    for number, records in enumerate(files):
        path = folder / f"{number}.warc.gz"
        path.write_bytes(b"".join(map(gzip.compress, records)))
        paths.append(path)
    return paths


def read(spark: SparkSession, folder: Path, **how: Any) -> DataFrame:
    return read_robots_warc(spark, [str(path) for path in sorted(folder.glob("*.warc*"))], **how)


def sites(frame: DataFrame) -> dict[str, Site]:
    """Outcome and time of each origin, as `packed` has them."""
    rows = frame.toArrow().to_pylist()
    found = {row["url"].removesuffix("/robots.txt"): (row["outcome"], row["captured"] or 0) for row in rows}
    assert len(found) == len(rows)
    assert all((row["body"] is not None) == (row["outcome"] == "rules") for row in rows)
    return found


@pytest.fixture(scope="module")
def archive(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set of files by the generator, and what a reader must find in it."""
    folder = tmp_path_factory.mktemp("archive")
    generate = [programs / "robotsieve-corpora", "warc", "--captures", "3000", "--seed", "7"]
    for more in [["--files", "3", "--out", folder], ["--expect", folder, "--urls", "2000"]]:
        subprocess.run([*generate, *more], check=True, capture_output=True)
    return folder


def test_a_generated_archive(spark: SparkSession, programs: Path, archive: Path, tmp_path: Path) -> None:
    """From captures to the summary, by all ways."""
    files = sorted(archive.glob("*.warc.gz"))
    assert len(files) == 3
    expected = packed(programs, tmp_path, "--warc", *files)
    captures = read(spark, archive)
    captures.write.parquet(str(tmp_path / "captures"))
    captures = spark.read.parquet(str(tmp_path / "captures"))
    assert captures.count() >= 3_000
    force = in_force(captures)
    force.write.parquet(str(tmp_path / "force"))
    force = spark.read.parquet(str(tmp_path / "force"))
    assert sites(force) == expected
    words = {"allow": "allow-all", "disallow": "disallow-all"}
    lines = [line.split("\t") for line in (archive / "origins.tsv").read_text().splitlines()]
    assert {origin: words.get(outcome, outcome) for origin, outcome in lines} == {
        origin: outcome for origin, (outcome, _) in expected.items()
    }

    shards = build_packs(force, tmp_path / "packs", crawlers=["a", "GPTBot"], shards=5)
    assert [(shard.shard, Path(shard.path).name) for shard in shards] == [(n, shard_name(n, 5)) for n in range(5)]
    assert all(shard.bytes == Path(shard.path).stat().st_size for shard in shards)
    assert sum(shard.origins for shard in shards) == len(expected)
    assert listed(programs, tmp_path / "packs") == expected
    pack = Pack.open(tmp_path / "packs")
    pack.verify()

    urls = (archive / "urls.txt").read_text().splitlines()
    urls = [*urls, "nonsense", "https://not-captured.example.uk/"]
    made = Pack.open(tmp_path / "made.pack")
    said = [[made.is_allowed(url, "a")] if "://" in url else [None] for url in urls]
    frame = urls_frame(spark, tmp_path / "urls", urls)
    counted = Counter(answer for (answer,) in said)
    assert min(counted[True], counted[False]) > 100 and counted[None] > 2
    plans: list[tuple[Any, Plan]] = [(str(tmp_path / "packs"), "auto"), (captures, "packs"), (force, "joined")]
    for robots, plan in plans:
        out = with_verdicts(frame, crawlers=["a"], robots=robots, plan=plan)
        assert answers(out) == said
    (total,) = summarise(out).collect()
    allowed, disallowed = counted[True], counted[False]
    assert total.asDict() == {
        "crawler": "a",
        "urls": len(urls),
        "allowed": allowed,
        "disallowed": disallowed,
        "unknown": counted[None],
        "share": allowed / (allowed + disallowed),
    }
    by_host = summarise(out, by="host").collect()
    assert sum(row.urls for row in by_host) == len(urls)
    assert [row.urls for row in by_host if row.host == "not-captured.example.uk"] == [1]
    assert [row.urls for row in by_host if row.host is None] == [1]
    assert [row.urls for row in summarise(out, by="country").collect() if row.country == "uk"] == [1]


def random_captures(seed: int, clusters: int) -> list[list[bytes]]:
    """Sites that send to each other, in small groups; and revisits, at few times."""
    chosen = random.Random(seed)
    files: list[list[bytes]] = [[], [], []]
    for cluster in range(clusters):
        roots = [f"{chosen.choice(['https', 'http'])}://{name}{cluster}.example" for name in "abcd"]
        pages = [*(f"{root}/robots.txt" for root in roots), *(f"{root}/{page}" for root in roots[:2] for page in "xy"), roots[0]]
        for _ in range(chosen.randrange(3, 14)):
            url, target = chosen.choice(pages), chosen.choice(pages)
            at, other = (START + chosen.choice([0, 1, 2, 9, 10, 40]) * DAY for _ in range(2))
            rules = f"User-agent: *\nDisallow: /{chosen.randrange(99)}".encode()
            head = chosen.choice(
                ["200 OK"] * 5
                + ["200 OK\r\nCache-Control: max-age=900000", "404 No", "403 No", "503 Busy", "429 Slow", "304 Same", "301 Moved", "200 OK\r\nContent-Length: 99"]
                + [f"302 Found\r\nLocation: {target}"] * 7
                + ["307 Found\r\nLocation: /robots.txt", "308 Found\r\nLocation: mailto:a@e.com", "revisit", "revisit", "revisit"]
            )
            if head == "revisit":
                # Of something earlier, or there would be damage.
                made = same_as(url, at, target, min(at, other) if target != url else START - DAY)
            else:
                made = capture(url, at, head, rules if head.startswith("200") else b"")
            chosen.choice(files).append(made)
    return files


def test_random_captures(spark: SparkSession, programs: Path, tmp_path: Path) -> None:
    """Outcomes, times, hops, loops, revisits and what is nearest in time, as the command has them."""
    paths = write_warc(tmp_path, random_captures(4, 600))
    captures = read(spark, tmp_path).cache()
    expected = packed(programs, tmp_path, "--warc", *paths)
    assert set(Counter(outcome for outcome, _ in expected.values())) == {"rules", "allow-all", "disallow-all", "unknown"}
    force = in_force(captures)
    assert sites(force) == expected
    # The rules, too: each file refuses one path of its own.
    made, urls = Pack.open(tmp_path / "made.pack"), [f"{origin}/{n}" for origin in expected for n in range(99)]
    bodies = {row.url.removesuffix("robots.txt"): bytes(row.body).decode() for row in force.where("body is not null").collect()}
    said = list(made.verdicts(urls, crawler="a"))
    for url, allowed in zip(urls, said, strict=True):
        host, slash, path = url.rpartition("/")
        if host + slash in bodies:
            rule = bodies[host + slash].rsplit(" ", 1)[1]
            assert allowed == (not f"/{path}".startswith(rule)), url
    for as_of in [START + 2 * DAY, START + 10 * DAY + 5]:
        options = ["--as-of", date(as_of), "--warc", *paths]
        assert sites(in_force(captures, as_of=as_of)) == packed(programs, tmp_path, *options)
    google = sites(in_force(captures, profile="google"))
    assert google == packed(programs, tmp_path, "--profile", "google", "--warc", *paths) != expected
    captures.unpersist()


def chains() -> list[bytes]:
    """From one URL to the next, as far as redirects and revisits may lead."""
    files = []
    for length in range(1, 8):
        for sames in [0, 1]:
            # Redirects only; and a revisit, under another URL, before each of them and before the file.
            urls = [f"https://{'s' if sames else 'r'}{length}-{n}.example/robots.txt" for n in range(2 * length + 2)]
            place = 0
            for _ in range(length):
                if sames:
                    files.append(same_as(urls[place], START, urls[place + 1], START))
                    place += 1
                files.append(capture(urls[place], START, f"301 Moved\r\nLocation: {urls[place + 1]}"))
                place += 1
            if sames:
                files.append(same_as(urls[place], START, urls[place + 1], START))
                place += 1
            files.append(capture(urls[place], START, "200 OK", b"User-agent: *\nDisallow: /"))
    loop = [f"https://loop{n}.example/robots.txt" for n in range(3)]
    files += [capture(loop[n], START, f"302 Found\r\nLocation: {loop[(n + 1) % 3]}") for n in range(3)]
    files.append(capture("https://self.example/robots.txt", START, "302 Found\r\nLocation: /robots.txt"))
    files += [same_as(f"https://same{n}.example/robots.txt", START, f"https://same{1 - n}.example/robots.txt", START) for n in range(2)]
    return files


def test_chains(spark: SparkSession, programs: Path, tmp_path: Path) -> None:
    paths = write_warc(tmp_path, [chains()])
    expected = packed(programs, tmp_path, "--warc", *paths)
    assert {expected[f"https://r{length}-0.example"][0] for length in range(1, 6)} == {"rules"}
    assert expected["https://r6-0.example"][0] == "allow-all"
    assert sites(in_force(read(spark, tmp_path, damaged="keep"), damaged="keep")) == expected


def test_damage(spark: SparkSession, programs: Path, tmp_path: Path) -> None:
    paths = write_warc(tmp_path, random_captures(5, 60))
    data = bytearray(paths[1].read_bytes())
    for place in [len(data) // 3, len(data) // 2]:
        data[place] ^= 0xFF
    paths[1].write_bytes(data[:-20])
    batches = [pa.record_batch(batch) for batch in WarcCaptures(paths[1])]
    damaged = [(row["offset"], row["damage"]) for batch in batches for row in batch.to_pylist() if row["damage"]]
    assert len(damaged) >= 2
    with pytest.raises(PySparkException, match=rf"{paths[1]}, byte {damaged[0][0]}: {damaged[0][1]}; damaged='keep'"):
        read(spark, tmp_path).count()
    kept = read(spark, tmp_path, damaged="keep")
    rows = kept.where("damage is not null").collect()
    assert sorted((row.offset, row.damage) for row in rows) == sorted(damaged)
    assert {row.file for row in rows} == {str(paths[1])}
    assert all(value is None for row in rows for name, value in row.asDict().items() if name not in ("file", "offset", "damage"))
    with pytest.raises(PySparkException, match=rf"{paths[1]}, byte \d+: .*; damaged='keep' leaves such rows out"):
        in_force(kept).count()
    assert sites(in_force(kept, damaged="keep")) == packed(programs, tmp_path, "--warc", *paths)
    with pytest.raises(ValueError, match="damaged must be 'fail' or 'keep', not 'drop'"):
        read(spark, tmp_path, damaged="drop")
    with pytest.raises(PySparkException, match=r"missing\.warc"):
        read_robots_warc(spark, str(tmp_path / "missing.warc")).count()


def test_tables_of_captures(spark: SparkSession, programs: Path, tmp_path: Path) -> None:
    """Rows as others have them: with few columns, and times of several types."""
    lines: list[dict[str, Any]] = [
        {"url": "https://a.example", "status": 200, "body": "User-agent: *\nDisallow: /", "time": START},
        {"url": "https://a.example/robots.txt", "status": 503, "body": None, "time": START + 9 * DAY},
        # A home page, not the file of a site.
        {"url": "https://a.example/", "status": 200, "body": "<html>", "time": START + 10 * DAY},
        {"url": "HTTPS://B.example:443", "status": 302, "location": "/x", "time": START},
        {"url": "https://b.example/x", "status": 200, "body": "", "time": START},
        {"url": "https://c.example/robots.txt", "status": 404, "time": START},
        {"url": "https://d.example", "status": 500, "time": START},
        {"url": "https://bücher.example", "status": 410, "time": START},
    ]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    expected = packed(programs, tmp_path, "--jsonl", tmp_path / "rows.jsonl")
    names = ["url", "status", "body", "time", "location"]
    columns: dict[str, Any] = {name: [line.get(name) for line in lines] for name in names}
    columns["body"] = pa.array([None if body is None else body.encode() for body in columns["body"]], pa.binary())
    frame = frame_of(spark, tmp_path / "rows", columns)
    time = F.timestamp_seconds("time")
    for same in [frame, frame.withColumn("time", time), frame.withColumn("time", F.col("time").cast("double")), frame.withColumn("body", F.col("body").cast("string"))]:
        assert sites(in_force(same)) == expected
    assert {site: outcome for site, (outcome, _) in sites(in_force(frame.drop("time").where("status != 503"))).items()} == {
        site: outcome for site, (outcome, _) in expected.items()
    }
    for wrong, message in [
        ({"body": "cast(null as binary)"}, "'status' is 200, but it has no 'body'"),
        ({"status": "99"}, "'status' is 99; an HTTP status from 100 to 999 is expected"),
        ({"status": "cast(null as int)"}, "'status' is no number"),
        ({"url": "'e.com'"}, "'url' is not a URL"),
        ({"url": "cast(null as string)"}, "'url' is not a URL"),
        ({"time": "1760000000000L"}, ".*not milliseconds"),
    ]:
        ((name, sql),) = wrong.items()
        row = frame.where("url = 'https://a.example'").withColumn(name, F.expr(sql))
        with pytest.raises(PySparkException, match=f"a capture of .*: {message}.*damaged='keep' leaves such rows out"):
            in_force(row).count()
        assert sites(in_force(frame.unionByName(row), damaged="keep")) == expected, message


def test_packs_are_the_same_bytes(spark: SparkSession, tmp_path: Path) -> None:
    write_warc(tmp_path, random_captures(6, 8))
    force = in_force(read(spark, tmp_path)).localCheckpoint()
    shards = 100
    written = build_packs(force, tmp_path / "a", crawlers="a", shards=shards, seed=3)
    build_packs(force.orderBy(F.desc("url")).repartition(7), tmp_path / "b", crawlers=["a"], shards=shards, seed=3)
    build_packs(force, tmp_path / "c", crawlers=["a"], shards=shards, seed=4)
    assert 0 in {shard.origins for shard in written} and len(written) == shards

    def files(name: str) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}

    assert files("a") == files("b") != files("c")
    assert sorted(files("a")) == [shard_name(number, shards) for number in range(shards)]
    assert Pack.open(tmp_path / "c").seed == 4
    with pytest.raises(FileExistsError, match="/a' is not empty: name a new folder"):
        build_packs(force, tmp_path / "a", crawlers=["a"])
    with pytest.raises(ValueError, match="shards must be 1 or more"):
        build_packs(force, tmp_path / "d", crawlers=["a"], shards=0)
