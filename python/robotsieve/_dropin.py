"""What the drop-ins share: from a user agent to a policy, and from any string to a path."""

from __future__ import annotations

import re
import warnings
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from ._robotsieve import Crawler, InvalidName, InvalidUrl, Profile, Robots

if TYPE_CHECKING:
    from typing import TypeAlias

    from ._robotsieve import Policy

    #: A product token, a whole ``User-Agent`` header, or a crawler with all its names.
    Agent: TypeAlias = str | bytes | Crawler

#: How many user agents have their policy kept, for one file.
POLICIES_KEPT = 64

#: Scheme and authority of RFC 3986, then path and query, without the fragment.
_REFERENCE = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?(?://[^/?#]*)?([^#]*)").match

#: What is a URL or a path, and no user agent.
_URL = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:/)?/\S*").fullmatch

#: What browsers and ``urlsplit`` drop before a URL.
_LEADING = "".join(map(chr, range(33)))

#: A header costs more to read than to look up, and is asked of many files.
_crawler_of = lru_cache(maxsize=4096)(Crawler.from_user_agent)


#: A word, and its version if it has one.
_WORD = re.compile(r"([^\s/();,:]+)(?:/[^\s();,]*)?").fullmatch


def _foreign_name(agent: str) -> bytes | None:
    """The name of a crawler that has a letter other than ASCII's, which no product token has."""
    word = None if agent.isascii() else _WORD(agent.strip())
    if word is None or word[1].isascii():
        return None
    try:
        return word[1].encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return None


def _names(token: str) -> list[str] | Crawler:
    """A token's names: itself, and of a host name such as ``panscient.com``, ``panscient`` too."""
    if token == "":
        # No crawler has it, but the originals take it.
        return Crawler(token)
    return list(dict.fromkeys([token, *_crawler_of(token).names])) if "." in token else [token]


def path_of(url: str) -> str:
    """Path and query of what is not a URL with a scheme and an authority, as ``urlsplit`` finds them: of
    a path, with or without a slash at its beginning, or of ``//host/path``.

    >>> path_of("page?x#top"), path_of("//example.com/page"), path_of("")
    ('/page?x', '/page', '/')
    """
    found = _REFERENCE(url.lstrip(_LEADING))
    path = found[1] if found else ""
    return path if path.startswith("/") else f"/{path}"


def is_allowed(policies: Policies, agent: Agent, url: str) -> bool:
    """The verdict on a URL, or on what else the originals take for one. Where only the user agent
    looks like a URL, a warning asks for the other order.

    >>> from robotsieve import Robots
    >>> policies = Policies(Robots("User-agent: *\\nDisallow: /page"))
    >>> is_allowed(policies, "MyCrawler", "https://example.com/page")
    False
    >>> is_allowed(policies, "MyCrawler", "page")
    False
    """
    policy = policies[agent]
    # What is no text is an error there, with the way out.
    if not isinstance(url, str) or url[:2] != "//":
        try:
            return policy.is_allowed(url)
        except InvalidUrl:
            if isinstance(agent, str) and _URL(agent):
                order = "Protego takes the URL first, urllib.robotparser last"
                text = f"a URL was given as the user agent: {order}"
                warnings.warn(text, UserWarning, stacklevel=3)
    return policy.is_path_allowed(path_of(url))


class Policies(dict["Agent", "Policy"]):
    """The policies of one file, by user agent. They are made when they are first asked for.

    A product token names the crawler itself. Any other string is read as a header, but for a word with a
    ``*``, which is an :class:`InvalidName`.

    >>> policies = Policies(Robots(b""))
    >>> policies["MyCrawler"].crawler
    Crawler('MyCrawler')
    >>> policies["Mozilla/5.0 (compatible; MyCrawler/1.0)"].crawler
    Crawler('MyCrawler')

    Pickled as the file alone.
    """

    def __init__(self, robots: Robots) -> None:
        super().__init__()
        self.robots = robots

    @cached_property
    def _foreign(self) -> Robots:
        """The file with whole names as tokens: of ``Jävla-Bot`` the product token would be ``J``, which is
        a part of other names too."""
        switches: dict[str, Any] = {**self.robots.profile.to_dict(), "token_bytes": "up-to-slash"}
        return Robots(self.robots.body, Profile(**switches), self.robots.config)

    def sitemaps(self) -> list[str]:
        """The values of the ``Sitemap`` lines that have one."""
        return [sitemap for sitemap in self.robots.sitemaps if sitemap]

    def __missing__(self, agent: Agent) -> Policy:
        name = agent.decode("utf-8", "surrogateescape") if isinstance(agent, bytes) else agent
        foreign = _foreign_name(name) if isinstance(name, str) else None
        if foreign is not None:
            policy = self._foreign.policy(Crawler(foreign))
            self._keep(agent, policy)
            return policy
        try:
            policy = self.robots.policy(_names(name) if isinstance(name, str) else name)
        except InvalidName:
            # A pattern, such as ``Foobot*``, is no name, and no header has one: the original would
            # compare it with other names than its own.
            if isinstance(name, str) and "*" in name and _WORD(name.strip()):
                raise
            # Many headers are of the same crawler, or of no crawler at all.
            crawler = _crawler_of(agent)
            policy = self.get(crawler) or self.robots.policy(crawler)
            self._keep(crawler, policy)
        self._keep(agent, policy)
        return policy

    def _keep(self, agent: Agent, policy: Policy) -> None:
        if len(self) >= POLICIES_KEPT:
            self.clear()
        self[agent] = policy

    def values_of(self, kind: str, agent: Agent) -> list[str]:
        """The values, as written, of the records of a kind that are for a user agent."""
        crawler = self[agent].crawler
        # A name with other letters than ASCII's is that of a policy of the other reading.
        ascii_only = all(name.isascii() for name in crawler.names)
        records = (self.robots if ascii_only else self._foreign).records([crawler]).records
        return [each.value for each in records if each.kind == kind and each.scope != "outside"]

    def __reduce__(self) -> tuple[type[Policies], tuple[Robots]]:
        return type(self), (self.robots,)
