"""The command: ``python -m robotsieve.spark filter|pack|summary``, also for spark-submit."""

from __future__ import annotations

import argparse
import logging
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pyspark.errors import PySparkException
from pyspark.sql import Observation, SparkSession
from pyspark.sql import functions as F

from robotsieve import Config
from robotsieve.spark import build_packs, in_force, read_robots_warc, summarise, with_answers

# Absolute: spark-submit runs this file as a script.
from robotsieve.spark._build import new_folder
from robotsieve.spark._keys import column_of, usual_authority
from robotsieve.spark._packs import is_pack

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_WARC = (".warc", ".warc.gz", ".warc.zst")
_CAPTURES = (
    "captures of robots.txt files: WARC files, whose names end in .warc, .warc.gz or .warc.zst, or Parquet with "
    "the columns url, status, body, time and location"
)


def main(arguments: list[str] | None = None) -> int:
    """Runs the command. Returns its exit status."""
    options = _parser().parse_args(arguments)
    spark = SparkSession.builder.appName(f"robotsieve {options.command}").getOrCreate()
    try:
        with _log_on_stderr():
            options.run(spark, options)
    except (ValueError, TypeError, FileExistsError) as error:
        _say(f"error: {error}")
        return 2
    except (PySparkException, OSError) as error:
        _say(f"error: {_cause(error)}")
        return 3
    return 0


@contextmanager
def _log_on_stderr() -> Iterator[None]:
    """Shows what the package logs, such as the plan that it chose."""
    log = logging.getLogger("robotsieve.spark")
    level, handler = log.level, logging.StreamHandler(sys.stderr)
    log.setLevel(logging.INFO)
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(level)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m robotsieve.spark",
        description="Which URLs do robots.txt files allow? For billions of URLs, on Spark.",
    )
    commands = parser.add_subparsers(dest="command", required=True)

    command = commands.add_parser(
        "filter",
        help="add verdicts to URLs",
        description="Adds a column of verdicts to a table of URLs.",
    )
    _add_urls(command)
    _add_robots(command, f"a pack (a file, or a folder of shards), or {_CAPTURES}")
    command.add_argument("--out", required=True, metavar="PARQUET", help="the table to write")
    command.add_argument("--column", default="allowed", metavar="NAME", help="new column (allowed)")
    command.add_argument(
        "--only-allowed",
        action="store_true",
        help="leave out URLs that are not allowed for all crawlers: disallowed, unknown and invalid",
    )
    command.add_argument(
        "--plan",
        choices=("auto", "packs", "joined"),
        default="auto",
        help="for captures: make a pack and send it to the workers (packs), or bring URLs and files together by "
        "host, which takes any number of files (joined); by default packs, unless there are too many files",
    )
    command.set_defaults(run=_filter)

    command = commands.add_parser(
        "pack", help="write a pack", description="Writes the shards of a pack into a folder."
    )
    _add_robots(command, _CAPTURES)
    command.add_argument(
        "--out", required=True, metavar="FOLDER", help="a new folder, which all workers share"
    )
    command.add_argument("--shards", type=int, default=64, metavar="N", help="how many files (64)")
    command.add_argument(
        "--no-rules",
        action="store_true",
        help="half the size: the pack then can't say which rule decided",
    )
    command.set_defaults(run=_pack)

    command = commands.add_parser(
        "summary", help="count verdicts", description="Counts the verdicts that filter has added."
    )
    _add_urls(command)
    command.add_argument("--column", default="allowed", metavar="NAME", help="verdicts (allowed)")
    command.add_argument("--by", choices=("crawler", "host", "country"), default="crawler")
    command.add_argument("--out", metavar="PARQUET", help="the table to write; printed otherwise")
    command.set_defaults(run=_summary)
    return parser


def _add_urls(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--urls", required=True, nargs="+", metavar="PARQUET", help="a table with URLs"
    )
    command.add_argument(
        "--url-column", default="url", metavar="NAME", help="the column that has them (url)"
    )


def _add_robots(command: argparse.ArgumentParser, what: str) -> None:
    command.add_argument("--robots", required=True, nargs="+", metavar="PATH", help=what)
    command.add_argument(
        "--agent",
        required=True,
        nargs="+",
        action="extend",
        metavar="NAME",
        help="crawlers, by their product tokens, such as GPTBot",
    )
    command.add_argument(
        "--profile", help="rfc9309 (the default), google, google-classic or original-1994"
    )
    command.add_argument(
        "--captures",
        metavar="PARQUET",
        help="where captures of WARC files are written, since they are read several times "
        "(OUT.captures)",
    )
    command.add_argument(
        "--damaged",
        choices=("fail", "keep"),
        default="fail",
        help="what damage in a WARC file, or a row that is not a capture, does: end the job, or be "
        "counted and left out (fail)",
    )


def _filter(spark: SparkSession, options: argparse.Namespace) -> None:
    urls = spark.read.parquet(*options.urls)
    crawlers = list(dict.fromkeys(options.agent))
    robots = _pack_path(options.robots) or _sites(spark, options)
    out = with_answers(
        urls,
        options.url_column,
        crawlers=crawlers,
        robots=robots,
        profile=options.profile,
        column=options.column,
        plan=options.plan,
    )
    answers = column_of(options.column)
    counts = [
        F.count_if(answers[name] == word).alias(f"{number} {word}")
        for number, name in enumerate(crawlers)
        for word in ("allow", "disallow", "unknown", "invalid")
    ]
    url = column_of(options.url_column).cast("string")
    # Hosts that are spelt in an unusual way count as they are spelt.
    spelt = F.substring_index(F.substring_index(url, "/", 3), "/", -1)
    host = F.when(answers[crawlers[0]] != "invalid", F.coalesce(usual_authority(url), spelt))
    seen = Observation()
    out = out.observe(
        seen, F.count(F.lit(1)).alias("urls"), F.approx_count_distinct(host, 0.01).alias("hosts"), *counts
    )
    verdict = {
        name: F.when(answers[name] == "allow", True).when(answers[name] == "disallow", False)
        for name in crawlers
    }
    out = out.withColumn(
        options.column, F.struct(*(column.alias(name) for name, column in verdict.items()))
    )
    if options.only_allowed:
        for name in crawlers:
            out = out.where(column_of(options.column)[name])
    out.write.parquet(options.out)
    counted = seen.get
    _say(f"{counted['urls']:,} URLs of about {counted['hosts']:,} hosts")
    rows: list[tuple[str, ...]] = [("crawler", "allowed", "disallowed", "unknown", "invalid")]
    for number, name in enumerate(crawlers):
        words = ("allow", "disallow", "unknown", "invalid")
        rows.append((name, *(f"{counted[f'{number} {word}']:,}" for word in words)))
    _table(rows)


def _pack(spark: SparkSession, options: argparse.Namespace) -> None:
    if _pack_path(options.robots):
        raise ValueError("--robots is a pack already; 'robotsieve pack merge' writes packs anew")
    # Before anything is read.
    new_folder(options.out)
    shards = build_packs(
        _sites(spark, options),
        options.out,
        crawlers=options.agent,
        shards=options.shards,
        profile=options.profile,
        config=Config(keep_rules=not options.no_rules),
    )
    origins, size = sum(shard.origins for shard in shards), sum(shard.bytes for shard in shards)
    _say(f"{origins:,} origins, {size:,} bytes in {len(shards):,} files in {options.out}")


def _summary(spark: SparkSession, options: argparse.Namespace) -> None:
    out = spark.read.parquet(*options.urls)
    counts = summarise(out, by=options.by, url=options.url_column, column=options.column)
    counts = counts.orderBy(F.desc("urls"), *counts.columns)
    if options.out is not None:
        counts.write.parquet(options.out)
        return
    _table([counts.columns, *([_shown(value) for value in row] for row in counts.toLocalIterator())])


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.1%}"
    return f"{value:,}" if isinstance(value, int) else "-" if value is None else str(value)


def _pack_path(names: list[str]) -> str | None:
    """The path of a pack, if it is one."""
    return names[0] if len(names) == 1 and is_pack(names[0]) else None


def _sites(spark: SparkSession, options: argparse.Namespace) -> DataFrame:
    """What is in force for each origin."""
    names = options.robots
    if not all(name.endswith(_WARC) for name in names):
        captures = spark.read.parquet(*names)
    else:
        place = options.captures or f"{options.out.rstrip('/')}.captures"
        captures = read_robots_warc(spark, names, damaged=options.damaged)
        seen = Observation()
        damaged = F.count("damage").alias("damaged")
        captures.observe(seen, F.count("url").alias("captures"), damaged).write.parquet(place)
        counted = seen.get
        _say(f"{counted['captures']:,} captures in {place}, {counted['damaged']:,} damaged places")
        captures = spark.read.parquet(place)
    return in_force(captures, profile=options.profile, damaged=options.damaged)


def _table(rows: Sequence[Sequence[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *numbers in rows:
        cells = [f"{number:>{width}}" for number, width in zip(numbers, widths[1:], strict=True)]
        print("  ".join([f"{name:<{widths[0]}}", *cells]))


def _cause(error: Exception) -> str:
    """What a worker raised, without the way there."""
    lines = str(error).splitlines()
    raised = [line for line in lines if re.match(r"[\w.]+(Error|Exception|Interrupt): ", line)]
    return raised[-1] if raised else lines[0] if lines else type(error).__name__


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
