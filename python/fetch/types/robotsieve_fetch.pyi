"""The native half of ``robotsieve.aio``, from which to import."""

import os
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal, final

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
    def __new__(cls, now: float) -> Self: ...
    @property
    def now(self) -> int: ...
    @now.setter
    def now(self, now: float) -> None: ...

@final
class Fetcher:
    def __new__(
        cls,
        user_agent: str,
        *,
        headers: dict[str, str] | None = None,
        headers_for: dict[str, dict[str, str]] | None = None,
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
    def health(self) -> dict[str, Any]: ...

@final
class Site:
    @property
    def origin(self) -> str: ...
    @property
    def holds(self) -> Holds: ...
    @property
    def why(self) -> Why: ...
    @property
    def outcome(self) -> str: ...
    @property
    def condition(self) -> Condition: ...
    @property
    def attempted(self) -> float: ...
    @property
    def until(self) -> float: ...
    @property
    def next_attempt(self) -> float: ...
    @property
    def is_expired(self) -> bool: ...
    @property
    def age(self) -> float | None: ...
    @property
    def state(self) -> dict[str, Any]: ...
    @property
    def sitemaps(self) -> list[str]: ...
    def is_allowed(self, url: Text, /, crawler: AnyCrawler | None = None) -> bool: ...
    def decide(self, url: Text, /, crawler: AnyCrawler | None = None) -> robotsieve.Decision: ...
    def crawl_delay(self, crawler: AnyCrawler | None = None) -> float | None: ...
    def request_rate(self, crawler: AnyCrawler | None = None) -> RequestRate | None: ...
    def min_interval(self, crawler: AnyCrawler | None = None) -> float | None: ...

@final
class Decision:
    @property
    def url(self) -> str | bytes: ...
    @property
    def verdict(self) -> Verdict: ...
    @property
    def is_allowed(self) -> bool: ...
    @property
    def error(self) -> None: ...
    @property
    def site(self) -> Site: ...
    @property
    def origin(self) -> str: ...
    @property
    def holds(self) -> Holds: ...
    @property
    def why(self) -> Why: ...
    @property
    def reason(self) -> Reason: ...
    @property
    def rule(self) -> Rule | None: ...
    @property
    def line(self) -> int | None: ...
    @property
    def age(self) -> float | None: ...
    @property
    def crawl_delay(self) -> float | None: ...
    @property
    def answers(self) -> dict[str, Answer]: ...
    def to_dict(self) -> dict[str, Any]: ...
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
    HARMLESS: ClassVar[list[str]]
    @staticmethod
    def has_file(status: int) -> bool: ...
    @staticmethod
    def is_redirect(status: int) -> bool: ...
    @staticmethod
    def is_ambiguous(kind: str, text: str) -> bool: ...
    @property
    def is_elsewhere(self) -> bool: ...
    @property
    def validators(self) -> list[tuple[str, bytes]]: ...
    def answer(
        self,
        status: int,
        headers: list[tuple[bytes, bytes]],
        body: bytes,
        is_truncated: bool = False,
        is_encoded: bool = False,
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
