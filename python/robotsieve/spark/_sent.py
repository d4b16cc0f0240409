"""Packs that the workers make of a DataFrame of robots.txt files, and that are sent to all of them."""

from __future__ import annotations

import logging
import secrets
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa  # type: ignore[import-untyped]

from robotsieve import Config
from robotsieve._robotsieve import shard_name

from ._build import by_shard, shards_of
from ._captures import as_many_rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from robotsieve.typing import Plan

    from ._asked import Asked

#: So many rows of robots.txt files are packs, unless told otherwise, and more are joined. The packs pass through the
#: driver.
MOST_FILES = 200_000
#: So many bytes of packs, in the same way.
MOST_BYTES = 1 << 28
#: A task that packs takes so many files at least.
FILES_OF_SHARD = 2_000

_LOG = logging.getLogger("robotsieve.spark")
_WRITTEN = pa.schema([("shard", pa.int32()), ("origins", pa.int64()), ("bytes", pa.int64()), ("pack", pa.binary())])

#: The archives that were sent: Spark's workers fetch them for as long as the session lives.
_SENT: list[tempfile.TemporaryDirectory[str]] = []


def sent_packs(robots: DataFrame, asked: Asked, plan: Plan, partitions: int) -> str | None:
    """Sends packs with the job, made of captures or of what is in force. Returns the name that
    :func:`~._packs.with_packs` takes, or ``None`` if ``robots`` is to be joined. Says in the log which it is, and why.
    """
    if plan == "joined":
        return None
    is_free = plan == "auto"
    rows = as_many_rows(robots)
    files = (rows.limit(MOST_FILES + 1) if is_free else rows).count()
    if is_free and files > MOST_FILES:
        _LOG.info("joined: more than %s robots.txt files, so URLs and files are brought together by host", f"{MOST_FILES:,}")
        return None
    shards = min(partitions, 1 + files // FILES_OF_SHARD)
    most_bytes = MOST_BYTES // shards if is_free else None
    made = _packed(robots, asked, shards, most_bytes)
    size = sum(row["bytes"] for row in made)
    if any(row["pack"] is None for row in made):
        _LOG.info("joined: packs of %s robots.txt files would have %s bytes", f"{files:,}", f"{size:,}")
        return None
    name = f"robotsieve-{secrets.token_hex(8)}.pack"
    folder = tempfile.TemporaryDirectory(prefix="robotsieve-")
    _SENT.append(folder)
    archive = Path(folder.name) / f"{name}.zip"
    with zipfile.ZipFile(archive, "w") as out:
        for row in made:
            out.writestr(shard_name(row["shard"], shards), row["pack"])
    robots.sparkSession.addArtifacts(f"{archive}#{name}", archive=True)
    origins = sum(row["origins"] for row in made)
    _LOG.info("packs: %s origins, %s bytes, sent to the workers; no URL is moved", f"{origins:,}", f"{size:,}")
    return name


def _packed(robots: DataFrame, asked: Asked, shards: int, most_bytes: int | None) -> list[dict[str, Any]]:
    """The shards of a pack, those that are too large without their bytes."""
    # Only decisions name rules.
    config = Config(keep_rules=asked.what == "decisions")
    seed = secrets.randbits(64)

    def pack(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with tempfile.TemporaryDirectory() as folder:
            for shard in shards_of(batches, Path(folder), shards, asked, config, seed):
                is_large = most_bytes is not None and shard.bytes > most_bytes
                content = None if is_large else Path(shard.path).read_bytes()
                row = {"shard": shard.shard, "origins": shard.origins, "bytes": shard.bytes, "pack": content}
                yield pa.RecordBatch.from_pylist([row], _WRITTEN)

    rows = by_shard(robots, asked.profile, shards)
    written = rows.mapInArrow(pack, "shard int, origins long, bytes long, pack binary")
    made: list[dict[str, Any]] = written.toArrow().to_pylist()
    return made
