//! Expectations that hold today.
//!
//! The paths are those that `diff` finds between the file and one that allows everything, and
//! between the file and one that forbids everything: the shortest path for each rule that decides
//! something. Each line is put to the same policies as a test does it, so all of them hold.

use std::collections::HashSet;

use robotsieve::internals::{POLICY_BYTES, PolicyInternals as _, RobotsInternals as _};
use robotsieve::{Crawler, Policy, Robots, Verdict};
use robotsieve_known::{KnownCrawlers, Purpose};
use robotsieve_lint::diff::{self, ComparedCrawlers, Limits};
use robotsieve_lint::internals::Comparisons;
use robotsieve_report::tally::Tally;
use robotsieve_shown::{harmless, pasted, shown};

use super::expectations::SITEMAP;
use super::line::short;
use super::readable::filled;
use super::subject::Subject;
use super::who::{Whos, nobody};

/// How many paths to find for each set of rules, of those that it forbids and of those that it
/// allows.
const PATHS: usize = 50;

/// How much to compare with the rules of `*`, for all crawlers together: a rule counts as one, a star
/// as sixteen more.
const COMPARED: usize = 1 << 18;

/// How many rules to try to find paths that people recognise, for all crawlers together.
const TRIED: usize = 1 << 20;

/// Longer names do not push all URLs to the right.
const WIDTH: usize = 24;

/// Crawlers with the same rules.
struct Same<'a> {
    names: Vec<&'a [u8]>,
    paths: Vec<Vec<u8>>,
    /// For some of the paths, by their places, another one that people recognise, and that the same
    /// rule decides in the first profile.
    readable: Vec<(usize, Vec<u8>)>,
    /// How many more rules decide something, at least.
    more: usize,
    /// True if they were not compared with those of `*`.
    is_uncompared: bool,
}

/// Expectations that hold today, to begin with.
///
/// ```
/// use robotsieve::Profile;
/// use robotsieve_owners::test::{Init, Subject};
/// use robotsieve_known::KnownCrawlers;
///
/// let subject = Subject::new("robots.txt", b"User-agent: *\nDisallow: /x\n", &[Profile::RFC9309]);
/// let init = Init::new(subject, KnownCrawlers::built_in(), &[])?;
/// let text = String::from_utf8(init.text()).unwrap();
/// let is_expected = |line: &str| line.split_whitespace().eq(["disallow", "*", "/x"]);
/// assert!(text.lines().any(is_expected), "{text}");
/// # Ok::<(), String>(())
/// ```
#[derive(Debug)]
pub struct Init<'a> {
    subject: Subject<'a>,
    whos: Whos<'a>,
    blocks: Vec<Vec<Expected>>,
    /// How many names cannot be written.
    left_out: usize,
    /// How many more rules decide something, at least.
    more: usize,
    /// The number of crawlers whose rules were not compared with those of `*`.
    uncompared: usize,
    /// The number of verdicts that are not the same in all profiles.
    differ: usize,
    /// The number of crawlers that may read a part of the sitemap.
    differ_on_sitemap: usize,
    /// The crawlers that are asked about sitemaps: their names, and their numbers.
    of_sitemap: Vec<(Vec<u8>, usize)>,
}

/// A line to write.
#[derive(Debug)]
struct Expected {
    verdict: Verdict,
    who: Vec<u8>,
    url: Vec<u8>,
}

/// The crawlers that the file names, with the paths that tell its rules apart.
fn groups<'a>(subject: &Subject<'a>) -> Vec<Same<'a>> {
    let robots = &subject.robots[0];
    let profile = robots.profile();
    let open = Robots::parse(b"", profile);
    let closed = Robots::parse(b"User-agent: *\nDisallow: /", profile);
    let named = diff::named_crawlers(robots, robots);
    let limits = Limits::default().with_flips(PATHS);
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
    let mut room = POLICY_BYTES;
    let mut policy =
        |crawler: &Crawler| robots.policy_within(&robots.groups().select(crawler), &mut room);
    // Where that is one verdict for all, the paths that tell others apart are among those above.
    let is_uniform = |star: &Policy| {
        [&open, &closed].iter().any(|all| star.decides_like(&all.policy(&nobody())))
    };
    let star = policy(&nobody());
    let star_is_uniform = star.as_ref().is_some_and(is_uniform);
    let (mut left, mut tried) = (COMPARED, TRIED);
    let cost = |policy: &Policy| policy.rule_count() + 16 * policy.rule_set().stars();
    let one = Limits::default().with_flips(1);
    let mut comparisons = Comparisons::new(&one, forbidden.len());
    let groups = forbidden.into_iter().map(|same| {
        let (first, crawler) = (same.crawlers[0], &named[same.crawlers[0]].1);
        let mut known = HashSet::new();
        let (of_allowed, more_allowed) = allowed[first].clone();
        let own = policy(crawler);
        let compared =
            star.as_ref().zip(own.as_ref()).filter(|_| !star_is_uniform).filter(|(star, own)| {
                let rest = left.checked_sub(cost(star) + cost(own));
                left = rest.unwrap_or(left);
                rest.is_some()
            });
        let is_uncompared = compared.is_none() && !star_is_uniform;
        let telling =
            compared.into_iter().flat_map(|(star, own)| telling(&mut comparisons, star, own));
        let all = [b"/".to_vec()].into_iter().chain(paths(&same)).chain(of_allowed).chain(telling);
        let (mut paths, mut readable, mut unwritable) = (Vec::new(), Vec::new(), 0);
        for path in all.filter(|path| known.insert(path.clone())) {
            match written(&path) {
                Some(url) => {
                    let own = own.as_ref().filter(|own| {
                        let rest = tried.checked_sub(2 * own.rule_count());
                        tried = rest.unwrap_or(tried);
                        rest.is_some()
                    });
                    let better = own.and_then(|own| recognised(own, &path));
                    readable.extend(better.map(|better| (paths.len(), better)));
                    paths.push(url);
                }
                None => unwritable += 1,
            }
        }
        Same {
            more: more(&same) + more_allowed + unwritable,
            names: same.crawlers.iter().map(|at| named[*at].0).collect(),
            paths,
            readable,
            is_uncompared,
        }
    });
    groups.collect()
}

/// A path in each direction on which a policy differs from that of crawlers that no group names: a
/// group can be lost that has no rule of its own for it.
fn telling(
    comparisons: &mut Comparisons<'_>,
    star: &Policy,
    own: &Policy,
) -> impl Iterator<Item = Vec<u8>> + use<> {
    let mut flips = Vec::new();
    if let Some(found) = comparisons.next(star, own).flips() {
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

/// The number of further rules that decide such paths, or may.
fn more(same: &ComparedCrawlers<usize>) -> usize {
    same.difference.flips().map_or(0, |flips| flips.more_disallowed + flips.unexamined)
}

/// A path that people recognise, and that the same rule decides as this one.
fn recognised(policy: &Policy, path: &[u8]) -> Option<Vec<u8>> {
    let rule = |path: &[u8]| policy.decide_path(path).ok()?.rule();
    let of_path = rule(path)?;
    let mut better = filled(of_path.pattern())?;
    if better.first() != Some(&b'/') {
        better.insert(0, b'/');
    }
    let of_better = rule(&better)?;
    let is_same = (of_path.line, of_path.verdict) == (of_better.line, of_better.verdict);
    written(&better).filter(|_| is_same)
}

/// A path as a line has it.
fn written(path: &[u8]) -> Option<Vec<u8>> {
    (path.starts_with(b"/") && is_writable(path)).then(|| pasted(path).into_owned())
}

/// Returns true if a text is one field of a line that people read.
fn is_writable(text: &[u8]) -> bool {
    let is_plain = |c: char| !c.is_whitespace() && harmless(c) == c;
    !text.is_empty()
        && !text.starts_with(b"#")
        && str::from_utf8(text).is_ok_and(|text| text.chars().all(is_plain))
}

impl<'a> Init<'a> {
    /// Expectations for `*`, for all crawlers that the file names, and for known ones that differ
    /// from `*`: about these URLs, or if there are none, about the shortest paths on which the
    /// file's rules decide.
    ///
    /// # Errors
    /// Returns what is wrong with a URL that no line can have.
    pub fn new(
        subject: Subject<'a>,
        known: &'a KnownCrawlers,
        urls: &[&[u8]],
    ) -> Result<Init<'a>, String> {
        for url in urls {
            let is_valid =
                subject.robots.iter().all(|robots| robots.policy(&nobody()).target(*url).is_ok());
            if !is_valid || !is_writable(url) {
                return Err(format!(
                    "'{}' cannot be tested: a URL is scheme://host/path, or a path that starts \
                     with '/', and a blank in it is %20",
                    short(url)
                ));
            }
        }
        let mut groups = groups(&subject);
        let mut init = Init {
            subject,
            whos: Whos::new(known),
            blocks: Vec::new(),
            left_out: 0,
            more: 0,
            uncompared: 0,
            differ: 0,
            differ_on_sitemap: 0,
            of_sitemap: Vec::new(),
        };
        if urls.is_empty() {
            groups.iter_mut().for_each(|same| init.make_readable(same));
        }
        init.add_groups(&groups, urls);
        init.add_known(known, &groups, urls);
        init.add_purposes(known, &groups, urls);
        init.find_of_sitemap(&groups);
        Ok(init)
    }

    /// Puts paths that people recognise in the place of others, if all profiles agree about both.
    fn make_readable(&mut self, same: &mut Same<'_>) {
        let Some(name) = same.names.iter().copied().find(|name| self.can_name(name)) else {
            return;
        };
        for (at, better) in std::mem::take(&mut same.readable) {
            let [old, new] = [&same.paths[at], &better].map(|path| self.verdict(name, path));
            if new.is_some() && (old == new || old.is_none()) && !same.paths.contains(&better) {
                same.paths[at] = better;
            }
        }
    }

    fn add_groups(&mut self, groups: &[Same<'_>], urls: &[&[u8]]) {
        for same in groups {
            let names: Vec<&[u8]> =
                same.names.iter().copied().filter(|name| self.can_name(name)).collect();
            self.left_out += same.names.len() - names.len();
            if urls.is_empty() {
                self.more += same.more;
                self.uncompared += if same.is_uncompared { same.names.len() } else { 0 };
            }
            let Some((first, others)) = names.split_first() else { continue };
            let mut lines = Vec::new();
            if urls.is_empty() {
                same.paths.iter().for_each(|path| self.add(first, path, &mut lines));
                for name in others {
                    // One line shows that it has these rules, and not those of everybody.
                    if let Some(path) = self.telling(name, &same.paths) {
                        self.add(name, path, &mut lines);
                    }
                }
            } else {
                for name in &names {
                    urls.iter().for_each(|url| self.add(name, url, &mut lines));
                }
            }
            self.blocks.push(lines);
        }
    }

    /// Returns true if the second field of a line can be this name of one crawler.
    fn can_name(&mut self, name: &[u8]) -> bool {
        is_writable(name)
            && !name.starts_with(b"@")
            && !name.contains(&b',')
            && self.whos.find(name, &self.subject).is_ok()
    }

    /// The verdict of all these crawlers in all profiles. `None` if there is none, or several.
    fn verdict(&mut self, who: &[u8], url: &[u8]) -> Option<Verdict> {
        let number = self.whos.find(who, &self.subject).ok()?;
        let mut policies = self.whos.get(number).asked.iter().flatten().map(|asked| &asked.policy);
        let verdict =
            |policy: &Policy| policy.target(url).ok().map(|target| policy.verdict(&target));
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
    fn add_known(&mut self, known: &KnownCrawlers, groups: &[Same<'_>], urls: &[&[u8]]) {
        let named: HashSet<Vec<u8>> = groups
            .iter()
            .flat_map(|same| same.names.iter().map(|name| name.to_ascii_lowercase()))
            .collect();
        let Ok(star) = self.whos.find(b"*", &self.subject) else { return };
        let mut lines = Vec::new();
        for crawler in known.iter() {
            if named.contains(crawler.token.to_ascii_lowercase().as_bytes()) {
                continue;
            }
            let token = format!("@{}", crawler.token);
            let token = token.as_bytes();
            let Ok(number) = self.whos.find(token, &self.subject) else { continue };
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
    fn add_purposes(&mut self, known: &KnownCrawlers, groups: &[Same<'_>], urls: &[&[u8]]) {
        let star = groups.iter().find(|same| same.names.contains(&&b"*"[..]));
        let mut lines = Vec::new();
        for purpose in Purpose::all() {
            if known.of_purpose(purpose).next().is_none() {
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

    /// Finds whom to ask about sitemaps: those that are named, and the crawlers of the two largest
    /// engines.
    fn find_of_sitemap(&mut self, groups: &[Same<'_>]) {
        let named = groups.iter().flat_map(|same| same.names.iter().copied());
        for name in [&b"*"[..], b"Googlebot", b"bingbot"].into_iter().chain(named) {
            let is_new = |(other, _): &(Vec<u8>, usize)| !other.eq_ignore_ascii_case(name);
            if self.of_sitemap.iter().all(is_new)
                && self.can_name(name)
                && let Ok(who) = self.whos.find(name, &self.subject)
            {
                self.of_sitemap.push((name.to_vec(), who));
            }
        }
    }

    /// The policies to ask about all URLs of the sitemaps, each with an empty tally. Add the URLs
    /// to the tallies, and pass these to [`Init::add_sitemap`] in this order.
    #[must_use]
    pub fn sitemap_policies(&self) -> Vec<(Policy, Tally)> {
        let whos = self.of_sitemap.iter().map(|(_, who)| self.whos.get(*who));
        let asked = whos.flat_map(|who| who.asked.iter().flatten());
        asked.map(|asked| (asked.policy.clone(), self.subject.tally(Verdict::Allow))).collect()
    }

    /// Adds lines about `@sitemap` for those crawlers that may read all of its URLs, or none.
    pub fn add_sitemap(&mut self, mut tallies: &[Tally]) {
        let mut lines = Vec::new();
        for (name, who) in &self.of_sitemap {
            let count = self.whos.get(*who).asked.iter().map(Vec::len).sum::<usize>();
            let of_it;
            (of_it, tallies) = tallies.split_at(count.min(tallies.len()));
            let verdict = if of_it.iter().all(|tally| tally.disallowed == 0) {
                Verdict::Allow
            } else if of_it.iter().all(|tally| tally.allowed == 0) {
                Verdict::Disallow
            } else {
                self.differ_on_sitemap += 1;
                continue;
            };
            lines.push(Expected { verdict, who: name.clone(), url: SITEMAP.to_vec() });
        }
        self.blocks.push(lines);
    }

    /// The robots.txt that they are about.
    pub fn subject(&self) -> &Subject<'a> {
        &self.subject
    }

    /// The number of expectations there are.
    pub fn len(&self) -> usize {
        self.blocks.iter().map(Vec::len).sum()
    }

    /// Returns true if there is no expectation.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The file of expectations.
    #[must_use]
    pub fn text(&self) -> Vec<u8> {
        let (left_out, more) = (self.left_out, self.more);
        let numbers = 0..self.subject.robots.len();
        let names: Vec<&str> = numbers.map(|number| self.subject.profile_name(number)).collect();
        let s = if names.len() == 1 { "" } else { "s" };
        let mut text = format!(
            "# What '{}' says now (profile{s} {}), as 'robotsieve test --init' found it.\n\
             # Edit what should be otherwise; 'robotsieve test' then says what is not so.\n",
            shown(self.subject.name.as_bytes()),
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
        if self.uncompared > 0 {
            let s = if self.uncompared == 1 { "" } else { "s" };
            text.extend_from_slice(
                format!(
                    "# The rules of {} crawler{s} are not compared with those of '*': that would \
                     take too long.\n",
                    self.uncompared
                )
                .as_bytes(),
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
