"""Packs, as the workers have them."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark import SparkFiles
from pyspark.sql import functions as F

from robotsieve import Pack

from ._evaluate import with_column
from ._keys import column_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from ._asked import Asked

#: So many packs stay mapped in a worker.
MOST_OPEN = 8
#: What this worker has mapped, and what the files were like, the one used last at the end. A worker lives for many tasks.
_OPEN: dict[str, tuple[list[tuple[str, int, int, int]], Pack]] = {}


def with_packs(frame: DataFrame, url: str, path: str, asked: Asked, column: str) -> DataFrame:
    """The frame with the column that was asked for. Each worker maps the pack: no URL is moved."""
    check_on_a_worker(frame.sparkSession, path, asked)
    judge = PackColumn(path, asked, asked.raw)
    frame = with_column(frame, column, [column_of(url)], judge, asked.raw_type)
    return frame.withColumn(column, asked.shown(column_of(column)))


def check_on_a_worker(session: SparkSession, path: str, asked: Asked) -> None:
    """Raises an error now if a worker can't open the pack, or if it was made for other crawlers.

    Spark computes no column that nobody looks at: without this, ``count`` would pass with no pack at all.
    """
    url = F.lit(None).cast("string").alias("url")
    one = session.range(0, 1, 1, 1).select(url)
    judge = PackColumn(path, asked, asked.answer)
    with_column(one, "answer", [F.col("url")], judge, asked.type).collect()


@dataclass(frozen=True)
class PackColumn:
    """What a pack says of URLs in any order."""

    path: str
    asked: Asked
    answer: Callable[[Pack, pa.Array], pa.Array]

    def __call__(self, batches: Iterable[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
        pack = open_pack(self.path)
        self.asked.check(pack, self.path)
        for (urls,) in batches:
            yield self.answer(pack, urls)


def open_pack(path: str) -> Pack:
    """The pack at a path of this machine, or of this name among the files of the job.

    It stays open for the next task, unless it was replaced.
    """
    place = Path(path)
    if not place.exists() and not place.is_absolute():
        place = Path(SparkFiles.get(path))
    if not place.exists():
        raise FileNotFoundError(
            f"there is no pack '{path}' on the machine {socket.gethostname()}: put it on each machine at this "
            "path, on a file system that all of them mount, or send it with the job (--files, or "
            "spark.addArtifacts(path, file=True)) and give its name alone"
        )
    found = _identity(place)
    known = _OPEN.get(str(place))
    if known is None or known[0] != found:
        known = (found, Pack.open(place))
    _OPEN.pop(str(place), None)
    _OPEN[str(place)] = known
    while len(_OPEN) > MOST_OPEN:
        del _OPEN[next(iter(_OPEN))]
    return known[1]


def is_pack(name: str) -> bool:
    """Whether a path is that of a pack: by its name, or by what is there, if this machine can see it."""
    place = Path(name)
    return place.suffix == ".pack" or (place.is_dir() and any(place.glob("shard-*.pack")))


def _identity(place: Path) -> list[tuple[str, int, int, int]]:
    """What differs if one of the files is replaced."""
    if not place.is_dir():
        entries = [(str(place), place.stat())]
    else:
        with os.scandir(place) as found:
            entries = sorted((entry.name, entry.stat()) for entry in found)
    return [(name, stat.st_ino, stat.st_size, stat.st_mtime_ns) for name, stat in entries]
