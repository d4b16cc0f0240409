"""Captures: what WARC files have, what rows say, and packs in several files."""

import gzip
import json
import os
import subprocess
import threading
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import robotsieve
from robotsieve import Origin, Pack, PackWriter
from robotsieve._robotsieve import (
    CapturesOf,
    WarcCaptures,
    capture_key,
    judge,
    row_key,
    said_of,
    shard_name,
)

DATE = "2026-01-10T12:00:00Z"
AT = 1_768_046_400
FILE = b"User-agent: *\nDisallow: /x\n"
ROBOTS = "https://e.com/robots.txt"


def record(
    head: str, body: bytes = b"", url: str = ROBOTS, kind: str = "response", more: str = ""
) -> bytes:
    block = f"HTTP/1.1 {head}\r\n\r\n".encode() + body
    fields = (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:1f0a>\r\nWARC-Date: {DATE}\r\n"
        f"{more}Content-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(block)}\r\nWARC-Target-URI: {url}\r\n\r\n"
    )
    return fields.encode() + block + b"\r\n\r\n"


def rows(source: Any, name: str | None = None, **how: Any) -> list[dict[str, Any]]:
    batches = [pa.record_batch(batch) for batch in WarcCaptures(source, name, **how)]
    return [row for batch in batches for row in batch.to_pylist()]


def one(record: bytes) -> dict[str, Any]:
    """The columns of the one row that are not null."""
    (row,) = rows(record, "w.warc")
    return {name: value for name, value in row.items() if value is not None}


def test_columns() -> None:
    (batch,) = WarcCaptures(record("200 OK", FILE), "w.warc")
    time = pa.timestamp("us", "UTC")
    assert pa.record_batch(batch).schema == pa.schema(
        {
            "url": pa.string(),
            "status": pa.int32(),
            "body": pa.binary(),
            "time": time,
            "location": pa.string(),
            "error": pa.string(),
            "lifetime": pa.int64(),
            "same_as_url": pa.string(),
            "same_as_time": time,
            "file": pa.string(),
            "offset": pa.int64(),
            "damage": pa.string(),
        }
    )
    assert len(batch) == 1 and pa.array(batch).type == pa.struct(pa.record_batch(batch).schema)


def test_what_records_become() -> None:
    at = datetime.fromtimestamp(AT, timezone.utc)
    place = {"url": ROBOTS, "time": at, "file": "w.warc", "offset": 0}
    head = "200 OK\r\nContent-Encoding: gzip\r\nCache-Control: max-age=60"
    assert one(record(head, gzip.compress(FILE))) == {
        **place,
        "status": 200,
        "body": FILE,
        "lifetime": 60,
    }
    assert one(record("404 Not Found", b"<html>")) == {**place, "status": 404}
    assert one(record("302 Found\r\nLocation: ../en/robots.txt#x")) == {
        **place,
        "status": 302,
        "location": "https://e.com/en/robots.txt",
    }
    assert one(record("301 Moved")) == {
        **place,
        "error": "a redirect is invalid: no Location",
    }
    assert one(record("200 OK\r\nContent-Length: 99", FILE)) == {
        **place,
        "error": "the answer is broken: end of file before message length reached",
    }
    earlier = datetime(2026, 1, 1, tzinfo=timezone.utc)
    refers = "WARC-Refers-To-Date: 2026-01-01T00:00:00Z\r\n"
    assert one(record("200 OK", kind="revisit", more=refers)) == {
        **place,
        "status": 200,
        "same_as_url": ROBOTS,
        "same_as_time": earlier,
    }
    refers += "WARC-Refers-To-Target-URI: https://f.com/a\r\n"
    assert one(record("200 OK", kind="revisit", more=refers))["same_as_url"] == "https://f.com/a"
    home = one(record("200 OK", b"<html>", url="https://e.com/#top"))
    assert (home["url"], home["body"]) == ("https://e.com/", b"<html>")


def test_damage_is_a_row() -> None:
    first, second = record("200 OK", FILE), record("404 No", url="https://f.com/robots.txt")
    data = gzip.compress(first) + b"noise" + gzip.compress(second)
    found = rows(data, "w.warc.gz")
    assert sorted((row["offset"], row["url"]) for row in found if row["url"]) == [
        (0, ROBOTS),
        (len(gzip.compress(first)) + 5, "https://f.com/robots.txt"),
    ]
    (damaged,) = [row for row in found if row["damage"]]
    assert {name: value for name, value in damaged.items() if value is not None} == {
        "file": "w.warc.gz",
        "offset": len(gzip.compress(first)),
        "damage": "no member begins here",
    }
    cut = rows((gzip.compress(first) + gzip.compress(second))[:-9], "w.warc.gz")
    assert [row["url"] for row in cut if row["url"]] == [ROBOTS]
    assert [row["damage"] for row in cut if row["damage"]] == ["the file ends within a member"]
    assert rows(b"", "empty") == []


def test_sources_and_names(tmp_path: Path) -> None:
    data = record("200 OK", FILE)
    path = tmp_path / "w.warc"
    path.write_bytes(data)
    of_path = rows(path)
    assert of_path[0]["file"] == str(path)
    for source in [data, bytearray(data), memoryview(data), pa.py_buffer(data)]:
        assert rows(source, str(path)) == of_path
    assert rows(str(path), "other") == [{**of_path[0], "file": "other"}]
    assert rows(data)[0]["file"] == "bytes"
    with pytest.raises(FileNotFoundError, match=r"missing\.warc"):
        WarcCaptures(tmp_path / "missing.warc")
    with pytest.raises(IsADirectoryError, match=tmp_path.name):
        WarcCaptures(tmp_path)
    with pytest.raises(TypeError, match="source must be a path, bytes or a buffer, not int"):
        WarcCaptures(3)  # type: ignore[arg-type]
    for wrong in [0, 2**31]:
        with pytest.raises(ValueError, match="max_batch_bytes"):
            WarcCaptures(data, max_batch_bytes=wrong)


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    data = record("200 OK", FILE) * 3
    writer = threading.Thread(target=pipe.write_bytes, args=(data,))
    writer.start()
    assert len(rows(pipe)) == 3
    writer.join()


def test_batches_are_bounded() -> None:
    data = b"".join(
        gzip.compress(record("200 OK", b"#" * 9_999, url=f"https://h{host}.example/robots.txt"))
        for host in range(300)
    )
    for threads in [1, 3]:
        batches = list(WarcCaptures(data, max_batch_bytes=100_000, threads=threads))
        assert sum(map(len, batches)) == 300
        assert max(pa.record_batch(batch).nbytes for batch in batches) < 120_000
        urls = [url for batch in batches for url in pa.record_batch(batch)["url"].to_pylist()]
        assert urls == [f"https://h{host}.example/robots.txt" for host in range(300)]
    # An iterator that nobody reads to its end ends its thread.
    before = native_threads()
    for _ in range(20):
        next(WarcCaptures(data, max_batch_bytes=1))
    for _ in range(200):
        if native_threads() <= before + 1:
            break
        threading.Event().wait(0.05)
    assert native_threads() <= before + 1


def test_forked_iterators() -> None:
    """A copy in another process neither waits for ever nor disturbs the original."""
    data = record("200 OK", FILE) * 100
    captures = WarcCaptures(data, max_batch_bytes=1)
    assert len(next(captures)) == 1
    child = os.fork()
    if child == 0:
        try:
            next(captures)
        except ValueError:
            del captures
            os._exit(0)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    assert sum(map(len, captures)) == 99


def native_threads() -> int:
    return len(os.listdir("/proc/self/task"))


def test_keys() -> None:
    assert capture_key("HTTPS://u:p@E.com:443/robots.txt#x") == ("https://e.com", True)
    assert capture_key("https://e.com/robots.txt?") == ("https://e.com/robots.txt?", False)
    assert capture_key("https://e.com") == ("https://e.com/", False)
    assert capture_key("dns:e.com") is None
    assert row_key("https://e.com") == row_key("https://e.com/robots.txt") == ("https://e.com", True)
    # A home page.
    assert row_key("https://e.com/") == ("https://e.com/", False)
    assert row_key("https://e.com/x") == ("https://e.com/x", False)
    assert row_key("e.com") is None


def test_what_rows_say() -> None:
    assert said_of(ROBOTS, 200) == ("file", None)
    assert said_of(ROBOTS, 204, lifetime=60) == ("file", 60)
    assert said_of(ROBOTS, 304, None, 2**40) == ("unchanged", 2**32 - 1)
    assert said_of(ROBOTS, 404, lifetime=60) == ("status", 404)
    assert said_of(ROBOTS, 511) == ("nothing", None)
    assert said_of(ROBOTS, 302, "/robots.txt?x") == ("redirect", "https://e.com/robots.txt?x")
    assert said_of("https://e.com", 301, "http://f.com/robots.txt") == ("redirect", "http://f.com")
    for location in [None, "mailto:a@e.com", "https:///"]:
        assert said_of(ROBOTS, 308, location) == ("no-target", None)
    for error in ["a redirect is invalid: x", "the redirects form a loop", "too many redirects"]:
        assert said_of(ROBOTS, None, error=error) == ("no-target", None)
    assert said_of(ROBOTS, None, error="the answer is broken: x") == ("failed", None)
    for arguments, wrong in [
        ((ROBOTS, None), "'status' is no number; an HTTP status from 100 to 999 is expected"),
        ((ROBOTS, 99), "'status' is 99; an HTTP status from 100 to 999 is expected"),
        ((ROBOTS, -1), "'status' is -1; an HTTP status from 100 to 999 is expected"),
        (("e.com", 200), "'url' is 'e.com'; the URL of a site, as in .* is expected"),
        ((ROBOTS, 200, None, -1), "'lifetime' is -1; seconds from 0 on are expected"),
    ]:
        with pytest.raises(ValueError, match=f"^{wrong}$"):
            said_of(*arguments)
    with pytest.raises(ValueError, match="'time' is 1760000000000; .*, not milliseconds"):
        said_of(ROBOTS, 200, time=1_760_000_000_000)
    with pytest.raises(ValueError, match="'time' is 2100-.*, in the future"):
        said_of(ROBOTS, 200, time=4_102_444_800)
    with pytest.raises(ValueError, match="'status' is 200, but it has no 'body'"):
        said_of(ROBOTS, 200, has_body=False)


def test_rows_say_what_the_command_takes_them_for(tmp_path: Path, programs: Path) -> None:
    """Each row alone, by ``pack --jsonl``, and by ``said_of`` and ``judge``."""
    statuses = [100, 200, 204, 299, 301, 304, 400, 401, 404, 410, 429, 500, 503, 511, 599, 999]
    said_rows = [
        {"status": status, "location": location, "body": "User-agent: *\nDisallow: /"}
        for status in statuses
        for location in [None, "mailto:a@b"]
    ]
    expected = {}
    with open(tmp_path / "rows.jsonl", "w") as lines:
        for number, row in enumerate(said_rows):
            url = f"https://h{number}.example"
            lines.write(json.dumps({"url": url, "time": AT, **row}) + "\n")
            said, detail = said_of(url, row["status"], row["location"], time=AT)
            if said != "nothing":
                assert detail is None or isinstance(detail, int)
                judged = judge([(AT, 0, said, detail)])
                assert judged is not None
                expected[url] = (judged[0], AT)
    assert packed(programs, tmp_path, "--jsonl", tmp_path / "rows.jsonl") == expected


def test_captures_of_a_target() -> None:
    """The capture that is nearest in time answers a redirect."""
    captures = CapturesOf("t")
    for at, number in [(10, 401), (20, 402), (20, 403), (30, 404)]:
        captures.push(at, "status", number)
    found = [captures.follow("t", at, 1)[4] for at in [0, 14, 15, 25, 99]]
    assert found == [401, 401, 403, 404, 404]
    assert captures.follow("t", 0, 0, 20) == (None, 0, None, "status", 403, 2)
    assert captures.follow("t", 0, 0, 21) == (None, 0, None, None, None, None)
    assert captures.follow("u", 0, 1) == ("u", 1, None, None, None, None)
    assert CapturesOf("t").follow("t", 15, 1) == (None, 1, None, None, None, None)
    with pytest.raises(ValueError, match="in the order of their times"):
        captures.push(29, "failed")


def test_the_capture_of_that_time_decides() -> None:
    """A redirect of the first of February, whose target had a file then, and none in June."""
    february, june = 1_770_076_800, 1_780_444_800
    captures = CapturesOf("https://www.e.com")
    captures.push(february, "file")
    captures.push(june, "status", 404)
    redirect = 1_769_904_000
    _, hops, _, word, detail, number = captures.follow("https://www.e.com", redirect, 1)
    assert (word, number) == ("file", 0)
    assert judge([(redirect, hops, word, detail)]) == ("rules", 0, redirect, False)


def test_judge() -> None:
    day = 86_400
    history = [(40 * day, 0, "status", 503), (10 * day, 0, "file", None)]
    assert judge(history) == ("rules", 1, 10 * day, True)
    assert judge(history[:1]) == ("disallow-all", 0, 40 * day, False)
    assert judge(history, as_of=9 * day) is None
    assert judge([(day, 1, "no-target", None)]) == ("allow-all", 0, day, True)
    assert judge([(day, 0, "failed", None)], "google") == ("disallow-all", 0, day, False)
    assert judge([(0, 0, "file", None), (day, 0, "failed", None)]) == ("rules", 0, 0, True)
    assert judge([(day, 0, "status", 403)]) == ("allow-all", 0, day, True)
    assert judge([(day, 0, "status", 404)]) == ("allow-all", 0, day, False)
    assert judge([(0, 0, "file", 60), (day, 0, "unchanged", None)]) == ("rules", 0, day, False)
    for event, wrong in [
        (("redirect", None), "no event says \"redirect\""),
        (("status", None), "needs a number"),
        (("status", 70_000), "from 100 to 999"),
    ]:
        with pytest.raises(ValueError, match=wrong):
            judge([(0, 0, *event)])
    with pytest.raises(ValueError, match="there is no profile"):
        judge(history, "googel")  # type: ignore[arg-type]


def write_shards(folder: Path, count: int, crawlers: list[str], hosts: int = 20) -> None:
    folder.mkdir()
    for shard in range(count):
        path = folder / shard_name(shard, count)
        with PackWriter(path, crawlers, shard=(shard, count)) as writer:
            for host in range(hosts):
                origin = Origin(f"https://h{host}.example")
                if origin.shard(count) == shard:
                    writer.add(origin, f"User-agent: *\nDisallow: /{host}\n")


def test_shards(tmp_path: Path, programs: Path) -> None:
    write_shards(tmp_path / "packs", 3, ["a"])
    (tmp_path / "packs" / "README").write_text("not a shard")
    pack = Pack.open(tmp_path / "packs")
    assert len(pack) == 20
    assert [path.name for path in map(Path, pack.paths)] == [shard_name(n, 3) for n in range(3)]
    urls = [f"https://h{host}.example/{host}" for host in range(20)]
    assert list(pack.verdicts(urls)) == [False] * 20
    origins = {f"https://h{host}.example" for host in range(20)}
    assert set(listed(programs, tmp_path / "packs")) == origins


def test_wrong_shards(tmp_path: Path) -> None:
    writer = PackWriter(tmp_path / "x.pack", ["a"], shard=(0, 16))
    with pytest.raises(ValueError, match="https://example.com belongs to shard 7 of 16, and this"):
        writer.add("https://example.com", FILE)
    writer.abandon()
    for wrong in [(3, 3), (0, 0)]:
        with pytest.raises(ValueError, match="there is no shard"):
            PackWriter(tmp_path / "x.pack", ["a"], shard=wrong)
    folder = tmp_path / "packs"
    write_shards(folder, 3, ["a"])
    moved = (folder / shard_name(1, 3)).rename(tmp_path / "moved")
    with pytest.raises(robotsieve.PackError, match=r"packs: shard-0001-of-0003\.pack is missing"):
        Pack.open(folder)
    (folder / shard_name(1, 3)).write_bytes((folder / shard_name(0, 3)).read_bytes())
    with pytest.raises(robotsieve.PackError, match=r"shard-0001-of-0003\.pack: file 1 of a pack"):
        Pack.open(folder)
    moved.rename(folder / shard_name(1, 3))
    write_shards(tmp_path / "other", 3, ["b"])
    (tmp_path / "other" / shard_name(2, 3)).rename(folder / shard_name(2, 3))
    with pytest.raises(robotsieve.PackError, match=r"shard-0002-of-0003\.pack: for other crawlers"):
        Pack.open(folder)
    (folder / shard_name(0, 2)).write_bytes(b"")
    with pytest.raises(robotsieve.PackError, match="'shard-0000-of-0003.pack' is of another set"):
        Pack.open(folder)


def packed(programs: Path, folder: Path, *sources: Path | str) -> dict[str, tuple[str, int]]:
    """What the command makes of sources: outcome and time of each origin."""
    made = [programs / "robotsieve", "pack", *sources, "--agent", "a", "-o", folder / "made.pack"]
    done = subprocess.run(made, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 3), done.stderr
    return listed(programs, folder / "made.pack")


def listed(programs: Path, pack: Path) -> dict[str, tuple[str, int]]:
    list_command = [programs / "robotsieve", "pack", "list", "--format", "jsonl", pack]
    done = subprocess.run(list_command, stdout=subprocess.PIPE, check=True)
    sites = map(json.loads, done.stdout.splitlines())
    opened = Pack.open(pack)
    return {
        site["origin"]: (site["outcome"], opened.captured(site["origin"]) or 0) for site in sites
    }


def history(all_rows: list[dict[str, Any]]) -> Iterator[tuple[str, tuple[str, int]]]:
    """What captures come to, by the steps that the command takes."""
    captures: dict[str, list[tuple[int, int, dict[str, Any]]]] = defaultdict(list)
    origins = set()
    for number, row in enumerate(all_rows):
        if row["damage"]:
            continue
        key, is_origin = capture_key(row["url"]) or pytest.fail(row["url"])
        captures[key].append((int(row["time"].timestamp()), number, row))
        if is_origin:
            origins.add(key)
    for all_of_key in captures.values():
        all_of_key.sort(key=lambda capture: capture[:2])

    of_keys = {}
    leads = {}
    for key, all_of_key in captures.items():
        of_keys[key] = CapturesOf(key)
        for at, number, row in all_of_key:
            if row["same_as_url"] is not None:
                target = (capture_key(row["same_as_url"]) or ("",))[0]
                time = row["same_as_time"]
                exactly = None if time is None else int(time.timestamp())
                of_keys[key].push(at, "same", None, target, exactly)
                leads[number] = (target, 0, exactly)
                continue
            what, detail = said_of(
                row["url"], row["status"], row["location"], row["lifetime"], row["error"]
            )
            if what == "redirect":
                assert isinstance(detail, str)
                of_keys[key].push(at, what, None, detail)
                leads[number] = (detail, 1, None)
            elif what != "nothing":
                assert not isinstance(detail, str)
                of_keys[key].push(at, what, detail)
                leads[number] = (what, 0, detail)

    def said(at: int, number: int) -> tuple[int, str | None, int | None]:
        target, hops, exactly = leads[number]
        if hops == 0 and target in ("file", "unchanged", "status", "no-target", "failed"):
            return (0, target, exactly)
        while target is not None:
            if target not in of_keys:
                return (hops, None, None)
            target, hops, exactly, word, detail, _ = of_keys[target].follow(
                target, at, hops, exactly
            )
        return (hops, word, detail)

    for origin in origins:
        events = [(at, *said(at, number)) for at, number, _ in captures[origin] if number in leads]
        judged = judge(events)
        if judged is not None:
            yield origin, (judged[0], judged[2])


@pytest.mark.parametrize(("suffix", "seed"), [("", 1), (".gz", 2), (".gz", 3)])
def test_as_the_command(
    tmp_path: Path, programs: Path, suffix: str, seed: int
) -> None:
    """Origins, outcomes and times of generated archives, sound and damaged."""
    generate = [programs / "robotsieve-corpora", "warc", "--captures", "1000", "--seed", str(seed)]
    plain = [] if suffix else ["--plain"]
    subprocess.run([*generate, *plain, "--out", tmp_path], check=True, capture_output=True)
    path = tmp_path / f"robotstxt-00000.warc{suffix}"
    for threads in [1, 2]:
        found = rows(path, max_batch_bytes=100_000, threads=threads)
        assert not any(row["damage"] for row in found)
        assert dict(history(found)) == packed(programs, tmp_path, "--warc", path)
    said = {
        said_of(row["url"], row["status"], row["location"], error=row["error"])[0]
        for row in found
        if row["same_as_url"] is None
    }
    assert said >= {"file", "status", "redirect"}
    data = bytearray(path.read_bytes())
    for place in range(1, 8):
        data[place * len(data) // 8] ^= 0xFF
    path.write_bytes(data[:-100])
    found = rows(path)
    assert any(row["damage"] for row in found)
    assert dict(history(found)) == packed(programs, tmp_path, "--warc", path)


def test_a_store_in_a_warc_file(tmp_path: Path, programs: Path) -> None:
    """What ``store export --warc`` writes, with the body and without it."""
    source, store, out = tmp_path / "in.warc", tmp_path / "s.store", tmp_path / "out.warc"
    files = [
        record("200 OK\r\nCache-Control: max-age=3600", FILE, url="https://a.example/robots.txt"),
        record("503 Busy", url="https://b.example/robots.txt"),
        record("404 No", url="https://c.example/robots.txt"),
        record("301 Moved", url="https://d.example/robots.txt"),
    ]
    source.write_bytes(b"".join(files))
    for arguments in [
        ["store", "import", store, "--warc", source],
        ["store", "export", store, "--warc", out],
    ]:
        subprocess.run([programs / "robotsieve", *arguments], check=True, capture_output=True)
    found = rows(out)
    assert dict(history(found)) == packed(programs, tmp_path, "--warc", out)
    (a,) = [row for row in found if row["url"] == "https://a.example/robots.txt"]
    assert (a["status"], a["body"], a["lifetime"]) == (200, FILE, 3600)
    assert [row["error"] for row in found if row["url"] == "https://d.example/robots.txt"] == [
        "a redirect is invalid: no Location"
    ]
    text = out.read_bytes()
    out.write_bytes(text.replace(b"Disallow: /x", b"Disallow: /y"))
    found = rows(out)
    assert [row["damage"] for row in found if row["damage"]] == [
        "the body of https://a.example is missing or another one; it is unknown"
    ]
    assert dict(history(found)) == packed(programs, tmp_path, "--warc", out)
    assert dict(history(found))["https://a.example"][0] == "unknown"
    (a,) = [row for row in found if row["url"] == "https://a.example/robots.txt"]
    assert (a["status"], a["same_as_url"], a["damage"]) == (None, "", None)
