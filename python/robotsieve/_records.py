"""What is odd about a file, and its records: as written, and with their values read."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Any, Literal, Union

from ._robotsieve import RequestRate
from ._values import (
    Short,
    as_maybe_text,
    as_span,
    as_text,
    as_texts,
    listed,
    member,
    members,
    shown,
    tagged,
)
from .typing import Kind, Preference, Source, Span, Use


@dataclass(frozen=True, slots=True, repr=False)
class Diagnostic(Short):
    """Something odd in a file: its line, where it is, what it is, and that in words.

    The other fields say more about some kinds: ``limit`` in bytes; the ``field`` that was probably
    meant, or that is read; the ``first_line`` that names a token; and whether the profile ``skipped``
    a byte order mark, ``ignored`` a record, ``merged`` groups or ``assumed`` a slash.
    """

    line: int
    span: Span
    kind: Literal[
        "byte-order-mark",
        "utf16",
        "html",
        "size-limit",
        "line-limit",
        "control-character",
        "nul-ends-line",
        "no-record",
        "missing-colon",
        "misspelt-field",
        "misspelling-accepted",
        "rule-outside-group",
        "names-nobody",
        "after-token",
        "token-outside-grammar",
        "repeated-token",
        "no-leading-slash",
        "dollar-inside",
        "normalised",
    ]
    message: str
    limit: int | None = None
    field: str | None = None
    first_line: int | None = None
    skipped: bool | None = None
    ignored: bool | None = None
    merged: bool | None = None
    assumed: bool | None = None

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}"

    def to_dict(self) -> dict[str, Any]:
        """Its fields; those that say nothing are left out."""
        every = ((field.name, getattr(self, field.name)) for field in fields(self))
        said = {name: value for name, value in every if value is not None}
        return {**said, "span": list(self.span)}


def diagnostics(text: str) -> list[Diagnostic]:
    return [_diagnostic(one, message) for one, message in json.loads(text)]


def _diagnostic(one: Any, message: str) -> Diagnostic:
    kind, more = tagged(one["kind"])
    more = more or {}
    if "likely" in more:
        more["field"] = more.pop("likely")
    return Diagnostic(one["line"], as_span(one["span"]), kind, message, **more)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Record:
    """A line of the form ``field: value``, as written. Made by :meth:`Robots.records`.

    ``field`` is what the profile takes ``name`` for, and ``span`` where the value is.
    """

    line: int
    field: Literal["user-agent", "allow", "disallow", "sitemap", "other"]
    name: str
    value: str
    span: Span

    def __str__(self) -> str:
        return f"line {self.line}: {shown(self.name)}: {shown(self.value)}"

    def to_dict(self) -> dict[str, Any]:
        """Its fields."""
        return {
            "line": self.line,
            "field": self.field,
            **member("name", self.name),
            **member("value", self.value),
            "span": list(self.span),
        }


def records(text: str) -> list[Record]:
    return [_record(one) for one in json.loads(text)]


def _record(one: Any) -> Record:
    value, span = as_text(one["value"]), as_span(one["value_span"])
    return Record(one["line"], one["field"], as_text(one["name"]), value, span)


@dataclass(frozen=True, slots=True)
class Sitemap:
    """The location of a sitemap, as written; sitemaps.org asks for an absolute one."""

    url: str
    is_absolute: bool

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/records.md``: the URL is the record's value as written."""
        return {"absolute": self.is_absolute}


@dataclass(frozen=True, slots=True)
class CrawlDelay:
    """The seconds to wait between two requests."""

    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/records.md``."""
        return {"seconds": self.seconds}


@dataclass(frozen=True, slots=True)
class VisitTime:
    """A time of day in UTC, in minutes after midnight; the last one is not in it.

    It may span midnight.

    >>> from robotsieve import VisitTime
    >>> night = VisitTime(22 * 60, 4 * 60)
    >>> night.contains(23 * 60), night.contains(4 * 60)
    (True, False)
    """

    from_minute: int
    to_minute: int

    def contains(self, minute: int) -> bool:
        """Whether this minute of the day is within it."""
        if self.from_minute <= self.to_minute:
            return self.from_minute <= minute < self.to_minute
        return minute >= self.from_minute or minute < self.to_minute

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/records.md``."""
        return {"from": _clock(self.from_minute), "to": _clock(self.to_minute)}


def _clock(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"


@dataclass(frozen=True, slots=True)
class Host:
    """The site's main mirror, its parts as written."""

    scheme: str | None
    name: str
    port: int | None

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/records.md``."""
        return {
            "port": self.port,
            **member("scheme", self.scheme),
            **member("name", self.name),
        }


@dataclass(frozen=True, slots=True)
class CleanParam:
    """Query parameters that do not change what is served, below a path or everywhere."""

    params: tuple[str, ...]
    path: str | None

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/records.md``."""
        return {**members("params", self.params), **member("path", self.path)}


@dataclass(frozen=True, slots=True)
class NoIndex:
    """A path pattern like that of a rule: what it matches should not be indexed."""

    path: str

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/records.md``."""
        return member("path", self.path)


@dataclass(frozen=True, slots=True)
class LabelledPreference:
    """What a record says about one category of use; follows drafts."""

    label: str
    preference: Preference

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/records.md``."""
        return {"preference": self.preference, **member("label", self.label)}


@dataclass(frozen=True, slots=True)
class ContentSignal:
    """How content may be used, by contentsignals.org: a draft."""

    path: str | None
    preferences: tuple[LabelledPreference, ...]

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/records.md``."""
        return _stated(self)


@dataclass(frozen=True, slots=True)
class ContentUsage:
    """How content may be used, by the IETF's aipref working group: a draft.

    ``expression`` has the preferences as written.
    """

    path: str | None
    expression: str
    preferences: tuple[LabelledPreference, ...]

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/records.md``."""
        return _stated(self)


def _stated(value: ContentSignal | ContentUsage) -> dict[str, Any]:
    preferences = [preference.to_dict() for preference in value.preferences]
    return {"preferences": preferences, **member("path", value.path)}


RecordValue = Union[
    Sitemap,
    CrawlDelay,
    RequestRate,
    VisitTime,
    Host,
    CleanParam,
    NoIndex,
    ContentSignal,
    ContentUsage,
]


@dataclass(frozen=True, slots=True)
class TypedRecord:
    """A record that is neither a user-agent line nor a rule. Made by :meth:`Robots.typed_records`.

    ``field`` and ``raw`` are name and value as written. ``value`` has the value as its ``kind`` defines
    it, ``None`` if the kind is unknown, or if the value is invalid: then ``error`` says why. ``scope``
    is ``file``, ``group`` or ``outside`` of any group; ``group`` is the number of the group, from 0,
    and ``crawlers`` are its product tokens.

    >>> from robotsieve import CrawlDelay, Robots, Sitemap
    >>> robots = Robots("User-agent: a\\nCrawl-delay: 2.5\\nSitemap: https://e.com/s.xml\\n")
    >>> for record in robots.typed_records():
    ...     match record.value:
    ...         case CrawlDelay(seconds):
    ...             print(record.crawlers, seconds)
    ...         case Sitemap(url):
    ...             print(url)
    ('a',) 2.5
    https://e.com/s.xml
    """

    line: int
    kind: Kind
    field: str
    raw: str
    scope: Literal["file", "group", "outside"]
    group: int | None
    crawlers: tuple[str, ...] | None
    value: RecordValue | None
    error: str | None

    def __str__(self) -> str:
        note = f" ({self.error})" if self.error else ""
        return f"line {self.line}: {shown(self.field)}: {shown(self.raw)}{note}"

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/records.md``."""
        said = {
            "line": self.line,
            "kind": self.kind,
            **member("field", self.field),
            **member("raw", self.raw),
            "scope": self.scope,
        }
        if self.crawlers is not None:
            said.update(group=self.group, **members("crawlers", self.crawlers))
        if self.error is not None:
            return {**said, "error": self.error}
        value = self.value
        if isinstance(value, RequestRate):
            time = value.window and VisitTime(*value.window).to_dict()
            rate = {"requests": value.requests, "seconds": int(value.seconds), "time": time}
            return {**said, "value": rate}
        return {**said, "value": None if value is None else value.to_dict()}


def typed_records(text: str) -> list[TypedRecord]:
    every, groups = json.loads(text)
    tokens = {group: as_texts(tokens) for group, tokens in groups}
    return [_typed_record(record, is_absolute, tokens) for record, is_absolute in every]


def _typed_record(
    record: Any, is_absolute: bool | None, tokens: dict[int, tuple[str, ...]]
) -> TypedRecord:
    scope, group = tagged(record["scope"])
    value = record["value"]
    return TypedRecord(
        line=record["line"],
        kind=record["kind"],
        field=as_text(record["field"]),
        raw=as_text(record["raw"]),
        scope=scope,  # type: ignore[arg-type]
        group=group,
        crawlers=None if group is None else tokens[group],
        value=None if value is None else _value(value, is_absolute),
        error=record["error"],
    )


def _value(said: Any, is_absolute: bool | None) -> RecordValue | None:
    kind, value = tagged(said)
    if kind == "sitemap":
        return Sitemap(as_text(value), bool(is_absolute))
    if kind == "crawl-delay":
        return CrawlDelay(_seconds(value))
    if kind == "request-rate":
        window = value["window"] and (value["window"]["from_minute"], value["window"]["to_minute"])
        return RequestRate(value["requests"], _seconds(value["period"]), window)
    if kind == "visit-time":
        return VisitTime(**value)
    if kind == "host":
        return Host(as_maybe_text(value["scheme"]), as_text(value["name"]), value["port"])
    if kind == "clean-param":
        return CleanParam(as_texts(value["params"]), as_maybe_text(value["path"]))
    if kind == "noindex":
        return NoIndex(as_text(value))
    if kind == "content-signal":
        return ContentSignal(as_maybe_text(value["path"]), _preferences(value["signals"]))
    if kind == "content-usage":
        preferences = _preferences(value["preferences"])
        return ContentUsage(as_maybe_text(value["path"]), as_text(value["expression"]), preferences)
    return None


def _seconds(duration: Any) -> float:
    return float(duration["secs"] + duration["nanos"] / 1e9)


def _preferences(said: Any) -> tuple[LabelledPreference, ...]:
    return tuple(LabelledPreference(as_text(one["label"]), one["preference"]) for one in said)


@dataclass(frozen=True, slots=True)
class Statement:
    """What one record says about one use of content; follows drafts."""

    source: Source
    line: int
    use: Use
    preference: Literal["allowed", "disallowed"]

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/records.md``."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True, slots=True, repr=False)
class Ambiguity(Short):
    """Something that makes a :class:`Usage` uncertain; ``sentence`` says it in words.

    ``lines`` are those of the records that it is about.
    """

    kind: Literal[
        "outside-groups",
        "only-for-others",
        "without-path",
        "signal-with-path",
        "disagreement",
        "equal-length",
        "unknown-label",
        "unknown-preference",
        "invalid",
        "not-crawlable",
    ]
    sentence: str
    lines: tuple[int, ...] = ()
    source: Source | None = None
    use: Use | None = None
    label: str | None = None

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, slots=True)
class Usage:
    """What a file says to a crawler about using what is at a URL. Made by :meth:`Robots.usage`.

    ``training``, ``search`` and ``inference`` are ``allowed``, ``disallowed`` or ``unknown``: the most
    restrictive of the ``statements``. ``is_crawlable`` says whether the crawler may fetch the URL at
    all. What the drafts leave open is in ``ambiguities``.
    """

    url: str
    names: tuple[str, ...]
    is_crawlable: bool
    training: Preference
    search: Preference
    inference: Preference
    statements: tuple[Statement, ...]
    ambiguities: tuple[Ambiguity, ...]

    def __str__(self) -> str:
        lines = []
        for use in ("training", "search", "inference"):
            about = (said for said in self.statements if said.use == use)
            by = listed(f"line {said.line} {said.source}" for said in about)
            lines.append(f"{use}: {getattr(self, use)}" + (f" ({by})" if by else ""))
        return "\n".join(lines + [f"note: {one}" for one in self.ambiguities])

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/records.md``."""
        return {
            "crawlable": self.is_crawlable,
            "training": self.training,
            "search": self.search,
            "inference": self.inference,
            "statements": [said.to_dict() for said in self.statements],
            "ambiguities": [str(one) for one in self.ambiguities],
            **member("agent", ",".join(self.names) or "*"),
            **member("path", self.url),
        }


def usage(text: str) -> Usage:
    said = json.loads(text)
    found = said["usage"]
    training, search, inference = said["preferences"]
    return Usage(
        url=as_text(said["url"]),
        names=as_texts(said["names"]),
        is_crawlable=found["is_crawlable"],
        training=training,
        search=search,
        inference=inference,
        statements=tuple(
            Statement(one["source"], one["line"], one["used_for"], one["preference"])
            for one in found["statements"]
        ),
        ambiguities=tuple(map(_ambiguity, found["ambiguities"], said["sentences"])),
    )


def _ambiguity(said: Any, sentence: str) -> Ambiguity:
    kind, more = tagged(said)
    more = more or {}
    return Ambiguity(
        kind,  # type: ignore[arg-type]
        sentence,
        lines=tuple(more["lines"]) if "lines" in more else (more["line"],) if "line" in more else (),
        source=more.get("source"),
        use=more.get("used_for"),
        label=more.get("label"),
    )
