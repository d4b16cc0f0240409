//! `robotsieve diff`: compares what two robots.txt files mean.

pub mod args;
mod github;
mod json;
mod markdown;
mod risk;
mod text;

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

use robotsieve::diff::{
    self, DecidingRule, Difference, Flip, Flips, Limits, RecordChanges, WholeSite,
};
use robotsieve::explain::GroupChoice;
use robotsieve::{Crawler, Policy, Robots, Verdict};

use crate::error::{Failure, Status};
use crate::known::{Known, KnownCrawler, choice};
use crate::read::inputs::Inputs;
use crate::read::web::Answer;
use crate::read::{robots_file, stdin, web};
use crate::write::report::Report;
use crate::write::stdout::{self, Stdout};
use crate::write::{progress, stderr};
use args::{DiffArgs, DiffFormat};
use risk::Risks;

/// Crawlers with the same pair of policies, and what changed for them.
struct Group {
    /// As given, or as the files name them.
    names: Vec<Vec<u8>>,
    /// Only if URLs are asked about: all policies of a file together may be too large.
    policies: Option<[Policy; 2]>,
    difference: Difference,
}

impl Group {
    fn whole_site(&self) -> Option<WholeSite> {
        self.difference.flips().and_then(|flips| flips.whole_site)
    }
}

/// What happens to whole sites, and then to home pages, with the groups for which it does.
fn headlines(changes: &Changes) -> impl Iterator<Item = (&'static str, &Group)> {
    let whole = |group: &Group| group.whole_site().map(text::said);
    let home = |group: &Group| home_page(group.difference.flips()?);
    let sites = changes.groups.iter().filter_map(move |group| Some((whole(group)?, group)));
    sites.chain(changes.groups.iter().filter_map(move |group| Some((home(group)?, group))))
}

/// What a home page that closes or opens means, if not the whole site does.
fn home_page(flips: &Flips) -> Option<&'static str> {
    if flips.whole_site.is_some() {
        return None;
    }
    let is_home = |flip: &&Flip| flip.path == b"/";
    if let Some(closed) = flips.newly_disallowed.iter().find(is_home) {
        return Some(if closed.new.as_ref().is_some_and(is_for_all) {
            "the whole site is closed now, but for what other rules allow"
        } else {
            "the home page is closed now"
        });
    }
    flips.newly_allowed.iter().find(is_home).map(|_| "the home page is open now")
}

/// Whether a rule matches every path.
pub fn is_for_all(rule: &DecidingRule) -> bool {
    let stars = rule.value.strip_prefix(b"/").unwrap_or(&rule.value);
    !rule.value.is_empty() && stars.iter().all(|byte| *byte == b'*')
}

/// What changed, apart from the URLs that flip.
struct Changes {
    groups: Vec<Group>,
    records: Vec<RecordChanges<Vec<u8>>>,
    /// Also if a side is no file.
    text_differs: bool,
    /// For a side that is no file: what was answered instead.
    answers: [Option<Answer>; 2],
}

impl Changes {
    /// The sides that are no files, with what was answered instead.
    fn answered(&self) -> impl Iterator<Item = (&'static str, &Answer)> {
        let sides = ["old", "new"].into_iter().zip(&self.answers);
        sides.filter_map(|(side, answer)| Some((side, answer.as_ref()?)))
    }

    /// The rules that decide about a path, before and now, as these say it: a rule, or what was
    /// answered in the place of a file.
    fn deciders(
        &self,
        flip: &Flip,
        rule: impl Fn(&Option<DecidingRule>) -> String,
        answer: impl Fn(&str) -> String,
    ) -> [String; 2] {
        let rules = [&flip.old, &flip.new];
        [0, 1].map(|side: usize| match &self.answers[side] {
            Some(answered) => answer(&answered.cause),
            None => rule(rules[side]),
        })
    }
}

/// The overall result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Same,
    Changed,
    Unproven,
}

impl Outcome {
    fn of(changes: &Changes, flipped_urls: u64) -> Outcome {
        let any =
            |is: fn(&Difference) -> bool| changes.groups.iter().any(|group| is(&group.difference));
        if flipped_urls > 0
            || !changes.records.is_empty()
            || any(|difference| difference.flips().is_some())
        {
            Outcome::Changed
        } else if any(|difference| !difference.is_equal()) {
            Outcome::Unproven
        } else {
            Outcome::Same
        }
    }

    fn status(self) -> Status {
        if self == Outcome::Same { Status::Done } else { Status::No }
    }

    fn as_str(self) -> &'static str {
        match self {
            Outcome::Same => "no change",
            Outcome::Changed => "change",
            Outcome::Unproven => "no change found, not proven",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Compares the files and prints what changed.
pub fn run(args: &DiffArgs) -> Result<Status, Failure> {
    let urls = args.urls.iter().map(OsString::as_os_str);
    stdin::at_most_once(urls.chain([args.old.as_os_str(), args.new.as_os_str()]))?;
    let names_risks = [DiffFormat::Markdown, DiffFormat::Github].contains(&args.format);
    if !names_risks && !args.known.files.is_empty() {
        return Err(Failure::Usage(
            "--crawlers is for '--format markdown' and '--format github', which name known crawlers"
                .into(),
        ));
    }
    // An answer in the place of a file counts for known crawlers that ignore `*`, in each format.
    let may_be_answered = [&args.old, &args.new].into_iter().any(|path| web::url(path).is_some());
    let known = if names_risks || may_be_answered { args.known.read()? } else { Known::default() };
    let profile = args.profile.get();
    let asked = |path| robots_file::asked(path, &[profile], &known);
    let (old, new) = (asked(&args.old)?, asked(&args.new)?);
    let (files, answers) = ([old.bytes, new.bytes], [old.answer, new.answer]);
    let [old, new] = [0, 1].map(|side: usize| Robots::parse(&files[side], &profile));
    robots_file::note_cut(&args.old, &files[0], &old);
    robots_file::note_cut(&args.new, &files[1], &new);
    let asked: Vec<(Vec<u8>, Crawler)> = if args.agents.0.is_empty() {
        // What stands for an answer names nobody.
        let named = |side: usize| match &answers[side] {
            Some(_) => Robots::parse(b"", &profile),
            None => Robots::parse(&files[side], &profile),
        };
        let named = [named(0), named(1)];
        let named = diff::named_crawlers(&named[0], &named[1]).into_iter();
        named.map(|(token, crawler)| (token.to_vec(), crawler)).collect()
    } else {
        let names = args.agents.0.iter().map(|agent| agent.text.as_encoded_bytes().to_vec());
        names.zip(args.agents.crawlers(&args.profile.get())?).collect()
    };
    let mut limits = Limits::default();
    limits.flips = args.limit.get();
    limits.records = args.limit.get();
    // Crawlers that were named are the only ones that count.
    let all = Some(&known).filter(|_| args.agents.0.is_empty());
    let known = all.filter(|_| names_risks);
    let of_token = |token: &[u8]| known?.by_token(str::from_utf8(token).ok()?);
    let (mut asked, mut starless) = (asked, Vec::new());
    asked.retain_mut(|(name, crawler)| match of_token(name) {
        Some(known) if !known.star => {
            starless.push((name.clone(), known));
            false
        }
        Some(known) => {
            *crawler = known.crawler();
            true
        }
        None => true,
    });
    let labelled = || asked.iter().map(|(name, crawler)| ((name, crawler), crawler.clone()));
    let compare = || {
        let risks = known.map(|known| Risks::of(&old, &new, known)).unwrap_or_default();
        let mut records = diff::records(&old, &new, asked.iter().cloned(), &limits);
        let of_starless = starless.iter().map(|(name, crawler)| {
            records.extend(starless_records([&old, &new], name, crawler, &limits));
            let policies = [&old, &new].map(|robots| crawler.policy(robots));
            Group {
                names: vec![name.clone()],
                difference: diff::policies(&policies[0], &policies[1], &limits),
                policies: (!args.urls.is_empty()).then_some(policies),
            }
        });
        let mut of_starless: Vec<Group> = of_starless.collect();
        if answers.iter().any(Option::is_some) {
            // An answer counts for those, too, that ignore the group of `*`.
            let is_asked = |token: &str| {
                let same = |name: &[u8]| name.eq_ignore_ascii_case(token.as_bytes());
                asked.iter().any(|(name, _)| same(name))
                    || starless.iter().any(|(name, _)| same(name))
            };
            let others = all.into_iter().flat_map(Known::iter);
            let others = others.filter(|crawler| !crawler.star && !is_asked(&crawler.token));
            of_starless.extend(unnamed([&old, &new], others, &limits, !args.urls.is_empty()));
        }
        (diff::crawlers(&old, &new, labelled(), &limits), of_starless, records, risks)
    };
    let (compared, of_starless, records, risks) =
        progress::with_spinner(args.progress.progress, "comparing", compare);
    let groups = compared.into_iter().map(|same| {
        let crawler = same.crawlers[0].1;
        let policies = || [old.policy(crawler), new.policy(crawler)];
        Group {
            policies: (!args.urls.is_empty()).then(policies),
            names: same.crawlers.into_iter().map(|(name, _)| name.clone()).collect(),
            difference: same.difference,
        }
    });
    let mut groups: Vec<Group> = groups.chain(of_starless).collect();
    // The severest first; the others in the order of the files.
    groups.sort_by_key(|group| (group.whole_site().is_none(), group.whole_site()));
    let text_differs = files[0] != files[1] || answers.iter().any(Option::is_some);
    let changes = Changes { groups, records, text_differs, answers };
    let report = Arc::new(Report::new(args.progress.progress, &args.urls));
    let mut out = io::BufWriter::new(Stdout::new());
    let printed = match args.format {
        DiffFormat::Text => text::print(args, &changes, &report, &mut out),
        DiffFormat::Json => json::print(args, &changes, &report, &mut out),
        DiffFormat::Markdown => markdown::print(args, &changes, &risks, &report, &mut out),
        DiffFormat::Github => github::print(args, &changes, &risks, &report, &mut out),
    };
    let read = report.end();
    let outcome = printed.and_then(|outcome| out.flush().map(|()| outcome));
    let outcome = outcome.map_err(stdout::failed)?;
    Ok(if read == Status::Done { outcome.status() } else { read })
}

/// What changed for crawlers that no file names; those for which nothing did are left out.
fn unnamed<'k>(
    files: [&Robots<'_>; 2],
    crawlers: impl Iterator<Item = &'k KnownCrawler>,
    limits: &Limits,
    keep_policies: bool,
) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for crawler in crawlers {
        let name = crawler.token.clone().into_bytes();
        let policies = files.map(|robots| crawler.policy(robots));
        let difference = diff::policies(&policies[0], &policies[1], limits);
        if difference.is_equal() {
            continue;
        }
        match groups.iter_mut().find(|group| group.difference == difference) {
            Some(group) => group.names.push(name),
            None => {
                let policies = keep_policies.then_some(policies);
                groups.push(Group { names: vec![name], policies, difference });
            }
        }
    }
    groups
}

/// The other records that changed for a crawler that ignores the group of `*`.
fn starless_records(
    files: [&Robots<'_>; 2],
    name: &[u8],
    known: &KnownCrawler,
    limits: &Limits,
) -> Vec<RecordChanges<Vec<u8>>> {
    let crawler = known.crawler();
    let empty = Robots::parse(b"", files[0].profile());
    let [old, new] = files.map(|file| match choice(file, &crawler) {
        GroupChoice::Named => file,
        _ => &empty,
    });
    let mut records = diff::records(old, new, [(name.to_vec(), crawler)], limits);
    // Those of no group are for all, and compared with all.
    records.retain(|changed| changed.crawlers.is_some());
    records
}

/// Calls `found` for the URLs that flip, in the order of the inputs, with the groups for which they
/// do; returns how many there are.
fn flipping_urls(
    args: &DiffArgs,
    groups: &[Group],
    report: &Arc<Report>,
    mut found: impl FnMut(&[u8], Verdict, &[&Group]) -> io::Result<()>,
) -> io::Result<u64> {
    if args.urls.is_empty() {
        return Ok(0);
    }
    let changed: Vec<&Group> = groups.iter().filter(|group| !group.difference.is_equal()).collect();
    let mut inputs = Inputs::new(args.urls.clone(), Arc::clone(report));
    let (mut chunk, mut flipped, mut invalid) = (Vec::new(), 0, 0u64);
    let mut flips: [Vec<&Group>; 2] = [Vec::new(), Vec::new()];
    while inputs.fill(&mut chunk) {
        for line in chunk.split(|byte| *byte == b'\n') {
            let url = line.strip_suffix(b"\r").unwrap_or(line);
            // All groups have the same profile, so they read URLs in the same way.
            let mut policies = groups.iter().flat_map(|group| &group.policies);
            let Some(target) = policies.next().map(|[policy, _]| policy.target(url)) else {
                continue;
            };
            match target {
                _ if url.is_empty() => {}
                Err(_) => invalid += 1,
                Ok(target) => {
                    flips.iter_mut().for_each(Vec::clear);
                    for group in &changed {
                        let Some(policies) = &group.policies else { continue };
                        let [old, new] = [0, 1].map(|side: usize| policies[side].verdict(&target));
                        if old != new {
                            flips[usize::from(new.is_allow())].push(group);
                        }
                    }
                    for (verdict, groups) in [Verdict::Disallow, Verdict::Allow].iter().zip(&flips)
                    {
                        if !groups.is_empty() {
                            found(url, *verdict, groups)?;
                        }
                    }
                    flipped += u64::from(flips.iter().any(|groups| !groups.is_empty()));
                }
            }
        }
    }
    invalid += report.long_lines();
    if invalid > 0 {
        let lines = if invalid == 1 { "line" } else { "lines" };
        stderr::note(&format_args!(
            "skipped {invalid} {lines} of --urls: a URL is scheme://host/path, or a path that starts \
             with '/'"
        ));
    }
    Ok(flipped)
}
