"""Robots.txt files and URLs, brought together by host."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql import functions as F

from robotsieve import Origin, PolicySet

from ._captures import DIFFER
from ._evaluate import with_column
from ._keys import column_of, shard, usual_authority, with_shard
from ._partitions import in_partitions

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from robotsieve.typing import Outcome

    from ._asked import Asked
    from ._rights_asked import Files, RightsAsked

#: Columns that exist between the steps.
_HASH, _ORDER, _BODY, _PART = (f"_robotsieve_{name}" for name in ("hash", "order", "body", "part"))

#: So many hashes there are: as many as an int has that is not negative.
_HASHES = 1 << 31

#: What is known of a site, as the first byte of what is sent: a capital if it may say more. After the first one comes
#: the file.
_OUTCOMES: dict[Outcome, bytes] = {"rules": b"r", "allow-all": b"a", "disallow-all": b"d"}

#: A host is divided if its URLs would be more than this share of what a partition has on average.
_LARGE_SHARE = 0.25
#: Fewer URLs in the sample say too little about a host.
_LEAST_SAMPLED = 16
#: At most so many hosts are divided.
_MOST_DIVIDED = 1000


def check_joining(
    urls: DataFrame, partitions: int | None, skew: float | Mapping[str, float] | None
) -> int:
    """The number of partitions in which URLs and files are brought together."""
    if isinstance(skew, (int, float)) and not 0 < skew <= 1:
        raise ValueError(f"skew must be a share of the URLs, above 0 and up to 1, not {skew}")
    if partitions is None:
        return int(str(urls.sparkSession.conf.get("spark.sql.shuffle.partitions")))
    if partitions < 1:
        raise ValueError(f"partitions must be 1 or more, not {partitions}")
    return partitions


def with_joined(
    frame: DataFrame,
    url: str,
    sites: DataFrame,
    asked: Asked | RightsAsked,
    column: str,
    *,
    partitions: int,
    skew: float | Mapping[str, float] | None,
    more: Sequence[str] = (),
) -> DataFrame:
    """The frame with the column that was asked for. ``sites`` has what is in force for each origin; ``more`` are
    columns that are judged beside the URLs.
    """
    parts = _parts(frame, url, partitions, skew)
    frame = with_shard(frame, url, _HASH, _HASHES)
    sites = with_shard(_bodies(sites), "url", _HASH, _HASHES)
    if parts:
        hash_ = F.col(_HASH)
        number = F.lit(1)
        for count, hashes in parts.items():
            number = F.when(hash_.isin(hashes), F.lit(count)).otherwise(number)
        # The same in every attempt at a task.
        part = F.pmod(F.xxhash64(column_of(url)), number)
        sites = sites.withColumn(_PART, F.explode(F.sequence(F.lit(0), number - 1)))
    else:
        part = F.lit(0)
        sites = sites.withColumn(_PART, F.lit(0))
    frame = frame.withColumn(_PART, part).withColumn(_BODY, F.lit(None).cast("binary"))
    columns = [
        F.col("url").cast(field.dataType).alias(url)
        if field.name == url
        else F.lit(None).cast(field.dataType).alias(field.name)
        for field in frame.schema.fields
        if field.name not in (_HASH, _PART, _BODY)
    ]
    both = frame.unionByName(sites.select(*columns, _HASH, _PART, _BODY))
    # One number to sort by: Spark then needs no comparisons. Files come before URLs.
    order = F.shiftleft(F.col(_HASH).cast("long"), 1).bitwiseOR(F.col(_BODY).isNull().cast("long"))
    place = F.pmod(F.pmod(F.col(_HASH), F.lit(partitions)) + F.col(_PART), F.lit(partitions))
    both = both.withColumn(_ORDER, order).withColumn(_PART, place.cast("int"))
    both = both.drop(_HASH)
    both = in_partitions(both, partitions, F.col(_PART))
    both = both.sortWithinPartitions(_ORDER).drop(_ORDER, _PART)
    inputs = [column_of(url), F.col(_BODY), *map(column_of, more)]
    both = with_column(both, column, inputs, SortedVerdicts(asked), asked.raw_type)
    both = both.where(F.col(_BODY).isNull()).drop(_BODY)
    return both.withColumn(column, asked.shown(column_of(column)))


def _bodies(sites: DataFrame) -> DataFrame:
    """Of sites of which something is known: URL, and outcome with robots.txt file, never null."""
    may_say_more = F.col("may_say_more") if "may_say_more" in sites.columns else F.lit(False)
    first = F.lit(None).cast("binary")
    for outcome, byte in _OUTCOMES.items():
        of_outcome = F.when(may_say_more, F.lit(byte.upper())).otherwise(F.lit(byte))
        first = F.when(F.col("outcome") == outcome, of_outcome).otherwise(first)
    file = F.when(F.col("outcome") == "rules", F.col("body")).otherwise(F.lit(b""))
    return sites.select("url", F.concat(first, file).alias(_BODY)).where(F.col(_BODY).isNotNull())


def _add(sites: PolicySet | Files, origin: Origin, sent: bytes) -> None:
    """Adds a site, by what was sent of it."""
    first = sent[:1]
    for outcome, byte in _OUTCOMES.items():
        if byte != first.lower():
            continue
        body = sent[1:] if outcome == "rules" else None
        if isinstance(sites, PolicySet):
            sites.add(origin, body, outcome=outcome)
        else:
            sites.add(origin, body, outcome=outcome, is_doubtful=first.isupper())


def _parts(
    frame: DataFrame, url: str, partitions: int, skew: float | Mapping[str, float] | None
) -> dict[int, list[int]]:
    """Into how many parts hosts are divided, with the hashes of these hosts."""
    if not skew or partitions == 1:
        return {}
    least = _LARGE_SHARE / partitions
    if isinstance(skew, Mapping):
        given = frame.sparkSession.createDataFrame(list(skew.items()), "host string, share double")
        shares = [tuple(row) for row in given.select(shard(F.col("host"), _HASHES), "share").collect()]
    else:
        sample = frame.select(column_of(url))
        sample = sample if skew == 1 else sample.sample(float(skew), 1)
        authority = usual_authority(column_of(url).cast("string"))
        hashes = sample.where(authority.isNotNull()).select(shard(authority, _HASHES).alias(_HASH))
        # The first row has no hash: it is the number of all.
        counts = hashes.rollup(_HASH).count().orderBy(F.desc("count"))
        rows = counts.limit(_MOST_DIVIDED + 1).collect()
        total = rows[0]["count"] if rows else 0
        shares = [
            (row[_HASH], row["count"] / total) for row in rows[1:] if row["count"] >= _LEAST_SAMPLED
        ]
    parts: dict[int, list[int]] = {}
    for hash_, share in shares:
        if share <= least:
            continue
        count = 2 ** math.ceil(math.log2(share / least))
        parts.setdefault(min(count, partitions), []).append(hash_)
    return parts


@dataclass(frozen=True)
class SortedVerdicts:
    """The verdicts on rows of which those with a robots.txt file come right before the URLs of its host.

    Memory: the files of a batch and their policies; and those of the host that goes on in the next one.
    """

    asked: Asked | RightsAsked

    def __call__(self, batches: Iterable[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
        asked: Any = self.asked
        sites = asked.policy_set()
        carried: list[tuple[bytes, bytes]] = []
        for urls, bodies, *more in batches:
            if bodies.null_count < len(bodies):
                is_file = bodies.is_valid()
                files = list(
                    zip(
                        urls.filter(is_file).to_pylist(),
                        bodies.filter(is_file).to_pylist(),
                        strict=True,
                    )
                )
                sites = asked.policy_set()
                known: dict[Origin, bytes] = {}
                for url, body in carried + files:
                    origin = Origin(url)
                    if known.setdefault(origin, body) != body:
                        raise ValueError(DIFFER.format(origin))
                    _add(sites, origin, body)
                carried = _of_last_host(carried + files)
            yield asked.raw(sites, urls, *more)


def _of_last_host(files: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """The last files that may be for the same host: those of the same hash."""
    last = Origin(files[-1][0]).shard(_HASHES)
    begin = len(files)
    while begin and Origin(files[begin - 1][0]).shard(_HASHES) == last:
        begin -= 1
    return files[begin:]
