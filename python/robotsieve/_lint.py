"""What is wrong with a file, and fixes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

from . import _robotsieve as _native
from .reports import FixReport, LintReport
from .typing import Severity

if TYPE_CHECKING:
    from .typing import Body, Profiles


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of finding: its number, its name, its usual severity, and what it means.

    >>> from robotsieve import Code
    >>> Code.named("never-wins").number
    'RS402'
    >>> print(Code.named("RS402"))
    RS402 never-wins: The rule never decides, or only where it changes nothing.
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
class Fixed:
    """A file with fixes applied, and the report on them. Made by :func:`fix`."""

    body: bytes
    report: FixReport

    @property
    def text(self) -> str:
        """The new file as text, with surrogate escapes for bytes that are not UTF-8."""
        return self.body.decode("utf-8", "surrogateescape")

    def __str__(self) -> str:
        return str(self.report)


def lint(
    body: Body, *, profiles: Profiles | None = None, content_type: str | None = None
) -> LintReport:
    """Finds what is wrong with a file, and which of its rules have no effect.

    ``profiles`` are those in which the file is read: one, a list of them, or a dict of names and
    profiles. The default is ``rfc9309``, or that of a :class:`Robots`. ``content_type`` is the value
    of the header with which the file was served. Each code has a page in the repository's ``docs/lint``. The
    profiles in brackets after a fix are those for which its effect is proven.

    >>> import robotsieve
    >>> print(robotsieve.lint("User-agent: *\\nDisallow: /shop/cart/\\nDisallow: /shop/\\n"))
    line 2: note[RS403]: 'Disallow: /shop/cart/' changes no verdict beside 'Disallow: /shop/' on line 3; remove the line; this changes no verdict (rfc9309, google)
    1 note
    """
    return LintReport.from_json(_native.lint_json(body, profiles, content_type))


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
    >>> fixed.text, fixed.report.effect
    ('User-agent: *\\nDisallow: /shop/\\nDisallow: private/\\n', 'changes no verdict (rfc9309)')
    >>> robotsieve.fix(file, apply="all").text
    'User-agent: *\\nDisallow: /shop/\\nDisallow: /private/\\n'
    """
    if isinstance(codes, str):
        raise TypeError("codes must be a list of codes; for one, put it into brackets")
    wanted = None if codes is None else list(codes)
    new, text = _native.fix_json(body, profiles, content_type, apply, wanted)
    return Fixed(new, FixReport.from_json(text))
