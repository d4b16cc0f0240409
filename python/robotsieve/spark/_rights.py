"""From pages to what may be done with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql import DataFrame
from pyspark.sql.types import ArrayType, BinaryType, DataType, MapType, StringType, StructType

from robotsieve import RightsReader

from ._captures import sites_of
from ._evaluate import check_columns, with_column
from ._joined import check_joining, with_joined
from ._keys import column_of
from ._rights_asked import TYPE, RightsAsked, type_of_records

if TYPE_CHECKING:
    from robotsieve.typing import AnyCrawler, AnyProfile, TagReading, Text


def with_rights(
    pages: DataFrame,
    url: str = "url",
    *,
    crawler: AnyCrawler,
    headers: str | None = None,
    html: str | None = None,
    robots: str | DataFrame | None = None,
    files: Mapping[str, Text] | None = None,
    captures: str | None = None,
    reading: TagReading = "generic",
    vocabulary: str = "08",
    now: datetime | float | None = None,
    policy_tokens: Iterable[str] | None = None,
    profile: AnyProfile | None = None,
    column: str = "rights",
    partitions: int | None = None,
    skew: float | Mapping[str, float] | None = 0.01,
    xmp: str | None = None,
) -> DataFrame:
    """Adds a column that says what a crawler may do with each page: a struct of what
    :class:`robotsieve.RightsColumns` has, ``crawl``, ``index``, ``snippet``, ``ai-input``, ``ai-train``, ``by`` and the rest.

    ``url``, ``headers``, ``html`` and ``xmp`` (bytes of images, videos and PDFs) are names of columns. URLs and pages are string or binary; headers are
    ``map<string, string>`` or ``map<string, array<string>>``, an array of structs of name and value, or text with
    ``Name: value`` lines. A row whose URL or header is invalid says so, and ends no job.

    ``robots`` is one of

    - the name of a column that has the robots.txt of each row, string or binary: each file is compiled once by a task;
    - a DataFrame as :func:`with_verdicts` takes it, of captures or of what :func:`in_force` made of them. It is brought
      together with the pages by host, pages included, as with ``plan="joined"``; ``partitions`` and ``skew`` are as there.
      A site that forbids all because it fails (5xx) disallows crawling with no statement in ``by``. One whose
      robots.txt may say more (``may_say_more``) has the note ``robots-not-read``.

    Without it crawling is unknown. Packs hold no more than what is said of crawling.

    ``captures`` is the name of a column of structs, of what archives know of the responses, as
    :meth:`robotsieve.RightsReader.columns` takes them. The struct then has the members of the records of
    ``robotsieve rights --warc``, by the same names.

    The others are as for :class:`robotsieve.RightsReader`; ``now`` is by default the time of this call, for all rows. ``files``
    are small: every task gets them. Spark sends a worker ``spark.sql.execution.arrow.maxRecordsPerBatch`` pages at a time:
    of 50 kB each, 10,000 take 500 MB.
    """
    reader = RightsReader(
        crawler,
        reading=reading,
        vocabulary=vocabulary,
        now=now,
        policy_tokens=policy_tokens,
        profile=profile,
    )
    check_columns(pages, url, column)
    given = {
        name: of
        for name, of in (("headers", headers), ("html", html), ("xmp", xmp), ("robots", robots), ("captures", captures))
        if isinstance(of, str)
    }
    for name, of in given.items():
        _check(pages, name, of)
    if robots is not None and not isinstance(robots, (str, DataFrame)):
        raise TypeError(
            f"robots must be the name of a column or a DataFrame, not {type(robots).__name__}"
        )
    sent = {address: _bytes(file) for address, file in (files or {}).items()}
    # Errors now, and not on a worker an hour later.
    reader.columns([], files=sent)
    of_captures = None if captures is None else pages.schema[captures].dataType
    kind = type_of_records(reader, of_captures) if isinstance(of_captures, StructType) else TYPE
    asked = RightsAsked(reader, tuple(given), sent, kind)
    if robots is None or isinstance(robots, str):
        inputs = [column_of(name) for name in (url, *given.values())]
        return with_column(pages, column, inputs, RightsColumn(asked), kind)
    partitions = check_joining(pages, partitions, skew)
    sites = sites_of(robots, profile)
    return with_joined(
        pages,
        url,
        sites,
        asked,
        column,
        partitions=partitions,
        skew=skew,
        more=list(given.values()),
    )


def _bytes(file: Text) -> bytes:
    return file.encode("utf-8", "surrogateescape") if isinstance(file, str) else bytes(file)


def _check(pages: DataFrame, name: str, of: str) -> None:
    if of not in pages.columns:
        way_out = (
            ": packs hold no rights; give a DataFrame of captures" if of.endswith(".pack") else ""
        )
        raise ValueError(
            f"{name}: no column '{of}'{way_out}; the columns are {', '.join(pages.columns)}"
        )
    kind = pages.schema[of].dataType
    if name == "captures":
        if not isinstance(kind, StructType):
            raise TypeError(f"captures: column '{of}' must be a struct, not {kind.simpleString()}")
        return
    if not _is_text(kind) and not (name == "headers" and _is_header(kind)):
        taken = "string or binary" if name != "headers" else "a map, an array of pairs, string or binary"
        raise TypeError(f"{name}: column '{of}' must be {taken}, not {kind.simpleString()}")


def _is_text(kind: DataType) -> bool:
    return isinstance(kind, (StringType, BinaryType))


def _is_header(kind: DataType) -> bool:
    if isinstance(kind, MapType):
        pair = [kind.keyType, kind.valueType]
    elif isinstance(kind, ArrayType) and isinstance(kind.elementType, StructType):
        pair = [part.dataType for part in kind.elementType.fields]
    else:
        return False
    if len(pair) == 2 and isinstance(pair[1], ArrayType):
        pair[1] = pair[1].elementType
    return len(pair) == 2 and all(map(_is_text, pair))


@dataclass(frozen=True)
class RightsColumn:
    """The rights of pages in any order."""

    asked: RightsAsked

    def __call__(self, batches: Iterable[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
        for urls, *columns in batches:
            yield self.asked.raw(None, urls, *columns)
