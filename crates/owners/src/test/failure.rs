//! An expectation that does not hold, in words.

use std::ops::Range;

use robotsieve::{Reason, Verdict};
use robotsieve_report::tally::{DecidedBy, Tally};
use robotsieve_report::{Asked, ExplainReport};
use robotsieve_shown::{first_of, grouped, short, urls};

use super::expectations::{Expectation, Failed, Miss, Tested};
use super::line;

/// The most crawlers to name in a sentence.
const NAMES: usize = 10;

/// The profiles in which the same crawlers do not get the verdict that was expected.
struct Part {
    profiles: Vec<&'static str>,
    /// Numbers of members, in their order.
    members: Vec<usize>,
    /// One for each policy, in the first of the profiles.
    misses: Vec<Miss>,
}

/// Why a crawler gets a verdict.
pub(super) struct Why {
    /// The line of the robots.txt that decides, if one does.
    pub(super) line: Option<u32>,
    /// A clause such as `line 4 decides, Disallow: /x`.
    clause: String,
}

/// An expectation that does not hold.
#[derive(Clone, Copy, Debug)]
pub struct Failure<'t, 'a> {
    tested: &'t Tested<'a>,
    failed: &'t Failed,
    expectation: &'t Expectation,
}

/// A reason why some crawlers do not get the verdict that was expected.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FailureReason {
    /// The verdict that they get.
    pub verdict: Verdict,
    /// Who they are, and what they asked for: `AI2Bot and 27 others, / (profile rfc9309)`.
    pub title: String,
    /// The deciding rule or reason: `line 4 decides, Disallow: /x`.
    pub clause: String,
    /// Every step to the verdict of the first of them; none if an answer decides, or if the file's
    /// groups do not count for it.
    pub explanation: Option<ExplainReport>,
    /// The part of the file that is read in that profile.
    pub extent: Range<usize>,
}

impl<'a> Tested<'a> {
    /// The expectations that do not hold, in order.
    pub fn failures(&self) -> impl ExactSizeIterator<Item = Failure<'_, 'a>> {
        self.failed.iter().map(|failed| self.failure(failed))
    }

    pub(super) fn failure<'t>(&'t self, failed: &'t Failed) -> Failure<'t, 'a> {
        let expectation = &self.expectations.all[failed.number];
        Failure { tested: self, failed, expectation }
    }
}

impl<'t> Failure<'t, '_> {
    /// The name of the file that the expectation is in.
    pub fn file(&self) -> &'t str {
        self.tested.expectations.file(self.expectation)
    }

    /// The line of the expectation.
    pub fn line(&self) -> u64 {
        self.expectation.line
    }

    /// That line as written.
    pub fn text(&self) -> &'t [u8] {
        self.tested.expectations.line(self.expectation)
    }

    /// The verdict that is expected: the first word of the line.
    pub fn expected(&self) -> Verdict {
        self.expectation.verdict
    }

    fn tally(&self, miss: Miss) -> Option<&'t Tally> {
        self.tested.tally(self.expectation, miss)
    }

    /// What does not hold, with profiles put together that agree.
    fn parts(&self) -> Vec<Part> {
        let who = self.tested.expectations.who(self.expectation);
        let mut parts: Vec<Part> = Vec::new();
        for misses in self.failed.misses.chunk_by(|one, other| one.profile == other.profile) {
            let profile = misses[0].profile;
            let asked = misses.iter().map(|miss| &who.asked[profile][miss.asked]);
            let mut members: Vec<usize> =
                asked.clone().flat_map(|asked| &asked.members).copied().collect();
            members.sort_unstable();
            let mut profiles: Vec<&'static str> = Vec::new();
            for asked in asked {
                if !profiles.contains(&asked.profile) {
                    profiles.push(asked.profile);
                }
            }
            match parts.iter_mut().find(|part| part.members == members) {
                Some(part) => part.profiles.extend(profiles),
                None => parts.push(Part { profiles, members, misses: misses.to_vec() }),
            }
        }
        parts
    }

    /// One sentence, such as `expected allow, got disallow: GPTBot, /x (profile rfc9309)`.
    #[must_use]
    pub fn sentence(&self) -> String {
        let expectations = &self.tested.expectations;
        let who = expectations.who(self.expectation);
        let (expected, got) = (self.expected(), self.expected().opposite());
        let asked = line::short(expectations.who_text(self.expectation));
        let url = line::short(expectations.url(self.expectation));
        let parts = self.parts();
        let of_urls = self.of_urls().map_or_else(String::new, |urls| format!(" for {urls}"));
        if !who.is_set {
            // There is one member, so there is one part.
            let profiles: Vec<&str> = parts.into_iter().flat_map(|part| part.profiles).collect();
            let profiles = named(&profiles);
            return format!("expected {expected}, got {got}{of_urls}: {asked}, {url} ({profiles})");
        }
        let part = |part: &Part| {
            let names = part.members.iter().map(|member| line::short(&who.members[*member].name));
            format!(
                "got {got}{of_urls}{} {} of {} crawlers ({}): {}",
                if of_urls.is_empty() { " for" } else { " and" },
                part.members.len(),
                who.members.len(),
                named(&part.profiles),
                first_of(NAMES, names),
            )
        };
        let parts: Vec<String> = parts.iter().map(part).collect();
        format!("expected {expected} for {asked}, {url}; {}", parts.join("; "))
    }

    /// The number of URLs of the sitemap that get the other verdict: `up to 2 of 10 URLs`.
    fn of_urls(&self) -> Option<String> {
        let tallies = self.failed.misses.iter().filter_map(|miss| self.tally(*miss));
        let counts: Vec<u64> = tallies.map(Tally::count).collect();
        let most = *counts.iter().max()?;
        let up_to = if counts.iter().all(|count| *count == most) { "" } else { "up to " };
        let all = self.tested.sitemap().map_or(0, |sitemap| sitemap.urls.judged);
        Some(format!("{up_to}{} of {}", grouped(most), urls(all)))
    }

    /// Why the policy of a miss gives its verdict.
    fn why(&self, miss: Miss) -> Why {
        let expectations = &self.tested.expectations;
        let who = expectations.who(self.expectation);
        let asked = &who.asked[miss.profile][miss.asked];
        let reader = who.members[asked.members[0]].reader;
        let robots = expectations.subject.robots_for(miss.profile, reader);
        if let Some(by) = self.tally(miss).and_then(|tally| tally.by().first().copied()) {
            let clause = format!("{} decides for {}", by.shown(), by.counted());
            return Why { line: by.line, clause };
        }
        let decision = asked.policy.decide(expectations.url(self.expectation));
        let (line, clause) = match decision.map(|decision| decision.reason) {
            Ok(Reason::RobotsTxt) => {
                (None, "robots.txt itself may always be fetched (RFC 9309 §2.2.2)".to_owned())
            }
            _ if let Some(answer) = &expectations.subject.answer => (None, answer.meaning.clone()),
            Ok(Reason::Rule(rule)) => {
                let field = if rule.verdict.is_allow() { "Allow" } else { "Disallow" };
                let clause = format!("line {} decides, {field}: {}", rule.line, short(rule.value));
                (Some(rule.line), clause)
            }
            Ok(Reason::EmptyRule { line }) => {
                (Some(line), format!("the rule on line {line} is empty and restricts nothing"))
            }
            Ok(Reason::NoGroup) if who.members[asked.members[0]].is_free(robots) => {
                (None, "no group names it, and it does not obey the group of '*'".to_owned())
            }
            Ok(Reason::NoGroup) => (None, "no group applies".to_owned()),
            _ => (None, "no rule of its groups matches".to_owned()),
        };
        Why { line, clause }
    }

    /// The sentence, and why the first crawler gets its verdict in the first profile.
    pub(super) fn message(&self) -> (String, Why) {
        let first = self.failed.misses[0];
        let why = self.why(first);
        let mut message = self.sentence() + "; ";
        if self.failed.misses.len() > 1 {
            let expectations = &self.tested.expectations;
            let who = expectations.who(self.expectation);
            let asked = &who.asked[first.profile][first.asked];
            let (member, profile) = (asked.members[0], asked.profile);
            let name = short(&who.members[member].name);
            message.push_str(&format!("for {name} in profile {profile}, "));
        }
        (message + &why.clause, why)
    }

    /// The reasons, each of other crawlers with the same rules; of a sitemap, each of another rule.
    #[must_use]
    pub fn reasons(&self) -> Vec<FailureReason> {
        let mut reasons = Vec::new();
        for miss in self.parts().into_iter().flat_map(|part| part.misses) {
            match self.tally(miss) {
                Some(tally) => {
                    reasons.extend(tally.by().into_iter().map(|by| self.reason(miss, Some(by))));
                }
                None => reasons.push(self.reason(miss, None)),
            }
        }
        reasons
    }

    /// Why the crawlers of a miss get their verdict; of a sitemap, on the URLs of one rule.
    fn reason(&self, miss: Miss, by: Option<&'t DecidedBy>) -> FailureReason {
        let expectations = &self.tested.expectations;
        let who = expectations.who(self.expectation);
        let url = match by {
            Some(by) => by.examples.first().map(Vec::as_slice),
            None => Some(expectations.url(self.expectation)),
        };
        let subject = &expectations.subject;
        let asked = &who.asked[miss.profile][miss.asked];
        let member = &who.members[asked.members[0]];
        let robots = subject.robots_for(miss.profile, member.reader);
        let others = match asked.members.len() - 1 {
            0 => String::new(),
            1 => " and 1 other".to_owned(),
            more => format!(" and {more} others"),
        };
        let profile = asked.profile;
        let asked_about = match by {
            Some(by) => by.counted(),
            None => url.map(short).unwrap_or_default(),
        };
        let clause = match by {
            Some(by) => format!("{} decides", by.shown()),
            None => self.why(miss).clause,
        };
        // The rules that it does not obey would be misleading.
        let explained = url.filter(|_| subject.answer.is_none() && !member.is_free(robots));
        FailureReason {
            verdict: self.expected().opposite(),
            title: format!("{}{others}, {asked_about} (profile {profile})", short(&member.name)),
            clause,
            explanation: explained.and_then(|url| {
                let why = robots.explain(&member.crawler, url).ok()?;
                Some(Asked::new(&member.crawler, url).explained(&why))
            }),
            extent: robots.extent(),
        }
    }
}

/// `profile google`, `profiles rfc9309 and google`.
fn named(profiles: &[&str]) -> String {
    match profiles {
        [name] => format!("profile {name}"),
        [others @ .., last] => format!("profiles {} and {last}", others.join(", ")),
        [] => String::new(),
    }
}
