//! The verdicts of one line after another.

use std::iter;
use std::sync::Arc;

use memchr::memchr_iter;
use robotsieve::{Answer, Crawler, Policy, Profile, Robots, TargetForm};

use super::hosts::{Authority, Folder, HostHasher};
use super::output::{self, Gone, JsonText, Pieces};
use super::report::Report;
use super::tally::{SeenHosts, Tally};
use crate::args::{FilterArgs, Missing, Output};

/// One robots.txt, for all crawlers.
pub struct Site {
    /// Of the first crawler, and often of all: here, not in the vector, because a URL of
    /// another host than the one before it waits for each pointer on the way.
    first: Policy,
    /// The other policies. Crawlers in the same group share one.
    others: Vec<Policy>,
    /// Of each crawler, in the order of the command line, the place of its policy, counted
    /// through `first` and `others`.
    by_crawler: Vec<usize>,
}

impl Site {
    /// For one crawler at least. The policies own what they need: the file may go.
    pub fn new(file: &[u8], profile: &Profile, crawlers: &[Crawler]) -> Site {
        let robots = Robots::parse(file, profile);
        let mut policies: Vec<Policy> = Vec::new();
        let mut place_of = |crawler| {
            let policy = robots.policy(crawler);
            policies.iter().position(|other| other.is_same(&policy)).unwrap_or_else(|| {
                policies.push(policy);
                policies.len() - 1
            })
        };
        let by_crawler = crawlers.iter().map(&mut place_of).collect();
        let first = policies.remove(0);
        Site { first, others: policies, by_crawler }
    }

    fn policies(&self) -> impl Iterator<Item = &Policy> {
        iter::once(&self.first).chain(&self.others)
    }
}

/// Where the robots.txt of a URL is found.
pub enum Sites {
    /// One for all URLs.
    One(Site),
    /// One for each host.
    Folder(Folder),
}

/// Judges lines; shared by all workers.
pub struct Judge {
    sites: Sites,
    /// Of the folder where there is one.
    hasher: HostHasher,
    /// Whether the authority of a URL is found as in google/robotstxt.
    google: bool,
    missing: Answer,
    output: Output,
    /// The crawlers as given, for `jsonl`.
    agents: Vec<JsonText>,
    report: Arc<Report>,
}

/// What robots.txt the authority of a URL leads to.
#[derive(Clone, Copy)]
enum Found<'s> {
    Site(&'s Site),
    /// None is for this host.
    Missing,
    /// There is one, but it cannot be read.
    Unreadable,
    /// The URL has no host, or an impossible one.
    NoHost,
}

impl Judge {
    pub fn new(args: &FilterArgs, sites: Sites, report: Arc<Report>) -> Judge {
        let hasher = match &sites {
            Sites::One(_) => HostHasher::default(),
            Sites::Folder(folder) => folder.hasher().clone(),
        };
        let agents = args.agents.0.iter();
        Judge {
            sites,
            hasher,
            google: args.profile.target_form == TargetForm::Google,
            missing: match args.missing {
                Missing::Unknown => Answer::Unknown,
                Missing::Allow => Answer::Allow,
                Missing::Disallow => Answer::Disallow,
            },
            output: args.output,
            agents: agents.map(|agent| JsonText::new(&agent.text.to_string_lossy())).collect(),
            report,
        }
    }

    /// Judges all lines of a chunk, which ends with a line feed.
    pub fn chunk(
        &self,
        lines: &[u8],
        seen: &mut SeenHosts,
        pieces: &mut Pieces<'_>,
    ) -> Result<Tally, Gone> {
        let mut tally = Tally::default();
        let mut shared = Shared::default();
        // URLs of a host tend to stand together.
        let mut last: Option<(Authority<'_>, Found<'_>)> = None;
        let mut start = 0;
        for end in memchr_iter(b'\n', lines) {
            let line = &lines[start..end];
            start = end + 1;
            let url = line.strip_suffix(b"\r").unwrap_or(line);
            if url.is_empty() {
                continue;
            }
            tally.urls += 1;
            let found = match last {
                Some((authority, found)) if authority.is_of(url, self.google) => found,
                _ => match Authority::of(url, self.google) {
                    None => Found::NoHost,
                    Some(authority) => {
                        let found = self.find(&authority, seen, &mut tally);
                        last = Some((authority, found));
                        found
                    }
                },
            };
            self.line(url, found, &mut shared, &mut tally, &mut pieces.octets);
            pieces.line_done()?;
        }
        Ok(tally)
    }

    /// Counts the host and finds its robots.txt.
    fn find(
        &self,
        authority: &Authority<'_>,
        seen: &mut SeenHosts,
        tally: &mut Tally,
    ) -> Found<'_> {
        let Some(host) = authority.host() else { return Found::NoHost };
        let hash = self.hasher.hash(&host);
        seen.note(hash, tally);
        match &self.sites {
            Sites::One(_) => Found::Missing,
            Sites::Folder(folder) => match folder.find(&host, hash) {
                None => Found::Missing,
                Some(file) => {
                    file.site(folder, &self.report).map_or(Found::Unreadable, Found::Site)
                }
            },
        }
    }

    #[inline]
    fn line(
        &self,
        url: &[u8],
        found: Found<'_>,
        shared: &mut Shared,
        tally: &mut Tally,
        out: &mut Vec<u8>,
    ) {
        let site = match (&self.sites, found) {
            (Sites::One(site), _) => site,
            (_, Found::Site(site)) => site,
            (_, Found::Missing) => return self.for_all(self.missing, url, tally, out),
            (_, Found::Unreadable) => return self.for_all(Answer::Unknown, url, tally, out),
            (_, Found::NoHost) => {
                // google/robotstxt takes anything for a URL.
                let answer = if self.google { Answer::Unknown } else { Answer::Invalid };
                return self.for_all(answer, url, tally, out);
            }
        };
        // The target is the profile's matter, not the policy's.
        let Ok(target) = site.first.target(url) else {
            return self.for_all(Answer::Invalid, url, tally, out);
        };
        match self.output {
            Output::Urls | Output::Denied => {
                let answer = Answer::from(site.first.verdict(&target));
                self.for_all(answer, url, tally, out);
            }
            Output::Tsv => {
                shared.answers.clear();
                let verdicts = site.policies().map(|policy| policy.verdict(&target));
                shared.answers.extend(verdicts.map(Answer::from));
                for policy in &site.by_crawler {
                    let answer = shared.answers[*policy];
                    tally.count(answer, 1);
                    output::tsv_verdict(out, answer);
                }
                output::url_line(out, url);
            }
            Output::Jsonl => {
                shared.answers.clear();
                shared.members.clear();
                shared.ends.clear();
                for policy in site.policies() {
                    let decision = policy.decision(&target);
                    shared.answers.push(Answer::from(decision.verdict));
                    output::json_decision(&mut shared.members, &decision);
                    shared.ends.push(shared.members.len());
                }
                for policy in &site.by_crawler {
                    tally.count(shared.answers[*policy], 1);
                }
                let members = site.by_crawler.iter().map(|policy| shared.members_of(*policy));
                output::json_line(out, url, self.agents.iter().zip(members));
            }
        }
    }

    /// The same answer for all crawlers, of which there may be only one.
    #[inline]
    fn for_all(&self, answer: Answer, url: &[u8], tally: &mut Tally, out: &mut Vec<u8>) {
        tally.count(answer, self.agents.len() as u64);
        match self.output {
            Output::Urls if answer == Answer::Allow => output::url_line(out, url),
            Output::Denied if answer == Answer::Disallow => output::url_line(out, url),
            Output::Urls | Output::Denied => {}
            Output::Tsv => {
                self.agents.iter().for_each(|_| output::tsv_verdict(out, answer));
                output::url_line(out, url);
            }
            Output::Jsonl => {
                let mut members = Vec::new();
                output::json_answer(&mut members, answer);
                output::json_line(out, url, self.agents.iter().map(|a| (a, &*members)));
            }
        }
    }
}

/// What crawlers that share a policy share of a line; kept from line to line for its memory.
#[derive(Default)]
struct Shared {
    /// By policy.
    answers: Vec<Answer>,
    /// The members of `jsonl`, policy after policy.
    members: Vec<u8>,
    /// Where they end.
    ends: Vec<usize>,
}

impl Shared {
    fn members_of(&self, policy: usize) -> &[u8] {
        let start = policy.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.members[start..self.ends[policy]]
    }
}
