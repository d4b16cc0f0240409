"""How much is allowed: what people publish."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pyspark.sql import functions as F
from pyspark.sql.types import BooleanType, StructType

from ._keys import column_of, with_authority

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def summarise(
    out: DataFrame,
    *,
    by: Literal["crawler", "host", "country"] = "crawler",
    url: str = "url",
    column: str = "allowed",
) -> DataFrame:
    """Counts the verdicts that :func:`with_verdicts` has added (not the answers of
    :func:`with_answers`): a row for each crawler, or for each host or country-code domain and crawler.

    The columns are ``host`` or ``country`` (if asked for), ``crawler``, ``urls``, ``allowed``, ``disallowed``,
    ``unknown`` (no verdict) and ``share``: the allowed ones of those that have a verdict. ``country`` is the
    last label of the host if it has two letters (``uk``), and null for others, ``.com`` too. What is not a
    URL has no host.
    """
    if column not in out.columns:
        raise ValueError(f"no column '{column}'; the columns are {', '.join(out.columns)}")
    if by not in ("crawler", "host", "country"):
        raise ValueError(f"by must be 'crawler', 'host' or 'country', not {by!r}")
    kind = out.schema[column].dataType
    if isinstance(kind, BooleanType):
        verdicts = {column: column_of(column)}
    elif isinstance(kind, StructType) and all(
        isinstance(field.dataType, BooleanType) for field in kind.fields
    ):
        verdicts = {name: column_of(column)[name] for name in kind.names}
    else:
        raise TypeError(f"column '{column}' has no verdicts, but {kind.simpleString()}")
    groups = []
    if by != "crawler":
        out = with_authority(out, url, "_robotsieve_host")
        host = F.regexp_replace("_robotsieve_host", r":\d+$", "")
        if by == "country":
            label = F.substring_index(host, ".", -1)
            host = F.when(label.rlike("^[a-z]{2}$") & host.contains("."), label)
        groups = [host.alias(by)]
    counts = [F.count(F.lit(1)).alias("_urls")]
    for number, verdict in enumerate(verdicts.values()):
        counts.append(F.count_if(verdict).alias(f"_allowed_{number}"))
        counts.append(F.count_if(~verdict).alias(f"_disallowed_{number}"))
    counted = out.groupBy(*groups).agg(*counts)
    rows = F.array(
        *(
            F.struct(
                F.lit(name).alias("crawler"),
                F.col(f"_allowed_{number}").alias("allowed"),
                F.col(f"_disallowed_{number}").alias("disallowed"),
            )
            for number, name in enumerate(verdicts)
        )
    )
    counted = counted.withColumn("_row", F.explode(rows))
    allowed, disallowed = F.col("_row.allowed"), F.col("_row.disallowed")
    return counted.select(
        *([by] if groups else []),
        F.col("_row.crawler").alias("crawler"),
        F.col("_urls").alias("urls"),
        allowed.alias("allowed"),
        disallowed.alias("disallowed"),
        (F.col("_urls") - allowed - disallowed).alias("unknown"),
        F.try_divide(allowed, allowed + disallowed).alias("share"),
    )
