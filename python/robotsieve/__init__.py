"""Decides which URLs a robots.txt allows.

>>> import robotsieve
>>> robots = robotsieve.Robots("User-agent: *\\nDisallow: /search\\n")
>>> policy = robots.policy("MyCrawler")
>>> policy.is_allowed("https://example.com/search?q=x")
False
"""

from ._robotsieve import (
    Answers,
    Config,
    Crawler,
    CrawlerAnswers,
    CrawlerPolicies,
    CrawlerVerdicts,
    Decision,
    HeaderName,
    InvalidName,
    InvalidOrigin,
    InvalidUrl,
    Origin,
    Pack,
    PackError,
    PackWriter,
    Policy,
    PolicySet,
    Profile,
    RequestRate,
    Robots,
    Rule,
    UserAgent,
    Verdicts,
    __version__,
    is_allowed,
)

__all__ = [
    "Answers",
    "Config",
    "Crawler",
    "CrawlerAnswers",
    "CrawlerPolicies",
    "CrawlerVerdicts",
    "Decision",
    "HeaderName",
    "InvalidName",
    "InvalidOrigin",
    "InvalidUrl",
    "is_allowed",
    "Origin",
    "Pack",
    "PackError",
    "PackWriter",
    "Policy",
    "PolicySet",
    "Profile",
    "RequestRate",
    "Robots",
    "Rule",
    "UserAgent",
    "Verdicts",
    "__version__",
]
