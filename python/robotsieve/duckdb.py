"""A function of SQL for DuckDB.

>>> import duckdb, robotsieve
>>> from robotsieve.duckdb import register
>>> policy = robotsieve.Robots("User-agent: *\\nDisallow: /search").policy("MyCrawler")
>>> db = duckdb.connect()
>>> register(db, "allowed", policy)
>>> db.sql("SELECT url FROM (VALUES ('https://e.com/'), ('https://e.com/search')) AS t(url) WHERE allowed(url)").fetchall()
[('https://e.com/',)]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa  # type: ignore[import-untyped]

from ._columns import Column

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from .typing import OneOrManyCrawlers, Sites, What

__all__ = ["register"]

_KINDS: dict[What, str] = {
    "verdicts": "BOOLEAN",
    "answers": "VARCHAR",
    "decisions": "STRUCT(answer VARCHAR, reason VARCHAR, line UINTEGER, rule VARCHAR, profile VARCHAR)",
}


def register(
    connection: DuckDBPyConnection,
    name: str,
    sites: Sites,
    *,
    crawlers: OneOrManyCrawlers | None = None,
    what: What = "verdicts",
) -> None:
    """Makes a function that takes a URL, ``name(url)``.

    ``sites`` is a :class:`robotsieve.Pack`, or a set, or a policy. With ``what="verdicts"`` the function gives
    a ``BOOLEAN``, null if there is no verdict; with ``"answers"`` a ``VARCHAR``: ``allow``, ``disallow``, ``invalid`` or
    ``unknown``; with ``"decisions"`` a ``STRUCT`` of ``answer``, ``reason``, ``line``, ``rule`` and ``profile``, as
    :class:`robotsieve.Decisions` has them. That is for one crawler; if ``crawlers`` is a list, or is left out (all that
    ``sites`` has), it is a ``STRUCT`` of these, with a field for each crawler.

    DuckDB calls it with 2,048 URLs at a time. It takes PyArrow.
    """
    column = Column(sites, crawlers, what)
    kind = _KINDS[what]
    if column.names is not None:
        fields = (f'"{crawler}" {kind}' for crawler in (name.replace('"', '""') for name in column.names))
        kind = f"STRUCT({', '.join(fields)})"

    def judge(urls: pa.ChunkedArray) -> pa.Array:
        return pa.array(column(urls))

    # Its types don't say that it takes the names of these.
    create: Any = connection.create_function
    create(name, judge, ["VARCHAR"], kind, type="arrow", null_handling="special")
