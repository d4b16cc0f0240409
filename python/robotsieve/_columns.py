"""A column of verdicts, answers or decisions, for programs that call a function with a column of URLs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Union

from ._robotsieve import Crawler, Policy, UserAgent

if TYPE_CHECKING:
    from typing import TypeAlias

    from ._robotsieve import (
        Answers,
        CrawlerAnswers,
        CrawlerDecisions,
        CrawlerVerdicts,
        Decisions,
        Verdicts,
    )
    from .typing import ManyUrls, OneOrManyCrawlers, Sites, What

    Said: TypeAlias = Union[
        Verdicts, Answers, Decisions, CrawlerVerdicts, CrawlerAnswers, CrawlerDecisions
    ]


def is_one(crawlers: object) -> bool:
    """True for one crawler, and false for a list of them."""
    return isinstance(crawlers, (str, bytes, Crawler, UserAgent))


def check_what(what: str) -> None:
    """Raises an error unless it is one of the words."""
    if what not in ("verdicts", "answers", "decisions"):
        raise ValueError(f"what must be 'verdicts', 'answers' or 'decisions', not {what!r}")


class Column:
    """What is said of each URL: a column for one crawler, or a struct of such columns."""

    def __init__(self, sites: Sites, crawlers: OneOrManyCrawlers | None, what: What) -> None:
        check_what(what)
        #: The names of the crawlers; ``None`` if the column is that of one.
        self.names: list[str] | None = None
        # ``sites`` and ``what`` say which method it is; their types don't.
        asked: Any = sites
        self._asked: dict[str, Any] = {}
        if isinstance(sites, Policy):
            if crawlers is not None:
                raise TypeError("a Policy is for one crawler: leave crawlers out")
            self._ask = getattr(asked, what)
        elif is_one(crawlers):
            self._asked = {"crawler": crawlers}
            self._ask = getattr(asked, what)
        else:
            self._asked = {"crawlers": crawlers}
            self._ask = getattr(asked, f"{what}_by_crawler")
            self.names = list(self._ask([], **self._asked))
        # Errors now, and not in the middle of a query.
        self._ask([], **self._asked)

    def __call__(self, urls: ManyUrls) -> Said:
        said: Said = self._ask(urls, **self._asked)
        return said
