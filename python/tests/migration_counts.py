"""How many verdicts on real files differ from Protego's and from urllib's, and why.

``python tests/migration_counts.py`` prints the tables of ``docs/migration.md``. It needs the corpus, in
``../shared/corpus`` or in the folder that ``ROBOTSIEVE_CORPUS`` names.
"""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import groupby
from pathlib import Path
from typing import NamedTuple, TypeAlias
from urllib.robotparser import RobotFileParser

import protego
from conftest import CORPUS
from protego import _protego
from protego._utils import _quote_pattern

import robotsieve


@dataclass
class Asked:
    """One crawler's URLs of a host."""

    body: bytes
    agent: str
    urls: list[str]

    @property
    def text(self) -> str:
        """The file as Scrapy hands it to Protego."""
        return self.body.decode("utf-8-sig", errors="ignore")


def all_asked(folder: Path) -> Iterator[Asked]:
    with gzip.open(folder / "verdicts.google.tsv.gz", "rb") as file:
        rows = (line.rstrip(b"\n").split(b"\t", 3) for line in file)
        for (host, agent), of_agent in groupby(rows, key=lambda row: (row[0], row[1])):
            body = (folder / "robots" / host.decode()).read_bytes()
            urls = [url.decode("utf-8", "surrogateescape") for *_, url in of_agent]
            yield Asked(body, agent.decode(), urls)


class Host:
    """What is asked of one file for one crawler."""

    def __init__(self, asked: Asked) -> None:
        self.agent = asked.agent
        self.text = asked.text
        self.policy = robotsieve.Robots(self.text).policy(asked.agent)

    @cached_property
    def rules(self) -> list[robotsieve.Rule]:
        return sorted(self.policy.rules, key=lambda rule: rule.line)


class Cause(NamedTuple):
    theirs: str
    #: With the section of RFC 9309.
    ours: str


#: Says why a verdict on a URL is not ours.
Why: TypeAlias = Callable[[str, bool], Cause]


def file_of(rules: Iterable[robotsieve.Rule]) -> str:
    """A file with nothing but these rules, for everybody."""
    lines = [f"{rule.verdict}: {rule.value}\n" for rule in rules]
    return "User-agent: *\n" + "".join(lines)


# Protego

Protego = protego.Protego

PREFIX = Cause(
    "the group of a shorter name counts: that of `googlebot` for Googlebot-Image",
    "a group names one product token (§2.2.1). Give both: `Crawler(\"Googlebot-Image\", \"Googlebot\")`",
)
OTHERS = Cause(
    "`Crawl-delay` and unknown records end the user-agent lines of a group",
    "other records end nothing (§2.2.4)",
)
ABSOLUTE = Cause(
    "`Disallow: https://e.com/x` matches the path `/https://e.com/x`",
    "a rule that does not begin with `/` or `*` matches nothing (§2.2)",
)
GENEROUS = Cause(
    "misspelt fields and lines without a colon count", "they do not, except in the profile `google` (§2.2)"
)
DOLLAR = Cause("a `$` at the end is a plain character as well", "it is the end of the URL (§2.2.3)")
ESCAPES = Cause(
    "`?`, `=`, `&` and other reserved characters equal their escapes, and count as three characters",
    "they differ from their escapes, and count as one (§2.2.2)",
)
INDEX = Cause("`Allow: /x/index.html` also allows `/x/`", "it does not (§2.2.2)")
FAILS = Cause("a URL that is not UTF-8 raises `UnicodeEncodeError`", "any URL has a verdict")


def kept(text: str, is_kept: Callable[[str, bool], bool]) -> str:
    """The lines of which this says that they are kept: the field as Protego finds it, and whether it
    is written as the RFC has it.
    """
    lines = []
    for line in text.splitlines():
        bare = line.partition("#")[0].strip()
        found = _protego._extract_directive(bare) if bare else None
        if found is not None and is_kept(found[0], bare.lower().startswith(f"{found[0]}:")):
            lines.append(line)
    return "\n".join(lines)


RULE_FIELDS = {"user-agent", "allow", "disallow"}
GENEROUS_FIELDS = _protego._DISALLOW_DIRECTIVE | _protego._USER_AGENT_DIRECTIVE


class OfProtego:
    """Why Protego's verdict differs."""

    def __init__(self, host: Host) -> None:
        self.host = host

    def without(self, *values: Callable[[robotsieve.Rule], str | None]) -> protego.Protego:
        """Our rules alone, as Protego reads them, without the patterns that it adds to them."""
        parsed = Protego.parse(file_of(self.host.rules))
        added = {value(rule) for value in values for rule in self.host.rules}
        for rules in parsed._user_agents.values():
            rules._rules = [rule for rule in rules._rules if rule.value._pattern not in added]
        return parsed

    @cached_property
    def suspects(self) -> list[tuple[Cause, protego.Protego]]:
        """Causes, and Protego without that cause, and without those before it."""

        def dollar(rule: robotsieve.Rule) -> str | None:
            is_anchored = rule.value.endswith("$")
            return _quote_pattern(rule.value[:-1] + "%24") if is_anchored else None

        def index(rule: robotsieve.Rule) -> str | None:
            begin = rule.value.removesuffix("index.html")
            return None if begin == rule.value else _quote_pattern(begin) + "$"

        def absolute(rule: robotsieve.Rule) -> str | None:
            is_absolute = rule.value.startswith(("http://", "https://"))
            return _quote_pattern(rule.value) if is_absolute else None

        text, agent = self.host.text, self.host.agent
        ours = kept(text, lambda field, _: field in RULE_FIELDS | GENEROUS_FIELDS)
        strict = kept(text, lambda field, is_strict: field in RULE_FIELDS and is_strict)
        group = Protego.parse(text)._get_matching_rule_set(agent)
        token = group.user_agent if group is not None else "*"
        is_prefix = token not in ("*", agent.lower())
        prefix = [(PREFIX, self.without())] if is_prefix else []
        return [
            *prefix,
            (OTHERS, Protego.parse(ours)),
            (GENEROUS, Protego.parse(strict)),
            (DOLLAR, self.without(dollar)),
            (INDEX, self.without(dollar, index)),
            (ABSOLUTE, self.without(dollar, index, absolute)),
        ]

    def __call__(self, url: str, verdict: bool) -> Cause:
        for cause, without in self.suspects:
            if without.can_fetch(url, self.host.agent) == verdict:
                return cause
        return ESCAPES


# urllib.robotparser

WILDCARDS = Cause("`*` and `$` are plain characters", "they are wildcards (§2.2.3)")
BLANK = Cause("a blank line ends a group", "blank lines mean nothing (§2.2)")
ORDER = Cause("the first rule that matches counts", "the longest one counts (§2.2.2)")
PART = Cause(
    "the first group counts whose name is a part of the crawler's; `Crawl-delay` ends user-agent lines",
    "the groups that name the product token count, merged (§2.2.1, §2.2.4)",
)
QUESTION = Cause(
    "a `?` at the end of a rule is dropped, so `Disallow: /?` forbids everything",
    "it belongs to the rule (§2.2.2)",
)
ENCODING = Cause(
    "all escapes are decoded, so `%2F` is `/`; the fragment is compared too",
    "only unreserved characters are decoded; the fragment is left out (§2.2.2)",
)


def parser_of(text: str) -> RobotFileParser:
    parser = RobotFileParser()
    parser.parse(text.splitlines())
    return parser


class OfUrllib:
    """Why the verdict of ``urllib.robotparser`` differs."""

    def __init__(self, host: Host) -> None:
        self.host = host

    @cached_property
    def suspects(self) -> list[tuple[Cause, RobotFileParser]]:
        lines = [line for line in self.host.text.splitlines() if line.strip()]
        whole = [rule for rule in self.host.policy.rules if not rule.value.endswith("?")]
        return [
            (BLANK, parser_of("\n".join(lines))),
            (PART, parser_of(file_of(self.host.rules))),
            (ORDER, parser_of(file_of(self.host.policy.rules))),
            (QUESTION, parser_of(file_of(whole))),
        ]

    @cached_property
    def plain(self) -> robotsieve.Policy:
        """Our rules without those with wildcards."""
        plain = [rule for rule in self.host.rules if not ("*" in rule.value or rule.anchored)]
        return robotsieve.Robots(file_of(plain)).policy("*")

    def __call__(self, url: str, verdict: bool) -> Cause:
        for cause, without in self.suspects:
            if without.can_fetch(self.host.agent, url) == verdict:
                return cause
        return WILDCARDS if self.plain.is_allowed(url) != verdict else ENCODING


@dataclass
class Counts:
    """How many verdicts of one library differ from ours."""

    asked: int = 0
    differ: int = 0
    causes: Counter[Cause] = field(default_factory=Counter)

    def add(self, url: str, ask: Callable[[], bool], ours: bool, why: Why) -> None:
        self.asked += 1
        try:
            theirs = ask()
        except UnicodeEncodeError:
            self.causes[FAILS] += 1
            return
        if theirs != ours:
            self.differ += 1
            self.causes[why(url, ours)] += 1

    def summary(self) -> str:
        return f"{self.differ:,} of {self.asked:,} verdicts differ ({self.differ / self.asked:.1%})."

    def table(self) -> str:
        rows = [f"| {cause.theirs} | {cause.ours} | {n:,} |" for cause, n in self.causes.most_common()]
        return "\n".join(["| there | here | verdicts |", "|---|---|---:|", *rows])


def count(folder: Path) -> tuple[Counts, Counts]:
    """What differs from Protego, and from urllib."""
    of_protego, of_urllib = Counts(), Counts()
    for asked in all_asked(folder):
        host = Host(asked)
        theirs, parser = Protego.parse(host.text), parser_of(host.text)
        why_protego, why_urllib = OfProtego(host), OfUrllib(host)
        for url in asked.urls:
            ours = host.policy.is_allowed(url)
            ask = partial(theirs.can_fetch, url, host.agent)
            of_protego.add(url, ask, ours, why_protego)
            ask = partial(parser.can_fetch, host.agent, url)
            of_urllib.add(url, ask, ours, why_urllib)
    return of_protego, of_urllib


def main() -> None:
    for name, counts in zip(("Protego", "urllib.robotparser"), count(CORPUS), strict=True):
        print(f"{name}: {counts.summary()}\n\n{counts.table()}\n")


if __name__ == "__main__":
    main()
