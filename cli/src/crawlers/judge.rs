//! What the known crawlers may read.
//!
//! Every crawler's policy is compared with one that allows everything and with one that forbids
//! everything ([`robotsieve::diff`]): the first gives the rules that forbid something, the second
//! those that allow something in spite of others. Crawlers with equal policies are one class.

use std::collections::{HashMap, HashSet};

use robotsieve::diff::{self, Difference, Flip, Limits, Unproven};
use robotsieve::explain::{GroupChoice, Standing};
use robotsieve::{Config, Crawler, Policy, Profile, Robots, TargetForm, Verdict};

use crate::diff::is_for_all;
use crate::error::Failure;
use crate::known::{KnownCrawler, Purpose};
use crate::read::robots_file::Given;
use crate::sitemap::{self, Sitemaps, Split, Tally};
use crate::write::bytes::shown;

/// How many rules of a class are found at most, in each direction. The rest is counted.
const RULES: usize = 16;

/// How many pages are shown if none is asked for.
const PAGES: usize = 5;

/// How many paths are tried to find them.
const CANDIDATES: usize = 32;

/// How much memory the policies of all classes may take while a sitemap is read.
const POLICY_BYTES: usize = 512 << 20;

/// After so many questions the file is parsed again. A parsed file keeps every policy that it was
/// asked for, and a hostile file can have a large one for each crawler.
const QUESTIONS: u32 = 16;

/// Everything that is printed.
pub struct Table<'k> {
    /// URLs as given, or paths that tell crawlers apart.
    pub pages: Vec<Page>,
    pub crawlers: Vec<Judged<'k>>,
    pub classes: Vec<Class>,
    /// Which URLs of the sitemap were judged, if one is given.
    pub sitemap: Option<Split>,
}

pub struct Page {
    pub text: Vec<u8>,
    /// Found in the rules: then it is a path, even if it begins with `//`.
    is_path: bool,
}

/// A crawler and what it may read.
pub struct Judged<'k> {
    pub known: &'k KnownCrawler,
    /// An index into the classes.
    pub class: usize,
    pub by: By,
}

/// Which groups a crawler obeys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum By {
    /// Those that name it, on these lines.
    Named(Vec<u32>),
    /// Those of `*`.
    Everybody,
    /// None is for it.
    None,
    /// None names it, and it ignores those of `*`.
    IgnoresStar,
    /// There is no file: what its URL answered decides.
    Answer(String),
}

impl By {
    pub fn as_str(&self) -> &'static str {
        match self {
            By::Named(_) => "named",
            By::Everybody => "everybody",
            By::None => "none",
            By::IgnoresStar => "ignores-star",
            By::Answer(_) => "answer",
        }
    }
}

/// How much of a site some crawlers may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reach {
    /// Proven: nothing, or nothing but robots.txt.
    Nothing,
    /// Some path is forbidden and some other path is allowed.
    Partly,
    /// Neither `Nothing` nor `Everything` is proven, nor that it is not so.
    Unproven,
    /// Proven.
    Everything,
}

impl Reach {
    pub fn as_str(self) -> &'static str {
        match self {
            Reach::Nothing => "nothing",
            Reach::Partly => "partly",
            Reach::Unproven => "unproven",
            Reach::Everything => "everything",
        }
    }
}

/// Crawlers that may read the same.
pub struct Class {
    pub reach: Reach,
    /// A path for each rule that forbids something, in the order of the file.
    pub forbidden: Vec<Flip>,
    /// A path for each rule that allows something although all else were forbidden; or for no rule.
    pub allowed: Vec<Flip>,
    /// How many more rules there are at least.
    pub more_forbidden: usize,
    pub more_allowed: usize,
    /// Why there may be rules that were not found.
    pub unproven: Option<String>,
    /// The verdicts on the pages.
    pub verdicts: Vec<Verdict>,
    /// The verdicts on the URLs of the sitemap, if one is given.
    pub sitemap: Option<Tally>,
}

impl Class {
    /// Whether a rule forbids every path, so that only what rules allow is allowed.
    pub fn is_closed_but(&self) -> bool {
        let mut rules = self.forbidden.iter().filter_map(|flip| flip.new.as_ref());
        rules.any(is_for_all) && self.allowed.iter().all(|flip| flip.new.is_some())
    }
}

/// A file that is asked for the policies of many crawlers.
struct Asked<'f> {
    file: &'f [u8],
    profile: Profile,
    robots: Robots<'f>,
    questions: u32,
}

impl<'f> Asked<'f> {
    fn new(file: &'f [u8], profile: &Profile) -> Asked<'f> {
        let robots = Robots::parse(file, profile);
        Asked { file, profile: *profile, robots, questions: 0 }
    }

    fn robots(&mut self) -> &Robots<'f> {
        self.questions += 1;
        if self.questions > QUESTIONS {
            self.robots = Robots::parse(self.file, &self.profile);
            self.questions = 1;
        }
        &self.robots
    }
}

/// Judges these crawlers.
///
/// # Errors
/// Returns an error if a URL is invalid.
pub fn judge<'k>(
    given: &Given,
    profile: &Profile,
    crawlers: &[&'k KnownCrawler],
    urls: &[Vec<u8>],
) -> Result<Table<'k>, Failure> {
    let robots = Robots::parse(&given.bytes, profile);
    let mut asked = Asked::new(&given.bytes, profile);
    let by = match &given.answer {
        Some(answer) => vec![By::Answer(answer.cause.clone()); crawlers.len()],
        None => who_is_named(&robots, &mut asked, crawlers),
    };
    // Those that ignore the rules for everybody have none.
    let obey = |number: &usize| by[*number] != By::IgnoresStar;
    let numbered: Vec<(usize, Crawler)> = (0..crawlers.len())
        .filter(obey)
        .map(|number| (number, crawlers[number].crawler()))
        .collect();
    let mut classes = classes(&robots, &mut asked, &numbered);
    if by.contains(&By::IgnoresStar) {
        let unruled = (0..by.len()).filter(|number| by[*number] == By::IgnoresStar).collect();
        classes.push((unruled, Class::everything()));
    }
    if given.answer.is_some() {
        // There is no rule that could be named.
        for (_, class) in &mut classes {
            let flips = class.forbidden.iter_mut().chain(&mut class.allowed);
            flips.for_each(|flip| flip.new = None);
        }
    }
    let pages = if urls.is_empty() {
        told_apart(&mut asked, crawlers, &mut classes)
    } else {
        let pages: Vec<Page> =
            urls.iter().map(|url| Page { text: url.clone(), is_path: false }).collect();
        judge_pages(&mut asked, crawlers, &pages, &mut classes)?;
        pages
    };
    let mut judged: Vec<Option<Judged<'k>>> = crawlers.iter().map(|_| None).collect();
    for (class, (numbers, _)) in classes.iter().enumerate() {
        for &number in numbers {
            let by = by[number].clone();
            judged[number] = Some(Judged { known: crawlers[number], class, by });
        }
    }
    Ok(Table {
        pages,
        crawlers: judged.into_iter().flatten().collect(),
        classes: classes.into_iter().map(|(_, class)| class).collect(),
        sitemap: None,
    })
}

/// Judges the URLs of sitemaps that are of the site, for all classes in one pass.
///
/// # Errors
/// Returns an error if the policies take too much memory at once.
pub fn judge_sitemaps(
    given: &Given,
    profile: &Profile,
    table: &mut Table<'_>,
    mut sitemaps: Sitemaps,
    mut split: Split,
) -> Result<(), Failure> {
    let mut config = Config::default();
    let share = POLICY_BYTES / table.classes.len().max(1);
    config.limits.table_bytes = config.limits.table_bytes.min(share);
    let mut policies: Vec<(Policy, Tally)> = Vec::new();
    let mut bytes = 0;
    let mut numbers = Vec::new();
    for class in 0..table.classes.len() {
        let Some(one) = table.crawlers.iter().find(|one| one.class == class) else { continue };
        numbers.push(class);
        // Parsed anew: a parsed file keeps every policy that it was asked for.
        let policy = one.known.policy(&Robots::parse_with(&given.bytes, profile, &config));
        bytes += policy.memory_usage().total_bytes();
        if bytes > POLICY_BYTES {
            return Err(Failure::Limit(format!(
                "the rules of these crawlers take more than {} MiB at once: choose fewer crawlers \
                 with --purpose",
                POLICY_BYTES >> 20
            )));
        }
        policies.push((policy, Tally::new(Verdict::Disallow, given.answer.as_ref())));
    }
    sitemap::judge(&mut sitemaps, &mut split, &mut policies);
    for (class, (_, tally)) in numbers.into_iter().zip(policies) {
        table.classes[class].sitemap = Some(tally);
    }
    table.sitemap = Some(split);
    Ok(())
}

/// Which groups each crawler obeys.
fn who_is_named(robots: &Robots<'_>, asked: &mut Asked<'_>, crawlers: &[&KnownCrawler]) -> Vec<By> {
    let tokens: HashSet<Vec<u8>> = robots.tokens().map(<[u8]>::to_ascii_lowercase).collect();
    // A token can be equal to a name, begin it, or be within it, as the profile has it.
    let may_be_named = |name: &str| {
        let name = name.as_bytes().to_ascii_lowercase();
        let ends = |from: usize| (from + 1..=name.len()).map(move |to| from..to);
        (0..name.len()).flat_map(ends).any(|part| tokens.contains(&name[part]))
    };
    let nobody = Crawler::names([""; 0]);
    let unnamed = if robots.group_of(&nobody).is_empty() { By::None } else { By::Everybody };
    let by = |crawler: &&KnownCrawler| {
        let names = || [&crawler.token].into_iter().chain(&crawler.after);
        if names().any(|name| may_be_named(name))
            && let Ok(why) = asked.robots().explain(&crawler.crawler(), "/")
            && why.selection.choice == GroupChoice::Named
        {
            let lines = why.selection.lines.iter();
            let chosen = lines.filter(|line| line.standing == Standing::Chosen);
            return By::Named(chosen.map(|line| line.line).collect());
        }
        if crawler.star { unnamed.clone() } else { By::IgnoresStar }
    };
    crawlers.iter().map(by).collect()
}

/// Crawlers by what they may read, without verdicts on pages.
fn classes(
    robots: &Robots<'_>,
    asked: &mut Asked<'_>,
    crawlers: &[(usize, Crawler)],
) -> Vec<(Vec<usize>, Class)> {
    let profile = robots.profile();
    let open = Robots::parse(b"", profile);
    let closed = Robots::parse(b"User-agent: *\nDisallow: /\n", profile);
    let mut limits = Limits::default();
    limits.flips = RULES;
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
    /// Whether the one thing that a rule opens is robots.txt itself, which is no page.
    fn leaves_robots_txt_only(&self) -> bool {
        let is_robots_txt = |flip: &Flip| {
            let rule = flip.new.as_ref().map(|rule| &rule.value[..]);
            rule.is_some_and(|value| [&b"/robots.txt"[..], b"/robots.txt$"].contains(&value))
        };
        self.reach == Reach::Partly
            && self.unproven.is_none()
            && self.more_allowed == 0
            && self.is_closed_but()
            && self.allowed.iter().all(is_robots_txt)
    }

    /// Gives the rules the lines that they have in a policy with equal ones.
    fn take_lines_of(&mut self, policy: &Policy) {
        for flips in [&mut self.forbidden, &mut self.allowed] {
            for flip in flips.iter_mut() {
                if let Some(rule) = &mut flip.new
                    && let Ok(decision) = policy.decide_path(&flip.path)
                    && let Some(own) = decision.rule()
                {
                    (rule.line, rule.value) = (own.line, own.value.to_vec());
                }
            }
            flips.sort_by_key(|flip| flip.new.as_ref().map(|rule| rule.line));
        }
    }

    fn everything() -> Class {
        Class {
            reach: Reach::Everything,
            forbidden: Vec::new(),
            allowed: Vec::new(),
            more_forbidden: 0,
            more_allowed: 0,
            unproven: None,
            verdicts: Vec::new(),
            sitemap: None,
        }
    }

    /// From the differences to what allows everything and to what forbids everything.
    fn of([open, closed]: [&Difference; 2]) -> Class {
        let mut class = Class::everything();
        class.reach = match (open, closed) {
            (Difference::Equal, _) => Reach::Everything,
            (_, Difference::Equal) => Reach::Nothing,
            (Difference::Different(_), Difference::Different(_)) => Reach::Partly,
            _ => Reach::Unproven,
        };
        let line = |flip: &Flip| flip.new.as_ref().map(|rule| rule.line);
        if let Some(flips) = open.flips() {
            class.forbidden.clone_from(&flips.newly_disallowed);
            class.forbidden.sort_by_key(line);
            class.more_forbidden = flips.more_disallowed;
        }
        if let Some(flips) = closed.flips() {
            class.allowed.clone_from(&flips.newly_allowed);
            class.allowed.sort_by_key(line);
            class.more_allowed = flips.more_allowed;
        }
        if ![Reach::Everything, Reach::Nothing].contains(&class.reach) {
            let unproven = [open, closed].into_iter().find_map(|difference| match difference {
                Difference::Different(flips) => flips.unproven,
                Difference::Unknown { unproven, .. } => Some(*unproven),
                _ => None,
            });
            let differences = [open, closed].into_iter().filter_map(Difference::flips);
            let unexamined: usize = differences.map(|flips| flips.unexamined).sum();
            let unexamined = (unexamined > 0).then(|| {
                let s = if unexamined == 1 { "" } else { "s" };
                format!("there was no budget for {unexamined} rule{s}")
            });
            let unproven = unproven.map(|unproven| match unproven {
                // Those of the file; there is no older one.
                Unproven::New(limit) => {
                    format!("the rules are over the automaton's limits: {limit}")
                }
                unproven => unproven.to_string(),
            });
            class.unproven = unproven.or(unexamined);
        }
        if class.leaves_robots_txt_only() {
            class.reach = Reach::Nothing;
        }
        class
    }
}

/// Fills in the verdicts of each class on the pages.
///
/// # Errors
/// Returns an error if a page is an invalid URL.
fn judge_pages(
    asked: &mut Asked<'_>,
    crawlers: &[&KnownCrawler],
    pages: &[Page],
    classes: &mut [(Vec<usize>, Class)],
) -> Result<(), Failure> {
    for (numbers, class) in classes {
        let Some(&first) = numbers.first() else { continue };
        // All of a class have equal policies.
        let policy = crawlers[first].policy(asked.robots());
        for page in pages {
            let decided = if page.is_path {
                policy.is_path_allowed(&page.text)
            } else {
                policy.is_allowed(&page.text)
            };
            let is_allowed = decided.map_err(|_| {
                Failure::Usage(format!(
                    "'{}' is invalid: a URL is scheme://host/path, or a path that starts with '/'",
                    shown(&page.text)
                ))
            })?;
            class.verdicts.push(if is_allowed { Verdict::Allow } else { Verdict::Disallow });
        }
    }
    Ok(())
}

/// `/`, and short paths on which the classes differ, each in another way; fills in the verdicts.
fn told_apart(
    asked: &mut Asked<'_>,
    crawlers: &[&KnownCrawler],
    classes: &mut [(Vec<usize>, Class)],
) -> Vec<Page> {
    let mut seen: HashSet<&[u8]> = HashSet::from([&b"/"[..]]);
    let mut paths: Vec<Vec<u8>> = Vec::new();
    // The first path of every class, then the second, so that no class is left out.
    for at in 0..RULES {
        for (_, class) in &*classes {
            for flip in [class.forbidden.get(at), class.allowed.get(at)].into_iter().flatten() {
                // Asked for as a URL, this one would begin with a host.
                let is_url =
                    asked.profile.target_form == TargetForm::Google && flip.path.starts_with(b"//");
                if !is_url && paths.len() < CANDIDATES && seen.insert(&flip.path) {
                    paths.push(flip.path.clone());
                }
            }
        }
    }
    paths.sort_by_key(Vec::len);
    paths.insert(0, b"/".to_vec());
    let mut pages: Vec<Page> = paths.into_iter().map(|text| Page { text, is_path: true }).collect();
    // Paths are valid: `/`, and what the comparison found.
    let _ = judge_pages(asked, crawlers, &pages, classes);
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
    let mut number = 0;
    pages.retain(|_| {
        number += 1;
        kept.contains(&(number - 1))
    });
    pages
}

/// How many crawlers of a purpose may read how much.
pub struct Counts {
    pub all: usize,
    /// Nothing, a part, unproven, everything: in the order of [`Reach`].
    by_reach: [usize; 4],
}

impl Counts {
    pub fn of(table: &Table<'_>, purpose: Purpose) -> Counts {
        let mut counts = Counts { all: 0, by_reach: [0; 4] };
        for crawler in table.of_purpose(purpose) {
            counts.all += 1;
            counts.by_reach[table.classes[crawler.class].reach as usize] += 1;
        }
        counts
    }

    pub fn get(&self, reach: Reach) -> usize {
        self.by_reach[reach as usize]
    }
}

/// How many crawlers of a purpose may read how much of the sitemap.
pub struct SitemapCounts {
    pub none: usize,
    pub part: usize,
    pub all: usize,
}

impl SitemapCounts {
    /// `None` if no sitemap is given.
    pub fn of(table: &Table<'_>, purpose: Purpose) -> Option<SitemapCounts> {
        let mut counts = SitemapCounts { none: 0, part: 0, all: 0 };
        for crawler in table.of_purpose(purpose) {
            let tally = table.classes[crawler.class].sitemap.as_ref()?;
            *match (tally.allowed, tally.disallowed) {
                (_, 0) => &mut counts.all,
                (0, _) => &mut counts.none,
                _ => &mut counts.part,
            } += 1;
        }
        Some(counts)
    }
}

impl<'k> Table<'k> {
    pub fn of_purpose(&self, purpose: Purpose) -> impl Iterator<Item = &Judged<'k>> {
        self.crawlers.iter().filter(move |crawler| crawler.known.purpose == purpose)
    }

    /// The purposes that some crawler has.
    pub fn purposes(&self) -> Vec<Purpose> {
        let mut purposes: Vec<Purpose> =
            self.crawlers.iter().map(|crawler| crawler.known.purpose).collect();
        purposes.sort_unstable();
        purposes.dedup();
        purposes
    }

    /// The crawlers of a purpose that may read the same, those that may read least first.
    pub fn rows(&self, purpose: Purpose) -> Vec<(&Class, Vec<&Judged<'k>>)> {
        let mut rows: Vec<(usize, Vec<&Judged<'k>>)> = Vec::new();
        for crawler in self.of_purpose(purpose) {
            let reach = self.classes[crawler.class].reach;
            // Rules with the same effect are of no interest if that is all or nothing.
            let is_same = |class: usize| match reach {
                Reach::Nothing | Reach::Everything => self.classes[class].reach == reach,
                Reach::Partly | Reach::Unproven => class == crawler.class,
            };
            match rows.iter_mut().find(|(class, _)| is_same(*class)) {
                Some((_, row)) => row.push(crawler),
                None => rows.push((crawler.class, vec![crawler])),
            }
        }
        rows.sort_by_key(|(class, _)| self.classes[*class].reach);
        rows.into_iter().map(|(class, row)| (&self.classes[class], row)).collect()
    }
}
