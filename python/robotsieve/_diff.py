"""What changed from one file to another, in meaning."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from . import _robotsieve as _native
from ._values import Short, as_text, as_texts, counted, listed, member, members, shown, tagged
from .typing import Kind, Verdict

if TYPE_CHECKING:
    from ._robotsieve import Policy
    from .typing import AnyCrawler, AnyProfile, Body

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
        return f"line {self.line} '{self.verdict.capitalize()}: {shown(self.value)}'"

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/diff.md``."""
        return {"verdict": self.verdict, "line": self.line, **member("rule", self.value)}


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
        where = shown(self.path)
        if self.extent == "from":
            where = "every path" if self.path == "/" else f"{where} and all below"
        elif self.below is not None:
            where = f"all below {shown(self.below)}"
        return f"{where}: {self.old or 'no rule'} -> {self.new or 'no rule'}"

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/diff.md``."""
        return {
            "shortest": self.is_shortest,
            "old": None if self.old is None else self.old.to_dict(),
            "new": None if self.new is None else self.new.to_dict(),
            **member("path", self.path),
            "extent": self.extent,
            **({} if self.below is None else member("below", self.below)),
        }


@dataclass(frozen=True, slots=True, repr=False)
class Difference(Short):
    """What differs between two policies. Made by :func:`diff` and :func:`diff_policies`.

    ``result`` is ``equal`` (proven), ``different``, or ``unknown``: no difference was found among the
    paths ``sampled``, but ``unproven`` says why equality is not proven. If ``unproven`` is ``None``, a
    direction without flips has none. ``more_disallowed`` and ``more_allowed`` count further pairs of
    rules that flip paths, at least. ``unexamined`` is how many rules of one policy alone may flip paths
    too, because the budget was used up: every other such rule decides one of the paths found or
    counted, or is proven to flip none. ``whole_site`` is ``closed``, ``opened``, ``partly-opened``, or
    ``None`` if none of them is proven.
    """

    result: Literal["equal", "different", "unknown"]
    newly_disallowed: tuple[Flip, ...] = ()
    newly_allowed: tuple[Flip, ...] = ()
    more_disallowed: int = 0
    more_allowed: int = 0
    unexamined: int = 0
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
                pairs = counted(more, "other pair")
                lines.append(f"{what}: more, by at least {pairs} of rules")
        if self.unexamined:
            lines.append(f"{counted(self.unexamined, 'more rule')} may count, which there was no time for")
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
                unexamined=self.unexamined,
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
        lines = [f"{listed(map(shown, self.crawlers))}:"]
        return "\n".join(lines + [f"  {line}" for line in self.difference._lines()])

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/diff.md``."""
        return {**members("crawlers", self.crawlers), **self.difference.to_dict()}


@dataclass(frozen=True, slots=True)
class ChangedRecord:
    """A record that only one of two files has, as written."""

    line: int
    field: str
    value: str

    def __str__(self) -> str:
        return f"line {self.line} '{shown(self.field)}: {shown(self.value)}'"

    def to_dict(self) -> dict[str, Any]:
        """As in ``docs/diff.md``."""
        return {
            "line": self.line,
            **member("field", self.field),
            **member("value", self.value),
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
        for what, records, more in (
            ("removed", self.removed, self.more_removed),
            ("added", self.added, self.more_added),
        ):
            lines += [f"{what}: {record}" for record in records]
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
            whose = f"for {listed(map(shown, self.crawlers))}"
        lines = [f"  {line}" for change in self.changes for line in change._lines()]
        return "\n".join([f"other records, {whose}:", *lines])

    def to_dict(self) -> list[dict[str, Any]]:
        """A list with an object for each kind, as in ``docs/diff.md``."""
        if self.crawlers is None:
            crawlers: dict[str, Any] = {"crawlers": None}
        else:
            crawlers = members("crawlers", self.crawlers)
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
            ComparedCrawlers(as_texts(same["crawlers"]), _difference(same["difference"], unproven))
            for same, unproven in zip(said["crawlers"], said["unproven"])
        ),
        records=tuple(
            RecordChanges(
                crawlers=None if one["crawlers"] is None else as_texts(one["crawlers"]),
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
    result, more = tagged(said)
    if result == "different":
        return Difference(
            result="different",
            newly_disallowed=tuple(map(_flip, more["newly_disallowed"])),
            newly_allowed=tuple(map(_flip, more["newly_allowed"])),
            more_disallowed=more["more_disallowed"],
            more_allowed=more["more_allowed"],
            unexamined=more["unexamined"],
            whole_site=more["whole_site"],
            unproven=unproven,
        )
    if result == "unknown":
        return Difference(result="unknown", unproven=unproven, sampled=more["sampled"])
    return Difference(result="equal")


def _flip(one: Any) -> Flip:
    path = as_text(one["path"])
    extent, length = tagged(one["extent"])
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
    return rule and DecidingRule(rule["verdict"], rule["line"], as_text(rule["value"]))


def _record_change(one: Any) -> RecordChange:
    def changed(records: Any) -> tuple[ChangedRecord, ...]:
        return tuple(
            ChangedRecord(record["line"], as_text(record["field"]), as_text(record["value"]))
            for record in records
        )

    return RecordChange(
        kind=one["kind"],
        removed=changed(one["removed"]),
        added=changed(one["added"]),
        more_removed=one["more_removed"],
        more_added=one["more_added"],
    )
