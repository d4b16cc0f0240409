"""Whether the profiles agree on a URL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _robotsieve as _native
from .reports import CompareReport

if TYPE_CHECKING:
    from .typing import AnyCrawler, Body, Text


def compare_profiles(body: Body, crawler: AnyCrawler, url: Text) -> CompareReport:
    """The verdicts of all named profiles on a URL, and what makes them differ.

    The names of the crawler are checked as in ``rfc9309``, or as in the profile of a :class:`Robots`.

    >>> import robotsieve
    >>> file = "User-agent: *\\nDisallow: /*.pdf\\n"
    >>> print(robotsieve.compare_profiles(file, "MyCrawler", "https://example.com/a.pdf"))
    rfc9309, google and google-classic say disallow; original-1994 says allow, because '*' and '$' are plain characters there
    """
    return CompareReport.from_json(_native.compare_profiles_json(body, crawler, url))
