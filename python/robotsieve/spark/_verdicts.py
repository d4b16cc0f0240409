"""From URLs to verdicts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ._asked import Asked
from ._captures import sites_of
from ._evaluate import check_columns
from ._joined import check_joining, with_joined
from ._packs import with_packs
from ._sent import sent_packs

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from robotsieve.typing import AnyProfile, OneOrManyCrawlers, Plan


def with_verdicts(
    urls: DataFrame,
    url: str = "url",
    *,
    crawlers: OneOrManyCrawlers,
    robots: str | os.PathLike[str] | DataFrame,
    profile: AnyProfile | None = None,
    column: str = "allowed",
    plan: Plan = "auto",
    partitions: int | None = None,
    skew: float | Mapping[str, float] | None = 0.01,
) -> DataFrame:
    """Adds a column that says whether crawlers may fetch each URL.

    ``urls`` has a column of URLs, string or binary. The new column is a struct with a boolean for each crawler,
    or, if ``crawlers`` is one crawler, a boolean. It is null if nothing is known of the URL's origin, and for what
    is not a URL; :func:`with_answers` tells these apart. A crawler is its name, or, in a list of crawlers, the list of its names;
    or a :class:`robotsieve.Crawler` or :class:`robotsieve.UserAgent`.

    ``robots`` is one of

    - the path of a pack, a file or a folder of shards, made for these crawlers (or more): each worker maps it,
      and all workers of a machine share the memory. No URL is moved, and rows keep their order. The path must
      lead to the pack on every machine; of a file or an archive that was sent with the job, give the name alone.
      One worker opens it in a job of its own before, so that a mistake is an error at once.
    - a DataFrame of captures (``url, status, body, time, location``; see :func:`in_force`) or of what
      :func:`in_force` made of them, one row for each origin; captures are judged anew by each call.

    ``plan`` is for a DataFrame:

    - ``"packs"``: the call counts the rows, has the workers make a pack of the files, and sends it to all machines
      through the driver, in whose memory it must fit. It stays there and on all of them until the session ends. From
      then on it is as with the path of a pack.
    - ``"joined"``: URLs, with all columns of their rows, and robots.txt files are brought together by host, in so
      many ``partitions`` (``None``: the session's ``spark.sql.shuffle.partitions``). A worker holds the policies
      of a few hosts. Rows come out grouped by host.
    - ``"auto"``: packs, if ``robots``, or the captures of which :func:`in_force` made it, have 200,000 rows at most
      and the packs 256 MiB; and if calls before have sent less than 1 GiB and 100 packs. Joined otherwise. The logger
      ``robotsieve.spark`` says which (level ``INFO``).

    So that no task of a join gets a third of all URLs because one host has them, hosts with many URLs are divided
    among partitions. ``skew`` says how they are found: a fraction of the URLs, which are counted by host in a job of
    its own before (1.0 counts all); a dict from hosts to their shares of the URLs; or ``None``, to divide none.

    ``profile=None`` is RFC 9309, or that of the pack; another profile than that of the pack is an error.
    """
    asked = Asked.of(crawlers, profile, "verdicts")
    return _with(urls, url, robots, asked, column, plan, partitions, skew)


def with_answers(
    urls: DataFrame,
    url: str = "url",
    *,
    crawlers: OneOrManyCrawlers,
    robots: str | os.PathLike[str] | DataFrame,
    profile: AnyProfile | None = None,
    column: str = "answer",
    plan: Plan = "auto",
    partitions: int | None = None,
    skew: float | Mapping[str, float] | None = 0.01,
) -> DataFrame:
    """As :func:`with_verdicts`, in words: ``allow``, ``disallow``, ``invalid`` for what is not a URL, ``unknown`` for one
    of whose origin nothing is known. Never null.
    """
    asked = Asked.of(crawlers, profile, "answers")
    return _with(urls, url, robots, asked, column, plan, partitions, skew)


def with_decisions(
    urls: DataFrame,
    url: str = "url",
    *,
    crawlers: OneOrManyCrawlers,
    robots: str | os.PathLike[str] | DataFrame,
    profile: AnyProfile | None = None,
    column: str = "decision",
    plan: Plan = "auto",
    partitions: int | None = None,
    skew: float | Mapping[str, float] | None = 0.01,
) -> DataFrame:
    """As :func:`with_verdicts`, with the reasons: for each crawler a struct of ``answer``, ``reason``, ``line``, ``rule``
    and ``profile``, as :class:`robotsieve.Decisions` has them.
    """
    asked = Asked.of(crawlers, profile, "decisions")
    return _with(urls, url, robots, asked, column, plan, partitions, skew)


def _with(
    urls: DataFrame,
    url: str,
    robots: str | os.PathLike[str] | DataFrame,
    asked: Asked,
    column: str,
    plan: Plan,
    partitions: int | None,
    skew: float | Mapping[str, float] | None,
) -> DataFrame:
    check_columns(urls, url, column)
    if plan not in ("auto", "packs", "joined"):
        raise ValueError(f"plan must be 'auto', 'packs' or 'joined', not {plan!r}")
    if isinstance(robots, (str, os.PathLike)):
        if plan == "joined":
            raise ValueError("plan='joined' takes a DataFrame of robots.txt files, not the path of a pack")
        return with_packs(urls, url, os.fspath(robots), asked, column)
    partitions = check_joining(urls, partitions, skew)
    sites = sites_of(robots, asked.profile)
    if sent := sent_packs(urls.sparkSession, sites, asked, plan, partitions):
        return with_packs(urls, url, sent, asked, column)
    return with_joined(urls, url, sites, asked, column, partitions=partitions, skew=skew)
