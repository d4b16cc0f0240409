//! What a robots.txt says of rights, for one crawler.

use std::fmt;
use std::sync::Arc;

use crate::policy::Policy;
use crate::policy::robots::Robots;
use crate::read::crawler::Crawler;
use crate::read::select::Selected;
use crate::rights::content_signals::ContentSignals;
use crate::rights::content_usage::ContentUsage;
use crate::rights::limits::UseCeiling;
use crate::rights::lines::{RightsField, RightsLine, RightsLines};
use crate::rights::note::{Note, Notes};
use crate::rights::paths::{Paths, split_path};
use crate::rights::place::Place;
use crate::rights::purpose::{Purpose, Purposes, Ruling};
use crate::rights::result::Rights;
use crate::rights::statement::Statement;
use crate::rights::tables::SIGNALS;
use crate::rights::version::{Version, Vocabulary};
use crate::rules::target::{InvalidUrl, Target};

/// What a robots.txt says of a crawler's rights: Allow and Disallow, Content-Usage, Content-Signal and
/// License.
///
/// Made by [`RightsReader::robots`](crate::rights::RightsReader::robots). It owns what it needs and is
/// cheap to clone, `Send` and `Sync`: compile once, ask for millions of URLs.
#[derive(Clone)]
pub struct RobotsRights(Arc<Inner>);

struct Inner {
    policy: Policy,
    vocabulary: Vocabulary,
    usage: Vec<UsageLine>,
    usage_paths: Paths,
    signals: Vec<SignalLine>,
    /// For each label that grants or refuses, and last for the ceiling: the lines that state it.
    signal_paths: [Paths; SIGNALS.len() + 1],
    licences: Vec<(u32, Box<str>)>,
    /// What is odd whatever the URL.
    notes: Notes,
}

/// A Content-Usage line.
#[derive(Clone, Copy)]
struct UsageLine {
    line: u32,
    allows: Purposes,
    disallows: Purposes,
    notes: Notes,
}

/// A Content-Signal line.
#[derive(Clone, Copy)]
struct SignalLine {
    line: u32,
    signals: ContentSignals,
    /// True if it stands outside any group, so that it can refuse but not grant.
    is_outside: bool,
}

impl RobotsRights {
    pub(super) fn new(
        robots: &Robots<'_>,
        crawler: &Crawler,
        vocabulary: Vocabulary,
    ) -> RobotsRights {
        let lines = RightsLines::of(robots);
        let profile = robots.profile();
        let mut notes = Notes::NONE;
        notes.add_if(lines.has_misspelt, Note::MisspeltField);
        notes.add_if(lines.groups_differ, Note::GroupsDiffer);

        let (own, everybody) = lines.usage_groups(crawler, profile);
        let of_crawler = in_scope(&lines, RightsField::ContentUsage, &own, &everybody, &mut notes);
        let split = || of_crawler.iter().map(|line| split_path(line.value)).zip(of_crawler.iter());
        let usage =
            split().map(|((path, said), line)| usage_line(line.line, path, said, vocabulary));
        let usage: Vec<UsageLine> = usage.collect();
        let usage_paths = Paths::new(split().map(|((path, _), _)| path).zip(0..), profile);

        let own = robots.groups().select(crawler);
        let everybody = robots.groups().select_everybody();
        let mut of_crawler =
            in_scope(&lines, RightsField::ContentSignal, &own, &everybody, &mut notes);
        let is_outside = of_crawler.is_empty();
        if is_outside {
            let outside = lines.of_field(RightsField::ContentSignal);
            of_crawler.extend(outside.filter(|line| line.group.is_none()));
        }
        let split = || of_crawler.iter().map(|line| split_path(line.value)).zip(of_crawler.iter());
        let signals = split().map(|((_, said), line)| SignalLine {
            line: line.line,
            signals: ContentSignals::parse(said),
            is_outside,
        });
        let signals: Vec<SignalLine> = signals.collect();
        signals.iter().for_each(|line| notes.add_all(line.signals.notes()));
        let signal_paths = std::array::from_fn(|label| {
            let states =
                |number: &u32| signals.get(*number as usize).is_some_and(|line| line.states(label));
            let paths = split().map(|((path, _), _)| path).zip(0..);
            Paths::new(paths.filter(|(_, number)| states(number)), profile)
        });

        let licences = licences(&lines, &own, &mut notes);
        let policy = robots.policy(crawler);
        RobotsRights(Arc::new(Inner {
            policy,
            vocabulary,
            usage,
            usage_paths,
            signals,
            signal_paths,
            licences,
            notes,
        }))
    }

    /// The policy that rules on crawling.
    pub fn policy(&self) -> &Policy {
        &self.0.policy
    }

    /// The absolute addresses of the licences that the file names for the crawler, with their lines.
    pub fn licences(&self) -> impl Iterator<Item = (u32, &str)> {
        self.0.licences.iter().map(|(line, url)| (*line, &**url))
    }

    /// The ruling of the file alone on a purpose, without the places that decided: to filter. Licences
    /// do not count.
    ///
    /// For files without Content-Usage and Content-Signal it costs no more than the policy's verdict.
    ///
    /// # Errors
    /// Returns an error if the URL is invalid; never in the profile `google`.
    pub fn ruling<U: crate::AsUrl + ?Sized>(
        &self,
        purpose: Purpose,
        url: &U,
    ) -> Result<Ruling, InvalidUrl> {
        let inner = &*self.0;
        let target = inner.policy.target(url)?;
        if purpose == Purpose::Crawl {
            return Ok(crawl(inner.policy.verdict(&target).is_allow()));
        }
        let (mut allows, mut disallows) = (Purposes::NONE, Purposes::NONE);
        inner.state(&target, purpose.into(), |said| match said {
            Said::Statement(statement) => {
                allows |= statement.allows;
                disallows |= statement.disallows;
            }
            Said::Ceiling(_) | Said::Note(_) => {}
        });
        Ok(if disallows.contains(purpose) {
            Ruling::Disallow
        } else if allows.contains(purpose) {
            Ruling::Allow
        } else {
            Ruling::Unknown
        })
    }

    /// Adds what the file says of a URL, but for its licences.
    pub(super) fn settle(&self, url: &[u8], rights: &mut Rights) -> Result<(), InvalidUrl> {
        let inner = &*self.0;
        let target = inner.policy.target(url)?;
        let decision = inner.policy.decision(&target);
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
        rights.add_notes(inner.notes);
        inner.state(&target, Purposes::USES, |said| match said {
            Said::Statement(statement) => rights.add(statement),
            Said::Ceiling(ceiling) => rights.lower_ceiling(Some(ceiling)),
            Said::Note(note) => rights.add_note(note),
        });
        Ok(())
    }
}

/// What a line says of a URL.
enum Said {
    Statement(Statement),
    Ceiling(UseCeiling),
    Note(Note),
}

impl Inner {
    /// Calls `said` with what Content-Usage and Content-Signal say of a target, at least of the purposes
    /// that are wanted.
    #[inline]
    fn state(&self, target: &Target<'_>, wanted: Purposes, mut said: impl FnMut(Said)) {
        if self.usage.is_empty() && self.signals.is_empty() {
            return;
        }
        let compares =
            self.usage_paths.has_patterns() || self.signal_paths.iter().any(Paths::has_patterns);
        let normalised = compares.then(|| target.to_buffer());
        let normalised = normalised.as_deref().unwrap_or_default();
        if !self.usage.is_empty() {
            // Only what may be crawled has a preference (draft-ietf-aipref-attach-05 §3.1).
            if self.policy.verdict(target).is_allow() {
                self.state_usage(normalised, &mut said);
            } else {
                said(Said::Note(Note::NotCrawlable));
            }
        }
        self.state_signals(normalised, wanted, &mut said);
    }

    /// The longest path counts, with all that its lines say.
    fn state_usage(&self, target: &[u8], said: &mut impl FnMut(Said)) {
        let longest = self.usage_paths.longest(target);
        if longest.differ {
            said(Said::Note(Note::EqualLength));
        }
        let version = Version::Aipref(self.vocabulary);
        for number in longest.numbers {
            let Some(line) = self.usage.get(number as usize) else { continue };
            line.notes.iter().for_each(|note| said(Said::Note(note)));
            let statement = Statement::new(Place::Robots { line: line.line }, version);
            said(Said::Statement(statement.allowing(line.allows).disallowing(line.disallows)));
        }
    }

    /// For each label the longest path that states it counts. Of several lines a refusal wins.
    fn state_signals(&self, target: &[u8], wanted: Purposes, said: &mut impl FnMut(Said)) {
        for (label, paths) in self.signal_paths.iter().enumerate() {
            let about = SIGNALS.get(label).map_or(Purposes::USES, |(_, purposes)| *purposes);
            if paths.is_empty() || (about & wanted).is_empty() {
                continue;
            }
            let longest = paths.longest(target).numbers;
            let lines = || longest.iter().filter_map(|number| self.signals.get(*number as usize));
            if label == SIGNALS.len() {
                let ceilings = lines().filter_map(|line| line.signals.use_ceiling());
                ceilings.for_each(|ceiling| said(Said::Ceiling(ceiling)));
                continue;
            }
            for line in lines() {
                let place = Place::Robots { line: line.line };
                let statement = Statement::new(place, Version::ContentSignals);
                match line.signals.said(label) {
                    Ruling::Disallow => said(Said::Statement(statement.disallowing(about))),
                    Ruling::Allow if !line.is_outside => {
                        said(Said::Statement(statement.allowing(about)));
                    }
                    _ => {}
                }
            }
        }
    }
}

impl SignalLine {
    /// Returns true if the line states a label; the one after those of [`SIGNALS`] is the ceiling.
    fn states(&self, label: usize) -> bool {
        if label == SIGNALS.len() {
            self.signals.use_ceiling().is_some()
        } else {
            self.signals.said(label) != Ruling::Unknown
        }
    }
}

fn crawl(is_allowed: bool) -> Ruling {
    if is_allowed { Ruling::Allow } else { Ruling::Disallow }
}

/// The lines of a field in the crawler's groups. Notes what may have been meant for it besides.
fn in_scope<'l, 'a>(
    lines: &'l RightsLines<'a>,
    field: RightsField,
    own: &Selected,
    everybody: &Selected,
    notes: &mut Notes,
) -> Vec<&'l RightsLine<'a>> {
    let is_of = |line: &RightsLine<'_>, groups: &Selected| {
        line.group.is_some_and(|group| groups.groups().binary_search(&group).is_ok())
    };
    let all = || lines.of_field(field);
    notes.add_if(all().any(|line| line.group.is_none()), Note::OutsideGroup);
    let of_crawler: Vec<_> = all().filter(|line| is_of(line, own)).collect();
    let others = of_crawler.is_empty() && all().any(|line| is_of(line, everybody));
    notes.add_if(others, Note::OnlyForOthers);
    of_crawler
}

fn usage_line(line: u32, path: Option<&[u8]>, said: &[u8], vocabulary: Vocabulary) -> UsageLine {
    let none = Purposes::NONE;
    let mut notes = Notes::NONE;
    // A path without a statement says as little as one whose statement is malformed.
    let usage = ContentUsage::parse(said).ok().filter(|_| path.is_none() || !said.is_empty());
    let Some(usage) = usage else {
        notes.add(Note::Malformed);
        return UsageLine { line, allows: none, disallows: none, notes };
    };
    UsageLine {
        line,
        allows: usage.allows(vocabulary),
        disallows: usage.disallows(vocabulary),
        notes: usage.notes(vocabulary),
    }
}

/// The licences for a crawler: those of its groups, or else those outside any group (RSL 1.0 §4.4).
fn licences(lines: &RightsLines<'_>, own: &Selected, notes: &mut Notes) -> Vec<(u32, Box<str>)> {
    let mut of_crawler = Vec::new();
    let mut global = Vec::new();
    for line in lines.of_field(RightsField::License) {
        let is_own = |group| own.groups().binary_search(&group).is_ok();
        let all = match line.group {
            None => &mut global,
            Some(group) if is_own(group) => &mut of_crawler,
            Some(_) => continue,
        };
        match str::from_utf8(line.value).ok().filter(|text| url::Url::parse(text).is_ok()) {
            Some(url) => all.push((line.line, url.into())),
            None => notes.add(Note::LicenceRelative),
        }
    }
    if of_crawler.is_empty() { global } else { of_crawler }
}

impl fmt::Debug for RobotsRights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RobotsRights")
            .field("policy", &self.0.policy)
            .field("usage_lines", &self.0.usage.len())
            .field("signal_lines", &self.0.signals.len())
            .field("licences", &self.0.licences.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profile;

    fn compiled(file: &str, crawler: &str) -> RobotsRights {
        let robots = Robots::parse(file.as_bytes(), &Profile::RFC9309);
        RobotsRights::new(&robots, &crawler.into(), Vocabulary::V08)
    }

    fn rights(file: &str, crawler: &str, url: &str) -> Rights {
        let mut rights = Rights::default();
        let compiled = compiled(file, crawler);
        compiled.settle(url.as_bytes(), &mut rights).unwrap();
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
            ("Content-Usage: search=y\nContent-Usage: /a train-ai=y", "/a", "+???+", &[]),
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
        check(file, "b", "/", "+???+", &[Note::GroupsDiffer]);
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
