"""The known crawlers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from . import _robotsieve as _native
from .reports import KnownReport

if TYPE_CHECKING:
    from .reports import Purpose


def known_crawlers(purposes: Iterable[Purpose] | None = None) -> KnownReport:
    """What is known of crawlers: tokens, headers, operators, purposes, each with its source and date.

    ``purposes`` are those of the crawlers that are wanted. :meth:`Robots.crawlers` says what a file lets
    them read.

    >>> import robotsieve
    >>> known = robotsieve.known_crawlers(["ai-training"])
    >>> [crawler.operator for crawler in known.crawlers if crawler.token == "GPTBot"]
    ['OpenAI']
    """
    return KnownReport.from_json(_native.known_crawlers_json(purposes))
