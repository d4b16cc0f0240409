"""What changed from one file to another, in meaning."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import _robotsieve as _native
from .reports import CrawlerDiff, DiffReport

if TYPE_CHECKING:
    from ._robotsieve import Policy
    from .typing import AnyCrawler, AnyProfile, Body

_PAIRS, _FLIPS, _SAMPLES, _RECORDS = _native.diff_limits()


@dataclass(frozen=True, slots=True)
class DiffLimits:
    """How much work a comparison may take, and how much it reports.

    ``pairs`` of states that the search for shortest paths visits, ``flips`` to report in each
    direction, ``samples`` of paths to try if there is no proof, and ``records`` of each kind to list.
    """

    pairs: int = _PAIRS
    flips: int = _FLIPS
    samples: int = _SAMPLES
    records: int = _RECORDS

    def _parts(self) -> tuple[int, int, int, int]:
        return (self.pairs, self.flips, self.samples, self.records)


def diff(
    old: Body,
    new: Body,
    crawlers: Iterable[AnyCrawler] | None = None,
    *,
    profile: AnyProfile | None = None,
    limits: DiffLimits | None = None,
) -> DiffReport:
    """Finds what changed from one file to another: for whom, and on which paths.

    Without ``crawlers``, the files are compared for ``*``, for every crawler that either of them names, and for
    the known crawlers, each of which looks itself up: some obey the group of another one, or ignore that of ``*``,
    and unless a profile is named, here or for a :class:`Robots`, each reads the files as its operator does.
    Text and bytes are read in ``profile``, or in that of the other file if that is a :class:`Robots`.
    Every path that is returned was put to both policies; equality is proven.

    >>> import robotsieve
    >>> old = "User-agent: *\\nDisallow: /shop/\\nAllow: /shop/open\\nCrawl-delay: 1\\n"
    >>> new = "User-agent: *\\nAllow: /shop/open$\\nDisallow: /shop/\\n"
    >>> print(robotsieve.diff(old, new))
    * (any other crawler):
      disallowed now: all below /shop/open: line 3 Allow: /shop/open -> line 3 Disallow: /shop/
    other records, for * (any other crawler):
      removed: line 4 Crawl-delay: 1
    change: 1 of 1 crawlers, 1 other record
    """
    parts = (limits or DiffLimits())._parts()
    return DiffReport.from_json(_native.diff_json(old, new, crawlers, profile, parts))


def diff_policies(old: Policy, new: Policy, *, limits: DiffLimits | None = None) -> CrawlerDiff:
    """Whether two policies allow the same URLs, and if not, the shortest paths on which they differ.

    >>> import robotsieve
    >>> one = robotsieve.Robots("User-agent: *\\nDisallow: /*/x\\nDisallow: /a*/x").policy("bot")
    >>> same = robotsieve.Robots("User-agent: bot\\nDisallow: /*/x*").policy("bot")
    >>> robotsieve.diff_policies(one, same).is_equal
    True
    """
    parts = (limits or DiffLimits())._parts()
    return CrawlerDiff.from_json(_native.diff_policies_json(old, new, parts))
