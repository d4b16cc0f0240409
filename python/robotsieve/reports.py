"""The reports, as data: frozen, hashable, comparable, picklable, and made for ``match``.

Generated: cargo run -p robotsieve-types -- python python/robotsieve/reports.py
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ._report import Document, Span, first, indented, shown
from ._robotsieve import body_bytes

if TYPE_CHECKING:
    from .typing import Body

AddressSource = Literal["published", "other", "unknown"]
"""Where the requests of a crawler came from, by the addresses that its operator publishes.

- ``published``: From one of these addresses: the crawler itself.
- ``other``: From another address: somebody with its name, or the list is not of that time.
- ``unknown``: The log does not have the address, or it is a private one: that of a proxy."""

Certainty = Literal["compatible", "product", "word"]
"""The certainty that a word of a header names the crawler, the surest first.

- ``compatible``: It follows the word ``compatible``, as in ``Mozilla/5.0 (compatible;
  FooBot/1.0)``.
- ``product``: It has a version (``FooBot/1.0``, ``FooBot 1.0``), or the header begins with it.
- ``word``: It is a word that stands somewhere else."""

DiffResult = Literal["equal", "different", "unknown"]
"""The result of a comparison: do two files, or two policies, say the same?

- ``equal``: Proven.
- ``different``: Something changed.
- ``unknown``: No difference was found, but it is not proven that there is none."""

ExplainReason = Literal[
    "rule", "no-group", "no-match", "empty-rule", "robots-txt", "left-alone", "site",
    "unknown-site", "invalid-url"
]
"""The reason for an answer.

- ``rule``: A rule matches, and none of higher precedence does.
- ``no-group``: Allowed: no group of the file is for this crawler.
- ``no-match``: Allowed: no rule of the crawler's groups matches, or they have none.
- ``empty-rule``: Allowed: the crawler's groups have only rules without a value, which restrict
  nothing.
- ``robots-txt``: Allowed: robots.txt itself may always be fetched.
- ``left-alone``: Disallowed: the site asks for a longer delay than the crawler is ready to wait.
- ``site``: No rules apply, as ``site`` or ``answer`` says: everything is allowed, or nothing.
- ``unknown-site``: The store does not say what applies.
- ``invalid-url``: The URL is invalid."""

ExplainVerdict = Literal["allow", "disallow", "unknown", "invalid"]
"""The answer to the question whether a crawler may fetch a URL.

- ``allow``: It may.
- ``disallow``: It may not.
- ``unknown``: It is not known what applies to the site.
- ``invalid``: The URL is none."""

Extent = Literal["path", "from", "below"]
"""The paths that are proven to flip with one.

- ``path``: Nothing is known of longer paths.
- ``from``: Every path flips that begins with it.
- ``below``: Every path flips that begins with ``below`` and is longer than that."""

GroupChoice = Literal["named", "everybody", "none"]
"""Which kind of group applies to a crawler.

- ``named``: The groups that name it.
- ``everybody``: The groups for everybody (``*``), because no group names it.
- ``none``: No group applies, so everything is allowed."""

Kind = Literal[
    "sitemap", "crawl-delay", "request-rate", "visit-time", "host", "clean-param", "license",
    "noindex", "content-signal", "content-usage", "unknown"
]
"""The kind of record that a field makes.

- ``sitemap``: ``Sitemap``.
- ``crawl-delay``: ``Crawl-delay``.
- ``request-rate``: ``Request-rate``.
- ``visit-time``: ``Visit-time``.
- ``host``: ``Host``.
- ``clean-param``: ``Clean-param``.
- ``license``: ``License``.
- ``noindex``: ``Noindex``.
- ``content-signal``: ``Content-Signal``.
- ``content-usage``: ``Content-Usage``.
- ``unknown``: Any other field."""

NamedBy = Literal["everybody", "token", "nobody"]
"""The crawlers that a user-agent line names.

- ``everybody``: Every crawler that no other group names.
- ``token``: The crawlers whose names find its product token.
- ``nobody``: None: the value has no product token."""

Obeys = Literal["yes", "no", "partly", "unknown"]
"""An operator's word on obeying robots.txt.

- ``yes``: It does.
- ``no``: It does not.
- ``partly``: In part, or some of its crawlers.
- ``unknown``: Nobody who wrote the entry knows."""

PieceKind = Literal["literal", "star", "end"]
"""The kind of a `Piece`.

- ``literal``: Bytes that match themselves, once normalised.
- ``star``: One or more stars in a row, which match any bytes.
- ``end``: The ``$`` that matches the end of the target."""

Purpose = Literal[
    "search", "ai-training", "ai-assistants", "archive", "seo", "ads", "link-preview",
    "monitoring", "other"
]
"""The purpose that a crawler reads for.

- ``search``: The index of a search engine.
- ``ai-training``: Training of AI models.
- ``ai-assistants``: What AI assistants read to answer, and their indexes.
- ``archive``: Keeping pages as they were.
- ``seo``: Link indexes and audits for marketing.
- ``ads``: Advertising.
- ``link-preview``: Previews of links that people post.
- ``monitoring``: Availability, security and measurement.
- ``other``: Feed readers, research, tools and data brokers."""

ReachBy = Literal["named", "everybody", "none", "ignores-star", "answer"]
"""The groups that a crawler obeys.

- ``named``: Those that name it.
- ``everybody``: Those of ``*``.
- ``none``: None is for it.
- ``ignores-star``: None names it, and it ignores those of ``*``.
- ``answer``: There is no file: what its URL answered decides."""

Reads = Literal["nothing", "partly", "unproven", "everything"]
"""The extent of a site that some crawlers may read.

- ``nothing``: Nothing, or nothing but robots.txt; proven.
- ``partly``: Some path is forbidden and some other path is allowed.
- ``unproven``: Neither ``nothing`` nor ``everything`` is proven, nor that it is not so.
- ``everything``: Everything; proven."""

Ruling = Literal["allow", "disallow", "unknown"]
"""What is known of a use: allowed, disallowed, or nothing. Silence is no permission.

- ``allow``: Some statement allows it, and none disallows it.
- ``disallow``: Some statement disallows it.
- ``unknown``: No statement is about it."""

ScopeKind = Literal["file", "group", "run", "outside"]
"""Where a record belongs.

- ``file``: To the whole file.
- ``group``: To a group.
- ``run``: To a run of user-agent lines that is not the whole of its group, as a ``Crawl-delay``,
  a ``Request-rate`` and a ``Visit-time`` do.
- ``outside``: To no group, although its kind does not apply to the whole file."""

Severity = Literal["note", "warning", "error"]
"""The severity of a finding.

These three are all there will be: SARIF and GitHub's annotations have the same ones. With the
feature `serde` a severity is its [name](Severity::as_str).

- ``note``: Nothing is lost, but the line does not say what it seems to say, or says nothing.
- ``warning``: Some crawlers probably read it differently from what was meant.
- ``error``: At least one rule is lost: a line that means to be a rule or a group is not read as
  that, or some reader gives another verdict than was meant. This is found out for each finding,
  whatever its code."""

Standing = Literal[
    "chosen", "in-chosen-group", "unrelated", "everybody-else", "later-name", "shorter-token",
    "further-down"
]
"""What became of a user-agent line when a crawler's groups were chosen.

- ``chosen``: Its group applies, because of this line.
- ``in-chosen-group``: Its group applies, because of another of its lines.
- ``unrelated``: It names other crawlers, or none, or it is found only by a name after the 64th,
  which are not compared.
- ``everybody-else``: It is for everybody, but another group names the crawler.
- ``later-name``: It names the crawler, but an earlier one of the crawler's names has a group.
- ``shorter-token``: Its token is a prefix of the crawler's name, but a longer token is too.
- ``further-down``: It names the crawler, but an earlier line does too, and only the first one
  counts."""

UseCeiling = Literal["immediate", "reference", "full"]
"""The most that a site lets a use be, by `use=` of Content Signals: of several the lowest counts.

It is reported and changes no ruling: Cloudflare calls it a test.

- ``immediate``: Interact, keep nothing.
- ``reference``: Index, excerpt, link.
- ``full``: Summarise, reproduce."""

Verdict = Literal["allow", "disallow"]
"""Whether robots.txt lets a crawler fetch a URL.

Not `#[non_exhaustive]`: a verdict is one of these two and stays so. An invalid URL has no
verdict but an error, `InvalidUrl`(crate::InvalidUrl).

With the feature `serde` it is written as `"allow"` or `"disallow"`.

- ``allow``: It may fetch the URL.
- ``disallow``: It may not fetch the URL."""

WholeSite = Literal["closed", "opened", "partly-opened"]
"""What happened to the site as a whole, but for `/robots.txt` where the profile always allows that.
Proven.

- ``closed``: No path is allowed any more.
- ``opened``: No path was allowed, and now all are.
- ``partly-opened``: No path was allowed, and now some are."""


@dataclass(frozen=True, slots=True)
class AgentLine(Document):
    """A user-agent line, and what became of it when the crawler's groups were chosen."""

    line: int
    """The line number, from 1."""
    value: str
    """The value as written."""
    value_span: Span
    """Where the value is, in bytes of the file."""
    group: int
    """The number of the line's group in the file, from 1."""
    names: NamedBy
    """The crawlers that it names."""
    token: str | None
    """The product token, if ``names`` is ``token``."""
    found_by: int | None
    """The index in ``names`` of the report of the first name that finds the token."""
    standing: Standing
    """Its fate in the selection."""
    label: str | None
    """The same in words, for the first eight lines of each standing that could have applied."""


@dataclass(frozen=True, slots=True)
class AppliedFix(Document):
    """A fix that was applied."""

    code: str
    """The number of the kind of finding that it mends."""
    name: str
    """The name of the kind."""
    severity: Severity
    """The severity of the finding."""
    message: str
    """The fault that it mended."""
    line: int
    """The line in the file as it was at that time: an earlier fix may have moved it."""
    what: str
    """The change that was made: a clause such as ``remove the line``."""
    effect: str
    """The effect of "this" on verdicts: a clause."""
    changes_verdicts: bool
    """True if some URLs got another verdict, if a crawler is asked for another pace, or if a line
    about use says something that said nothing."""


@dataclass(frozen=True, slots=True)
class AuditReport(Document):
    """The crawlers in logs, with what they fetched that a robots.txt forbids: the report ``audit``.
    """

    schema: str
    """``robotsieve-report-1``."""
    report: str
    """``audit``."""
    tool_version: str
    """The version of robotsieve that made the report."""
    profile: str | None
    """The name of the profile, null if it has none."""
    robots: tuple[AuditedFile, ...]
    """The versions of the robots.txt, in the order of time."""
    unread: tuple[str, ...]
    """The logs of which nothing, or not all, could be read: what they have besides is not in the
    report."""
    formats: tuple[str, ...]
    """The formats in which the logs were read."""
    lines: int
    """All lines but empty ones: ``damaged``, ``too_long`` and ``requests`` together."""
    damaged: int
    """The number of lines that are not in the format, or have a time that is none."""
    first_damaged: tuple[DamagedLine, ...]
    """The places of the first five damaged lines."""
    too_long: int
    """The number of lines that are too long to be read."""
    requests: int
    """``judged``, ``other_clients``, ``other_crawlers``, ``without_header``, ``without_path`` and
    ``other_hosts`` together."""
    other_hosts: int
    """The number of requests that are for other hosts than those asked for."""
    without_path: int
    """The number of requests that are for neither a path nor a URL."""
    without_header: int
    """The number of requests that have no User-Agent header."""
    other_clients: int
    """The number of requests that are not made by crawlers."""
    other_crawlers: int
    """The number of requests that are made by crawlers other than those asked for."""
    judged: int
    """The number of requests of crawlers that were judged."""
    before_first: int
    """Those of ``judged`` that were made before the first version."""
    forbidden: int
    """The number of requests of crawlers that are forbidden."""
    excused: int
    """The number of requests that the file forbids, of crawlers that were refused /robots.txt
    itself and did not get it before them."""
    hosts: tuple[str, ...]
    """Some hosts that requests were for, if the logs tell; ``…`` at the end if there are more."""
    not_found: tuple[str, ...]
    """The tokens of crawlers whose addresses are known, and that are not in the logs."""
    crawlers: tuple[AuditedCrawler, ...]
    """By purpose, those that are not known last; in each the one with the most forbidden requests
    first. If the addresses of a crawler are known, what came from there is apart from what did
    not."""
    sentences: tuple[Sentence, ...]
    """The totals in sentences, and what else is to be said of all crawlers."""


@dataclass(frozen=True, slots=True)
class AuditedCrawler(Document):
    """A crawler in logs."""

    name: str
    """The name as its operator writes it; of one that is not known, its token."""
    token: str | None
    """The product token, null if this stands for all names beyond the first 1,000 that are not
    known."""
    purpose: Purpose | None
    """The purpose, null if it is not known."""
    title: str
    """The heading of the purpose, or ``not known``."""
    operator: str | None
    """Who runs it, null if it is not known."""
    obeys: Obeys | None
    """Its operator's word on obeying, null if it is not known."""
    source: AddressSource | None
    """Where these requests came from, null if no published addresses of the crawler are known. Of
    one crawler there may be an entry for each."""
    requests: int
    """The number of requests that it made."""
    forbidden: int
    """The number of those that are forbidden."""
    excused: int
    """The number of those that the file forbids, made after the crawler, or another one of its
    operator, was refused /robots.txt (status 4xx) and before it got the file: by RFC 9309 it may
    then fetch all, so they are not in ``forbidden``."""
    share: str
    """The forbidden ones in percent of all: ``12.5 %``."""
    forbidden_by_status: tuple[StatusCount, ...]
    """The forbidden ones by the server's answer."""
    first: str | None
    """The time of the first request in UTC, null if the logs have no times."""
    last: str | None
    """The time of the last request."""
    robots_txt: int
    """The number of times that it asked for /robots.txt."""
    robots_txt_delivered: int
    """Those of ``robots_txt`` that got the file (status 2xx or 304)."""
    robots_txt_refused: int
    """Those of ``robots_txt`` that were refused it (status 4xx)."""
    robots_txt_failed: int
    """Those of ``robots_txt`` that failed (status 5xx)."""
    verified: VerifiedCount | None
    """How many of these came from the published addresses, null if none are known."""
    rules: tuple[BrokenRule, ...]
    """The rules that it broke, the one broken most first."""
    more_rules: int
    """Forbidden requests by rules beyond the first 1,000."""
    note: str | None
    """The word of its operator or of others, if it broke a rule and is not said to obey them all.
    """


@dataclass(frozen=True, slots=True)
class AuditedFile(Document):
    """A version of the robots.txt."""

    file: str
    """The name of the file as the caller gave it."""
    from_: str | None
    """The time from which on it was the site's, null if that is the beginning."""
    judged: int
    """The number of requests that it judged."""


@dataclass(frozen=True, slots=True)
class BrokenRule(Document):
    """A rule that was broken."""

    file: int
    """The file, as an index into ``robots``."""
    line: int
    """The line of the rule."""
    rule: str
    """The rule's value as written."""
    requests: int
    """The number of requests that it forbids."""
    examples: tuple[ExamplePath, ...]
    """Some of their paths."""


@dataclass(frozen=True, slots=True)
class BuildFault(Document):
    """A reason why intentions cannot be built."""

    place: str
    """The place to mend, such as ``groups[0].disallow[1]``, numbered from 0; empty for the whole.
    """
    message: str
    """What is wrong, and the way out."""


@dataclass(frozen=True, slots=True)
class BuildReport(Document):
    """A robots.txt built from intentions, or why there is none: the report ``build``."""

    schema: str
    """``robotsieve-report-1``."""
    report: str
    """``build``."""
    tool_version: str
    """The version of robotsieve that made the report."""
    text: str | None
    """The file; null if there is none."""
    profiles: tuple[str, ...]
    """The names of the profiles in which it is proven."""
    notes: tuple[str, ...]
    """The caveats, in sentences."""
    faults: tuple[BuildFault, ...]
    """The reasons why there is no file."""
    unproven: bool
    """True if all values are fine, but some profile would read the file otherwise than asked for,
    or an expectation would not hold."""


@dataclass(frozen=True, slots=True)
class Cause(Document):
    """A switch that makes a profile's answer differ."""

    switch: str
    """The name of the switch, such as ``wildcards``."""
    clause: str
    """Its effect in this profile, such as ``'*' and '$' are plain characters there``."""


@dataclass(frozen=True, slots=True)
class ChangedRecord(Document):
    """A record that only one of the files has."""

    line: int
    """Its line in that file, from 1."""
    field: str
    """The field's name as written."""
    value: str
    """The value as written."""
    label: str
    """The line with its number."""

    def __str__(self) -> str:
        return self.label


@dataclass(frozen=True, slots=True)
class CleanParam(Document):
    """Query parameters that do not change what is served."""

    params: tuple[str, ...]
    """The names of the parameters."""
    path: str | None
    """The beginning of the paths for which this holds, with ``*`` as a wildcard. ``null``: all
    paths."""


@dataclass(frozen=True, slots=True)
class CompareReport(Document):
    """One question put to every named profile."""

    schema: Literal["robotsieve-report-1"]
    """The version of the form of this document."""
    report: Literal["compare"]
    """The kind of this document."""
    tool_version: str
    """The version of robotsieve."""
    robots: str | None
    """The robots.txt, or the store, as it was named. ``null`` if it has no name."""
    agent: str
    """The crawler as given: its names, parted by commas, or a whole User-Agent header."""
    url: str
    """The URL as given."""
    agree: bool
    """True if all profiles give the same verdict."""
    explanations: tuple[ExplainReport, ...]
    """The answer of each profile, in the order ``rfc9309``, ``google``, ``google-classic``,
    ``original-1994``."""
    differences: tuple[ProfileDifference, ...]
    """The profiles whose verdict or deciding line is not that of ``rfc9309``. Empty if not the same
    file applies in all of them, since their answers are then not compared."""
    sentences: tuple[Sentence, ...]
    """The verdicts, and what makes them differ."""

    @property
    def verdicts(self) -> dict[str | None, ExplainVerdict]:
        """The verdict of each profile."""
        return {one.profile: one.verdict for one in self.explanations}

    def __str__(self) -> str:
        return "\n".join(one.text for one in self.sentences)


@dataclass(frozen=True, slots=True)
class ComparedTarget(Document):
    """The part of a URL that is compared with the rules, and where it comes from."""

    value: str
    """Path and query, normalised, from the first ``/``."""
    url_span: Span
    """Where it is, in bytes of the URL."""
    slash_implied: bool
    """True if its first ``/`` is missing from the URL: ``https://e.com?x`` is compared as ``/?x``.
    """
    changes: tuple[TargetChange, ...]
    """The changes that normalising made: one entry for each byte or ``%XX``."""
    label: str
    """The comparison, in words."""


@dataclass(frozen=True, slots=True)
class CrawlerDiff(Document):
    """The changes for crawlers with the same policies."""

    crawlers: tuple[str, ...]
    """The crawlers, by the tokens of the files or as they were given; ``*`` is any crawler that no
    group names."""
    label: str
    """Their names in one text."""
    result: DiffResult
    """The result: may they fetch the same as before?"""
    whole_site: WholeSite | None
    """The fate of the site as a whole: proven. ``null`` if none of these is."""
    headline: str | None
    """The fate of the site as a whole, or of its home page, in words."""
    newly_disallowed: tuple[Flip, ...]
    """Paths that were allowed and are no longer. The proven shortest come first."""
    newly_allowed: tuple[Flip, ...]
    """Paths that were not allowed and now are. The proven shortest come first."""
    more_disallowed: int
    """The number of further pairs of deciding rules that disallow paths now, at least."""
    more_disallowed_label: str | None
    """The same, in words."""
    more_allowed: int
    """The number of further pairs of deciding rules that allow paths now, at least."""
    more_allowed_label: str | None
    """The same, in words."""
    unexamined: int
    """The number of rules that only one of the files has and that may flip paths too: the budget
    was used up. Every other such rule decides one of the paths listed or counted, or is proven
    to flip none."""
    unproven: str | None
    """Why the comparison has no proof. If ``null``, a direction without paths has none."""
    sampled: int | None
    """The number of paths that were tried, if the result is unknown."""
    notes: tuple[str, ...]
    """Possible further changes, and why they are not known."""

    @property
    def is_equal(self) -> bool:
        """Whether it is proven that the same URLs are allowed."""
        return self.result == "equal"

    def __str__(self) -> str:
        headline = () if self.headline is None else (self.headline,)
        more = (self.more_disallowed_label, self.more_allowed_label)
        return "\n".join([
            *headline,
            *(f"disallowed now: {flip}" for flip in self.newly_disallowed),
            *(f"disallowed now: {label}" for label in more[:1] if label),
            *(f"allowed now: {flip}" for flip in self.newly_allowed),
            *(f"allowed now: {label}" for label in more[1:] if label),
            *self.notes,
        ])


@dataclass(frozen=True, slots=True)
class CrawlerName(Document):
    """A name of a crawler."""

    name: str
    """The name."""
    agent_span: Span | None
    """Where it is in a User-Agent header."""
    certainty: Certainty | None
    """The certainty that it is the crawler's name, if it is from a User-Agent header."""
    label: str | None
    """Its rank in a User-Agent header, and what became of it; for the first eight."""


@dataclass(frozen=True, slots=True)
class DamagedLine(Document):
    """The place of a line that is not in the format."""

    log: str
    """The name of the log."""
    line: int
    """The line, from 1."""


@dataclass(frozen=True, slots=True)
class DecidingRule(Document):
    """The rule that decides about a path."""

    verdict: Verdict
    """The verdict that it gives: ``allow`` or ``disallow``."""
    line: int
    """Its line, from 1."""
    value: str
    """Its value as written."""


@dataclass(frozen=True, slots=True)
class DiffReport(Document):
    """The changes from one file to another, in meaning: the report ``diff``."""

    urls: tuple[UrlFlip, ...] | None
    """The URLs that flip, in the order in which they were given. ``null`` if none were given."""
    schema: Literal["robotsieve-report-1"]
    """The version of the form of this document."""
    report: Literal["diff"]
    """The kind of this document."""
    tool_version: str
    """The version of robotsieve."""
    robots: str | None
    """The name of the new file as the caller gave it."""
    old_robots: str | None
    """The name of the old file as the caller gave it."""
    profile: str | None
    """The name of the profile in which both were read. ``null`` if it has none, or if there are
    two."""
    text_differs: bool
    """True if the files differ in their bytes, or a side is no file."""
    old_answer: InsteadOfFile | None
    """The answer of the old file's URL, if that is no file."""
    new_answer: InsteadOfFile | None
    """The answer of the new file's URL, if that is no file."""
    result: DiffResult
    """The result: do both files say the same to all the crawlers?"""
    crawlers: tuple[CrawlerDiff, ...]
    """The changes in what crawlers may fetch, the severest first."""
    records: tuple[RecordDiff, ...]
    """The changes in the other records, such as sitemaps."""
    risks: Risks | None
    """The meaning of the change for known crawlers. ``null`` if that was not asked."""
    urls_flipped: int | None
    """The number of URLs that flip. ``null`` if none were given."""
    sentences: tuple[Sentence, ...]
    """The answers in the place of a file, the fate of whole sites and home pages, and as the last
    one the result as a whole."""

    @property
    def is_equal(self) -> bool:
        """Whether it is proven that both files say the same to all the crawlers."""
        return self.result == "equal"

    def __str__(self) -> str:
        *first, last = map(str, self.sentences)
        changed = (same for same in self.crawlers if not same.is_equal)
        records = ((f"other records, {one.label}", one) for one in self.records)
        parts = [*((same.label, same) for same in changed), *records]
        drawn = (f"{label}:\n{indented(str(part))}" for label, part in parts)
        return "\n".join([*first, *drawn, last])


@dataclass(frozen=True, slots=True)
class ExamplePath(Document):
    """A forbidden path."""

    path: str
    """The first 200 bytes of the path."""
    cut: bool
    """True if the path is longer."""


@dataclass(frozen=True, slots=True)
class ExplainReport(Document):
    """Why a crawler may or may not fetch a URL."""

    schema: Literal["robotsieve-report-1"]
    """The version of the form of this document."""
    report: Literal["explain"]
    """The kind of this document."""
    tool_version: str
    """The version of robotsieve."""
    robots: str | None
    """The robots.txt, or the store, as it was named. ``null`` if it has no name."""
    agent: str
    """The crawler as given: its names, parted by commas, or a whole User-Agent header."""
    user_agent: bool
    """True if ``agent`` is a whole User-Agent header."""
    names: tuple[CrawlerName, ...]
    """The crawler's names, from most to least specific."""
    names_notes: tuple[str, ...]
    """Sentences about the names in a User-Agent header, the first one for all of them."""
    url: str
    """The URL as given."""
    profile: str | None
    """The name of the profile. ``null`` if it has none."""
    verdict: ExplainVerdict
    """The answer."""
    reason: ExplainReason
    """The reason for it."""
    line: int | None
    """The line that decides: of a rule, or of the first rule without a value."""
    site: Site | None
    """A store's knowledge of the URL's site. ``null`` without a store, or if it does not know the
    site."""
    answer: str | None
    """A URL's answer in the place of a robots.txt, such as ``HTTP 503``."""
    selection: Selection | None
    """The group that applies, and those that competed for the crawler. ``null`` if no rules were
    asked."""
    target: ComparedTarget | None
    """The part of the URL that is compared with the rules. ``null`` if no rules were asked."""
    match_count: int
    """The number of patterns that match, including any that are not listed. A rule has one, or two
    in the profile ``google`` if it allows an ``index.htm``."""
    matches: tuple[MatchedRule, ...]
    """The rules that match, from highest to lowest precedence; at most 256."""
    winner_line: int | None
    """The line of the rule that decides. The first one of ``matches`` has it."""
    runner_up_line: int | None
    """The line of the rule that would decide without the winner's line."""
    verdict_otherwise: Verdict | None
    """The verdict of the group's other rules alone: of those on other lines than the winner, or of
    all if the exception for robots.txt itself decided. ``null`` if neither decided."""
    cut: FileCut | None
    """Where the profile's size limit cut the file. ``null`` if all of it was read."""
    sentences: tuple[Sentence, ...]
    """The reason in words, and what more there is to say."""

    def __bool__(self) -> bool:
        """Whether the verdict is ``allow``."""
        return self.verdict == "allow"

    @property
    def winner(self) -> MatchedRule | None:
        """The rule that decides, if one does."""
        return self.matches[0] if self.winner_line is not None else None

    @property
    def runner_up(self) -> MatchedRule | None:
        """The rule that would decide without the winner's line."""
        of_line = (rule for rule in self.matches if rule.line == self.runner_up_line)
        return next(of_line, None)

    def __str__(self) -> str:
        profile = f"(profile {self.profile or 'custom'})"
        first, *more = (one.text for one in self.sentences)
        selected = () if self.selection is None else self.selection.sentences
        compared = () if self.target is None else (self.target.label,)
        rules = (
            f"line {rule.line}: {rule} ({rule.label}: {rule.precedence_note})"
            for rule in self.matches
            if rule.label is not None
        )
        said = (one.text for one in selected)
        return "\n".join([f"{self.verdict}: {first} {profile}", *said, *compared, *more, *rules])


@dataclass(frozen=True, slots=True)
class FileCut(Document):
    """Where the profile's size limit cut the file, and the answer of the whole file."""

    bytes_read: int
    """The number of bytes that were read: the limit, cut back to a whole line."""
    line: int
    """The first line that was not read, from 1."""
    limit_bytes: int
    """The limit."""
    matters: bool
    """True if the whole file would give another answer: another verdict, or by another line."""
    verdict: Verdict
    """The verdict by the whole file."""
    winner_line: int | None
    """The line that decides in the whole file, if one does."""


@dataclass(frozen=True, slots=True)
class Finding(Document):
    """Something that is wrong with a file, or that has no effect."""

    code: str
    """The number of the kind of finding, such as ``RS403``. Stable."""
    name: str
    """The name of the kind, such as ``redundant-rule``. Stable; a page of the documentation has it.
    """
    title: str
    """The kind in one sentence, with a full stop."""
    severity: Severity
    """Its severity in these profiles."""
    message: str
    """The fault, in words."""
    line: int
    """The line, from 1; 1 if it is about the file as a whole."""
    column: int
    """The column in characters at which it begins, from 1."""
    end_column: int
    """The column after its last character on that line."""
    file_span: Span
    """The bytes of the file that it is about; may be empty."""
    related: tuple[Related, ...]
    """Other places that explain it."""
    help: str | None
    """Advice, unless there is a fix."""
    fix: Fix | None
    """A change that mends it, with its proven effect."""
    profiles: tuple[str, ...]
    """The profiles in which this holds, among those in which the file was read."""

    def __str__(self) -> str:
        more = [str(part) for part in (self.help, self.fix) if part is not None]
        said = f"line {self.line}: {self.severity}[{self.code}]: {self.message}"
        return "; ".join([said, *more])


@dataclass(frozen=True, slots=True)
class Fix(Document):
    """A change to the file that mends a finding, with what it does to verdicts and to the pace:
    proven for every crawler. One that blocks or opens a whole site is never a fix."""

    what: str
    """The change to make: a clause such as ``remove the line`` or ``write '/private/'``."""
    effect: str
    """The effect of "this" on verdicts and on the pace of crawlers, and the profiles: a clause such
    as ``changes no verdict (rfc9309, google)``."""
    changes_verdicts: bool
    """True if some URLs get another verdict, if a crawler is asked for another pace, or if a line
    about use says something that said nothing."""
    changes: tuple[VerdictChange, ...]
    """The changes, with their crawlers; empty if no verdict of crawling changes."""
    profiles: tuple[str, ...]
    """The profiles in which that is proven."""
    file_span: Span
    """The bytes of the file that are replaced; empty if something is inserted."""
    line: int
    """The line of the first of them, from 1."""
    column: int
    """Its column in characters, from 1."""
    end_line: int
    """The line of the byte after the last one."""
    end_column: int
    """Its column."""
    replacement: str
    """The bytes in their place; empty if something is removed."""

    def applied_to(self, body: Body) -> bytes:
        """The file with this change alone.

        >>> import robotsieve
        >>> file = "User-agent: *\\nDisallow: /shop/cart/\\nDisallow: /shop/\\n"
        >>> [finding] = robotsieve.lint(file)
        >>> finding.fix.applied_to(file)
        b'User-agent: *\\nDisallow: /shop/\\n'

        Raises ``ValueError`` if the file is shorter than the one that was linted.
        """
        file = body_bytes(body)
        start, end = self.file_span
        if end > len(file):
            raise ValueError(f"the file has {len(file)} bytes, the fix is for bytes {start} to {end}")
        return file[:start] + self.replacement.encode("utf-8", "surrogateescape") + file[end:]

    def __str__(self) -> str:
        return f"{self.what}; this {self.effect}"


@dataclass(frozen=True, slots=True)
class FixReport(Document):
    """Fixes that were applied to a file: the report ``fix``. The new file is beside it."""

    schema: Literal["robotsieve-report-1"]
    """The version of the form of this document."""
    report: Literal["fix"]
    """The kind of this document."""
    tool_version: str
    """The version of robotsieve."""
    robots: str | None
    """The name of the file as the caller gave it."""
    applied: tuple[AppliedFix, ...]
    """The fixes in the order in which they were applied."""
    effect: str | None
    """The effect of all of them together on verdicts, and the profiles: a clause. ``null`` if that
    could not be proven, which does not happen to fixes that change no verdict."""
    changes: tuple[VerdictChange, ...]
    """The same one by one; empty if no verdict changes, or if that could not be proven."""
    cut_short: bool
    """True if some fixes are left out because their proof would take too long."""
    left: LintReport
    """The findings in the new file."""
    sentences: tuple[Sentence, ...]
    """The number of fixes there were, and what they do together."""

    def __str__(self) -> str:
        lines = tuple(f"line {fix.line}: {fix.what} [{fix.code}]" for fix in self.applied)
        return "\n".join([*map(str, self.sentences), *first(lines)])


@dataclass(frozen=True, slots=True)
class Flip(Document):
    """A path whose verdict differs."""

    path: str
    """Path and query, normalised."""
    shortest: bool
    """True if no shorter path flips in this direction: proven."""
    extent: Extent
    """The other paths that are proven to flip with it."""
    below: str | None
    """The beginning of the paths that flip, if the extent is ``below``."""
    label: str
    """The paths that flip, in words."""
    old: DecidingRule | None
    """The rule that decided before, if one did."""
    old_label: str
    """The old decision, in words."""
    new: DecidingRule | None
    """The rule that decides now, if one does."""
    new_label: str
    """The new decision, in words."""

    def __str__(self) -> str:
        return f"{self.label}: {self.old_label} -> {self.new_label}"


@dataclass(frozen=True, slots=True)
class HeldCopy(Document):
    """The last good robots.txt of a site."""

    sha256: str
    """The SHA-256 of its bytes, in hexadecimal."""
    bytes: int
    """Its size in bytes."""
    fetched: str
    """When it was fetched, or last found unchanged."""
    lifetime_seconds: int
    """For how many seconds it is fresh."""
    fresh_until: str
    """Until when it is fresh."""
    is_truncated: bool
    """True if it was longer than the limit, and the rest cut off."""
    is_blank: bool
    """True if it has nothing but white space."""
    looks_like_html: bool
    """True if it looks like an HTML page."""
    etag: str | None = None
    """Its ``ETag``."""
    final_url: str | None = None
    """Where redirects led."""
    last_modified: str | None = None
    """Its ``Last-Modified``."""


@dataclass(frozen=True, slots=True)
class Host(Document):
    """The site's main mirror."""

    scheme: str | None
    """``http`` or ``https`` as written, if there is one."""
    name: str
    """The host name as written."""
    port: int | None
    """The port, if there is one."""


@dataclass(frozen=True, slots=True)
class InsteadOfFile(Document):
    """A URL's answer in the place of a file."""

    url: str
    """The URL that was asked for."""
    answer: str
    """``HTTP 503``, or what went wrong; and from where, if redirects led there."""
    verdict: Verdict
    """The verdict on all paths, for all crawlers."""
    why: str
    """The consequence of the answer, and its reason: a clause."""


@dataclass(frozen=True, slots=True)
class KnownCrawler(Document):
    """An entry of the known crawlers."""

    name: str
    """The name as its operator writes it."""
    token: str
    """The product token: how a robots.txt names it."""
    after: tuple[str, ...]
    """Names whose groups it obeys if none names the token, before that of ``*``."""
    star: bool
    """True if it obeys the group of ``*``."""
    only_in_robots_txt: bool
    """True if the token is in no header: a name for a use of what another crawler fetches."""
    operator: str
    """Who runs it."""
    purpose: Purpose
    """The purpose that matters most to the owner of a site."""
    obeys: Obeys
    """Its operator's word on obeying robots.txt."""
    profile: str | None
    """The profile in which its operator reads robots.txt files, if that is known: that of Google's
    parser for Google's crawlers."""
    profile_source: str | None
    """The URL where the operator says so."""
    reported_by: str | None
    """Who reports that it does not obey robots.txt, where its operator does not say so."""
    note: str | None
    """A sentence about it."""
    header: str | None
    """An example of its User-Agent header."""
    documentation: str | None
    """The URL where its operator documents it."""
    source: str
    """Where these facts are from."""
    date: str
    """The date when they were looked up: ``2026-11-22``."""


@dataclass(frozen=True, slots=True)
class KnownReport(Document):
    """All that is known of crawlers: the report ``known``."""

    schema: str
    """``robotsieve-report-1``."""
    report: str
    """``known``."""
    tool_version: str
    """The version of robotsieve that made the report."""
    crawlers: tuple[KnownCrawler, ...]
    """The crawlers, by name."""


@dataclass(frozen=True, slots=True)
class LabelledPreference(Document):
    """A record's preference about one category of use. Follows drafts."""

    label: str
    """The category as written, such as ``train-ai``."""
    preference: Ruling
    """The preference; unknown if the draft does not define the label or the value."""


@dataclass(frozen=True, slots=True)
class LeftOut(Document):
    """Findings of a code that are left out."""

    code: str
    """The number of the kind of finding."""
    count: int
    """The number that are left out, in the profile that has the most."""


@dataclass(frozen=True, slots=True)
class License(Document):
    """The address of a licence."""

    absolute: bool
    """True if it has a scheme and a host, as RSL demands."""


@dataclass(frozen=True, slots=True)
class LintReport(Document):
    """The findings in a file: the report ``lint``."""

    schema: Literal["robotsieve-report-1"]
    """The version of the form of this document."""
    report: Literal["lint"]
    """The kind of this document."""
    tool_version: str
    """The version of robotsieve."""
    robots: str | None
    """The name of the file as the caller gave it."""
    profiles: tuple[str, ...]
    """The names of the profiles in which the file was read."""
    findings: tuple[Finding, ...]
    """The findings, by line and then by code."""
    undecided: tuple[int, ...]
    """The lines of rules for which the budget ran out before it was known whether they have an
    effect, ascending."""
    left_out: tuple[LeftOut, ...]
    """The codes of which findings are left out: those after the first 10,000."""
    silenced: int
    """The number of findings that comments in the file silenced."""
    sentences: tuple[Sentence, ...]
    """The number of findings, and what was left out."""

    def __len__(self) -> int:
        return len(self.findings)

    def __bool__(self) -> bool:
        """Always true: ``len()`` says whether something was found."""
        return True

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __getitem__(self, index: int) -> Finding:
        return self.findings[index]

    def __str__(self) -> str:
        return "\n".join([*map(str, first(self.findings)), *map(str, self.sentences)])


@dataclass(frozen=True, slots=True)
class MatchedRule(Document):
    """A rule that matches the target."""

    verdict: Verdict
    """The verdict that it gives: ``allow`` or ``disallow``."""
    line: int
    """Its line number, from 1."""
    line_span: Span
    """Where the line is, in bytes of the file, without its line end."""
    value: str
    """Its value as written."""
    value_span: Span
    """Where the value is, in bytes of the file."""
    pattern: str
    """The text that is compared with the target: the value, normalised, without stars that change
    nothing and without a final ``$``."""
    anchored: bool
    """True if the target must end where the pattern does."""
    precedence: int
    """The highest one decides, and among equals Allow. In most profiles it is the length of the
    normalised value in bytes."""
    precedence_note: str
    """The precedence in words."""
    pieces: tuple[Piece, ...]
    """The parts of the value, each with the part of the target that it matches, in order and
    without gaps. A star matches as few bytes as possible; one at the end matches the rest."""
    url_span: Span
    """All that the rule matches, in bytes of the URL."""
    label: str | None
    """Its fate, for the first eight lines."""

    def __str__(self) -> str:
        return f"{self.verdict.capitalize()}: {shown(self.value)}"


@dataclass(frozen=True, slots=True)
class OtherAddress(Document):
    """An address that is none of those that an operator publishes."""

    address: str
    """The address."""
    requests: int
    """The number of requests."""
    forbidden: int
    """The number of those that are forbidden."""


@dataclass(frozen=True, slots=True)
class OtherSite(Document):
    """A site of URLs that were not judged."""

    site: str
    """The origin."""
    urls: int
    """The number of URLs it has."""


@dataclass(frozen=True, slots=True)
class Piece(Document):
    """A part of a rule, and what it matches."""

    kind: PieceKind
    """The kind of part."""
    file_span: Span
    """Where it is, in bytes of the file. Empty for a ``/`` that the profile assumes and the file
    does not have."""
    target_span: Span
    """The part that it matches, in bytes of the target."""
    url_span: Span
    """The part that it matches, in bytes of the URL."""
    label: str | None
    """The text that a star of the deciding rule matches, if that has at most four."""


@dataclass(frozen=True, slots=True)
class Preferences(Document):
    """The preferences about the use of content. Follows drafts."""

    path: str | None
    """The pattern of the paths for which this holds. ``null`` if there is none."""
    labels: tuple[LabelledPreference, ...]
    """The preference about each category."""
    use: UseCeiling | None
    """The most that any use may be, by ``use=`` of ``content-signal``."""


@dataclass(frozen=True, slots=True)
class ProfileDifference(Document):
    """Why a profile's answer is not that of ``rfc9309``."""

    profile: str
    """The name of the profile."""
    of_verdict: bool
    """True if the verdict differs. If not, another line decides."""
    together: bool
    """True if the causes make the difference only together. If not, each does alone."""
    causes: tuple[Cause, ...]
    """The switches that make the difference: set in ``rfc9309`` as this profile has them, they give
    its answer."""


@dataclass(frozen=True, slots=True)
class ReachCrawler(Document):
    """A known crawler, and what decides about it. The command's ``crawlers --list`` has all that is
    known of it."""

    name: str
    """The name as its operator writes it."""
    token: str
    """The product token: how a robots.txt names it."""
    operator: str
    """Who runs it."""
    purpose: Purpose
    """The purpose that matters most to the owner of a site."""
    obeys: Obeys
    """Its operator's word on obeying robots.txt."""
    profile: str | None
    """The name of the profile in which the file was read for it, null if it has none: that of its
    operator, or else that of the report."""
    policy: int
    """Its policy, as an index into ``policies``."""
    by: ReachBy
    """The groups that it obeys."""
    lines: tuple[int, ...]
    """The lines that name it, if ``by`` is ``named``."""


@dataclass(frozen=True, slots=True)
class ReachPath(Document):
    """A path, with the rule that decides about it."""

    line: int | None
    """The line of the rule, from 1; null if no rule decides."""
    rule: str | None
    """The rule's value as written; null if no rule decides."""
    path: str
    """The path, with its query if it has one."""
    shortest: bool
    """True if no shorter path shows it; proven."""
    extent: str
    """The other paths with the same verdict: none that is known (``path``), all that begin with the
    path (``from``), or all that begin with ``below`` and are longer."""
    below: str | None
    """The beginning of the paths, if ``extent`` is ``below``."""


@dataclass(frozen=True, slots=True)
class ReachPolicy(Document):
    """A policy of some crawlers."""

    reads: Reads
    """The extent of the site that may be read."""
    text: str
    """The part that may be read, in words: ``all but /private/ (line 13)``."""
    forbidden: tuple[ReachPath, ...]
    """A path for each rule that forbids something, in the order of the file."""
    allowed: tuple[ReachPath, ...]
    """A path for each rule that allows something although all else were forbidden; or for no rule.
    """
    more_forbidden: int
    """The number of further rules that forbid something, at least."""
    more_allowed: int
    """The number of further rules that allow something, at least."""
    unproven: str | None
    """Why there may be rules that were not found."""
    verdicts: tuple[Verdict, ...]
    """The verdicts on ``pages``, in their order."""
    sitemap: TallyReport | None
    """The verdicts on the URLs of the sitemap, if one was given."""
    sitemap_text: str | None
    """Those verdicts in words: ``7 of 10; forbidden by line 5 Disallow: /search (3)``."""


@dataclass(frozen=True, slots=True)
class ReachPurpose(Document):
    """The crawlers of a purpose, by what they may read."""

    purpose: Purpose
    """The purpose."""
    title: str
    """A heading: ``AI training``."""
    crawlers: int
    """The number of crawlers of this purpose there are."""
    shut_out: int
    """The number of those that may read nothing, or nothing but robots.txt."""
    partly: int
    """The number that may read a part of the site."""
    let_in: int
    """The number that may read everything."""
    unproven: int
    """Of how many neither is proven."""
    sitemap: SitemapCounts | None
    """The number that may read how much of the sitemap, if one was given."""
    summary: str
    """All counts: ``3 of 32 shut out, 28 partly, 1 let in: Foo``."""
    rows: tuple[ReachRow, ...]
    """The crawlers that may read the same, those that may read least first."""


@dataclass(frozen=True, slots=True)
class ReachReport(Document):
    """The parts of a site that a robots.txt lets the known crawlers read: the report ``crawlers``.
    """

    schema: str
    """``robotsieve-report-1``."""
    report: str
    """``crawlers``."""
    tool_version: str
    """The version of robotsieve that made the report."""
    robots: str | None
    """The name of the file as the caller gave it."""
    profile: str | None
    """The name of the profile, null if it has none."""
    answer: str | None
    """The answer of the file's URL in the place of a file, such as ``HTTP 503``."""
    pages: tuple[str, ...]
    """The pages of the verdicts: the URLs asked for, or ``/`` and paths on which the crawlers
    differ."""
    purposes: tuple[ReachPurpose, ...]
    """The purposes that some crawler has."""
    policies: tuple[ReachPolicy, ...]
    """The different policies of the crawlers."""
    crawlers: tuple[ReachCrawler, ...]
    """The crawlers, by name."""
    sitemap: SitemapUrls | None
    """The URLs of the sitemap that were judged, if one was given."""
    notes: tuple[str, ...]
    """Notes on those crawlers whose operators do not say that they obey."""
    sentences: tuple[Sentence, ...]
    """All of it in sentences."""

    def __str__(self) -> str:
        summaries = (f"{one.title}: {one.summary}" for one in self.purposes)
        return "\n".join([*map(str, self.sentences), *summaries])


@dataclass(frozen=True, slots=True)
class ReachRow(Document):
    """Crawlers of a purpose that may read the same."""

    policy: int
    """The policy of the first of them, as an index into ``policies``. The others' may name other
    rules with the same effect, if that is to forbid all or nothing, and may be read in other
    profiles."""
    crawlers: tuple[int, ...]
    """The crawlers, as indexes into the report's ``crawlers``."""
    who: tuple[str, ...]
    """Who they are and why, those that people look for first: ``Googlebot (line 5)``, ``bingbot,
    GPTBot (by the group of *)``."""


@dataclass(frozen=True, slots=True)
class RecordDiff(Document):
    """The changes in the records of one kind, for some crawlers. They are compared by what they
    say."""

    crawlers: tuple[str, ...] | None
    """The crawlers. ``null`` for records of no group."""
    label: str
    """``for`` their names, or ``of no group``."""
    kind: Kind
    """The kind of record."""
    removed: tuple[ChangedRecord, ...]
    """The records of the old file alone."""
    added: tuple[ChangedRecord, ...]
    """The records of the new file alone."""
    more_removed: int
    """The number of further ones that were removed."""
    more_added: int
    """The number of further ones that were added."""

    def __str__(self) -> str:
        removed = [f"removed: {one}" for one in self.removed]
        return "\n".join([*removed, *(f"added: {one}" for one in self.added)])


@dataclass(frozen=True, slots=True)
class RecordScope(Document):
    """Whom records are for."""

    scope: ScopeKind
    """The whole file, a group, a run of user-agent lines, or nobody."""
    group: int | None
    """The number of the group, from 0: of a run, of the group that it is in. ``null`` if there is
    none."""
    run: int | None
    """The number of the run of user-agent lines, from 0. ``null`` if it is not one."""
    crawlers: tuple[str, ...] | None
    """The product tokens of the group or run."""
    label: str
    """The same in words, such as ``for GPTBot``."""
    notes: tuple[str, ...]
    """Why the group is for all of these crawlers, if it goes on where it seems to end."""


@dataclass(frozen=True, slots=True)
class RecordsReport(Document):
    """Everything in a file that is neither a user-agent line nor a rule: the report ``records``."""

    schema: Literal["robotsieve-report-1"]
    """The version of the form of this document."""
    report: Literal["records"]
    """The kind of this document."""
    tool_version: str
    """The version of robotsieve."""
    robots: str | None
    """The name of the file as the caller gave it."""
    profile: str | None
    """The name of the profile. ``null`` if it has none."""
    scopes: tuple[RecordScope, ...]
    """Whom the records are for, and which have some: the whole file first, then the groups in their
    order, each with those of its runs of user-agent lines, then what is outside all groups."""
    records: tuple[TypedRecord, ...]
    """The records, in the order of the file."""
    sentences: tuple[Sentence, ...]
    """The sentences about the file as a whole."""

    def __str__(self) -> str:
        return "\n".join(map(str, [*self.records, *self.sentences]))


@dataclass(frozen=True, slots=True)
class Related(Document):
    """A place that explains a finding."""

    line: int
    """The line, from 1."""
    column: int
    """The column in characters at which it begins, from 1."""
    end_column: int
    """The column after its last character on that line."""
    file_span: Span
    """The bytes of the file."""
    message: str
    """Its part in the finding; may be empty."""


@dataclass(frozen=True, slots=True)
class RiskCrawler(Document):
    """A known crawler."""

    token: str
    """The product token."""
    operator: str
    """Who runs it."""
    purpose: RiskPurpose
    """Its purpose."""


@dataclass(frozen=True, slots=True)
class RiskPurpose(Document):
    """A purpose of known crawlers."""

    name: str
    """Its name: ``ai-training``."""
    title: str
    """A heading: ``AI training``."""


@dataclass(frozen=True, slots=True)
class Risks(Document):
    """The meaning of a change for known crawlers."""

    sites: tuple[SiteRisk, ...]
    """The purposes whose crawlers lose or gain the whole site, in the order of the severity."""
    some: tuple[RiskCrawler, ...]
    """The crawlers for which some paths change."""
    some_label: str | None
    """The same in words, without their names. ``null`` if there are none."""
    same: tuple[RiskPurpose, ...]
    """The purposes for which nothing changes, which is proven for each of their crawlers."""


@dataclass(frozen=True, slots=True)
class Selection(Document):
    """The group that applies to a crawler."""

    choice: GroupChoice
    """The kind of group that applies."""
    decided_by: tuple[int, ...]
    """The indices in ``names`` of those that the groups are for: one, or several where the groups
    of several names are merged. Empty if no group names the crawler."""
    rule_count: int
    """The number of rules in the crawler's groups, those without a value not counted."""
    lines: tuple[AgentLine, ...]
    """All user-agent lines of the file, in order."""
    sentences: tuple[Sentence, ...]
    """The choice in words."""
    notes: tuple[str, ...]
    """About lines that join a group which seems to end, and about those without a label."""


@dataclass(frozen=True, slots=True)
class Sentence(Document):
    """A sentence of a report."""

    text: str
    """Without a full stop, and with a small letter first unless a name begins it."""
    line: int | None
    """The line of the file that it is about, if it is about one."""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Site(Document):
    """A store's knowledge of a URL's site, and what follows from that in a profile. The members are
    those of ``robotsieve schema fetch``, where a member without a value is left out. Times are
    in UTC, as RFC 3339 has them."""

    origin: str
    """Scheme, host and port, normalised."""
    condition: str
    """The state of the site: ``parsed``, ``empty``, ``html``, ``truncated``, ``absent`` or
    ``unreachable``."""
    outcome: str
    """The meaning of the last attempt: ``present``, ``absent`` or ``unreachable``."""
    attempted: str
    """When the last attempt ended."""
    failures: int
    """The number of attempts that have failed in a row."""
    holds: str
    """The policy that applies: ``rules``, ``allow-all`` or ``disallow-all``."""
    why: str
    """Why that policy applies."""
    cause: str | None = None
    """Why there is no robots.txt."""
    copy: HeldCopy | None = None
    """The last good robots.txt, if there is one."""
    expired: bool | None = None
    """True if that time is over. The policy is still used until the site is asked again."""
    invalid_certificate: str | None = None
    """What is wrong with the site's certificate, which was accepted all the same."""
    next_attempt: str | None = None
    """From when on the site should be asked again; left out if never."""
    notes: tuple[str, ...] = ()
    """The same in sentences."""
    retry_after: str | None = None
    """Before this time the site wants no further request."""
    status: int | None = None
    """The HTTP status that ``cause`` is about."""
    unreachable_since: str | None = None
    """Since when it has been unreachable."""
    until: str | None = None
    """Until when it applies; left out if for ever."""

    def __str__(self) -> str:
        return "\n".join([f"{self.origin}: {self.condition}", *self.notes])


@dataclass(frozen=True, slots=True)
class SiteRisk(Document):
    """Crawlers of a purpose that lose or gain the whole site."""

    purpose: RiskPurpose
    """The purpose."""
    whole_site: WholeSite
    """The fate of the site as a whole."""
    headline: str
    """The same in words, with the purpose."""
    label: str
    """The headline with how many crawlers of the purpose it concerns."""
    crawlers: tuple[RiskCrawler, ...]
    """These crawlers."""
    count: int
    """The number of known crawlers that the purpose has."""


@dataclass(frozen=True, slots=True)
class Sitemap(Document):
    """The location of a sitemap."""

    absolute: bool
    """True if it has a scheme and a host, as sitemaps.org asks for."""
    url: str | None
    """The location resolved against the URL of the file. ``null`` if that is not known, or if it
    cannot be resolved."""


@dataclass(frozen=True, slots=True)
class SitemapCounts(Document):
    """The number of crawlers of a purpose that may read how much of a sitemap."""

    none: int
    """The number that may read none of its URLs."""
    part: int
    """The number that may read a part."""
    all: int
    """The number that may read all."""


@dataclass(frozen=True, slots=True)
class SitemapUrls(Document):
    """The URLs of sitemaps: those of the site are judged, others are counted."""

    site: str | None
    """The site whose robots.txt it is: an origin, null if no URL has one."""
    site_by: str | None
    """The way the site was found: ``option``, ``robots``, ``sitemap`` or ``first-url``."""
    urls: int
    """The number of all URLs."""
    judged: int
    """The number of those that were judged."""
    other_sites: tuple[OtherSite, ...]
    """The first 100 other sites, the most numerous first."""
    of_other_sites: int
    """The number of URLs that are of other sites."""
    invalid: int
    """The number that have no host, or none that is clear."""
    sentences: tuple[Sentence, ...]
    """The sentences about the URLs."""


@dataclass(frozen=True, slots=True)
class StatedRate(Document):
    """The number of requests to make, and the time for them."""

    requests: int
    """The number of requests."""
    seconds: int
    """The seconds in which to make them."""
    window: VisitTime | None
    """The time of day for which this holds. ``null``: all day."""


@dataclass(frozen=True, slots=True)
class StatusCount(Document):
    """Forbidden requests with the same kind of answer."""

    status: str
    """``2xx``, ``3xx`` and so on, or ``unknown``."""
    requests: int
    """The number of requests."""


@dataclass(frozen=True, slots=True)
class TallyReport(Document):
    """Counts of verdicts on many URLs."""

    allowed: int
    """The number of URLs that are allowed."""
    disallowed: int
    """The number of URLs that are disallowed."""
    by: tuple[TallyRule, ...]
    """The deciding rules and reasons, the most frequent first."""


@dataclass(frozen=True, slots=True)
class TallyRule(Document):
    """A rule or reason that decides about some of many URLs."""

    line: int | None
    """The line of the rule that decides, from 1; null if no rule does."""
    urls: int
    """The number of URLs that it decides about."""
    answer: str | None
    """The answer in the place of a file, which decides: ``HTTP 503``."""
    verdict: Verdict | None
    """The rule's verdict; null if it is empty, or if no rule decides."""
    rule: str | None
    """The rule's value as written; null if ``verdict`` is."""
    examples: tuple[str, ...]
    """Some of these URLs."""


@dataclass(frozen=True, slots=True)
class TargetChange(Document):
    """A byte or ``%XX`` of a URL that normalising changed."""

    url_span: Span
    """The bytes that changed, in the URL."""
    target_span: Span
    """The bytes that they became, in the target."""


@dataclass(frozen=True, slots=True)
class TestFailure(Document):
    """Crawlers with the same rules that do not get the verdict that is expected."""

    profile: str
    """The name of the profile."""
    verdict: Verdict
    """The verdict that they get."""
    crawlers: tuple[str, ...]
    """Their names."""
    reason: str | None
    """Why they get it: as in explanations, or ``site`` if an answer decides; null for a sitemap."""
    rule: TestRule | None
    """The rule that decides, if one does."""
    sitemap: TallyReport | None
    """The counts by rule, if the expectation is about a sitemap."""


@dataclass(frozen=True, slots=True)
class TestReport(Document):
    """Expectations of a robots.txt, and whether they hold: the report ``test``."""

    schema: str
    """``robotsieve-report-1``."""
    report: str
    """``test``."""
    tool_version: str
    """The version of robotsieve that made the report."""
    robots: str
    """The name of the robots.txt as the caller gave it."""
    answer: str | None
    """The answer of its URL in the place of a file, such as ``HTTP 503``."""
    profiles: tuple[str, ...]
    """The names of the profiles in which expectations must hold."""
    sitemap: SitemapUrls | None
    """The URLs of the sitemap that were judged, if one was given."""
    results: tuple[TestResult, ...]
    """The expectations, in order."""
    expectations: int
    """The number of expectations there are."""
    failed: int
    """The number of those that do not hold."""
    sentences: tuple[Sentence, ...]
    """The numbers of those there are and of those that do not hold, in a sentence; and a note on
    crawlers whose operators find other rules in the file."""


@dataclass(frozen=True, slots=True)
class TestResult(Document):
    """An expectation."""

    file: str
    """The name of the file that it is in."""
    line: int
    """Its line there, from 1."""
    expected: Verdict
    """The verdict that is expected."""
    who: str
    """The crawlers, as the line names them."""
    url: str
    """The URL, as the line has it."""
    holds: bool
    """True if it holds for every crawler in every profile."""
    message: str | None
    """The expectation that does not hold, and why the first crawler gets its verdict in the first
    profile."""
    rule_line: int | None
    """The line of the rule that the message names."""
    failures: tuple[TestFailure, ...]
    """The crawlers with the same rules that get the other verdict, for each profile."""


@dataclass(frozen=True, slots=True)
class TestRule(Document):
    """A rule that decides."""

    verdict: Verdict
    """Its verdict."""
    line: int
    """Its line, from 1."""
    rule: str
    """Its value as written."""


@dataclass(frozen=True, slots=True)
class TypedRecord(Document):
    """A record that is neither a user-agent line nor a rule."""

    line: int
    """Its line, from 1."""
    kind: Kind
    """Its kind, which says which of the members from ``sitemap`` on has the value. Those of
    ``noindex`` and of unknown records have none but ``value``."""
    field: str
    """The field's name as written."""
    value: str
    """The value as written."""
    scope: ScopeKind
    """Where the record belongs."""
    group: int | None
    """The number of its group, from 0."""
    run: int | None
    """The number of its run of user-agent lines, from 0, if it belongs to one."""
    error: str | None
    """The fault of the value."""
    note: str | None
    """The meaning of the value, or its fault."""
    sitemap: Sitemap | None
    """A sitemap; the value is its location."""
    crawl_delay_ms: int | None
    """The milliseconds to wait between two requests, rounded up; 9,007,199,254,740,991 at most."""
    request_rate: StatedRate | None
    """The number of requests to make, and the time for them."""
    visit_time: VisitTime | None
    """The time of day to visit."""
    host: Host | None
    """The site's main mirror."""
    clean_param: CleanParam | None
    """Query parameters that do not change what is served."""
    license: License | None
    """A licence; the value is its address."""
    preferences: Preferences | None
    """The preferences about the use of content: of ``content-signal`` and ``content-usage``, which
    are drafts."""

    def __str__(self) -> str:
        note = f" ({self.note})" if self.note else ""
        return f"line {self.line}: {shown(self.field)}: {shown(self.value)}{note}"


@dataclass(frozen=True, slots=True)
class UrlFlip(Document):
    """A URL whose verdict differs for some crawlers."""

    url: str
    """The URL, or path, as it was given."""
    new: Verdict
    """The verdict now."""
    crawlers: tuple[str, ...]
    """The crawlers."""
    label: str
    """Their names in one text."""


@dataclass(frozen=True, slots=True)
class VerdictChange(Document):
    """The changes by a fix for some crawlers in some profiles."""

    profiles: tuple[str, ...]
    """The profiles in which this holds."""
    crawlers: tuple[str, ...]
    """The crawlers, by the tokens of the file; ``*`` is any crawler that no group names."""
    newly_disallowed: tuple[str, ...]
    """Paths that become disallowed, the shortest first; three at most."""
    newly_allowed: tuple[str, ...]
    """Paths that become allowed, the shortest first; three at most."""


@dataclass(frozen=True, slots=True)
class VerifiedCount(Document):
    """Requests from the published addresses of a crawler."""

    requests: int
    """The number of requests."""
    forbidden: int
    """The number of those that are forbidden."""
    others: tuple[OtherAddress, ...]
    """The first 100 other addresses that sent its name, those with the most requests first."""
    more_others: int
    """The number of requests from further addresses, and from unknown ones."""


@dataclass(frozen=True, slots=True)
class VisitTime(Document):
    """A time of day in UTC, which may span midnight."""

    from_minute: int
    """The minute after midnight when it begins."""
    to_minute: int
    """The minute after midnight when it ends, which is not in it; 1440 at most."""

    def contains(self, minute: int) -> bool:
        """Whether this minute of the day is within it.

        >>> from robotsieve import VisitTime
        >>> night = VisitTime(22 * 60, 4 * 60)
        >>> night.contains(23 * 60), night.contains(4 * 60)
        (True, False)
        """
        if self.from_minute <= self.to_minute:
            return self.from_minute <= minute < self.to_minute
        return minute >= self.from_minute or minute < self.to_minute
