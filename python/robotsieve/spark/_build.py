"""Packs, written by all workers."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from robotsieve import Config, Origin, PackWriter
from robotsieve._robotsieve import shard_name

from ._asked import Asked
from ._captures import DIFFER, sites_of
from ._keys import with_shard
from ._partitions import in_partitions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from robotsieve.typing import AnyProfile, OneOrManyCrawlers

_SHARD = "_robotsieve_shard"
_WRITTEN = pa.schema(
    [("shard", pa.int32()), ("path", pa.string()), ("origins", pa.int64()), ("bytes", pa.int64())]
)


@dataclass(frozen=True)
class Shard:
    """A file of a pack."""

    shard: int
    path: str
    origins: int
    bytes: int


def new_folder(out: str | os.PathLike[str]) -> Path:
    """The path of a folder that is empty, or is not there yet."""
    folder = Path(os.path.abspath(out))
    if folder.exists() and any(folder.iterdir()):
        raise FileExistsError(f"'{folder}' is not empty: name a new folder")
    return folder


def build_packs(
    robots: DataFrame,
    out: str | os.PathLike[str],
    *,
    crawlers: OneOrManyCrawlers,
    shards: int = 64,
    profile: AnyProfile | None = None,
    config: Config | None = None,
    seed: int | None = None,
) -> list[Shard]:
    """Writes a pack of so many shards, and returns what was written.

    ``out`` is a new folder, under a path that leads to the same place on this machine and on all workers: not
    ``s3a:``. ``robots`` are captures (see :func:`in_force`), or what :func:`in_force` made of them. Each task
    writes one file, which gets its name when it is complete: a task that is tried again writes it again. The
    same ``robots`` and ``seed`` make the same bytes. ``robotsieve.Pack.open(out)`` and the command read the folder.
    """
    asked = Asked.of(crawlers, profile, "verdicts")
    if shards < 1:
        raise ValueError("shards must be 1 or more")
    folder = new_folder(out)
    seed = secrets.randbits(64) if seed is None else seed

    def write(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        folder.mkdir(parents=True, exist_ok=True)
        written = write_shards(batches, folder, shards, asked, config, seed)
        yield pa.RecordBatch.from_pylist([shard.__dict__ for shard in written], _WRITTEN)

    rows = by_shard(sites_of(robots, profile), shards, "url", "outcome", "body", "captured")
    written = rows.mapInArrow(write, from_arrow_schema(_WRITTEN)).collect()
    return [Shard(**row.asDict()) for row in sorted(written, key=lambda row: row["shard"])]


def by_shard(sites: DataFrame, shards: int, *columns: str) -> DataFrame:
    """These columns of what is in force, in the order in which :func:`write_shards` takes it."""
    sites = with_shard(sites.select(*columns), "url", _SHARD, shards)
    # A shard without sites is a file, too.
    numbers = sites.sparkSession.range(shards).select(F.col("id").cast("int").alias(_SHARD))
    rows = sites.unionByName(numbers, allowMissingColumns=True)
    return in_partitions(rows, shards, F.col(_SHARD)).sortWithinPartitions(_SHARD, "url")


def write_shards(
    batches: Iterable[pa.RecordBatch],
    folder: Path,
    shards: int,
    asked: Asked,
    config: Config | None,
    seed: int,
) -> list[Shard]:
    """Writes the shards of a partition of :func:`by_shard` into a folder. Those that are not complete leave
    nothing there.
    """
    writer = _Writer(folder, shards, asked, config, seed)
    try:
        for batch in batches:
            for row in batch.to_pylist():
                writer.add(row)
        writer.close()
    finally:
        writer.abandon()
    return writer.written


class _Writer:
    """Writes the shards of a partition, one after the other."""

    def __init__(
        self, folder: Path, shards: int, asked: Asked, config: Config | None, seed: int
    ) -> None:
        self.folder, self.shards, self.asked, self.config, self.seed = (
            folder, shards, asked, config, seed
        )
        self.written: list[Shard] = []
        self._open: PackWriter | None = None
        self._shard, self._path = -1, folder
        #: With a hash of what was added.
        self._origins: dict[Origin, int] = {}

    def add(self, row: dict[str, Any]) -> None:
        if row[_SHARD] != self._shard:
            self.close()
            self._begin(row[_SHARD])
        if row["url"] is None:
            return
        assert self._open is not None
        origin = Origin(row["url"])
        body = row["body"] if row["outcome"] == "rules" else None
        added = hash((row["outcome"], body))
        if self._origins.setdefault(origin, added) != added:
            raise ValueError(DIFFER.format(origin))
        captured = row.get("captured")
        if body is not None:
            self._open.add(origin, body, captured=captured)
        else:
            self._open.add(origin, outcome=row["outcome"], captured=captured)

    def _begin(self, shard: int) -> None:
        self._path = self.folder / shard_name(shard, self.shards)
        self._open = PackWriter(
            self._path,
            self.asked.crawlers,
            self.asked.profile,
            self.config,
            seed=self.seed,
            shard=(shard, self.shards),
        )
        self._shard = shard
        self._origins.clear()

    def close(self) -> None:
        if self._open is None:
            return
        self._open.close()
        self._open = None
        size = self._path.stat().st_size
        self.written.append(Shard(self._shard, str(self._path), len(self._origins), size))

    def abandon(self) -> None:
        """Leaves nothing of a file that is not complete."""
        if self._open is not None:
            self._open.abandon()
            self._open = None
