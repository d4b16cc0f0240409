"""Why a crawler may or may not fetch a URL, and whether the profiles agree."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

from . import _robotsieve as _native
from ._values import (
    as_maybe_text,
    as_span,
    as_text,
    as_texts,
    counted,
    listed,
    member,
    shown,
    tagged,
)
from .typing import Reason, Span, Verdict

if TYPE_CHECKING:
    from .typing import AnyCrawler, Body, Text


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
            **member("value", self.value),
            "span": list(self.span),
            "group": self.group,
            "names": self.names,
            **({} if self.token is None else member("token", self.token)),
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
            **member("bytes", self.text),
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
        return f"{self.verdict.capitalize()}: {shown(self.value)}"

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/explain.schema.json``."""
        return {
            "line": self.line,
            "verdict": self.verdict,
            **member("value", self.value),
            "span": list(self.span),
            "line_span": list(self.line_span),
            **member("pattern", self.pattern),
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
            agents = (f"line {line.line} 'User-agent: {shown(line.value)}'" for line in chosen)
            verb = "applies" if groups == 1 else "apply"
            lines.append(f"the {group} for {whom} {verb}: {listed(agents)}")
        lines.append(f"compared as '{shown(self.target.text)}'")
        if self.verdict_otherwise is not None:
            lines.append(self._otherwise(self.verdict_otherwise))
        if self.cut is not None:
            lines.append(_cut(self.cut))
        return "\n".join(lines)

    def _why(self, group: str) -> str:
        count = self.selection.rule_count
        if self.winner is not None:
            rules = counted(count, "rule")
            return f"line {self.line} '{self.winner}' decides, out of {rules}"
        if self.reason == "no-group":
            return "no group applies to the crawler"
        if self.reason == "empty-rule":
            return f"the rule on line {self.line} is empty and restricts nothing"
        if self.reason == "robots-txt":
            return "robots.txt itself may always be fetched"
        if count == 0:
            return f"no rules in the {group}"
        return f"no match among {counted(count, 'rule')} of the {group}"

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
        **member("agent", ",".join(names)),
        "user_agent": False,
        "names": [member("name", name) for name in names],
        **member("url", url),
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
        url=as_text(said["url"]),
        names=as_texts(why["crawler"]),
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
            text=as_text(target["bytes"]),
            url_span=as_span(target["url_span"]),
            is_slash_implied=target["slash_implied"],
            changes=tuple(
                TargetChange(as_span(change["url_span"]), as_span(change["target_span"]))
                for change in target["changes"]
            ),
        ),
        matches=tuple(map(_matched_rule, why["matches"], said["url_spans"])),
        match_count=why["match_count"],
        verdict_otherwise=why["verdict_otherwise"],
        cut=None if cut is None else FileCut(**cut),
    )


def _agent_line(line: Any) -> AgentLine:
    names, token = tagged(line["names"])
    return AgentLine(
        line=line["line"],
        value=as_text(line["value"]),
        span=as_span(line["value_span"]),
        group=line["group"],
        names=names,  # type: ignore[arg-type]
        token=as_maybe_text(token),
        found_by=line["found_by"],
        standing=line["standing"],
    )


def _matched_rule(rule: Any, url_spans: Any) -> MatchedRule:
    return MatchedRule(
        verdict=rule["verdict"],
        line=rule["line"],
        value=as_text(rule["value"]),
        precedence=rule["precedence"],
        pattern=as_text(rule["pattern"]),
        is_anchored=rule["anchored"],
        span=as_span(rule["value_span"]),
        line_span=as_span(rule["line_span"]),
        pieces=tuple(
            Piece(
                kind=piece["kind"],
                span=as_span(piece["file_span"]),
                target_span=as_span(piece["target_span"]),
                url_span=as_span(url_span),
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
        url=as_text(said["url"]),
        names=as_texts(said["names"]),
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
