//! `test --init`: expectations that hold today.
//!
//! The paths are those that `diff` finds between the file and one that allows everything, and
//! between the file and one that forbids everything: the shortest path for each rule that decides
//! something. Each line is put to the same policies as `test` does it, so all of them hold.

use std::collections::HashSet;

use clap::ValueEnum;
use robotsieve::diff::{self, ComparedCrawlers, Limits};
use robotsieve::{Policy, Robots, Verdict};

use super::args::TestArgs;
use super::failure::Miss;
use super::sitemap::{OfSitemap, WORD};
use super::who::Whos;
use super::{File, line};
use crate::error::{Failure, Status};
use crate::known::{Known, Purpose};
use crate::sitemap::Tally;
use crate::write::bytes::{harmless, shown};
use crate::write::progress;
use crate::write::stderr;
use crate::write::stdout;

/// How many paths to find for each set of rules, of those that it forbids and of those that it
/// allows.
const PATHS: usize = 50;

/// A file keeps every policy that it is asked for, so it is parsed again after so many.
const QUESTIONS: usize = 16;

/// Any host will do.
const HOST: &[u8] = b"https://example.com";

/// Longer names do not push all URLs to the right.
const WIDTH: usize = 24;

/// Crawlers with the same rules.
struct Same<'a> {
    names: Vec<&'a [u8]>,
    paths: Vec<Vec<u8>>,
    /// How many more rules decide something, at least.
    more: usize,
}

/// Prints the expectations.
pub fn run(
    args: &TestArgs,
    file: &File<'_>,
    known: &Known,
    whos: Whos<'_, '_>,
) -> Result<Status, Failure> {
    let urls: Vec<&[u8]> = args.rest.iter().map(|url| url.as_encoded_bytes()).collect();
    let mut writer = Writer { whos, blocks: Vec::new(), differ: 0, differ_on_sitemap: 0 };
    for url in &urls {
        let is_valid = file.robots.iter().all(|robots| {
            let policy = robots.policy(&super::who::nobody());
            policy.target(*url).is_ok()
        });
        if !is_valid || !is_writable(url) {
            return Err(Failure::Usage(format!(
                "'{}' cannot be tested: a URL is scheme://host/path, or a path that starts with \
                 '/', and a blank in it is %20",
                line::short(url)
            )));
        }
    }
    let groups = progress::with_spinner(args.progress.progress, "comparing", || groups(file));
    let mut left_out = 0;
    for same in &groups {
        let names: Vec<&[u8]> =
            same.names.iter().copied().filter(|name| writer.can_name(name)).collect();
        left_out += same.names.len() - names.len();
        let Some((first, others)) = names.split_first() else { continue };
        let mut lines = Vec::new();
        if urls.is_empty() {
            let paths = same.paths.iter().map(Vec::as_slice);
            paths.for_each(|path| writer.add(first, path, &mut lines));
            for name in others {
                // One line shows that it has these rules, and not those of everybody.
                if let Some(path) = writer.telling(name, &same.paths) {
                    writer.add(name, path, &mut lines);
                }
            }
        } else {
            for name in &names {
                urls.iter().for_each(|url| writer.add(name, url, &mut lines));
            }
        }
        writer.blocks.push(lines);
    }
    writer.add_known(known, &groups, &urls);
    writer.add_purposes(known, &groups, &urls);
    let mut status = Status::Done;
    if args.sitemap.is_given() {
        status = writer.add_sitemap(args, file, &groups)?;
    }
    let count = writer.blocks.iter().map(Vec::len).sum::<usize>();
    let more = if urls.is_empty() { groups.iter().map(|same| same.more).sum() } else { 0 };
    let text = writer.text(file, left_out, more);
    stdout::print(text)?;
    let s = if count == 1 { "" } else { "s" };
    stderr::note(&format_args!("{count} expectation{s} printed"));
    Ok(status)
}

/// The crawlers that the file names, with the paths that tell its rules apart.
fn groups<'a>(file: &File<'a>) -> Vec<Same<'a>> {
    let (_, profile) = file.profiles[0];
    let robots = &file.robots[0];
    let open = Robots::parse(b"", &profile);
    let closed = Robots::parse(b"User-agent: *\nDisallow: /", &profile);
    let named = diff::named_crawlers(robots, robots);
    let mut limits = Limits::default();
    limits.flips = PATHS;
    let compare = |old: &Robots<'_>, new: &Robots<'_>| -> Vec<ComparedCrawlers<usize>> {
        let crawlers = named.iter().enumerate();
        diff::crawlers(old, new, crawlers.map(|(at, (_, crawler))| (at, crawler.clone())), &limits)
    };
    let forbidden = compare(&open, robots);
    let mut allowed: Vec<(Vec<Vec<u8>>, usize)> = vec![Default::default(); named.len()];
    for same in compare(robots, &closed) {
        allowed[same.crawlers[0]] = (paths(&same), more(&same));
        for other in &same.crawlers[1..] {
            allowed[*other] = allowed[same.crawlers[0]].clone();
        }
    }
    let mut asked = Robots::parse(file.bytes, &profile);
    let groups = forbidden.into_iter().enumerate().map(|(number, same)| {
        if number % QUESTIONS == QUESTIONS - 1 {
            asked = Robots::parse(file.bytes, &profile);
        }
        let (first, crawler) = (same.crawlers[0], &named[same.crawlers[0]].1);
        let mut known = HashSet::new();
        let (of_allowed, more_allowed) = allowed[first].clone();
        let telling = telling(&asked.policy(&super::who::nobody()), &asked.policy(crawler));
        let all = [b"/".to_vec()].into_iter().chain(paths(&same)).chain(of_allowed).chain(telling);
        let (mut paths, mut unwritable) = (Vec::new(), 0);
        for path in all.filter(|path| known.insert(path.clone())) {
            match written(&path) {
                Some(url) => paths.push(url),
                None => unwritable += 1,
            }
        }
        Same {
            more: more(&same) + more_allowed + unwritable,
            names: same.crawlers.iter().map(|at| named[*at].0).collect(),
            paths,
        }
    });
    groups.collect()
}

/// A path in each direction on which a policy differs from that of crawlers that no group names: a
/// group can be lost that has no rule of its own for it.
fn telling(star: &Policy, own: &Policy) -> impl Iterator<Item = Vec<u8>> + use<> {
    let mut limits = Limits::default();
    limits.flips = 1;
    let mut flips = Vec::new();
    if !own.is_same(star)
        && let Some(found) = diff::policies(star, own, &limits).flips()
    {
        flips.extend(found.newly_disallowed.iter().chain(&found.newly_allowed).cloned());
    }
    flips.into_iter().map(|flip| flip.path)
}

/// The paths that the old side allows and the new one does not.
fn paths(same: &ComparedCrawlers<usize>) -> Vec<Vec<u8>> {
    let flips = same.difference.flips();
    flips
        .into_iter()
        .flat_map(|flips| &flips.newly_disallowed)
        .map(|flip| flip.path.clone())
        .collect()
}

/// How many more rules decide such paths, or may.
fn more(same: &ComparedCrawlers<usize>) -> usize {
    same.difference.flips().map_or(0, |flips| flips.more_disallowed + flips.unexamined)
}

/// A path as a line has it: after a host if it begins with two slashes, since it would begin with one
/// itself in some profile.
fn written(path: &[u8]) -> Option<Vec<u8>> {
    let host: &[u8] = if path.starts_with(b"//") { HOST } else { b"" };
    (path.starts_with(b"/") && is_writable(path)).then(|| [host, path].concat())
}

/// Whether a text is one field of a line that people read.
fn is_writable(text: &[u8]) -> bool {
    let is_plain = |c: char| !c.is_whitespace() && harmless(c) == c;
    !text.is_empty()
        && !text.starts_with(b"#")
        && str::from_utf8(text).is_ok_and(|text| text.chars().all(is_plain))
}

/// A line to write.
struct Expected {
    verdict: Verdict,
    who: Vec<u8>,
    url: Vec<u8>,
}

struct Writer<'k, 'r> {
    whos: Whos<'k, 'r>,
    blocks: Vec<Vec<Expected>>,
    /// How many verdicts are not the same in all profiles.
    differ: usize,
    /// How many crawlers may read a part of the sitemap.
    differ_on_sitemap: usize,
}

impl Writer<'_, '_> {
    /// Whether the second field of a line can be this name of one crawler.
    fn can_name(&mut self, name: &[u8]) -> bool {
        is_writable(name)
            && !name.starts_with(b"@")
            && !name.contains(&b',')
            && self.whos.find(name).is_ok()
    }

    /// The verdict of all these crawlers in all profiles. `None` if there is none, or several.
    fn verdict(&mut self, who: &[u8], url: &[u8]) -> Option<Verdict> {
        let number = self.whos.find(who).ok()?;
        let mut policies = self.whos.get(number).asked.iter().flatten().map(|asked| &asked.policy);
        let verdict = |policy: &robotsieve::Policy| {
            policy.target(url).ok().map(|target| policy.verdict(&target))
        };
        let first = verdict(policies.next()?)?;
        policies.all(|policy| verdict(policy) == Some(first)).then_some(first)
    }

    fn add(&mut self, who: &[u8], url: &[u8], lines: &mut Vec<Expected>) {
        match self.verdict(who, url) {
            Some(verdict) => {
                lines.push(Expected { verdict, who: who.to_vec(), url: url.to_vec() });
            }
            None => self.differ += 1,
        }
    }

    /// The first path whose verdict is not that of a crawler without a group of its own; else the
    /// first.
    fn telling<'p>(&mut self, who: &[u8], paths: &'p [Vec<u8>]) -> Option<&'p Vec<u8>> {
        let found = paths.iter().find(|path| self.differs(who, path));
        found.or(paths.first())
    }

    fn differs(&mut self, who: &[u8], path: &[u8]) -> bool {
        let [one, other] = [self.verdict(who, path), self.verdict(b"*", path)];
        one.is_some() && other.is_some() && one != other
    }

    /// Known crawlers that the file does not name, and that do not obey the group of `*` alone.
    fn add_known(&mut self, known: &Known, groups: &[Same<'_>], urls: &[&[u8]]) {
        let named: HashSet<Vec<u8>> = groups
            .iter()
            .flat_map(|same| same.names.iter().map(|name| name.to_ascii_lowercase()))
            .collect();
        let Ok(star) = self.whos.find(b"*") else { return };
        let mut lines = Vec::new();
        for crawler in known.iter() {
            let token = crawler.token.as_bytes();
            if named.contains(&token.to_ascii_lowercase()) || !self.can_name(token) {
                continue;
            }
            let Ok(number) = self.whos.find(token) else { continue };
            let [own, of_star] = [number, star].map(|who| &self.whos.get(who).asked[0][0].policy);
            if own.is_same(of_star) {
                continue;
            }
            if urls.is_empty() {
                let paths = groups.iter().flat_map(|same| &same.paths);
                let path = paths.take(64).find(|path| self.differs(token, path));
                path.into_iter().for_each(|path| self.add(token, path, &mut lines));
            } else {
                for url in urls {
                    if self.differs(token, url) {
                        self.add(token, url, &mut lines);
                    }
                }
            }
        }
        self.blocks.push(lines);
    }

    /// Purposes whose known crawlers all get another verdict than a crawler that no group names.
    fn add_purposes(&mut self, known: &Known, groups: &[Same<'_>], urls: &[&[u8]]) {
        let star = groups.iter().find(|same| same.names.contains(&&b"*"[..]));
        let mut lines = Vec::new();
        for purpose in Purpose::value_variants() {
            if known.of_purpose(*purpose).next().is_none() {
                continue;
            }
            let who = format!("@{purpose}");
            let own = star.iter().flat_map(|same| same.paths.iter().map(Vec::as_slice));
            let paths = urls.iter().copied().chain(own.filter(|_| urls.is_empty()));
            for path in paths {
                if self.differs(who.as_bytes(), path) {
                    self.add(who.as_bytes(), path, &mut lines);
                }
            }
        }
        self.blocks.push(lines);
    }

    /// The sitemap for those that are named, and for the crawlers of the two largest engines, as far
    /// as all of its URLs get the same verdict.
    fn add_sitemap(
        &mut self,
        args: &TestArgs,
        file: &File<'_>,
        groups: &[Same<'_>],
    ) -> Result<Status, Failure> {
        let named = groups.iter().flat_map(|same| same.names.iter().copied());
        let mut names: Vec<&[u8]> = Vec::new();
        for name in [&b"*"[..], b"Googlebot", b"bingbot"].into_iter().chain(named) {
            if !names.iter().any(|other| other.eq_ignore_ascii_case(name)) && self.can_name(name) {
                names.push(name);
            }
        }
        let mut numbers = Vec::new();
        for name in &names {
            numbers.extend(self.whos.find(name));
        }
        let whos = &self.whos;
        let asked = numbers.iter().map(|who| (*who, whos.get(*who), Verdict::Allow));
        let judged = OfSitemap::read(args, file, asked)?;
        let mut lines = Vec::new();
        // What is not known of a part of it does not hold for all.
        let is_whole = judged.status == Status::Done;
        for (name, who) in names.iter().zip(numbers).filter(|_| is_whole) {
            let policies = whos.get(who).asked.iter().enumerate();
            let misses = policies.flat_map(|(profile, policies)| {
                (0..policies.len()).map(move |asked| Miss { profile, asked })
            });
            let tallies: Vec<&Tally> =
                misses.filter_map(|miss| judged.tally(who, miss, Verdict::Allow)).collect();
            let verdict = if tallies.iter().all(|tally| tally.disallowed == 0) {
                Verdict::Allow
            } else if tallies.iter().all(|tally| tally.allowed == 0) {
                Verdict::Disallow
            } else {
                self.differ_on_sitemap += 1;
                continue;
            };
            lines.push(Expected { verdict, who: name.to_vec(), url: WORD.to_vec() });
        }
        self.blocks.push(lines);
        Ok(judged.status)
    }

    /// The file of expectations.
    fn text(self, file: &File<'_>, left_out: usize, more: usize) -> Vec<u8> {
        let names: Vec<&str> = file.profiles.iter().map(|(name, _)| *name).collect();
        let s = if names.len() == 1 { "" } else { "s" };
        let mut text = format!(
            "# What '{}' says now (profile{s} {}), as 'robotsieve test --init' found it.\n\
             # Edit what should be otherwise; 'robotsieve test' then says what is not so.\n",
            shown(file.name.as_bytes()),
            names.join(", "),
        )
        .into_bytes();
        if left_out > 0 {
            let names = if left_out == 1 { "name is" } else { "names are" };
            text.extend_from_slice(
                format!("# {left_out} {names} left out that cannot be written here.\n").as_bytes(),
            );
        }
        if more > 0 {
            let rules = if more == 1 { "rule may decide" } else { "rules may decide" };
            text.extend_from_slice(
                format!("# {more} more {rules} paths that have no line here.\n").as_bytes(),
            );
        }
        if self.differ > 0 {
            let verdicts = if self.differ == 1 { "verdict is" } else { "verdicts are" };
            text.extend_from_slice(
                format!("# {} {verdicts} left out that the profiles differ on.\n", self.differ)
                    .as_bytes(),
            );
        }
        if self.differ_on_sitemap > 0 {
            let crawlers = if self.differ_on_sitemap == 1 { "crawler" } else { "crawlers" };
            text.extend_from_slice(
                format!(
                    "# {} {crawlers} left out that may read a part of the sitemap.\n",
                    self.differ_on_sitemap
                )
                .as_bytes(),
            );
        }
        let lines = || self.blocks.iter().flatten();
        let width = lines().map(|line| line.who.len()).filter(|len| *len <= WIDTH).max();
        for block in self.blocks.iter().filter(|block| !block.is_empty()) {
            text.push(b'\n');
            for Expected { verdict, who, url } in block {
                let who = String::from_utf8_lossy(who);
                let url = String::from_utf8_lossy(url);
                let width = width.unwrap_or(0);
                text.extend_from_slice(format!("{verdict:8}  {who:width$}  {url}\n").as_bytes());
            }
        }
        text
    }
}
