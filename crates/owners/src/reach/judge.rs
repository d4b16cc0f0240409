//! The judgement.
//!
//! Every crawler's policy is compared with one that allows everything and with one that forbids
//! everything ([`diff`](robotsieve_lint::diff)): the first gives the rules that forbid something, the second
//! those that allow something in spite of others. Crawlers with equal policies are one class.

use std::collections::{HashMap, HashSet};
use std::fmt;

use robotsieve::explain::{Selection, Standing};
use robotsieve::{Crawler, Policy, Profile, Robots, TargetForm, Verdict};
use robotsieve_known::KnownCrawler;
use robotsieve_known::internals::read_part;
use robotsieve_lint::diff::{self, Difference, Extent, Flip, Limits, Unproven};
use robotsieve_report::text;
use robotsieve_shown::shown;

use super::document::{ReachBy, ReachPath, ReachPolicy, Reads};

/// The number of rules of a class that are found at most, in each direction. The rest is counted.
const RULES: usize = 16;

/// The number of pages that are found if none is asked for.
const PAGES: usize = 5;

/// The number of paths that are tried to find them.
const CANDIDATES: usize = 32;

/// After so many questions the file is parsed again. A parsed file keeps every policy that it was
/// asked for, and a hostile file can have a large one for each crawler.
const QUESTIONS: u32 = 16;

/// A page that is no valid URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidPage {
    page: Vec<u8>,
}

impl fmt::Display for InvalidPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "'{}' is invalid: a URL is scheme://host/path, or a path that starts with '/'",
            shown(&self.page)
        )
    }
}

impl std::error::Error for InvalidPage {}

/// What is found out.
pub(super) struct Judged {
    pub pages: Vec<Vec<u8>>,
    pub classes: Vec<Class>,
    /// For each crawler its class, and which groups it obeys, with their lines if they name it.
    pub crawlers: Vec<(usize, ReachBy, Vec<u32>)>,
}

/// Crawlers that may read the same.
pub(super) struct Class {
    reads: Reads,
    forbidden: Vec<Flip>,
    allowed: Vec<Flip>,
    more_forbidden: usize,
    more_allowed: usize,
    unproven: Option<String>,
    verdicts: Vec<Verdict>,
    /// The number of the reading of the file that its policies are of.
    reading: usize,
}

/// The profile in which a file is read for a crawler.
pub(super) fn own_profile(crawler: &KnownCrawler, asked: &Profile, by_operators: bool) -> Profile {
    crawler.profile.filter(|_| by_operators).unwrap_or(*asked)
}

/// A file that is asked for the policies of many crawlers.
struct AskedFile<'f> {
    file: &'f [u8],
    profile: Profile,
    robots: Robots<'f>,
    questions: u32,
}

impl<'f> AskedFile<'f> {
    fn robots(&mut self) -> &Robots<'f> {
        self.questions += 1;
        if self.questions > QUESTIONS {
            self.robots = Robots::parse(self.file, &self.profile);
            self.questions = 1;
        }
        &self.robots
    }
}

/// Judges crawlers by a file, which stands for an answer of its URL if that is said, on these pages
/// or those that tell the crawlers apart.
///
/// # Errors
/// Returns an error if a page is an invalid URL.
pub(super) fn judge(
    file: &[u8],
    profile: &Profile,
    by_operators: bool,
    is_answer: bool,
    crawlers: &[&KnownCrawler],
    pages: &[Vec<u8>],
) -> Result<Judged, InvalidPage> {
    let given = profile;
    let mut readings: Vec<(Profile, Vec<usize>)> = Vec::new();
    for (number, crawler) in crawlers.iter().enumerate() {
        let own = own_profile(crawler, profile, by_operators);
        match readings.iter_mut().find(|(profile, _)| *profile == own) {
            Some((_, numbers)) => numbers.push(number),
            None => readings.push((own, vec![number])),
        }
    }
    let mut asked: Vec<AskedFile<'_>> = Vec::new();
    let mut by = vec![(ReachBy::Answer, Vec::new()); crawlers.len()];
    let mut classes: Vec<(Vec<usize>, Class)> = Vec::new();
    for (reading, (profile, numbers)) in readings.into_iter().enumerate() {
        let file = if profile == *given { file } else { read_part(file) };
        let robots = Robots::parse(file, &profile);
        asked.push(AskedFile {
            file,
            profile,
            robots: Robots::parse(file, &profile),
            questions: 0,
        });
        if !is_answer {
            for &number in &numbers {
                by[number] = who_is_named(&robots, crawlers[number]);
            }
        }
        // Those that ignore the rules for everybody have none.
        let ignores = |number: &usize| by[*number].0 == ReachBy::IgnoresStar;
        let (unruled, ruled): (Vec<usize>, Vec<usize>) = numbers.into_iter().partition(ignores);
        let ruled = ruled.into_iter().map(|number| (number, crawlers[number].crawler())).collect();
        let mut of_reading = classes_of(&robots, &mut asked[reading], ruled);
        if !unruled.is_empty() {
            of_reading.push((unruled, Class::everything()));
        }
        of_reading.iter_mut().for_each(|(_, class)| class.reading = reading);
        classes.extend(of_reading);
    }
    if is_answer {
        // There is no rule that could be named.
        for (_, class) in &mut classes {
            let flips = class.forbidden.iter_mut().chain(&mut class.allowed);
            flips.for_each(|flip| flip.new = None);
        }
    }
    let pages = if pages.is_empty() {
        told_apart(&mut asked, crawlers, &mut classes)
    } else {
        judge_pages(&mut asked, crawlers, pages, &mut classes, Policy::is_allowed)?;
        pages.to_vec()
    };
    let mut class_of = vec![0; crawlers.len()];
    for (class, (numbers, _)) in classes.iter().enumerate() {
        numbers.iter().for_each(|number| class_of[*number] = class);
    }
    Ok(Judged {
        pages,
        classes: classes.into_iter().map(|(_, class)| class).collect(),
        crawlers: class_of.into_iter().zip(by).map(|(of, (by, lines))| (of, by, lines)).collect(),
    })
}

/// Which groups a crawler obeys.
fn who_is_named(robots: &Robots<'_>, crawler: &KnownCrawler) -> (ReachBy, Vec<u32>) {
    if crawler.is_named(robots) {
        // Without a policy, which the parsed file would keep.
        let selection = Selection::of(robots, &crawler.crawler());
        let chosen = selection.lines.iter().filter(|line| line.standing == Standing::Chosen);
        return (ReachBy::Named, chosen.map(|line| line.line).collect());
    }
    let has_star = !robots.group_of(&Crawler::names([""; 0])).is_empty();
    let by = match (crawler.star, has_star) {
        (false, _) => ReachBy::IgnoresStar,
        (true, false) => ReachBy::None,
        (true, true) => ReachBy::Everybody,
    };
    (by, Vec::new())
}

/// Crawlers by what they may read, without verdicts on pages.
fn classes_of(
    robots: &Robots<'_>,
    asked: &mut AskedFile<'_>,
    crawlers: Vec<(usize, Crawler)>,
) -> Vec<(Vec<usize>, Class)> {
    let profile = robots.profile();
    let open = Robots::parse(b"", profile);
    let closed = Robots::parse(b"User-agent: *\nDisallow: /\n", profile);
    let limits = Limits::default().with_flips(RULES);
    let compare =
        |with: &Robots<'_>| diff::crawlers(with, robots, crawlers.iter().cloned(), &limits);
    let (with_open, with_closed) = (compare(&open), compare(&closed));
    let mut other: HashMap<usize, usize> = HashMap::new();
    for (at, same) in with_closed.iter().enumerate() {
        other.extend(same.crawlers.iter().map(|number| (*number, at)));
    }
    let mut classes: Vec<(Vec<usize>, Class)> = Vec::new();
    // Groups on other lines can say the same, and then each has its own lines.
    let mut known: HashMap<(usize, usize, Vec<u32>), usize> = HashMap::new();
    let crawler_of: HashMap<usize, &Crawler> =
        crawlers.iter().map(|(number, crawler)| (*number, crawler)).collect();
    for (at, same) in with_open.iter().enumerate() {
        for &number in &same.crawlers {
            let Some(&of_closed) = other.get(&number) else { continue };
            let crawler = crawler_of[&number];
            let group = robots.group_of(crawler).into_iter().map(|(line, _)| line).collect();
            let class = *known.entry((at, of_closed, group)).or_insert_with(|| {
                let compared = [same, &with_closed[of_closed]];
                let mut class = Class::of(compared.map(|same| &same.difference));
                if compared.iter().any(|same| same.crawlers[0] != number) {
                    class.take_lines_of(&asked.robots().policy(crawler));
                }
                classes.push((Vec::new(), class));
                classes.len() - 1
            });
            classes[class].0.push(number);
        }
    }
    classes
}

impl Class {
    fn everything() -> Class {
        Class {
            reads: Reads::Everything,
            forbidden: Vec::new(),
            allowed: Vec::new(),
            more_forbidden: 0,
            more_allowed: 0,
            unproven: None,
            verdicts: Vec::new(),
            reading: 0,
        }
    }

    /// From the differences to what allows everything and to what forbids everything.
    fn of([open, closed]: [&Difference; 2]) -> Class {
        let mut class = Class::everything();
        class.reads = match (open, closed) {
            (Difference::Equal, _) => Reads::Everything,
            (_, Difference::Equal) => Reads::Nothing,
            (Difference::Different(_), Difference::Different(_)) => Reads::Partly,
            _ => Reads::Unproven,
        };
        if let Some(flips) = open.flips() {
            class.forbidden.clone_from(&flips.newly_disallowed);
            class.more_forbidden = flips.more_disallowed;
        }
        if let Some(flips) = closed.flips() {
            class.allowed.clone_from(&flips.newly_allowed);
            class.more_allowed = flips.more_allowed;
        }
        class.sort();
        if ![Reads::Everything, Reads::Nothing].contains(&class.reads) {
            class.unproven = unproven([open, closed]);
        }
        if class.leaves_robots_txt_only() {
            class.reads = Reads::Nothing;
        }
        class
    }

    /// Puts the rules into the order of the file.
    fn sort(&mut self) {
        for flips in [&mut self.forbidden, &mut self.allowed] {
            flips.sort_by_key(|flip| flip.new.as_ref().map(|rule| rule.line));
        }
    }

    /// Returns true if the one thing that a rule opens is robots.txt itself, which is no page.
    fn leaves_robots_txt_only(&self) -> bool {
        let rule = |flip: &Flip| flip.new.as_ref().map(|rule| rule.value.clone());
        let is_robots_txt = |flip: &Flip| {
            rule(flip)
                .is_some_and(|rule| [&b"/robots.txt"[..], b"/robots.txt$"].contains(&&rule[..]))
        };
        self.reads == Reads::Partly
            && self.unproven.is_none()
            && self.more_allowed == 0
            && self.forbidden.iter().filter_map(rule).any(|rule| is_for_all(&rule))
            && self.allowed.iter().all(is_robots_txt)
    }

    /// Gives the rules the lines that they have in a policy with equal ones.
    fn take_lines_of(&mut self, policy: &Policy) {
        for flip in self.forbidden.iter_mut().chain(&mut self.allowed) {
            if let Some(rule) = &mut flip.new
                && let Ok(decision) = policy.decide_path(&flip.path)
                && let Some(own) = decision.rule()
            {
                (rule.line, rule.value) = (own.line, own.value.to_vec());
            }
        }
        self.sort();
    }

    pub(super) fn report(self) -> ReachPolicy {
        ReachPolicy {
            reads: self.reads,
            text: String::new(),
            forbidden: self.forbidden.iter().map(path_report).collect(),
            allowed: self.allowed.iter().map(path_report).collect(),
            more_forbidden: self.more_forbidden,
            more_allowed: self.more_allowed,
            unproven: self.unproven,
            verdicts: self.verdicts,
            sitemap: None,
            sitemap_text: None,
        }
    }
}

/// Returns true if a rule matches every path.
pub(super) fn is_for_all(rule: &[u8]) -> bool {
    let stars = rule.strip_prefix(b"/").unwrap_or(rule);
    !rule.is_empty() && stars.iter().all(|byte| *byte == b'*')
}

/// Why there may be rules that these comparisons did not find.
fn unproven(compared: [&Difference; 2]) -> Option<String> {
    let unproven = compared.into_iter().find_map(|difference| match difference {
        Difference::Different(flips) => flips.unproven,
        Difference::Unknown { unproven, .. } => Some(*unproven),
        Difference::Equal => None,
    });
    let unproven = unproven.map(|unproven| match unproven {
        // Those of the file; there is no older one.
        Unproven::New(limit) => format!("the rules are over the automaton's limits: {limit}"),
        unproven => unproven.to_string(),
    });
    let unexamined = compared.into_iter().filter_map(Difference::flips);
    let unexamined: usize = unexamined.map(|flips| flips.unexamined).sum();
    unproven.or_else(|| {
        let s = if unexamined == 1 { "" } else { "s" };
        (unexamined > 0).then(|| format!("there was no budget for {unexamined} rule{s}"))
    })
}

fn path_report(flip: &Flip) -> ReachPath {
    let optional = |bytes: Option<&[u8]>| match bytes.map(text) {
        Some((text, base64)) => (Some(text), base64),
        None => (None, None),
    };
    let (path, path_base64) = text(&flip.path);
    let (rule, rule_base64) = optional(flip.new.as_ref().map(|rule| &rule.value[..]));
    let (extent, below) = match flip.extent {
        Extent::Path => ("path", None),
        Extent::From => ("from", None),
        Extent::Below(len) => ("below", Some(&flip.path[..len])),
    };
    let (below, below_base64) = optional(below);
    ReachPath {
        line: flip.new.as_ref().map(|rule| rule.line),
        rule,
        rule_base64,
        path,
        path_base64,
        shortest: flip.is_shortest,
        extent,
        below,
        below_base64,
    }
}

/// Fills in the verdicts of each class on pages, which a function of the policies judges.
///
/// # Errors
/// Returns an error if a page is an invalid URL.
fn judge_pages<E>(
    asked: &mut [AskedFile<'_>],
    crawlers: &[&KnownCrawler],
    pages: &[Vec<u8>],
    classes: &mut [(Vec<usize>, Class)],
    is_allowed: impl Fn(&Policy, &Vec<u8>) -> Result<bool, E>,
) -> Result<(), InvalidPage> {
    for (numbers, class) in classes {
        let Some(&first) = numbers.first() else { continue };
        // All of a class have equal policies.
        let policy = crawlers[first].policy(asked[class.reading].robots());
        for page in pages {
            let is_allowed =
                is_allowed(&policy, page).map_err(|_| InvalidPage { page: page.clone() })?;
            class.verdicts.push(if is_allowed { Verdict::Allow } else { Verdict::Disallow });
        }
    }
    Ok(())
}

/// `/`, and short paths on which the classes differ, each in another way; fills in the verdicts.
fn told_apart(
    asked: &mut [AskedFile<'_>],
    crawlers: &[&KnownCrawler],
    classes: &mut [(Vec<usize>, Class)],
) -> Vec<Vec<u8>> {
    let mut seen: HashSet<&[u8]> = HashSet::from([&b"/"[..]]);
    let mut pages: Vec<Vec<u8>> = Vec::new();
    // The first path of every class, then the second, so that no class is left out.
    for at in 0..RULES {
        for (_, class) in &*classes {
            for flip in [class.forbidden.get(at), class.allowed.get(at)].into_iter().flatten() {
                // Asked for as a URL, this one would begin with a host.
                let google =
                    |asked: &AskedFile<'_>| asked.profile.target_form == TargetForm::Google;
                let is_url = flip.path.starts_with(b"//") && asked.iter().any(google);
                if !is_url && pages.len() < CANDIDATES && seen.insert(&flip.path) {
                    pages.push(flip.path.clone());
                }
            }
        }
    }
    pages.sort_by_key(Vec::len);
    pages.insert(0, b"/".to_vec());
    // Paths are valid: `/`, and what the comparison found.
    let _ = judge_pages(asked, crawlers, &pages, classes, Policy::is_path_allowed);
    let mut known: HashSet<Vec<Verdict>> = HashSet::new();
    let kept: Vec<usize> = (0..pages.len())
        .filter(|&page| {
            let verdicts: Vec<Verdict> =
                classes.iter().filter_map(|(_, class)| class.verdicts.get(page).copied()).collect();
            let differ = verdicts.iter().any(|verdict| *verdict != verdicts[0]);
            (page == 0 || differ) && known.insert(verdicts)
        })
        .take(PAGES)
        .collect();
    for (_, class) in classes {
        class.verdicts =
            kept.iter().filter_map(|page| class.verdicts.get(*page).copied()).collect();
    }
    kept.into_iter().map(|page| std::mem::take(&mut pages[page])).collect()
}
