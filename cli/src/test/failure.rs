//! An expectation that does not hold, in words.

use robotsieve::{Reason, Verdict};

use super::{Expectation, Tested};
use crate::explain::shown::short;
use crate::sitemap::Tally;
use crate::write::list;
use crate::write::numbers::{grouped, urls};
use crate::write::place::{Columns, Lines};

/// The most crawlers to name in a sentence.
const NAMES: usize = 10;

/// An expectation that does not hold.
pub struct Failed {
    /// Its number among all.
    pub number: usize,
    /// Never empty, in the order of the profiles.
    pub misses: Box<[Miss]>,
}

/// A policy that gives the other verdict.
#[derive(Clone, Copy, Debug)]
pub struct Miss {
    /// The number of the profile, and that of the policy among those asked in it.
    pub profile: usize,
    pub asked: usize,
}

/// The profiles in which the same crawlers do not get the verdict that was expected.
pub struct Part {
    pub profiles: Vec<usize>,
    /// Numbers of members, in their order.
    pub members: Vec<usize>,
    /// One for each policy, in the first of the profiles.
    pub misses: Vec<Miss>,
}

/// Why a crawler gets a verdict.
pub struct Why {
    /// The line of the robots.txt that decides, if one does.
    pub line: Option<u32>,
    /// A clause such as `line 4 decides, Disallow: /x`.
    pub clause: String,
}

impl Tested<'_, '_> {
    pub fn expectation(&self, failed: &Failed) -> &Expectation {
        &self.expectations.all[failed.number]
    }

    /// What does not hold, with profiles put together that agree.
    pub fn parts(&self, failed: &Failed) -> Vec<Part> {
        let who = self.expectations.who(self.expectation(failed));
        let mut parts: Vec<Part> = Vec::new();
        for misses in failed.misses.chunk_by(|one, other| one.profile == other.profile) {
            let profile = misses[0].profile;
            let asked = misses.iter().map(|miss| &who.asked[profile][miss.asked]);
            let mut members: Vec<usize> = asked.flat_map(|asked| &asked.members).copied().collect();
            members.sort_unstable();
            match parts.iter_mut().find(|part| part.members == members) {
                Some(part) => part.profiles.push(profile),
                None => {
                    parts.push(Part { profiles: vec![profile], members, misses: misses.to_vec() });
                }
            }
        }
        parts
    }

    /// One sentence, such as `expected allow, got disallow: GPTBot, /x (profile rfc9309)`.
    pub fn sentence(&self, failed: &Failed) -> String {
        let expectation = self.expectation(failed);
        let who = self.expectations.who(expectation);
        let (expected, got) = (expectation.verdict, other(expectation.verdict));
        let asked = short(self.expectations.who_text(expectation));
        let url = short(self.expectations.url(expectation));
        let parts = self.parts(failed);
        let of_urls = self.of_urls(failed).map_or_else(String::new, |urls| format!(" for {urls}"));
        if !who.is_set {
            // There is one member, so there is one part.
            let profiles: Vec<usize> = parts.into_iter().flat_map(|part| part.profiles).collect();
            let profiles = self.profiles(&profiles);
            let of_urls =
                self.of_urls(failed).map_or_else(String::new, |urls| format!(" for {urls}"));
            return format!("expected {expected}, got {got}{of_urls}: {asked}, {url} ({profiles})");
        }
        let part = |part: &Part| {
            let names = part.members.iter().map(|member| short(&who.members[*member].name));
            format!(
                "got {got}{of_urls}{} {} of {} crawlers ({}): {}",
                if of_urls.is_empty() { " for" } else { " and" },
                part.members.len(),
                who.members.len(),
                self.profiles(&part.profiles),
                list::first(NAMES, names),
            )
        };
        let parts: Vec<String> = parts.iter().map(part).collect();
        format!("expected {expected} for {asked}, {url}; {}", parts.join("; "))
    }

    /// How many URLs of the sitemap get the other verdict: `up to 2 of 10 URLs`.
    fn of_urls(&self, failed: &Failed) -> Option<String> {
        let tallies = failed.misses.iter().filter_map(|miss| self.tally(failed, *miss));
        let counts: Vec<u64> = tallies.map(Tally::count).collect();
        let most = *counts.iter().max()?;
        let up_to = if counts.iter().all(|count| *count == most) { "" } else { "up to " };
        let all = self.sitemap.as_ref().map_or(0, |sitemap| sitemap.split.here);
        Some(format!("{up_to}{} of {}", grouped(most), urls(all)))
    }

    /// `profile google`, `profiles rfc9309 and google`.
    fn profiles(&self, numbers: &[usize]) -> String {
        let names: Vec<&str> =
            numbers.iter().map(|number| self.file.profile_name(*number)).collect();
        match &names[..] {
            [name] => format!("profile {name}"),
            [others @ .., last] => format!("profiles {} and {last}", others.join(", ")),
            [] => String::new(),
        }
    }

    /// Why the policy of a miss gives its verdict.
    pub fn why(&self, failed: &Failed, miss: Miss) -> Why {
        let expectation = self.expectation(failed);
        let who = self.expectations.who(expectation);
        let asked = &who.asked[miss.profile][miss.asked];
        let robots = &self.file.robots[miss.profile];
        if let Some(by) = self.most(failed, miss) {
            let clause = format!("{} decides for {}", by.shown(), by.counted());
            return Why { line: by.line, clause };
        }
        let decision = asked.policy.decide(self.expectations.url(expectation));
        let (line, clause) = match decision.map(|decision| decision.reason) {
            Ok(Reason::RobotsTxt) => {
                (None, "robots.txt itself may always be fetched (RFC 9309 §2.2.2)".to_owned())
            }
            _ if let Some(answer) = self.file.answer => (None, answer.to_string()),
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
    pub fn message(&self, failed: &Failed) -> (String, Why) {
        let first = failed.misses[0];
        let why = self.why(failed, first);
        let mut message = self.sentence(failed) + "; ";
        if failed.misses.len() > 1 {
            let who = self.expectations.who(self.expectation(failed));
            let member = who.asked[first.profile][first.asked].members[0];
            let profile = self.file.profile_name(first.profile);
            let name = short(&who.members[member].name);
            message.push_str(&format!("for {name} in profile {profile}, "));
        }
        (message + &why.clause, why)
    }
}

/// The columns of a line of the robots.txt, without white space around what is in it.
pub fn columns(lines: &Lines, bytes: &[u8], line: u32) -> Columns {
    let span = lines.span(line);
    let text = &bytes[span.clone()];
    let start = span.start + (text.len() - text.trim_ascii_start().len());
    let end = start + text.trim_ascii().len();
    lines.columns(bytes, line, &(start..end))
}

/// The other verdict.
pub fn other(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Allow => Verdict::Disallow,
        Verdict::Disallow => Verdict::Allow,
    }
}
