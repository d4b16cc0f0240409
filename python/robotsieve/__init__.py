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
    CrawlerDecisions,
    CrawlerPolicies,
    CrawlerVerdicts,
    Decision,
    Decisions,
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
    PurposeReport,
    RequestRate,
    Rights,
    RightsColumns,
    RightsLicence,
    RightsReader,
    RightsReport,
    RightsStatement,
    Robots,
    Rule,
    UserAgent,
    Verdicts,
    __version__,
    is_allowed,
    own_rules,
    policy,
)

# As `typing` has it, whose import would take longer than that of this package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._compose import CannotBuild, build_robots_txt
    from ._diff import DiffLimits, diff, diff_policies
    from ._explain import compare_profiles
    from ._known import known_crawlers
    from ._lines import Diagnostic, Line
    from ._lint import Code, Fixed, fix, lint
    from .reports import (
        AgentLine,
        BuildFault,
        BuildReport,
        Cause,
        ChangedRecord,
        CleanParam,
        ComparedTarget,
        CompareReport,
        CrawlerDiff,
        CrawlerName,
        DecidingRule,
        DiffReport,
        ExplainReport,
        FileCut,
        Finding,
        Fix,
        FixReport,
        Flip,
        Host,
        KnownCrawler,
        KnownReport,
        LabelledPreference,
        License,
        LintReport,
        MatchedRule,
        Piece,
        Preferences,
        ProfileDifference,
        ReachReport,
        RecordDiff,
        RecordScope,
        RecordsReport,
        Related,
        Selection,
        Sentence,
        Sitemap,
        StatedRate,
        TargetChange,
        TypedRecord,
        VerdictChange,
        VisitTime,
    )

__all__ = [
    "AgentLine",
    "Answers",
    "build_robots_txt",
    "BuildFault",
    "BuildReport",
    "CannotBuild",
    "Cause",
    "ChangedRecord",
    "CleanParam",
    "Code",
    "compare_profiles",
    "ComparedTarget",
    "CompareReport",
    "Config",
    "Crawler",
    "CrawlerAnswers",
    "CrawlerDecisions",
    "CrawlerDiff",
    "CrawlerName",
    "CrawlerPolicies",
    "CrawlerVerdicts",
    "DecidingRule",
    "Decision",
    "Decisions",
    "Diagnostic",
    "diff",
    "diff_policies",
    "DiffLimits",
    "DiffReport",
    "ExplainReport",
    "FileCut",
    "Finding",
    "Fix",
    "fix",
    "Fixed",
    "FixReport",
    "Flip",
    "HeaderName",
    "Host",
    "InvalidName",
    "InvalidOrigin",
    "InvalidUrl",
    "is_allowed",
    "known_crawlers",
    "KnownCrawler",
    "KnownReport",
    "LabelledPreference",
    "License",
    "Line",
    "lint",
    "LintReport",
    "MatchedRule",
    "Origin",
    "own_rules",
    "Pack",
    "PackError",
    "PackWriter",
    "Piece",
    "policy",
    "Policy",
    "PolicySet",
    "Preferences",
    "Profile",
    "ProfileDifference",
    "PurposeReport",
    "ReachReport",
    "RecordDiff",
    "RecordScope",
    "RecordsReport",
    "Related",
    "RequestRate",
    "Rights",
    "RightsColumns",
    "RightsLicence",
    "RightsReader",
    "RightsReport",
    "RightsStatement",
    "Robots",
    "Rule",
    "Selection",
    "Sentence",
    "Sitemap",
    "StatedRate",
    "TargetChange",
    "TypedRecord",
    "UserAgent",
    "VerdictChange",
    "Verdicts",
    "VisitTime",
    "__version__",
]

if not TYPE_CHECKING:
    #: What explains, lints and compares, by module: each is loaded when it is first needed.
    _LAZY = {
        "_compose": "CannotBuild build_robots_txt",
        "_diff": "DiffLimits diff diff_policies",
        "_explain": "compare_profiles",
        "_known": "known_crawlers",
        "_lines": "Diagnostic Line",
        "_lint": "Code Fixed fix lint",
        "reports": (
            "AgentLine BuildFault BuildReport Cause ChangedRecord CleanParam ComparedTarget CompareReport "
            "CrawlerDiff CrawlerName DecidingRule DiffReport ExplainReport FileCut Finding Fix "
            "FixReport Flip Host KnownCrawler KnownReport LabelledPreference License LintReport "
            "MatchedRule Piece Preferences ProfileDifference ReachReport RecordDiff RecordScope "
            "RecordsReport Related Selection Sentence Sitemap StatedRate TargetChange "
            "TypedRecord VerdictChange VisitTime"
        ),
    }

    def __getattr__(name):
        if name == "aio":
            import importlib

            return importlib.import_module(".aio", __name__)
        for module, names in _LAZY.items():
            if name in names.split():
                value = getattr(__import__(f"{__name__}.{module}", fromlist=[name]), name)
                globals()[name] = value
                return value
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__():
        return sorted({*globals(), *__all__})
