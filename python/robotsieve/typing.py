"""The types of what is given and returned, for annotations."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, Union

if TYPE_CHECKING:
    from ._robotsieve import Crawler, Origin, Profile, Robots, UserAgent

if sys.version_info >= (3, 12):
    from collections.abc import Buffer
elif TYPE_CHECKING:
    from typing_extensions import Buffer
else:
    Buffer = Union[bytes, bytearray, memoryview]


class ArrowArray(Protocol):
    """What exports an Arrow array, such as ``pyarrow.Array``."""

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[object, object]: ...


class ArrowStream(Protocol):
    """What exports an Arrow stream, such as ``pyarrow.ChunkedArray`` or ``polars.Series``."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> object: ...


#: A URL, a file or a name: ``str``, ``bytes`` or another buffer of bytes.
Text: TypeAlias = Union[str, "Buffer"]
Verdict: TypeAlias = Literal["allow", "disallow"]
Answer: TypeAlias = Literal["allow", "disallow", "invalid", "unknown"]
Outcome: TypeAlias = Literal["rules", "allow-all", "disallow-all", "unknown"]
Reason: TypeAlias = Literal[
    "rule",
    "no-group",
    "no-match",
    "empty-rule",
    "robots-txt",
    "allow-all",
    "disallow-all",
    "rules-not-kept",
]
#: What applies to a site, why, and what its robots.txt looks like: see ``robotsieve.aio``.
Holds: TypeAlias = Literal["rules", "allow-all", "disallow-all"]
Why: TypeAlias = Literal[
    "copy",
    "absent",
    "denied",
    "copy-while-unreachable",
    "unreachable-recently",
    "unreachable-without-copy",
    "unreachable-too-long",
    "never-asked",
    "override",
]
Condition: TypeAlias = Literal[
    "parsed", "empty", "html", "truncated", "absent", "unreachable"
]
ProfileName: TypeAlias = Literal["rfc9309", "google", "google-classic", "original-1994"]
AnyProfile: TypeAlias = Union[ProfileName, "Profile"]
#: A name, names from most to least specific, a ``Crawler``, or a ``UserAgent``.
AnyCrawler: TypeAlias = Union[str, bytes, Sequence[Union[str, bytes]], "Crawler", "UserAgent"]
#: Any URL of it, or an ``Origin``.
AnyOrigin: TypeAlias = Union[Text, "Origin"]
#: Many URLs: an Arrow array or stream, or an iterable.
ManyUrls: TypeAlias = Union[ArrowArray, ArrowStream, Iterable[Union[str, bytes, None]]]
#: A file, or a ``Robots``, whose profile then counts.
Body: TypeAlias = Union[Text, "Robots"]
#: A profile, several, or several with names of your choice.
Profiles: TypeAlias = Union[AnyProfile, Iterable[AnyProfile], dict[str, AnyProfile]]
#: From and to, in bytes: the first, and the one after the last.
Span: TypeAlias = tuple[int, int]
Severity: TypeAlias = Literal["note", "warning", "error"]
Preference: TypeAlias = Literal["allowed", "disallowed", "unknown"]
Use: TypeAlias = Literal["training", "search", "inference"]
Source: TypeAlias = Literal["content-usage", "content-signal"]
#: What kind of record a field makes.
Kind: TypeAlias = Literal[
    "sitemap",
    "crawl-delay",
    "request-rate",
    "visit-time",
    "host",
    "clean-param",
    "noindex",
    "content-signal",
    "content-usage",
    "unknown",
]
