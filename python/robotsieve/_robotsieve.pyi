"""The native module. Import from ``robotsieve``."""

import os
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence, ValuesView
from datetime import datetime
from types import TracebackType
from typing import Any, Literal, SupportsIndex, TypeVar, final, overload

from typing_extensions import Buffer, Self, Unpack

from ._lines import Diagnostic, Line
from .reports import CompareReport, ExplainReport, Purpose, ReachReport, RecordsReport
from .typing import (
    Answer,
    AnyCrawler,
    AnyOrigin,
    AnyProfile,
    Body,
    ConfigFields,
    Headers,
    LicenceKind,
    LicenceState,
    ManyHeaders,
    ManyTexts,
    ManyUrls,
    Outcome,
    ProfileName,
    ProfileSwitches,
    Profiles,
    Reason,
    Ruling,
    Severity,
    TagReading,
    Text,
    UseCeiling,
    Verdict,
)
from .typing import Purpose as RightsPurpose

_T = TypeVar("_T")

__version__: str
#: How many redirects of a robots.txt are followed.
MAX_HOPS: int
__all__ = [
    "MAX_HOPS",
    "__version__",
    "AnswerBits",
    "Answers",
    "CaptureBatch",
    "CapturesOf",
    "Config",
    "Crawler",
    "CrawlerAnswers",
    "CrawlerDecisions",
    "CrawlerPolicies",
    "CrawlerVerdicts",
    "Decision",
    "Decisions",
    "HeaderName",
    "InvalidName",
    "InvalidOrigin",
    "InvalidUrl",
    "Origin",
    "Pack",
    "PackError",
    "PackWriter",
    "Policy",
    "PolicySet",
    "Profile",
    "PurposeReport",
    "RequestRate",
    "Rights",
    "RightsColumns",
    "RightsLicence",
    "RightsReader",
    "RightsReport",
    "RightsStatement",
    "Robots",
    "Rule",
    "Shards",
    "UserAgent",
    "Verdicts",
    "WarcCaptures",
    "answer_bits",
    "body_bytes",
    "build_json",
    "capture_key",
    "compare_profiles_json",
    "diff_json",
    "diff_limits",
    "diff_policies_json",
    "fix_json",
    "known_crawlers_json",
    "is_allowed",
    "judge",
    "lint_codes",
    "lint_json",
    "row_key",
    "said_of",
    "shard_name",
    "shards_of",
]

class InvalidUrl(ValueError):
    """Neither a URL nor a path that begins with a slash."""
class InvalidOrigin(InvalidUrl):
    """A URL without a robots.txt: not of http, https or ftp, or without a host. An ``InvalidUrl`` too."""

class InvalidName(ValueError):
    """A name that no User-agent line can name. `probably_meant` is the name to use instead, or None."""

    probably_meant: str | None

class PackError(ValueError):
    """Bytes that cannot be used as a pack, or a damaged part of one."""

@final
class Profile:
    """A reading of the protocol.

    ``Profile(name)`` is one of the four named ones: ``"rfc9309"`` (the default), ``"google"``
    (google/robotstxt, the parser of Googlebot), ``"google-classic"`` (Google's specification from
    before the RFC) and ``"original-1994"``. Keywords change single switches.

    >>> import robotsieve
    >>> robotsieve.Profile("google")
    Profile('google')
    >>> mine = robotsieve.Profile("rfc9309", merge_names=True)
    >>> mine.name is None, mine.to_dict()["merge_names"]
    (True, True)

    Wherever a profile is asked for, its name will do.
    """

    def __new__(
        cls, base: AnyProfile | None = None, /, **switches: Unpack[ProfileSwitches]
    ) -> Self: ...
    @property
    def name(self) -> ProfileName | None:
        """The name, ``None`` if it is not one of the named profiles."""
    @classmethod
    def names(cls) -> list[ProfileName]:
        """The names of the named profiles, the default first."""
    def to_dict(self) -> ProfileSwitches:
        """All switches. ``Profile(**profile.to_dict())`` is the same profile."""
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Config:
    """How policies are built. The default suits most programs, and no configuration changes a verdict.

    ``keep_rules=False`` makes policies smaller, and they can no longer say which rule decided.
    ``keep_sitemaps=True`` makes sets and packs keep the sitemaps of each file, ``keep_rights=True`` makes
    packs keep what it says of rights. ``max_interval`` is the longest crawl delay that counts, in
    seconds; ``inherit_pace=True`` lets a crawler with a group of its own take the delay of the ``*``
    group if its own has none. ``engine``, ``limits`` and
    ``build_after`` are for measuring: see the documentation of the Rust library.

    >>> import robotsieve
    >>> robotsieve.Config(keep_rules=False)
    Config(keep_rules=False)
    """

    def __new__(cls, **fields: Unpack[ConfigFields]) -> Self: ...
    def to_dict(self) -> ConfigFields:
        """All fields. ``Config(**config.to_dict())`` is the same configuration."""
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Crawler:
    """A crawler: one name, or several from most to least specific.

    The names are taken as given. Where a crawler is asked for, a ``str``, a list of them or a
    :class:`UserAgent` will do too. Names are then checked: a name that no ``User-agent`` line can name, such as ``"GPTBot/1.0"`` or
    a whole header, raises :class:`InvalidName` instead of silently obeying the ``*`` group.

    >>> from robotsieve import Crawler
    >>> Crawler("Googlebot-Image", "Googlebot")
    Crawler('Googlebot-Image', 'Googlebot')
    >>> Crawler.from_user_agent("Mozilla/5.0 (compatible; GPTBot/1.1; +https://openai.com/gptbot)")
    Crawler('GPTBot')
    """

    def __new__(cls, *names: Text) -> Self: ...
    @classmethod
    def from_user_agent(cls, header: Text) -> Crawler:
        """The crawler that sends this ``User-Agent`` header. :class:`UserAgent` says how sure each name is."""
    @property
    def names(self) -> tuple[str, ...]:
        """The names, from most to least specific."""
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class HeaderName:
    """A name in a ``User-Agent`` header, and how sure it is that it is the crawler's."""

    def __new__(cls, name: Text, certainty: Literal["compatible", "product", "word"]) -> Self: ...
    @property
    def name(self) -> str:
        """The name."""
    @property
    def certainty(self) -> Literal["compatible", "product", "word"]:
        """``compatible``: it follows that word. ``product``: it has a version, or the header begins with it.
        ``word``: it stands somewhere else.
        """
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class UserAgent:
    """What a ``User-Agent`` header says about who sends it.

    >>> from robotsieve import UserAgent
    >>> UserAgent("Mozilla/5.0 (compatible; GPTBot/1.1; +https://openai.com/gptbot)").names
    [HeaderName(name='GPTBot', certainty='compatible')]
    """

    def __new__(cls, header: Text) -> Self: ...
    @property
    def header(self) -> str:
        """The header."""
    @property
    def names(self) -> list[HeaderName]:
        """The names, the surest first."""
    @property
    def crawler(self) -> Crawler:
        """The crawler with these names."""
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Origin:
    """The origin of a URL: scheme, host and port, which one robots.txt governs.

    >>> from robotsieve import Origin
    >>> origin = Origin("HTTPS://Example.COM:443/a?b")
    >>> origin.key, origin.robots_url
    ('https://example.com', 'https://example.com/robots.txt')

    Raises :class:`InvalidOrigin` if the URL is not one of http, https or ftp with a host.
    """

    def __new__(cls, url: AnyOrigin) -> Self: ...
    @property
    def key(self) -> str:
        """The origin as text, the same for all spellings: ``https://example.com``."""
    @property
    def robots_url(self) -> str:
        """Where its robots.txt is."""
    @property
    def scheme(self) -> Literal["http", "https", "ftp"]:
        """``http``, ``https`` or ``ftp``."""
    @property
    def host(self) -> str:
        """The host, in lower case and in its ASCII form."""
    @property
    def authority(self) -> str:
        """The host and, if it is not the scheme's own, the port."""
    @property
    def port(self) -> int:
        """The port, the scheme's own included."""
    def shard(self, shards: int) -> int:
        """Which of ``shards`` parts it belongs to, from 0 on; the same in every program and version."""
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class RequestRate:
    """How many documents to request in what time.

    ``window`` is the time of day for which this holds, from and to in minutes after midnight UTC, or
    ``None`` for all day.
    """

    def __new__(
        cls, requests: int, seconds: float, window: tuple[int, int] | None = None
    ) -> Self: ...
    @property
    def requests(self) -> int:
        """The number of documents."""
    @property
    def seconds(self) -> float:
        """The seconds in which to request them."""
    @property
    def window(self) -> tuple[int, int] | None:
        """From and to, in minutes after midnight UTC."""
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Rule:
    """A rule: an ``Allow`` or ``Disallow`` line with a value."""

    def __new__(
        cls,
        verdict: Verdict,
        line: int,
        value: str,
        precedence: int,
        pattern: str,
        anchored: bool,
    ) -> Self: ...
    @property
    def verdict(self) -> Verdict:
        """The verdict on what it matches: ``allow`` or ``disallow``."""
    @property
    def line(self) -> int:
        """Its line, from 1 on."""
    @property
    def value(self) -> str:
        """Its value as written."""
    @property
    def precedence(self) -> int:
        """Of several rules that match, the one with the highest precedence decides."""
    @property
    def pattern(self) -> str:
        """What targets are compared with: normalised, without a ``$`` at the end."""
    @property
    def anchored(self) -> bool:
        """True if the target must end where the pattern ends."""
    def to_dict(self) -> dict[str, Any]:
        """Its fields, of types that JSON has; bytes that are not UTF-8 become U+FFFD."""
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Decision:
    """A verdict and the reason for it. True if the verdict is ``allow``."""

    def __new__(
        cls,
        verdict: Verdict,
        reason: Reason,
        line: int | None,
        rule: Rule | None,
    ) -> Self: ...
    @property
    def verdict(self) -> Verdict:
        """``allow`` or ``disallow``."""
    @property
    def is_allowed(self) -> bool:
        """Returns true if the verdict is ``allow``."""
    @property
    def reason(self) -> Reason:
        """Why:

        - ``rule``: this rule decided.
        - ``no-group``: allowed, since no group is for the crawler.
        - ``no-match``: allowed, since none of its rules matches.
        - ``empty-rule``: allowed, since its only rules are empty.
        - ``robots-txt``: allowed, since it is the robots.txt itself.
        - ``allow-all``, ``disallow-all``: what is known of the site is not a file (:meth:`Pack.outcome`).
        - ``rules-not-kept``: the set or pack does not keep what would tell.
        """
    @property
    def line(self) -> int | None:
        """The line of the rule, from 1 on, or of the empty one."""
    @property
    def rule(self) -> Rule | None:
        """The rule."""
    def to_dict(self) -> dict[str, Any]:
        """Its fields, of types that JSON has."""
    def __bool__(self) -> bool: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Verdicts:
    r"""The verdicts on many URLs, in their order: ``True``, ``False``, or ``None`` for what has no verdict.

    An Arrow boolean array, which PyArrow, Polars, pandas, DuckDB and nanoarrow take without a copy in Python, and a sequence.

    >>> from robotsieve import Robots
    >>> policy = Robots("User-agent: *\nDisallow: /search").policy("MyCrawler")
    >>> list(policy.verdicts(["https://e.com/", "https://e.com/search", "not a URL"]))
    [True, False, None]
    """

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> bool | None: ...
    @overload
    def __getitem__(self, index: slice, /) -> Verdicts: ...
    def __iter__(self) -> Iterator[bool | None]: ...
    def to_pylist(self) -> list[bool | None]:
        """As a list."""
    @property
    def allowed_count(self) -> int:
        """The number of URLs that are allowed."""
    @property
    def disallowed_count(self) -> int:
        """The number of URLs that are disallowed."""
    @property
    def undecided_count(self) -> int:
        """The number that have no verdict, because they are not URLs or their site is unknown."""
    def __eq__(self, value: object, /) -> bool: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...

@final
class Answers:
    """The answers for many URLs, in their order, in words: ``allow``, ``disallow``, ``invalid`` for what is not a URL, ``unknown`` for one whose site is not known.

    An Arrow dictionary array of strings, and a sequence.
    """

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> Answer: ...
    @overload
    def __getitem__(self, index: slice, /) -> Answers: ...
    def __iter__(self) -> Iterator[Answer]: ...
    def to_pylist(self) -> list[Answer]:
        """As a list."""
    @property
    def allowed_count(self) -> int:
        """The number of URLs that are allowed."""
    @property
    def disallowed_count(self) -> int:
        """The number of URLs that are disallowed."""
    @property
    def undecided_count(self) -> int:
        """The number that have no verdict, because they are not URLs or their site is unknown."""
    def __eq__(self, value: object, /) -> bool: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...

@final
class Decisions:
    r"""The decisions on many URLs, in their order: a :class:`Decision` for each, or ``None`` for what has no
    verdict.

    An Arrow struct array, or table, and a sequence. The columns are ``answer`` (``allow``, ``disallow``,
    ``invalid`` or ``unknown``), ``reason`` (see :attr:`Decision.reason`), ``line`` and ``rule`` (the value of the
    rule that decided, as written; bytes that are not UTF-8 become U+FFFD), and ``profile``, by whose rules. Where there is no verdict,
    reason, line and rule are null.

    >>> from robotsieve import Robots
    >>> policy = Robots("User-agent: *\nDisallow: /search").policy("MyCrawler")
    >>> decisions = policy.decisions(["https://e.com/", "https://e.com/search", "not a URL"])
    >>> decisions[1].line, decisions[2]
    (2, None)
    """

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> Decision | None: ...
    @overload
    def __getitem__(self, index: slice, /) -> Decisions: ...
    def __iter__(self) -> Iterator[Decision | None]: ...
    def to_pylist(self) -> list[Decision | None]:
        """As a list."""
    @property
    def verdicts(self) -> Verdicts:
        """Whether each URL is allowed, without the reasons."""
    @property
    def answers(self) -> Answers:
        """The answers in words, without the reasons."""
    @property
    def profile_name(self) -> str:
        """The name of the profile, ``custom`` if it has none."""
    def __eq__(self, value: object, /) -> bool: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

@final
class CrawlerVerdicts(Mapping[str, Verdicts]):
    """The verdicts on many URLs for several crawlers: a mapping from their names to :class:`Verdicts`, and an Arrow
    struct array, or table, with a boolean column for each crawler. A column is named after its crawler's first name;
    if another crawler has that too, after all names with ``+`` between them. That of a crawler without a name is ``*``.
    """

    @property
    def row_count(self) -> int:
        """The number of URLs there are."""
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[str]: ...
    def __contains__(self, name: object, /) -> bool: ...
    def __getitem__(self, name: str, /) -> Verdicts: ...
    @overload
    def get(self, name: str, default: None = None, /) -> Verdicts | None:
        """The column of a crawler, or ``default`` if there is no such crawler."""
    @overload
    def get(self, name: str, default: Verdicts | _T, /) -> Verdicts | _T:
        """The column of a crawler, or ``default`` if there is no such crawler."""
    def keys(self) -> KeysView[str]:
        """The names of the crawlers."""
    def values(self) -> ValuesView[Verdicts]:
        """The columns."""
    def items(self) -> ItemsView[str, Verdicts]:
        """The names of the crawlers, with their columns."""
    def to_pydict(self) -> dict[str, list[bool | None]]:
        """As a dictionary of lists."""
    def __eq__(self, value: object, /) -> bool: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

@final
class CrawlerAnswers(Mapping[str, Answers]):
    """The answers for many URLs and several crawlers: a mapping from their names to :class:`Answers`, and an Arrow
    struct array, or table, with a column for each crawler, named as in :class:`CrawlerVerdicts`.
    """

    @property
    def row_count(self) -> int:
        """The number of URLs there are."""
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[str]: ...
    def __contains__(self, name: object, /) -> bool: ...
    def __getitem__(self, name: str, /) -> Answers: ...
    @overload
    def get(self, name: str, default: None = None, /) -> Answers | None:
        """The column of a crawler, or ``default`` if there is no such crawler."""
    @overload
    def get(self, name: str, default: Answers | _T, /) -> Answers | _T:
        """The column of a crawler, or ``default`` if there is no such crawler."""
    def keys(self) -> KeysView[str]:
        """The names of the crawlers."""
    def values(self) -> ValuesView[Answers]:
        """The columns."""
    def items(self) -> ItemsView[str, Answers]:
        """The names of the crawlers, with their columns."""
    def to_pydict(self) -> dict[str, list[Answer]]:
        """As a dictionary of lists."""
    def __eq__(self, value: object, /) -> bool: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

@final
class CrawlerDecisions(Mapping[str, Decisions]):
    """The decisions on many URLs for several crawlers: a mapping from their names to :class:`Decisions`, and an Arrow
    struct array, or table, with a struct for each crawler, named as in :class:`CrawlerVerdicts`.
    """

    @property
    def row_count(self) -> int:
        """The number of URLs there are."""
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[str]: ...
    def __contains__(self, name: object, /) -> bool: ...
    def __getitem__(self, name: str, /) -> Decisions: ...
    @overload
    def get(self, name: str, default: None = None, /) -> Decisions | None:
        """The column of a crawler, or ``default`` if there is no such crawler."""
    @overload
    def get(self, name: str, default: Decisions | _T, /) -> Decisions | _T:
        """The column of a crawler, or ``default`` if there is no such crawler."""
    def keys(self) -> KeysView[str]:
        """The names of the crawlers."""
    def values(self) -> ValuesView[Decisions]:
        """The columns."""
    def items(self) -> ItemsView[str, Decisions]:
        """The names of the crawlers, with their columns."""
    def to_pydict(self) -> dict[str, list[Decision | None]]:
        """As a dictionary of lists."""
    def __eq__(self, value: object, /) -> bool: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

@final
class RightsReader:
    r"""Reads what a crawler may do with pages: crawl, index and excerpt them, give them to a model as input, train on
    them.

    Sites say so in robots.txt, in headers, in pages and in files of their own; the most restrictive statement wins,
    and silence is no permission. ``docs/rights.md`` says which texts are read, and how.

    ``crawler`` is as for :meth:`Robots.policy`. ``reading`` is whose reading of robots tags counts: ``generic``,
    ``google``, ``bing`` or ``yandex``. ``vocabulary`` is the draft of Content-Usage's vocabulary, from ``01`` to ``08``.
    ``now`` is the time by which ``unavailable_after`` is judged, a ``datetime`` or seconds since 1970; by default that of
    this call. ``policy_tokens`` are tokens that the crawler's operator heeds beside its own: ``Google-Extended``,
    ``Applebot-Extended``. ``profile`` is how files are read that are given as text or bytes.

    >>> from robotsieve import RightsReader, Robots
    >>> reader = RightsReader("GPTBot")
    >>> robots = Robots("User-agent: *\nContent-Signal: search=yes, ai-train=no\n")
    >>> rights = reader.rights("https://example.com/a", robots=robots, headers={"X-Robots-Tag": "nosnippet"})
    >>> rights.crawl, rights.index, rights.snippet, rights.ai_input, rights.ai_train
    ('allow', 'allow', 'disallow', 'unknown', 'disallow')
    >>> rights.by["snippet"]
    [RightsStatement(place='header:x-robots-tag:1', version='x-robots-google-2026-03')]

    Nothing is fetched. All threads may use it. It keeps what it made of robots.txt files, up to 64 MiB of them, so
    that each is compiled once.
    """

    def __new__(
        cls,
        crawler: AnyCrawler,
        *,
        reading: TagReading = "generic",
        vocabulary: str = "08",
        now: datetime | float | None = None,
        policy_tokens: Iterable[str] | None = None,
        profile: AnyProfile | None = None,
    ) -> RightsReader: ...
    def rights(
        self,
        url: Text,
        /,
        *,
        robots: Body | None = None,
        headers: Headers | None = None,
        html: Text | None = None,
        files: Mapping[str, Text] | None = None,
    ) -> Rights:
        """The rights of a URL, from all that is at hand.

        ``robots`` is the robots.txt: a :class:`Robots`, text or bytes; without it crawling is unknown. ``headers`` is the
        header of the response: a mapping, pairs of names and values, or text with ``Name: value`` lines. ``html`` is the
        page. ``files`` are bodies by address: ``/.well-known/tdmrep.json``, or the URL of an RSL document.

        Raises :class:`InvalidUrl` as :meth:`Policy.is_allowed` does, and ``ValueError`` for text that is no header.
        """
    def columns(
        self,
        urls: ManyUrls,
        /,
        *,
        robots: Body | Mapping[Any, Body | None] | ManyTexts | None = None,
        headers: ManyHeaders | None = None,
        html: ManyTexts | None = None,
        files: Mapping[str, Text] | None = None,
        threads: int | None = 1,
    ) -> RightsColumns:
        """The rights of many URLs, in columns: an Arrow table.

        ``urls`` is as for :meth:`Policy.verdicts`. All other columns have a value for each URL, or null:

        - ``headers``: Arrow maps, lists of pairs, or text with ``Name: value`` lines; or an iterable of what
          :meth:`rights` takes;
        - ``html``: Arrow strings or binary, or an iterable of ``str``, ``bytes`` and ``None``;
        - ``robots``: such a column with the robots.txt of each URL, of which equal ones are compiled once; or one file for
          all, as :meth:`rights` takes it; or a mapping from origins, or any of their URLs, to files.

        ``files`` are as for :meth:`rights`, with addresses in full, or ``/.well-known/tdmrep.json`` for all sites. They are
        read once. ``threads`` is as for :meth:`Policy.verdicts`.

        >>> reader = RightsReader("GPTBot")
        >>> headers = [{"X-Robots-Tag": "noai"}, None, "no header"]
        >>> list(reader.columns(["https://example.com/a", "not a URL", "/b"], headers=headers).ai_train)
        ['disallow', 'invalid', 'invalid']
        """
    @property
    def crawler(self) -> Crawler:
        """Whose rights they are."""
    @property
    def reading(self) -> TagReading:
        """Whose reading of robots tags counts."""
    @property
    def vocabulary(self) -> str:
        """The draft of Content-Usage's vocabulary."""
    @property
    def now(self) -> int:
        """The time by which ``unavailable_after`` is judged, in seconds since 1970."""
    @property
    def policy_tokens(self) -> list[str]:
        """The tokens that are heeded beside the crawler's names."""
    @property
    def profile(self) -> Profile:
        """How files are read that are given as text or bytes."""
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Rights:
    """What a crawler may do with a page, and which places say so. Made by :meth:`RightsReader.rights`.

    >>> from robotsieve import RightsReader
    >>> rights = RightsReader("GPTBot").rights("https://example.com/", headers={"tdm-reservation": "1"})
    >>> rights.to_dict()["by"]
    {'ai-input': ['header:tdm-reservation'], 'ai-train': ['header:tdm-reservation']}
    >>> print(rights)
      crawl     unknown   no robots.txt was given
      index     unknown   no statement settles it
      snippet   unknown   no statement settles it
      ai-input  disallow  header:tdm-reservation: 1 [tdmrep-2024-05]
      ai-train  disallow  header:tdm-reservation: 1 [tdmrep-2024-05]

    It keeps references to what it was read from, for :meth:`report`.
    """

    @property
    def crawl(self) -> Ruling:
        """May it be fetched? Allow and Disallow of robots.txt alone. ``allow``, ``disallow`` or ``unknown``, as all
        that follow.
        """
    @property
    def index(self) -> Ruling:
        """May it be listed in search results?"""
    @property
    def snippet(self) -> Ruling:
        """May a part of it be shown there?"""
    @property
    def ai_input(self) -> Ruling:
        """May it be given to a model that answers a question?"""
    @property
    def ai_train(self) -> Ruling:
        """May a model be trained on it?"""
    @property
    def ai_index(self) -> Ruling | None:
        """May it be in an index for AI systems? ``None`` unless an RSL document covers the URL."""
    @property
    def by(self) -> dict[RightsPurpose, list[RightsStatement]]:
        """The statements that decided, by purpose."""
    @property
    def licences(self) -> list[RightsLicence]:
        """The licences that the site names for the URL."""
    @property
    def licensable(self) -> list[RightsPurpose]:
        """The disallowed purposes for which a licence can be had."""
    @property
    def conditions(self) -> dict[RightsPurpose, list[str]]:
        """The conditions, by purpose: ``attribution``, ``contribution``, ``user:…``, ``not-geo:…`` and their like."""
    @property
    def limits(self) -> dict[str, int | str]:
        """What restricts a purpose without disallowing it: ``max-snippet``, the most characters of a snippet; ``index``,
        which is ``if-embedded``; ``ai-input``, which is ``url-title-snippet``.
        """
    @property
    def use(self) -> UseCeiling | None:
        """The ceiling that Content Signals set: ``immediate``, ``reference`` or ``full``. It changes no ruling."""
    @property
    def notes(self) -> list[str]:
        """Codes for anything unusual, which ``docs/rights.md`` lists."""
    def to_dict(self) -> dict[str, Any]:
        """What ``robotsieve rights --format json`` prints, as ``docs/rights.md`` describes it."""
    def report(self) -> RightsReport:
        """The rights in words, with what stands at the places that decided. Reads robots.txt and the page again."""
    def __eq__(self, value: object, /) -> bool: ...

@final
class RightsStatement:
    """A statement that decided: where it stands, and the version of the text by which it was read."""

    def __new__(cls, place: str, version: str) -> RightsStatement: ...
    @property
    def place(self) -> str:
        """The place, counted from 1, such as ``robots.txt:2`` or ``header:x-robots-tag:1``."""
    @property
    def version(self) -> str:
        """The version, such as ``aipref-vocab-08``."""
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class RightsLicence:
    """A licence that a site names for a page."""

    def __new__(
        cls, kind: LicenceKind, url: str | None, via: str, state: LicenceState | None = None
    ) -> RightsLicence: ...
    @property
    def kind(self) -> LicenceKind:
        """``rsl``, ``tdm-policy`` or ``other``."""
    @property
    def url(self) -> str | None:
        """Its address, ``None`` if it is in the page."""
    @property
    def via(self) -> str:
        """The place that names it."""
    @property
    def state(self) -> LicenceState | None:
        """What became of it, if it is of RSL: ``not-given``, ``invalid``, ``no-match``, ``element-scoped`` or ``read``."""
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class RightsReport:
    """Rights in words: ``str()`` is what ``robotsieve rights`` prints below its first line."""

    def __new__(
        cls, purposes: Sequence[PurposeReport], sentences: Sequence[str], text: str
    ) -> RightsReport: ...
    @property
    def purposes(self) -> list[PurposeReport]:
        """The purposes, each with the ruling and why it is so."""
    @property
    def sentences(self) -> list[str]:
        """Sentences about licences, conditions and limits, and what is odd."""
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class PurposeReport:
    """The ruling on a purpose, with its reasons."""

    def __new__(
        cls, purpose: RightsPurpose, ruling: Ruling, reasons: Sequence[str]
    ) -> PurposeReport: ...
    @property
    def purpose(self) -> RightsPurpose:
        """The purpose: ``crawl``, ``index``, ``snippet``, ``ai-input``, ``ai-train`` or ``ai-index``."""
    @property
    def ruling(self) -> Ruling:
        """``allow``, ``disallow`` or ``unknown``."""
    @property
    def reasons(self) -> list[str]:
        """The places that decided, each with what stands there and the version of the text by which it was read. If
        there is none, why.
        """
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class RightsColumns:
    """The rights of many URLs, in their order. Made by :meth:`RightsReader.columns`.

    An Arrow table (``pyarrow.table``, ``polars.DataFrame``, a table of DuckDB):

    | column | type | |
    |---|---|---|
    | ``crawl``, ``index``, ``snippet``, ``ai_input``, ``ai_train``, ``ai_index`` | dictionary of strings | ``allow``, ``disallow``, ``unknown``, or ``invalid``; ``ai_index`` is null unless an RSL document covers the URL |
    | ``by`` | list of struct of strings | the statements that decided: ``purpose``, ``place``, ``version`` |
    | ``licences`` | list of struct of strings | ``kind``, ``url``, ``via``, ``state`` |
    | ``licensable`` | list of strings | purposes |
    | ``conditions`` | list of struct of strings | ``purpose``, ``condition`` |
    | ``limits`` | struct | ``max_snippet``, a number; ``index`` and ``ai_input``, strings; null where there is no limit |
    | ``use`` | dictionary of strings | the ceiling of Content Signals, or null |
    | ``notes`` | list of strings | codes |
    | ``invalid`` | dictionary of strings | ``url`` or ``headers`` if that is invalid, otherwise null |

    The purposes within lists are written ``ai-input`` and so on. A row lists 1,000 statements and 1,000 licences at most.
    In a row that is invalid all but the purposes and ``invalid`` is null.

    >>> import polars as pl
    >>> from robotsieve import RightsReader
    >>> headers = [{"Content-Usage": "train-ai=n"}, None]
    >>> columns = RightsReader("GPTBot").columns(["https://example.com/a", "https://example.com/b"], headers=headers)
    >>> pl.DataFrame(columns).explode("by").unnest("by").select("ai_train", "place").rows()
    [('disallow', 'header:content-usage')]
    """

    @property
    def crawl(self) -> Answers:
        """The answers for crawling."""
    @property
    def index(self) -> Answers:
        """The answers for listing in search results."""
    @property
    def snippet(self) -> Answers:
        """The answers for excerpts in search results."""
    @property
    def ai_input(self) -> Answers:
        """The answers for input to models."""
    @property
    def ai_train(self) -> Answers:
        """The answers for training."""
    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

@final
class Robots:
    r"""A robots.txt file, parsed.

    ``body`` is ``str`` or ``bytes``; any content is a robots.txt, so nothing in it raises. ``profile``
    is the name of a reading of the protocol, or a :class:`Profile`. ``name`` is what reports call the
    file, such as its path or URL.

    >>> import robotsieve
    >>> robots = robotsieve.Robots("User-agent: *\nDisallow: /search\nAllow: /search/about\n")
    >>> policy = robots.policy("MyCrawler")
    >>> policy.is_allowed("https://example.com/search/about")
    True
    >>> policy.is_allowed("https://example.com/search?q=x")
    False

    It is pickled as the bytes of the file, with profile and configuration.
    """

    def __new__(
        cls,
        body: Text,
        profile: AnyProfile | None = None,
        config: Config | None = None,
        name: str | None = None,
    ) -> Self: ...
    def policy(self, crawler: AnyCrawler) -> Policy:
        """The policy for a crawler: a name, names from most to least specific, or a :class:`Crawler`.

        Raises :class:`InvalidName` for a name that no ``User-agent`` line can name, such as a whole
        header: that is for :meth:`Crawler.from_user_agent`.
        """
    def policies(self, crawlers: Iterable[AnyCrawler]) -> CrawlerPolicies:
        """The policies for several crawlers, which are asked together."""
    def is_allowed(self, crawler: AnyCrawler, url: Text) -> bool:
        """Whether the crawler may fetch this URL: ``policy(crawler).is_allowed(url)``."""
    @property
    def body(self) -> bytes:
        """The file."""
    @property
    def name(self) -> str | None:
        """What reports call the file, ``None`` if nothing."""
    @property
    def profile(self) -> Profile:
        """How it is read."""
    @property
    def config(self) -> Config:
        """How its policies are built."""
    @property
    def extent(self) -> tuple[int, int]:
        """The part of the file that is read, as from and to in bytes: without a byte order mark, and cut
        at the profile's size limit.
        """
    @property
    def sitemaps(self) -> list[str]:
        """The values of the ``Sitemap`` lines, as written."""
    @property
    def tokens(self) -> list[str]:
        """The product tokens that the file's user-agent lines name, ``*`` included."""
    @property
    def group_count(self) -> int:
        """The number of groups the file has."""
    def group_of(self, crawler: AnyCrawler) -> list[tuple[int, str]]:
        """The user-agent lines of the groups that a crawler obeys: line, from 1 on, and value."""
    def crawl_delay(self, crawler: AnyCrawler) -> float | None:
        """The crawl delay for a crawler in seconds, ``None`` if there is none."""
    def request_rate(self, crawler: AnyCrawler) -> RequestRate | None:
        """The request rate for a crawler, ``None`` if there is none."""
    def min_interval(self, crawler: AnyCrawler) -> float | None:
        """The seconds to wait between the beginnings of two requests, by crawl delay and request rate."""
    def explain(self, crawler: AnyCrawler, url: Text) -> ExplainReport:
        r"""Why the crawler may or may not fetch this URL: an :class:`ExplainReport`.

        Compiles nothing. To filter URLs, ask a policy.

        >>> from robotsieve import Robots
        >>> robots = Robots("User-agent: *\nDisallow: /a\nAllow: /*.html$\n")
        >>> why = robots.explain("MyCrawler", "https://example.com/%61.html")
        >>> why.verdict, why.target.value, why.winner.line, why.runner_up.line
        ('allow', '/a.html', 3, 2)

        Raises :class:`InvalidUrl` as :meth:`Policy.is_allowed` does.
        """
    def compare_profiles(self, crawler: AnyCrawler, url: Text) -> CompareReport:
        r"""The verdicts of all named profiles on this URL, and what makes them differ: a
        :class:`CompareReport`. The profile of this file plays no part.

        >>> from robotsieve import Robots
        >>> robots = Robots("User-agent: *\nDisallow: /*.pdf\n")
        >>> robots.compare_profiles("MyCrawler", "https://example.com/a.pdf").verdicts["original-1994"]
        'allow'
        """
    @property
    def diagnostics(self) -> list[Diagnostic]:
        r"""What is odd about the file, by line: a list of :class:`Diagnostic`. For advice, use
        :func:`lint`. Reads the file again.

        >>> from robotsieve import Robots
        >>> for diagnostic in Robots("User-agent: *\nDisalow: /private/\n").diagnostics:
        ...     print(diagnostic)
        line 2: unknown field, ignored: did you mean 'Disallow'?
        """
    def lines(self) -> list[Line]:
        r"""All lines of the form ``field: value``, as written: a list of :class:`Line`. Reads the file
        again.

        >>> from robotsieve import Robots
        >>> Robots("User-agent: *\nCrawl-Delay : 10 # seconds\n").lines()[1]
        Line(line=2, field='other', name='Crawl-Delay', value='10', value_span=(28, 30))
        """
    def records(self, crawlers: Iterable[AnyCrawler] | None = None) -> RecordsReport:
        r"""The records that are neither user-agent lines nor rules, such as sitemaps and crawl delays,
        with their values read: a :class:`RecordsReport`. With ``crawlers``, those that are for one of
        them. None of them changes a verdict. Reads the file again.

        >>> from robotsieve import Robots
        >>> robots = Robots("User-agent: a\nCrawl-delay: 2.5\nRequest-rate: often\n")
        >>> for record in robots.records().records:
        ...     print(record.crawl_delay_ms or record.error)
        2500
        invalid request-rate: expected requests/seconds, such as 1/5, 30/1m or 1/10 0600-0845
        """
    def crawlers(
        self, *, urls: Iterable[Text] | None = None, purposes: Iterable[Purpose] | None = None
    ) -> ReachReport:
        r"""What the file lets the known crawlers read: a :class:`ReachReport`. ``purposes`` are those of
        the crawlers that are asked about; ``urls`` are pages to ask about, in the place of some that
        tell the crawlers apart. :func:`known_crawlers` lists the crawlers.

        >>> from robotsieve import Robots
        >>> reach = Robots("User-agent: GPTBot\nDisallow: /\n").crawlers(purposes=["ai-training"])
        >>> reach.purposes[0].shut_out, reach.purposes[0].rows[0].who
        (1, ('GPTBot (line 1)',))
        """
    def group_tokens(self, group: int, /) -> list[str]:
        """The product tokens that a group names, ``*`` included. Groups are numbered from 0."""
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Policy:
    r"""What a robots.txt says to one crawler. Made by :meth:`Robots.policy`.

    All threads may ask the same policy. It compiles itself once it has been asked often enough for
    that to pay. It is pickled as the bytes of its file, with the profile and the crawler.

    >>> from robotsieve import Robots
    >>> policy = Robots(b"User-agent: *\nDisallow: /search").policy("MyCrawler")
    >>> policy.is_allowed("https://example.com/search?q=x")
    False
    """

    def is_allowed(self, url: Text, /) -> bool:
        """Whether the crawler may fetch this URL, or this path that begins with ``/``.

        Raises :class:`InvalidUrl` if it is neither; never in the profile ``google``.
        """
    def is_path_allowed(self, path: Text, /) -> bool:
        """Whether the crawler may fetch this path, with its query if it has one. Unlike in
        :meth:`is_allowed`, ``//e.com/x`` is a path in every profile.
        """
    def decide(self, url: Text, /) -> Decision:
        r"""The verdict on a URL, or on a path that begins with ``/``, and the reason for it: to explain,
        not to filter.

        >>> from robotsieve import Robots
        >>> policy = Robots(b"User-agent: *\nDisallow: /*.pdf$").policy("MyCrawler")
        >>> decision = policy.decide("https://example.com/a.pdf")
        >>> decision.verdict, decision.line, decision.rule.value
        ('disallow', 2, '/*.pdf$')
        """
    def decide_path(self, path: Text, /) -> Decision:
        """The verdict on a path, with its query if it has one, and the reason for it."""
    def verdicts(self, urls: ManyUrls, /, *, threads: int | None = 1) -> Verdicts:
        """The verdicts on many URLs, in their order: ``True``, ``False``, or null for what is not a URL.

        ``urls`` is an Arrow array or stream (PyArrow, Polars, pandas 3, DuckDB, nanoarrow, …) of
        strings or binary, or any iterable of ``str``, ``bytes`` and ``None``. The result is an Arrow
        boolean array. Runs without the GIL, on ``threads`` threads; ``None`` means one for each core.
        """
    def answers(self, urls: ManyUrls, /, *, threads: int | None = 1) -> Answers:
        """As :meth:`verdicts`, in words: ``allow``, ``disallow``, or ``invalid`` for what is not a URL. An
        Arrow dictionary array.
        """
    def decisions(self, urls: ManyUrls, /, *, threads: int | None = 1) -> Decisions:
        """As :meth:`verdicts`, with the reasons: what :meth:`decide` says of each URL, in columns. It takes about
        three times as long.
        """
    def target(self, url: Text, /) -> str:
        """What the rules are compared with for this URL: its path and query, normalised."""
    def compile(self) -> None:
        """Compiles now instead of later."""
    @property
    def engine(self) -> Literal["scan", "dfa", "lazy", "segments"]:
        """What answers the next question: ``scan``, ``dfa``, ``lazy`` or ``segments``."""
    @property
    def limit_hit(self) -> str | None:
        """The limit that kept the policy from becoming a DFA, if one did."""
    def to_dot(self) -> str | None:
        """The compiled automaton as a Graphviz DOT graph, ``None`` if the policy is not a DFA."""
    @property
    def memory_usage(self) -> int:
        """The bytes of memory that the policy occupies, its file not counted."""
    @property
    def rules(self) -> list[Rule]:
        """The rules, from highest to lowest precedence; those without a value left out."""
    @property
    def group(self) -> list[tuple[int, str]]:
        """The user-agent lines of the crawler's groups: line, from 1 on, and value."""
    @property
    def crawl_delay(self) -> float | None:
        """The crawl delay in seconds, ``None`` if there is none."""
    @property
    def request_rate(self) -> RequestRate | None:
        """The request rate, ``None`` if there is none."""
    @property
    def min_interval(self) -> float | None:
        """The seconds to wait between the beginnings of two requests, by crawl delay and request rate."""
    @property
    def robots(self) -> Robots:
        """The file."""
    @property
    def crawler(self) -> Crawler:
        """The crawler."""
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class CrawlerPolicies:
    r"""The policies of one file for several crawlers, which are asked together. Made by
    :meth:`Robots.policies`.

    >>> from robotsieve import Robots
    >>> robots = Robots("User-agent: GPTBot\nDisallow: /")
    >>> policies = robots.policies(["GPTBot", "Googlebot"])
    >>> policies.ask("https://example.com/")
    {'GPTBot': 'disallow', 'Googlebot': 'allow'}
    """

    def ask(self, url: Text, /) -> dict[str, Answer]:
        """The answer for each crawler: ``allow``, ``disallow``, or ``invalid`` for what is not a URL."""
    def verdicts(
        self, urls: ManyUrls, /, *, crawler: AnyCrawler | None = None, threads: int | None = 1
    ) -> Verdicts:
        """The verdicts on many URLs, as :meth:`Policy.verdicts`, for one of its crawlers. ``crawler`` may be left out
        if there is one; :meth:`verdicts_by_crawler` is for several.
        """
    def verdicts_by_crawler(
        self,
        urls: ManyUrls,
        /,
        *,
        crawlers: Iterable[AnyCrawler] | None = None,
        threads: int | None = 1,
    ) -> CrawlerVerdicts:
        """The verdicts for ``crawlers``, or for all: a mapping, and an Arrow struct array or table. Only what
        is asked for is computed.
        """
    def answers(
        self, urls: ManyUrls, /, *, crawler: AnyCrawler | None = None, threads: int | None = 1
    ) -> Answers:
        """As :meth:`verdicts`, in words, as :meth:`Policy.answers`."""
    def answers_by_crawler(
        self,
        urls: ManyUrls,
        /,
        *,
        crawlers: Iterable[AnyCrawler] | None = None,
        threads: int | None = 1,
    ) -> CrawlerAnswers:
        """As :meth:`verdicts_by_crawler`, in words."""
    def decisions(
        self, urls: ManyUrls, /, *, crawler: AnyCrawler | None = None, threads: int | None = 1
    ) -> Decisions:
        """As :meth:`verdicts`, with the reasons: what :meth:`Policy.decide` says of each URL, in columns."""
    def decisions_by_crawler(
        self,
        urls: ManyUrls,
        /,
        *,
        crawlers: Iterable[AnyCrawler] | None = None,
        threads: int | None = 1,
    ) -> CrawlerDecisions:
        """As :meth:`verdicts_by_crawler`, with the reasons."""
    def __len__(self) -> int: ...
    def __getitem__(self, place: int, /) -> Policy: ...

@final
class PolicySet:
    r"""The policies of some crawlers for many origins, made for URLs in random order.

    >>> from robotsieve import PolicySet
    >>> sites = PolicySet(["MyCrawler"])
    >>> sites.add("https://example.com", "User-agent: *\nDisallow: /search")
    >>> list(sites.verdicts(["https://example.com/search", "https://example.org/"]))
    [False, None]

    The verdict is null for a URL whose origin is not in the set; :meth:`answers` tells it from what
    is not a URL. Origins with equal files share their policies. All threads may ask and change it.

    Do not fork while other threads use it: the new process may then wait for them for ever.

    It can't be pickled. Write a pack (:class:`PackWriter`): all processes share its memory.
    """

    def __new__(
        cls,
        crawlers: Iterable[AnyCrawler],
        profile: AnyProfile | None = None,
        config: Config | None = None,
    ) -> Self: ...
    def add(
        self, origin: AnyOrigin, body: Text | None = None, *, outcome: Outcome | None = None
    ) -> None:
        """Sets the robots.txt of an origin, given by any of its URLs. Replaces what it had.

        Instead of a body, ``outcome`` says what the site's answer means, as for :meth:`PackWriter.add`:
        ``"allow-all"`` if it has no robots.txt (404), ``"disallow-all"`` if all is forbidden (by RFC 9309, if the
        server can't be reached or fails with 5xx), ``"unknown"`` if nothing is known. Scheme, host and port make
        an origin: ``http`` and ``https`` are two, with and without ``www.`` too.
        """
    def remove(self, origin: AnyOrigin) -> bool:
        """Removes an origin. Whether it was there."""
    def is_allowed(self, url: Text, /, crawler: AnyCrawler | None = None) -> bool | None:
        """Whether the crawler may fetch this URL; ``None`` if nothing is known of its origin.

        ``crawler`` is one of the set's crawlers, and may be left out if there is one.
        Raises :class:`InvalidUrl` for what is not a URL of http, https or ftp.
        """
    def decide(self, url: Text, /, crawler: AnyCrawler | None = None) -> Decision | None:
        """The verdict on a URL with the reason for it, as far as the set keeps rules; ``None`` if nothing
        is known of its origin.
        """
    def ask(self, url: Text, /) -> dict[str, Answer]:
        """The answer for each crawler: ``allow``, ``disallow``, ``invalid`` or ``unknown``."""
    def verdicts(
        self, urls: ManyUrls, /, *, crawler: AnyCrawler | None = None, threads: int | None = 1
    ) -> Verdicts:
        """The verdicts on many URLs, as :meth:`Policy.verdicts`, for one crawler of the set. ``crawler`` may be left out
        if there is one; :meth:`verdicts_by_crawler` is for several. Null also if nothing is known of the URL's
        origin.
        """
    def verdicts_by_crawler(
        self,
        urls: ManyUrls,
        /,
        *,
        crawlers: Iterable[AnyCrawler] | None = None,
        threads: int | None = 1,
    ) -> CrawlerVerdicts:
        """The verdicts for ``crawlers``, or for all of the set: a mapping, and an Arrow struct array or table. Only what
        is asked for is computed.
        """
    def answers(
        self, urls: ManyUrls, /, *, crawler: AnyCrawler | None = None, threads: int | None = 1
    ) -> Answers:
        """As :meth:`verdicts`, in words: ``allow``, ``disallow``, ``invalid`` for what is not a URL of http, https or
        ftp, ``unknown`` for one of whose origin nothing is known.
        """
    def answers_by_crawler(
        self,
        urls: ManyUrls,
        /,
        *,
        crawlers: Iterable[AnyCrawler] | None = None,
        threads: int | None = 1,
    ) -> CrawlerAnswers:
        """As :meth:`verdicts_by_crawler`, in words."""
    def decisions(
        self, urls: ManyUrls, /, *, crawler: AnyCrawler | None = None, threads: int | None = 1
    ) -> Decisions:
        """As :meth:`verdicts`, with the reasons: what :meth:`decide` says of each URL, in columns."""
    def decisions_by_crawler(
        self,
        urls: ManyUrls,
        /,
        *,
        crawlers: Iterable[AnyCrawler] | None = None,
        threads: int | None = 1,
    ) -> CrawlerDecisions:
        """As :meth:`verdicts_by_crawler`, with the reasons."""
    def crawl_delay(
        self, origin: AnyOrigin, crawler: AnyCrawler | None = None
    ) -> float | None:
        """The crawl delay in seconds that an origin asks for; ``None`` if there is none."""
    def request_rate(
        self, origin: AnyOrigin, crawler: AnyCrawler | None = None
    ) -> RequestRate | None:
        """The request rate that an origin asks for; ``None`` if there is none."""
    def min_interval(
        self, origin: AnyOrigin, crawler: AnyCrawler | None = None
    ) -> float | None:
        """The seconds to wait between the beginnings of two requests, by crawl delay and request rate;
        ``None`` if the origin asks for nothing or is not in the set.
        """
    def sitemaps(self, origin: AnyOrigin) -> list[str]:
        """The sitemaps of an origin, if the set's config says ``keep_sitemaps=True``."""
    def outcome(self, origin: AnyOrigin) -> Outcome | None:
        """What is known of an origin: ``rules``, ``allow-all``, ``disallow-all`` or ``unknown``; ``None`` if it is
        not in the set.
        """
    def origins(self) -> list[Origin]:
        """The origins, in no particular order."""
    @property
    def crawlers(self) -> list[Crawler]:
        """The crawlers that it is for."""
    @property
    def profile(self) -> Profile:
        """How files are read."""
    @property
    def file_count(self) -> int:
        """The number of different files the origins have."""
    @property
    def policy_count(self) -> int:
        """The number of different policies they have."""
    @property
    def memory_usage(self) -> int:
        """The bytes of memory that it occupies."""
    def __len__(self) -> int: ...
    def __contains__(self, origin: AnyOrigin, /) -> bool: ...

@final
class Pack:
    r"""The policies of many origins in a file that is used in place: it is mapped, not loaded, and all
    processes that open it share its memory. Made by :class:`PackWriter` or by ``robotsieve pack``.

    ``Pack.open(path)`` opens a file, a folder of shards, or the files of a pack in several. ``Pack(bytes)`` takes the bytes
    of one. It is pickled as its paths, made absolute, or as its bytes.

    >>> import os, tempfile
    >>> from robotsieve import Pack, PackWriter
    >>> path = os.path.join(tempfile.mkdtemp(), "sites.pack")
    >>> with PackWriter(path, ["MyCrawler"]) as writer:
    ...     writer.add("https://example.com", "User-agent: *\nDisallow: /search")
    >>> pack = Pack.open(path)
    >>> list(pack.verdicts(["https://example.com/search", "https://example.org/"]))
    [False, None]

    No program may change or cut the file while it is open. Replace it by renaming another one to its
    name, as the writer does, or update it with ``robotsieve pack update``, which writes only behind its
    end. The pack stays as it was when it was opened; what an update has not completed is left out.
    """

    def __new__(cls, bytes: Buffer) -> Self: ...
    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    ) -> Pack:
        """Opens a file, a folder of shards, which are named as in ``shard-0003-of-0064.pack``, or several
        files that are one pack. Raises :class:`OSError` if one can't be read, and :class:`PackError` if it
        is no pack, or if a shard is missing.
        """
    def is_allowed(self, url: Text, /, crawler: AnyCrawler | None = None) -> bool | None:
        """Whether the crawler may fetch this URL; ``None`` if nothing is known of its origin.

        ``crawler`` is one of the pack's crawlers, and may be left out if there is one.
        Raises :class:`InvalidUrl` for what is not a URL of http, https or ftp.
        """
    def decide(self, url: Text, /, crawler: AnyCrawler | None = None) -> Decision | None:
        """The verdict on a URL with the reason for it, as far as the pack keeps rules; ``None`` if nothing
        is known of its origin.
        """
    def ask(self, url: Text, /) -> dict[str, Answer]:
        """The answer for each crawler: ``allow``, ``disallow``, ``invalid`` or ``unknown``."""
    def verdicts(
        self, urls: ManyUrls, /, *, crawler: AnyCrawler | None = None, threads: int | None = 1
    ) -> Verdicts:
        """The verdicts on many URLs, as :meth:`Policy.verdicts`, for one crawler of the pack. ``crawler`` may be left out
        if there is one; :meth:`verdicts_by_crawler` is for several. Null also if nothing is known of the URL's
        origin.
        """
    def verdicts_by_crawler(
        self,
        urls: ManyUrls,
        /,
        *,
        crawlers: Iterable[AnyCrawler] | None = None,
        threads: int | None = 1,
    ) -> CrawlerVerdicts:
        """The verdicts for ``crawlers``, or for all of the pack: a mapping, and an Arrow struct array or table. Only what
        is asked for is computed.
        """
    def answers(
        self, urls: ManyUrls, /, *, crawler: AnyCrawler | None = None, threads: int | None = 1
    ) -> Answers:
        """As :meth:`verdicts`, in words: ``allow``, ``disallow``, ``invalid`` for what is not a URL of http, https or
        ftp, ``unknown`` for one of whose origin nothing is known.
        """
    def answers_by_crawler(
        self,
        urls: ManyUrls,
        /,
        *,
        crawlers: Iterable[AnyCrawler] | None = None,
        threads: int | None = 1,
    ) -> CrawlerAnswers:
        """As :meth:`verdicts_by_crawler`, in words."""
    def decisions(
        self, urls: ManyUrls, /, *, crawler: AnyCrawler | None = None, threads: int | None = 1
    ) -> Decisions:
        """As :meth:`verdicts`, with the reasons: what :meth:`decide` says of each URL, in columns."""
    def decisions_by_crawler(
        self,
        urls: ManyUrls,
        /,
        *,
        crawlers: Iterable[AnyCrawler] | None = None,
        threads: int | None = 1,
    ) -> CrawlerDecisions:
        """As :meth:`verdicts_by_crawler`, with the reasons."""
    def crawl_delay(
        self, origin: AnyOrigin, crawler: AnyCrawler | None = None
    ) -> float | None:
        """The crawl delay in seconds that an origin asks for; ``None`` if there is none."""
    def request_rate(
        self, origin: AnyOrigin, crawler: AnyCrawler | None = None
    ) -> RequestRate | None:
        """The request rate that an origin asks for; ``None`` if there is none."""
    def min_interval(
        self, origin: AnyOrigin, crawler: AnyCrawler | None = None
    ) -> float | None:
        """The seconds to wait between the beginnings of two requests, by crawl delay and request rate;
        ``None`` if the origin asks for nothing or is not in the pack.
        """
    def sitemaps(self, origin: AnyOrigin) -> list[str]:
        """The sitemaps of an origin, if the pack keeps them."""
    def outcome(self, origin: AnyOrigin) -> Outcome | None:
        """What is known of an origin: ``rules``, ``allow-all``, ``disallow-all`` or ``unknown``; ``None`` if it is
        not in the pack.
        """
    def captured(self, origin: AnyOrigin) -> int | None:
        """When what is known of an origin was captured, in seconds since 1970; ``None`` if that is not known."""
    def origins(self) -> list[Origin]:
        """The origins, in no particular order."""
    def verify(self) -> None:
        """Reads and checks everything. Raises :class:`PackError` for the first damage."""
    @property
    def crawlers(self) -> list[Crawler]:
        """The crawlers that it has policies for."""
    @property
    def profile_name(self) -> str:
        """The name of the profile, ``custom`` if it has none."""
    @property
    def tool(self) -> str:
        """The program that wrote it."""
    @property
    def keeps_rules(self) -> bool:
        """Returns true if it can say which rule decided."""
    @property
    def keeps_sitemaps(self) -> bool:
        """Returns true if it has the sitemaps of each file."""
    @property
    def seed(self) -> int:
        """The seed of its hashes."""
    @property
    def paths(self) -> list[os.PathLike[str]]:
        """The paths that it was opened from, made absolute."""
    def __len__(self) -> int: ...
    def __contains__(self, origin: AnyOrigin, /) -> bool: ...

@final
class PackWriter:
    """Writes a pack.

    Everything is written to a file beside ``path``, which takes its name when the pack is complete: at the
    end of the ``with`` block, or by :meth:`close`. If the block ends by an exception, or if writing fails,
    nothing changes. If ``path`` is a symbolic link, what it leads to is replaced; a file that is replaced
    passes its permissions on; a device, pipe or folder is refused.

    With ``shard=(index, count)`` it writes one of the files of a pack in several, which takes only the
    origins for which ``Origin.shard(count)`` is ``index``. Named as in ``shard-0003-of-0064.pack`` and in one
    folder, they are one pack for :meth:`Pack.open` and the command.

    ``config`` says what is kept: by default rules, with which it is about twice as large and can say which
    one decided, and no sitemaps.
    """

    def __new__(
        cls,
        path: str | os.PathLike[str],
        crawlers: Iterable[AnyCrawler],
        profile: AnyProfile | None = None,
        config: Config | None = None,
        *,
        seed: int | None = None,
        shard: tuple[int, int] | None = None,
    ) -> Self: ...
    def add(
        self,
        origin: AnyOrigin,
        body: Text | None = None,
        *,
        outcome: Outcome | None = None,
        captured: int | None = None,
    ) -> None:
        """Adds an origin, given by any of its URLs, with its robots.txt. Of several for one origin, the last
        counts.

        ``captured`` is when it was fetched, in seconds since 1970. Instead of a body, ``outcome`` says what
        the site's answer means: ``"allow-all"`` if it has no robots.txt (404), ``"disallow-all"`` if all is
        forbidden (by RFC 9309, if the server can't be reached or fails with 5xx), ``"unknown"`` if nothing is
        known. ``docs/answers.md`` in the repository lists what each answer of a server means.
        """
    @property
    def file_count(self) -> int:
        """The number of different files that were added."""
    def close(self) -> None:
        """Completes the pack."""
    def abandon(self) -> None:
        """Gives the pack up: nothing is written to its path."""
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...

# For robotsieve.spark: captures, which it brings together.

@final
class WarcCaptures:
    def __new__(
        cls,
        source: str | os.PathLike[str] | Buffer,
        name: str | os.PathLike[str] | None = None,
        *,
        max_batch_bytes: int = 8388608,
        threads: int | None = 1,
    ) -> Self: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> CaptureBatch: ...

@final
class CaptureBatch:
    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...

def capture_key(url: str) -> tuple[str, bool] | None: ...
def row_key(url: str) -> tuple[str, bool] | None: ...
def said_of(
    url: str,
    status: int | None,
    location: str | None = None,
    lifetime: int | None = None,
    error: str | None = None,
    *,
    time: int | None = None,
    has_body: bool = True,
) -> tuple[
    Literal["file", "unchanged", "status", "redirect", "no-target", "failed", "nothing"],
    int | str | None,
]: ...

@final
class CapturesOf:
    def __new__(cls, key: str) -> Self: ...
    def push(
        self,
        at: int,
        said: str,
        number: int | None = None,
        target: str | None = None,
        exactly: int | None = None,
    ) -> None: ...
    def follow(
        self, target: str, at: int, hops: int, exactly: int | None = None
    ) -> tuple[str | None, int, int | None, str | None, int | None, int | None]: ...

def judge(
    events: Sequence[tuple[int, int, str | None, int | None]],
    profile: AnyProfile | None = None,
    as_of: int | None = None,
) -> tuple[Literal["rules", "allow-all", "disallow-all", "unknown"], int, int] | None: ...
def shard_name(shard: int, shards: int) -> str: ...
def is_allowed(
    body: Text, crawler: AnyCrawler, url: Text, *, profile: AnyProfile | None = None
) -> bool:
    r"""Whether a crawler may fetch a URL, for a single question: nothing is built for later ones.

    >>> import robotsieve
    >>> robotsieve.is_allowed("User-agent: *\nDisallow: /x", "MyCrawler", "https://example.com/x")
    False
    """

# For `robotsieve.spark`.

@final
class AnswerBits:
    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...

def answer_bits(answers: CrawlerAnswers) -> AnswerBits: ...
@final
class Shards:
    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...

def shards_of(urls: ManyUrls, shards: int) -> Shards: ...

# For the modules that explain, lint and compare: as JSON.

def body_bytes(body: Body) -> bytes: ...
def compare_profiles_json(body: Body, crawler: AnyCrawler, url: Text) -> str: ...
def lint_json(
    body: Body,
    profiles: Profiles | None,
    content_type: str | None,
) -> str: ...
def fix_json(
    body: Body,
    profiles: Profiles | None,
    content_type: str | None,
    apply: Literal["unchanging", "all"],
    codes: Sequence[str] | None,
) -> tuple[bytes, str]: ...
def build_json(intentions: str) -> str: ...
def known_crawlers_json(purposes: Iterable[Purpose] | None) -> str: ...
def lint_codes() -> list[tuple[str, str, Severity, str, str]]: ...
def diff_limits() -> tuple[int, int, int, int]: ...
def diff_json(
    old: Body,
    new: Body,
    crawlers: Iterable[AnyCrawler] | None,
    profile: AnyProfile | None,
    limits: tuple[int, int, int, int],
) -> str: ...
def diff_policies_json(old: Policy, new: Policy, limits: tuple[int, int, int, int]) -> str: ...
