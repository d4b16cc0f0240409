"""Billions of URLs on Spark.

>>> from robotsieve.spark import with_verdicts  # doctest: +SKIP
>>> out = with_verdicts(urls, "url", crawlers=["GPTBot", "CCBot"], robots="sites.pack")  # doctest: +SKIP

Needs PySpark 4 (``pip install 'robotsieve[spark]'``) here and on the workers; Spark Connect does.
"""

from __future__ import annotations

from ._verdicts import with_verdicts

__all__ = ["with_verdicts"]
