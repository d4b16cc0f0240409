"""Packs that the workers make of a DataFrame of robots.txt files, and that are sent to all of them."""

from __future__ import annotations

import logging
import secrets
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql.pandas.types import from_arrow_schema

from robotsieve import Config
from robotsieve._robotsieve import shard_name

from ._build import by_shard, write_shards
from ._captures import as_many_rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from robotsieve.typing import Plan

    from ._asked import Asked

#: So many rows of robots.txt files are packs, unless told otherwise, and more are joined.
MOST_ROWS = 200_000
#: So many bytes of packs, in the same way: they pass through the driver.
MOST_BYTES = 1 << 28
#: Once so many packs, or so many bytes of them, were sent, all files are joined, unless told otherwise: what was sent
#: stays on all machines, and each new executor fetches all of it.
MOST_SENT, MOST_BYTES_SENT = 100, 1 << 30
#: A task that packs takes so many files at least.
FILES_OF_SHARD = 2_000
#: The bytes of a row that brings a part of a pack. Spark Connect takes no rows above 128 MiB.
PIECE = 1 << 23

_LOG = logging.getLogger("robotsieve.spark")
#: A piece of a shard, with its size, and the origins at the first one. The pieces of a shard come one after the other.
_PIECES = pa.schema([("shard", pa.int32()), ("origins", pa.int64()), ("bytes", pa.int64()), ("pack", pa.binary())])

#: The archives that were sent, and the bytes of their packs. Spark's workers fetch them for as long as the session lives.
_SENT: list[tuple[tempfile.TemporaryDirectory[str], int]] = []


def sent_packs(session: SparkSession, sites: DataFrame, asked: Asked, plan: Plan, partitions: int) -> str | None:
    """Sends packs, made of what is in force, to all workers of a session. Returns the name that
    :func:`~._packs.with_packs` takes, or ``None`` if ``sites`` are to be joined. Says in the log which it is, and why.
    """
    if plan == "joined":
        return None
    is_free = plan == "auto"
    bytes_sent = sum(size for _, size in _SENT)
    if is_free and (len(_SENT) >= MOST_SENT or bytes_sent >= MOST_BYTES_SENT):
        _LOG.info(
            "joined: packs were sent before, and stay on all machines: %s, of %s bytes; build_packs makes one for several calls",
            f"{len(_SENT):,}",
            f"{bytes_sent:,}",
        )
        return None
    rows = as_many_rows(sites)
    count = (rows.limit(MOST_ROWS + 1) if is_free else rows).count()
    if is_free and count > MOST_ROWS:
        _LOG.info("joined: more than %s rows of robots.txt files, so URLs and files are brought together by host", f"{MOST_ROWS:,}")
        return None
    shards = min(partitions, 1 + count // FILES_OF_SHARD)
    most_bytes = MOST_BYTES // shards if is_free else None
    pieces = _packed(sites, asked, shards, most_bytes)
    origins, size = (sum(pieces[name].to_pylist()) for name in ("origins", "bytes"))
    if pieces["pack"].null_count:
        _LOG.info(
            "joined: a pack of %s origins would have %s bytes in %s files, and a file may have %s",
            f"{origins:,}",
            f"{size:,}",
            shards,
            f"{most_bytes:,}",
        )
        return None
    name = f"robotsieve-{secrets.token_hex(8)}.pack"
    folder = tempfile.TemporaryDirectory(prefix="robotsieve-")
    archive = Path(folder.name) / f"{name}.zip"
    _write(archive, pieces, shards)
    session.addArtifacts(f"{archive}#{name}", archive=True)
    _SENT.append((folder, size))
    _LOG.info("packs: %s origins, %s bytes, sent to the workers; no URL is moved", f"{origins:,}", f"{size:,}")
    return name


def _packed(sites: DataFrame, asked: Asked, shards: int, most_bytes: int | None) -> pa.Table:
    """The shards of a pack in pieces. One that is too large is one row without its bytes."""
    # Only decisions name rules.
    config = Config(keep_rules=asked.what == "decisions")
    seed = secrets.randbits(64)

    def pack(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with tempfile.TemporaryDirectory() as folder:
            for shard in write_shards(batches, Path(folder), shards, asked, config, seed):
                row: dict[str, Any] = {"shard": shard.shard, "origins": shard.origins, "bytes": shard.bytes, "pack": None}
                if most_bytes is not None and shard.bytes > most_bytes:
                    yield pa.RecordBatch.from_pylist([row], _PIECES)
                    continue
                with open(shard.path, "rb") as file:
                    while piece := file.read(PIECE):
                        row |= {"bytes": len(piece), "pack": piece}
                        yield pa.RecordBatch.from_pylist([row], _PIECES)
                        row["origins"] = 0

    rows = by_shard(sites, shards, "url", "outcome", "body")
    return rows.mapInArrow(pack, from_arrow_schema(_PIECES)).toArrow()


def _write(archive: Path, pieces: pa.Table, shards: int) -> None:
    with zipfile.ZipFile(archive, "w") as out:
        for shard, rows in groupby(range(len(pieces)), lambda row: pieces["shard"][row].as_py()):
            with out.open(shard_name(shard, shards), "w", force_zip64=True) as file:
                for row in rows:
                    file.write(pieces["pack"][row].as_buffer())
