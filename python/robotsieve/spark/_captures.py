"""Captures: what sites answered when they were asked, and what all of that means for each of them.

The same as ``robotsieve pack`` does with captures (``docs/formats.md``, "What packs are made from"), step by
step:

1. each row says something of the URL that was asked for (``said_of``);
2. a redirect, or a revisit, says what another capture says: `_follow`, once for each hop;
3. of all that was said of an origin, the profile makes one outcome (``judge``).
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Literal, get_args
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema, from_arrow_type

from robotsieve._robotsieve import (
    MAX_HOPS,
    CapturesOf,
    WarcCaptures,
    capture_key,
    judge,
    row_key,
    said_of,
)
from robotsieve.typing import Outcome

from ._evaluate import with_column

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession

    from robotsieve.typing import AnyProfile

#: What to do about rows that are no captures.
Damaged = Literal["fail", "keep"]

_WARC_COLUMNS = (
    "url string, status int, body binary, time timestamp, location string, error string, lifetime long, "
    "same_as_url string, same_as_time timestamp, file string, offset long, damage string"
)
_OPTIONAL = {
    "body": "binary",
    "time": "timestamp",
    "location": "string",
    "error": "string",
    "lifetime": "long",
    "same_as_url": "string",
    "same_as_time": "timestamp",
    "file": "string",
    "offset": "long",
    "damage": "string",
}
#: So many times a redirect or a revisit is followed: before each redirect, and the one too many, may be a revisit.
_ROUNDS = 2 * (MAX_HOPS + 1)


def read_robots_warc(
    spark: SparkSession, paths: str | Iterable[str], *, damaged: Damaged = "fail"
) -> DataFrame:
    """The captures in WARC files: plain, gzip or zstd. Whole files are read in parallel.

    ``paths`` are files, folders or patterns, as ``spark.read.load`` takes them. The workers open what is under
    ``file:`` themselves, so all of them must see it, and read it in bounded memory. From elsewhere (``s3a:``,
    ``hdfs:``) Spark hands over each file as a whole, and it may have 2 GB at most.

    The columns are ``url, status, body, time, location`` and, from archives only, ``error`` (why there was no
    answer), ``lifetime`` (seconds, by the headers), ``same_as_url`` and ``same_as_time`` (a revisit; one
    that says by an id or a digest alone what it repeats is damaged; empty if what the site said is unknown),
    ``file``, ``offset`` and ``damage``. Redirects are rows like others: :func:`in_force` follows them. Write
    the captures to a table before: :func:`in_force` reads them several times.

    A damaged place ends the job with an error that names file and byte. With ``damaged="keep"`` it becomes a
    row that has nothing but ``file``, ``offset`` and ``damage``, and reading goes on behind it.
    """
    _check_damaged(damaged)
    names = [paths] if isinstance(paths, str) else [os.fspath(path) for path in paths]
    files = spark.read.format("binaryFile").load(names)
    is_local = all(urlsplit(file).scheme == "file" for file in files.inputFiles())
    # Without `content`, Spark only lists the files.
    asked = files.select("path") if is_local else files.select("path", "content")

    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for row in range(batch.num_rows):
                name = batch.column(0)[row].as_py()
                content = None if is_local else batch.column(1)[row].as_buffer()
                for some in _open(name, content):
                    found = pa.record_batch(some)
                    if damaged == "fail":
                        _refuse_damage(found)
                    yield found

    return asked.mapInArrow(read, _WARC_COLUMNS)


def _open(name: str, content: pa.Buffer | None) -> WarcCaptures:
    if content is not None:
        return WarcCaptures(content, name)
    name = name.removeprefix("file:").removeprefix("//")
    try:
        return WarcCaptures(name)
    except FileNotFoundError as error:
        raise FileNotFoundError(
            f"there is no '{name}' on the machine {socket.gethostname()}: all workers must see the files that "
            "Spark lists there"
        ) from error


def _refuse_damage(found: pa.RecordBatch) -> None:
    damage = found.column("damage")
    if damage.null_count == len(damage):
        return
    row = damage.is_valid().index(pa.scalar(True)).as_py()
    file, offset, what = (found.column(name)[row] for name in ("file", "offset", "damage"))
    raise ValueError(
        f"{file}, byte {offset}: {what}; damaged='keep' makes such places rows, and reads on behind them"
    )


def _check_damaged(damaged: str) -> None:
    if damaged not in ("fail", "keep"):
        raise ValueError(f"damaged must be 'fail' or 'keep', not {damaged!r}")


def in_force(
    captures: DataFrame,
    *,
    profile: AnyProfile | None = None,
    as_of: int | None = None,
    damaged: Damaged = "fail",
) -> DataFrame:
    """What is in force for each origin, by all of its captures: one row each.

    ``captures`` has the columns ``url`` (the ``/robots.txt`` of a site, or the site without any path,
    ``https://example.com``; everything else, ``https://example.com/`` too, is only what redirects may lead to) and
    ``status``; ``body`` (needed with 2xx); and, if known, ``time`` (a timestamp, or seconds since
    1970) and ``location`` of redirects; or those of :func:`read_robots_warc`. It is read several times: write
    it to a table first if it is expensive.

    An origin of which nothing was learnt, as by a 511 (the answer of a network's login page), has no row. The
    result has ``url`` (the ``/robots.txt`` of the origin), ``outcome`` (``rules``, ``allow-all``,
    ``disallow-all``, ``unknown``), ``body`` (with ``rules``), ``captured`` (seconds since 1970, or null) and
    ``may_say_more``: true if a 403 or the like did not show that there is no file, or if a newer answer is
    broken or leads to what is not known. Crawlers need not mind; :func:`with_rights` does.

    ``as_of``, in seconds since 1970, leaves out what was captured later. A row that can't be a capture, such
    as a 200 without a body, ends the job with an error, or is left out with ``damaged="keep"``.
    """
    _check_damaged(damaged)
    may_lead = not {"location", "same_as_url"}.isdisjoint(captures.columns)
    given, captures = captures, _uniform(captures)
    if damaged == "keep":
        captures = captures.where("damage is null")
    if as_of is not None:
        captures = captures.where(F.coalesce("time", F.lit(0)) <= as_of)
    said = _with_said(captures, damaged)
    # What tells captures of a URL apart, and orders those of the same time.
    number = F.struct(
        F.coalesce("file", F.lit("")).alias("file"),
        F.coalesce("offset", F.lit(0)).alias("offset"),
        F.xxhash64("status", "location", "body").alias("hash"),
    )
    thin = said.select(
        F.col("said.key").alias("key"),
        F.col("said.is_origin").alias("is_origin"),
        F.coalesce("time", F.lit(0)).alias("at"),
        number.alias("number"),
        F.col("said.word").alias("word"),
        F.col("said.detail").alias("detail"),
        F.col("said.target").alias("target"),
        F.col("said.exactly").alias("exactly"),
        F.col("said.own").alias("own"),
    ).where("word != 'nothing'")
    leads = F.col("word").isin("redirect", "same")
    own = thin.where("is_origin").where(~leads).select(
        "key", "at", "number", F.lit(0).alias("hops"), "word", "detail",
        F.col("key").alias("held_by"), F.col("at").alias("held_at"), F.col("number").alias("held_number"),
    )
    history = own.unionByName(_followed(thin, leads)) if may_lead else own
    judged = _judged(history, profile, as_of)
    bodies = said.where("said.word = 'file'").select(
        F.col("said.key").alias("held_by"),
        F.coalesce("time", F.lit(0)).alias("held_at"),
        number.alias("held_number"),
        "body",
    )
    found = judged.join(bodies, ["held_by", "held_at", "held_number"], "left")
    # Rows that are there twice have found two bodies, which are the same.
    found = found.dropDuplicates(["key"])
    captured = F.when(F.col("captured") > 0, F.col("captured"))
    judged_files = found.select(
        F.concat("key", F.lit("/robots.txt")).alias("url"),
        "outcome",
        F.when(F.col("outcome") == "rules", F.col("body")).alias("body"),
        captured.alias("captured"),
        "may_say_more",
    )
    _CAPTURES_OF[judged_files] = given
    return judged_files


#: What :func:`in_force` and :func:`sites_of` computed a frame from.
_CAPTURES_OF: WeakKeyDictionary[DataFrame, DataFrame] = WeakKeyDictionary()


def as_many_rows(robots: DataFrame) -> DataFrame:
    """What has as many rows as captures or as what is in force, or more, but takes less to count."""
    return _CAPTURES_OF.get(robots, robots)


#: The error about rows of which the order, which Spark does not promise, would choose one.
DIFFER = "{} has two rows that say different things are in force; in_force makes one row of captures"


def sites_of(robots: DataFrame, profile: AnyProfile | None) -> DataFrame:
    """What is in force, given that or captures."""
    if not isinstance(robots, DataFrame):
        raise TypeError(f"robots must be the path of a pack or a DataFrame, not {type(robots).__name__}")
    if "outcome" not in robots.columns:
        return in_force(robots, profile=profile)
    # Also a table, which may have anything.
    row = F.concat(F.coalesce(F.col("url").cast("string"), F.lit("a null")), F.lit(" has the outcome "), F.coalesce("outcome", F.lit("null")))
    what = F.when(F.col("outcome") == "rules", F.lit(" and no body; rules have one"))
    expected = what.otherwise(F.lit("; a row has a URL and rules, allow-all, disallow-all or unknown"))
    has_body = (F.col("outcome") != "rules") | F.col("body").isNotNull()
    is_expected = F.col("url").isNotNull() & F.col("outcome").isin(*get_args(Outcome)) & has_body
    checked = F.when(is_expected, F.col("outcome")).otherwise(F.raise_error(F.concat(row, expected)))
    sites = robots.withColumn("outcome", checked)
    _CAPTURES_OF[sites] = as_many_rows(robots)
    return sites


def _uniform(captures: DataFrame) -> DataFrame:
    """All columns, of one type each: ``time`` in seconds."""
    for name in ("url", "status"):
        if name not in captures.columns:
            raise ValueError(
                f"robots: no column '{name}'; the columns are {', '.join(captures.columns)}, and url, status, "
                "body, time and location are read"
            )
    types = dict(captures.dtypes)
    columns: list[Column] = [F.col("url").cast("string").alias("url"), F.col("status").cast("int").alias("status")]
    for name, wanted in _OPTIONAL.items():
        if name not in types:
            column = F.lit(None).cast("long" if wanted == "timestamp" else wanted)
        elif wanted != "timestamp":
            column = F.col(name).cast(wanted)
        elif types[name] in ("timestamp", "timestamp_ntz", "date", "string"):
            column = F.unix_timestamp(F.col(name).cast("timestamp"))
        else:
            column = F.col(name).cast("long")
        columns.append(column.alias(name))
    return captures.select(*columns)


_SAID = pa.struct(
    [
        ("key", pa.string()),
        ("is_origin", pa.bool_()),
        ("word", pa.string()),
        ("detail", pa.int64()),
        ("target", pa.string()),
        ("exactly", pa.int64()),
        ("own", pa.string()),
    ]
)


def _with_said(captures: DataFrame, damaged: Damaged) -> DataFrame:
    """With what each row says, as a struct: see `_SAID`."""
    names = ["url", "status", "location", "error", "lifetime", "time", "same_as_url", "same_as_time", "offset"]
    damage = F.col("damage")
    inputs = [*(F.col(name) for name in names), F.col("body").isNotNull(), damage, F.col("file")]

    def evaluate(batches: Iterable[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
        for columns in batches:
            rows = zip(*(column.to_pylist() for column in columns), strict=True)
            yield pa.array([_said(row, damaged) for row in rows], _SAID)

    return with_column(captures, "said", inputs, evaluate, from_arrow_type(_SAID))


_NOTHING = {"key": "", "is_origin": False, "word": "nothing", "detail": None, "target": None, "exactly": None, "own": None}


def _said(row: tuple[Any, ...], damaged: Damaged) -> dict[str, Any]:
    url, status, location, error, lifetime, time, same_url, same_time, offset, has_body, damage, file = row
    place = f"{file}, byte {offset}: " if offset is not None else ""
    if damage is not None:
        raise ValueError(f"{place}{damage}; damaged='keep' leaves such rows out")
    # In an archive, the URL of a site is that of its home page.
    known = None if url is None else (row_key if offset is None else capture_key)(url)
    exactly = own = own_detail = None
    word: str
    detail: str | int | None
    try:
        if url is None or known is None:
            raise ValueError("'url' is not a URL of http, https or ftp")
        key, is_origin = known
        if same_url is not None:
            target = capture_key(same_url)
            word, detail = "same", None if target is None else target[0]
            exactly = same_time
            if status is not None:
                # Its status and header are its own.
                own, own_detail = said_of(url, status, None, lifetime, time=time)
        else:
            word, detail = said_of(
                url, status, location, lifetime, error, time=time, has_body=has_body
            )
    except ValueError as cause:
        if damaged == "keep":
            return _NOTHING
        raise ValueError(
            f"{place}a capture of {url!r} with status {status}: {cause}; damaged='keep' leaves such rows out"
        ) from None
    is_lead = word in ("redirect", "same")
    return {
        "key": key,
        "is_origin": is_origin,
        "word": word,
        "detail": own_detail if is_lead else detail,
        "target": detail if is_lead else None,
        "exactly": exactly,
        "own": own,
    }


_NUMBER = pa.struct([("file", pa.string()), ("offset", pa.int64()), ("hash", pa.int64())])
#: What was found for an origin, and by which capture.
_ANSWER = [
    ("key", pa.string()),
    ("at", pa.int64()),
    ("number", _NUMBER),
    ("hops", pa.int32()),
    ("word", pa.string()),
    ("detail", pa.int64()),
    ("held_by", pa.string()),
    ("held_at", pa.int64()),
    ("held_number", _NUMBER),
]
#: The same while it is looked for, among the captures of `target`; `word` and `detail` are then what a revisit
#: says itself.
_REQUEST = pa.schema([*_ANSWER, ("target", pa.string()), ("exactly", pa.int64())])


def _followed(thin: DataFrame, leads: Column) -> DataFrame:
    """What redirects and revisits of origins come to. What leads nowhere has no word."""
    requests = (
        thin.where("is_origin")
        .where(leads)
        .select(
            "key",
            "at",
            "number",
            F.when(F.col("word") == "redirect", 1).otherwise(0).alias("hops"),
            F.col("own").alias("word"),
            F.col("detail"),
            F.lit(None).cast("string").alias("held_by"),
            F.lit(None).cast("long").alias("held_at"),
            F.lit(None).cast(from_arrow_type(_NUMBER)).alias("held_number"),
            "target",
            "exactly",
        )
    )
    held, request = F.struct(*thin.columns), F.struct(*requests.columns)
    none = F.lit(None)
    types = thin.select(held).schema[0].dataType, requests.select(request).schema[0].dataType
    captures = thin.select(
        F.col("key").alias("by"), held.alias("held"), none.cast(types[1]).alias("request")
    )
    for _ in range(_ROUNDS):
        asked = requests.select(
            F.coalesce("target", "key").alias("by"), none.cast(types[0]).alias("held"), request.alias("request")
        )
        requests = _follow(captures.unionByName(asked))
    # What was never found has no word.
    word = F.when(F.col("target").isNull(), F.col("word"))
    return requests.withColumn("word", word).drop("target", "exactly")


def _follow(both: DataFrame) -> DataFrame:
    """Each request, one hop on: captures of a URL and the requests for it are brought together."""
    # Captures first, in the order of their times.
    order = [F.col("by"), F.col("held").isNull(), F.col("held.at"), F.col("held.number")]
    sorted_ = both.repartition("by").sortWithinPartitions(*order)
    return sorted_.mapInArrow(_hops, from_arrow_schema(_REQUEST))


def _hops(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    by = ""
    captures = CapturesOf(by)
    all_held: list[dict[str, Any]] = []
    for batch in batches:
        requests = []
        for row in batch.to_pylist():
            if row["by"] != by:
                by = row["by"]
                captures, all_held = CapturesOf(by), []
            held, request = row["held"], row["request"]
            if held is not None:
                captures.push(
                    held["at"], held["word"], held["detail"], held["target"], held["exactly"], held["own"]
                )
                all_held.append(held)
                continue
            if request["target"] is not None:
                _answer(request, captures, all_held)
            requests.append(request)
        yield pa.RecordBatch.from_pylist(requests, _REQUEST)


def _answer(request: dict[str, Any], captures: CapturesOf, all_held: list[dict[str, Any]]) -> None:
    target, hops, exactly, word, detail, number = captures.follow(
        request["target"], request["at"], request["hops"], request["exactly"], request["word"], request["detail"]
    )
    request.update(target=target, hops=hops, exactly=exactly, word=word, detail=detail)
    if number is not None:
        held = all_held[number]
        request.update(held_by=held["key"], held_at=held["at"], held_number=held["number"])


_JUDGED = pa.struct(
    [
        ("outcome", pa.string()),
        ("captured", pa.int64()),
        ("may_say_more", pa.bool_()),
        ("held_by", pa.string()),
        ("held_at", pa.int64()),
        ("held_number", _NUMBER),
    ]
)


def _judged(history: DataFrame, profile: AnyProfile | None, as_of: int | None) -> DataFrame:
    """What the answers of each origin come to, and which capture has the rules."""
    event = F.struct(*(name for name in history.columns if name != "key"))
    events = history.groupBy("key").agg(F.collect_list(event).alias("events"))

    def evaluate(batches: Iterable[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
        for (histories,) in batches:
            outcomes = [_outcome(events, profile, as_of) for events in histories.to_pylist()]
            yield pa.array(outcomes, _JUDGED)

    judged = with_column(events, "judged", [F.col("events")], evaluate, from_arrow_type(_JUDGED))
    return judged.select("key", "judged.*").where("outcome is not null")


def _outcome(
    events: list[dict[str, Any]], profile: AnyProfile | None, as_of: int | None
) -> dict[str, Any]:
    number = itemgetter("file", "offset", "hash")
    events.sort(key=lambda event: (event["at"], number(event["number"])))
    said = [(event["at"], event["hops"], event["word"], event["detail"]) for event in events]
    judged = judge(said, profile, as_of)
    if judged is None:
        return {}
    outcome, place, at, may_say_more = judged
    event = events[place]
    return {
        "outcome": outcome,
        "captured": at,
        "may_say_more": may_say_more,
        "held_by": event["held_by"],
        "held_at": event["held_at"],
        "held_number": event["held_number"],
    }
