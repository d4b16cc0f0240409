"""The types of what is given and returned, for annotations."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypedDict, Union

if TYPE_CHECKING:
    from ._robotsieve import (
        Crawler,
        CrawlerPolicies,
        Origin,
        Pack,
        Policy,
        PolicySet,
        Profile,
        Robots,
        UserAgent,
    )

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


class ProfileSwitches(TypedDict, total=False):
    """The switches of a ``Profile``."""

    byte_order_mark: Literal["keep", "skip", "skip-partial"]
    field_prefixes: bool
    misspelt_fields: bool
    ascii_white_space: bool
    missing_colon: bool
    control_characters: Literal["ordinary", "nul-ends-line", "invalidate-record"]
    size_limit: Union[int, None]
    line_limit: Union[int, None]
    blank_line_ends_group: bool
    sitemap_ends_agents: bool
    other_records: Literal["end-nothing", "delays-end-agents", "all-end-agents"]
    rules_before_agents: bool
    token_bytes: Literal["letters-digits", "letters", "up-to-slash"]
    group_match: Literal["equal", "longest-prefix", "first-substring"]
    merge_groups: bool
    merge_names: bool
    empty_token_names_empty: bool
    star_then_space: bool
    allow_rules: bool
    wildcards: bool
    trailing_stars_dropped: bool
    leading_slash_assumed: bool
    rule_precedence: Literal["longest", "any-disallow"]
    robots_txt_allowed: bool
    index_htm_is_directory: bool
    target_form: Literal["strict", "google"]
    high_bytes_encoded: Literal["neither", "rule", "both"]
    forbidden_bytes_encoded: bool
    hex_upper_case: Literal["neither", "rule", "both"]
    unreserved_decoded: bool
    special_bytes_encoded: bool
    stray_percent_encoded: bool
    fetch_rules: Literal["rfc9309", "google", "google-classic"]


class IntentionsGroup(TypedDict, total=False):
    """Crawlers, and what they may do. Each field is a text or a list of texts, but for the delay."""

    crawlers: Texts
    allow: Texts
    disallow: Texts
    allow_path: Texts
    disallow_path: Texts
    crawl_delay: float
    content_signal: Texts
    content_usage: Texts
    license: Texts
    comment: Texts
    other: Texts


class Intentions(TypedDict, total=False):
    """What a site wants of crawlers. Each field but ``groups`` is a text or a list of texts."""

    groups: Sequence[IntentionsGroup]
    sitemap: Texts
    license: Texts
    host: Texts
    comment: Texts
    expect: Texts
    profiles: Union[ProfileName, Sequence[ProfileName]]


class EngineLimits(TypedDict, total=False):
    """The limits of a ``Config``. ``None`` is none."""

    states: Union[int, None]
    work: Union[int, None]
    table_bytes: Union[int, None]
    pattern_bytes: Union[int, None]
    inner_stars: Union[int, None]


class ConfigFields(TypedDict, total=False):
    """The fields of a ``Config``."""

    engine: Union[Literal["scan", "dfa", "lazy", "segments"], None]
    limits: EngineLimits
    build_after: Union[int, None]
    keep_rules: bool
    keep_sitemaps: bool
    keep_rights: bool
    max_interval: float
    skip_above: Union[float, None]
    inherit_pace: bool


#: One text, or several.
Texts: TypeAlias = Union[str, Sequence[str]]
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
    "left-alone",
    "rules-not-kept",
]
#: What applies to a site, why, and what its robots.txt looks like: see ``robotsieve.aio``.
Holds: TypeAlias = Literal["rules", "allow-all", "disallow-all", "unknown"]
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
#: One crawler, or several.
OneOrManyCrawlers: TypeAlias = Union[
    str, bytes, "Crawler", "UserAgent", Sequence[AnyCrawler]
]
#: What judges URLs.
Sites: TypeAlias = Union["Pack", "PolicySet", "CrawlerPolicies", "Policy"]
#: What a column says of each URL: a boolean, a word, or the decision with its reason.
What: TypeAlias = Literal["verdicts", "answers", "decisions"]
#: How ``robotsieve.spark`` brings URLs and a DataFrame of robots.txt files together.
Plan: TypeAlias = Literal["auto", "packs", "joined"]
#: Any URL of it, or an ``Origin``.
AnyOrigin: TypeAlias = Union[Text, "Origin"]
#: Many URLs: an Arrow array or stream, or an iterable.
ManyUrls: TypeAlias = Union[ArrowArray, ArrowStream, Iterable[Union[str, bytes, None]]]
#: A file, or a ``Robots``, whose profile then counts.
Body: TypeAlias = Union[Text, "Robots"]
#: A profile, several, or several with names of your choice.
Profiles: TypeAlias = Union[AnyProfile, Iterable[AnyProfile], dict[str, AnyProfile]]
#: The header of a response: names and values, or text with ``Name: value`` lines. A value may be a list, of the
#: values of several lines.
Headers: TypeAlias = Union[
    Text,
    Mapping[Any, Any],
    Iterable[tuple[Text, Union[Text, Sequence[Text]]]],
]
#: Columns of headers, and of robots.txt files or pages: an Arrow array or stream, or an iterable.
ManyHeaders: TypeAlias = Union[ArrowArray, ArrowStream, Iterable[Union[Headers, None]]]
ManyTexts: TypeAlias = Union[ArrowArray, ArrowStream, Iterable[Union[Text, None]]]
#: What is said of a purpose: silence is no permission.
Ruling: TypeAlias = Literal["allow", "disallow", "unknown"]
#: A use of a page.
Purpose: TypeAlias = Literal["crawl", "index", "snippet", "ai-input", "ai-train", "ai-index"]
#: Whose reading of robots tags counts.
TagReading: TypeAlias = Literal["generic", "google", "bing", "yandex", "amazon"]
LicenceKind: TypeAlias = Literal["rsl", "tdm-policy", "other"]
LicenceState: TypeAlias = Literal["not-given", "invalid", "no-match", "element-scoped", "read"]
UseCeiling: TypeAlias = Literal["immediate", "reference", "full"]
#: From and to, in bytes: the first, and the one after the last.
Span: TypeAlias = tuple[int, int]
Severity: TypeAlias = Literal["note", "warning", "error"]
#: What kind of record a field makes.
Kind: TypeAlias = Literal[
    "sitemap",
    "crawl-delay",
    "request-rate",
    "visit-time",
    "host",
    "clean-param",
    "license",
    "noindex",
    "content-signal",
    "content-usage",
    "unknown",
]
