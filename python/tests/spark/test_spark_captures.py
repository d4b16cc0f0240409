"""From captures to packs and summaries, as the command does it."""

import gzip
import random
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from test_captures import DATE, packed, record

from robotsieve import Pack
from robotsieve._robotsieve import shard_name
from robotsieve.spark import build_packs, in_force, read_robots_warc

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
