"""What explanations, linting, comparisons and records are made of.

Everything here is a value: frozen, hashable, comparable, picklable, and made for ``match``. Spans are
pairs of byte offsets: the first byte, and the one after the last; those of a file given as ``str``
count the bytes of its UTF-8. Bytes that are no UTF-8 are surrogate escapes in texts. ``to_dict()``
is what the command ``robotsieve`` writes as JSON: there such a text has its bad bytes replaced, and a
second member, ``…_base64``, has all of the bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, Union

from . import _robotsieve as _native
from ._robotsieve import RequestRate
from .typing import Kind, Preference, Reason, Severity, Source, Span, Use, Verdict

if TYPE_CHECKING:
    from ._robotsieve import Policy
    from .typing import AnyCrawler, AnyProfile, Body, Profiles, Text

_SHOWN = 80
"""How many characters of a text from a file a ``str()`` shows."""


def _text(value: str | list[int]) -> str:
    """A text of the native module: numbers if the bytes are no UTF-8."""
    return value if isinstance(value, str) else bytes(value).decode("utf-8", "surrogateescape")


def _maybe_text(value: str | list[int] | None) -> str | None:
    return None if value is None else _text(value)


def _texts(values: Iterable[str | list[int]]) -> tuple[str, ...]:
    return tuple(map(_text, values))


def _span(value: Any) -> Span:
    return (value["start"], value["end"]) if isinstance(value, dict) else (value[0], value[1])


def _tagged(value: Any) -> tuple[str, Any]:
    """The name and the content of a variant."""
    return (value, None) if isinstance(value, str) else next(iter(value.items()))


def _base64(text: str) -> str | None:
    """The bytes of a text that is no UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        import base64

        return base64.b64encode(text.encode("utf-8", "surrogateescape")).decode()
    return None


def _replaced(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _member(name: str, text: str | None) -> dict[str, Any]:
    """A text as a member of a JSON object, or as two."""
    encoded = None if text is None else _base64(text)
    if text is None or encoded is None:
        return {name: text}
    return {name: _replaced(text), f"{name}_base64": encoded}


def _members(name: str, texts: tuple[str, ...]) -> dict[str, Any]:
    """Texts as a member of a JSON object, or as two."""
    encoded = [_base64(text) for text in texts]
    if not any(encoded):
        return {name: list(texts)}
    import base64

    every = [
        one or base64.b64encode(text.encode()).decode() for one, text in zip(encoded, texts)
    ]
    return {name: list(map(_replaced, texts)), f"{name}_base64": every}


def _shown(text: str) -> str:
    """A text from a file, for people: short, on one line, and without control characters."""
    cut = text[:_SHOWN]
    cut = cut if cut.isprintable() else repr(cut)[1:-1]
    return cut + "…" if len(text) > _SHOWN else cut


def _listed(items: Iterable[str], most: int = 8) -> str:
    """``a, b, … 3 more``."""
    texts = list(items)
    more = [f"… {len(texts) - most} more"] if len(texts) > most else []
    return ", ".join(texts[:most] + more)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


class _Short:
    """A ``repr`` without the fields that have their defaults."""

    __slots__ = ()

    def __repr__(self) -> str:
        said = (
            f"{field.name}={getattr(self, field.name)!r}"
            for field in fields(self)  # type: ignore[arg-type]
            if field.default != getattr(self, field.name)
        )
        return f"{type(self).__name__}({', '.join(said)})"


# Explanations


@dataclass(frozen=True, slots=True)
class AgentLine:
    """A user-agent line, and what became of it when the crawler's groups were chosen.

    ``names`` says which crawlers it names: ``everybody``, those of a ``token``, or ``nobody``. ``group``
    is the number of its group, from 1. ``found_by`` is the index of the crawler's first name that
    finds the token.
    """

    line: int
    value: str
    span: Span
    group: int
    names: Literal["everybody", "token", "nobody"]
    token: str | None
    found_by: int | None
    standing: Literal[
        "chosen",
        "in-chosen-group",
        "unrelated",
        "everybody-else",
        "later-name",
        "shorter-token",
        "further-down",
    ]

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/explain.schema.json``."""
        return {
            "line": self.line,
            **_member("value", self.value),
            "span": list(self.span),
            "group": self.group,
            "names": self.names,
            **({} if self.token is None else _member("token", self.token)),
            "found_by": self.found_by,
            "standing": self.standing,
        }


@dataclass(frozen=True, slots=True)
class Selection:
    """How a crawler's groups were chosen.

    ``choice`` is ``named`` (groups that name it), ``everybody`` (those for ``*``) or ``none``.
    ``decided_by`` has the indices of the names that the groups are for, ``rule_count`` the number of
    their rules, those without a value not counted, and ``lines`` all user-agent lines of the file.
    """

    choice: Literal["named", "everybody", "none"]
    decided_by: tuple[int, ...]
    rule_count: int
    lines: tuple[AgentLine, ...]

    @property
    def chosen(self) -> tuple[AgentLine, ...]:
        """The user-agent lines of the groups that apply."""
        standings = ("chosen", "in-chosen-group")
        return tuple(line for line in self.lines if line.standing in standings)

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/explain.schema.json``."""
        return {
            "choice": self.choice,
            "decided_by": list(self.decided_by),
            "rule_count": self.rule_count,
            "lines": [line.to_dict() for line in self.lines],
        }


@dataclass(frozen=True, slots=True)
class TargetChange:
    """A byte or ``%XX`` of a URL that normalising changed: where it is, and what it became."""

    url_span: Span
    target_span: Span

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/explain.schema.json``."""
        return {"url_span": list(self.url_span), "target_span": list(self.target_span)}


@dataclass(frozen=True, slots=True)
class ComparedTarget:
    """The part of a URL that is compared with the rules, normalised, and where it comes from."""

    text: str
    url_span: Span
    is_slash_implied: bool
    changes: tuple[TargetChange, ...]

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/explain.schema.json``."""
        return {
            **_member("bytes", self.text),
            "url_span": list(self.url_span),
            "slash_implied": self.is_slash_implied,
            "changes": [change.to_dict() for change in self.changes],
        }


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a rule, and what it matches.

    ``span`` is in bytes of the file, ``target_span`` in bytes of the target, ``url_span`` in bytes of
    the URL.
    """

    kind: Literal["literal", "star", "end"]
    span: Span
    target_span: Span
    url_span: Span

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/explain.schema.json``."""
        return {
            "kind": self.kind,
            "span": list(self.span),
            "target_span": list(self.target_span),
            "url_span": list(self.url_span),
        }


@dataclass(frozen=True, slots=True)
class MatchedRule:
    """A rule that matches the target, and where it is in the file.

    The first five fields are those of :class:`Rule`. ``pieces`` say which part of the value matches
    which part of the target; each star takes as little as possible, except one at the end.
    """

    verdict: Verdict
    line: int
    value: str
    precedence: int
    pattern: str
    is_anchored: bool
    span: Span
    line_span: Span
    pieces: tuple[Piece, ...]

    def __str__(self) -> str:
        return f"{self.verdict.capitalize()}: {_shown(self.value)}"

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/explain.schema.json``."""
        return {
            "line": self.line,
            "verdict": self.verdict,
            **_member("value", self.value),
            "span": list(self.span),
            "line_span": list(self.line_span),
            **_member("pattern", self.pattern),
            "anchored": self.is_anchored,
            "precedence": self.precedence,
            "pieces": [piece.to_dict() for piece in self.pieces],
        }


@dataclass(frozen=True, slots=True)
class FileCut:
    """Where the profile's size limit cut the file, and what the whole file would answer.

    ``line`` is the first line that was not read. ``matters`` says whether the whole file would give
    another verdict, or the same by another line: ``verdict`` by the line ``winner``.
    """

    bytes_read: int
    line: int
    limit: int
    matters: bool
    verdict: Verdict
    winner: int | None

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/explain.schema.json``."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a crawler may or may not fetch a URL. Made by :meth:`Robots.explain`.

    ``verdict``, ``reason`` and ``line`` are those of :meth:`Policy.decide`. ``matches`` has the rules
    that match, from highest to lowest precedence, at most 256; ``match_count`` counts them all.
    ``verdict_otherwise`` is the verdict of the group's other rules alone: of those on other lines than
    the winner, or of all if the exception for robots.txt itself decided. ``profile`` is ``None`` if it
    has no name. True if the verdict is ``allow``.

    >>> from robotsieve import Robots
    >>> robots = Robots("User-agent: *\\nDisallow: /search\\nAllow: /search/about\\n")
    >>> print(robots.explain("MyCrawler", "https://example.com/search/about"))
    allow: line 3 'Allow: /search/about' decides, out of 2 rules (rfc9309)
    the group for everybody applies: line 1 'User-agent: *'
    compared as '/search/about'
    by the other rules the verdict would be disallow: line 2 'Disallow: /search'
    """

    profile: str | None
    url: str
    names: tuple[str, ...]
    verdict: Verdict
    reason: Reason
    line: int | None
    selection: Selection
    target: ComparedTarget
    matches: tuple[MatchedRule, ...]
    match_count: int
    verdict_otherwise: Verdict | None
    cut: FileCut | None

    @property
    def is_allowed(self) -> bool:
        """Whether the verdict is ``allow``."""
        return self.verdict == "allow"

    def __bool__(self) -> bool:
        return self.is_allowed

    @property
    def winner(self) -> MatchedRule | None:
        """The rule that decided, if one did."""
        return self.matches[0] if self.reason == "rule" else None

    @property
    def runner_up(self) -> MatchedRule | None:
        """The rule that would decide without the winner's line."""
        winner = self.winner
        if winner is None:
            return None
        return next((rule for rule in self.matches if rule.line != winner.line), None)

    def __str__(self) -> str:
        groups = len({line.group for line in self.selection.chosen})
        group = "group" if groups == 1 else "groups"
        lines = [f"{self.verdict}: {self._why(group)} ({self.profile or 'custom profile'})"]
        chosen = [line for line in self.selection.lines if line.standing == "chosen"]
        if chosen:
            whom = "everybody" if self.selection.choice == "everybody" else "the crawler"
            agents = (f"line {line.line} 'User-agent: {_shown(line.value)}'" for line in chosen)
            verb = "applies" if groups == 1 else "apply"
            lines.append(f"the {group} for {whom} {verb}: {_listed(agents)}")
        lines.append(f"compared as '{_shown(self.target.text)}'")
        if self.verdict_otherwise is not None:
            lines.append(self._otherwise(self.verdict_otherwise))
        if self.cut is not None:
            lines.append(_cut(self.cut))
        return "\n".join(lines)

    def _why(self, group: str) -> str:
        count = self.selection.rule_count
        if self.winner is not None:
            rules = _counted(count, "rule")
            return f"line {self.line} '{self.winner}' decides, out of {rules}"
        if self.reason == "no-group":
            return "no group applies to the crawler"
        if self.reason == "empty-rule":
            return f"the rule on line {self.line} is empty and restricts nothing"
        if self.reason == "robots-txt":
            return "robots.txt itself may always be fetched"
        if count == 0:
            return f"no rules in the {group}"
        return f"no match among {_counted(count, 'rule')} of the {group}"

    def _otherwise(self, verdict: Verdict) -> str:
        if self.winner is None:
            return f"by the rules alone the verdict would be {verdict}"
        still = "still " if verdict == self.verdict else ""
        other = self.runner_up
        by = "none matches" if other is None else f"line {other.line} '{other}'"
        return f"by the other rules the verdict would {still}be {verdict}: {by}"

    def _explained(self) -> dict[str, Any]:
        winner, runner_up = self.winner, self.runner_up
        return {
            "profile": self.profile,
            "verdict": self.verdict,
            "reason": self.reason,
            "group": self.selection.to_dict(),
            "target": self.target.to_dict(),
            "match_count": self.match_count,
            "matches": [rule.to_dict() for rule in self.matches],
            "winner": None if winner is None else winner.line,
            "runner_up": None if runner_up is None else runner_up.line,
            "verdict_otherwise": self.verdict_otherwise,
            "cut": None if self.cut is None else self.cut.to_dict(),
        }

    def to_dict(self) -> dict[str, Any]:
        """The document that ``docs/explain.schema.json`` describes.

        It does not name the file: ``robots`` is empty.
        """
        return _document(self.url, self.names, [self._explained()], None)


def _cut(cut: FileCut) -> str:
    whole = "they would not change this answer"
    if cut.matters:
        by = "no rule" if cut.winner is None else f"line {cut.winner}"
        whole = f"in the whole file {by} would decide: {cut.verdict}"
    return (
        f"line {cut.line} and all after it are ignored, since only whole lines within {cut.limit} "
        f"bytes are read; {whole}"
    )


def _document(
    url: str,
    names: tuple[str, ...],
    explanations: list[dict[str, Any]],
    differences: dict[str, Any] | None,
) -> dict[str, Any]:
    return {
        "schema": "robotsieve-explain-4",
        "tool_version": _native.__version__,
        "robots": "",
        **_member("agent", ",".join(names)),
        "user_agent": False,
        "names": [_member("name", name) for name in names],
        **_member("url", url),
        "explanations": explanations,
        "differences": differences,
    }


def explanation(text: str) -> Explanation:
    return _explanation(json.loads(text))


def _explanation(said: Any) -> Explanation:
    why = said["explanation"]
    selection, target, cut = why["selection"], why["target"], why["cut"]
    return Explanation(
        profile=why["profile"],
        url=_text(said["url"]),
        names=_texts(why["crawler"]),
        verdict=why["verdict"],
        reason=said["reason"],
        line=said["line"],
        selection=Selection(
            choice=selection["choice"],
            decided_by=tuple(said["decided_by"]),
            rule_count=said["rule_count"],
            lines=tuple(map(_agent_line, selection["lines"])),
        ),
        target=ComparedTarget(
            text=_text(target["bytes"]),
            url_span=_span(target["url_span"]),
            is_slash_implied=target["slash_implied"],
            changes=tuple(
                TargetChange(_span(change["url_span"]), _span(change["target_span"]))
                for change in target["changes"]
            ),
        ),
        matches=tuple(map(_matched_rule, why["matches"], said["url_spans"])),
        match_count=why["match_count"],
        verdict_otherwise=why["verdict_otherwise"],
        cut=None if cut is None else FileCut(**cut),
    )


def _agent_line(line: Any) -> AgentLine:
    names, token = _tagged(line["names"])
    return AgentLine(
        line=line["line"],
        value=_text(line["value"]),
        span=_span(line["value_span"]),
        group=line["group"],
        names=names,  # type: ignore[arg-type]
        token=_maybe_text(token),
        found_by=line["found_by"],
        standing=line["standing"],
    )


def _matched_rule(rule: Any, url_spans: Any) -> MatchedRule:
    return MatchedRule(
        verdict=rule["verdict"],
        line=rule["line"],
        value=_text(rule["value"]),
        precedence=rule["precedence"],
        pattern=_text(rule["pattern"]),
        is_anchored=rule["anchored"],
        span=_span(rule["value_span"]),
        line_span=_span(rule["line_span"]),
        pieces=tuple(
            Piece(
                kind=piece["kind"],
                span=_span(piece["file_span"]),
                target_span=_span(piece["target_span"]),
                url_span=_span(url_span),
            )
            for piece, url_span in zip(rule["pieces"], url_spans)
        ),
    )


@dataclass(frozen=True, slots=True)
class Cause:
    """A switch of :class:`Profile` that makes an answer differ, and a clause about what it does."""

    switch: str
    clause: str

    def __str__(self) -> str:
        return self.clause

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/explain.schema.json``."""
        return {"cause": self.switch, "clause": self.clause}


@dataclass(frozen=True, slots=True)
class ProfileDifference:
    """Why a profile's answer is not that of ``rfc9309``.

    ``is_of_verdict`` says whether the verdict differs; if not, another line decides. Each of the
    ``causes``, set in ``rfc9309`` as this profile has it, gives this profile's answer; if ``together``,
    all of them are needed.
    """

    profile: str
    is_of_verdict: bool
    causes: tuple[Cause, ...]
    together: bool

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/explain.schema.json``."""
        return {
            "profile": self.profile,
            "of_verdict": self.is_of_verdict,
            "together": self.together,
            "causes": [cause.to_dict() for cause in self.causes],
        }


@dataclass(frozen=True, slots=True)
class ProfileComparison:
    """One question put to every named profile. Made by :func:`compare_profiles`.

    ``explanations`` has a pair for each profile: its name and its explanation, ``None`` if the URL is
    invalid in it. ``differences`` has the profiles whose verdict or deciding line is not that of
    ``rfc9309``. ``sentence``, also the ``str()``, gives the verdicts and what makes them differ.
    """

    url: str
    names: tuple[str, ...]
    explanations: tuple[tuple[str, Explanation | None], ...]
    differences: tuple[ProfileDifference, ...]
    sentence: str

    @property
    def verdicts(self) -> dict[str, Literal["allow", "disallow", "invalid"]]:
        """The verdict of each profile, ``invalid`` if the URL is invalid in it."""
        return {
            profile: "invalid" if why is None else why.verdict for profile, why in self.explanations
        }

    @property
    def agrees(self) -> bool:
        """Whether all profiles give the same verdict."""
        return len(set(self.verdicts.values())) == 1

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """The document that ``docs/explain.schema.json`` describes.

        It does not name the file: ``robots`` is empty.
        """
        explanations = [
            {"profile": profile, "verdict": "invalid", "reason": "invalid-url"}
            if why is None
            else why._explained()
            for profile, why in self.explanations
        ]
        profiles = [difference.to_dict() for difference in self.differences]
        differences = {"sentence": self.sentence, "profiles": profiles}
        return _document(self.url, self.names, explanations, differences)


def comparison(text: str) -> ProfileComparison:
    said = json.loads(text)
    return ProfileComparison(
        url=_text(said["url"]),
        names=_texts(said["names"]),
        explanations=tuple(
            (one["profile"], one["explanation"] and _explanation(one["explanation"]))
            for one in said["explanations"]
        ),
        differences=tuple(
            ProfileDifference(
                profile=one["profile"],
                is_of_verdict=one["of_verdict"],
                causes=tuple(Cause(switch, clause) for switch, clause in one["causes"]),
                together=one["together"],
            )
            for one in said["differences"]
        ),
        sentence=said["sentence"],
    )


def compare_profiles(body: Body, crawler: AnyCrawler, url: Text) -> ProfileComparison:
    """The verdicts of all named profiles on a URL, and what makes them differ.

    The names of the crawler are checked as in ``rfc9309``, or as in the profile of a :class:`Robots`.

    >>> import robotsieve
    >>> file = "User-agent: *\\nDisallow: /*.pdf\\n"
    >>> print(robotsieve.compare_profiles(file, "MyCrawler", "https://example.com/a.pdf"))
    rfc9309, google and google-classic say disallow; original-1994 says allow, because '*' and '$' are plain characters there.
    """
    return comparison(_native.compare_profiles_json(body, crawler, url))


# Diagnostics and records


@dataclass(frozen=True, slots=True, repr=False)
class Diagnostic(_Short):
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
    kind, more = _tagged(one["kind"])
    more = more or {}
    if "likely" in more:
        more["field"] = more.pop("likely")
    return Diagnostic(one["line"], _span(one["span"]), kind, message, **more)  # type: ignore[arg-type]


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
        return f"line {self.line}: {_shown(self.name)}: {_shown(self.value)}"

    def to_dict(self) -> dict[str, Any]:
        """Its fields."""
        return {
            "line": self.line,
            "field": self.field,
            **_member("name", self.name),
            **_member("value", self.value),
            "span": list(self.span),
        }


def records(text: str) -> list[Record]:
    return [_record(one) for one in json.loads(text)]


def _record(one: Any) -> Record:
    value, start = _text(one["value"]), one["value_offset"]
    end = start + (len(one["value"]) if value is not one["value"] else len(value.encode()))
    return Record(one["line"], one["field"], _text(one["name"]), value, (start, end))


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
            **_member("scheme", self.scheme),
            **_member("name", self.name),
        }


@dataclass(frozen=True, slots=True)
class CleanParam:
    """Query parameters that do not change what is served, below a path or everywhere."""

    params: tuple[str, ...]
    path: str | None

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/records.md``."""
        return {**_members("params", self.params), **_member("path", self.path)}


@dataclass(frozen=True, slots=True)
class NoIndex:
    """A path pattern like that of a rule: what it matches should not be indexed."""

    path: str

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/records.md``."""
        return _member("path", self.path)


@dataclass(frozen=True, slots=True)
class LabelledPreference:
    """What a record says about one category of use; follows drafts."""

    label: str
    preference: Preference

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/records.md``."""
        return {"preference": self.preference, **_member("label", self.label)}


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
    return {"preferences": preferences, **_member("path", value.path)}


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
        return f"line {self.line}: {_shown(self.field)}: {_shown(self.raw)}{note}"

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/records.md``."""
        said = {
            "line": self.line,
            "kind": self.kind,
            **_member("field", self.field),
            **_member("raw", self.raw),
            "scope": self.scope,
        }
        if self.crawlers is not None:
            said.update(group=self.group, **_members("crawlers", self.crawlers))
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
    tokens = {group: _texts(tokens) for group, tokens in groups}
    return [_typed_record(record, is_absolute, tokens) for record, is_absolute in every]


def _typed_record(
    record: Any, is_absolute: bool | None, tokens: dict[int, tuple[str, ...]]
) -> TypedRecord:
    scope, group = _tagged(record["scope"])
    value = record["value"]
    return TypedRecord(
        line=record["line"],
        kind=record["kind"],
        field=_text(record["field"]),
        raw=_text(record["raw"]),
        scope=scope,  # type: ignore[arg-type]
        group=group,
        crawlers=None if group is None else tokens[group],
        value=None if value is None else _value(value, is_absolute),
        error=record["error"],
    )


def _value(said: Any, is_absolute: bool | None) -> RecordValue | None:
    kind, value = _tagged(said)
    if kind == "sitemap":
        return Sitemap(_text(value), bool(is_absolute))
    if kind == "crawl-delay":
        return CrawlDelay(_seconds(value))
    if kind == "request-rate":
        window = value["window"] and (value["window"]["from_minute"], value["window"]["to_minute"])
        return RequestRate(value["requests"], _seconds(value["period"]), window)
    if kind == "visit-time":
        return VisitTime(**value)
    if kind == "host":
        return Host(_maybe_text(value["scheme"]), _text(value["name"]), value["port"])
    if kind == "clean-param":
        return CleanParam(_texts(value["params"]), _maybe_text(value["path"]))
    if kind == "noindex":
        return NoIndex(_text(value))
    if kind == "content-signal":
        return ContentSignal(_maybe_text(value["path"]), _preferences(value["signals"]))
    if kind == "content-usage":
        preferences = _preferences(value["preferences"])
        return ContentUsage(_maybe_text(value["path"]), _text(value["expression"]), preferences)
    return None


def _seconds(duration: Any) -> float:
    return float(duration["secs"] + duration["nanos"] / 1e9)


def _preferences(said: Any) -> tuple[LabelledPreference, ...]:
    return tuple(LabelledPreference(_text(one["label"]), one["preference"]) for one in said)


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
class Ambiguity(_Short):
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
            by = _listed(f"line {said.line} {said.source}" for said in about)
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
            **_member("agent", ",".join(self.names)),
            **_member("path", self.url),
        }


def usage(text: str) -> Usage:
    said = json.loads(text)
    found = said["usage"]
    training, search, inference = said["preferences"]
    return Usage(
        url=_text(said["url"]),
        names=_texts(said["names"]),
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
    kind, more = _tagged(said)
    more = more or {}
    return Ambiguity(
        kind,  # type: ignore[arg-type]
        sentence,
        lines=tuple(more["lines"]) if "lines" in more else (more["line"],) if "line" in more else (),
        source=more.get("source"),
        use=more.get("used_for"),
        label=more.get("label"),
    )


# Linting


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of finding: its number, its name, its usual severity, and what it means.

    >>> from robotsieve import Code
    >>> Code.named("never-wins").number
    'RS402'
    >>> print(Code.named("RS402"))
    RS402 never-wins: The rule never decides.
    """

    number: str
    name: str
    severity: Severity
    title: str
    explanation: str

    @classmethod
    def all(cls) -> tuple[Code, ...]:
        """All codes, by number."""
        return tuple(cls(*code) for code in _native.lint_codes())

    @classmethod
    def named(cls, text: str) -> Code:
        """The code with this number or name, ASCII case ignored.

        Raises ``ValueError`` if there is none.
        """
        for code in cls.all():
            if text.lower() in (code.number.lower(), code.name):
                return code
        raise ValueError(f"there is no code {text!r}; robotsieve.Code.all() lists them")

    def __str__(self) -> str:
        return f"{self.number} {self.name}: {self.title}"

    def to_dict(self) -> dict[str, Any]:
        """Its fields."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True, slots=True)
class Related:
    """A place that explains a finding."""

    line: int
    span: Span
    message: str

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/lint/README.md``."""
        return {"line": self.line, "span": list(self.span), "message": self.message}


@dataclass(frozen=True, slots=True)
class Change:
    """What a fix changes for some crawlers in some profiles: paths, the shortest first."""

    profiles: tuple[str, ...]
    crawlers: tuple[str, ...]
    newly_disallowed: tuple[str, ...]
    newly_allowed: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Its fields."""
        return {
            "profiles": list(self.profiles),
            **_members("crawlers", self.crawlers),
            **_members("newly_disallowed", self.newly_disallowed),
            **_members("newly_allowed", self.newly_allowed),
        }


@dataclass(frozen=True, slots=True)
class Fix:
    """A change to the file that mends a finding, with its proven effect on verdicts.

    ``what`` it does, with the bytes of ``span`` replaced; ``effect`` says in words what becomes of
    verdicts, and ``changes`` in detail: none if no verdict changes. That is proven in ``profiles``,
    for every crawler. A change that blocks or opens a whole site is never a fix.
    """

    what: str
    span: Span
    replacement: str
    effect: str
    changes: tuple[Change, ...]
    profiles: tuple[str, ...]

    @property
    def changes_verdicts(self) -> bool:
        """Whether some URLs get another verdict."""
        return bool(self.changes)

    def applied_to(self, body: Body) -> bytes:
        """The file with this change alone.

        >>> import robotsieve
        >>> file = "User-agent: *\\nDisallow: /shop/cart/\\nDisallow: /shop/\\n"
        >>> [finding] = robotsieve.lint(file)
        >>> finding.fix.applied_to(file)
        b'User-agent: *\\nDisallow: /shop/\\n'

        Raises ``ValueError`` if the file is shorter than the one that was linted.
        """
        file = _native.body_bytes(body)
        start, end = self.span
        if end > len(file):
            raise ValueError(f"the file has {len(file)} bytes, the fix is for bytes {start} to {end}")
        return file[:start] + self.replacement.encode("utf-8", "surrogateescape") + file[end:]

    def __str__(self) -> str:
        profiles = "" if self.changes else f" ({', '.join(self.profiles)})"
        return f"{self.what}; this {self.effect}{profiles}"

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/lint/README.md``, and with ``changes``."""
        return {
            "what": self.what,
            "span": list(self.span),
            "effect": self.effect,
            "changes_verdicts": self.changes_verdicts,
            "changes": [change.to_dict() for change in self.changes],
            "profiles": list(self.profiles),
            **_member("replacement", self.replacement),
        }


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong with a file, or that has no effect.

    ``code`` is the number of a :class:`Code`. ``line`` is 1 if it is about the file as a whole.
    ``profiles`` are those in which it holds.
    """

    code: str
    severity: Severity
    message: str
    line: int
    span: Span
    related: tuple[Related, ...]
    help: str | None
    fix: Fix | None
    profiles: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of the code, such as ``redundant-rule``."""
        return Code.named(self.code).name

    def __str__(self) -> str:
        more = [str(part) for part in (self.help, self.fix) if part is not None]
        said = f"line {self.line}: {self.severity}[{self.code}]: {self.message}"
        return "; ".join([said, *more])

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/lint/README.md``, without file and columns."""
        return {
            "version": 1,
            "code": self.code,
            "name": self.name,
            "severity": self.severity,
            "message": self.message,
            "line": self.line,
            "span": list(self.span),
            "related": [one.to_dict() for one in self.related],
            "help": self.help,
            "fix": None if self.fix is None else self.fix.to_dict(),
            "profiles": list(self.profiles),
        }


@dataclass(frozen=True, slots=True)
class Report:
    """What :func:`lint` found: a sequence of findings, by line and code.

    ``undecided`` are the lines of rules for which the budget ran out before it was known whether they
    have an effect. ``left_out`` counts by code the findings after the first 10,000 of a code, and
    ``silenced`` those that comments in the file silence.
    """

    findings: tuple[Finding, ...]
    undecided: tuple[int, ...]
    left_out: tuple[tuple[str, int], ...]
    silenced: int

    def __len__(self) -> int:
        return len(self.findings)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __getitem__(self, index: int) -> Finding:
        return self.findings[index]

    def __str__(self) -> str:
        lines = [str(finding) for finding in self.findings[:20]] or ["nothing found"]
        more = len(self.findings) - 20
        if more > 0:
            lines.append(f"… {_counted(more, 'more finding')}")
        for code, count in self.left_out:
            lines.append(f"{_counted(count, 'finding')} of {code} left out")
        if self.silenced:
            lines.append(f"{_counted(self.silenced, 'finding')} silenced by comments")
        if self.undecided:
            undecided = _listed(map(str, self.undecided))
            lines.append(f"unknown whether these lines have an effect: {undecided}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Its fields; the findings as in ``docs/lint/README.md``."""
        return {
            "findings": [finding.to_dict() for finding in self.findings],
            "undecided": list(self.undecided),
            "left_out": dict(self.left_out),
            "silenced": self.silenced,
        }


@dataclass(frozen=True, slots=True)
class Fixed:
    """A file with fixes applied. Made by :func:`fix`.

    ``applied`` are the findings whose fixes were applied, with lines and spans of the file at that
    time. ``effect`` says in words what all of it together does to verdicts, and ``changes`` in detail;
    both are ``None`` if that could not be proven, which does not happen to fixes that change no
    verdict. ``report`` is what is found in the new file.
    """

    body: bytes
    applied: tuple[Finding, ...]
    effect: str | None
    changes: tuple[Change, ...] | None
    report: Report

    @property
    def text(self) -> str:
        """The new file as text, with surrogate escapes for bytes that are no UTF-8."""
        return self.body.decode("utf-8", "surrogateescape")

    def __str__(self) -> str:
        count = "1 fix" if len(self.applied) == 1 else f"{len(self.applied)} fixes"
        effect = self.effect or "has an effect on verdicts that could not be proven"
        left = _counted(len(self.report), "finding")
        lines = [f"{count} applied; this {effect}"]
        fixes = [(finding, finding.fix) for finding in self.applied if finding.fix is not None]
        lines += [f"line {finding.line}: {fix.what} [{finding.code}]" for finding, fix in fixes[:20]]
        if len(fixes) > 20:
            lines.append(f"… {len(fixes) - 20} more")
        return "\n".join([*lines, f"{left} left"])

    def to_dict(self) -> dict[str, Any]:
        """Its fields; the findings as in ``docs/lint/README.md``."""
        changes = self.changes
        return {
            **_member("body", self.text),
            "applied": [finding.to_dict() for finding in self.applied],
            "effect": self.effect,
            "changes": None if changes is None else [change.to_dict() for change in changes],
            "report": self.report.to_dict(),
        }


def lint(
    body: Body, *, profiles: Profiles | None = None, content_type: str | None = None
) -> Report:
    """Finds what is wrong with a file, and which of its rules have no effect.

    ``profiles`` are those in which the file is read: one, a list of them, or a dict of names and
    profiles. The default is ``rfc9309``, or that of a :class:`Robots`. ``content_type`` is the value
    of the header with which the file was served. Each code has a page in ``docs/lint``.

    >>> import robotsieve
    >>> print(robotsieve.lint("User-agent: *\\nDisallow: /shop/cart/\\nDisallow: /shop/\\n"))
    line 2: note[RS403]: 'Disallow: /shop/cart/' changes no verdict beside 'Disallow: /shop/' on line 3; remove the line; this changes no verdict (rfc9309, google)
    """
    report, effects = json.loads(_native.lint_json(body, profiles, content_type))
    return _report(report, effects)


def fix(
    body: Body,
    *,
    profiles: Profiles | None = None,
    content_type: str | None = None,
    apply: Literal["unchanging", "all"] = "unchanging",
    codes: Iterable[str] | None = None,
) -> Fixed:
    """Applies the fixes of findings, until none are left; what that does to verdicts is proven.

    With ``apply="unchanging"`` the new file gives the same verdicts as the old one; ``"all"`` also
    applies fixes that change verdicts as they say. ``codes``, numbers or names, are those whose fixes
    are wanted. The others are as for :func:`lint`.

    >>> import robotsieve
    >>> file = "User-agent: *\\nDisallow: /shop/cart/\\nDisallow: /shop/\\nDisallow: private/\\n"
    >>> fixed = robotsieve.fix(file)
    >>> fixed.text, fixed.effect
    ('User-agent: *\\nDisallow: /shop/\\nDisallow: private/\\n', 'changes no verdict')
    >>> robotsieve.fix(file, apply="all").text
    'User-agent: *\\nDisallow: /shop/\\nDisallow: /private/\\n'
    """
    if isinstance(codes, str):
        raise TypeError("codes must be a list of codes; for one, put it into brackets")
    wanted = None if codes is None else list(codes)
    new, text = _native.fix_json(body, profiles, content_type, apply, wanted)
    report, applied, (effect, words) = json.loads(text)
    return Fixed(
        body=new,
        applied=_findings(*applied),
        effect=words,
        changes=None if effect is None else _changes(effect),
        report=_report(*report),
    )


def _report(report: Any, effects: Any) -> Report:
    return Report(
        findings=_findings(report["findings"], effects),
        undecided=tuple(report["undecided"]),
        left_out=tuple(report["left_out"].items()),
        silenced=report["silenced"],
    )


def _findings(findings: Any, effects: Any) -> tuple[Finding, ...]:
    return tuple(map(_finding, findings, effects))


def _finding(one: Any, effect: Any) -> Finding:
    return Finding(
        code=one["code"],
        severity=one["severity"],
        message=one["message"],
        line=one["line"],
        span=_span(one["span"]),
        related=tuple(
            Related(related["line"], _span(related["span"]), related["message"])
            for related in one["related"]
        ),
        help=one["help"],
        fix=None if one["fix"] is None else _fix(one["fix"], effect),
        profiles=tuple(one["profiles"]),
    )


def _fix(one: Any, effect: str) -> Fix:
    return Fix(
        what=one["what"],
        span=_span(one["span"]),
        replacement=_text(one["replacement"]),
        effect=effect,
        changes=_changes(one["effect"]),
        profiles=tuple(one["profiles"]),
    )


def _changes(effect: Any) -> tuple[Change, ...]:
    _, changes = _tagged(effect)
    return tuple(
        Change(
            profiles=tuple(change["profiles"]),
            crawlers=_texts(change["crawlers"]),
            newly_disallowed=_texts(change["newly_disallowed"]),
            newly_allowed=_texts(change["newly_allowed"]),
        )
        for change in changes or ()
    )


# Comparing files

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


@dataclass(frozen=True, slots=True)
class DecidingRule:
    """The rule that decides about a path."""

    verdict: Verdict
    line: int
    value: str

    def __str__(self) -> str:
        return f"line {self.line} '{self.verdict.capitalize()}: {_shown(self.value)}'"

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/diff.md``."""
        return {"verdict": self.verdict, "line": self.line, **_member("rule", self.value)}


@dataclass(frozen=True, slots=True)
class Flip:
    """A path on which two policies differ, for :meth:`Policy.is_path_allowed`.

    ``is_shortest`` if no shorter path flips in this direction. ``extent`` says which others are proven
    to flip with it: none (``path``), all that begin with it (``from``), or all longer ones that begin
    with ``below``. ``old`` and ``new`` are the rules that decide, ``None`` if none does.
    """

    path: str
    is_shortest: bool
    extent: Literal["path", "from", "below"]
    below: str | None
    old: DecidingRule | None
    new: DecidingRule | None

    def __str__(self) -> str:
        where = _shown(self.path)
        if self.extent == "from":
            where = "every path" if self.path == "/" else f"{where} and all below"
        elif self.below is not None:
            where = f"all below {_shown(self.below)}"
        return f"{where}: {self.old or 'no rule'} -> {self.new or 'no rule'}"

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/diff.md``."""
        return {
            "shortest": self.is_shortest,
            "old": None if self.old is None else self.old.to_dict(),
            "new": None if self.new is None else self.new.to_dict(),
            **_member("path", self.path),
            "extent": self.extent,
            **({} if self.below is None else _member("below", self.below)),
        }


@dataclass(frozen=True, slots=True, repr=False)
class Difference(_Short):
    """What differs between two policies. Made by :func:`diff` and :func:`diff_policies`.

    ``result`` is ``equal`` (proven), ``different``, or ``unknown``: no difference was found among the
    paths ``sampled``, but ``unproven`` says why equality is not proven. If ``unproven`` is ``None``, a
    direction without flips has none. ``more_disallowed`` and ``more_allowed`` count further pairs of
    rules that flip paths, at least. ``whole_site`` is ``closed``, ``opened``, ``partly-opened``, or
    ``None`` if none of them is proven.
    """

    result: Literal["equal", "different", "unknown"]
    newly_disallowed: tuple[Flip, ...] = ()
    newly_allowed: tuple[Flip, ...] = ()
    more_disallowed: int = 0
    more_allowed: int = 0
    whole_site: Literal["closed", "opened", "partly-opened"] | None = None
    unproven: str | None = None
    sampled: int | None = None

    @property
    def is_equal(self) -> bool:
        """Whether both policies are proven to allow the same URLs."""
        return self.result == "equal"

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> list[str]:
        if self.is_equal:
            return ["the same URLs are allowed"]
        if self.result == "unknown":
            tried = f"none of the {self.sampled} paths tried flips, but others may"
            tried = tried if self.sampled else "paths may flip, none was tried"
            return [f"{tried} ({self.unproven})"]
        lines = [_WHOLE_SITE[self.whole_site]] if self.whole_site else []
        for what, flips, more in (
            ("disallowed now", self.newly_disallowed, self.more_disallowed),
            ("allowed now", self.newly_allowed, self.more_allowed),
        ):
            lines += [f"{what}: {flip}" for flip in flips]
            if more:
                pairs = _counted(more, "other pair")
                lines.append(f"{what}: more, by at least {pairs} of rules")
        if self.unproven:
            lines.append(f"other paths may flip, also shorter ones ({self.unproven})")
        return lines

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/diff.md``."""
        said: dict[str, Any] = {"result": self.result}
        if self.result == "different":
            said.update(
                newly_disallowed=[flip.to_dict() for flip in self.newly_disallowed],
                newly_allowed=[flip.to_dict() for flip in self.newly_allowed],
                more_disallowed=self.more_disallowed,
                more_allowed=self.more_allowed,
                whole_site=self.whole_site,
            )
        if self.unproven is not None:
            said["unproven"] = self.unproven
        if self.sampled is not None:
            said["sampled"] = self.sampled
        return said


_WHOLE_SITE = {
    "closed": "the whole site is closed now",
    "opened": "the whole site was closed and is open now",
    "partly-opened": "the site is no longer closed as a whole",
}


@dataclass(frozen=True, slots=True)
class ComparedCrawlers:
    """Crawlers for which the same changed; ``*`` is any crawler that no group names."""

    crawlers: tuple[str, ...]
    difference: Difference

    def __str__(self) -> str:
        lines = [f"{_listed(map(_shown, self.crawlers))}:"]
        return "\n".join(lines + [f"  {line}" for line in self.difference._lines()])

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/diff.md``."""
        return {**_members("crawlers", self.crawlers), **self.difference.to_dict()}


@dataclass(frozen=True, slots=True)
class ChangedRecord:
    """A record that only one of two files has, as written."""

    line: int
    field: str
    value: str

    def __str__(self) -> str:
        return f"line {self.line} '{_shown(self.field)}: {_shown(self.value)}'"

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/diff.md``."""
        return {
            "line": self.line,
            **_member("field", self.field),
            **_member("value", self.value),
        }


@dataclass(frozen=True, slots=True)
class RecordChange:
    """What changed in the records of one kind; they are compared by what they say."""

    kind: Kind
    removed: tuple[ChangedRecord, ...]
    added: tuple[ChangedRecord, ...]
    more_removed: int
    more_added: int

    def _lines(self) -> list[str]:
        lines = []
        for what, listed, more in (
            ("removed", self.removed, self.more_removed),
            ("added", self.added, self.more_added),
        ):
            lines += [f"{what}: {record}" for record in listed]
            if more:
                lines.append(f"{what}: {more} more of {self.kind}")
        return lines

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/diff.md``, without crawlers."""
        return {
            "kind": self.kind,
            "removed": [record.to_dict() for record in self.removed],
            "added": [record.to_dict() for record in self.added],
            "more_removed": self.more_removed,
            "more_added": self.more_added,
        }


@dataclass(frozen=True, slots=True)
class RecordChanges:
    """What changed in the other records for some crawlers; ``None`` for those of no group."""

    crawlers: tuple[str, ...] | None
    changes: tuple[RecordChange, ...]

    def __str__(self) -> str:
        whose = "of no group"
        if self.crawlers is not None:
            whose = f"for {_listed(map(_shown, self.crawlers))}"
        lines = [f"  {line}" for change in self.changes for line in change._lines()]
        return "\n".join([f"other records, {whose}:", *lines])

    def to_dict(self) -> list[dict[str, Any]]:
        """A list with an object for each kind, as in ``docs/diff.md``."""
        if self.crawlers is None:
            crawlers: dict[str, Any] = {"crawlers": None}
        else:
            crawlers = _members("crawlers", self.crawlers)
        return [{**change.to_dict(), **crawlers} for change in self.changes]


@dataclass(frozen=True, slots=True)
class ComparedFiles:
    """What changed from one file to another, in meaning. Made by :func:`diff`.

    ``text_differs`` says whether the files differ in their bytes. Crawlers with the same policies are
    grouped. ``records`` has what changed in sitemaps, crawl delays and the like.
    """

    profile: str | None
    text_differs: bool
    crawlers: tuple[ComparedCrawlers, ...]
    records: tuple[RecordChanges, ...]

    @property
    def is_equal(self) -> bool:
        """Whether both files are proven to say the same to all the crawlers."""
        return self.result == "no change"

    @property
    def result(self) -> Literal["no change", "change", "no change found, not proven"]:
        """In short."""
        results = {same.difference.result for same in self.crawlers}
        if self.records or "different" in results:
            return "change"
        return "no change found, not proven" if "unknown" in results else "no change"

    def __str__(self) -> str:
        changed = [same for same in self.crawlers if not same.difference.is_equal]
        return "\n".join([self.result, *map(str, changed), *map(str, self.records)])

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/diff.md``."""
        order = list(_WHOLE_SITE)

        def severity(same: ComparedCrawlers) -> int:
            whole_site = same.difference.whole_site
            return len(order) if whole_site is None else order.index(whole_site)

        return {
            "version": 2,
            "profile": self.profile,
            "text_differs": self.text_differs,
            "crawlers": [same.to_dict() for same in sorted(self.crawlers, key=severity)],
            "records": [change for changes in self.records for change in changes.to_dict()],
            "result": self.result,
        }


def diff(
    old: Body,
    new: Body,
    crawlers: Iterable[AnyCrawler] | None = None,
    *,
    profile: AnyProfile | None = None,
    limits: DiffLimits | None = None,
) -> ComparedFiles:
    """Finds what changed from one file to another: for whom, and on which paths.

    Without ``crawlers``, the files are compared for ``*`` and every crawler that either of them names.
    Text and bytes are read in ``profile``, or in that of the other file if that is a :class:`Robots`.
    Every path that is returned was put to both policies; equality is proven.

    >>> import robotsieve
    >>> old = "User-agent: *\\nDisallow: /shop/\\nAllow: /shop/open\\nCrawl-delay: 1\\n"
    >>> new = "User-agent: *\\nAllow: /shop/open$\\nDisallow: /shop/\\n"
    >>> print(robotsieve.diff(old, new))
    change
    *:
      disallowed now: all below /shop/open: line 3 'Allow: /shop/open' -> line 3 'Disallow: /shop/'
    other records, for *:
      removed: line 4 'Crawl-delay: 1'
    """
    parts = (limits or DiffLimits())._parts()
    said = json.loads(_native.diff_json(old, new, crawlers, profile, parts))
    return ComparedFiles(
        profile=said["profile"],
        text_differs=said["text_differs"],
        crawlers=tuple(
            ComparedCrawlers(_texts(same["crawlers"]), _difference(same["difference"], unproven))
            for same, unproven in zip(said["crawlers"], said["unproven"])
        ),
        records=tuple(
            RecordChanges(
                crawlers=None if one["crawlers"] is None else _texts(one["crawlers"]),
                changes=tuple(map(_record_change, one["changes"])),
            )
            for one in said["records"]
        ),
    )


def diff_policies(old: Policy, new: Policy, *, limits: DiffLimits | None = None) -> Difference:
    """Whether two policies allow the same URLs, and if not, the shortest paths on which they differ.

    >>> import robotsieve
    >>> one = robotsieve.Robots("User-agent: *\\nDisallow: /*/x\\nDisallow: /a*/x").policy("bot")
    >>> same = robotsieve.Robots("User-agent: bot\\nDisallow: /*/x*").policy("bot")
    >>> robotsieve.diff_policies(one, same)
    Difference(result='equal')
    """
    parts = (limits or DiffLimits())._parts()
    return _difference(*json.loads(_native.diff_policies_json(old, new, parts)))


def _difference(said: Any, unproven: str | None) -> Difference:
    result, more = _tagged(said)
    if result == "different":
        return Difference(
            result="different",
            newly_disallowed=tuple(map(_flip, more["newly_disallowed"])),
            newly_allowed=tuple(map(_flip, more["newly_allowed"])),
            more_disallowed=more["more_disallowed"],
            more_allowed=more["more_allowed"],
            whole_site=more["whole_site"],
            unproven=unproven,
        )
    if result == "unknown":
        return Difference(result="unknown", unproven=unproven, sampled=more["sampled"])
    return Difference(result="equal")


def _flip(one: Any) -> Flip:
    path = _text(one["path"])
    extent, length = _tagged(one["extent"])
    start = None
    if length is not None:
        start = path.encode("utf-8", "surrogateescape")[:length].decode("utf-8", "surrogateescape")
    return Flip(
        path=path,
        is_shortest=one["is_shortest"],
        extent=extent,  # type: ignore[arg-type]
        below=start,
        old=_deciding_rule(one["old"]),
        new=_deciding_rule(one["new"]),
    )


def _deciding_rule(rule: Any) -> DecidingRule | None:
    return rule and DecidingRule(rule["verdict"], rule["line"], _text(rule["value"]))


def _record_change(one: Any) -> RecordChange:
    def changed(listed: Any) -> tuple[ChangedRecord, ...]:
        return tuple(
            ChangedRecord(record["line"], _text(record["field"]), _text(record["value"]))
            for record in listed
        )

    return RecordChange(
        kind=one["kind"],
        removed=changed(one["removed"]),
        added=changed(one["added"]),
        more_removed=one["more_removed"],
        more_added=one["more_added"],
    )
