"""Rows, each in the partition that a number names."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def in_partitions(frame: DataFrame, count: int, number: Column) -> DataFrame:
    """The frame in so many partitions. Rows with the same number are in the same one; since Spark 4.1 it is
    that number, before several numbers may share one.
    """
    if hasattr(frame, "repartitionById"):
        return frame.repartitionById(count, number)
    return frame.repartition(count, number)
