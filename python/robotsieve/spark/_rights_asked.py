"""What is asked about each page, and the type of the column that answers it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql.types import ArrayType, DataType, LongType, StringType, StructType

from robotsieve import InvalidOrigin, Origin, RightsReader
from robotsieve._robotsieve import Doubtful

if TYPE_CHECKING:
    from pyspark.sql import Column

    from robotsieve.typing import Body, Outcome


def _lists(*names: str) -> ArrayType:
    item = StructType()
    for name in names:
        item = item.add(name, StringType())
    return ArrayType(item)


def _type() -> StructType:
    columns = StructType()
    for purpose in ("crawl", "index", "snippet", "ai-input", "ai-train", "ai-index"):
        columns = columns.add(purpose, StringType())
    limits = StructType().add("max-snippet", LongType())
    return (
        columns.add("by", _lists("purpose", "place", "version"))
        .add("licences", _lists("kind", "url", "via", "state"))
        .add("licensable", ArrayType(StringType()))
        .add("conditions", _lists("purpose", "condition"))
        .add("limits", limits.add("index", StringType()).add("ai-input", StringType()))
        .add("use", StringType())
        .add("notes", ArrayType(StringType()))
        .add("invalid", StringType())
    )


#: As :class:`robotsieve.RightsColumns` has them, in types that Spark has.
TYPE = _type()


def type_of_records(reader: RightsReader, captures: StructType) -> StructType:
    """The type with captures: the columns of records, in their order."""
    known = {part.name: part.dataType for part in (*captures.fields, *TYPE.fields)}
    nulls = [pa.nulls(1, pa.string()) for _ in captures.fields]
    made = reader.columns(["/"], captures=pa.table(nulls, names=captures.fieldNames()))
    columns = StructType()
    for name in pa.table(made).column_names:
        columns = columns.add(name, known.get(name, StringType()))
    return columns


@dataclass
class Files:
    """The robots.txt files of some sites."""

    #: Only of sites that have one, or say that they have none.
    known: dict[Origin, Body | Doubtful] = field(default_factory=dict)
    #: The origins that forbid all.
    closed: set[Origin] = field(default_factory=set)

    def add(self, origin: Origin, body: bytes | None, *, outcome: Outcome, is_doubtful: bool) -> None:
        if outcome == "disallow-all":
            self.closed.add(origin)
        else:
            file = b"" if body is None else body
            self.known[origin] = Doubtful(file) if is_doubtful else file

    def is_closed(self, url: Any) -> bool:
        buffer = url.as_buffer()
        try:
            return buffer is not None and Origin(buffer.to_pybytes()) in self.closed
        except InvalidOrigin:
            return False


@dataclass(frozen=True)
class RightsAsked:
    """Whose rights, by which texts, and from which columns."""

    reader: RightsReader
    #: The names of the columns after that of URLs.
    given: tuple[str, ...]
    files: dict[str, bytes]
    raw_type: DataType = TYPE

    def shown(self, raw: Column) -> Column:
        return raw

    def policy_set(self) -> Files:
        return Files()

    def raw(self, sites: Files | None, urls: pa.Array, *columns: pa.Array) -> pa.Array:
        """What is said of some URLs."""
        given: dict[str, Any] = dict(zip(self.given, columns, strict=True))
        if sites is not None:
            given["robots"] = sites.known
        # That of this process keeps what it compiled for the batches before.
        reader = _READERS.setdefault(self.reader, self.reader)
        table = pa.table(reader.columns(urls, files=self.files, **given)).combine_chunks()
        parts = [_plain(part) for part in table.itercolumns()]
        if sites is not None and sites.closed:
            place = table.column_names.index("crawl")
            crawl = zip(parts[place].to_pylist(), urls, strict=True)
            parts[place] = pa.array(
                [
                    "disallow" if said == "unknown" and sites.is_closed(url) else said
                    for said, url in crawl
                ],
                pa.string(),
            )
        return pa.StructArray.from_arrays(parts, names=table.column_names)


#: The readers of this process, each with what it compiled.
_READERS: dict[RightsReader, RightsReader] = {}


def _plain(column: pa.ChunkedArray) -> pa.Array:
    """The column in types that Spark has."""
    kind = _plain_type(column.type)
    chunks = [chunk.cast(kind) for chunk in column.chunks]
    if len(chunks) == 1:
        return chunks[0]
    return pa.concat_arrays(chunks) if chunks else pa.array([], kind)


def _plain_type(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_dictionary(kind) or pa.types.is_large_string(kind):
        return pa.string()
    if pa.types.is_large_list(kind):
        return pa.list_(_plain_type(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([(part.name, _plain_type(part.type)) for part in kind])
    return pa.int64() if kind == pa.uint32() else kind
