"""From URLs to verdicts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Literal

from pyspark.sql.types import BinaryType, StringType

from ._asked import Asked
from ._joined import with_joined
from ._packs import with_packs

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from robotsieve.typing import AnyProfile


def with_verdicts(
    urls: DataFrame,
    url: str = "url",
    *,
    crawlers: str | Iterable[str],
    robots: str | os.PathLike[str] | DataFrame,
    profile: AnyProfile | None = None,
    column: str = "allowed",
    words: bool = False,
    partitions: int | None = None,
    skew: float | Mapping[str, float] | None = 0.01,
) -> DataFrame:
    asked = Asked.of(crawlers, profile, column, words)
    _check(urls, url, column)
    if isinstance(robots, (str, os.PathLike)):
        return with_packs(urls, url, os.fspath(robots), asked)
    if partitions is None:
        partitions = int(str(urls.sparkSession.conf.get("spark.sql.shuffle.partitions")))
    return with_joined(urls, url, robots, asked, partitions=partitions, skew=skew)


def _check(urls: DataFrame, url: str, column: str) -> None:
    if url not in urls.columns:
        raise ValueError(f"no column '{url}'; the columns are {', '.join(urls.columns)}")
    kind = urls.schema[url].dataType
    if not isinstance(kind, (StringType, BinaryType)):
        raise TypeError(f"column '{url}' must be string or binary, not {kind.simpleString()}")
    if column in urls.columns:
        raise ValueError(f"there is a column '{column}' already: say column= for another name")
