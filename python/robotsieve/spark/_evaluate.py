"""A column computed by Python, batch by batch."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd  # type: ignore[import-untyped, unused-ignore]
import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType, DataType, StringType, StructType

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

#: From batches of some columns to batches of one, each as long as its own.
Evaluation = Callable[[Iterable[tuple[pa.Array, ...]]], Iterator[pa.Array]]


def check_columns(urls: DataFrame, url: str, column: str) -> None:
    """Raises an error unless there is a column of URLs, and room for the new one."""
    if url not in urls.columns:
        raise ValueError(f"no column '{url}'; the columns are {', '.join(urls.columns)}")
    kind = urls.schema[url].dataType
    if not isinstance(kind, (StringType, BinaryType)):
        raise TypeError(f"column '{url}' must be string or binary, not {kind.simpleString()}")
    is_exact = str(urls.sparkSession.conf.get("spark.sql.caseSensitive")).lower() == "true"
    for name in urls.columns:
        if name == column or (not is_exact and name.lower() == column.lower()):
            raise ValueError(f"there is a column '{name}' already: say column= for another name")


def with_column(
    frame: DataFrame, name: str, inputs: Sequence[Column], evaluation: Evaluation, data_type: Any
) -> DataFrame:
    """Adds a column. ``evaluation`` is called once for each partition, and sees its rows in their order.

    For Spark it is not deterministic, although it is: so Spark neither moves a filter in front of it nor
    evaluates it twice.
    """
    if hasattr(F, "arrow_udf"):
        # Only the inputs go to Python, and only the result comes back.
        arrow_udf: Any = F.arrow_udf
        function = arrow_udf(_of_arrays(evaluation), data_type).asNondeterministic()
        return frame.withColumn(name, function(*inputs))
    return _through_python(frame, name, inputs, evaluation, data_type)


def function_of(evaluation: Evaluation, data_type: DataType) -> Any:
    """A function of one column, for expressions and for SQL. It is deterministic: filters may be moved in front
    of it.
    """
    if hasattr(F, "arrow_udf"):
        arrow_udf: Any = F.arrow_udf
        return arrow_udf(_of_arrays(evaluation), data_type)
    from pyspark.sql.pandas.functions import pandas_udf as typed_pandas_udf

    pandas_udf: Any = typed_pandas_udf
    kind: Any = Iterator[pd.DataFrame] if isinstance(data_type, StructType) else Iterator[pd.Series]

    def evaluate(batches):  # type: ignore[no-untyped-def]
        for result in evaluation((pa.array(urls),) for urls in batches):
            yield _as_pandas(result)

    evaluate.__annotations__ = {"batches": Iterator[pd.Series], "return": kind}
    return pandas_udf(evaluate, data_type)


def _as_pandas(column: pa.Array) -> pd.Series | pd.DataFrame:
    if not pa.types.is_struct(column.type):
        return pd.Series(column.to_pylist(), dtype=object)
    # Structs within it as Spark takes them: as dictionaries.
    columns = zip((field.name for field in column.type), column.flatten(), strict=True)
    return pd.DataFrame({name: pd.Series(part.to_pylist(), dtype=object) for name, part in columns})


def _of_arrays(
    evaluation: Evaluation,
) -> Callable[[Iterator[tuple[pa.Array, ...]]], Iterator[pa.Array]]:
    def evaluate(batches: Iterator[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
        # Spark gives a single column without a tuple around it.
        return evaluation(batch if isinstance(batch, tuple) else (batch,) for batch in batches)

    return evaluate


def _through_python(
    frame: DataFrame, name: str, inputs: Sequence[Column], evaluation: Evaluation, data_type: Any
) -> DataFrame:
    """The same before Spark 4.1: all columns go through Python."""
    width = len(frame.columns)
    # A list of its own: that of the frame is kept by it.
    schema = StructType([*frame.schema.fields]).add(name, data_type)

    def evaluate(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        waiting: deque[pa.RecordBatch] = deque()

        def taken() -> Iterator[tuple[pa.Array, ...]]:
            for batch in batches:
                waiting.append(batch)
                yield tuple(batch.columns[width:])

        for result in evaluation(taken()):
            columns = [*waiting.popleft().columns[:width], result]
            yield pa.RecordBatch.from_arrays(columns, names=schema.names)

    asked = [column.alias(f"{name}_{number}") for number, column in enumerate(inputs)]
    return frame.select("*", *asked).mapInArrow(evaluate, schema)
