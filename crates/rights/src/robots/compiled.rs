//! What a robots.txt says of rights, for one crawler.

use std::fmt;
use std::sync::Arc;

use robotsieve::internals::{RobotsInternals as _, TargetInternals as _};
use robotsieve::{Crawler, InvalidUrl, Policy, Profile, Robots, SitePolicy, Target};

use crate::note::{Note, Notes};
use crate::place::Place;
use crate::purpose::{Purpose, Purposes, Ruling};
use crate::result::Rights;
use crate::robots::said::Said;
use crate::robots::selection::Selection;
use crate::robots::signals::SignalRules;
use crate::robots::usage::UsageRules;
use crate::statement::Statement;
use crate::tables::PolicyToken;
use crate::version::{Version, Vocabulary};

/// What a robots.txt says of a crawler's rights: Allow and Disallow, policy tokens, Content-Usage,
/// Content-Signal and License.
///
/// Made by [`RightsReader::robots`](crate::RightsReader::robots), or of a site in a pack (feature
/// `pack`), from which it borrows the policy. It is cheap to clone, `Send` and `Sync`: compile once, ask for
/// millions of URLs.
#[derive(Clone)]
pub struct RobotsRights<'p> {
    policy: SitePolicy<'p>,
    lines: Arc<CompiledLines>,
}

/// What a robots.txt says of a crawler's rights beside Allow and Disallow.
#[derive(Debug)]
pub(crate) struct CompiledLines {
    usage: UsageRules,
    signals: SignalRules,
    licences: Vec<(u32, Box<str>)>,
    /// The policies of groups for policy tokens.
    tokens: Vec<(PolicyToken, Policy)>,
    /// If the crawler itself is such a token: what its `Disallow` is about.
    own_token: Purposes,
    /// What is odd whatever the URL.
    notes: Notes,
}

impl RobotsRights<'static> {
    /// What a file says of a crawler whose operator heeds these tokens.
    pub(crate) fn of(
        robots: &Robots<'_>,
        crawler: &Crawler,
        vocabulary: Vocabulary,
        tokens: &[PolicyToken],
    ) -> RobotsRights<'static> {
        // Only groups that name a token are about it.
        let of_token = |token: &PolicyToken| {
            let name = Crawler::name(token.name);
            let is_named = !robots.groups().select_named(&name).groups().is_empty();
            is_named.then(|| (*token, robots.policy_with_rules(&name)))
        };
        let selection = Selection::each(robots, [crawler]).remove(0);
        let own_token = PolicyToken::of_names(crawler.iter());
        let mut lines = CompiledLines::new(&selection, own_token, vocabulary, robots.profile());
        lines.tokens = tokens.iter().filter_map(of_token).collect();
        RobotsRights::new(robots.policy_with_rules(crawler).into(), Arc::new(lines))
    }
}

impl<'p> RobotsRights<'p> {
    pub(crate) fn new(policy: SitePolicy<'p>, lines: Arc<CompiledLines>) -> RobotsRights<'p> {
        RobotsRights { policy, lines }
    }

    /// The policy that rules on crawling.
    pub fn policy(&self) -> &SitePolicy<'p> {
        &self.policy
    }

    /// The bytes of memory that it occupies, which clones share: with its own policy, which grows when it
    /// compiles itself, but not with one that a pack has.
    pub fn memory_usage(&self) -> usize {
        let lines = &*self.lines;
        let policy = |policy: &Policy| policy.memory_usage().total_bytes();
        let licences =
            lines.licences.iter().map(|(_, url)| size_of::<(u32, Box<str>)>() + url.len());
        let tokens =
            lines.tokens.iter().map(|(_, of_token)| size_of_val(of_token) + policy(of_token));
        size_of::<CompiledLines>()
            + self.policy.as_policy().map_or(0, policy)
            + lines.usage.memory_usage()
            + lines.signals.memory_usage()
            + licences.sum::<usize>()
            + tokens.sum::<usize>()
    }

    /// The absolute addresses of the licences that the file names for the crawler, with their lines.
    pub fn licences(&self) -> impl Iterator<Item = (u32, &str)> {
        self.lines.licences.iter().map(|(line, url)| (*line, &**url))
    }

    /// The ruling of the file alone on a purpose, without the places that decided: to filter. If the file
    /// names a licence, which may disallow any use, nothing in it allows one.
    ///
    /// For files without Content-Usage and Content-Signal it costs no more than the policy's verdict.
    ///
    /// # Errors
    /// Returns an error if the URL is invalid; never in the profile `google`.
    pub fn ruling<U: robotsieve::AsUrl + ?Sized>(
        &self,
        purpose: Purpose,
        url: &U,
    ) -> Result<Ruling, InvalidUrl> {
        let target = self.policy.target(url)?;
        if purpose == Purpose::Crawl {
            return Ok(crawl(self.policy.verdict(&target).is_allow()));
        }
        let (mut allows, mut disallows) = (Purposes::NONE, Purposes::NONE);
        self.lines.state(&self.policy, &target, purpose.into(), |said| match said {
            Said::Statement(statement) => {
                allows |= statement.allows;
                disallows |= statement.disallows;
            }
            Said::Disallowed(purposes) => disallows |= purposes,
            Said::Ceiling(_) | Said::Note(_) => {}
        });
        Ok(if disallows.contains(purpose) {
            Ruling::Disallow
        } else if allows.without(self.lines.withholds()).contains(purpose) {
            Ruling::Allow
        } else {
            Ruling::Unknown
        })
    }

    /// The rights by the file alone: before anything else is known of the URL. The licences that it
    /// names are listed, as documents that were not given.
    ///
    /// The rule that decided on crawling is not in [`Rights::by`] if a pack gave the policy without its
    /// rules.
    ///
    /// # Errors
    /// Returns an error if the URL is invalid; never in the profile `google`.
    pub fn rights<U: robotsieve::AsUrl + ?Sized>(&self, url: &U) -> Result<Rights, InvalidUrl> {
        let mut rights = Rights::default();
        self.settle(url, &mut rights)?;
        self.refer(&mut rights);
        Ok(rights)
    }

    /// Adds the licences that it names, none of whose documents is there.
    pub(crate) fn refer(&self, rights: &mut Rights) {
        for (line, url) in self.licences() {
            rights.add_document(url, Place::Robots { line }, None);
        }
    }

    /// Adds what the file says of a URL, but for its licences.
    pub(crate) fn settle<U: robotsieve::AsUrl + ?Sized>(
        &self,
        url: &U,
        rights: &mut Rights,
    ) -> Result<(), InvalidUrl> {
        let target = self.policy.target(url)?;
        let decision = self.policy.decision(&target);
        rights.set_crawl(crawl(decision.verdict.is_allow()));
        if let Some(rule) = decision.rule() {
            let statement = Statement::new(Place::Robots { line: rule.line }, Version::Rfc9309);
            let crawl = Purpose::Crawl.into();
            rights.add(if rule.verdict.is_allow() {
                statement.allowing(crawl)
            } else {
                statement.disallowing(crawl)
            });
        }
        rights.add_notes(self.lines.notes);
        self.lines.state(&self.policy, &target, Purposes::USES, |said| match said {
            Said::Statement(statement) => rights.add(statement),
            Said::Disallowed(purposes) => rights.disallow(purposes),
            Said::Ceiling(ceiling) => rights.lower_ceiling(Some(ceiling)),
            Said::Note(note) => rights.add_note(note),
        });
        Ok(())
    }
}

impl CompiledLines {
    /// The lines for a crawler whose operator heeds no tokens.
    ///
    /// `own_token` is what a `Disallow` for the crawler is about if it is such a token itself.
    pub(crate) fn new(
        selection: &Selection<'_>,
        own_token: Purposes,
        vocabulary: Vocabulary,
        profile: &Profile,
    ) -> CompiledLines {
        let usage = UsageRules::new(&selection.usage, vocabulary, profile);
        let signals = SignalRules::new(&selection.signals, selection.signals_are_outside, profile);
        let mut notes = selection.notes;
        notes.add_all(signals.notes());
        let licences =
            selection.licences.iter().map(|(line, url)| (*line, (*url).into())).collect();
        CompiledLines { usage, signals, licences, tokens: Vec::new(), own_token, notes }
    }

    /// The purposes that the file alone allows to nobody: licences that it names are not read here.
    fn withholds(&self) -> Purposes {
        let licences = if self.licences.is_empty() {
            Purposes::NONE
        } else {
            Note::LicenceNotGiven.withholds()
        };
        licences | self.notes.withhold()
    }

    /// Calls `said` with what policy tokens, Content-Usage and Content-Signal say of a target, at least
    /// of the purposes that are wanted.
    #[inline]
    fn state(
        &self,
        policy: &SitePolicy<'_>,
        target: &Target<'_>,
        wanted: Purposes,
        mut said: impl FnMut(Said),
    ) {
        for (token, policy) in &self.tokens {
            if let Some(rule) = policy.decision(target).rule()
                && !rule.verdict.is_allow()
            {
                let place = Place::Robots { line: rule.line };
                let statement = Statement::new(place, Version::PolicyTokens);
                said(Said::Statement(statement.disallowing(token.purposes)));
            }
        }
        // A token fetches nothing: what it may not fetch, it may not be used for.
        if !(self.own_token & wanted).is_empty() && !policy.verdict(target).is_allow() {
            said(match policy.decision(target).rule() {
                Some(rule) => {
                    let place = Place::Robots { line: rule.line };
                    let statement = Statement::new(place, Version::PolicyTokens);
                    Said::Statement(statement.disallowing(self.own_token))
                }
                // A pack without rules does not tell the line.
                None => Said::Disallowed(self.own_token),
            });
        }
        if self.usage.is_empty() && self.signals.is_empty() {
            return;
        }
        let compares = self.usage.has_patterns() || self.signals.has_patterns();
        let normalised = compares.then(|| target.to_buffer());
        let normalised = normalised.as_deref().unwrap_or_default();
        if !self.usage.is_empty() {
            // Only what may be crawled has a preference (draft-ietf-aipref-attach-05 §3.1).
            if policy.verdict(target).is_allow() {
                self.usage.state(normalised, &mut said);
            } else {
                said(Said::Note(Note::NotCrawlable));
            }
        }
        self.signals.state(normalised, wanted, &mut said);
    }
}

fn crawl(is_allowed: bool) -> Ruling {
    if is_allowed { Ruling::Allow } else { Ruling::Disallow }
}

impl fmt::Debug for RobotsRights<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RobotsRights")
            .field("policy", &self.policy)
            .field("lines", &self.lines)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::UseCeiling;

    fn compiled(file: &str, crawler: &str) -> RobotsRights<'static> {
        let robots = Robots::parse(file.as_bytes(), &Profile::RFC9309);
        RobotsRights::of(&robots, &crawler.into(), Vocabulary::V08, PolicyToken::ALL)
    }

    fn rights(file: &str, crawler: &str, url: &str) -> Rights {
        let mut rights = Rights::default();
        let compiled = compiled(file, crawler);
        compiled.settle(url, &mut rights).unwrap();
        compiled.refer(&mut rights);
        for purpose in Purpose::ALL {
            assert_eq!(compiled.ruling(*purpose, url), Ok(rights.ruling(*purpose)), "{purpose}");
        }
        rights
    }

    /// Crawling, index, snippet, input, training.
    fn shown(rights: &Rights) -> String {
        let sign = |purpose: &Purpose| match rights.ruling(*purpose) {
            Ruling::Allow => '+',
            Ruling::Disallow => '-',
            Ruling::Unknown => '?',
        };
        Purpose::ALL[..5].iter().map(sign).collect()
    }

    fn by(rights: &Rights, purpose: Purpose) -> Vec<String> {
        rights.by(purpose).map(|statement| statement.place.to_string()).collect()
    }

    fn check(file: &str, crawler: &str, url: &str, wanted: &str, notes: &[Note]) {
        let rights = rights(file, crawler, url);
        let found: Vec<Note> = rights.notes().iter().collect();
        assert_eq!(
            (shown(&rights).as_str(), &found[..]),
            (wanted, notes),
            "{crawler} {url}\n{file}"
        );
    }

    #[test]
    fn content_usage() {
        let star = |lines: &str| format!("User-agent: *\n{lines}");
        for (lines, url, wanted, notes) in [
            ("Content-Usage: train-ai=n, search=y, ai-use=y", "/a", "++++-", &[][..]),
            ("content-usage :\t/a/ \t train-ai=n # x", "/a/b", "+???-", &[]),
            ("Content-Usage: /a/ train-ai=n", "/b", "+????", &[]),
            // The longest counts as a whole, in encoded bytes.
            (
                "Content-Usage: search=y\nContent-Usage: /a train-ai=y",
                "/a",
                "+???+",
                &[Note::FoundationModels],
            ),
            (
                "Content-Usage: /* train-ai=n\nContent-Usage: /a train-ai=y",
                "/a",
                "+???-",
                &[Note::EqualLength],
            ),
            (
                "Content-Usage: /\u{e9} train-ai=n\nContent-Usage: /* train-ai=y",
                "/%c3%a9",
                "+???-",
                &[],
            ),
            ("Content-Usage: /%7ea train-ai=n\nContent-Usage: /~a search=y", "/~a", "+++?-", &[]),
            // What fails or says nothing is still the longest.
            (
                "Content-Usage: train-ai=n\nContent-Usage: /a Train-ai=y",
                "/a",
                "+????",
                &[Note::Malformed],
            ),
            ("Content-Usage: train-ai=n\nContent-Usage: /a", "/a", "+????", &[Note::Malformed]),
            (
                "Content-Usage: train-ai=n\nContent-Usage: /a x=y",
                "/a",
                "+????",
                &[Note::UnknownLabel],
            ),
            ("Content-Usage: train-ai=n\nContent-Usage:", "/a", "+???-", &[]),
            ("Content-Usage: train-ai=y\u{c}", "/a", "+????", &[Note::Malformed]),
            // Only for what may be crawled.
            ("Disallow: /a\nContent-Usage: train-ai=n", "/a", "-????", &[Note::NotCrawlable]),
            ("Disallow: /a\nContent-Usage: train-ai=n", "/b", "+???-", &[]),
            ("Disallow: /\nContent-Usage: train-ai=n", "/robots.txt", "+???-", &[]),
            // No definition spells it so.
            ("Content_Usage: train-ai=n", "/a", "+????", &[Note::MisspeltField]),
        ] {
            check(&star(lines), "x", url, wanted, notes);
        }
        let outside = "Content-Usage: train-ai=n\nUser-agent: *\nAllow: /";
        check(outside, "x", "/", "+????", &[Note::OutsideGroup]);
    }

    #[test]
    fn content_usage_ends_runs_of_agents() {
        let file = "User-agent: a\nContent-Usage: train-ai=n\nUser-agent: *\nContent-Usage: train-ai=y\nDisallow: /x";
        check(file, "a", "/", "+???-", &[Note::GroupsDiffer]);
        check(file, "b", "/", "+???+", &[Note::FoundationModels, Note::GroupsDiffer]);
        // To RFC 9309, both are one group.
        check(file, "a", "/x", "-????", &[Note::GroupsDiffer, Note::NotCrawlable]);
        check(file, "b", "/x", "-????", &[Note::GroupsDiffer, Note::NotCrawlable]);
        let own =
            "User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n\nUser-agent: a\nDisallow: /x";
        check(own, "a", "/", "+????", &[Note::OnlyForOthers]);
        // Groups of one crawler are one.
        let twice = "User-agent: a\nContent-Usage: train-ai=n\nAllow: /\nUser-agent: b\nAllow: /\n\
            User-agent: A\nContent-Usage: search=y";
        check(twice, "a", "/", "+++?-", &[]);
    }

    #[test]
    fn content_signal() {
        let star = |lines: &str| format!("User-agent: *\n{lines}");
        for (lines, url, wanted, notes) in [
            ("Content-Signal: search=yes, ai-input=no, ai-train=no", "/", "+++--", &[][..]),
            (
                "Content-Signal: ai-train=no\nContent-Signal: /open ai-train=yes",
                "/open/",
                "+???+",
                &[],
            ),
            // For each label the longest path that states it.
            (
                "Content-Signal: search=yes, ai-train=no\nContent-Signal: /open ai-train=yes",
                "/open",
                "+++?+",
                &[],
            ),
            ("Content-Signal: /a ai-train=no\nContent-Signal: /a ai-train=yes", "/a", "+???-", &[]),
            ("Content-Signal: / ai-train=yes\nContent-Signal: ai-train=no", "/a", "+???+", &[]),
            (
                "Content-Signal: /a ai-train=maybe\nContent-Signal: / ai-train=yes",
                "/a",
                "+???+",
                &[Note::UnknownValue],
            ),
            ("Content-Signal: /a", "/a", "+????", &[Note::Malformed]),
            ("Content-Signal: /*.pdf$ ai-train=no", "/a.pdf", "+???-", &[]),
            ("Content-Signal: /*.pdf$ ai-train=no", "/a.pdf?", "+????", &[]),
            ("Disallow: /\nContent-Signal: ai-train=no", "/a", "-???-", &[]),
        ] {
            check(&star(lines), "x", url, wanted, notes);
        }
        // Not a rule: the groups of both are one.
        let file = "User-agent: *\nContent-Signal: ai-train=no\n\nUser-agent: a\nDisallow: /";
        check(file, "x", "/", "-???-", &[]);
        // Outside groups a refusal counts for those without signals of their own.
        let outside = "Content-Signal: search=yes, ai-train=no, use=full\nUser-agent: a\n\
            Content-Signal: ai-input=no\nUser-agent: b\nAllow: /";
        check(outside, "b", "/", "+??-?", &[Note::OutsideGroup]);
        let outside = "Content-Signal: search=yes, ai-train=no, use=full\nUser-agent: b\nAllow: /";
        check(outside, "b", "/", "+???-", &[Note::OutsideGroup]);
        assert_eq!(rights(outside, "b", "/").use_ceiling(), Some(UseCeiling::Full));
    }

    /// What stands behind a limit of the profile could have said no.
    #[test]
    fn a_file_that_is_cut() {
        let yes = "User-agent: *\nContent-Signal: search=yes, ai-train=no\n";
        let long = format!("{yes}{}\nContent-Usage: search=n", "#\n".repeat(256_000));
        check(&long, "x", "/", "+???-", &[Note::RobotsNotRead]);
        check(&long[..512_000], "x", "/", "+++?-", &[]);
        let silent = "\n".repeat(512_001);
        let robots = Robots::parse(silent.as_bytes(), &Profile::RFC9309);
        assert!(crate::RightsReader::new(&"x".into()).robots_if_any(&robots).is_some());
        // A line, too.
        let line = format!("{yes}Content-Usage: {}search=n", "x=y, ".repeat(4_000));
        let robots = Robots::parse(line.as_bytes(), &Profile::GOOGLE);
        let reader = crate::RightsReader::new(&"x".into());
        assert_eq!(reader.robots(&robots).ruling(Purpose::Index, "/"), Ok(Ruling::Unknown));
    }

    #[test]
    fn ceilings() {
        let of =
            |lines: &str, url| rights(&format!("User-agent: *\n{lines}"), "x", url).use_ceiling();
        let lines = "Content-Signal: use=full, use=reference\nContent-Signal: /a use=full";
        assert_eq!(of(lines, "/"), Some(UseCeiling::Reference));
        assert_eq!(of(lines, "/a"), Some(UseCeiling::Full));
        assert_eq!(of("Content-Signal: use=other", "/"), None);
    }

    #[test]
    fn places() {
        let file = "User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: train-ai=y, search=y\n\
            Content-Signal: ai-train=no\nAllow: /a\nDisallow: /b";
        let rights = rights(file, "x", "/a");
        assert_eq!(by(&rights, Purpose::AiTrain), ["robots.txt:2", "robots.txt:4"]);
        assert_eq!(by(&rights, Purpose::Index), ["robots.txt:3"]);
        assert_eq!(by(&rights, Purpose::Crawl), ["robots.txt:5"]);
        assert_eq!(by(&rights, Purpose::AiInput), [""; 0]);
        let versions: Vec<_> = rights.by(Purpose::AiTrain).map(|by| by.version.as_str()).collect();
        assert_eq!(versions, ["aipref-vocab-08", "content-signals-2025-09"]);
    }

    #[test]
    fn policy_tokens() {
        let file =
            "User-agent: google-extended\nDisallow: /a\nAllow: /a/b\n\nUser-agent: *\nDisallow: /c";
        for (url, wanted) in [("/a", "+??--"), ("/a/b", "+????"), ("/c", "-????")] {
            check(file, "Googlebot", url, wanted, &[]);
        }
        // The token itself, which is no crawler.
        check(file, "Google-Extended", "/a", "-??--", &[]);
        check(file, "Google-Extended", "/a/b", "+????", &[]);
        check(file, "applebot-extended", "/c", "-???-", &[]);
        let rights = rights(file, "Googlebot", "/a");
        assert_eq!(by(&rights, Purpose::AiInput), ["robots.txt:2"]);
        assert_eq!(rights.by(Purpose::AiInput).next().unwrap().version, Version::PolicyTokens);
        assert_eq!(PolicyToken::of_name("applebot-EXTENDED").unwrap().name, "Applebot-Extended");
        assert_eq!(PolicyToken::of_name("GPTBot"), None);
    }

    #[test]
    fn licences() {
        let file = "License: https://e.com/1\nLicense: /2\nUser-agent: a\nUser-agent: b\n\
            license : https://e.com/3 # x\nDisallow: /\nUser-agent: c\nLicense: //e.com/4\n\
            LICENSE: https://e.com/5\nLicense: https://e.com/6\n";
        let of =
            |crawler| compiled(file, crawler).licences().map(|(line, _)| line).collect::<Vec<_>>();
        assert_eq!(of("a"), [5]);
        assert_eq!(of("b"), [5]);
        assert_eq!(of("c"), [9, 10]);
        assert_eq!(of("d"), [1]);
        let notes = rights(file, "d", "/").notes();
        assert!(notes.contains(Note::LicenceRelative));
    }
}
