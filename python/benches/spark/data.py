"""The data of the benchmarks: real URLs of real hosts, multiplied."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

#: Of each host of the corpus that has URLs, so many are made, with the same robots.txt.
COPIES = 30
#: How many files the URLs are in.
FILES = 16
#: When all robots.txt files were captured.
CAPTURED = 1_760_000_000


def corpus_urls(corpus: Path) -> Iterator[tuple[str, list[str]]]:
    """The hosts that have URLs, and these, as far as they are text."""
    for file in sorted((corpus / "urls").iterdir()):
        lines = file.read_bytes().split(b"\n")
        yield file.name, [line.decode() for line in lines if line and is_text(line)]


def is_text(line: bytes) -> bool:
    """Whether a column of strings can have it."""
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def host_of_copy(host: str, copy: int) -> str:
    return f"c{copy}.{host}"


def write_urls(corpus: Path, folder: Path, rows: int) -> None:
    """Writes rows in random order: ``url`` and ``id``."""
    urls = []
    for host, of_host in corpus_urls(corpus):
        for url in of_host:
            scheme, _, rest = url.partition("://")
            for copy in range(COPIES):
                urls.append(f"{scheme}://{rest.replace(host, host_of_copy(host, copy), 1)}")
    random.Random(1).shuffle(urls)
    base = pa.array(urls)
    marks = pc.if_else(pc.match_substring(base, "?"), "&p=", "?p=")
    folder.mkdir(parents=True)
    written = 0
    generator = random.Random(2)
    for number in range(FILES):
        wanted = rows * (number + 1) // FILES - written
        begin = generator.randrange(len(base))
        places = pa.array([(begin + row) % len(base) for row in range(wanted)])
        ids = pa.array(range(written, written + wanted))
        column = pc.binary_join_element_wise(
            base.take(places), marks.take(places), ids.cast(pa.string()), ""
        )
        table = pa.table({"url": column, "id": ids})
        pq.write_table(table, folder / f"part-{number:02}.parquet", row_group_size=1 << 17)
        written += wanted


def robots_rows(corpus: Path) -> Iterator[tuple[str, bytes]]:
    """The origins of all copies, with their robots.txt files."""
    for host, urls in corpus_urls(corpus):
        body = (corpus / "robots" / host).read_bytes()
        for scheme in sorted({url.partition("://")[0] for url in urls}):
            for copy in range(COPIES):
                yield f"{scheme}://{host_of_copy(host, copy)}", body


def write_robots(corpus: Path, path: Path) -> None:
    """Writes the robots.txt files as captures: ``url``, ``status``, ``body``, ``time``."""
    origins, bodies = zip(*robots_rows(corpus), strict=True)
    table = pa.table(
        {
            "url": pa.array([f"{origin}/robots.txt" for origin in origins]),
            "status": pa.array([200] * len(origins), pa.int32()),
            "body": pa.array(bodies, pa.binary()),
            "time": pa.array([CAPTURED * 1_000_000] * len(origins), pa.timestamp("us", "UTC")),
        }
    )
    pq.write_table(table, path, row_group_size=1024)
