"""Billions of URLs on Spark.

>>> from robotsieve.spark import with_verdicts  # doctest: +SKIP
>>> out = with_verdicts(urls, "url", crawlers=["GPTBot", "CCBot"], robots="sites.pack")  # doctest: +SKIP

Needs PySpark 4 (the extra ``spark``) and Java 17; the workers need this package, too. It works with Spark Connect.
``docs/guide-scale.md`` is the guide, from the WARC files of a crawl to counts by country.
"""

from __future__ import annotations

from ._build import Shard, build_packs
from ._captures import in_force, read_robots_warc
from ._functions import answers, decisions, register, verdicts
from ._rights import with_rights
from ._summary import summarise
from ._verdicts import with_answers, with_decisions, with_verdicts

__all__ = [
    "Shard",
    "answers",
    "build_packs",
    "decisions",
    "in_force",
    "read_robots_warc",
    "register",
    "summarise",
    "verdicts",
    "with_answers",
    "with_decisions",
    "with_rights",
    "with_verdicts",
]
