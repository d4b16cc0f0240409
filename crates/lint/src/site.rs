//! Findings about what crawlers see of the site: all of it blocked, or what its pages need.

use std::collections::{BTreeSet, HashMap};

use memchr::memmem::Finder;
use robotsieve::internals::{RobotsInternals as _, Selected};
use robotsieve::{Crawler, Field, Policy, Robots, Rule, Verdict};
use robotsieve_known::internals as crawlers;

use crate::diff::{self, Difference, Limits};
use crate::prove::{Start, UNNAMED};
use crate::shown::{quoted, shown};
use crate::subject::Subject;
use crate::{Code, Severity};

pub(super) fn find(subject: &mut Subject<'_>) {
    let engines = search_engines(subject);
    blocks_everything(subject, &engines);
    blocks_resources(subject, &engines);
    sitemap_blocked(subject);
}

/// Search engines that have one policy.
struct Engines {
    /// The tokens by which the file knows their crawlers; empty if all have groups of their own.
    tokens: Vec<&'static str>,
    names: Vec<&'static str>,
    /// True if it is the policy of all crawlers without a group of their own.
    is_everybody: bool,
    policy: Policy,
}

impl Engines {
    /// Returns true if Google or Bing is among them.
    fn has_big(&self) -> bool {
        self.names.iter().any(|name| ["Google", "Bing"].contains(name))
    }
}

/// The policies by which a site is found, each once; everybody's comes first.
fn search_engines(subject: &Subject<'_>) -> Vec<Engines> {
    let policy = subject.robots.policy(&Crawler::names([""; 0]));
    let of = |policy, is_everybody| Engines {
        tokens: Vec::new(),
        names: Vec::new(),
        is_everybody,
        policy,
    };
    let mut all = vec![of(policy, true)];
    for (tokens, name) in crawlers::SEARCH_ENGINES {
        let crawler = Crawler::names(tokens);
        // The one that a group names is what the file knows it by.
        let named = tokens.iter().find(|token| {
            let selected = subject.robots.groups().select_named(&Crawler::name(**token));
            selected != Selected::None
        });
        let token = named.or(tokens.last()).copied().unwrap_or_default();
        let policy = subject.robots.policy(&crawler);
        let known = all.iter().position(|engines| engines.policy.is_same(&policy));
        let number = known.unwrap_or_else(|| {
            all.push(of(policy, false));
            all.len() - 1
        });
        all[number].tokens.push(token);
        all[number].names.push(name);
    }
    all
}

/// The rule that blocks a whole site, and whether rules that win against it allow something. `None`
/// if there is none, or if the start page may be fetched all the same.
///
/// The policy says so and not how its rules are written: `*`, `*/` and `/*` block like `/`.
pub(super) fn blocking<'p>(policy: &'p Policy, subject: &Subject<'_>) -> Option<(Rule<'p>, bool)> {
    if !Start::of(policy).is_closed() {
        return None;
    }
    let rule = policy.decide_path(UNNAMED[1]).ok()?.rule()?;
    let has_exceptions = policy.rules().any(|rule| rule.verdict.is_allow()) && {
        let closed = Robots::parse(b"User-agent: *\nDisallow: /\n", &subject.profile);
        let closed = closed.policy(&Crawler::names([""; 0]));
        let limits = Limits { flips: 1, pairs: 1 << 10, samples: 1_000, ..Limits::default() };
        !matches!(diff::policies(&closed, policy, &limits), Difference::Equal)
    };
    Some((rule, has_exceptions))
}

/// Blocking one crawler is a decision; blocking all, or a search engine, is often an oversight.
fn blocks_everything(subject: &mut Subject<'_>, engines: &[Engines]) {
    let mut found = BTreeSet::new();
    let lets_big_in = engines.iter().any(|engines| {
        !engines.is_everybody && engines.has_big() && blocking(&engines.policy, subject).is_none()
    });
    for engine in engines {
        let Engines { tokens, names, is_everybody, policy } = engine;
        let Some((rule, has_exceptions)) = blocking(policy, subject) else { continue };
        if !found.insert(rule.line) {
            continue;
        }
        let who = if *is_everybody {
            let others = quoted(blocked_beside(&rule, has_exceptions, subject).into_iter());
            let and = if others.is_empty() { "" } else { " and for " };
            format!("every crawler without a group of its own{and}{others}")
        } else {
            let each = names.iter().zip(tokens).map(|(name, token)| format!("{name} ({token})"));
            each.collect::<Vec<_>>().join(", ")
        };
        let what = if has_exceptions {
            "this blocks the start page '/' and all that no other rule allows"
        } else {
            "this blocks the whole site"
        };
        let message = format!("{what} for {who}");
        let (line, span) = (rule.line, subject.value_span(rule.line));
        // Others are left out on purpose more often than by oversight.
        let is_big = *is_everybody || engine.has_big();
        // A list of who may come.
        let is_list = *is_everybody && lets_big_in;
        let severity = match is_big && !has_exceptions {
            _ if is_list => Severity::Note,
            true => Severity::Error,
            false => Severity::Warning,
        };
        subject.add(Code::BlocksEverything, line, span, message).severity(severity).help(
            "if that is meant, silence this with '# robotsieve: ignore RS307'; if not, an empty \
             'Disallow:' in place of the rule forbids nothing",
        );
    }
}

/// The crawlers that the group of a rule for everybody names beside, and that it blocks as well: another
/// group may let them in.
fn blocked_beside<'s>(
    rule: &Rule<'_>,
    has_exceptions: bool,
    subject: &'s Subject<'_>,
) -> Vec<&'s [u8]> {
    /// Of more sets of groups it is not said.
    const SELECTIONS: usize = 64;
    let groups = subject.robots.groups();
    let mut known: HashMap<Selected, bool> = HashMap::new();
    let mut is_blocked = |token: &[u8]| {
        let crawler = Crawler::name(token);
        let selected = groups.select(&crawler);
        match known.get(&selected) {
            Some(is_blocked) => *is_blocked,
            None if known.len() == SELECTIONS => false,
            None => {
                let policy = subject.robots.policy(&crawler);
                let is_blocked = blocking(&policy, subject)
                    .is_some_and(|(own, except)| own.line == rule.line && except == has_exceptions);
                *known.entry(selected).or_insert(is_blocked)
            }
        }
    };
    let group = groups.group_of_line(rule.line);
    let tokens = group.into_iter().flat_map(|group| groups.tokens_of_group(group));
    tokens.filter(|token| *token != b"*" && is_blocked(token)).collect()
}

/// Rules that say themselves that they are about CSS or JavaScript, and that decide.
fn blocks_resources(subject: &mut Subject<'_>, engines: &[Engines]) {
    let resources = Resource::all();
    let mut found = BTreeSet::new();
    for Engines { names, policy, .. } in engines.iter().filter(|engines| !engines.names.is_empty())
    {
        for rule in policy.rules().filter(|rule| rule.verdict == Verdict::Disallow) {
            let named = resources.iter().find(|resource| resource.is_named(rule.pattern()));
            let Some(what) = named.map(|resource| resource.what) else { continue };
            let path = example(&rule, what);
            let decides = subject.decide(policy, &path).is_some_and(|decision| {
                decision.rule().is_some_and(|decided| decided.line == rule.line)
            });
            if !decides || !found.insert(rule.line) {
                continue;
            }
            let who = names.join(", ");
            let message = format!("this blocks {what} for {who}: '{}'", shown(&path));
            let (line, span) = (rule.line, subject.value_span(rule.line));
            subject
                .add(Code::BlocksResources, line, span, message)
                .help("allow what pages need to be rendered");
        }
    }
}

/// A kind of file that pages need.
struct Resource {
    what: &'static str,
    extension: Finder<'static>,
    folders: [&'static [u8]; 3],
}

impl Resource {
    fn all() -> [Resource; 2] {
        let of = |what, extension: &'static str, folders| Resource {
            what,
            extension: Finder::new(extension),
            folders,
        };
        [
            of("CSS", ".css", [b"css", b"styles", b"stylesheets"]),
            of("JavaScript", ".js", [b"js", b"scripts", b"javascript"]),
        ]
    }

    /// Returns true if a pattern names such files, by extension or as a folder.
    fn is_named(&self, pattern: &[u8]) -> bool {
        const LONGEST: usize = 256;
        let lower = pattern[..pattern.len().min(LONGEST)].to_ascii_lowercase();
        let by_extension = self.extension.find(&lower).is_some_and(|at| {
            matches!(lower.get(at + self.extension.needle().len()), None | Some(b'*' | b'?'))
        });
        let last = lower.strip_suffix(b"*").unwrap_or(&lower);
        let by_folder = last.strip_suffix(b"/").is_some_and(|folder| {
            let named = self.folders.iter().filter_map(|name| folder.strip_suffix(*name));
            named.into_iter().any(|before| before.ends_with(b"/"))
        });
        by_extension || by_folder
    }
}

/// A path that the rule matches.
fn example(rule: &Rule<'_>, what: &str) -> Vec<u8> {
    let mut path: Vec<u8> = rule
        .pattern()
        .iter()
        .flat_map(|byte| if *byte == b'*' { &b"x"[..] } else { std::slice::from_ref(byte) })
        .copied()
        .collect();
    if path.first() != Some(&b'/') {
        path.insert(0, b'/');
    }
    if path.ends_with(b"/") {
        path.extend_from_slice(if what == "CSS" { b"x.css" } else { b"x.js" });
    }
    path
}

/// Sitemaps whose path no crawler of the file may fetch. They may be on another host, which the
/// message says.
fn sitemap_blocked(subject: &mut Subject<'_>) {
    const SITEMAPS: usize = 16;
    const POLICIES: usize = 64;
    let sitemaps: Vec<_> = subject
        .records
        .iter()
        .filter(|record| record.field == Field::Sitemap)
        .take(SITEMAPS)
        .copied()
        .collect();
    if sitemaps.is_empty() {
        return;
    }
    let policies = subject.policies.all.clone();
    if policies.is_empty() || policies.len() > POLICIES || !subject.policies.left_out.is_empty() {
        return;
    }
    for record in sitemaps {
        let Some(at) = memchr::memmem::find(record.value, b"://") else { continue };
        let authority = &record.value[at + 3..];
        let Some(slash) = memchr::memchr(b'/', authority) else { continue };
        let path = &authority[slash..];
        let mut lines = BTreeSet::new();
        let blocks = |policy: &Policy| {
            subject.decide(policy, path).is_some_and(|decision| {
                lines.extend(decision.rule().map(|rule| rule.line));
                decision.verdict == Verdict::Disallow
            })
        };
        // A crawler without a group of its own may fetch everything if there is none for '*'.
        let everybody = subject.robots.policy(&Crawler::names([""; 0]));
        if !policies.iter().chain([&everybody]).all(blocks) {
            continue;
        }
        let related: Vec<_> = lines
            .iter()
            .take(4)
            .map(|line| subject.related(*line, "this rule forbids it"))
            .collect();
        let message = format!(
            "no crawler may fetch '{}', if the sitemap is on this site's host",
            shown(path)
        );
        subject
            .add(Code::SitemapBlocked, record.line, record.value_span(), message)
            .related(related)
            .help("allow the path of the sitemap");
    }
}
