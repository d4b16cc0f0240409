"""Building a robots.txt."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from . import _robotsieve as _native
from .reports import BuildFault, BuildReport

if TYPE_CHECKING:
    from .typing import Intentions


class CannotBuild(ValueError):
    """Intentions that no file says, or that are wrong. ``report.faults`` has every reason, with its place."""

    __module__ = "robotsieve"

    report: BuildReport

    def __init__(self, report: BuildReport) -> None:
        super().__init__("\n".join(f"{one.place or 'all'}: {one.message}" for one in report.faults))
        self.report = report

    def __reduce__(self) -> tuple[type[CannotBuild], tuple[BuildReport]]:
        return type(self), (self.report,)

    @property
    def faults(self) -> tuple[BuildFault, ...]:
        """All that is wrong, at least one thing."""
        return self.report.faults


def build_robots_txt(intentions: Intentions) -> BuildReport:
    """Builds the shortest plain robots.txt that says what is wanted; ``text`` is the file.

    It is proven that the profiles read it so: for each crawler of a group, for ``*`` and for all other known
    crawlers, over all URLs. ``docs/writing.md`` in the repository describes the fields, which are those of the
    files that ``robotsieve write`` reads.

    Raises :class:`CannotBuild` if a value cannot stand in a file, if a profile would read the file otherwise
    than asked for, or if an expectation does not hold, and ``ValueError`` if a field is unknown or of a wrong type.

    >>> import robotsieve
    >>> built = robotsieve.build_robots_txt({
    ...     "groups": [
    ...         {"crawlers": ["FooBot", "BarBot"], "disallow": "/"},
    ...         {"crawlers": "*", "disallow": ["/cart", "/cart/old"]},
    ...     ],
    ...     "expect": "allow Googlebot /",
    ... })
    >>> print(built.text, end="")
    User-agent: FooBot
    User-agent: BarBot
    Disallow: /
    <BLANKLINE>
    User-agent: *
    Disallow: /cart
    """
    text = json.dumps(intentions, default=_listed, allow_nan=False)
    report = BuildReport.from_json(_native.build_json(text))
    if report.text is None:
        raise CannotBuild(report)
    return report


def _listed(value: object) -> object:
    """What JSON has no form for: iterables are lists."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        raise TypeError("a text must be a str, not bytes")
    try:
        return list(value)  # type: ignore[call-overload]
    except TypeError:
        raise TypeError(f"a {type(value).__name__} is no text, list or number") from None
