"""Expressions for Polars, eager, lazy and streamed.

>>> import polars as pl, robotsieve
>>> from robotsieve.polars import verdicts
>>> policy = robotsieve.Robots("User-agent: *\\nDisallow: /search").policy("MyCrawler")
>>> urls = pl.LazyFrame({"url": ["https://example.com/", "https://example.com/search"]})
>>> urls.filter(verdicts(policy)).collect()["url"].to_list()
['https://example.com/']

``sites`` is a :class:`robotsieve.Pack`, or a set, or a policy. ``url`` is the column, by its name or as an expression. ``crawlers`` is one
crawler, for a column of its own, or a list of them, for a struct with a field for each; by default all.
Polars calls the functions on one part of the column after another, in several threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from ._columns import Column

if TYPE_CHECKING:
    from .typing import OneOrManyCrawlers, Sites, What

__all__ = ["answers", "decisions", "verdicts"]

_ANSWER = pl.Enum(["allow", "disallow", "invalid", "unknown"])
_KINDS: dict[What, Any] = {
    "verdicts": pl.Boolean(),
    "answers": _ANSWER,
    "decisions": pl.Struct(
        {
            "answer": _ANSWER,
            "reason": pl.String,
            "line": pl.UInt32,
            "rule": pl.String,
            "profile": pl.String,
        }
    ),
}


def verdicts(
    sites: Sites, url: str | pl.Expr = "url", *, crawlers: OneOrManyCrawlers | None = None
) -> pl.Expr:
    """Whether each URL is allowed; null if there is no verdict."""
    return _expression("verdicts", sites, url, crawlers)


def answers(
    sites: Sites, url: str | pl.Expr = "url", *, crawlers: OneOrManyCrawlers | None = None
) -> pl.Expr:
    """The answer for each URL: ``allow``, ``disallow``, ``invalid`` or ``unknown``."""
    return _expression("answers", sites, url, crawlers)


def decisions(
    sites: Sites, url: str | pl.Expr = "url", *, crawlers: OneOrManyCrawlers | None = None
) -> pl.Expr:
    """The decision on each URL: a struct of ``answer``, ``reason``, ``line``, ``rule`` and ``profile``, as
    :class:`robotsieve.Decisions` has them.
    """
    return _expression("decisions", sites, url, crawlers)


def _expression(
    what: What, sites: Sites, url: str | pl.Expr, crawlers: OneOrManyCrawlers | None
) -> pl.Expr:
    column = Column(sites, crawlers, what)
    kind = _KINDS[what]
    if column.names is not None:
        kind = pl.Struct([pl.Field(name, kind) for name in column.names])

    def judge(urls: pl.Series) -> pl.Series:
        return pl.Series(urls.name, column(urls)).cast(kind)

    urls = pl.col(url) if isinstance(url, str) else url
    return urls.map_batches(judge, return_dtype=kind, is_elementwise=True)
