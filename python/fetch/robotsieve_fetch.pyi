"""The native half of ``robotsieve.aio``, from which to import."""

import os
from collections.abc import Callable, Sequence
from typing import Any, Literal, final

from typing_extensions import Self

import robotsieve
from robotsieve import RequestRate, Rule
from robotsieve.typing import (
    Answer,
    AnyCrawler,
    AnyOrigin,
    Condition,
    ConfigFields,
    Holds,
    ProfileSwitches,
    Reason,
    Text,
    Verdict,
    Why,
)

__version__: str
__all__ = [
    "Clock",
    "Core",
    "Decision",
    "Fetcher",
    "Inbox",
    "Reply",
    "Site",
    "Task",
    "__version__",
]

@final
class Clock:
    """A clock that stands still until it is set: for tests, and for playing a crawl again.

    >>> from robotsieve.aio import Clock
    >>> clock = Clock(1_800_000_000)
    >>> clock.now += 3600
    >>> clock
    Clock(1800003600)
    """

    def __new__(cls, now: float) -> Self: ...
    @property
    def now(self) -> int:
        """The time in whole seconds since 1970."""
    @now.setter
    def now(self, now: float) -> None: ...

@final
class Fetcher:
    """Fetches robots.txt files over HTTP, HTTPS and FTP, without the interpreter.

    ``user_agent`` is sent with each request: the crawler's name, and where to read about it. Times are
    in seconds. An attempt follows ``max_redirects`` redirects, to the ports ``redirect_ports`` and the
    site's own; keeps ``max_body_bytes`` of a body; and ends after ``connect_timeout``,
    ``read_timeout`` (for each part) or ``total_timeout``. ``max_parallel`` attempts run at a time,
    ``max_per_host`` and ``max_per_address`` of them to the same host and IP address (``None``: no
    limit), whose requests begin ``request_delay`` apart. ``retries`` are made after what may pass,
    the first after ``retry_wait``. A pause that a site asks for is kept up to ``max_retry_after``.

    Private addresses are refused at every hop unless ``allow_private`` or one of ``allow_networks``
    permits them; those of ``deny_networks`` always are. ``proxy`` is an ``http://``, ``https://``,
    ``socks5://`` or ``socks5h://`` URL. ``trust_pem`` adds certificate authorities to the system's.
    ``canaries`` are addresses and ports, such as ``192.0.2.1:443``, that accept connections as long as
    the network here works: a site that fails before any other has answered is judged only if one of
    them does. Otherwise it is a :class:`LocalFault` of the kind ``unconfirmed``.

    >>> from robotsieve.aio import Fetcher
    >>> Fetcher("MyCrawler/1.0 (+https://example.com/bot)", max_per_host=1)
    Fetcher('MyCrawler/1.0 (+https://example.com/bot)')
    """

    def __new__(
        cls,
        user_agent: str,
        *,
        headers: dict[str, str] | None = None,
        max_redirects: int = 5,
        redirect_ports: Sequence[int] | None = None,
        max_wire_bytes: int = 1048576,
        max_body_bytes: int = 1048576,
        connect_timeout: float = 10.0,
        read_timeout: float = 15.0,
        total_timeout: float = 60.0,
        max_parallel: int = 256,
        max_lookups: int = 4096,
        max_per_host: int | None = ...,
        max_per_address: int | None = ...,
        request_delay: float = 0.1,
        max_retry_after: float = 60.0,
        retries: int = 0,
        retry_wait: float = 1.0,
        allow_private: bool = False,
        allow_networks: Sequence[str] | None = None,
        deny_networks: Sequence[str] | None = None,
        local_addresses: Sequence[str] | None = None,
        proxy: str | None = None,
        proxy_resolves: bool = False,
        name_servers: Sequence[str] | None = None,
        trust_pem: Text | None = None,
        canaries: Sequence[str] | None = None,
    ) -> Self: ...
    @property
    def health(self) -> dict[str, Any]:
        """The ends of attempts: ``answered``, ``judged``, ``unconfirmed``, ``local``, ``recent``,
        ``recent_suspect``; and ``is_suspect``: nearly all recent ones ended in faults of this side.
        """

@final
class Site:
    """A site, and what applies to it, as it was when it was looked up.

    Where a crawler is asked for, it is one of the sieve's, by its name; by default the first one.
    """

    @property
    def origin(self) -> str:
        """The origin: ``https://example.com``."""
    @property
    def holds(self) -> Holds:
        """The policy that applies: ``rules``, ``allow-all`` or ``disallow-all``."""
    @property
    def why(self) -> Why:
        """The reason: see :attr:`Decision.why`."""
    @property
    def outcome(self) -> str:
        """The meaning of the last attempt: ``present``, ``absent: HTTP 404``, ``unreachable: no
        connection …``.
        """
    @property
    def condition(self) -> Condition:
        """The looks of the robots.txt: ``parsed``, ``empty``, ``html``, ``truncated``, ``absent`` or
        ``unreachable``.
        """
    @property
    def attempted(self) -> float:
        """The time of the last attempt, in seconds since 1970."""
    @property
    def until(self) -> float:
        """Until when this applies if the site is not asked again, in seconds since 1970."""
    @property
    def next_attempt(self) -> float:
        """The time to ask the site again, in seconds since 1970."""
    @property
    def is_expired(self) -> bool:
        """True if the answer has expired. It is then used only where there is no fetcher."""
    @property
    def age(self) -> float | None:
        """The seconds for which the copy of the robots.txt has been held unchecked. ``None`` if there
        is none.
        """
    @property
    def state(self) -> dict[str, Any]:
        """Everything that is remembered of the origin, of types that JSON has."""
    @property
    def sitemaps(self) -> list[str]:
        """The values of the ``Sitemap`` lines, if the sieve's configuration keeps them."""
    def is_allowed(self, url: Text, /, crawler: AnyCrawler | None = None) -> bool:
        """True if a crawler may fetch this URL of the site. Other sites' URLs are not told apart."""
    def decide(self, url: Text, /, crawler: AnyCrawler | None = None) -> robotsieve.Decision:
        """The verdict of the policy that applies, and the reason for it."""
    def crawl_delay(self, crawler: AnyCrawler | None = None) -> float | None:
        """The seconds that the site asks a crawler to wait between two requests."""
    def request_rate(self, crawler: AnyCrawler | None = None) -> RequestRate | None:
        """The request rate that the site asks of a crawler."""
    def min_interval(self, crawler: AnyCrawler | None = None) -> float | None:
        """The seconds to wait between two requests, by crawl delay and request rate."""

@final
class Decision:
    """The verdict on a URL, and where it comes from. True if the verdict is ``allow``.

    Made by ``robotsieve.aio.Sieve``. ``to_dict`` has all of it for a log.
    """

    @property
    def url(self) -> str | bytes:
        """The URL, as it was given."""
    @property
    def verdict(self) -> Verdict:
        """``allow`` or ``disallow``."""
    @property
    def is_allowed(self) -> bool:
        """True if the verdict is ``allow``."""
    @property
    def error(self) -> None:
        """``None``: a URL without a decision is an ``Undecided``, and has one."""
    @property
    def site(self) -> Site:
        """The site, as it was when the decision was made."""
    @property
    def origin(self) -> str:
        """The origin whose robots.txt decides: ``https://example.com``."""
    @property
    def holds(self) -> Holds:
        """The policy that applies: ``rules``, ``allow-all`` or ``disallow-all``."""
    @property
    def why(self) -> Why:
        """The reason: ``copy`` (the site's robots.txt), ``absent``, ``denied``,
        ``copy-while-unreachable``, ``unreachable-recently``, ``unreachable-without-copy``,
        ``unreachable-too-long``, ``never-asked`` or ``override``.
        """
    @property
    def reason(self) -> Reason:
        """What decided: see ``robotsieve.Decision.reason``."""
    @property
    def rule(self) -> Rule | None:
        """The rule that decided, if one did."""
    @property
    def line(self) -> int | None:
        """The line of the rule, from 1 on, or of the empty one."""
    @property
    def age(self) -> float | None:
        """The seconds for which the copy of the robots.txt has been held unchecked. ``None`` if there
        is none.
        """
    @property
    def crawl_delay(self) -> float | None:
        """The seconds that the site asks the first crawler to wait between two requests."""
    @property
    def answers(self) -> dict[str, Answer]:
        """The answers for all crawlers by their names: ``allow`` or ``disallow``."""
    def to_dict(self) -> dict[str, Any]:
        """Its fields, of types that JSON has: those of ``robotsieve.Decision.to_dict``, and where they come
        from.
        """
    def __bool__(self) -> bool: ...

@final
class Task:
    def abort(self) -> None: ...

@final
class Inbox:
    def __new__(cls, wake: Callable[..., object], ready: Callable[[], None]) -> Self: ...
    def take(self) -> list[tuple[int, Any]]: ...
    def close(self) -> None: ...

@final
class Reply:
    @property
    def robots_url(self) -> str: ...
    @property
    def url(self) -> str | None: ...
    @property
    def max_body_bytes(self) -> int: ...
    @property
    def validators(self) -> list[tuple[str, bytes]]: ...
    def answer(
        self,
        status: int,
        headers: list[tuple[bytes, bytes]],
        body: bytes,
        is_truncated: bool = False,
    ) -> bool: ...
    def fail(self, kind: str, text: str, is_local: bool) -> None: ...

@final
class Core:
    def __new__(
        cls,
        crawlers: Sequence[Sequence[Text]],
        *,
        profile: ProfileSwitches,
        protocol: str | dict[str, Any] | None,
        config: ConfigFields | None,
        store: str | os.PathLike[str] | None,
        read_only: bool,
        fetcher: Fetcher | None,
        outside: tuple[float, int, int, int, list[int]] | None,
        clock: Clock | None,
        as_of: float | Literal["capture"] | None,
        overrides: dict[str, str | bytes] | None,
        max_bytes: int | None,
        slots: int | None,
        pause_after: int | None,
    ) -> Self: ...
    def set_home(self, inbox: Inbox) -> None: ...
    def try_decide(self, url: Text) -> Decision | None: ...
    def decide(self, inbox: Inbox, number: int, url: Text) -> Decision | Task: ...
    def site(self, inbox: Inbox, number: int, origin: AnyOrigin) -> Site | Task: ...
    def fetch(self, inbox: Inbox, number: int, origin: AnyOrigin) -> Site | Task: ...
    def settled(self, inbox: Inbox, number: int) -> Task | None: ...
    def site_answered(
        self, inbox: Inbox, number: int, origin: AnyOrigin
    ) -> Task | None: ...
    def errors_mean_absent(
        self, inbox: Inbox, number: int, origin: AnyOrigin, does: bool
    ) -> Task | None: ...
    def is_due(self, origin: AnyOrigin) -> bool: ...
    @property
    def metrics(self) -> dict[str, Any]: ...
    def prometheus(self) -> str: ...
    @property
    def running_attempts(self) -> int: ...
    @property
    def is_paused(self) -> bool: ...
    def end_fetches(self) -> None: ...
    def close(self) -> None: ...
