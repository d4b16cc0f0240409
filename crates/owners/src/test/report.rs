//! The report `test`.

use robotsieve::{Reason, Verdict};
use robotsieve_report::tally::TallyReport;
use robotsieve_report::{SCHEMA, Sentence, TOOL_VERSION, text, texts};

use super::expectations::{Expectation, Failed, Miss, Tested};
use crate::reach::SitemapUrls;

/// Expectations of a robots.txt, and whether they hold: the report `test`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TestReport {
    /// `robotsieve-report-1`.
    pub schema: &'static str,
    /// `test`.
    pub report: &'static str,
    /// The version of robotsieve that made the report.
    pub tool_version: &'static str,
    /// The name of the robots.txt as the caller gave it.
    pub robots: String,
    /// The answer of its URL in the place of a file, such as `HTTP 503`.
    pub answer: Option<String>,
    /// The names of the profiles in which expectations must hold.
    pub profiles: Vec<String>,
    /// The URLs of the sitemap that were judged, if one was given.
    pub sitemap: Option<SitemapUrls>,
    /// The expectations, in order.
    pub results: Vec<TestResult>,
    /// The number of expectations there are.
    pub expectations: usize,
    /// The number of those that do not hold.
    pub failed: usize,
    /// The numbers of those there are and of those that do not hold, in a sentence; and a note on crawlers whose operators
    /// find other rules in the file.
    pub sentences: Vec<Sentence>,
}

/// An expectation.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TestResult {
    /// The name of the file that it is in.
    pub file: String,
    /// Its line there, from 1.
    pub line: u64,
    /// The verdict that is expected.
    pub expected: Verdict,
    /// The crawlers, as the line names them.
    pub who: String,
    /// The bytes of `who` if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub who_base64: Option<String>,
    /// The URL, as the line has it.
    pub url: String,
    /// The bytes of `url` if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url_base64: Option<String>,
    /// True if it holds for every crawler in every profile.
    pub holds: bool,
    /// The expectation that does not hold, and why the first crawler gets its verdict in the first profile.
    pub message: Option<String>,
    /// The line of the rule that the message names.
    pub rule_line: Option<u32>,
    /// The crawlers with the same rules that get the other verdict, for each profile.
    pub failures: Vec<TestFailure>,
}

/// Crawlers with the same rules that do not get the verdict that is expected.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TestFailure {
    /// The name of the profile.
    pub profile: String,
    /// The verdict that they get.
    pub verdict: Verdict,
    /// Their names.
    pub crawlers: Vec<String>,
    /// The bytes of `crawlers` if some are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crawlers_base64: Option<Vec<String>>,
    /// Why they get it: as in explanations, or `site` if an answer decides; null for a sitemap.
    pub reason: Option<&'static str>,
    /// The rule that decides, if one does.
    pub rule: Option<TestRule>,
    /// The counts by rule, if the expectation is about a sitemap.
    pub sitemap: Option<TallyReport>,
}

/// A rule that decides.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TestRule {
    /// Its verdict.
    pub verdict: Verdict,
    /// Its line, from 1.
    pub line: u32,
    /// Its value as written.
    pub rule: String,
    /// The bytes of `rule` if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_base64: Option<String>,
}

impl Tested<'_> {
    /// The report.
    #[must_use]
    pub fn report(&self) -> TestReport {
        let subject = &self.expectations.subject;
        let numbers = 0..subject.robots.len();
        let profiles = numbers.map(|number| subject.profile_name(number).to_owned());
        let mut failed = self.failed.iter().peekable();
        let all = self.expectations.all.iter().enumerate();
        let results = all.map(|(number, expectation)| {
            self.result(expectation, failed.next_if(|failed| failed.number == number))
        });
        TestReport {
            schema: SCHEMA,
            report: "test",
            tool_version: TOOL_VERSION,
            robots: subject.name.clone(),
            answer: subject.answer.as_ref().map(|answer| answer.cause.clone()),
            profiles: profiles.collect(),
            sitemap: self.sitemap().map(|sitemap| sitemap.urls.clone()),
            results: results.collect(),
            expectations: self.expectations.len(),
            failed: self.failed.len(),
            sentences: [Some(self.counted()), self.expectations.operators()]
                .into_iter()
                .flatten()
                .map(|text| Sentence::new(text, None))
                .collect(),
        }
    }

    /// `3 expectations in 2 profiles, 1 failed`.
    fn counted(&self) -> String {
        let count = self.expectations.len();
        let s = if count == 1 { "" } else { "s" };
        let each = match self.expectations.subject.robots.len() {
            1 => String::new(),
            n => format!(" in {n} profiles"),
        };
        format!("{count} expectation{s}{each}, {} failed", self.failed.len())
    }

    fn result(&self, expectation: &Expectation, failed: Option<&Failed>) -> TestResult {
        let expectations = &self.expectations;
        let (who, who_base64) = text(expectations.who_text(expectation));
        let (url, url_base64) = text(expectations.url(expectation));
        let (message, why) = failed.map(|failed| self.failure(failed).message()).unzip();
        let misses = failed.into_iter().flat_map(|failed| &failed.misses);
        TestResult {
            file: expectations.file(expectation).to_owned(),
            line: expectation.line,
            expected: expectation.verdict,
            who,
            who_base64,
            url,
            url_base64,
            holds: failed.is_none(),
            message,
            rule_line: why.and_then(|why| why.line),
            failures: misses.map(|miss| self.miss(expectation, *miss)).collect(),
        }
    }

    fn miss(&self, expectation: &Expectation, miss: Miss) -> TestFailure {
        let expectations = &self.expectations;
        let who = expectations.who(expectation);
        let asked = &who.asked[miss.profile][miss.asked];
        let names = asked.members.iter().map(|member| &who.members[*member].name);
        let (crawlers, crawlers_base64) = texts(&names.collect::<Vec<_>>());
        let mut failure = TestFailure {
            profile: asked.profile.to_owned(),
            verdict: expectation.verdict.opposite(),
            crawlers,
            crawlers_base64,
            reason: None,
            rule: None,
            sitemap: self.tally(expectation, miss).map(|tally| tally.report()),
        };
        if failure.sitemap.is_some() {
            return failure;
        }
        if let Ok(decision) = asked.policy.decide(expectations.url(expectation)) {
            let is_answer = expectations.subject.answer.is_some();
            if is_answer && !matches!(decision.reason, Reason::RobotsTxt) {
                failure.reason = Some("site");
                return failure;
            }
            failure.reason = Some(decision.reason.as_str());
            if let Reason::Rule(rule) = decision.reason {
                let (value, rule_base64) = text(rule.value);
                let (verdict, line) = (rule.verdict, rule.line);
                failure.rule = Some(TestRule { verdict, line, rule: value, rule_base64 });
            }
        }
        failure
    }
}
