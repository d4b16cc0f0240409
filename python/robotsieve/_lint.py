"""What is wrong with a file, and fixes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

from . import _robotsieve as _native
from ._values import as_span, as_text, as_texts, counted, listed, member, members, tagged
from .typing import Severity, Span

if TYPE_CHECKING:
    from .typing import Body, Profiles


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
            **members("crawlers", self.crawlers),
            **members("newly_disallowed", self.newly_disallowed),
            **members("newly_allowed", self.newly_allowed),
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
            **member("replacement", self.replacement),
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
            lines.append(f"… {counted(more, 'more finding')}")
        for code, count in self.left_out:
            lines.append(f"{counted(count, 'finding')} of {code} left out")
        if self.silenced:
            lines.append(f"{counted(self.silenced, 'finding')} silenced by comments")
        if self.undecided:
            undecided = listed(map(str, self.undecided))
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
        """The new file as text, with surrogate escapes for bytes that are not UTF-8."""
        return self.body.decode("utf-8", "surrogateescape")

    def __str__(self) -> str:
        count = "1 fix" if len(self.applied) == 1 else f"{len(self.applied)} fixes"
        effect = self.effect or "has an effect on verdicts that could not be proven"
        left = counted(len(self.report), "finding")
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
            **member("body", self.text),
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
    of the header with which the file was served. Each code has a page in the repository's ``docs/lint``. The
    profiles in brackets after a fix are those for which its effect is proven.

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
        span=as_span(one["span"]),
        related=tuple(
            Related(related["line"], as_span(related["span"]), related["message"])
            for related in one["related"]
        ),
        help=one["help"],
        fix=None if one["fix"] is None else _fix(one["fix"], effect),
        profiles=tuple(one["profiles"]),
    )


def _fix(one: Any, effect: str) -> Fix:
    return Fix(
        what=one["what"],
        span=as_span(one["span"]),
        replacement=as_text(one["replacement"]),
        effect=effect,
        changes=_changes(one["effect"]),
        profiles=tuple(one["profiles"]),
    )


def _changes(effect: Any) -> tuple[Change, ...]:
    _, changes = tagged(effect)
    return tuple(
        Change(
            profiles=tuple(change["profiles"]),
            crawlers=as_texts(change["crawlers"]),
            newly_disallowed=as_texts(change["newly_disallowed"]),
            newly_allowed=as_texts(change["newly_allowed"]),
        )
        for change in changes or ()
    )
