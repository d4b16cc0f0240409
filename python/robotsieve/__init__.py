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

# As `typing` has it, whose import would take longer than that of this package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._diff import (
        ChangedRecord,
        ComparedCrawlers,
        ComparedFiles,
        DecidingRule,
        DiffLimits,
        Difference,
        Flip,
        RecordChange,
        RecordChanges,
        diff,
        diff_policies,
    )
    from ._explain import compare_profiles
    from ._lint import (
        Change,
        Code,
        Finding,
        Fix,
        Fixed,
        Related,
        Report,
        fix,
        lint,
    )
    from ._records import (
        Ambiguity,
        CleanParam,
        ContentSignal,
        ContentUsage,
        CrawlDelay,
        Diagnostic,
        Host,
        LabelledPreference,
        NoIndex,
        Record,
        Sitemap,
        Statement,
        TypedRecord,
        Usage,
        VisitTime,
    )
    from .reports import (
        AgentLine,
        Cause,
        ComparedTarget,
        CompareReport,
        CrawlerName,
        ExplainReport,
        FileCut,
        MatchedRule,
        Piece,
        ProfileDifference,
        Selection,
        Sentence,
        TargetChange,
    )

__all__ = [
    "AgentLine",
    "Ambiguity",
    "Answers",
    "Cause",
    "Change",
    "ChangedRecord",
    "CleanParam",
    "Code",
    "compare_profiles",
    "CompareReport",
    "ComparedCrawlers",
    "ComparedFiles",
    "ComparedTarget",
    "Config",
    "ContentSignal",
    "ContentUsage",
    "CrawlDelay",
    "Crawler",
    "CrawlerAnswers",
    "CrawlerName",
    "CrawlerPolicies",
    "CrawlerVerdicts",
    "DecidingRule",
    "Decision",
    "Diagnostic",
    "diff",
    "diff_policies",
    "Difference",
    "DiffLimits",
    "ExplainReport",
    "FileCut",
    "Finding",
    "Fix",
    "fix",
    "Fixed",
    "Flip",
    "HeaderName",
    "Host",
    "InvalidName",
    "InvalidOrigin",
    "InvalidUrl",
    "is_allowed",
    "LabelledPreference",
    "lint",
    "MatchedRule",
    "NoIndex",
    "Origin",
    "Pack",
    "PackError",
    "PackWriter",
    "Piece",
    "Policy",
    "PolicySet",
    "Profile",
    "ProfileDifference",
    "Record",
    "RecordChange",
    "RecordChanges",
    "Related",
    "Report",
    "RequestRate",
    "Robots",
    "Rule",
    "Selection",
    "Sentence",
    "Sitemap",
    "Statement",
    "TargetChange",
    "TypedRecord",
    "Usage",
    "UserAgent",
    "Verdicts",
    "VisitTime",
    "__version__",
]

if not TYPE_CHECKING:
    #: What explains, lints and compares, by module: each is loaded when it is first needed.
    _LAZY = {
        "_diff": (
            "ChangedRecord ComparedCrawlers ComparedFiles DecidingRule DiffLimits Difference Flip "
            "RecordChange RecordChanges diff diff_policies"
        ),
        "_explain": "compare_profiles",
        "_lint": "Change Code Finding Fix Fixed Related Report fix lint",
        "_records": (
            "Ambiguity CleanParam ContentSignal ContentUsage CrawlDelay Diagnostic Host "
            "LabelledPreference NoIndex Record Sitemap Statement TypedRecord Usage VisitTime"
        ),
        "reports": (
            "AgentLine Cause ComparedTarget CompareReport CrawlerName ExplainReport FileCut "
            "MatchedRule Piece ProfileDifference Selection Sentence TargetChange"
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
