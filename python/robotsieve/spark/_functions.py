"""Functions of a column, for ``select``, ``where`` and SQL."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from ._asked import Asked
from ._evaluate import function_of
from ._packs import PackColumn, check_on_a_worker

if TYPE_CHECKING:
    from pyspark.sql import Column

    from robotsieve.typing import AnyProfile, OneOrManyCrawlers, What


def verdicts(
    url: str | Column,
    *,
    crawlers: OneOrManyCrawlers,
    robots: str | os.PathLike[str],
    profile: AnyProfile | None = None,
) -> Column:
    """Whether crawlers may fetch the URL in a column, for ``select`` and ``where``.

    ``url`` is the column, or its name. ``robots`` is the path of a pack; it and the others are as for
    :func:`with_verdicts`, and so is the result.
    """
    return _of("verdicts", url, crawlers, robots, profile)


def answers(
    url: str | Column,
    *,
    crawlers: OneOrManyCrawlers,
    robots: str | os.PathLike[str],
    profile: AnyProfile | None = None,
) -> Column:
    """As :func:`verdicts`, in words: see :func:`with_answers`."""
    return _of("answers", url, crawlers, robots, profile)


def decisions(
    url: str | Column,
    *,
    crawlers: OneOrManyCrawlers,
    robots: str | os.PathLike[str],
    profile: AnyProfile | None = None,
) -> Column:
    """As :func:`verdicts`, with the reasons: see :func:`with_decisions`."""
    return _of("decisions", url, crawlers, robots, profile)


def register(
    spark: SparkSession,
    name: str,
    *,
    crawlers: OneOrManyCrawlers,
    robots: str | os.PathLike[str],
    profile: AnyProfile | None = None,
    what: What = "verdicts",
) -> None:
    """Makes :func:`verdicts`, :func:`answers` or :func:`decisions` a function of SQL, ``name(url)``."""
    spark.udf.register(name, _function(spark, what, crawlers, robots, profile))


def _of(
    what: What,
    url: str | Column,
    crawlers: OneOrManyCrawlers,
    robots: str | os.PathLike[str],
    profile: AnyProfile | None,
) -> Column:
    function = _function(SparkSession.getActiveSession(), what, crawlers, robots, profile)
    column: Column = function(F.col(url) if isinstance(url, str) else url)
    return column


def _function(
    session: SparkSession | None,
    what: What,
    crawlers: OneOrManyCrawlers,
    robots: str | os.PathLike[str],
    profile: AnyProfile | None,
) -> Any:
    asked = Asked.of(crawlers, profile, what)
    if not isinstance(robots, (str, os.PathLike)):
        raise TypeError(
            f"robots must be the path of a pack, not {type(robots).__name__}: with_{what} takes a DataFrame"
        )
    path = os.fspath(robots)
    if session is not None:
        check_on_a_worker(session, path, asked)
    return function_of(PackColumn(path, asked, asked.answer), asked.type)
