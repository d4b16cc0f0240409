"""What brings URLs and robots.txt files together: a hash of host and port."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType

from robotsieve import InvalidOrigin, Origin
from robotsieve._robotsieve import shards_of

from ._evaluate import with_column

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

#: A URL whose host is already in the form in which hosts are compared, and has no port; nearly all are.
#: Without groups that repeat: Java's are recursive, and a URL may be a megabyte.
_USUAL = r"^(?:https?|ftp)://([a-z0-9_.-]{1,253})(?:[/?#]|\z)"


def usual_authority(url: Column) -> Column:
    """Host and port of a URL, as text; null for the few that take a URL parser.

    It is exact: what this gives is what :attr:`robotsieve.Origin.authority` gives.
    """
    host = F.regexp_extract(url, _USUAL, 1)
    # An IPv4 address may be spelt in many ways, and so may what is in Punycode.
    last_label = F.substring_index(host, ".", -1)
    is_usual = last_label.between("a", "{") & ~host.contains("--")
    return F.when(is_usual, host)


def column_of(name: str) -> Column:
    """A column by its name, whatever that has in it."""
    return F.col("`" + name.replace("`", "``") + "`")


def with_authority(frame: DataFrame, url: str, name: str) -> DataFrame:
    """Adds host and port of each URL, as :attr:`robotsieve.Origin.authority` has them; null for what is not
    a URL.
    """
    text = column_of(url).cast("string")
    frame = frame.withColumn(name, usual_authority(text))
    # Python is asked only about the rest: for all others it gets a null, and gives one.
    rest = F.when(F.col(name).isNull(), text)
    parsed = f"{name}_parsed"
    frame = with_column(frame, parsed, [rest], _authorities, "string")
    return frame.withColumn(name, F.coalesce(name, parsed)).drop(parsed)


def with_shard(frame: DataFrame, url: str, name: str, shards: int) -> DataFrame:
    """Adds the shard of each URL, an int, as :meth:`robotsieve.Origin.shard` has it. What is not a URL gets some
    number, never null.
    """

    def evaluate(batches: Iterable[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
        for (urls,) in batches:
            yield pa.array(shards_of(urls, shards))

    return with_column(frame, name, [column_of(url)], evaluate, IntegerType())


def shard(authority: Column, shards: int) -> Column:
    """The same of host and port, computed by Spark."""
    return F.pmod(F.xxhash64(authority), F.lit(shards)).cast("int")


def _authorities(batches: Iterable[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
    for (urls,) in batches:
        if urls.null_count == len(urls):
            yield pa.nulls(len(urls), pa.string())
        else:
            yield pa.array([_authority(url) for url in urls], pa.string())


def _authority(url: pa.Scalar) -> str | None:
    # Not as text: it may not be UTF-8.
    buffer = url.as_buffer()
    if buffer is None:
        return None
    try:
        return Origin(buffer.to_pybytes()).authority
    except InvalidOrigin:
        return None
